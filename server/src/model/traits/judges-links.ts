import type { StoredRecord } from '../record.ts';
import { fieldOf } from '../record.ts';
import { defineTrait } from '../trait.ts';

/** Returns why a record cannot be linked to, and what to send instead. Null if it can. */
export type LinkJudgement = (linked: StoredRecord) => string | null;

/** Links that need more of a record than its kind, by their names. A link is judged when it is set. */
export const judgesLinks = defineTrait<Readonly<Record<string, LinkJudgement>>>();

/** Judges a link to a file by the type of its contents. */
export function ofFileType(types: readonly string[], message: string): LinkJudgement {
  return (linked) => (types.includes(String(fieldOf(linked, 'content_type'))) ? null : message);
}
