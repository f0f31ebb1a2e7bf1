import type { Day } from '../../core/calendar.ts';
import { invalidParameter } from '../../core/errors.ts';
import type { Caller } from '../../model/callers/caller.ts';

/**
 * Requires a day that has come in the account's time zone.
 *
 * @throws {ApiError} `parameter_invalid`.
 */
export function requireNotFuture(param: string, day: string, { today }: Caller): void {
  if (day <= today) return;
  throw invalidParameter(
    param,
    `\`${param}\` is ${day}, which has not come. Today is ${today}. Send it on that day, or correct it.`,
  );
}

/**
 * Requires a day on which the thing could have happened.
 *
 * @param because why no earlier day can be.
 * @throws {ApiError} `parameter_invalid`.
 */
export function requireSince(param: string, day: Day, earliest: Day, because: string): void {
  if (day >= earliest) return;
  throw invalidParameter(param, `\`${param}\` is ${day}, and ${because}. Send ${earliest} or a later day.`);
}

/** No let of today goes back further. An earlier day is a mistake. */
const firstMoneyOn = '1900-01-01';

/**
 * Requires a day on which money can have come.
 *
 * @throws {ApiError} `parameter_invalid`.
 */
export function requireReceiptDay(day: Day, caller: Caller): void {
  requireNotFuture('received_on', day, caller);
  requireSince('received_on', day, firstMoneyOn, 'no payment is from before 1900');
}

/**
 * Requires that a notice was served after the signing of its tenancy. The day of service chooses the law that judges it, so an earlier day
 * would choose an older law.
 *
 * @throws {ApiError} `parameter_invalid`.
 */
export function requireServedSinceSigning({ signed_on: signedOn }: { signed_on: Day | null }, servedOn: Day): void {
  if (signedOn === null || servedOn >= signedOn) return;
  throw invalidParameter(
    'served_on',
    `\`served_on\` must be ${signedOn} or later: the tenancy was signed on that day, and a notice cannot be served before.`,
  );
}

/** Returns the earlier of two days. Null is a day that is not known, and later than any other. */
export function earlier(one: Day | null, other: Day | null): Day | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}

/** Returns the later of two days. */
export function later(one: Day, other: Day): Day {
  return one > other ? one : other;
}

const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** Returns a day as people write it: `1 February 2027`. */
export function dayInWords(day: Day): string {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number];
  return `${date} ${months[month - 1]} ${year}`;
}
