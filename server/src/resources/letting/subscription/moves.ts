import { addDays, type Day } from '../../../core/calendar.ts';
import { invalidParameter } from '../../../core/errors.ts';
import type { Caller } from '../../../model/callers/caller.ts';
import type { Related } from '../../../model/related.ts';
import type { Change } from '../../../model/resource.ts';
import { requireStatus } from '../../../model/status.ts';
import type { Dawn } from '../../../model/traits/daybreak.ts';
import type { RentPeriod } from '../../../rent/periods.ts';
import { Changes } from '../changes.ts';
import type { TenancyRecord } from '../tenancy/fields.ts';
import { withDueChange } from './amount.ts';
import type { SubscriptionRecord } from './fields.ts';
import { invoicePeriods, isDue, nextPeriod, runSurroundings, withNextInvoice, type RentRun } from './run.ts';

/*
 *  scheduled ── start_date ──▶ active ── pause ──▶ paused ── resume, resume_on ──▶ active
 *      │                         │                   │
 *      └──── end_date is past, the end of the tenancy ─────▶ ended
 */

/** `POST /v1/subscriptions/{id}/pause`. Periods that have begun are still invoiced. */
export function pause(
  current: SubscriptionRecord,
  caller: Caller,
  { resume_on: resumeOn }: { resume_on?: string | null },
  related: Related,
): Change<SubscriptionRecord> {
  requireStatus(current, ['active'], 'subscription', 'Only an active one can be paused.');
  if (resumeOn && resumeOn <= caller.today)
    throw invalidParameter('resume_on', `Today is ${caller.today}. Send a later day, or leave it out.`);
  const changes = new Changes(related);
  const tenancy = related.one<TenancyRecord>('tenancy')!;
  const hasBegun = (period: RentPeriod): boolean => period.start <= caller.today;
  const invoiced = invoicePeriods(current, caller, runSurroundings(tenancy, related), changes, hasBegun);
  const paused: SubscriptionRecord = {
    ...invoiced,
    status: 'paused',
    paused_at: caller.nowSeconds,
    resume_on: resumeOn ?? null,
  };
  return {
    after: withNextInvoice(paused, tenancy, caller.today),
    verbs: ['paused'],
    also: changes.all(),
  };
}

/** `POST /v1/subscriptions/{id}/resume`. */
export function resume(
  current: SubscriptionRecord,
  caller: Caller,
  _: object,
  related: Related,
): Change<SubscriptionRecord> {
  requireStatus(current, ['paused'], 'subscription', 'Only a paused one can be resumed.');
  const changes = new Changes(related);
  const { after, verbs } = resumed(current, caller, related, changes);
  return { after, verbs, also: changes.all() };
}

/** Skips the periods that began during the pause, and invoices those whose day has come. */
function resumed(
  current: SubscriptionRecord,
  run: RentRun,
  related: Related,
  changes: Changes,
): { after: SubscriptionRecord; verbs: string[] } {
  const tenancy = related.one<TenancyRecord>('tenancy')!;
  let after: SubscriptionRecord = { ...current, status: 'active', paused_at: null, resume_on: null };
  for (;;) {
    const period = nextPeriod(after, null);
    if (!period || period.start >= run.today) break;
    after = { ...after, next_period_start: addDays(period.end, 1) };
  }
  const isWanted = isDue(after, tenancy, run.today);
  return {
    after: invoicePeriods(after, run, runSurroundings(tenancy, related), changes, isWanted),
    verbs: ['resumed'],
  };
}

/** `POST /v1/subscriptions/{id}/cancel`. A scheduled change that would come after the last day is canceled with it. */
export function cancel(
  current: SubscriptionRecord,
  caller: Caller,
  { end_date: wanted }: { end_date?: string | null },
): Change<SubscriptionRecord> {
  requireStatus(current, ['scheduled', 'active', 'paused'], 'subscription', 'It has ended already.');
  const { next_period_start: next, end_date: known, start_date: start } = current;
  const invoicedTo = next === null ? known! : addDays(next, -1);
  const end = wanted ?? invoicedTo;
  if (end < invoicedTo)
    throw invalidParameter(
      'end_date',
      `The days to ${invoicedTo} are invoiced. Send that day or a later one, and credit the invoice for days before.`,
    );
  if (known !== null && end > known)
    throw invalidParameter('end_date', `It ends on ${known}. Send that day or an earlier one.`);
  const { scheduled_change: change } = current;
  const isTooLate = change !== null && change.effective_on > end;
  const canceled: SubscriptionRecord = { ...current, end_date: end, scheduled_change: isTooLate ? null : change };
  const verbs = isTooLate ? ['change_canceled'] : [];
  // A new day invoices what is left, and then ends it.
  if (nextPeriod(canceled, null) !== null) return { after: canceled, verbs };
  if (end < caller.today || end < start)
    return { after: ended(canceled, end, caller.nowSeconds), verbs: [...verbs, 'ended'] };
  return { after: { ...canceled, next_period_start: null, next_invoice_on: null }, verbs };
}

/** Returns the subscription after its last day. */
export function ended(current: SubscriptionRecord, endDate: Day, nowSeconds: number): SubscriptionRecord {
  return {
    ...current,
    status: 'ended',
    end_date: endDate,
    ended_at: nowSeconds,
    scheduled_change: null,
    resume_on: null,
    paused_at: null,
    next_period_start: null,
    next_invoice_on: null,
  };
}

/** Returns the next day on which the subscription changes or invoices. */
export function nextOn(subscription: SubscriptionRecord): Day | null {
  const { status, start_date: start, end_date: end, next_invoice_on: invoiceOn } = subscription;
  if (status === 'ended') return null;
  const days = [invoiceOn, subscription.resume_on, subscription.scheduled_change?.effective_on ?? null];
  if (status === 'scheduled') days.push(start);
  if (end !== null) days.push(addDays(end, 1));
  return days.filter((day) => day !== null).toSorted()[0] ?? null;
}

/** Starts, resumes, changes, invoices and ends a subscription when a day begins. */
export function atDawn(current: SubscriptionRecord, dawn: Dawn, related: Related): Change<SubscriptionRecord> {
  const { day, nowSeconds } = dawn;
  const run: RentRun = { ...dawn, today: day };
  const tenancy = related.one<TenancyRecord>('tenancy')!;
  const changes = new Changes(related);
  const verbs: string[] = [];
  let after = current;
  if (after.status === 'scheduled' && after.start_date <= day) {
    after = { ...after, status: 'active', activated_at: nowSeconds };
    verbs.push('activated');
  }
  const changed = withDueChange(after, run, related, changes);
  after = changed.after;
  verbs.push(...changed.verbs);
  if (after.status === 'paused' && after.resume_on !== null && after.resume_on <= day) {
    const again = resumed(after, run, related, changes);
    after = again.after;
    verbs.push(...again.verbs);
  }
  const isOver = after.end_date !== null && after.end_date < day;
  if (after.status !== 'paused') {
    const isWanted = isOver ? () => true : isDue(after, tenancy, day);
    after = invoicePeriods(after, run, runSurroundings(tenancy, related), changes, isWanted);
  }
  if (isOver) {
    after = ended(after, after.end_date!, nowSeconds);
    verbs.push('ended');
  }
  return { after, verbs, also: changes.all() };
}
