import { addDays, addMonths, type Day } from '../core/calendar.ts';

/** The least notice for a ground of possession. */
type Period = { months: number } | { weeks: number };

const periods: readonly (readonly [Period, readonly string[]])[] = [
  [{ months: 4 }, ['1', '1A', '1B', '2', '2ZA', '2ZB', '2ZC', '2ZD', '4A', '6', '6A', '6B']],
  [{ months: 2 }, ['5', '5A', '5B', '5C', '5D', '5H', '7', '9']],
  [{ weeks: 4 }, ['5E', '5F', '5G', '8', '10', '11', '18']],
  [{ weeks: 2 }, ['4', '7B', '12', '13', '14ZA', '14A', '15', '17']],
  [{ weeks: 0 }, ['7A', '14']],
];

/** The grounds of Schedule 2 to the Housing Act 1988 as amended, with the least notice of each (section 8). */
export const noticeOfGrounds: ReadonlyMap<string, Period> = new Map(
  periods.flatMap(([period, grounds]) => grounds.map((ground) => [ground, period] as const)),
);

/** Grounds that need a tenancy of at least one year. */
const groundsAfterYear: ReadonlySet<string> = new Set(['1', '1A']);

/** Returns the last day of the first year of a tenancy if a ground waits for it. Both ends count (Renters’ Rights Act 2025 Sch 1). */
export function yearOf(ground: string, startedOn: Day): Day | null {
  if (!groundsAfterYear.has(ground)) return null;
  const isLeapDay = startedOn.endsWith('-02-29');
  return isLeapDay ? addMonths(startedOn, 12) : addDays(addMonths(startedOn, 12), -1);
}

/** Returns the first day that gives the least notice. */
export function earliestEnd(servedOn: Day, period: Period): Day {
  return 'months' in period ? addMonths(servedOn, period.months) : addDays(servedOn, 7 * period.weeks);
}

export function periodInWords(period: Period): string {
  if ('months' in period) return `${period.months} months`;
  return period.weeks === 0 ? 'no least notice' : `${period.weeks} weeks`;
}
