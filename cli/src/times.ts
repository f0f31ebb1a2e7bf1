import { CliError } from './errors.ts';

const unitSeconds: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };

/**
 * Reads a time as seconds since the Unix epoch: `2h` for two hours ago, a date, or seconds.
 *
 * @param direction -1 if a duration counts back from now, 1 if it counts forward.
 * @throws {CliError} if the text is none of them.
 */
export function parseTime(name: string, text: string, direction: -1 | 1 = -1): number {
  const duration = durationSeconds(text);
  if (duration !== null) return Math.floor(Date.now() / 1000) + direction * duration;
  if (/^\d{9,11}$/.test(text)) return Number(text);
  const date = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(date)) return Math.floor(date / 1000);
  throw new CliError(
    `"${text}" is no time for ${name}. Write a duration such as 15m, 2h or 3d, a date such as 2026-11-23T12:00Z, or seconds since the Unix epoch.`,
  );
}

/** Returns the seconds of `90s`, `15m`, `2h`, `3d` or `1w`. Returns null for any other text. */
export function durationSeconds(text: string): number | null {
  const parts = /^(\d+)([smhdw])$/.exec(text);
  return parts ? Number(parts[1]) * unitSeconds[parts[2]!]! : null;
}
