import type { Logger } from 'pino';
import type { Pool } from '../db/pools.ts';

/** The channel on which processes that deliver listen. */
export const deliveriesChannel = 'tenure_deliveries';

/** Milliseconds between notifications. A notification takes a lock that all commits share, so the transaction of a change makes none. */
const intervalMs = 10;

/**
 * Returns a function that notifies other processes of deliveries, at most once in ten milliseconds. Without it, polling finds them later.
 */
export function deliveriesNotifier(pool: Pool, log: Logger): () => void {
  let timer: NodeJS.Timeout | null = null;
  let again = false;

  function notify(): void {
    again = false;
    timer = setTimeout(() => {
      timer = null;
      if (again) notify();
    }, intervalMs);
    pool
      .query({ name: 'notify_deliveries', text: 'select pg_notify($1, $2)', values: [deliveriesChannel, ''] })
      .catch((error: unknown) => log.debug({ err: error }, 'deliveries were not notified'));
  }

  return () => {
    if (timer) again = true;
    else notify();
  };
}
