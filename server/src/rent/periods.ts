import { periodAt, type Day, type Span } from '../core/calendar.ts';

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
 * Returns the period that contains a day.
 *
 * @returns null if the day is not charged.
 */
export function rentPeriodAt(schedule: RentSchedule, day: Day): RentPeriod | null {
  const { start, end, interval, intervalCount, anchorDay } = schedule;
  if (day < start || (end !== null && day > end)) return null;
  const full = periodAt({ start, anchor_day: anchorDay }, { interval, interval_count: intervalCount }, day);
  return {
    start: full.start < start ? start : full.start,
    end: end !== null && end < full.end ? end : full.end,
    full,
  };
}
