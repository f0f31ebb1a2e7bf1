import { expect, test } from 'vitest';
import { receiverForTest } from '../support/receiver.ts';
import type { TestServer } from '../support/server.ts';
import { apiOnly, pingedEndpoint, queueEmpty, seed, workerOn } from './scenario.ts';

test('delivers eight thousand after a vacuum has told the planner that the queue is empty', async () => {
  const receiver = await receiverForTest();
  const server = await apiOnly();
  const { readers } = server.context.database;
  const endpoint = await pingedEndpoint(server.api, receiver.url);
  await seed(server, endpoint.id, 8_000);
  await readers.query('delete from webhook_queue');
  await readers.query('vacuum (truncate false) webhook_queue');
  await workerOn(server, { dispatcherLimits: { pollMs: 50 } });
  await seed(server, endpoint.id, 8_000);
  await queueEmpty(server, 250_000);
  expect(receiver.received).toHaveLength(8_000);
  // Some 80 for each delivery. A scan of the queue for each batch reads thousands.
  expect(await rowsRead(server)).toBeLessThan(8_000 * 500);
});

/** Returns how many rows of the queue all statements have read. */
async function rowsRead({ context }: TestServer): Promise<number> {
  const { rows } = await context.database.readers.query<{ count: number }>(
    `select (seq_tup_read + idx_tup_fetch)::int8 as count from pg_stat_user_tables where relname = 'webhook_queue'`,
  );
  return rows[0]!.count;
}
