import { setTimeout as delay } from 'node:timers/promises';
import type { Reader } from '../db/reader.ts';
import type { HealthStatus } from '../http/context.ts';

/** Milliseconds. Load balancers give up soon after. */
const answerTimeoutMs = 2_000;

/** What `/readyz` reports about this process. */
export class Health {
  readonly #reader: Reader;
  #isStopping = false;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** Reports from now on that this process is about to stop, so that load balancers send no more requests. */
  leave(): void {
    this.#isStopping = true;
  }

  async status(): Promise<HealthStatus> {
    if (this.#isStopping) return 'stopping';
    return (await this.#isDatabaseThere()) ? 'ready' : 'unavailable';
  }

  async #isDatabaseThere(): Promise<boolean> {
    const timeout = new AbortController();
    const query = this.#reader.query({ name: 'is_ready', text: 'select 1', values: [] }).then(
      () => true,
      () => false,
    );
    const tooLate = delay(answerTimeoutMs, false, { signal: timeout.signal }).catch(() => false);
    const isThere = await Promise.race([query, tooLate]);
    timeout.abort();
    return isThere;
  }
}
