import { ApiError } from '../core/errors.ts';
import type { StoredRecord } from './record.ts';

/**
 * Requires one of these states for a move.
 *
 * @param kind the name of the record in a sentence, such as `tenancy`.
 * @param advice what to do instead, or why not.
 * @throws {ApiError} `status_transition_invalid`.
 */
export function requireStatus<R extends StoredRecord & { status: string }>(
  current: R,
  allowed: readonly R['status'][],
  kind: string,
  advice: string,
): void {
  if (!allowed.includes(current.status)) throw wrongStatus(current, kind, advice);
}

/** Returns the refusal of a move from the present state. */
export function wrongStatus(current: StoredRecord & { status: string }, kind: string, advice: string): ApiError {
  return new ApiError('status_transition_invalid', `The ${kind} ${current.id} is \`${current.status}\`. ${advice}`);
}
