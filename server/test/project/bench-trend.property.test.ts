import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isRising, trendOf } from '../../../bench/trend.ts';

const amount = fc.integer({ min: 1, max: 10_000 });
const minutes = fc.integer({ min: 3, max: 60 });

describe('growth during a load test', () => {
  test('reports the true slope when a rise is steady, wherever it begins', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: -1_000, max: 1_000 }), minutes, (start, perMinute, count) => {
        const { perHour } = trendOf(Array.from({ length: count }, (_, minute) => start + minute * perMinute));
        expect(perHour).toBeCloseTo(60 * perMinute, 3);
      }),
    );
  });

  test('reports a rise when the slope is above the bound alone', () => {
    fc.assert(
      fc.property(amount, amount, minutes, (perMinute, mostPerHour, count) => {
        const trend = trendOf(Array.from({ length: count }, (_, minute) => minute * perMinute));
        fc.pre(60 * perMinute !== mostPerHour);
        expect(isRising(trend, mostPerHour)).toBe(60 * perMinute > mostPerHour);
      }),
    );
  });

  test('reports no rise when fluctuations are as large, and still reports a larger one', () => {
    const upAndDown = [4, -4, 3, -3, -4, 4, -3, 3];
    expect(isRising(trendOf(upAndDown), 0)).toBe(false);
    expect(isRising(trendOf(upAndDown.map((value, minute) => value + minute / 4)), 0)).toBe(false);
    expect(isRising(trendOf(upAndDown.map((value, minute) => value + minute * 4)), 100)).toBe(true);
  });

  test('reports no rise when values fall', () => {
    const falling = fc.array(amount, { minLength: 3, maxLength: 60 }).map((values) => values.toSorted((a, b) => b - a));
    fc.assert(
      fc.property(falling, (values) => {
        expect(isRising(trendOf(values), 0)).toBe(false);
      }),
    );
  });
});
