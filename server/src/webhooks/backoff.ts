/** Endpoints that failed together shall not come back together. */
const jitter = 0.2;

/** A receiver may ask for more time, but not for ever. */
const lengthenedAtMost = 2;

/**
 * How many milliseconds to wait after an attempt that failed; null when it was the last one.
 *
 * @param attemptCount of all attempts so far that count, the failed one included.
 * @param scheduleSeconds the pauses between attempts: one attempt more than it is long.
 * @param retryAfterMs what the receiver asked for; it lengthens a pause up to twice its length, and never shortens it.
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

/** The forms of a date that HTTP has had (RFC 9110, 5.6.7); the last one means GMT without saying so. */
const httpDate =
  /^([A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT|[A-Z][a-z]+, \d\d-[A-Z][a-z]{2}-\d\d [\d:]{8} GMT)$/;
const asctimeDate = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4}$/;

/** Reads a `Retry-After` (RFC 9110, 10.2.3): seconds, or a date. Null for what is neither, or lies in the past. */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | null {
  const waitMs = /^\d+$/.test(header ?? '') ? Number(header) * 1000 : parseDate(header ?? '') - nowMs;
  return waitMs > 0 ? waitMs : null;
}

function parseDate(text: string): number {
  if (asctimeDate.test(text)) return Date.parse(`${text} GMT`);
  return httpDate.test(text) ? Date.parse(text) : NaN;
}
