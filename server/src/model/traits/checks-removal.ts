import type { Caller } from '../callers/caller.ts';
import type { StoredRecord } from '../record.ts';
import { defineTrait } from '../trait.ts';

/** A removal of a record of this kind can be refused. */
export interface ChecksRemoval {
  /** @throws {ApiError} if this caller may not remove the record. */
  check(record: StoredRecord, caller: Caller): void;
}

export const checksRemoval = defineTrait<ChecksRemoval>();
