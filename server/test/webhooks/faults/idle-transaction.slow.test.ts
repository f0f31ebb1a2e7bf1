import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { withClient } from '../../../src/db/pools.ts';
import { makeTables } from '../../support/global-setup.ts';
import { ownClusterForTest } from '../../support/own-cluster.ts';
import { serverForTest, type TestServer } from '../../support/server.ts';
import { expectAttempts, pingedEndpoint, queueEmpty, seed } from '../scenario.ts';
import { print } from './load.ts';
import { rounds } from '../../support/rounds.ts';

const heldMs = rounds(40, 120) * 1_000;
const together = 4_000;

test('60: delivers more slowly, but does not stop, when a transaction stays open for two minutes under load and blocks vacuum', async () => {
  const receiver = await countingReceiver();
  const { connection } = await ownClusterForTest();
  await makeTables(connection);
  const server = await serverForTest({ connection, overrides: { dispatcherLimits: { pollMs: 100 } } });
  const endpoint = await pingedEndpoint(server.api, receiver.url);
  let seeded = 0;
  /** @returns the deliveries per second. */
  const drain = async (): Promise<number> => {
    await seed(server, endpoint.id, together);
    seeded += together;
    const startedMs = performance.now();
    server.context.dispatcher!.wake();
    await expect.poll(() => receiver.deliveries.size, { interval: 10 }).toBe(seeded);
    return (together * 1000) / (performance.now() - startedMs);
  };
  await drain();
  const before = median([await drain(), await drain(), await drain()]);

  const during: number[] = [];
  await withClient(server.connection, async (client) => {
    await client.query('begin isolation level repeatable read');
    // It has a snapshot, which keeps rows deleted since, and a transaction id, which keeps the horizon.
    await client.query('select pg_current_xact_id(), count(*) from webhook_queue');
    for (const endsAtMs = performance.now() + heldMs; performance.now() < endsAtMs;) during.push(await drain());
    // A process of PostgreSQL tells its counts a second later.
    await expect.poll(() => remains(server)).toBeGreaterThan(together);
    await client.query('rollback');
  });
  const atTheEnd = median(during.slice(-3));
  // Vacuum removes them now. A statement that the server began before the rollback can keep them from the first one.
  await expect.poll(() => remainsAfterVacuum(server), { interval: 200 }).toBeLessThan(together);
  const after = median([await drain(), await drain(), await drain()]);
  await queueEmpty(server);

  const share = (rate: number): string => `${Math.round(rate)}/s (${Math.round((100 * rate) / before)} %)`;
  print(
    `idle transaction: held ${Math.round(heldMs / 1000)} s, ${seeded} deliveries, ${receiver.requests - seeded} duplicates, ` +
      `${seeded - receiver.deliveries.size} lost; before ${share(before)}, at its end ${share(atTheEnd)}, ` +
      `at the worst ${share(Math.min(...during))}, after ${share(after)}`,
  );
  expect(receiver.requests).toBe(seeded);
  // Other tests share the cores, so the rates above are printed only. Each drain had a minute.
  await expectAttempts(server, seeded);
});

/** Counts the dead rows that vacuum must keep. */
async function remains({ context }: TestServer): Promise<number> {
  const { rows } = await context.database.readers.query<{ count: number }>(
    `select n_dead_tup as count from pg_stat_user_tables where relname = 'webhook_queue'`,
  );
  return rows[0]!.count;
}

async function remainsAfterVacuum(server: TestServer): Promise<number> {
  await server.context.database.readers.query('vacuum webhook_queue');
  return remains(server);
}

function median(rates: number[]): number {
  return rates.toSorted((one, other) => one - other)[Math.floor(rates.length / 2)]!;
}

/** A receiver that responds with 200 and stores only the ids, because there are hundreds of thousands. */
async function countingReceiver(): Promise<{ url: string; deliveries: Set<string>; readonly requests: number }> {
  const deliveries = new Set<string>();
  let requests = 0;
  const server = createServer((request, response) => {
    requests++;
    deliveries.add(String(request.headers['service-delivery-id']));
    request.resume().on('end', () => response.writeHead(200).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    deliveries,
    get requests() {
      return requests;
    },
  };
}
