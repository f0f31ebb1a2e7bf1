import { setTimeout as delay } from 'node:timers/promises';
import type { Deployment } from '../faults/crash-checker/deployment.ts';
import type { Processes } from '../support/processes.ts';

/** Starts two processes. */
export async function startTwo(processes: Processes): Promise<[Deployment, Deployment]> {
  const settings = { TENURE_RATE_LIMIT: '0' };
  return [await processes.start(settings), await processes.start(settings)];
}

/** Kills and restarts two processes in turn, each time after so many steps of the clients. */
export class Killer {
  readonly #steps: number;
  readonly #both: readonly Deployment[];
  #count = 0;
  kills = 0;

  constructor(steps: number, both: readonly Deployment[]) {
    this.#steps = steps;
    this.#both = both;
  }

  /** Counts a step. It waits if the kills have fallen behind, so that a fast machine has as many. */
  async step(): Promise<void> {
    this.#count++;
    while (this.#count > (this.kills + 1.5) * this.#steps) await delay(10);
  }

  /** Kills until the work of the clients has ended. */
  async during(work: Promise<unknown>): Promise<void> {
    const ended = new AbortController();
    const ending = work.finally(() => ended.abort());
    while (!ended.signal.aborted) {
      await delay(5);
      if (this.#count < (this.kills + 1) * this.#steps) continue;
      const one = this.#both[this.kills % this.#both.length]!;
      await one.kill();
      await one.start();
      this.kills++;
    }
    await ending;
  }
}
