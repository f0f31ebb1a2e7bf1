import { setTimeout as sleep } from 'node:timers/promises';
import type { CallResult } from './history.ts';

/** The killed processes must run again, and the server must serve, within this time. */
const recoveryTimeoutMs = 180_000;

/** Load continues for this long after a recovery, so that retries meet the recovered server. */
const loadAfterRecoveryMs = 300;

/** Finds when a server that lost its database serves again: at the first good response without a later failure. */
export class Recovery {
  /** A killed database can still respond for some milliseconds. */
  static readonly #blindMs = 100;
  static readonly #goodNeeded = 30;
  firstGoodMs = Infinity;
  #beganMs = Infinity;
  #good = 0;

  /** Starts to wait for recovery. */
  begin(): void {
    this.#beganMs = performance.now();
  }

  /** Gets every response of the load. */
  note(result: CallResult, sentMs: number): void {
    if (sentMs < this.#beganMs + Recovery.#blindMs) return;
    if (result.kind === 'unanswered' || result.status === 503) {
      this.#good = 0;
      this.firstGoodMs = Infinity;
    } else if (this.#good++ === 0) {
      this.firstGoodMs = performance.now();
    }
  }

  /**
   * Waits until responses are good again, and a moment longer.
   * @returns how long it took from the beginning, in milliseconds.
   * @throws if it takes too long.
   */
  async wait(lastLines: () => string): Promise<number> {
    while (this.#good < Recovery.#goodNeeded) {
      if (performance.now() - this.#beganMs > recoveryTimeoutMs) {
        throw new Error(`The server did not recover after it lost its database:\n${lastLines()}`);
      }
      await sleep(10);
    }
    const recoveredMs = this.firstGoodMs - this.#beganMs;
    await sleep(loadAfterRecoveryMs);
    return recoveredMs;
  }
}
