import type { StoredRecord } from '../record.ts';
import { defineTrait } from '../trait.ts';

/** Records that open a file to others. They end with the erasure of the file, and their personal fields are emptied. */
export interface OpensFile {
  /** The link to the file. */
  link: string;
  /** Ends a record. Its personal fields are emptied in any case. */
  end(current: StoredRecord, nowSeconds: number): { after: StoredRecord; verbs?: readonly string[] };
}

export const opensFile = defineTrait<OpensFile>();
