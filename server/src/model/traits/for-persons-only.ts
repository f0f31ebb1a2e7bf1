import type { Caller } from '../caller.ts';
import type { StoredRecord } from '../record.ts';
import { defineTrait } from '../trait.ts';

/** Only persons have the permissions of this kind of record. No API key can get them. */
export interface ForPersonsOnly {
  /**
   * Refuses a removal of a record that this person may not remove. Left out if the kind is not removed.
   *
   * @throws {ApiError}
   */
  checkRemoval?(record: StoredRecord, caller: Caller): void;
}

export const forPersonsOnly = defineTrait<ForPersonsOnly>();
