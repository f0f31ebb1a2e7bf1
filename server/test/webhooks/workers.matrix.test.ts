import { expect, test } from 'vitest';
import { receiverForTest } from '../support/receiver.ts';
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
  await queueEmpty(server);
  expect(receiver.received).toHaveLength(8_000);
});
