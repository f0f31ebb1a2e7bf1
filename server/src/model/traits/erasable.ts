import type { Change } from '../resource.ts';
import { erasureFields, type StoredRecord } from '../record.ts';
import { defineTrait } from '../trait.ts';

/**
 * Records tell of a person, and this happens to them when that person is erased. Each of them can also be erased by itself, with
 * `POST /v1/<path>/{id}/erase`: for a person that another system keeps.
 */
export interface Erasure {
  /** The link to the person. */
  link: string;
  /** Links to files about the person, which are deleted. */
  files: readonly string[];
  /** What else becomes of a record, besides that the fields that tell of the person are emptied. */
  decide(current: StoredRecord, nowSeconds: number): Pick<Change<StoredRecord>, 'after' | 'verb'>;
}

export const erasable = defineTrait<Erasure>(erasureFields);
