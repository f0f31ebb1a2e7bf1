import { ApiError, invalidParameter } from '../../../core/errors.ts';
import { judge, refuseFailed } from '../../../law/index.ts';
import type { Caller } from '../../../model/caller.ts';
import type { FieldsOf } from '../../../model/record.ts';
import type { Related } from '../../../model/related.ts';
import type { Change } from '../../../model/resource.ts';
import { requireStatus, wrongStatus } from '../../../model/status.ts';
import { allocateOldestFirst, freeNewestFirst, sumOf } from '../../../rent/allocations.ts';
import { requirePast } from '../days.ts';
import { creditMax, type TenancyRecord } from '../tenancy/fields.ts';
import { dueOf, isOwed, payingMax, type InvoiceRecord } from '../invoice/fields.ts';
import { settleEach, withAllocations } from '../settlement.ts';
import { allocationsMax, refundsMax, unallocatedOf, type Allocation, type PaymentRecord } from './fields.ts';

/*
 *  pending ── succeed ──▶ succeeded ── refund of all ──▶ refunded
 *     │ ╲                    │
 *     │  ╲──── fail ─────────┴──▶ failed
 *     └── cancel ──▶ canceled
 */

/** The links whose records decide what a payment settles. */
export const readsOfSettling = ['tenancy', 'tenancy.owed.invoice'] as const;

/** Checks a new payment, and completes it from its tenancy. */
export function received(made: FieldsOf<PaymentRecord>, caller: Caller, related: Related): FieldsOf<PaymentRecord> {
  const { rent } = related.one<TenancyRecord>('tenancy')!;
  const receivedOn = made.received_on ?? caller.today;
  requirePast('received_on', receivedOn, caller);
  return { ...made, received_on: receivedOn, currency: rent.currency };
}

/** Settles invoices with a payment whose money has come: the named ones, or the oldest. */
export function succeeded(
  payment: PaymentRecord,
  wanted: readonly Allocation[] | null,
  caller: Caller,
  related: Related,
): Change<PaymentRecord> {
  const tenancy = related.one<TenancyRecord>('tenancy')!;
  const { status, jurisdiction, type } = tenancy;
  requireCurrency(payment, tenancy);
  refuseFailed(
    judge(caller.account.rules, 'pay', caller.today, {
      jurisdiction,
      type,
      isSigned: status !== 'draft',
      rentParam: 'tenancy',
    }),
  );
  const came: PaymentRecord = {
    ...payment,
    status: 'succeeded',
    succeeded_at: caller.nowSeconds,
    moved_on: caller.today,
  };
  const open = related.all<InvoiceRecord>('tenancy.owed.invoice').filter((invoice) => invoice.status === 'open');
  const allocations = wanted ?? oldestFirst(came.amount, open);
  const named = wanted === null ? open : related.all<InvoiceRecord>('allocations.invoice');
  if (wanted) requireAllocations(came, wanted, [], named);
  requireRoomForCredit(tenancy, came.amount - sumOf(allocations));
  return {
    after: withAllocations(came, allocations),
    also: settleEach(related, payment.id, [], allocations, named, caller),
  };
}

/** @throws {ApiError} `status_transition_invalid` if the rent has got another currency since the payment was recorded. */
function requireCurrency(payment: PaymentRecord, { id, rent }: TenancyRecord): void {
  if (payment.currency === rent.currency) return;
  throw wrongStatus(
    payment,
    'payment',
    `It is in ${payment.currency}, and the rent of ${id} is in ${rent.currency} now. Cancel it, and record a new one.`,
  );
}

/** @throws {ApiError} `limit_reached` if too many payments have settled less than they can. The tenancy lists them. */
function requireRoomForCredit({ id, credit }: TenancyRecord, left: number): void {
  if (left === 0 || credit.length < creditMax) return;
  throw new ApiError(
    'limit_reached',
    `The tenancy ${id} has ${creditMax} payments that settle nothing yet, the most that it can have. Refund some, or finalize invoices that they settle.`,
    { param: 'tenancy' },
  );
}

function oldestFirst(amount: number, open: readonly InvoiceRecord[]): Allocation[] {
  const settleable = open.filter(({ paying }) => paying.length < payingMax);
  const invoices = settleable.map((invoice) => ({
    id: invoice.id,
    due_on: invoice.due_on,
    amount_due: dueOf(invoice),
  }));
  return allocateOldestFirst(amount, invoices).slice(0, allocationsMax);
}

/**
 * Requires that allocations are within the payment, and within what is due.
 *
 * @throws {ApiError} `amount_exceeded`, `parameter_invalid` or `status_transition_invalid`.
 */
