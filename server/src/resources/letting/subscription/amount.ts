import { addDays, type Day } from '../../../core/calendar.ts';
import { invalidParameter } from '../../../core/errors.ts';
import { judge, refuseFailed } from '../../../law/index.ts';
import type { Caller } from '../../../model/callers/caller.ts';
import type { Related } from '../../../model/related.ts';
import type { Change } from '../../../model/resource.ts';
import { requireStatus, wrongStatus } from '../../../model/status.ts';
import type { RentPeriod } from '../../../rent/periods.ts';
import { Changes } from '../changes.ts';
import { requireNotFuture, requireServedSinceSigning } from '../days.ts';
import type { TenancyRecord } from '../tenancy/fields.ts';
import type { ScheduledChange, SubscriptionRecord } from './fields.ts';
import { invoicePeriods, periodOf, runSurroundings, type RentRun } from './run.ts';

/* A new amount is scheduled, and charged from its day on. The law judges an increase of the rent. */

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
  const tenancy = related.one<TenancyRecord>('tenancy')!;
  if (servedOn !== null) {
    requireNotFuture('served_on', servedOn, caller);
    requireServedSinceSigning(tenancy, servedOn);
  }
  requireFirstDay(current, effectiveOn);
  if (current.type === 'rent') {
    const { jurisdiction, type } = tenancy;
    refuseFailed(
      // Only a notice under section 13 is judged by its day of service. All others are judged as of today.
      judge(caller.account.rules, 'increase_rent', (basis === 'section_13' && servedOn) || caller.today, {
        jurisdiction,
        type,
        isIncrease: amount > current.amount,
        basis,
        servedOn,
        effectiveOn,
        startedOn: tenancy.start_date,
        firstIncreaseOn: firstIncreaseOf(tenancy),
        lastIncreaseOn: tenancy.rent_increased_on,
      }),
    );
  }
  const change: ScheduledChange = { amount, effective_on: effectiveOn, basis, served_on: servedOn };
  const changes = new Changes(related);
  const { after, verbs } = withDueChange({ ...current, scheduled_change: change }, caller, related, changes);
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

/**
 * Charges the scheduled amount from its day on. The rent of the tenancy follows. Earlier periods are invoiced first, so that they keep the
 * old amount. A pause skips them.
 *
 * @param related has read `readsOfRun`.
 */
export function withDueChange(
  current: SubscriptionRecord,
  run: RentRun,
  related: Related,
  changes: Changes,
): { after: SubscriptionRecord; verbs: string[] } {
  const { scheduled_change: change, type, status } = current;
  if (!change || change.effective_on > run.today) return { after: current, verbs: [] };
  const tenancy = related.one<TenancyRecord>('tenancy')!;
  const isEarlier = ({ start }: RentPeriod): boolean => status !== 'paused' && start < change.effective_on;
  const invoiced = invoicePeriods(current, run, runSurroundings(tenancy, related), changes, isEarlier);
  if (type === 'rent') {
    const now = changes.now(tenancy);
    changes.move(tenancy, { after: { ...now, ...risenRent(now, change, current.amount) }, verbs: [] });
  }
  return { after: { ...invoiced, amount: change.amount, scheduled_change: null }, verbs: ['amount_changed'] };
}

/** Returns the rent of a tenancy after a change, and the days that the next increase waits for. */
function risenRent(
  tenancy: TenancyRecord,
  { amount, basis, effective_on: effectiveOn }: ScheduledChange,
  chargedBefore: number,
): Partial<TenancyRecord> {
  const rent = { ...tenancy.rent, amount };
  const isIncrease = amount > chargedBefore && (basis === 'section_13' || basis === 'tribunal');
  if (!isIncrease) return { rent };
  return { rent, rent_increased_on: effectiveOn, first_rent_increase_on: firstIncreaseOf(tenancy) ?? effectiveOn };
}

/** Returns the day of the first increase that is known. */
function firstIncreaseOf(tenancy: TenancyRecord): Day | null {
  return tenancy.first_rent_increase_on ?? tenancy.rent_increased_on;
}
