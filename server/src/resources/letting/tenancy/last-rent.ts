import { creditAfter } from '../../../rent/charges.ts';
import type { Day } from '../../../core/calendar.ts';
import { invalidParameter } from '../../../core/errors.ts';
import type { Related } from '../../../model/related.ts';
import type { RecordChange } from '../../../model/resource.ts';
import { Changes, type Moved } from '../changes.ts';
import { dayInWords } from '../days.ts';
import { chargedUntil, isOwed, rentLines, type InvoiceRecord } from '../invoice/fields.ts';
import { credited, voided } from '../invoice/moves.ts';
import type { PaymentRecord } from '../payment/fields.ts';
import { settleOldestDue, type Moment } from '../settlement.ts';
import type { SubscriptionRecord } from '../subscription/fields.ts';
import { ended } from '../subscription/moves.ts';
import { invoicePeriods, type RentRun } from '../subscription/run.ts';
import { chargedMax, type TenancyRecord } from './fields.ts';

/*
 * The rent after the end. Tenants owe no rent for days after the last one (Housing Act 1988 s14ZC). So invoices of later periods become void,
 * or are credited if money has settled them. Of the last period, the days after the end are credited. The same holds for rent that a request
 * invoiced, if its lines name their days.
 */

/** The links whose records an end reads. */
export const readsOfLastRent = [
  'subscriptions',
  'credit.payment',
  'owed.invoice',
  'charged.invoice',
  'charged.invoice.paying',
] as const;

/**
 * Takes back the rent after the last day, invoices what is missing before it, and ends the subscriptions. Money that became free settles
 * what is due.
 *
 * @param lastDay the day before the first one if the tenancy never began.
 * @param reason why the rent of later days is not owed, in a sentence.
 */
export function settleLastRent(
  tenancy: TenancyRecord,
  lastDay: Day,
  run: RentRun,
  related: Related,
  reason = `The tenancy ended on ${dayInWords(lastDay)}.`,
): RecordChange[] {
  const changes = new Changes(related);
  const settling = related.all<PaymentRecord>('charged.invoice.paying');
  const free = related.all<PaymentRecord>('credit.payment').filter(({ id }) => !settling.some((one) => one.id === id));
  const payments = [...free, ...settling];
  const charged = related.all<InvoiceRecord>('charged.invoice');
  for (const invoice of charged) {
    const moved = withoutDaysAfter(invoice, { lastDay, reason }, settling, run, changes);
    if (moved) changes.move(invoice, moved);
  }
  if (charged.some((invoice) => changes.now(invoice).amount_paid < invoice.amount_paid))
    settleOldestDue(related.all<InvoiceRecord>('owed.invoice'), payments, run, changes);
  const over = { ...tenancy, end_date: lastDay };
  for (const subscription of related.all<SubscriptionRecord>('subscriptions')) {
    const isPaused = subscription.status === 'paused';
    const surroundings = { tenancy: over, payments };
    const last = invoicePeriods(subscription, run, surroundings, changes, () => !isPaused);
    changes.move(subscription, { after: ended(last, lastDay, run.nowSeconds), verbs: ['ended'] });
  }
  return changes.all();
}

/** Returns an invoice without its charge for days after the last one, or null if it has none. */
function withoutDaysAfter(
  invoice: InvoiceRecord,
  { lastDay, reason }: { lastDay: Day; reason: string },
  payments: readonly PaymentRecord[],
  moment: Moment,
  changes: Changes,
): Moved<InvoiceRecord> | null {
  const { total, amount_paid: paid, amount_credited: before, status } = invoice;
  const until = chargedUntil(invoice);
  if (until === null || until <= lastDay || !isOwed(invoice)) return null;
  if (isForLaterDays(invoice, lastDay) && paid === 0 && status !== 'paid') return voided(invoice, reason, moment);
  const amount = Math.min(unusedOf(invoice, lastDay), total - before);
  return amount > 0 ? credited(invoice, { amount, reason }, payments, moment, changes) : null;
}

/** Returns whether the whole invoice is for days after the last one. */
function isForLaterDays({ subscription, period, lines }: InvoiceRecord, lastDay: Day): boolean {
  if (subscription !== null) return period !== null && period.start > lastDay;
  return lines.every(({ type, period: days }) => type === 'rent' && days !== null && days.start > lastDay);
}

/** Returns what an invoice charges for days after the last one. A discount counts against it. */
function unusedOf({ period, charge, lines }: InvoiceRecord, lastDay: Day): number {
  if (period && charge) return creditAfter(charge.amount, { ...period, full: charge.full }, lastDay);
  return rentLines({ lines }).reduce(
    (sum, { amount, period: days }) =>
      sum + Math.sign(amount) * creditAfter(Math.abs(amount), { ...days, full: days }, lastDay),
    0,
  );
}

/** @throws {ApiError} `parameter_invalid` if more invoices are of later days than the tenancy remembers. */
export function requireKnownCharges({ id, charged }: TenancyRecord, lastDay: Day): void {
  const [oldest] = charged;
  if (charged.length < chargedMax || !oldest || oldest.end <= lastDay) return;
  throw invalidParameter(
    'ended_on',
    `The tenancy ${id} has more than ${chargedMax} invoices of days after ${lastDay}. Send a later day, and credit the invoices between by hand.`,
  );
}
