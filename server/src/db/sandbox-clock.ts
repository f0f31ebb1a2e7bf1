import type { Clock, MovedClock } from '../core/clock.ts';
import { dutiesLockKey, withLock } from './advisory-locks.ts';
import { isUnavailable, UnavailableError, withClient, type Connection } from './pools.ts';
import { makePartitionsAhead } from './partitions.ts';
import type { Reader } from './reader.ts';

/** Well below the second after which every process has to know (see `fresh.ts`), so that a look may take its time. */
const lookEveryMs = 250;

/**
 * The clock of a sandbox, which can be moved forward so that what takes days can be tried. How far it is ahead stands in the
 * deployment's row; every process looks at it all the time, because deliveries and duties go by it and nobody asks them.
 */
export class SandboxClock {
  readonly #parts: { reader: Reader; connection: Connection; clock: MovedClock; realClock: Clock };
  #nextLook: NodeJS.Timeout | undefined;
  #isStopped = false;

  /** @param parts.clock is moved as far as the deployment's row tells. */
  constructor(parts: { reader: Reader; connection: Connection; clock: MovedClock; realClock: Clock }) {
    this.#parts = parts;
    this.#lookAgainSoon();
  }

  /**
   * How far it is ahead at this moment, in milliseconds. From here on this process goes by it.
   *
   * @throws {UnavailableError} if the database cannot be reached.
   */
  async look(): Promise<number> {
    const [row] = await this.#parts.reader.query<{ clock_ahead_ms: number }>({
      name: 'read_clock_ahead',
      text: 'select clock_ahead_ms from deployment',
      values: [],
    });
    this.#parts.clock.moveTo(row!.clock_ahead_ms);
    return row!.clock_ahead_ms;
  }

  /** What time it would be now if it were so far ahead, in milliseconds since the Unix epoch. */
  timeAheadMs(aheadMs: number): number {
    return this.#parts.realClock.nowMs() + aheadMs;
  }

  /**
   * Makes the partitions that are needed from then on. That they are there is of no consequence if that time does not come.
   *
   * @throws {UnavailableError} if the database cannot be reached.
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
    this.#nextLook = setTimeout(() => {
      // Without a database there is nothing that could be late.
      void this.look()
        .catch(() => {})
        .then(() => this.#lookAgainSoon());
    }, lookEveryMs).unref();
  }
}
