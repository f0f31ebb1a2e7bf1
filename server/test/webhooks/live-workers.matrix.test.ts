import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { dispatcherLimits } from '../../src/webhooks/dispatcher.ts';
import { LiveWorkers } from '../../src/webhooks/live-workers.ts';
import type { TestServer } from '../support/server.ts';
import { apiOnly, pingedEndpoint, placesOf, seed, soon } from './scenario.ts';

test('releases the claims of a worker that lived only during the grace time of another', async () => {
  const server = await apiOnly();
  const endpoint = await pingedEndpoint(server.api, 'https://example.com/');
  const staying = worker(server);
  await (await watches(server, staying)).lose();
  // Now it grants others time to return.
  await watches(server, staying);
  const brief = worker(server);
  const lost = await watches(server, brief);
  await seed(server, endpoint.id, 3, { token: brief.makeToken(), untilMs: server.context.clock.nowMs() + 3_600_000 });
  // The other one looks every 0.75 s.
  await delay(2_000);
  await lost.lose();
  const claimed = async () =>
    (await placesOf(server, endpoint.id)).filter((place) => place.claim_token !== null).length;
  expect(await claimed()).toBe(3);
  await expect.poll(claimed, soon).toBe(0);
});

test('releases no claims of a worker that returns seven seconds after another one when the database has cut both connections', async () => {
  const server = await apiOnly();
  const endpoint = await pingedEndpoint(server.api, 'https://example.com/');
  const quick = worker(server, dispatcherLimits.returnMs);
  const slow = worker(server, dispatcherLimits.returnMs);
  const connections = [await watches(server, quick), await watches(server, slow)];
  await seed(server, endpoint.id, 3, { token: slow.makeToken(), untilMs: server.context.clock.nowMs() + 3_600_000 });
  for (const connection of connections) await connection.lose();
  await watches(server, quick);
  // Longer than a connection needs to fail, and two looks.
  await delay(7_000);
  await watches(server, slow);
  expect((await placesOf(server, endpoint.id)).filter((place) => place.claim_token !== null)).toHaveLength(3);
});

function worker({ context }: TestServer, graceMs = 5_000): LiveWorkers {
  return new LiveWorkers({ pool: context.database.readers, random: Math.random, graceMs, onReleased: () => {} });
}

/** Lets a worker watch on a connection of its own, and returns when it has its lock. */
async function watches({ connection }: TestServer, workers: LiveWorkers): Promise<{ lose(): Promise<void> }> {
  const client = new Client(connection);
  client.on('error', () => {});
  await client.connect();
  const ended = new AbortController();
  const watching = workers.watch(client, ended.signal).catch(() => {});
  const lose = async (): Promise<void> => {
    await client.end();
    ended.abort();
    await watching;
  };
  onTestFinished(lose);
  await expect.poll(() => workers.makeToken(), soon).toBeLessThan(0);
  return { lose };
}
