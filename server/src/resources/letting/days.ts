import type { Day } from '../../core/calendar.ts';
import { invalidParameter } from '../../core/errors.ts';
import type { Caller } from '../../model/caller.ts';

/**
 * Requires a day that has come in the account's time zone.
 *
 * @throws {ApiError} `parameter_invalid`.
 */
export function requirePast(param: string, day: string, { today }: Caller): void {
  if (day <= today) return;
  throw invalidParameter(
    param,
    `\`${param}\` is ${day}, which has not come. Today is ${today}. Send it on that day, or correct it.`,
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
