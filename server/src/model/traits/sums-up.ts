import type { StoredRecord } from '../record.ts';
import { defineTrait } from '../trait.ts';

/** Records sum up those of another kind that link to them. */
export interface RollUp {
  /** The path of the other kind, and its link to this one. */
  of: string;
  link: string;
  /** Returns the record after one of the others was written. `before` is null if that is new, `after` if it was deleted. */
  adapt(current: StoredRecord, before: StoredRecord | null, after: StoredRecord | null): StoredRecord;
}

export const sumsUp = defineTrait<RollUp>();
