import type { Logger } from 'pino';
import type { Pool } from '../db/pools.ts';

/** What processes that deliver listen on. */
export const deliveriesChannel = 'tenure_deliveries';

/** A notification takes a lock that all commits share, so there are few of them, and none in the transaction of a change. */
const intervalMs = 10;

/** Tells other processes that there are deliveries, at most once in ten milliseconds. They would find them by polling too. */
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
