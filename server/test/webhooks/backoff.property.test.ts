import * as fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parseRetryAfter, pauseAfter } from '../../src/webhooks/backoff.ts';
import { anyCodePoint } from '../support/any-code-point.ts';

const anySchedule = fc.array(fc.integer({ min: 1, max: 72_000 }), { maxLength: 12 });
const anyRandom = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const anyRetryAfterMs = fc.option(fc.double({ min: 0, max: 1e13, noNaN: true }));

describe('pause after an attempt', () => {
  test('returns a pause for each step of the schedule and null after the last', () => {
    fc.assert(
      fc.property(anySchedule, anyRandom, anyRetryAfterMs, (schedule, random, retryAfterMs) => {
        const pauses = Array.from({ length: schedule.length + 2 }, (_, index) =>
          pauseAfter(index + 1, schedule, retryAfterMs, random),
        );
        expect(pauses.filter((pause) => pause !== null)).toHaveLength(schedule.length);
        expect(pauses.slice(schedule.length)).toEqual([null, null]);
      }),
    );
  });

  test('returns a pause within a fifth of its step when the receiver asks for none', () => {
    fc.assert(
      fc.property(anySchedule, anyRandom, (schedule, random) => {
        for (const [index, seconds] of schedule.entries()) {
          const pauseMs = pauseAfter(index + 1, schedule, null, random)!;
          expect(pauseMs).toBeGreaterThanOrEqual(seconds * 800);
          expect(pauseMs).toBeLessThanOrEqual(seconds * 1200);
        }
      }),
    );
  });

  test('returns a pause of at least what the receiver asks for, up to twice the step, and never a shorter one', () => {
    fc.assert(
      fc.property(anySchedule, anyRandom, anyRetryAfterMs, (schedule, random, retryAfterMs) => {
        for (const [index, seconds] of schedule.entries()) {
          const alone = pauseAfter(index + 1, schedule, null, random)!;
          const asked = pauseAfter(index + 1, schedule, retryAfterMs, random)!;
          expect(asked).toBeGreaterThanOrEqual(alone);
          expect(asked).toBeLessThanOrEqual(seconds * 2000);
          expect(asked).toBeGreaterThanOrEqual(Math.min(Math.floor(retryAfterMs ?? 0), seconds * 2000));
        }
      }),
    );
  });

  test('returns different pauses when two deliveries have failed together', () => {
    const pauses = new Set([0, 0.2, 0.4, 0.6, 0.8].map((random) => pauseAfter(1, [5], null, random)));
    expect(pauses.size).toBe(5);
  });
});

const nowMs = Date.parse('2026-03-04T05:06:07Z');

describe('Retry-After header', () => {
  test('reads the seconds when the header is a number', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000_000 }), (seconds) => {
        expect(parseRetryAfter(String(seconds), nowMs)).toBe(seconds * 1000);
      }),
    );
  });

  test('reads the seconds when the number is very large', () => {
    for (const digits of [10, 11, 20, 400]) {
      expect(parseRetryAfter('9'.repeat(digits), nowMs)).toBeGreaterThan(1e12);
    }
  });

  test('reads the pause when the header is a future date', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3_000_000_000 }), (seconds) => {
        const date = new Date(nowMs + seconds * 1000).toUTCString();
        expect(parseRetryAfter(date, nowMs)).toBe(seconds * 1000);
      }),
    );
  });

  // RFC 9110, 5.6.7: a recipient must also accept the two obsolete date formats, and each is in GMT.
  test.each(['Wednesday, 04-Mar-26 05:07:07 GMT', 'Wed Mar  4 05:07:07 2026'])(
    'reads an obsolete date in GMT when the server has any time zone: %s',
    (date) => {
      const zone = process.env.TZ;
      onTestFinished(() => {
        if (zone === undefined) delete process.env.TZ;
        else process.env.TZ = zone;
      });
      process.env.TZ = 'America/New_York';
      expect(parseRetryAfter(date, nowMs)).toBe(60_000);
    },
  );

  test.each(['0', '-1', '-120', new Date(nowMs - 1000).toUTCString(), new Date(nowMs).toUTCString()])(
    'returns null when the header asks for no time: %s',
    (header) => expect(parseRetryAfter(header, nowMs)).toBeNull(),
  );

  test.each(['', 'soon', 'soon 40', 'try again in 2040', '1e9', '1.5', '0x10', '12, 12', '∞', 'Infinity', 'NaN', '+5'])(
    'returns null when the header is neither a number nor a date: “%s”',
    (header) => expect(parseRetryAfter(header, nowMs)).toBeNull(),
  );

  test('never throws, and never returns a negative time, when the header is any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCodePoint }), (header) => {
        const waitMs = parseRetryAfter(header, nowMs);
        expect(waitMs === null || waitMs > 0).toBe(true);
      }),
    );
  });

  test('returns null when there is no header', () => expect(parseRetryAfter(undefined, nowMs)).toBeNull());
});
