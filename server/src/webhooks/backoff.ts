/** The share by which a pause varies, so that endpoints that failed together are not retried together. */
const jitter = 0.2;

/** The factor by which a receiver's `Retry-After` may lengthen a pause at most. */
const lengthenedAtMost = 2;

/**
 * Returns the milliseconds to wait after a failed attempt, or null after the last one.
 *
 * @param attemptCount the attempts so far that count, the failed one included.
 * @param scheduleSeconds the pauses between attempts. It allows one attempt more than it has pauses.
 * @param retryAfterMs the pause that the receiver asked for. It lengthens a pause up to twice its length, and never shortens it.
 * @param random from 0 up to 1.
 */
export function pauseAfter(
  attemptCount: number,
  scheduleSeconds: readonly number[],
  retryAfterMs: number | null,
  random: number,
): number | null {
  const seconds = scheduleSeconds[attemptCount - 1];
  if (seconds === undefined) return null;
  const baseMs = seconds * 1000;
  const jitteredMs = baseMs * (1 - jitter + 2 * jitter * random);
  return Math.round(Math.max(jitteredMs, Math.min(retryAfterMs ?? 0, baseMs * lengthenedAtMost)));
}

/** The forms of a date in HTTP (RFC 9110, 5.6.7). The last one means GMT without saying so. */
const httpDate =
  /^([A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT|[A-Z][a-z]+, \d\d-[A-Z][a-z]{2}-\d\d [\d:]{8} GMT)$/;
const asctimeDate = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4}$/;

/**
 * Reads a `Retry-After` (RFC 9110, 10.2.3), in seconds or as a date. Returns the milliseconds to wait, or null if it is neither or past.
 */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | null {
  const waitMs = /^\d+$/.test(header ?? '') ? Number(header) * 1000 : parseDate(header ?? '') - nowMs;
  return waitMs > 0 ? waitMs : null;
}

function parseDate(text: string): number {
  if (asctimeDate.test(text)) return Date.parse(`${text} GMT`);
  return httpDate.test(text) ? Date.parse(text) : NaN;
}
