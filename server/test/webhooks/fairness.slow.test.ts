import { expect, test } from 'vitest';
import { receiverForTest } from '../support/receiver.ts';
import { serverForTest } from '../support/server.ts';
import { endpointFor, makeReferences, pingedEndpoint, queueEmpty, seed } from './scenario.ts';

/** An attempt may take so long that whoever waits for one to end has waited in vain. */
const forEverMs = 300_000;

test('ten endpoints hang, with two hundred waiting each: another’s fifty all arrive meanwhile', async () => {
  const hanging = await receiverForTest(() => {});
  const healthy = await receiverForTest();
  const server = await serverForTest({
    overrides: { dispatcherLimits: { attemptTimeoutMs: forEverMs, leaseMs: 2 * forEverMs, pollMs: 100 } },
  });
  await endpointFor(server.api, healthy.url);
  const slow = await Promise.all(Array.from({ length: 10 }, () => pingedEndpoint(server.api, hanging.url)));
  for (const { id } of slow) await seed(server, id, 200);
  server.context.dispatcher!.wake();
  await hanging.count(32);
  await makeReferences(server.api, 50);
  await healthy.count(50);
});

test('retries that are all due at once do not stand before first attempts', async () => {
  const hanging = await receiverForTest(() => {});
  const healthy = await receiverForTest();
  const server = await serverForTest({
    overrides: { dispatcherLimits: { attemptTimeoutMs: forEverMs, leaseMs: 2 * forEverMs, pollMs: 100 } },
  });
  const slow = await pingedEndpoint(server.api, hanging.url);
  await endpointFor(server.api, healthy.url);
  await seed(server, slow.id, 5_000);
  await server.context.database.readers.query('update webhook_queue set attempt_count = 1');
  server.context.dispatcher!.wake();
  await hanging.count(32);
  await makeReferences(server.api, 50);
  await healthy.count(50);
  expect(hanging.received).toHaveLength(32);
});

test('a thousand deliveries to one endpoint are drained without waiting for the next look at the queue', async () => {
  const receiver = await receiverForTest();
  const server = await serverForTest({ overrides: { dispatcherLimits: { pollMs: forEverMs } } });
  const endpoint = await pingedEndpoint(server.api, receiver.url);
  await seed(server, endpoint.id, 1_000);
  server.context.dispatcher!.wake();
  await queueEmpty(server);
  expect(receiver.received).toHaveLength(1_000);
});

test('a thousand deliveries to a hundred endpoints are drained without waiting for the next look at the queue', async () => {
  const receiver = await receiverForTest();
  const server = await serverForTest({ overrides: { dispatcherLimits: { pollMs: forEverMs } } });
  await Promise.all(Array.from({ length: 100 }, () => endpointFor(server.api, receiver.url)));
  await makeReferences(server.api, 10);
  await queueEmpty(server);
  expect(receiver.received).toHaveLength(1_000);
});

test('whatever many endpoints hang, half of the places are for those that answer', async () => {
  let underWay = 0;
  let most = 0;
  const hanging = await receiverForTest((response) => {
    most = Math.max(most, ++underWay);
    response.on('close', () => underWay--);
  });
  const healthy = await receiverForTest();
  const server = await serverForTest({
    settings: { TENURE_RETRY_SCHEDULE: 'none' },
    // An attempt hangs if it takes longer than a second.
    overrides: { dispatcherLimits: { attemptTimeoutMs: 1_100, perEndpointMax: 4, inFlightMax: 8, pollMs: 50 } },
  });
  const stuck = await Promise.all(Array.from({ length: 6 }, () => pingedEndpoint(server.api, hanging.url)));
  for (const { id } of stuck) await seed(server, id, 12);
  server.context.dispatcher!.wake();
  // Eight of each, after which each is tried with one at a time.
  await hanging.count(6 * 8);
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  most = underWay;
  await endpointFor(server.api, healthy.url);
  await makeReferences(server.api, 50);
  await healthy.count(50);
  await new Promise((resolve) => setTimeout(resolve, 8_000));
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(4);
}, 90_000);
