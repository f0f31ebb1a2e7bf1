import { anchorDayOf, type Anchor, type Day, type Rhythm } from '../../../core/calendar.ts';
import { invalidParameter } from '../../../core/errors.ts';
import type { Rules } from '../../../core/vocabulary/law-rules.ts';
import { earliestTenantNotice, judge, refuseFailed, type Acts, type Judgement } from '../../../law/index.ts';
import type { Caller } from '../../../model/callers/caller.ts';
import { toDecision } from '../../../model/change.ts';
import type { Related } from '../../../model/related.ts';
import type { Change, RecordChange, Resource } from '../../../model/resource.ts';
import { requireStatus, wrongStatus } from '../../../model/status.ts';
import { requireNotFuture, requireServedSinceSigning } from '../days.ts';
import type { DepositRecord } from '../deposit/fields.ts';
import type { SubscriptionRecord } from '../subscription/fields.ts';
import { withLaterEnd } from '../subscription/run.ts';
import { withWarnings } from '../warnings.ts';
import type { TenancyRecord } from './fields.ts';
import { requireFree, requireUnit } from './moves.ts';
import { withStandingChecks } from './standing-checks.ts';

/* The notices that end a tenancy. `moves.ts` has the drawing of all states. */

const noticeChecks: ReadonlySet<string> = new Set(['tenant_notice', 'landlord_notice', 'possession_deposit']);

export interface NoticeInput {
  by: 'tenant' | 'landlord' | 'mutual';
  served_on: string;
  ends_on: string;
  grounds?: string[] | null;
  agreed_in_writing?: boolean | null;
}

/** `POST /v1/tenancies/{id}/give_notice`. A later notice of the tenants, or an agreement, replaces a landlord's notice. */
export function giveNotice(
  current: TenancyRecord,
  caller: Caller,
  input: NoticeInput,
  related: Related,
): Change<TenancyRecord> {
  const { by, served_on: servedOn, ends_on: endsOn, grounds, agreed_in_writing: agreed } = input;
  requireStatus(
    current,
    ['signed', 'active', 'notice'],
    'tenancy',
    'Only a signed or active tenancy can get a notice.',
  );
  if (current.status === 'notice' && current.notice?.by !== 'landlord')
    throw wrongStatus(current, 'tenancy', 'Its notice ends it already. Withdraw that notice first: `withdraw_notice`.');
  if (current.status === 'notice' && by === 'landlord')
    throw wrongStatus(
      current,
      'tenancy',
      'It has a landlord’s notice already. Withdraw that notice first: `withdraw_notice`.',
    );
  requireNotFuture('served_on', servedOn, caller);
  requireServedSinceSigning(current, servedOn);
  if (endsOn < servedOn || endsOn < current.start_date)
    throw invalidParameter(
      'ends_on',
      `\`ends_on\` must be ${servedOn < current.start_date ? current.start_date : servedOn} or later: not before the notice, and not before the tenancy starts.`,
    );
  // One side alone cannot prolong a term that both have agreed. An agreement can.
  if (by === 'tenant' && current.agreed_end_date !== null && endsOn > current.agreed_end_date)
    throw invalidParameter(
      'ends_on',
      `The tenancy ends on ${current.agreed_end_date}, as agreed. A notice of the tenants cannot end it later. Choose that day or an earlier one.`,
    );
  if (by !== 'landlord' && grounds && grounds.length > 0)
    throw invalidParameter(
      'grounds',
      'Only a landlord’s notice has `grounds`. Leave them out, or send `by: landlord`.',
    );
  const judgement = judgeNotice(current, caller, input, related);
  if (judgement) refuseFailed(judgement);
  const noticed: TenancyRecord = {
    ...current,
    // The warnings of a notice that this one replaces.
    checks: current.checks.filter(({ id }) => !noticeChecks.has(id)),
    status: 'notice',
    notice: { by, served_on: servedOn, ends_on: endsOn, grounds: grounds ?? [], agreed_in_writing: agreed ?? false },
    notice_given_at: caller.nowSeconds,
    // A court ends a tenancy on a landlord's notice, if the tenants stay.
    end_date: by === 'landlord' ? current.end_date : endsOn,
  };
  requireFree(requireUnit(current, related), noticed);
  const judgements = judgement ? [judgement] : [];
  return {
    ...withWarnings(current, { after: noticed, verbs: ['notice_given'] }, judgements, caller.nowSeconds),
    // An agreement can also name a later day than the end that was agreed before.
    also: current.end_date !== null && endsOn > current.end_date ? rescheduled(noticed, caller, related) : [],
  };
}

