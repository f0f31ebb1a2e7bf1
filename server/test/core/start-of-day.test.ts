import { describe, expect, test } from 'vitest';
import { addDays, startOfDay, today } from '../../src/core/calendar.ts';

describe('the beginning of a day', () => {
  test.each([
    'Europe/London',
    'America/New_York',
    'Pacific/Kiritimati',
    'Pacific/Pago_Pago',
    'Asia/Kathmandu',
    'America/Santiago',
  ])('is the first second of the day when the zone is %s', (zone) => {
    for (let day = '2026-01-01'; day < '2027-01-01'; day = addDays(day, 1)) {
      const start = startOfDay(day, zone);
      expect(today(start, zone)).toBe(day);
      expect(today(start - 1, zone)).toBe(addDays(day, -1));
    }
  });
});
