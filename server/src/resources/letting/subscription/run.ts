import { addDays, type Day } from '../../../core/calendar.ts';
import { ApiError } from '../../../core/errors.ts';
import type { Id, IdPrefix } from '../../../core/ids.ts';
import { newRecord } from '../../../model/change.ts';
import type { Related } from '../../../model/related.ts';
import { chargeOf, dueOn, invoicedOn, type InvoiceTiming } from '../../../rent/charges.ts';
import { rentPeriodAt, type RentPeriod } from '../../../rent/periods.ts';
import type { Changes, Moved } from '../changes.ts';
import { dayInWords, earlier, later } from '../days.ts';
import type { InvoiceRecord } from '../invoice/fields.ts';
import type { PaymentRecord } from '../payment/fields.ts';
import { invoice } from '../invoice/index.ts';
import { finalized, type Invoicing, type Surroundings } from '../invoice/moves.ts';
import type { TenancyRecord } from '../tenancy/fields.ts';
import type { SubscriptionRecord } from './fields.ts';

/*
 * The rent run. A subscription remembers the first day that is not invoiced, and each invoice moves that day on. So a period is invoiced
 * once, in the mutation that moves the day.
 */

/** The facts that an invoice of a subscription depends on. */
export type RentRun = Invoicing & { makeId<Prefix extends IdPrefix>(prefix: Prefix): Id<Prefix> };

/** The links whose records an invoice of a subscription depends on. */
export const readsOfRun = ['tenancy', 'tenancy.credit.payment'] as const;

/**
 * Invoices the next periods, one after the other, while they are wanted. The end of the tenancy, as far as it is known, is the end of the
 * last period. An invoice that the law has come to forbid stays a draft, so that a person decides.
 *
 * @returns the subscription with the day of its next invoice.
 */
export function invoicePeriods(
  current: SubscriptionRecord,
  run: RentRun,
  { tenancy, payments }: Pick<Surroundings, 'tenancy' | 'payments'>,
  changes: Changes,
  isWanted: (period: RentPeriod) => boolean,
): SubscriptionRecord {
  let after = current;
  for (;;) {
    const period = nextPeriod(after, tenancy);
    if (!period || !isWanted(period)) break;
    const draft = draftOf(after, period, tenancy, run);
    changes.make(invoice, finalizedOrDraft(draft, run, { tenancy, payments, named: [], namedPayments: [] }, changes));
    after = { ...after, next_period_start: addDays(period.end, 1) };
  }
  return withNextInvoice(after, tenancy, run.today);
}

/** Returns what an invoice of a subscription depends on, as `readsOfRun` reads it. */
export function runSurroundings(
  tenancy: TenancyRecord,
  related: Related,
): { tenancy: TenancyRecord; payments: readonly PaymentRecord[] } {
  return { tenancy, payments: related.all<PaymentRecord>('tenancy.credit.payment') };
}

/** Tells whether the day has come on which a period is invoiced. */
export function isDue(subscription: SubscriptionRecord, tenancy: TenancyRecord, today: Day) {
  return (period: RentPeriod): boolean => invoiceDayOf(subscription, period, tenancy) <= today;
}

/** Returns the next period that is not invoiced, or null if there is none. */
export function nextPeriod(subscription: SubscriptionRecord, tenancy: TenancyRecord | null): RentPeriod | null {
  const { next_period_start: next, end_date: end } = subscription;
  if (next === null) return null;
  return periodOf(subscription, next, earlier(end, tenancy?.end_date ?? null));
}

/** Returns the period that contains a day, with this last day of all periods. */
export function periodOf(subscription: SubscriptionRecord, day: Day, end: Day | null): RentPeriod | null {
  const { start_date: start, interval, interval_count: intervalCount, anchor_day: anchorDay } = subscription;
  const period = rentPeriodAt({ start, end, interval, intervalCount, anchorDay }, day);
  // A day within a period begins a part of it: the days before are invoiced already.
  return period && period.start < day ? { ...period, start: day } : period;
}