/** `POST /v1/tenancies/{id}/withdraw_notice`. The tenancy goes on, until its agreed end if it has one. */
export function withdrawNotice(
  current: TenancyRecord,
  caller: Caller,
  _: { agreed_in_writing: true },
  related: Related,
): Change<TenancyRecord> {
  requireStatus(current, ['notice'], 'tenancy', 'It has no notice to withdraw.');
  const after: TenancyRecord = {
    ...current,
    status: current.activated_at === null ? 'signed' : 'active',
    notice: null,
    notice_given_at: null,
    end_date: current.agreed_end_date,
    checks: current.checks.filter(({ id }) => !noticeChecks.has(id)),
  };
  requireFree(requireUnit(current, related), after);
  return {
    ...withStandingChecks(current, { after, verbs: ['notice_withdrawn'] }, caller, related),
    also: rescheduled(after, caller, related),
  };
}

/** Sets the next invoices of the subscriptions, which waited for an earlier end. */
function rescheduled(after: TenancyRecord, { today }: Caller, related: Related): RecordChange[] {
  return related
    .all<SubscriptionRecord>('subscriptions')
    .flatMap(
      (current) =>
        toDecision(related.kindOf<Resource>(current), current, { after: withLaterEnd(current, after, today) }).changes,
    );
}

/** Judges a notice by the law of the day of service. An agreement to end needs no judgement. */
function judgeNotice(
  current: TenancyRecord,
  { account }: Caller,
  { by, served_on: servedOn, ends_on: endsOn, grounds, agreed_in_writing: agreed }: NoticeInput,
  related: Related,
): Judgement | null {
  const { jurisdiction, type } = current;
  const given = { jurisdiction, type, servedOn, endsOn };
  switch (by) {
    case 'landlord':
      return judge(account.rules, 'landlord_notice', servedOn, {
        ...given,
        grounds: grounds ?? [],
        startedOn: current.start_date,
        deposit: protectionOf(related.one<DepositRecord>('deposit')),
      });
    case 'tenant':
      return judge(account.rules, 'tenant_notice', servedOn, {
        ...given,
        agreedInWriting: agreed ?? false,
        rentPeriods: rentPeriodsOf(current, endsOn, related),
      });
    case 'mutual':
      return null;
  }
}

/** Returns the earliest last day of a notice that the tenants serve on a day, unless less is agreed. Null if no rule of the account says. */
export function earliestLastDay(current: TenancyRecord, servedOn: Day, rules: Rules, related: Related): Day | null {
  const day = earliestTenantNotice(rules, current, servedOn, rentPeriodsOf(current, servedOn, related));
  return day === null || day >= current.start_date ? day : current.start_date;
}

/** Returns the facts about the protection of a deposit. Null if none was received. */
function protectionOf(deposit: DepositRecord | null): Acts['landlord_notice']['deposit'] {
  if (!deposit || deposit.amount_received === 0) return null;
  return { protectedOn: deposit.protected_on, informationGivenOn: deposit.information_given_on };
}

/** Returns the periods of the rent’s subscription that charges a day, or else of the last one. Without one, they count from the first day. */
function rentPeriodsOf({ start_date: start, rent }: TenancyRecord, day: Day, related: Related): Rhythm & Anchor {
  const rents = related
    .all<SubscriptionRecord>('subscriptions')
    .filter(({ type, status }) => type === 'rent' && status !== 'ended')
    .toSorted((one, other) => (one.start_date < other.start_date ? -1 : 1));
  const charging = rents.findLast(({ start_date: from }) => from <= day) ?? rents[0];
  if (charging) {
    const { interval, interval_count, start_date, anchor_day } = charging;
    return { interval, interval_count, start: start_date, anchor_day };
  }
  const { interval, interval_count } = rent;
  return { interval, interval_count, start, anchor_day: anchorDayOf(rent, start) };
}
