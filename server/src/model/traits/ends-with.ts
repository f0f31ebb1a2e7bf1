import type { Caller } from '../callers/caller.ts';
import type { Change } from '../resource.ts';
import type { StoredRecord } from '../record.ts';
import { defineTrait } from '../trait.ts';

/** A change of a record. Null after its deletion. */
export interface ChangeOf {
  before: StoredRecord;
  after: StoredRecord | null;
}

/**
 * A record of this kind ends with a change of another record, and never revives. An invitation ends when its inviter may no longer
 * invite.
 */
export interface EndingWith {
  /** The path of the other kind, such as `users`. */
  of: string;
  /** The column with the id of the other record. If the body of a creation does not name it, it is the acting person. */
  column: string;
  /** Returns whether a change can end any record. By default each can. */
  concerns?(change: ChangeOf): boolean;
  /** Returns the end of a record that names the other one. Null if it goes on or has ended. */
  end(current: StoredRecord, change: ChangeOf, caller: Caller): Change<StoredRecord> | null;
}

export const endsWith = defineTrait<EndingWith>();