function requireAllocations(
  payment: Pick<PaymentRecord, 'tenancy' | 'amount' | 'amount_refunded'>,
  wanted: readonly Allocation[],
  present: readonly Allocation[],
  invoices: readonly InvoiceRecord[],
): void {
  const there = payment.amount - payment.amount_refunded;
  if (sumOf(wanted) > there)
    throw new ApiError(
      'amount_exceeded',
      `The allocations add up to ${sumOf(wanted)}, and the payment has ${there}. Send less.`,
      { param: 'allocations' },
    );
  for (const [index, { invoice: id, amount }] of wanted.entries()) {
    if (wanted.findIndex(({ invoice }) => invoice === id) !== index)
      throw invalidParameter(
        `allocations[${index}][invoice]`,
        `\`${id}\` is there twice. Send one allocation for each invoice.`,
      );
    const invoice = invoices.find((candidate) => candidate.id === id)!;
    if (invoice.tenancy !== payment.tenancy)
      throw invalidParameter(
        `allocations[${index}][invoice]`,
        `The invoice ${id} is of ${invoice.tenancy}. A payment settles invoices of its own tenancy, ${payment.tenancy}.`,
      );
    if (!isOwed(invoice))
      throw new ApiError(
        'status_transition_invalid',
        `The invoice ${id} is \`${invoice.status}\`, so nothing can settle it. Choose an open one.`,
        { param: `allocations[${index}][invoice]` },
      );
    const isNew = !present.some((allocation) => allocation.invoice === id);
    if (isNew && invoice.paying.length >= payingMax)
      throw invalidParameter(
        `allocations[${index}][invoice]`,
        `${payingMax} payments settle parts of the invoice ${id}, the most that can. Choose another one.`,
      );
    const due = dueOf(invoice) + (present.find((allocation) => allocation.invoice === id)?.amount ?? 0);
    if (amount > due)
      throw new ApiError(
        'amount_exceeded',
        `The invoice ${id} has ${due} to settle. Send an amount of at most ${due}.`,
        {
          param: `allocations[${index}][amount]`,
        },
      );
  }
}

/** `POST /v1/payments/{id}/succeed`. */
export function succeed(current: PaymentRecord, caller: Caller, _: object, related: Related): Change<PaymentRecord> {
  requireStatus(current, ['pending'], 'payment', 'Only a pending payment can succeed.');
  return { ...succeeded(current, null, caller, related), verbs: ['succeeded'] };
}

/** `POST /v1/payments/{id}/allocate`. */
export function allocate(
  current: PaymentRecord,
  caller: Caller,
  { allocations }: { allocations: Allocation[] },
  related: Related,
): Change<PaymentRecord> {
  requireStatus(current, ['succeeded'], 'payment', 'Only a payment that succeeded settles invoices.');
  const named = related.all<InvoiceRecord>('allocations.invoice');
  requireAllocations(current, allocations, current.allocations, named);
  const known = related.all<InvoiceRecord>('settled_invoices').filter(({ id }) => !named.some((one) => one.id === id));
  return {
    after: withAllocations(current, allocations),
    verbs: ['allocated'],
    also: settleEach(related, current.id, current.allocations, allocations, [...named, ...known], caller),
  };
}

export interface FailInput {
  code: string;
  message?: string | null;
}

/** `POST /v1/payments/{id}/fail`: it did not come, or it bounced. */
export function fail(
  current: PaymentRecord,
  caller: Caller,
  { code, message }: FailInput,
  related: Related,
): Change<PaymentRecord> {
  requireStatus(current, ['pending', 'succeeded'], 'payment', 'Only a pending or succeeded payment can fail.');
  const failed: PaymentRecord = {
    ...withAllocations(current, []),
    status: 'failed',
    failure: { code, message: message ?? null },
    failed_at: caller.nowSeconds,
    succeeded_at: null,
    moved_on: caller.today,
  };
  const invoices = related.all<InvoiceRecord>('settled_invoices');
  return {
    after: failed,
    verbs: ['failed'],
    also: settleEach(related, current.id, current.allocations, [], invoices, caller),
  };
}

/** `POST /v1/payments/{id}/cancel`. */
export function cancel(current: PaymentRecord, { nowSeconds }: Caller): Change<PaymentRecord> {
  requireStatus(current, ['pending'], 'payment', 'Only a pending payment can be canceled. Refund one that succeeded.');
  return { after: { ...current, status: 'canceled', canceled_at: nowSeconds }, verbs: ['canceled'] };
}

export interface RefundInput {
  amount: number;
  reason?: string | null;
}

/** `POST /v1/payments/{id}/refund`: first what settles nothing, then the newest allocations. */
export function refund(
  current: PaymentRecord,
  caller: Caller,
  { amount, reason }: RefundInput,
  related: Related,
): Change<PaymentRecord> {
  requireStatus(current, ['succeeded'], 'payment', 'Only a payment that succeeded can be refunded.');
  if (current.refunds.length === refundsMax)
    throw invalidParameter('amount', `The payment ${current.id} has ${refundsMax} refunds, the most that it can have.`);
  const left = current.amount - current.amount_refunded;
  if (amount > left)
    throw new ApiError(
      'amount_exceeded',
      `The payment ${current.id} has ${left} left. Send an \`amount\` of at most ${left}.`,
      {
        param: 'amount',
      },
    );
  const { kept } = freeNewestFirst(current.allocations, Math.max(0, amount - unallocatedOf(current)));
  const isAll = amount === left;
  const refunded: PaymentRecord = {
    ...withAllocations(current, kept),
    status: isAll ? 'refunded' : 'succeeded',
    amount_refunded: current.amount_refunded + amount,
    refunds: [...current.refunds, { amount, reason: reason ?? null, refunded_at: caller.nowSeconds }],
    refunded_at: isAll ? caller.nowSeconds : null,
    moved_on: caller.today,
  };
  const invoices = related.all<InvoiceRecord>('settled_invoices');
  return {
    after: refunded,
    verbs: ['refunded'],
    also: settleEach(related, current.id, current.allocations, kept, invoices, caller),
  };
}
