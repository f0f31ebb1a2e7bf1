import { invalidParameter } from '../../core/errors.ts';
import type { Caller } from '../../model/caller.ts';

/**
 * Requires a day that has come in the account's time zone.
 *
 * @throws {ApiError} `parameter_invalid`.
 */
export function requirePast(param: string, day: string, { today }: Caller): void {
  if (day <= today) return;
  throw invalidParameter(
    param,
    `\`${param}\` is ${day}, which has not come. Today is ${today}. Send it on that day, or correct it.`,
  );
}
