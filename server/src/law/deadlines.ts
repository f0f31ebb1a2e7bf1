import { addDays, type Day } from '../core/calendar.ts';
import type { Failure } from './check.ts';

/** The days before a deadline in which its duty is a warning already. */
const noticeDays = 7;

const due = 'Due soon. ';
const missed = 'Missed. ';

/** Judges a duty with a deadline: it is due for seven days, and missed from the day after. */
export function dueBy(deadline: Day, day: Day, rule: string): Failure | null {
  if (day < addDays(deadline, -noticeDays)) return null;
  return { message: `${day > deadline ? missed : due}${rule}`, param: null, limit: deadline };
}

/** Returns whether a message is about a deadline that has come to be missed since an earlier message. */
export function isNewlyMissed(before: string, after: string): boolean {
  return before.startsWith(due) && after.startsWith(missed);
}

/** Returns the next day after today on which the warning of a deadline begins or changes. Null if there is none. */
export function nextDeadlineOn(deadlines: readonly Day[], today: Day): Day | null {
  const days = deadlines.flatMap((deadline) => [addDays(deadline, -noticeDays), addDays(deadline, 1)]);
  return days.filter((day) => day > today).toSorted()[0] ?? null;
}
