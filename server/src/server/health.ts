import { setTimeout as delay } from 'node:timers/promises';
import type { DiskWatch } from '../db/disk-watch.ts';
import type { Reader } from '../db/reader.ts';
import type { HealthStatus } from '../http/context.ts';

/** Milliseconds. Load balancers give up soon after. */
const answerTimeoutMs = 2_000;

/** What `/readyz` reports about this process. */
export class Health {
  readonly #reader: Reader;
  readonly #disk: DiskWatch;
  #isStopping = false;

  constructor(reader: Reader, disk: DiskWatch) {
    this.#reader = reader;
    this.#disk = disk;
  }

  /** Reports from now on that this process is about to stop, so that load balancers send no more requests. */
  leave(): void {
    this.#isStopping = true;
  }

  async status(): Promise<HealthStatus> {
    if (this.#isStopping) return 'stopping';
    if (!(await this.#isDatabaseThere())) return 'unavailable';
    return this.#disk.isFull ? 'disk_full' : 'ready';
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
