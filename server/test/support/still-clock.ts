import { onTestFinished, vi } from 'vitest';
import type { Clock } from '../../src/core/clock.ts';

/** A clock that stands still until a test moves it, for tests that are exact to the second or finer. It begins at a full second. */
export class StillClock implements Clock {
  #nowMs: number;

  /** @param startMs the next full second, unless the test needs a fixed time. */
  constructor(startMs = Math.ceil(Date.now() / 1000) * 1000) {
    this.#nowMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  advanceMs(ms: number): void {
    this.#nowMs += ms;
  }
}

/**
 * Stops the process's monotonic clock for the rest of the test, or until the returned function is called. No rate limit refills, however
 * long requests take.
 */
export function stopMonotonicClock(): () => void {
  // It already stands still.
  if (vi.isMockFunction(performance.now)) return () => {};
  const stopped = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  const restart = (): void => stopped.mockRestore();
  onTestFinished(restart);
  return restart;
}
