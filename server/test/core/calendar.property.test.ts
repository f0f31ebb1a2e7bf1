import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addDays,
  addMonths,
  anchorDayOf,
  daysBetween,
  isDay,
  isTimeZone,
  periodAt,
  today,
  weekday,
  type Anchor,
  type Rhythm,
} from '../../src/core/calendar.ts';
import { rounds } from '../support/rounds.ts';

const dayMs = 86_400_000;

/** The calendar of the language, as a second opinion. */
function dateOf(number: number): string {
  return new Date(number * dayMs).toISOString().slice(0, 10);
}

const [firstNumber, lastNumber] = [Date.UTC(1900, 0, 1) / dayMs, Date.UTC(9999, 11, 31) / dayMs];
const anyNumber = fc.integer({ min: firstNumber, max: lastNumber });
const anyDay = anyNumber.map(dateOf);

/** Returns the anchor of periods of which one begins on this day. */
function anchorOn(start: string, rhythm: Rhythm): Anchor {
  return { start, anchor_day: anchorDayOf(rhythm, start) };
}

describe('calendar days', () => {
  test('agree with the calendar of the language in every year', () => {
    fc.assert(
      fc.property(anyNumber, anyNumber, (one, other) => {
        const [from, to] = [dateOf(one), dateOf(other)];
        expect([addDays(from, other - one), daysBetween(from, to), weekday(from) % 7, isDay(from)]).toEqual([
          to,
          other - one,
          new Date(one * dayMs).getUTCDay(),
          true,
        ]);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    '2027-02-29',
    '1900-02-29',
    '2100-02-29',
    '2027-13-01',
    '2027-00-10',
    '2027-04-31',
    '2027-01-00',
    '1899-12-31',
    '2027-1-1',
    '2027-01-01 ',
    '+027-01-01',
    '',
  ])('are refused when the text is %j', (text) => expect(isDay(text)).toBe(false));

  test.each(['2028-02-29', '2000-02-29', '1900-01-01', '9999-12-31'])('are accepted when the text is %s', (text) =>
    expect(isDay(text)).toBe(true),
  );

  test('stop at the ends of the calendar', () => {
    expect([addDays('9999-12-31', 1), addMonths('9999-12-01', 1), addDays('0001-01-01', -1)]).toEqual([
      '9999-12-31',
      '9999-12-31',
      '0001-01-01',
    ]);
    const monthly: Rhythm = { interval: 'month', interval_count: 1 };
    expect(periodAt(anchorOn('9999-12-15', monthly), monthly, '9999-12-31').end).toBe('9999-12-31');
  });
});

describe('months after an anchor', () => {
  test.each([
    ['2027-01-31', 1, '2027-02-28'],
    ['2028-01-31', 1, '2028-02-29'],
    ['2027-01-31', 2, '2027-03-31'],
    ['2027-01-31', 3, '2027-04-30'],
    ['2028-02-29', 12, '2029-02-28'],
    ['2028-02-29', 48, '2032-02-29'],
    ['2027-03-31', -1, '2027-02-28'],
    ['2027-01-15', -13, '2025-12-15'],
    ['2027-11-30', 4, '2028-03-30'],
  ])('return the day, or the last one of a shorter month, for %s and %i', (anchor, months, day) => {
    expect(addMonths(anchor, months)).toBe(day);
  });

  test('keep the day whenever the month has it', () => {
    fc.assert(
      fc.property(anyDay, fc.integer({ min: -480, max: 480 }), (anchor, months) => {
        const later = addMonths(anchor, months);
        fc.pre(later > '0001-01-01' && later < '9999-12-31');
        const lastDay = addDays(addMonths(`${later.slice(0, 7)}-01`, 1), -1);
        expect(later.slice(8)).toBe(anchor.slice(8) < lastDay.slice(8) ? anchor.slice(8) : lastDay.slice(8));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('periods', () => {
  const anyRhythm: fc.Arbitrary<Rhythm> = fc.record({
    interval: fc.constantFrom('week', 'month'),
    interval_count: fc.integer({ min: 1, max: 12 }),
  });
  /** Half of the days are ends of months, where the arithmetic is hard. */
  const anyStart = fc.oneof(
    fc.integer({ min: firstNumber, max: Date.UTC(2200, 0, 1) / dayMs }).map(dateOf),
    fc
      .tuple(fc.integer({ min: 1900, max: 2200 }), fc.integer({ min: 0, max: 11 }))
      .map(([year, month]) => dateOf(Date.UTC(year, month + 1, 0) / dayMs)),
  );

  test('rise and cover each day of 40 years once when the anchor is any day', () => {
    fc.assert(
      fc.property(anyStart, anyRhythm, (first, rhythm) => {
        const anchor = anchorOn(first, rhythm);
        const end = addMonths(first, 480);
        let period = periodAt(anchor, rhythm, first);
        if (period.start !== first) throw new Error(`${first} does not begin its own period`);
        for (let count = 0; period.end < end; count++) {
          const next = periodAt(anchor, rhythm, addDays(period.end, 1));
          const isNext = next.start === addDays(period.end, 1) && next.end >= next.start && period.end >= period.start;
          // The middle and the last day must find the same period.
          const middle = addDays(period.start, Math.floor(daysBetween(period.start, period.end) / 2));
          const isSame = count % 50 !== 0 || periodAt(anchor, rhythm, middle).start === period.start;
          if (!isNext || !isSame) throw new Error(`${first} ${JSON.stringify([rhythm, period, next])}`);
          period = next;
        }
      }),
      { numRuns: rounds(3_000, 10_000) },
    );
  });

  test('contain the day, and its neighbors begin where they end, on both sides of the anchor', () => {
    fc.assert(
      fc.property(anyStart, anyRhythm, fc.integer({ min: 1, max: 31 }), anyStart, (first, rhythm, number, day) => {
        const anchor = { start: first, anchor_day: rhythm.interval === 'week' ? ((number - 1) % 7) + 1 : number };
        const { start, end } = periodAt(anchor, rhythm, day);
        expect(start <= day && day <= end).toBe(true);
        expect(periodAt(anchor, rhythm, start)).toEqual({ start, end });
        expect(periodAt(anchor, rhythm, end)).toEqual({ start, end });
        expect(periodAt(anchor, rhythm, addDays(start, -1)).end).toBe(addDays(start, -1));
      }),
      { numRuns: 2_000 },
    );
  });

  test('begin on the 31st, or on the last day of a shorter month', () => {
    const monthly: Rhythm = { interval: 'month', interval_count: 1 };
    const days = ['2028-01-31', '2028-02-29', '2028-03-30', '2028-03-31', '2028-04-30'];
    expect(days.map((day) => periodAt(anchorOn('2027-01-31', monthly), monthly, day))).toEqual([
      { start: '2028-01-31', end: '2028-02-28' },
      { start: '2028-02-29', end: '2028-03-30' },
      { start: '2028-02-29', end: '2028-03-30' },
      { start: '2028-03-31', end: '2028-04-29' },
      { start: '2028-04-30', end: '2028-05-30' },
    ]);
  });

  test('return to 29 February in leap years', () => {
    const yearly: Rhythm = { interval: 'month', interval_count: 12 };
    const anchor = anchorOn('2028-02-29', yearly);
    expect(['2029-03-01', '2032-02-29'].map((day) => periodAt(anchor, yearly, day).start)).toEqual([
      '2029-02-28',
      '2032-02-29',
    ]);
  });
});

describe('today', () => {
  test.each([
    ['2027-01-04T23:59:59Z', 'Europe/London', '2027-01-04'],
    ['2027-06-30T22:59:59Z', 'Europe/London', '2027-06-30'],
    ['2027-06-30T23:00:00Z', 'Europe/London', '2027-07-01'],
    // The clock goes forward and back in these nights.
    ['2027-03-28T00:59:59Z', 'Europe/London', '2027-03-28'],
    ['2027-03-28T23:00:00Z', 'Europe/London', '2027-03-29'],
    ['2027-10-30T23:00:00Z', 'Europe/London', '2027-10-31'],
    ['2027-10-31T23:59:59Z', 'Europe/London', '2027-10-31'],
    ['2027-12-31T10:00:00Z', 'Pacific/Kiritimati', '2028-01-01'],
    ['2027-01-01T09:59:59Z', 'Pacific/Honolulu', '2026-12-31'],
  ])('at %s in %s is %s', (moment, zone, day) => {
    expect(today(Date.parse(moment) / 1000, zone)).toBe(day);
  });

  test('never goes back, and gets each day once, when the clock changes', () => {
    const from = Date.UTC(2027, 0, 1) / 1000;
    const days: string[] = [];
    for (let hour = 0; hour < 366 * 24; hour++) {
      const day = today(from + hour * 3600, 'Europe/London');
      if (day !== days.at(-1)) days.push(day);
    }
    expect(days).toEqual(Array.from({ length: 366 }, (_, index) => addDays('2027-01-01', index)));
  });

  test('is the same arithmetic in every zone of the machine', () => {
    const before = process.env.TZ;
    try {
      const results = ['UTC', 'America/New_York', 'Pacific/Kiritimati'].map((zone) => {
        process.env.TZ = zone;
        return [addDays('2027-03-27', 2), addMonths('2027-10-31', 1), today(1_795_320_427, 'Europe/London')];
      });
      expect(new Set(results.map(String)).size).toBe(1);
    } finally {
      if (before === undefined) delete process.env.TZ;
      else process.env.TZ = before;
    }
  });
});

test.each([
  ['Europe/London', true],
  ['UTC', true],
  ['America/Argentina/Buenos_Aires', true],
  ['London', false],
  ['Europe/Londn', false],
  ['+01:00', false],
  ['', false],
])('knows the time zone %j: %s', (name, isKnown) => {
  expect(isTimeZone(name)).toBe(isKnown);
});
