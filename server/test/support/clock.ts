import type { Clock } from '../../src/core/clock.ts';

/** A clock that a test moves. It starts now and runs, so that ids keep their order. */
export class TestClock implements Clock {
  #aheadMs = 0;

  nowMs(): number {
    return Date.now() + this.#aheadMs;
  }

  advanceSeconds(seconds: number): void {
    this.#aheadMs += seconds * 1000;
  }
}
