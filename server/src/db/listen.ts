import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { withClient, type Connection } from './pools.ts';

/** A listening connection that is lost is made again after this; until then nothing is heard. */
const pauseMs = 1_000;

/**
 * Hears what is notified on a channel, on a connection of its own. Nobody may depend on it: a notification can be lost at any
 * time, and a pooler in between may pass none on.
 *
 * @returns what ends it.
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
          // Whatever was notified before is looked for now.
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
