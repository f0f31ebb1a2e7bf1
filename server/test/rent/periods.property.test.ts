import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addDays, daysBetween, weekday } from '../../src/core/calendar.ts';
import { chargeOf, creditAfter, dueOn, invoicedOn } from '../../src/rent/charges.ts';
import { rounds } from '../support/rounds.ts';
import { rentPeriodAt, type RentPeriod, type RentSchedule } from '../../src/rent/periods.ts';

const anyDay = fc.integer({ min: 0, max: 36_524 }).map((days) => addDays('2000-01-01', days));
const intervalCount = fc.integer({ min: 1, max: 12 });
const anyMonthly = fc.record({
  start: anyDay,
  end: fc.constant(null),
  interval: fc.constant('month' as const),
  intervalCount,
  anchorDay: fc.integer({ min: 1, max: 31 }),
});
const anyWeekly = fc.record({
  start: anyDay,
  end: fc.constant(null),
  interval: fc.constant('week' as const),
  intervalCount,
  anchorDay: fc.integer({ min: 1, max: 7 }),
});
const anySchedule: fc.Arbitrary<RentSchedule> = fc.oneof(anyMonthly, anyWeekly);
const anyAmount = fc.integer({ min: 1, max: 9_999_999_999 });

function* periodsOf(schedule: RentSchedule, until: string): Generator<RentPeriod> {
  let period = rentPeriodAt(schedule, schedule.start);
  while (period && period.start <= until) {
    yield period;
    period = rentPeriodAt(schedule, addDays(period.end, 1));
  }
}

/** The day of the anchor in the month of a day, by the calendar of the language. */
function anchorIn(day: string, anchorDay: number): string {
  const [year, month] = [Number(day.slice(0, 4)), Number(day.slice(5, 7))];
  const last = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1, Math.min(anchorDay, last))).toISOString().slice(0, 10);
}

describe('rent periods', () => {
  test('cover each day once for forty years when the anchor is any day', () => {
    fc.assert(
      fc.property(anySchedule, (schedule) => {
        const until = addDays(schedule.start, 40 * 366);
        let next = schedule.start;
        for (const { start, end, full } of periodsOf(schedule, until)) {
          const isFirst = start === schedule.start;
          const isOnAnchor =
            schedule.interval === 'month'
              ? start === anchorIn(start, schedule.anchorDay)
              : weekday(start) === schedule.anchorDay;
          // Plain comparisons: `expect` would take most of the time.
          if (start !== next || end < start) throw new Error(`A gap or an overlap at ${start}.`);
          if (!isFirst && (!isOnAnchor || full.start !== start)) throw new Error(`${start} is no boundary.`);
          if (full.end !== end || full.start > start) throw new Error(`${end} is not the end of its period.`);
          next = addDays(end, 1);
        }
        expect(next > until).toBe(true);
      }),
      { numRuns: rounds(300, 10_000) },
    );
  });

  test('have the same boundaries when a day within them is asked for', () => {
    fc.assert(
      fc.property(anySchedule, fc.integer({ min: 0, max: 14_600 }), (schedule, days) => {
        const day = addDays(schedule.start, days);
        const period = rentPeriodAt(schedule, day)!;
        expect(period.start <= day && day <= period.end).toBe(true);
        expect(rentPeriodAt(schedule, period.start)).toEqual(period);
        expect(rentPeriodAt(schedule, period.end)).toEqual(period);
      }),
    );
  });

  test.each([
    ['2027-01-31', 31, 1, ['2027-01-31', '2027-02-28', '2027-03-31', '2027-04-30', '2027-05-31']],
    ['2028-01-30', 30, 1, ['2028-01-30', '2028-02-29', '2028-03-30', '2028-04-30']],
    ['2027-02-10', 31, 1, ['2027-02-10', '2027-02-28', '2027-03-31']],
    ['2027-02-10', 1, 3, ['2027-02-10', '2027-03-01', '2027-06-01']],
    ['2027-12-15', 15, 12, ['2027-12-15', '2028-12-15']],
  ])(
    'begin on the anchor or the last day of a shorter month when they start on %s',
    (start, anchorDay, count, days) => {
      const schedule = { start, end: null, interval: 'month' as const, intervalCount: count, anchorDay };
      const begins = [...periodsOf(schedule, days.at(-1)!)].map((period) => period.start);
      expect(begins).toEqual(days);
    },
  );

  test('stop with a part when the end is within a period', () => {
    const schedule = {
      start: '2027-01-15',
      end: '2027-03-09',
      interval: 'month',
      intervalCount: 1,
      anchorDay: 1,
    } as const;
    expect([...periodsOf(schedule, '2027-12-31')]).toEqual([
      { start: '2027-01-15', end: '2027-01-31', full: { start: '2027-01-01', end: '2027-01-31' } },
      { start: '2027-02-01', end: '2027-02-28', full: { start: '2027-02-01', end: '2027-02-28' } },
      { start: '2027-03-01', end: '2027-03-09', full: { start: '2027-03-01', end: '2027-03-31' } },
    ]);
    expect(rentPeriodAt(schedule, '2027-01-14')).toBeNull();
    expect(rentPeriodAt(schedule, '2027-03-10')).toBeNull();
  });
});

