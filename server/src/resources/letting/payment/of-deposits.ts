import { ApiError } from '../../../core/errors.ts';
import { judge, refuseFailed, type Judgement } from '../../../law/index.ts';
import type { Caller } from '../../../model/callers/caller.ts';
import { createFromFields } from '../../../model/inputs.ts';
import type { FieldsOf } from '../../../model/record.ts';
import { Related } from '../../../model/related.ts';
import { wrongStatus } from '../../../model/status.ts';
import type { ApplicationRecord } from '../application/fields.ts';
import type { BuildingRecord } from '../building.ts';
import { heldOf, type DepositRecord } from '../deposit/fields.ts';
import { requireRoom } from '../deposit/receipts.ts';
import type { TenancyRecord } from '../tenancy/fields.ts';
import { otherHeldDeposit, requireUnarchived, type UnitRecord } from '../unit.ts';
import { fields, type PaymentRecord } from './fields.ts';

/*
 * Payments and deposits. A payment is for a tenancy or for a deposit. That of a deposit settles no invoice, and is in no ledger: the deposit
 * sums it up. A deposit that pays what tenants owe makes a payment of their tenancy, whose money cannot fail.
 */

/** The links whose records decide whether a deposit receives a payment. */
export const readsOfReceipt = [
  'deposit',
  'deposit.unit',
  'deposit.unit.building',
  'deposit.application',
  'deposit.tenancy',
] as const;

/** @throws {ApiError} `parameter_missing` or `parameters_exclusive` unless the payment is for one record. */
export function requireOnePurpose({ tenancy, deposit }: Pick<PaymentRecord, 'tenancy' | 'deposit'>): void {
  if (tenancy === null && deposit === null)
    throw new ApiError('parameter_missing', 'Send `tenancy` or `deposit`, which the payment is for.', {
      param: 'tenancy',
    });
  if (tenancy !== null && deposit !== null)
    throw new ApiError(
      'parameters_exclusive',
      'A payment is for a `tenancy` or for a `deposit`. Send one of them, and record the other part as a payment of its own.',
      { param: 'deposit' },
    );
}

/**
 * Requires that a deposit can receive a payment whose money has come.
 *
 * @throws {ApiError} `status_transition_invalid`, `amount_exceeded`, `limit_reached`, or `check_failed` for `holding_single` or a cap.
 */
export function requireReceivable({ amount }: Pick<PaymentRecord, 'amount'>, caller: Caller, related: Related): void {
  const deposit = related.one<DepositRecord>('deposit')!;
  // A protected deposit can lack a payment that bounced.
  if (
    deposit.status === 'settled' ||
    deposit.status === 'canceled' ||
    deposit.status === 'releasing' ||
    deposit.status === 'disputed'
  )
    throw new ApiError(
      'status_transition_invalid',
      `The deposit ${deposit.id} is \`${deposit.status}\`, so it receives no payment. Choose a pending deposit, and cancel a pending payment of this one.`,
      { param: 'deposit' },
    );
  requireRoom(deposit, amount, 'amount');
  const home = deposit.type === 'holding' ? related.one<UnitRecord>('deposit.unit') : null;
  if (home) requireUnarchived(home, 'deposit');
  refuseFailed(judgeReceipt(deposit, amount, caller, related));
}

/** Judges the money of a deposit by the rent of today. The rent may have been lowered since the deposit was agreed. */
function judgeReceipt(deposit: DepositRecord, paid: number, caller: Caller, related: Related): Judgement {
  const { rules } = caller.account;
  const { amount_received: received } = deposit;
  const amount = received + paid;
  const tenancy = related.one<TenancyRecord>('deposit.tenancy');
  if (tenancy) {
    const { jurisdiction, type, rent } = tenancy;
    return judge(rules, 'take_deposit', caller.today, { jurisdiction, type, amount, received, rent });
  }
  const home = related.one<UnitRecord>('deposit.unit');
  return judge(rules, 'take_holding_deposit', caller.today, {
    jurisdiction: related.one<BuildingRecord>('deposit.unit.building')?.jurisdiction ?? null,
    type: 'assured',
    amount,
    received,
    rent: related.one<ApplicationRecord>('deposit.application')?.rent ?? home?.rent ?? null,
    otherDeposit: home && otherHeldDeposit(home, deposit.id),
    param: 'deposit',
  });
}

/**
 * Requires that the money of a payment can still be taken back.
 *
 * @throws {ApiError} `amount_exceeded` if its deposit holds less, or `status_transition_invalid` if the money came out of a deposit.
 */
export function requireReversible(payment: PaymentRecord, related: Related): void {
  if (payment.method === 'deposit' || payment.method === 'holding_deposit')
    throw wrongStatus(
      payment,
      'payment',
      'Its money came out of a deposit, so it cannot fail. Use `refund` or `allocate`.',
    );
  const deposit = related.one<DepositRecord>('deposit');
  if (!deposit || payment.status !== 'succeeded') return;
  const held = heldOf(deposit);
  if (payment.amount <= held) return;
  throw new ApiError(
    'amount_exceeded',
    `The deposit ${deposit.id} holds ${held}, and the payment ${payment.id} is ${payment.amount}. A payment can fail while its deposit holds all of it.`,
    { param: 'deposit' },
  );
}

/** @throws {ApiError} `status_transition_invalid` for a payment of a deposit. */
export function requireOfTenancy(payment: PaymentRecord): void {
  if (payment.deposit === null) return;
  throw wrongStatus(
    payment,
    'payment',
    `It is for the deposit ${payment.deposit}, which settles no invoice. Money of a deposit goes back by \`return\` or \`release\` of the deposit.`,
  );
}

type FromDeposit = Pick<PaymentRecord, 'tenancy' | 'amount' | 'method' | 'received_on' | 'customer'>;

/** Returns the fields of a payment of a tenancy whose money comes out of a deposit. */
export function paymentFromDeposit(given: FromDeposit, caller: Caller): FieldsOf<PaymentRecord> {
  return createFromFields<PaymentRecord>(fields).decide({ ...given, status: 'succeeded' }, caller, new Related());
}
