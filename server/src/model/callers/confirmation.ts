import type { Caller } from './caller.ts';

/**
 * Requires that a person has confirmed its identity of late, because live mode leads to real persons. A key needs no confirmation.
 *
 * @throws {ApiError} `reauthentication_required`.
 */
export function requireConfirmationInLive(caller: Caller): void {
  if (caller.mode === 'live') caller.requireConfirmation();
}
