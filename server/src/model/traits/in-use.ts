import { ApiError } from '../../core/errors.ts';
import type { StoredRecord } from '../record.ts';
import type { Related } from '../related.ts';
import { defineTrait } from '../trait.ts';

/** A record that prevents a deletion. */
export interface Preventing {
  record: string;
  /** Why, and what to do first. */
  reason: string;
}

/** Records of this kind cannot be deleted while others rely on them, or in some states. */
export interface InUse {
  /** The code of the refusal. The default is `record_in_use`. */
  refusal?: 'status_transition_invalid';
  /** Paths of links whose records the check reads. Each is a guard of the deletion. */
  reads?: readonly string[];
  /** Returns all records that prevent the deletion, for a preview. */
  preventing?(record: StoredRecord, related: Related): Preventing[];
  /** @throws {ApiError} with that code. */
  check(record: StoredRecord, related: Related): void;
}

export const inUse = defineTrait<InUse>();

/** Returns the refusal to change or delete a record that others rely on. */
export function recordInUse(message: string, param?: string): ApiError {
  return new ApiError('record_in_use', message, param === undefined ? {} : { param });
}
