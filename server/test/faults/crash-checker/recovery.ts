import { setTimeout as sleep } from 'node:timers/promises';
import type { CallResult } from './history.ts';

/** What died must be back, and the server with it, within this time. */
const recoveryTimeoutMs = 60_000;

/** The load goes on for so long after a recovery, so that retries meet the recovered server. */
const loadAfterRecoveryMs = 300;

/** Sees when a server that lost its database serves again: from the first good answer after which none failed. */
export class Recovery {
  /** A database that was killed can still answer for some milliseconds. */
  static readonly #blindMs = 100;
  static readonly #goodNeeded = 30;
  firstGoodMs = Infinity;
  #beganMs = Infinity;
  #good = 0;

  /** From now on it is waited for. */
  begin(): void {
    this.#beganMs = performance.now();
  }

  /** OperationDocs of every answer of the load. */
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
   * Waits until answers are good again, and a moment longer.
   *
   * @returns how long it took from the beginning.
   * @throws if it takes too long.
   */
  async wait(lastLines: () => string): Promise<number> {
    while (this.#good < Recovery.#goodNeeded) {
      if (performance.now() - this.#beganMs > recoveryTimeoutMs) {
        throw new Error(`The server did not recover from the loss of its database:\n${lastLines()}`);
      }
      await sleep(10);
    }
    const recoveredMs = this.firstGoodMs - this.#beganMs;
    await sleep(loadAfterRecoveryMs);
    return recoveredMs;
  }
}
