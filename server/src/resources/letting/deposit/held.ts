import { ApiError } from '../../../core/errors.ts';
import { wrongStatus } from '../../../model/status.ts';
import { heldOf, type DepositRecord } from './fields.ts';

/*
 * The money of a deposit that is still held. A deposit that holds nothing any more, after money was taken out of it, is settled.
 */

/** Returns the deposit as settled if money was taken out of it and nothing is held any more. */
export function settledIfEmpty(current: DepositRecord, today: string): DepositRecord {
  return heldOf(current) === 0 ? { ...current, status: 'settled', settled_on: today, return_by: null } : current;
}

/** @throws {ApiError} `amount_exceeded` if the deposit holds less. */
export function requireHeld(deposit: DepositRecord, amount: number, param: string): void {
  const held = heldOf(deposit);
  if (amount <= held) return;
  throw new ApiError(
    'amount_exceeded',
    held === 0
      ? `The deposit ${deposit.id} holds nothing. Record the payment of it first.`
      : `The deposit ${deposit.id} holds ${held}. Send at most ${held} in all.`,
    { param },
  );
}

/** @throws {ApiError} `status_transition_invalid` if the operation is for deposits of the other type. */
export function requireType(current: DepositRecord, type: DepositRecord['type'], advice: string): void {
  if (current.type !== type) throw wrongStatus(current, `${current.type} deposit`, advice);
}

/** Says what to do with a deposit that waits for the rest of its money. Returns `advice` alone if no part of the money has come. */
export function withPartAdvice({ status, amount, amount_received: received }: DepositRecord, advice: string): string {
  if (status !== 'pending' || received === 0) return advice;
  return `${advice} It has received ${received} of ${amount}. If no more money comes, set its \`amount\` to ${received} first.`;
}