/** Sets the day of the next invoice. The end of the tenancy counts as unknown here, because a notice can be withdrawn. */
export function withNextInvoice(
  subscription: SubscriptionRecord,
  tenancy: TenancyRecord,
  today: Day,
): SubscriptionRecord {
  const period = nextPeriod(subscription, null);
  if (!period) return { ...subscription, next_period_start: null, next_invoice_on: null };
  if (subscription.status === 'paused') return { ...subscription, next_invoice_on: null };
  const day = invoiceDayOf(subscription, period, tenancy);
  // The tenancy ends first. If it goes on after all, the period is invoiced on the day after that end.
  const waits = day > today ? day : later(addDays(tenancy.end_date ?? today, 1), addDays(today, 1));
  return { ...subscription, next_invoice_on: waits };
}

/**
 * Sets the day of the next invoice, after the tenancy got a later end or none. If that day has passed, the daybreak of today invoices the
 * period.
 */
export function withLaterEnd(subscription: SubscriptionRecord, tenancy: TenancyRecord, today: Day): SubscriptionRecord {
  const period = nextPeriod(subscription, tenancy);
  if (!period || subscription.status === 'paused') return withNextInvoice(subscription, tenancy, today);
  return { ...subscription, next_invoice_on: later(invoiceDayOf(subscription, period, tenancy), today) };
}

function invoiceDayOf(subscription: SubscriptionRecord, period: RentPeriod, tenancy: TenancyRecord): Day {
  return invoicedOn(period, timingOf(subscription), tenancy.signed_on ?? period.start);
}

function timingOf({ due_after: dueAfter, invoice_before: invoiceBefore }: SubscriptionRecord): InvoiceTiming {
  return { dueAfter, invoiceBefore };
}

/** Returns the amount of a full period that begins on this day. */
function amountOn({ amount, scheduled_change: change }: SubscriptionRecord, day: Day): number {
  return change && day >= change.effective_on ? change.amount : amount;
}

/** With the days behind it, a line has at most 500 characters. */
const title = /^.{0,440}/su;

function shortened(text: string): string {
  const [start] = title.exec(text)!;
  return start === text ? text : `${start}…`;
}

const titles = { rent: 'Rent', service: 'Service' };

/** Returns the invoice of a period, as a draft. */
export function draftOf(
  subscription: SubscriptionRecord,
  period: RentPeriod,
  tenancy: TenancyRecord,
  { makeId }: Pick<RentRun, 'makeId'>,
): InvoiceRecord {
  const { id, account_id: accountId, type, line_type: lineType, description, currency } = subscription;
  const { start, end, full } = period;
  const amount = amountOn(subscription, start);
  const total = chargeOf(amount, period);
  const words = `${shortened(description ?? titles[type])}, ${dayInWords(start)} to ${dayInWords(end)}`;
  return {
    ...newRecord(makeId('in'), accountId),
    tenancy: tenancy.id,
    lines: [{ type: lineType, description: words, amount: total, period: { start, end }, invoice: null }],
    due_on: dueOn(period, timingOf(subscription)),
    subscription: id,
    period: { start, end },
    customers: tenancy.customers,
    number: null,
    currency,
    total,
    amount_paid: 0,
    amount_credited: 0,
    credits: [],
    overdue: false,
    void_reason: null,
    status: 'draft',
    finalized_at: null,
    paid_at: null,
    voided_at: null,
    marked_uncollectible_at: null,
    paying: [],
    period_start: start,
    charge: { amount, full },
    moved_on: null,
    metadata: {},
  };
}

function finalizedOrDraft(
  draft: InvoiceRecord,
  run: RentRun,
  surroundings: Surroundings,
  changes: Changes,
): Moved<InvoiceRecord> {
  try {
    return finalized(draft, run, surroundings, changes);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'check_failed') return { after: draft, verbs: [] };
    throw error;
  }
}
