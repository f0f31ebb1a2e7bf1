import { addDays, today as todayIn, type Day } from '../../../core/calendar.ts';
import { ApiError, invalidParameter } from '../../../core/errors.ts';
import { judge, refuseFailed } from '../../../law/index.ts';
import type { Rules } from '../../../core/vocabulary/law-rules.ts';
import type { Caller } from '../../../model/callers/caller.ts';
import type { FieldsOf } from '../../../model/record.ts';
import type { Related } from '../../../model/related.ts';
import { amountMax } from '../../../model/schemas/money-schema.ts';
import type { Change, RecordChange } from '../../../model/resource.ts';
import { requireStatus, wrongStatus } from '../../../model/status.ts';
import type { Dawn } from '../../../model/traits/daybreak.ts';
import { owedMax, type TenancyRecord } from '../tenancy/fields.ts';
import type { PaymentRecord } from '../payment/fields.ts';
import { Changes, type Moved } from '../changes.ts';
import { freePayments, settleOldestDue, settleWithCredit, withPaidState, type Moment } from '../settlement.ts';
import { creditsMax, dueOf, isOwed, type InvoiceRecord, type Line } from './fields.ts';

/*
 *  draft ── finalize ──▶ open ── settled ──▶ paid ── due again ──▶ open
 *                        │  ╲
 *                        │   ╲── mark_uncollectible ──▶ uncollectible ── settled ──▶ paid
 *                        │                              │
 *                        └── void ──▶ void ◀── void ────┘
 */

/** The members that a draft has from its tenancy and its lines. */
export function drafted(made: FieldsOf<InvoiceRecord>, related: Related): FieldsOf<InvoiceRecord> {
  const tenancy = related.one<TenancyRecord>('tenancy')!;
  requireTenancy(tenancy);
  return { ...made, customers: tenancy.customers, currency: tenancy.rent.currency, total: totalOf(made.lines) };
}

/** @throws {ApiError} `parameter_invalid` if the tenancy never began. */
function requireTenancy({ id, status }: TenancyRecord): void {
  if (status !== 'canceled') return;
  throw invalidParameter('tenancy', `The tenancy ${id} is canceled, so its tenants owe nothing. Choose another one.`);
}

/**
 * Returns the sum of lines.
 *
 * @throws {ApiError} `parameter_invalid` if it is below 0 or too large.
 */
export function totalOf(lines: readonly Line[]): number {
  const total = lines.reduce((sum, { amount }) => sum + amount, 0);
  if (total < 0)
    throw invalidParameter(
      'lines',
      `The lines add up to ${total}. An invoice cannot be below 0: use \`credit\` on an earlier one.`,
    );
  if (total > amountMax)
    throw invalidParameter(
      'lines',
      `The lines add up to ${total}. An invoice can have at most ${amountMax}. Split it.`,
    );
  for (const [index, { period }] of lines.entries()) {
    if (period && period.end < period.start)
      throw invalidParameter(
        `lines[${index}][period][end]`,
        `The period ends on ${period.end}, before it starts on ${period.start}. Correct one of them.`,
      );
  }
  return total;
}

/** The links whose records a finalization reads. */
export const readsOfFinalization = [
  'tenancy',
  'tenancy.credit.payment',
  'lines.invoice',
  'lines.invoice.paying',
] as const;

/** The facts about a request, or about a day, that an invoice depends on. */
export interface Invoicing {
  /** In the time zone of the account. */
  today: string;
  nowSeconds: number;
  account: { rules: Rules; time_zone: string; invoice_prefix: string };
}

/** The records that an invoice depends on when it is finalized. */
export interface Surroundings {
  tenancy: TenancyRecord;
  /** The payments that can settle it. */
  payments: readonly PaymentRecord[];
  /** The invoices that its lines name. */
  named: readonly InvoiceRecord[];
  /** The payments that settle those. */
  namedPayments: readonly PaymentRecord[];
}

/** `POST /v1/invoices/{id}/finalize`, and the creation with `finalize`. */
export function finalizedNow(
  draft: InvoiceRecord,
  caller: Caller,
  related: Related,
): { after: InvoiceRecord; verbs: string[]; also: RecordChange[] } {
  const changes = new Changes(related);
  const tenancy = related.one<TenancyRecord>('tenancy')!;
  const payments = related.all<PaymentRecord>('tenancy.credit.payment');
  const named = related.all<InvoiceRecord>('lines.invoice');
  const namedPayments = related.all<PaymentRecord>('lines.invoice.paying');
  if (tenancy.status === 'canceled')
    throw wrongStatus(
      draft,
      'invoice',
      `Its tenancy ${tenancy.id} is canceled, so its tenants owe nothing. Delete it.`,
    );
  requireCurrency(draft, tenancy);
  requireRoomToOwe(tenancy);
  requireLines(draft, named);
  const { after, verbs } = finalized(draft, caller, { tenancy, payments, named, namedPayments }, changes);
  return { after, verbs, also: changes.all() };
}

