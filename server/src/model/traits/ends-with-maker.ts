import type { Caller } from '../caller.ts';
import type { Change } from '../resource.ts';
import type { StoredRecord } from '../record.ts';
import { defineTrait } from '../trait.ts';

/** A record of this kind ends when its maker may no longer make it. It does not revive when the maker gets the right back. */
export interface EndingWithMaker {
  /** The path of the maker's kind, such as `users`. */
  maker: string;
  /** The column with the maker's id. */
  column: string;
  /** Returns the end of a record with such a maker, before or after a change of it. Null if it goes on or has ended. */
  end(made: StoredRecord, maker: StoredRecord, caller: Caller): Change<StoredRecord> | null;
}

export const endsWithMaker = defineTrait<EndingWithMaker>();
