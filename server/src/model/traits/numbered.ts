import type { StoredRecord } from '../record.ts';
import { defineTrait } from '../trait.ts';

/** Records get consecutive numbers in their account, from 1 and without a gap: the numbers of invoices. */
export interface Numbering {
  /** Returns whether a changed record must get its number now. */
  isDue(record: StoredRecord): boolean;
  withNumber(record: StoredRecord, number: number): StoredRecord;
}

export const numbered = defineTrait<Numbering>();
