import type { Related } from '../../model/related.ts';
import type { NamedRecord } from '../../model/traits/searchable.ts';

export { addressMembers } from './building.ts';

/** Returns the names of a home and of its building, for a line about it. Null if there is no such record. */
export function homeOf(related: Related, path: string): string | null {
  const names = [path, `${path}.building`].map((each) => related.one<NamedRecord>(each)?.name).filter(Boolean);
  return names.length === 0 ? null : names.join(', ');
}
