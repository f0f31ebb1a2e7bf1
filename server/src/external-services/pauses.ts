/** Seconds after the first failure, the second, and so on. In all they last most of a day, before the reference is given up. */
const pausesSeconds = [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800];

/** The share by which a pause varies to either side, so that references that failed together are not retried together. */
const jitter = 0.2;

/** Milliseconds. No service is called more often about a reference, however fast a sandbox's days go by. */
const shortestMs = 1_000;

/** Seconds of the hours that people work. The settings say how long a simulated day lasts. */
export const workingDaySeconds = 8 * 3600;

/** A service may change its result later. One without callbacks is read once a day, this many times. */
const lateLooksMax = 7;

/** Returns the milliseconds to wait until the provider is called again. */
export function pauseAfterFailure(failures: number, random: number, timeScale: number): number {
  const seconds = pausesSeconds[Math.min(failures, pausesSeconds.length) - 1] ?? pausesSeconds[0]!;
  return scaled(seconds * (1 + jitter * (2 * random - 1)), timeScale);
}

/** Returns the time of the next read from a completed service, in milliseconds; null after a week. */
export function lateRead(nowMs: number, completedAtMs: number, dayMs: number): number | null {
  const atMs = nowMs + dayMs;
  // Each look is a little late, and so is the next one.
  return atMs < completedAtMs + (lateLooksMax + 1) * dayMs ? atMs : null;
}

/** Converts seconds to milliseconds of the provider's time scale. */
export function scaled(seconds: number, timeScale: number): number {
  return Math.max(shortestMs, Math.round(seconds * 1000 * timeScale));
}
