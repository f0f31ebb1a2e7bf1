/** After the first failure, the second, and so on, in seconds: most of a day, before anybody gives up. */
const pausesSeconds = [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800];

/** Pauses vary by so much to either side, so that those who failed together are not tried again together. */
const jitter = 0.2;

/** Nobody is asked more often than once in this time, in milliseconds, however fast a sandbox's days go by. */
const shortestMs = 1_000;

/** Of the hours that people work; a day of the simulated services is as long as the settings say. */
export const workingDaySeconds = 8 * 3600;

/** A service may change its mind after it is done. One without callbacks is asked once a day, so often. */
const lateLooksMax = 7;

/** How long to wait until the provider is asked again, in milliseconds. */
export function pauseAfterFailure(failures: number, random: number, timeScale: number): number {
  const seconds = pausesSeconds[Math.min(failures, pausesSeconds.length) - 1] ?? pausesSeconds[0]!;
  return scaled(seconds * (1 + jitter * (2 * random - 1)), timeScale);
}

/** Returns when to ask a service again that is done, in milliseconds; null after a week. */
export function lateLook(nowMs: number, completedAtMs: number, dayMs: number): number | null {
  const atMs = nowMs + dayMs;
  // Each look is a little late, and so is the next one.
  return atMs < completedAtMs + (lateLooksMax + 1) * dayMs ? atMs : null;
}

/** So many seconds in milliseconds, as time goes by at the provider. */
export function scaled(seconds: number, timeScale: number): number {
  return Math.max(shortestMs, Math.round(seconds * 1000 * timeScale));
}
