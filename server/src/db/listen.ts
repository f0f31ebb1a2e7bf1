import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { withClient, type Client, type Connection } from './pools.ts';

/** Reconnects a lost listening connection after so many milliseconds. Until then no notification arrives. */
const pauseMs = 250;

/**
 * Listens for notifications on a channel, on a connection of its own. No caller may depend on them. A notification can be lost at any
 * time, and a connection pooler may drop all of them.
 *
 * @param meanwhile works on the same connection until it is lost or the listening is stopped (`ended`). Its failure ends the connection.
 * @returns a function that stops it.
 */
export function listen(
  connection: Connection,
  channel: string,
  onNotification: () => void,
  log: Logger,
  meanwhile: (client: Client, ended: AbortSignal) => Promise<void> = untilEnded,
): { stop(): Promise<void> } {
  const stop = new AbortController();
  const stopped = (async () => {
    while (!stop.signal.aborted) {
      try {
        await withClient(connection, async (client) => {
          const lost = new AbortController();
          client.once('end', () => lost.abort());
          client.on('notification', onNotification);
          await client.query(`listen ${channel}`);
          // A notification may have been missed before.
          onNotification();
          await meanwhile(client, AbortSignal.any([stop.signal, lost.signal]));
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

async function untilEnded(_: Client, ended: AbortSignal): Promise<void> {
  if (!ended.aborted) await once(ended, 'abort');
}
