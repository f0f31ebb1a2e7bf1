import { addDays, weekday, type Day } from '../../../core/calendar.ts';
import { ApiError, invalidParameter } from '../../../core/errors.ts';
import { isWithin, judge, refuseFailed } from '../../../law/index.ts';
import type { Caller } from '../../../model/caller.ts';
import type { FieldsOf } from '../../../model/record.ts';
import type { Related } from '../../../model/related.ts';
import type { Change } from '../../../model/resource.ts';
import { requireStatus, wrongStatus } from '../../../model/status.ts';
import type { Dawn } from '../../../model/traits/daybreak.ts';
import type { RentPeriod } from '../../../rent/periods.ts';
import { Changes } from '../changes.ts';
import { requirePast } from '../days.ts';
import { judgeInvoice } from '../invoice/moves.ts';
import type { PaymentRecord } from '../payment/fields.ts';
import { subscriptionsMax, type TenancyRecord } from '../tenancy/fields.ts';
import type { ScheduledChange, SubscriptionRecord } from './fields.ts';
import { draftOf, invoicePeriods, isDue, nextPeriod, periodOf, withNextInvoice, type RentRun } from './run.ts';

/*
 *  scheduled ── start_date ──▶ active ── pause ──▶ paused ── resume, resume_on ──▶ active
 *      │                         │                   │
 *      └──── end_date is past, the end of the tenancy ─────▶ ended
 */

/** The links whose records an invoice of a subscription depends on. */
export const readsOfRun = ['tenancy', 'tenancy.credit.payment'] as const;

/** A new subscription invoices no more periods of the past at once. */
const backlogMax = 36;

type Wanted = { [Name in keyof FieldsOf<SubscriptionRecord>]: FieldsOf<SubscriptionRecord>[Name] | null };

/** Completes a new subscription from its tenancy. */
export function completed(
  made: FieldsOf<SubscriptionRecord>,
  caller: Caller,
  related: Related,
): FieldsOf<SubscriptionRecord> {
  const tenancy = related.one<TenancyRecord>('tenancy')!;
  requireLet(tenancy);
  const { rent } = tenancy;
  // A body leaves these out to have them as the rent has them.
  const wanted: Wanted = made;
  const isRent = made.type === 'rent';
  if (!isRent && wanted.amount === null)
    throw invalidParameter('amount', 'A service must have an `amount`: the price of a full period.');
  if (isRent && wanted.line_type !== null)
    throw invalidParameter(
      'line_type',
      'A rent has lines of type `rent`. Leave `line_type` out, or send `type: service`.',
    );
  const start = wanted.start_date ?? tenancy.start_date;
  const interval = wanted.interval ?? rent.interval;
  const full: FieldsOf<SubscriptionRecord> = {
    ...made,
    line_type: isRent ? 'rent' : (wanted.line_type ?? 'other'),
    amount: wanted.amount ?? rent.amount,
    currency: rent.currency,
    interval,
    interval_count: wanted.interval_count ?? rent.interval_count,
    start_date: start,
    anchor_day: wanted.anchor_day ?? (interval === 'week' ? weekday(start) : Number(start.slice(8))),
    status: start <= caller.today ? 'active' : 'scheduled',
    activated_at: start <= caller.today ? caller.nowSeconds : null,
    next_period_start: start,
  };
  requireTerms(full, tenancy);
  return full;
}

/** @throws {ApiError} `parameter_invalid` if the tenancy is a draft or over. */
function requireLet({ id, status, subscriptions }: TenancyRecord): void {
  if (status === 'draft' || status === 'canceled' || status === 'ended')
    throw invalidParameter(
      'tenancy',
      `The tenancy ${id} is \`${status}\`. ${status === 'draft' ? 'Sign it first.' : 'Use an invoice for what is still owed.'}`,
    );
  if (subscriptions.length >= subscriptionsMax)
    throw new ApiError(
      'limit_reached',
      `The tenancy ${id} has ${subscriptionsMax} subscriptions, the most that it can have. Cancel one first.`,
      { param: 'tenancy' },
    );
}

