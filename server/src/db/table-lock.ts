import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseError, type Client } from './pools.ts';

const lockNotAvailable = '55P03';

/** How a transaction waits for a table that others use. Times are in milliseconds. */
export interface TableWait {
  /** Short, because later requests for the table queue behind a lock that is waited for. */
  timeoutMs: number;
  /** Lets that queue empty. */
  pauseMs: number;
  triesMax: number;
}

/** A table was in use at every try. Nothing was changed. */
export class TableBusyError extends Error {}

/**
 * Runs `work` in a transaction that locks tables. If one is in use, it gives way to the others, and tries again. Stops without an error when
 * the signal is aborted.
 *
 * @param purpose begins the message of the error, such as "The partition x could not be made".
 * @throws {TableBusyError} if a table is in use at every try.
 */
export async function withTableLock(
  client: Client,
  purpose: string,
  { timeoutMs, pauseMs, triesMax }: TableWait,
  work: () => Promise<void>,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  for (let tries = 1; !signal.aborted; tries++) {
    try {
      await client.query('begin');
      await client.query(`set local lock_timeout = ${timeoutMs}`);
      await work();
      await client.query('commit');
      return;
    } catch (error) {
      await client.query('rollback').catch(() => {});
      if (!(error instanceof DatabaseError) || error.code !== lockNotAvailable) throw error;
      if (tries === triesMax)
        throw new TableBusyError(
          `${purpose}, because other transactions used a table at each of ${triesMax} tries. End them (see "Open transactions" in docs/guides/operations.md).`,
          { cause: error },
        );
      await delay(pauseMs, undefined, { signal }).catch(() => {});
    }
  }
}