/**
 * Makes a draft owed, and settles it with money that waits for it.
 *
 * @throws {ApiError} `check_failed`, before it moves a payment.
 */
export function finalized(
  draft: InvoiceRecord,
  invoicing: Invoicing,
  surroundings: Surroundings,
  changes: Changes,
): Moved<InvoiceRecord> {
  judgeInvoice(draft, invoicing, surroundings);
  const open: InvoiceRecord = {
    ...draft,
    status: 'open',
    finalized_at: invoicing.nowSeconds,
    moved_on: invoicing.today,
    number_prefix: invoicing.account.invoice_prefix,
  };
  const settled = settleWithCredit(open, surroundings.payments, invoicing, changes);
  const late = markOverdue(settled.after, invoicing.today);
  return { after: late.after, verbs: ['finalized', ...settled.verbs, ...late.verbs] };
}

/** @throws {ApiError} `status_transition_invalid` if the rent has got another currency since the draft. */
function requireCurrency(draft: InvoiceRecord, { id, rent }: TenancyRecord): void {
  if (draft.currency === rent.currency) return;
  throw wrongStatus(
    draft,
    'invoice',
    `It is in ${draft.currency}, and the rent of ${id} is in ${rent.currency} now. Delete it, and make a new one.`,
  );
}

/** @throws {ApiError} `limit_reached` if the tenants owe too many invoices. The tenancy lists them. */
function requireRoomToOwe({ id, owed }: TenancyRecord): void {
  if (owed.length < owedMax) return;
  throw new ApiError(
    'limit_reached',
    `The tenancy ${id} has ${owedMax} open invoices, the most that it can have. Record payments, or credit or void some.`,
    { param: 'tenancy' },
  );
}

/** @throws {ApiError} `parameter_invalid` if a line names an invoice of another tenancy, or interest one that is not owed. */
function requireLines({ tenancy, lines }: InvoiceRecord, invoices: readonly InvoiceRecord[]): void {
  for (const [index, { type, invoice: id }] of lines.entries()) {
    const named = invoices.find((invoice) => invoice.id === id);
    if (!named) continue;
    const param = `lines[${index}][invoice]`;
    if (named.tenancy !== tenancy)
      throw invalidParameter(param, `The invoice ${id} is of ${named.tenancy}. Name one of ${tenancy}.`);
    if (type === 'late_interest' && !isOwed(named))
      throw invalidParameter(
        param,
        `The invoice ${id} is \`${named.status}\`, so it cannot be late. Name one that is owed.`,
      );
  }
}

/** @throws {ApiError} `check_failed`. */
export function judgeInvoice(
  { lines, due_on: dueOn }: Pick<InvoiceRecord, 'lines' | 'due_on'>,
  { account, today }: Pick<Invoicing, 'account' | 'today'>,
  { tenancy, named, namedPayments }: Omit<Surroundings, 'payments'>,
): void {
  const { status, jurisdiction, type, signed_on: signedOn, start_date: startDate, rent } = tenancy;
  const rentIndex = lines.findIndex((line) => line.type === 'rent');
  refuseFailed(
    judge(account.rules, 'invoice', today, {
      jurisdiction,
      type,
      isSigned: status !== 'draft',
      rentParam: rentIndex < 0 ? null : `lines[${rentIndex}][type]`,
      signedOn,
      startDate,
      rentPeriods: rent,
      dueOn,
      lines: lines.map(({ type: lineType, period, invoice: id }) => {
        const about = named.find((invoice) => invoice.id === id);
        const isRent = about?.lines.some((line) => line.type === 'rent') === true;
        return {
          type: lineType,
          period,
          unpaidSince: isRent ? about.due_on : null,
          paidOn: about ? paidOn(about, namedPayments, account.time_zone) : null,
        };
      }),
    }),
  );
}

/** Returns the day on which the last money for an invoice came, which may be recorded later. Null while something is due. */
function paidOn({ id, paid_at: paidAt }: InvoiceRecord, payments: readonly PaymentRecord[], zone: string): Day | null {
  if (paidAt === null) return null;
  const days = payments.flatMap(({ settled_invoices: settled, received_on: receivedOn }) =>
    receivedOn !== null && settled.includes(id) ? [receivedOn] : [],
  );
  return days.toSorted().at(-1) ?? todayIn(paidAt, zone);
}

/** `POST /v1/invoices/{id}/finalize`. */
export function finalize(current: InvoiceRecord, caller: Caller, _: object, related: Related): Change<InvoiceRecord> {
  requireStatus(current, ['draft'], 'invoice', 'Only a draft can be finalized.');
  return finalizedNow(current, caller, related);
}

/** The links whose records a credit reads. */
export const readsOfCredit = ['paying', 'tenancy', 'tenancy.owed.invoice', 'tenancy.credit.payment'] as const;

