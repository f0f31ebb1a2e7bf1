import type { Day } from '../../../core/calendar.ts';
import { ApiError, invalidParameter } from '../../../core/errors.ts';
import { judge, refuseFailed } from '../../../law/index.ts';
import type { Caller } from '../../../model/callers/caller.ts';
import type { FieldsOf } from '../../../model/record.ts';
import type { Related } from '../../../model/related.ts';
import type { Change } from '../../../model/resource.ts';
import { requireStatus, wrongStatus } from '../../../model/status.ts';
import { allocateOldestFirst, freeNewestFirst, sumOf } from '../../../rent/allocations.ts';
import { requireReceiptDay } from '../days.ts';
import type { DepositRecord } from '../deposit/fields.ts';
import { creditMax, type TenancyRecord } from '../tenancy/fields.ts';
import { dueOf, isOwed, payingMax, type InvoiceRecord } from '../invoice/fields.ts';
import { settleEach, takeBack, withAllocations, type Moment } from '../settlement.ts';
import { requireOfTenancy, requireReceivable, requireReversible } from './of-deposits.ts';
import {
  allocationsMax,
  refundableOf,
  refundsMax,
  unallocatedOf,
  type Allocation,
  type PaymentRecord,
} from './fields.ts';

/*
 *  pending ── succeed ──▶ succeeded ── refund of all ──▶ refunded
 *     │ ╲                    │
 *     │  ╲──── fail ─────────┴──▶ failed
 *     └── cancel ──▶ canceled
 */

/** The links whose records decide what a payment settles. */
export const readsOfSettling = ['tenancy', 'tenancy.owed.invoice'] as const;

/** Checks a new payment, and completes it from its tenancy or its deposit. */
export function received(made: FieldsOf<PaymentRecord>, caller: Caller, related: Related): FieldsOf<PaymentRecord> {
  const { currency } =
    made.deposit === null ? related.one<TenancyRecord>('tenancy')!.rent : related.one<DepositRecord>('deposit')!;
  if (made.provider !== null) return { ...made, currency };
  if (made.status === 'pending') {
    if (made.received_on === null) return { ...made, currency };
    throw invalidParameter(
      'received_on',
      'The money of a pending payment has not come. Leave `received_on` out, and send it to `succeed` when the money has come.',
    );
  }
  const receivedOn = made.received_on ?? caller.today;
  requireReceiptDay(receivedOn, caller);
  return { ...made, received_on: receivedOn, currency };
}

/** Settles invoices with a payment whose money has come: the named ones, or the oldest. */
export function succeeded(
  payment: PaymentRecord,
  wanted: readonly Allocation[] | null,
  caller: Caller,
  related: Related,
): Change<PaymentRecord> {
  if (payment.deposit !== null) {
    requireReceivable(payment, caller, related);
    return { after: cameIn(payment, caller) };
  }
  const tenancy = related.one<TenancyRecord>('tenancy')!;
  requireCurrency(payment, tenancy);
  requireLawful(tenancy, payment.received_on ?? caller.today, caller, { ofTenancy: 'tenancy', ofDay: 'received_on' });
  const change = settled(payment, wanted, caller, related);
  requireRoomForCredit(tenancy, unallocatedOf(change.after), 'tenancy');
  return change;
}

/**
 * Requires that tenants may pay on a day.
 *
 * @param params the parameters that name the tenancy and the day.
 * @throws {ApiError} `check_failed` if the tenancy was not signed by then.
 */
export function requireLawful(
  { status, jurisdiction, type, signed_on: signedOn }: TenancyRecord,
  paidOn: Day,
  { account, today }: Caller,
  params: { ofTenancy: string; ofDay: string },
): void {
  const isEarly = signedOn !== null && paidOn < signedOn;
  refuseFailed(
    // The law of the signing applies to money that came before it.
    judge(account.rules, 'pay', isEarly ? signedOn : today, {
      jurisdiction,
      type,
      isSigned: status !== 'draft' && !isEarly,
      signedOn,
      rentParam: isEarly ? params.ofDay : params.ofTenancy,
    }),
  );
}

/** Returns the payment after its money has come. */
function cameIn(payment: PaymentRecord, { nowSeconds, today }: Moment): PaymentRecord {
  return { ...payment, status: 'succeeded', succeeded_at: nowSeconds, moved_on: today };
}

