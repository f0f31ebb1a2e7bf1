import type { Tenancy } from 'tenure';

/* A month of homes: which days are let, and which are empty. Days are YYYY-MM-DD, and months are YYYY-MM. */

/** How the days of a home are used. */
export type Use = 'let' | 'agreed' | 'notice' | 'ended' | 'empty';

/** Days of a month with the same use. */
export interface Span {
  use: Use;
  /** The first day of the month that it covers, from 1. */
  from: number;
  /** The last day of the month that it covers. */
  to: number;
  /** Whether the tenancy begins on the first of these days. False if it began in an earlier month. */
  isStart: boolean;
  /** Whether the tenancy ends on the last of these days. */
  isEnd: boolean;
  /** Null for empty days. */
  tenancy: Tenancy | null;
}

const uses: Readonly<Record<string, Use>> = { signed: 'agreed', active: 'let', notice: 'notice', ended: 'ended' };

/** Returns the month of a day. */
export function monthOf(day: string): string {
  return day.slice(0, 7);
}

/** Returns the month that a text names, or null if it names none. */
export function monthIn(text: string | undefined): string | null {
  return text !== undefined && /^[12]\d{3}-(0[1-9]|1[0-2])$/.test(text) ? text : null;
}

/** Returns the month that comes so many months later. A negative number goes back. */
export function monthAfter(month: string, months: number): string {
  const [year, number] = month.split('-').map(Number);
  return new Date(Date.UTC(year!, number! - 1 + months, 1)).toISOString().slice(0, 7);
}

/** Returns the number of days of a month. */
export function daysIn(month: string): number {
  const [year, number] = month.split('-').map(Number);
  return new Date(Date.UTC(year!, number, 0)).getUTCDate();
}

/** Returns a day of a month. */
export function dayIn(month: string, day: number): string {
  return `${month}-${String(day).padStart(2, '0')}`;
}

/**
 * Returns the days of a month in their order: those of tenancies, and the empty ones between them. A landlord's notice alone does not end a
 * tenancy.
 */
export function spansOf(tenancies: readonly Tenancy[], month: string): Span[] {
  const days = daysIn(month);
  const [first, last] = [dayIn(month, 1), dayIn(month, days)];
  const spans: Span[] = [];
  let next = 1;
  const leaveEmptyUntil = (day: number): void => {
    if (day >= next) spans.push({ use: 'empty', from: next, to: day, isStart: false, isEnd: false, tenancy: null });
  };
  for (const tenancy of tenancies.toSorted((one, other) => (one.start_date < other.start_date ? -1 : 1))) {
    const use = uses[tenancy.status];
    const end = tenancy.end_date;
    // A draft and a canceled tenancy hold no home.
    if (use === undefined || tenancy.start_date > last || (end !== null && end < first)) continue;
    const isStart = tenancy.start_date >= first;
    const isEnd = end !== null && end <= last;
    // Two tenancies of a home share no day. An import may say otherwise, and the bars must not cover each other.
    const from = Math.max(next, isStart ? Number(tenancy.start_date.slice(8)) : 1);
    const to = isEnd ? Number(end.slice(8)) : days;
    if (to < from) continue;
    leaveEmptyUntil(from - 1);
    spans.push({ use, from, to, isStart, isEnd, tenancy });
    next = to + 1;
  }
  leaveEmptyUntil(days);
  return spans;
}

/** Returns the number of empty days among spans. */
export function emptyDaysIn(spans: readonly Span[]): number {
  return spans.filter(({ use }) => use === 'empty').reduce((sum, { from, to }) => sum + to - from + 1, 0);
}