describe('charges', () => {
  test('add up to the amount of the period when it is split at any days', () => {
    fc.assert(
      fc.property(anySchedule, anyAmount, fc.array(fc.nat(400), { maxLength: 20 }), (schedule, amount, cuts) => {
        const { full } = rentPeriodAt(schedule, schedule.start)!;
        const days = daysBetween(full.start, full.end) + 1;
        const starts = [...new Set([0, ...cuts.filter((cut) => cut < days)])].toSorted((one, other) => one - other);
        const parts = starts.map((from, index) => {
          const to = (starts[index + 1] ?? days) - 1;
          return chargeOf(amount, { start: addDays(full.start, from), end: addDays(full.start, to), full });
        });
        expect(parts.reduce((sum, part) => sum + part, 0)).toBe(amount);
        expect(Math.min(...parts)).toBeGreaterThanOrEqual(0);
        expect(chargeOf(amount, { ...full, full })).toBe(amount);
      }),
      { numRuns: 500 },
    );
  });

  test('are within half a penny of the share of the days', () => {
    fc.assert(
      fc.property(anySchedule, anyAmount, fc.nat(372), (schedule, amount, last) => {
        const { full } = rentPeriodAt(schedule, schedule.start)!;
        const days = daysBetween(full.start, full.end) + 1;
        const count = (last % days) + 1;
        const charge = chargeOf(amount, { start: full.start, end: addDays(full.start, count - 1), full });
        // The difference times twice the days, in whole numbers.
        const off = 2n * BigInt(charge) * BigInt(days) - 2n * BigInt(amount) * BigInt(count);
        expect(off <= BigInt(days) && off > -BigInt(days)).toBe(true);
      }),
    );
  });

  test('and credits add up to the invoice when a tenancy ends within a period', () => {
    fc.assert(
      fc.property(anySchedule, anyAmount, fc.integer({ min: -30, max: 400 }), (schedule, amount, days) => {
        const period = rentPeriodAt(schedule, schedule.start)!;
        const lastDay = addDays(period.start, days);
        const credit = creditAfter(amount, period, lastDay);
        const isLived = lastDay >= period.start;
        const end = lastDay < period.end ? lastDay : period.end;
        const lived = isLived ? chargeOf(amount, { ...period, end }) : 0;
        expect(lived + credit).toBe(chargeOf(amount, period));
      }),
    );
  });

  test.each([
    // 17 of 31 days of 950.00 are 520.967…; 9 of 31 days are 275.806….
    [95_000, '2027-01-15', '2027-01-31', 52_097],
    [95_000, '2027-01-01', '2027-01-09', 27_581],
    // Half a penny rounds up at the first part, and the second takes the rest.
    [1, '2027-01-01', '2027-01-15', 0],
    [1, '2027-01-01', '2027-01-16', 1],
  ])('of %i a month are right to the penny from %s to %s', (amount, start, end, charge) => {
    expect(chargeOf(amount, { start, end, full: { start: '2027-01-01', end: '2027-01-31' } })).toBe(charge);
  });
});

describe('days of an invoice', () => {
  test('never precede the signature', () => {
    const period = { start: '2027-02-01', end: '2027-02-28' };
    const timing = { dueAfter: 0, invoiceBefore: 7 };
    expect(dueOn(period, { dueAfter: 27, invoiceBefore: 7 })).toBe('2027-02-28');
    expect(invoicedOn(period, timing, '2027-01-10')).toBe('2027-01-25');
    expect(invoicedOn(period, timing, '2027-01-28')).toBe('2027-01-28');
  });
});
