import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { receiverForTest } from '../support/receiver.ts';
import { serverForTest } from '../support/server.ts';
import { waitMs } from '../support/wait.ts';
import { deliveriesOf, endpointFor, makeReferences, pingedEndpoint, queueEmpty, seed } from './scenario.ts';

/** So long that a test times out if a delivery waits for a hanging attempt or for the next poll. */
const forEverMs = 300_000;

test('delivers fifty to one endpoint when ten others hang with two hundred waiting each', async () => {
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

test('delivers first attempts in time when many retries are due at once', async () => {
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

test('delivers a thousand to one endpoint without another poll when the queue is long', async () => {
  const receiver = await receiverForTest();
  const server = await serverForTest({ overrides: { dispatcherLimits: { pollMs: forEverMs } } });
  const endpoint = await pingedEndpoint(server.api, receiver.url);
  await seed(server, endpoint.id, 1_000);
  server.context.dispatcher!.wake();
  await queueEmpty(server);
  expect(receiver.received).toHaveLength(1_000);
});

test('delivers a thousand to a hundred endpoints without another poll when the queue is long', async () => {
  const receiver = await receiverForTest();
  const server = await serverForTest({ overrides: { dispatcherLimits: { pollMs: forEverMs } } });
  await Promise.all(Array.from({ length: 100 }, () => endpointFor(server.api, receiver.url)));
  await makeReferences(server.api, 10);
  await queueEmpty(server);
  expect(receiver.received).toHaveLength(1_000);
});

test('keeps half of the slots for working endpoints when many endpoints hang', async () => {
  const hanging = await receiverForTest(() => {});
  const healthy = await receiverForTest();
  const server = await serverForTest({
    settings: { TENURE_RETRY_SCHEDULE: 'none' },
    // An attempt counts as hanging after a second.
    overrides: { dispatcherLimits: { attemptTimeoutMs: 1_100, perEndpointMax: 4, inFlightMax: 8, pollMs: 50 } },
  });
  const stuck = await Promise.all(Array.from({ length: 6 }, () => pingedEndpoint(server.api, hanging.url)));
  for (const { id } of stuck) await seed(server, id, 12);
  server.context.dispatcher!.wake();
  // After eight failed attempts, an endpoint gets one attempt at a time.
  const failedOf = async (id: string): Promise<number> =>
    (await deliveriesOf(server.api, id)).filter(({ status }) => status === 'failed').length;
  for (const { id } of stuck) await expect.poll(() => failedOf(id), { timeout: waitMs }).toBeGreaterThanOrEqual(8);
  const endpoint = await endpointFor(server.api, healthy.url);
  await makeReferences(server.api, 50);
  await healthy.count(50);
  const delivered = async () =>
    (await deliveriesOf(server.api, endpoint.id)).filter(({ status }) => status !== 'pending');
  await expect.poll(async () => (await delivered()).length).toBe(50);
  // A delivery is shown as delivered a moment before its slot is free. From then on, only hanging attempts are under way.
  await expect.poll(() => server.context.dispatcher!.inFlight).toBeLessThanOrEqual(4);
  let most = 0;
  for (const endsAtMs = performance.now() + 8_000; performance.now() < endsAtMs; await delay(10)) {
    most = Math.max(most, server.context.dispatcher!.inFlight);
  }
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(4);
});