/** Settles invoices with money that has come: the named ones, or the oldest. Nothing refuses it but wrong allocations. */
export function settled(
  payment: PaymentRecord,
  wanted: readonly Allocation[] | null,
  moment: Moment,
  related: Related,
): Change<PaymentRecord> {
  const came = cameIn(payment, moment);
  const open = related.all<InvoiceRecord>('tenancy.owed.invoice').filter((invoice) => invoice.status === 'open');
  const allocations = wanted ?? oldestFirst(came.amount, open);
  const named = wanted === null ? open : related.all<InvoiceRecord>('allocations.invoice');
  if (wanted) requireAllocations(came, wanted, [], named);
  return {
    after: withAllocations(came, allocations),
    also: settleEach(related, payment.id, [], allocations, named, moment),
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

/**
 * Requires that the tenancy can list one more payment that has settled less than it can.
 *
 * @param param the parameter that names the tenancy.
 * @throws {ApiError} `limit_reached` if it lists too many.
 */
export function requireRoomForCredit({ id, credit }: TenancyRecord, left: number, param: string): void {
  if (left === 0 || credit.length < creditMax) return;
  throw new ApiError(
    'limit_reached',
    `The tenancy ${id} has ${creditMax} payments that settle nothing yet, the most that it can have. Refund some, or finalize invoices that they settle.`,
    { param },
  );
}

/** Returns how money settles open invoices, the oldest due first. */
export function oldestFirst(amount: number, open: readonly InvoiceRecord[]): Allocation[] {
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
export function succeed(
  current: PaymentRecord,
  caller: Caller,
  { received_on: receivedOn }: { received_on?: string | null },
  related: Related,
): Change<PaymentRecord> {
  requireManual(current);
  requireStatus(current, ['pending'], 'payment', 'Only a pending payment can succeed.');
  const came = { ...current, received_on: receivedOn ?? caller.today };
  requireReceiptDay(came.received_on, caller);
  return { ...succeeded(came, null, caller, related), verbs: ['succeeded'] };
}

/** `POST /v1/payments/{id}/allocate`. */
export function allocate(
  current: PaymentRecord,
  caller: Caller,
  { allocations }: { allocations: Allocation[] },
  related: Related,
): Change<PaymentRecord> {
  requireOfTenancy(current);
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
  requireManual(current);
  requireStatus(current, ['pending', 'succeeded'], 'payment', 'Only a pending or succeeded payment can fail.');
  requireReversible(current, related);
  return failed(current, { code, message: message ?? null }, caller, related);
}

/** Records that money did not come, or that it bounced. Other free money settles what it settled, or the invoices are open again. */
export function failed(
  current: PaymentRecord,
  failure: NonNullable<PaymentRecord['failure']>,
  moment: Moment,
  related: Related,
): Change<PaymentRecord> {
  const after: PaymentRecord = {
    ...withAllocations(current, []),
    status: 'failed',
    failure,
    failed_at: moment.nowSeconds,
    succeeded_at: null,
    moved_on: moment.today,
  };
  return { after, verbs: ['failed'], also: takeBack(related, current, [], moment) };
}

/** @throws {ApiError} `status_transition_invalid` if a gateway collects the payment. Only the gateway knows whether money moved. */
function requireManual(current: PaymentRecord): void {
  if (current.provider === null) return;
  throw wrongStatus(
    current,
    'payment',
    `Its provider, ${current.provider}, moves it: it succeeds or fails when the gateway says so. In a sandbox, use the test helpers.`,
  );
}

/** Returns the payment as canceled. */
export function canceled(current: PaymentRecord, nowSeconds: number): Change<PaymentRecord> {
  return { after: { ...current, status: 'canceled', canceled_at: nowSeconds }, verbs: ['canceled'] };
}

export interface RefundInput {
  amount: number;
  reason?: string | null;
}

/** Returns the payment with a refund that is to be made. */
export function withRefundWanted(current: PaymentRecord, { amount, reason }: RefundInput): PaymentRecord {
  requireOfTenancy(current);
  requireStatus(current, ['succeeded'], 'payment', 'Only a payment that succeeded can be refunded.');
  if (current.refunds.length === refundsMax)
    throw invalidParameter(
      'amount',
      `The payment ${current.id} has ${refundsMax} refunds, the most that it can have. Refund another one.`,
    );
  const left = refundableOf(current);
  if (amount > left)
    throw new ApiError(
      'amount_exceeded',
      left === 0
        ? `The payment ${current.id} has nothing left to refund. Wait for the pending refunds: what fails can be refunded again.`
        : `The payment ${current.id} has ${left} left. Send an \`amount\` of at most ${left}.`,
      { param: 'amount' },
    );
  const wanted = { amount, reason: reason ?? null, status: 'pending' as const, failure: null, refunded_at: null };
  return { ...current, refunds: [...current.refunds, wanted] };
}

/** Records that the money of a refund went back: first what settles nothing, then the newest allocations. */
export function refunded(
  current: PaymentRecord,
  index: number,
  moment: Moment,
  related: Related,
): Change<PaymentRecord> {
  const { amount } = current.refunds[index]!;
  const kept = freeNewestFirst(current.allocations, Math.max(0, amount - unallocatedOf(current)));
  const amountRefunded = current.amount_refunded + amount;
  const isAll = amountRefunded === current.amount;
  const after: PaymentRecord = {
    ...withAllocations(current, kept),
    status: isAll ? 'refunded' : 'succeeded',
    amount_refunded: amountRefunded,
    refunds: current.refunds.map((refund, at) =>
      at === index ? { ...refund, status: 'succeeded', refunded_at: moment.nowSeconds } : refund,
    ),
    refunded_at: isAll ? moment.nowSeconds : null,
    moved_on: moment.today,
  };
  return { after, verbs: ['refunded'], also: takeBack(related, current, kept, moment) };
}
