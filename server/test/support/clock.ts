import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/core/clock.ts';

/** A clock that a test moves. It starts now and runs, so that ids keep their order. */
export class TestClock implements Clock {
  #aheadMs = 0;
  /** Null while the clock runs. */
  #stoppedMs: number | null = null;

  nowMs(): number {
    return (this.#stoppedMs ?? Date.now()) + this.#aheadMs;
  }

  advanceSeconds(seconds: number): void {
    this.#aheadMs += seconds * 1000;
  }

  /** Stands still for the rest of the test. A limit of seconds then passes only when the test says so. */
  stop(): void {
    if (this.#stoppedMs !== null) return;
    const stoppedMs = Date.now();
    this.#stoppedMs = stoppedMs;
    onTestFinished(() => {
      this.#stoppedMs = null;
      this.#aheadMs -= Date.now() - stoppedMs;
    });
  }
}
