import type { StoredRecord } from '../record.ts';
import { defineTrait } from '../trait.ts';

/** Records that open a file or the data of a person to others. They end with the erasure of that, and their personal fields are emptied. */
export interface OpensData {
  /** The link to the file or the person. */
  link: string;
  /** Ends a record. Its personal fields are emptied in any case. */
  end(current: StoredRecord, nowSeconds: number): { after: StoredRecord; verbs?: readonly string[] };
}

export const opensData = defineTrait<OpensData>();
