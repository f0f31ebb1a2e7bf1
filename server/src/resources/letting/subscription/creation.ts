import { anchorDayOf, daysBetween, type Day, type Span } from '../../../core/calendar.ts';
import { ApiError, invalidParameter, missingParameter } from '../../../core/errors.ts';
import { isWithin } from '../../../law/index.ts';
import type { Caller } from '../../../model/callers/caller.ts';
import type { FieldsOf } from '../../../model/record.ts';
import type { Related } from '../../../model/related.ts';
import type { Change } from '../../../model/resource.ts';
import { recordInUse } from '../../../model/traits/in-use.ts';
import { Changes } from '../changes.ts';
import type { InvoiceRecord } from '../invoice/fields.ts';
import { judgeInvoice } from '../invoice/moves.ts';
import { subscriptionsMax, type TenancyRecord } from '../tenancy/fields.ts';
import type { SubscriptionRecord } from './fields.ts';
import { draftOf, invoicePeriods, isDue, nextPeriod, runSurroundings } from './run.ts';

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
    throw missingParameter('amount', 'A service must have an `amount`: the price of a full period.');
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
    anchor_day: wanted.anchor_day ?? anchorDayOf({ interval }, start),
    status: start <= caller.today ? 'active' : 'scheduled',
    activated_at: start <= caller.today ? caller.nowSeconds : null,
    next_period_start: start,
  };
  requireTerms(full, tenancy);
  if (isRent) {
    requireOneRent(full, related.all<SubscriptionRecord>('tenancy.subscriptions'));
    requireNewDays(full, related.all<InvoiceRecord>('tenancy.charged.invoice'));
  }
  return full;
}

/**
 * Requires that no other rent of the tenancy charges a day of the new one. Later moves of a subscription can only take days away.
 *
 * @throws {ApiError} `record_in_use`.
 */
function requireOneRent(
  { start_date: start, end_date: end }: FieldsOf<SubscriptionRecord>,
  live: readonly SubscriptionRecord[],
): void {
  const isFree = (from: Day, until: Day | null): boolean =>
    (until !== null && until < start) || (end !== null && end < from);
  const other = live.find(({ type, start_date: from, end_date: until }) => type === 'rent' && !isFree(from, until));
  if (!other) return;
  const advice =
    other.end_date === null
      ? 'Use `change_amount` for another rent, or cancel that one first.'
      : `It charges the days to ${other.end_date}. Send a \`start_date\` after that day.`;
  throw recordInUse(`The tenancy has a subscription of its rent already, ${other.id}. ${advice}`, 'tenancy');
}

/**
 * Requires that no rent that has ended has invoiced a day of the new one. An invoice does not count if its credits cover the rent of these
 * days. A smaller credit has another reason.
 *
 * @throws {ApiError} `parameter_invalid`.
 */
function requireNewDays(
  { start_date: start, end_date: end }: FieldsOf<SubscriptionRecord>,
  charged: readonly InvoiceRecord[],
): void {
  const [last] = charged
    .filter(
      ({ subscription, lines, period, total, amount_credited: credited }) =>
        subscription !== null &&
        lines[0]!.type === 'rent' &&
        period!.end >= start &&
        (end === null || period!.start <= end) &&
        (credited === 0 || credited < rentOfDays(total, period!, { start, end: end ?? period!.end })),
    )
    .toSorted((one, other) => (one.period!.end < other.period!.end ? 1 : -1));
  if (!last) return;
  throw invalidParameter(
    'start_date',
    `Rent is invoiced for the days to ${last.period!.end}. Send a later day. Or void or credit the invoices of these days, such as ${last.number}, first.`,
  );
}

/** Returns the part of a rent for the days that its period shares with another span. It is a unit less, because parts are rounded. */
function rentOfDays(total: number, period: Span, span: Span): number {
  const from = period.start > span.start ? period.start : span.start;
  const to = period.end < span.end ? period.end : span.end;
  return Math.floor((total * (daysBetween(from, to) + 1)) / (daysBetween(period.start, period.end) + 1)) - 1;
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
  judgeInvoice(draftOf(made, first, tenancy, caller), caller, { tenancy, named: [], namedPayments: [] });
  let left = backlogMax;
  const isWanted = isDue(made, tenancy, caller.today);
  const changes = new Changes(related);
  const after = invoicePeriods(made, caller, runSurroundings(tenancy, related), changes, (period) => {
    if (!isWanted(period)) return false;
    if (left-- > 0) return true;
    throw invalidParameter(
      'start_date',
      `More than ${backlogMax} periods would be invoiced at once. Send a later day, and invoice what was before by hand.`,
    );
  });
  return { after, also: changes.all(), ...(made.status === 'active' && { verbs: ['activated'] }) };
}
