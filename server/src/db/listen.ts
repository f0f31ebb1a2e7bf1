import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { withClient, type Connection } from './pools.ts';

/** Reconnects a lost listening connection after so many milliseconds. Until then no notification arrives. */
const pauseMs = 1_000;

/**
 * Listens for notifications on a channel, on a connection of its own. No caller may depend on them. A notification can be lost at any
 * time, and a connection pooler may drop all of them.
 *
 * @returns a function that stops it.
 */
export function listen(
  connection: Connection,
  channel: string,
  onNotification: () => void,
  log: Logger,
): { stop(): Promise<void> } {
  const stop = new AbortController();
  const stopped = (async () => {
    while (!stop.signal.aborted) {
      try {
        await withClient(connection, async (client) => {
          const ended = new Promise<void>((resolve) => {
            client.on('end', resolve);
            stop.signal.addEventListener('abort', () => resolve(), { once: true });
          });
          client.on('notification', onNotification);
          await client.query(`listen ${channel}`);
          // A notification may have been missed before.
          onNotification();
          await ended;
        });
      } catch (error) {
        log.debug({ err: error, channel }, 'no connection to listen on');
      }
      await delay(pauseMs, undefined, { signal: stop.signal }).catch(() => {});
    }
  })();
  return {
    stop() {
      stop.abort();
      return stopped;
    },
  };
}
