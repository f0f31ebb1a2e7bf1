import { isDay, startOfDay } from '../core/calendar.ts';
import type { Json } from '../core/json-diff.ts';
import { StepFault } from './step-fault.ts';

/**
 * Returns the time of a value, in milliseconds. The value is in seconds since the Unix epoch, or a day in the account's time zone.
 *
 * @throws {StepFault} if it is neither.
 */
export function untilOf(value: Json, timeZone: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value * 1000;
  if (typeof value === 'string' && isDay(value)) return startOfDay(value, timeZone) * 1000;
  throw new StepFault('template_invalid', 'The value of `until` is neither a day nor a time in seconds.');
}
