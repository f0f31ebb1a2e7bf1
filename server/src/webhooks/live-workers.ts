import { setTimeout as delay } from 'node:timers/promises';
import { delivererLockKey } from '../db/advisory-locks.ts';
import { onlyRow } from '../db/only-row.ts';
import type { Client, Pool } from '../db/pools.ts';

/** Milliseconds between looks for workers that have died. The claims of a dead one are released at the second look without it. */
const lookEveryMs = 750;

/** Worker numbers go up to this one. The rest of a claim's token is random. */
const numberMax = 2 ** 20 - 1;
const randomTokens = 2 ** 32;

/**
 * Knows which processes that deliver are alive. Each has a number, and holds a lock of the database on that number. PostgreSQL gives the
 * lock back when the process dies. Claims carry the number in their token. So other workers release the claims of a dead one without a
 * wait for the end of its leases.
 *
 * A live worker that loses its connection for longer looks like a dead one. Then its deliveries may be sent twice, as after a lease.
 * If the database cuts the connections of all workers, each has a grace time to return. A worker that starts then knows nothing of the cut,
 * and grants no time.
 */
export class LiveWorkers {
  readonly #pool: Pool;
  readonly #random: () => number;
  readonly #graceMs: number;
  readonly #onReleased: () => void;
  #number = 0;
  #wanted: number;
  #hasWatched = false;
  readonly #numbered = Promise.withResolvers<void>();

  /**
   * @param parts.random returns a number from 0 up to 1.
   * @param parts.graceMs A worker that had lost its connection releases no claims for so many milliseconds. The others may have lost theirs
   * too, and be slower.
   * @param parts.onReleased is called when deliveries can be claimed again.
   */
  constructor(parts: { pool: Pool; random: () => number; graceMs: number; onReleased: () => void }) {
    this.#pool = parts.pool;
    this.#random = parts.random;
    this.#graceMs = parts.graceMs;
    this.#onReleased = parts.onReleased;
    this.#wanted = this.#newNumber();
  }

  /** Resolves when the process has a number for the first time. */
  get numbered(): Promise<void> {
    return this.#numbered.promise;
  }

  /** Returns a token for a claim. Without a lock it has no number: such claims end with their lease only. */
  makeToken(): number {
    const random = Math.floor(this.#random() * randomTokens);
    return this.#number === 0 ? random : -(this.#number * randomTokens + random);
  }

  /** Releases all claims. Only a process that delivers alone may call it, before its first claim. */
  async releaseAll(): Promise<void> {
    await this.#pool.query(
      'update webhook_queue set claimed_until_ms = 0, claim_token = null where claimed_until_ms > 0',
    );
  }

  /** Holds the lock on this connection, and looks for dead workers, until the connection ends. */
  async watch(client: Client, ended: AbortSignal): Promise<void> {
    try {
      await this.#takeNumber(client);
      const releasesFromMs = performance.now() + (this.#hasWatched ? this.#graceMs : 0);
      this.#hasWatched = true;
      const absent = await this.#readClaimants();
      const known = new Set([...absent, ...(await readAlive(client))]);
      for (;;) {
        await delay(lookEveryMs, undefined, { signal: ended, ref: false }).catch(() => {});
        if (ended.aborted) return;
        const alive = await readAlive(client);
        for (const number of alive) known.add(number);
        for (const number of known) {
          if (alive.has(number)) absent.delete(number);
          else if (!absent.has(number)) absent.add(number);
          else if (performance.now() >= releasesFromMs) {
            await this.#release(number);
            known.delete(number);
            absent.delete(number);
          }
        }
      }
    } finally {
      this.#number = 0;
    }
  }

  /** Takes the lock on the earlier number, so that its claims stay those of a live worker. If it is taken, takes another. */
  async #takeNumber(client: Client): Promise<void> {
    for (;;) {
      const { rows } = await client.query<{ ours: boolean }>('select pg_try_advisory_lock($1, $2) as ours', [
        delivererLockKey,
        this.#wanted,
      ]);
      if (onlyRow(rows).ours) break;
      this.#wanted = this.#newNumber();
    }
    this.#number = this.#wanted;
    this.#numbered.resolve();
  }

  /** Returns the numbers of workers with claims. It scans the queue, so it is called once for each connection. */
  async #readClaimants(): Promise<Set<number>> {
    const { rows } = await this.#pool.query<{ number: number }>(
      'select distinct -claim_token / $1::bigint as number from webhook_queue where claim_token < 0',
      [randomTokens],
    );
    return new Set(rows.map(({ number }) => number));
  }

  async #release(number: number): Promise<void> {
    const { rowCount } = await this.#pool.query(
      `update webhook_queue
       set claimed_until_ms = 0, claim_token = null
       where claim_token between $1::bigint and $2::bigint`,
      [-(number * randomTokens + randomTokens - 1), -number * randomTokens],
    );
    if (rowCount !== 0) this.#onReleased();
  }

  #newNumber(): number {
    return 1 + Math.floor(this.#random() * numberMax);
  }
}

async function readAlive(client: Client): Promise<Set<number>> {
  const { rows } = await client.query<{ number: number }>({
    name: 'read_live_workers',
    text: `
      select objid::integer as number
      from pg_locks
      where locktype = 'advisory' and classid::integer = $1 and objsubid = 2 and granted
        and database = (select oid from pg_database where datname = current_database())`,
    values: [delivererLockKey],
  });
  return new Set(rows.map(({ number }) => number));
}
