import type { Caller } from '../callers/caller.ts';
import type { Change } from '../resource.ts';
import type { StoredRecord } from '../record.ts';
import { defineTrait } from '../trait.ts';

/** A new record of this kind ends earlier ones with the same value. */
export interface Superseding {
  /** The column with that value. */
  column: string;
  /** Returns the end of an earlier record, or null if it has ended already. */
  end(earlier: StoredRecord, caller: Caller): Change<StoredRecord> | null;
}

export const supersedes = defineTrait<Superseding>();
