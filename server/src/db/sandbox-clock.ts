import type { Clock, MovedClock } from '../core/clock.ts';
import { dutiesLockKey, withLock } from './advisory-locks.ts';
import { isUnavailable, UnavailableError, withClient, type Connection } from './pools.ts';
import { makePartitionsAhead } from './partitions.ts';
import type { Reader } from './reader.ts';
import { onlyRow } from './only-row.ts';

/** Far below the second in which every process must know a change (see `ttl-cache.ts`), because a read can be slow. */
const lookEveryMs = 250;

/** Milliseconds. A process without others moves its clock itself. It looks only in case a look after a change failed. */
const lookWhenAloneEveryMs = 5_000;

interface ClockParts {
  reader: Reader;
  connection: Connection;
  /** Follows the deployment's row. */
  clock: MovedClock;
  realClock: Clock;
  /** Whether no other process can move the clock. */
  isAlone: boolean;
}

/**
 * The clock of a sandbox. Clients can move it forward, to try in a moment what takes days. The deployment's row stores how far it is
 * ahead. Every process polls that row, because its deliveries and duties use this time, and no request triggers them.
 */
export class SandboxClock {
  readonly #parts: ClockParts;
  #nextLook: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(parts: ClockParts) {
    this.#parts = parts;
    this.#lookAgainSoon();
  }

  /** Whether no other process has to learn of a move. */
  get isAlone(): boolean {
    return this.#parts.isAlone;
  }

  /**
   * Reads how far the clock is ahead now, in milliseconds, and moves this process's clock there.
   *
   * @throws {UnavailableError} if the database cannot be reached.
   */
  async look(): Promise<number> {
    const rows = await this.#parts.reader.query<{ clock_ahead_ms: number }>({
      name: 'read_clock_ahead',
      text: 'select clock_ahead_ms from deployment',
      values: [],
    });
    const { clock_ahead_ms: aheadMs } = onlyRow(rows);
    this.#parts.clock.moveTo(aheadMs);
    return aheadMs;
  }

  /** Returns the time of a clock that is so far ahead, in milliseconds since the Unix epoch. */
  timeAheadMs(aheadMs: number): number {
    return this.#parts.realClock.nowMs() + aheadMs;
  }

  /**
   * Makes the partitions that are needed from `timeMs` on. Unused partitions do no harm.
   *
   * @throws {UnavailableError} if the database cannot be reached, or if another transaction uses the history for long.
   */
  async makePartitionsFor(timeMs: number): Promise<void> {
    try {
      await withClient(this.#parts.connection, (client) =>
        withLock(client, dutiesLockKey, () => makePartitionsAhead(client, timeMs)),
      );
    } catch (error) {
      throw isUnavailable(error) ? new UnavailableError(false, error) : error;
    }
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#nextLook);
  }

  #lookAgainSoon(): void {
    if (this.#isStopped) return;
    const pauseMs = this.#parts.isAlone ? lookWhenAloneEveryMs : lookEveryMs;
    this.#nextLook = setTimeout(() => {
      // Without a database, deliveries and duties do not run either.
      void this.look()
        .catch(() => {})
        .then(() => this.#lookAgainSoon());
    }, pauseMs).unref();
  }
}