/** `POST /v1/invoices/{id}/credit`. What was paid beyond the rest settles the oldest due invoices. */
export function credit(
  current: InvoiceRecord,
  caller: Caller,
  { amount, reason }: { amount: number; reason: string },
  related: Related,
): Change<InvoiceRecord> {
  requireStatus(
    current,
    ['open', 'uncollectible', 'paid'],
    'invoice',
    current.status === 'void'
      ? 'Nothing of a void invoice is owed. Credit another one.'
      : 'Only a finalized invoice can be credited. Update a draft instead.',
  );
  if (current.credits.length === creditsMax)
    throw invalidParameter(
      'amount',
      `The invoice ${current.id} has ${creditsMax} credits, the most that it can have. Credit another one.`,
    );
  const left = current.total - current.amount_credited;
  if (amount > left)
    throw new ApiError(
      'amount_exceeded',
      left === 0
        ? `The invoice ${current.id} has nothing left to credit: its total is ${current.total}, and ${current.amount_credited} is credited. Credit another invoice.`
        : `The invoice ${current.id} has ${left} that is not credited yet. Send an \`amount\` of at most ${left}.`,
      { param: 'amount' },
    );
  const changes = new Changes(related);
  const paying = related.all<PaymentRecord>('paying');
  const { after, verbs } = credited(current, { amount, reason }, paying, caller, changes);
  if (after.amount_paid < current.amount_paid) {
    const others = related.all<InvoiceRecord>('tenancy.owed.invoice').filter(({ id }) => id !== current.id);
    settleOldestDue(others, [...paying, ...freeBeside(paying, related)], caller, changes);
  }
  return { after, verbs, also: changes.all() };
}

/** Returns the payments of the tenancy that can settle more, without those that are known. */
function freeBeside(known: readonly PaymentRecord[], related: Related): PaymentRecord[] {
  const free = related.all<PaymentRecord>('tenancy.credit.payment');
  return free.filter(({ id }) => !known.some((one) => one.id === id));
}

/** Credits a part of an invoice. What was paid beyond the rest becomes free, from the newest payment on. */
export function credited(
  current: InvoiceRecord,
  { amount, reason }: { amount: number; reason: string },
  payments: readonly PaymentRecord[],
  moment: Moment,
  changes: Changes,
): Moved<InvoiceRecord> {
  const freed = freePayments(current, amount - dueOf(current), payments, changes);
  const after: InvoiceRecord = {
    ...freed,
    amount_credited: freed.amount_credited + amount,
    credits: [...freed.credits, { amount, reason, credited_at: moment.nowSeconds }],
    moved_on: moment.today,
  };
  const { after: settled, verbs } = withPaidState(after, moment);
  return { after: settled, verbs: ['credited', ...verbs] };
}

/** `POST /v1/invoices/{id}/void`. */
export function voidInvoice(
  current: InvoiceRecord,
  caller: Caller,
  { reason }: { reason: string },
): Change<InvoiceRecord> {
  requireStatus(
    current,
    ['open', 'uncollectible'],
    'invoice',
    'Only an open or uncollectible invoice can become void. Delete a draft, and credit a paid one.',
  );
  if (current.amount_paid > 0)
    throw wrongStatus(
      current,
      'invoice',
      `Payments have settled ${current.amount_paid} of it. Allocate them elsewhere first, or credit it.`,
    );
  return voided(current, reason, caller);
}

/** Takes an invoice back that nothing has settled. */
export function voided(current: InvoiceRecord, reason: string, { today, nowSeconds }: Moment): Moved<InvoiceRecord> {
  const after: InvoiceRecord = {
    ...current,
    status: 'void',
    overdue: false,
    void_reason: reason,
    voided_at: nowSeconds,
    moved_on: today,
  };
  return { after, verbs: ['voided'] };
}

/** `POST /v1/invoices/{id}/mark_uncollectible`. */
export function markUncollectible(current: InvoiceRecord, { nowSeconds }: Caller): Change<InvoiceRecord> {
  requireStatus(current, ['open'], 'invoice', 'Only an open invoice can become uncollectible.');
  return {
    after: { ...current, status: 'uncollectible', overdue: false, marked_uncollectible_at: nowSeconds },
    verbs: ['marked_uncollectible'],
  };
}

/** Returns the day on which an unpaid invoice becomes overdue. */
export function overdueOn({ status, overdue, due_on: dueOn }: InvoiceRecord): string | null {
  return status === 'open' && !overdue ? addDays(dueOn, 1) : null;
}

/** Marks an open invoice when its due date is past. */
export function atDawn(current: InvoiceRecord, { day }: Dawn): Change<InvoiceRecord> {
  return markOverdue(current, day);
}

function markOverdue(current: InvoiceRecord, day: string): Moved<InvoiceRecord> {
  if (current.status !== 'open' || current.overdue || current.due_on >= day) return { after: current, verbs: [] };
  return { after: { ...current, overdue: true }, verbs: ['overdue'] };
}
