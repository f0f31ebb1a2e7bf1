import type { StoredRecord } from '../record.ts';
import { defineTrait } from '../trait.ts';

/** The record sums up records of another kind that link to it. */
export interface RollUp {
  /** The path of the other kind. `link` is its link to this record. */
  of: string;
  link: string;
  /** Returns the record after a write to one of the others. Of that one, `before` is null if it is new, `after` if it was deleted. */
  adapt(current: StoredRecord, before: StoredRecord | null, after: StoredRecord | null): StoredRecord;
}

export const sumsUp = defineTrait<RollUp>();
