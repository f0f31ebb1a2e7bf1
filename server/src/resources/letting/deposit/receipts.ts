import { addDays, type Day } from '../../../core/calendar.ts';
import { ApiError } from '../../../core/errors.ts';
import type { StoredRecord } from '../../../model/record.ts';
import type { Change } from '../../../model/resource.ts';
import type { Caller } from '../../../model/callers/caller.ts';
import { requireNotFuture, requireSince } from '../days.ts';
import { withRepayBy } from './repayment.ts';
import { receiptsMax, type DepositRecord, type Receipt } from './fields.ts';

/*
 * The money of a deposit follows from the payments that name it, in the mutation that changes them. A holding deposit that is applied to
 * another deposit is a receipt of that one, too.
 */

/** Days to decide after the receipt of a holding deposit (Tenant Fees Act 2019 Sch 2 para 2). */
const decisionDays = 14;
/** Days to protect a deposit after its receipt (Housing Act 2004 s213(3)). The day of the receipt counts as the first of 30. */
const protectionDays = 29;

type PaymentOfDeposit = StoredRecord & {
  status: string;
  received_on: string;
  amount: number;
  succeeded_at: number | null;
};

/** Updates what a deposit has received after a write to one of its payments. */
export function adaptToPayment(
  current: DepositRecord,
  before: StoredRecord | null,
  after: StoredRecord | null,
): Change<DepositRecord> {
  const { id } = (after ?? before)!;
  const payment = after as PaymentOfDeposit | null;
  const isIn = payment?.status === 'succeeded';
  if (isIn === current.receipts.some(({ source }) => source === id)) return { after: current };
  const others = current.receipts.filter(({ source }) => source !== id);
  if (!isIn) return { after: withReceipts(current, others) };
  const { received_on: on, amount, succeeded_at: at } = payment;
  return { after: withReceipts(current, [...others, { source: id, on, amount, at: at! }]) };
}

/** Returns the event of a deposit that has come in full. */
export function verbsOfReceipt({ status: was }: DepositRecord, { status }: DepositRecord): string[] {
  return was === 'pending' && status === 'received' ? ['received'] : [];
}

/** Returns the deposit with these receipts, and with the state and the deadlines that follow from them. */
export function withReceipts(current: DepositRecord, receipts: readonly Receipt[]): DepositRecord {
  const changed = withProtectBy({
    ...current,
    receipts: [...receipts],
    amount_received: receipts.reduce((sum, { amount }) => sum + amount, 0),
  });
  const isFull = changed.amount_received === changed.amount;
  if (changed.status === 'pending' && isFull) return received({ ...changed, status: 'received' });
  if (changed.status === 'received' && !isFull) return pendingAgain(changed);
  // It was protected before all of it had come.
  if (changed.status === 'protected' && isFull && changed.received_on === null) return received(changed);
  return changed;
}

/** Sets the day by which a tenancy deposit is protected. It counts from the first part, which the law protects as the whole. */
function withProtectBy(current: DepositRecord): DepositRecord {
  const { type, status, protect_by: before } = current;
  if (type === 'holding' || (status !== 'pending' && status !== 'received')) return current;
  const [first] = daysOf(current);
  const protectBy = first === undefined ? null : addDays(first, protectionDays);
  if (protectBy === before) return current;
  return {
    ...current,
    protect_by: protectBy,
    checks: current.checks.filter(({ id }) => id !== 'deposit_protection' && id !== 'deposit_information'),
    judged_on: null,
  };
}

/** Returns the days on which money of a deposit came, the earliest first. */
function daysOf({ receipts }: Pick<DepositRecord, 'receipts'>): Day[] {
  return receipts.map(({ on }) => on).toSorted();
}

function received(current: DepositRecord): DepositRecord {
  const on = daysOf(current).at(-1)!;
  return withRepayBy({
    ...current,
    received_on: on,
    received_at: Math.max(...current.receipts.map(({ at }) => at)),
    decide_by: current.type === 'holding' ? addDays(on, decisionDays) : null,
    judged_on: null,
  });
}

function pendingAgain(current: DepositRecord): DepositRecord {
  return withRepayBy({
    ...current,
    status: 'pending',
    received_on: null,
    received_at: null,
    decide_by: null,
    judged_on: null,
  });
}

/**
 * Requires a day on which money of the deposit was there.
 *
 * @throws {ApiError} `parameter_invalid` for a day in the future, or before the first money came.
 */
export function requireWhileHeld(deposit: DepositRecord, param: string, day: Day, caller: Caller): void {
  requireNotFuture(param, day, caller);
  const [first] = daysOf(deposit);
  if (first !== undefined) requireSince(param, day, first, `the first money of ${deposit.id} came on ${first}`);
}

/** @throws {ApiError} `amount_exceeded` or `limit_reached` if a deposit cannot receive an amount. */
export function requireRoom(deposit: DepositRecord, amount: number, param: string): void {
  const missing = deposit.amount - deposit.amount_received;
  if (amount > missing)
    throw new ApiError(
      'amount_exceeded',
      missing === 0
        ? `The deposit ${deposit.id} has received all of its amount. Send nothing more, and cancel a payment of it that is pending.`
        : `The deposit ${deposit.id} has ${missing} to receive. Send an \`amount\` of at most ${missing}.`,
      { param },
    );
  if (deposit.receipts.length >= receiptsMax)
    throw new ApiError(
      'limit_reached',
      `The deposit ${deposit.id} has received ${receiptsMax} payments, the most that it can. Record its rest as one payment.`,
      { param },
    );
}
