import { addDays, addMonths, daysBetween, weekday, type Day, type Span } from '../core/calendar.ts';

/** When the periods of a rent begin. */
export interface RentSchedule {
  /** The first day that is charged. */
  start: Day;
  /** The last day that is charged. Null if it is not known. */
  end: Day | null;
  interval: 'week' | 'month';
  /** The number of weeks or months in a period, 1 to 12. */
  intervalCount: number;
  /** The day of the month, 1 to 31, or of the week, Monday 1 to Sunday 7. A shorter month has its last day instead. */
  anchorDay: number;
}

/** The days that are charged together. At the start and the end, they may be part of a full period. */
export interface RentPeriod extends Span {
  full: Span;
}

/**
 * Returns the period that contains a day. Boundaries are counted from the first anchor day on or after the start, and never from the
 * boundary before. So the 31st is followed by 28 February, and that by 31 March.
 *
 * @returns null if the day is not charged.
 */
export function rentPeriodAt(schedule: RentSchedule, day: Day): RentPeriod | null {
  const { start, end } = schedule;
  if (day < start || (end !== null && day > end)) return null;
  const boundary = boundariesOf(schedule);
  const index = indexOf(schedule, day, boundary);
  const full = { start: boundary(index), end: addDays(boundary(index + 1), -1) };
  return {
    start: full.start < start ? start : full.start,
    end: end !== null && end < full.end ? end : full.end,
    full,
  };
}

/** Returns the period after this one, or null if it is the last. */
export function rentPeriodAfter(schedule: RentSchedule, period: Span): RentPeriod | null {
  return rentPeriodAt(schedule, addDays(period.end, 1));
}

/** A boundary by its index. That with index 0 is the first on or after the start. */
type Boundary = (index: number) => Day;

function boundariesOf({ start, interval, intervalCount, anchorDay }: RentSchedule): Boundary {
  if (interval === 'week') {
    const first = addDays(start, (anchorDay - weekday(start) + 7) % 7);
    return (index) => addDays(first, 7 * intervalCount * index);
  }
  // January has all 31 days, so the anchor day is never lost.
  const january = `${start.slice(0, 4)}-01-${String(anchorDay).padStart(2, '0')}`;
  const month = monthOf(start) - 1;
  const offset = addMonths(january, month) < start ? month + 1 : month;
  return (index) => addMonths(january, offset + intervalCount * index);
}

/** Returns the index of the last boundary on or before a day. */
function indexOf({ start, interval, intervalCount }: RentSchedule, day: Day, boundary: Boundary): number {
  // An estimate from the months or weeks between, which is at most two periods away.
  const units =
    interval === 'month'
      ? 12 * (Number(day.slice(0, 4)) - Number(start.slice(0, 4))) + monthOf(day) - monthOf(start)
      : Math.floor(daysBetween(start, day) / 7);
  let index = Math.floor(units / intervalCount) + 1;
  while (boundary(index) > day) index--;
  return index;
}

function monthOf(day: Day): number {
  return Number(day.slice(5, 7));
}