/** @throws {ApiError} `parameter_invalid`. */
function requireTerms(made: FieldsOf<SubscriptionRecord>, { id, rent, start_date, end_date }: TenancyRecord): void {
  const { type, amount, currency, interval, interval_count: count, start_date: start, end_date: end } = made;
  if (start < start_date || (end_date !== null && start > end_date))
    throw invalidParameter(
      'start_date',
      `The tenancy ${id} goes from ${start_date}${end_date === null ? ' on' : ` to ${end_date}`}. Send a day of it.`,
    );
  if (end !== null && end < start)
    throw invalidParameter('end_date', `\`end_date\` is before the first day, ${start}. Send that day or a later one.`);
  if (interval === 'week' && made.anchor_day > 7)
    throw invalidParameter('anchor_day', 'A week has the days 1 (Monday) to 7 (Sunday). Send one of them.');
  if (type !== 'rent') return;
  if (interval !== rent.interval || count !== rent.interval_count)
    throw invalidParameter(
      interval === rent.interval ? 'interval_count' : 'interval',
      `The rent of the tenancy ${id} is for each ${rent.interval_count} ${rent.interval}. Leave \`interval\` and \`interval_count\` out.`,
    );
  if (!isWithin({ amount, currency, interval, interval_count: count }, rent))
    throw invalidParameter(
      'amount',
      `The rent of the tenancy ${id} is ${rent.amount}. Send at most that, and raise it later with \`change_amount\`.`,
    );
}

/**
 * Invoices the periods of a new subscription whose day has come.
 *
 * @throws {ApiError} `check_failed` if the law forbids its invoices, or `parameter_invalid` if they are too many.
 */
export function invoicedAtOnce(
  made: SubscriptionRecord,
  caller: Caller,
  related: Related,
): Pick<Change<SubscriptionRecord>, 'after' | 'also' | 'verbs'> {
  const tenancy = related.one<TenancyRecord>('tenancy')!;
  const first = nextPeriod(made, tenancy)!;
  judgeInvoice(draftOf(made, first, tenancy, caller), caller, { tenancy, named: [] });
  let left = backlogMax;
  const isWanted = isDue(made, tenancy, caller.today);
  const changes = new Changes(related);
  const after = invoicePeriods(made, caller, surroundings(tenancy, related), changes, (period) => {
    if (!isWanted(period)) return false;
    if (left-- > 0) return true;
    throw invalidParameter(
      'start_date',
      `More than ${backlogMax} periods would be invoiced at once. Send a later day, and invoice what was before by hand.`,
    );
  });
  return { after, also: changes.all(), ...(made.status === 'active' && { verbs: ['activated'] }) };
}

function surroundings(
  tenancy: TenancyRecord,
  related: Related,
): { tenancy: TenancyRecord; payments: readonly PaymentRecord[] } {
  return { tenancy, payments: related.all<PaymentRecord>('tenancy.credit.payment') };
}

export interface ChangeInput {
  amount: number;
  effective_on: string;
  basis: ScheduledChange['basis'];
  served_on?: string | null;
}

/** `POST /v1/subscriptions/{id}/change_amount`. */
export function changeAmount(
  current: SubscriptionRecord,
  caller: Caller,
  { amount, effective_on: effectiveOn, basis, served_on: served }: ChangeInput,
  related: Related,
): Change<SubscriptionRecord> {
  requireStatus(current, ['scheduled', 'active', 'paused'], 'subscription', 'Only a live one can change its amount.');
  if (current.scheduled_change)
    throw wrongStatus(current, 'subscription', 'It has a scheduled change already. Call `cancel_change` first.');
  const servedOn = served ?? null;
  if (servedOn !== null) requirePast('served_on', servedOn, caller);
  requireFirstDay(current, effectiveOn);
  const tenancy = related.one<TenancyRecord>('tenancy')!;
  if (current.type === 'rent') {
    const { jurisdiction, type } = tenancy;
    refuseFailed(
      judge(caller.account.rules, 'increase_rent', servedOn ?? caller.today, {
        jurisdiction,
        type,
        isIncrease: amount > current.amount,
        basis,
        servedOn,
        effectiveOn,
        startedOn: current.start_date,
        firstIncreaseOn: current.first_increase_on,
        lastIncreaseOn: current.last_increase_on,
      }),
    );
  }
  const change: ScheduledChange = { amount, effective_on: effectiveOn, basis, served_on: servedOn };
  const changes = new Changes(related);
  const { after, verbs } = withDueChange({ ...current, scheduled_change: change }, caller.today, tenancy, changes);
  return { after, verbs: ['change_scheduled', ...verbs], also: changes.all() };
}

