import { setTimeout as delay } from 'node:timers/promises';
import { exitCodes } from '../errors.ts';
import type { EventPatterns } from '../event-patterns.ts';
import type { SavedListening } from '../listen/saved.ts';
import { safeText } from '../output/text.ts';
import type { Session } from '../session.ts';

/** Milliseconds between two looks at the deliveries of the endpoint. */
const lookEveryMs = 1_000;

/**
 * Makes an endpoint of the server, or enables the one of the last run and recovers what it missed. Shows its deliveries until the command is
 * interrupted, and then disables it.
 */
export async function runAsEndpoint(parts: {
  session: Session;
  saved: SavedListening;
  url: string;
  patterns: EventPatterns;
}): Promise<void> {
  const { session, saved, url, patterns } = parts;
  const { client, options, terminal } = session;
  await session.confirm(null);
  const enabledEvents = [...patterns.patterns];
  const place = saved.place();
  let endpointId = place?.endpoint;
  if (endpointId !== undefined) {
    try {
      await client.webhookEndpoints.update(endpointId, { status: 'enabled', enabled_events: enabledEvents }, options);
      if (place?.stoppedAt !== undefined)
        await client.webhookEndpoints.recover(endpointId, { since: place.stoppedAt }, options);
      terminal.say(`Enabled ${endpointId} again. The events since the last run follow.`);
    } catch (error) {
      if ((error as { status?: number }).status !== 404) throw error;
      endpointId = undefined;
    }
  }
  if (endpointId === undefined) {
    const made = await client.webhookEndpoints.create(
      { url, enabled_events: enabledEvents, description: 'tenure listen --as-endpoint' },
      options,
    );
    endpointId = made.id;
    terminal.say(`Made ${made.id} for ${url}.`);
    terminal.out(`Signing secret: ${terminal.paint('bold', made.signing_secret)}`);
  }
  saved.save({ endpoint: endpointId });
  const stopping = new AbortController();
  process.on('SIGINT', () => stopping.abort()).on('SIGTERM', () => stopping.abort());
  terminal.say('Ready. The server retries failed deliveries by itself.');
  const shown = new Map<string, string>();
  while (!stopping.signal.aborted) {
    const page = await client.webhookEndpoints.listDeliveries(endpointId, { limit: 50 }, options);
    for (const { id, status, attempt_count: attempts, type, event } of page.data.toReversed()) {
      const state = `${status} after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
      if (shown.get(id) !== state && attempts > 0)
        terminal.out(`${safeText(type).padEnd(28)} ${safeText(event)}  ${state}`);
      shown.set(id, state);
    }
    await delay(lookEveryMs, undefined, { signal: stopping.signal }).catch(() => {});
  }
  // The time before the request: an event that the disabling overtakes must be recovered too.
  const stoppedAt = Math.floor(Date.now() / 1000);
  await client.webhookEndpoints.update(endpointId, { status: 'disabled' }, options);
  saved.save({ endpoint: endpointId, stoppedAt });
  terminal.say(`\nDisabled ${endpointId}. The next start enables it and recovers what it missed.`);
  process.exitCode = exitCodes.interrupted;
}
