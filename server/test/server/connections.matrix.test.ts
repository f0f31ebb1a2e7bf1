import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { withClient } from '../../src/db/pools.ts';
import { formOf, pdfOf } from '../support/files.ts';
import { processesForTest } from '../support/processes.ts';
import { receiverForTest } from '../support/receiver.ts';
import { apiClient, good } from '../support/server.ts';
import { endpointFor } from '../webhooks/scenario.ts';

/* Runs real processes with the fewest connections to the database that they may have. */

test('serves every kind of request, and opens no more connections, when the processes have the fewest', async () => {
  const processes = await processesForTest();
  const api = await processes.start({ TENURE_ROLE: 'api', TENURE_DATABASE_CONNECTIONS: '11' });
  await processes.start({ TENURE_ROLE: 'worker', TENURE_DATABASE_CONNECTIONS: '15', TENURE_SIMULATOR_SPEED: '0.1' });
  const client = apiClient(api.url, processes.secretKey);
  const receiver = await receiverForTest();
  await endpointFor(client, receiver.url, { enabled_events: ['reference.completed'] });

  const watch = watchConnections(processes.connection);
  const stream = await fetch(`${api.url}/v1/events/stream`, {
    headers: { authorization: `Bearer ${processes.secretKey}` },
  });
  onTestFinished(() => stream.body!.cancel());
  const work = Array.from({ length: 10 }, async (_, round) => {
    const asked = { application: 'app_1', automatic_reference: { provider: 'provider_a' } };
    const { id } = (await good(client.post('/v1/references', asked))).body;
    await Promise.all([
      good(client.get(`/v1/references/${id}`)),
      good(client.get('/v1/references?limit=20')),
      good(client.get('/v1/events?limit=20')),
      good(client.post('/v1/customers', { name: `Ada ${round}` })),
      good(client.get('/v1/search?query=ada')),
      good(client.post('/v1/files', formOf({}, pdfOf(`${round}`)))),
    ]);
  });
  await Promise.all(work);
  await expect.poll(() => receiver.received.length, { timeout: 180_000 }).toBe(10);
  expect((await fetch(`${api.url}/readyz`)).status).toBe(200);
  const most = await watch.stop();
  expect(most).toBeGreaterThan(10);
  expect(most).toBeLessThanOrEqual(11 + 15);
});

/** Counts the connections of the processes again and again, on one of its own. */
function watchConnections(connection: Parameters<typeof withClient>[0]): { stop(): Promise<number> } {
  const over = new AbortController();
  let most = 0;
  const watching = withClient(connection, async (client) => {
    while (!over.signal.aborted) {
      const { rows } = await client.query<{ count: number }>(`
        select count(*)::integer as count from pg_stat_activity
        where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`);
      most = Math.max(most, rows[0]!.count);
      // Leave the processor to the processes.
      await delay(10);
    }
  });
  const stop = async (): Promise<number> => {
    over.abort();
    await watching;
    return most;
  };
  onTestFinished(async () => void (await stop()));
  return { stop };
}