/** @throws {ApiError} `parameter_invalid` if no period begins on the day, or if it is invoiced already. */
function requireFirstDay(current: SubscriptionRecord, day: Day): void {
  const next = current.next_period_start;
  const period = next === null || day < next ? null : periodOf(current, day, current.end_date);
  // A part period at the start is charged by the amount of its full period, so it can change too.
  if (period && (period.full.start === day || day === current.start_date)) return;
  const from = next === null ? null : periodOf(current, next, current.end_date);
  const following = period ? addDays(period.full.end, 1) : null;
  const advice =
    following !== null && (current.end_date === null || following <= current.end_date)
      ? `Send ${following}, when the next period begins.`
      : from && from.full.start === next
        ? `Send ${next} or the first day of a later period.`
        : 'All its periods are invoiced, or it ends before that day.';
  throw invalidParameter(
    'effective_on',
    `\`effective_on\` must be the first day of a period that is not invoiced yet. ${advice}`,
  );
}

/** `POST /v1/subscriptions/{id}/cancel_change`. */
export function cancelChange(current: SubscriptionRecord): Change<SubscriptionRecord> {
  const { scheduled_change: change, next_period_start: next } = current;
  if (!change) throw wrongStatus(current, 'subscription', 'It has no scheduled change.');
  if (next === null || next > change.effective_on)
    throw wrongStatus(
      current,
      'subscription',
      `The period from ${change.effective_on} on is invoiced with the new amount. Credit that invoice, and schedule another change.`,
    );
  return { after: { ...current, scheduled_change: null }, verbs: ['change_canceled'] };
}

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
  const invoiced = invoicePeriods(current, caller, surroundings(tenancy, related), changes, hasBegun);
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
  return { after: invoicePeriods(after, run, surroundings(tenancy, related), changes, isWanted), verbs: ['resumed'] };
}

/** `POST /v1/subscriptions/{id}/cancel`. */
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
  const canceled: SubscriptionRecord = { ...current, end_date: end };
  // A new day invoices what is left, and then ends it.
  if (nextPeriod(canceled, null) !== null) return { after: canceled };
  if (end < caller.today || end < start) return { after: ended(canceled, end, caller.nowSeconds), verbs: ['ended'] };
  return { after: { ...canceled, next_period_start: null, next_invoice_on: null } };
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
  const changed = withDueChange(after, day, tenancy, changes);
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
    after = invoicePeriods(after, run, surroundings(tenancy, related), changes, isWanted);
  }
  if (isOver) {
    after = ended(after, after.end_date!, nowSeconds);
    verbs.push('ended');
  }
  return { after, verbs, also: changes.all() };
}

/** Charges the scheduled amount from its day on. The rent of the tenancy follows. */
function withDueChange(
  current: SubscriptionRecord,
  day: Day,
  tenancy: TenancyRecord,
  changes: Changes,
): { after: SubscriptionRecord; verbs: string[] } {
  const { scheduled_change: change, type } = current;
  if (!change || change.effective_on > day) return { after: current, verbs: [] };
  const { amount, basis, effective_on: effectiveOn } = change;
  const isIncrease = amount > current.amount && (basis === 'section_13' || basis === 'tribunal');
  if (type === 'rent')
    changes.move(tenancy, { after: { ...changes.now(tenancy), rent: { ...tenancy.rent, amount } }, verbs: [] });
  return {
    after: {
      ...current,
      amount,
      scheduled_change: null,
      ...(isIncrease && {
        first_increase_on: current.first_increase_on ?? effectiveOn,
        last_increase_on: effectiveOn,
      }),
    },
    verbs: ['amount_changed'],
  };
}
