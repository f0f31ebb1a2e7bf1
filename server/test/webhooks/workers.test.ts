import { describe, expect, onTestFinished, test } from 'vitest';
import { listen } from '../../src/db/listen.ts';
import { deliveriesChannel } from '../../src/webhooks/notify.ts';
import { receiverForTest } from '../support/receiver.ts';
import { serverForTest, type TestServer } from '../support/server.ts';
import {
  apiOnly,
  deliveriesOf,
  deliveryIdOf,
  endpointFor,
  expectAttempts,
  hardlyEverMs,
  makeReferences,
  patientLimits,
  pingedEndpoint,
  queueEmpty,
  seed,
  soon,
  workerOn,
} from './scenario.ts';

test('delivers each of four hundred exactly once when they arrive while four processes deliver', async () => {
  const receiver = await receiverForTest();
  const server = await serverForTest({ overrides: { dispatcherLimits: { ...patientLimits, pollMs: 20 } } });
  for (let started = 0; started < 3; started++)
    await workerOn(server, { dispatcherLimits: { ...patientLimits, pollMs: 20 } });
  await endpointFor(server.api, receiver.url);
  await makeReferences(server.api, 400);
  await queueEmpty(server);
  expect(receiver.received).toHaveLength(400);
  expect(new Set(receiver.received.map(deliveryIdOf)).size).toBe(400);
  await expectAttempts(server, 400);
});

describe('processes that only serve requests', () => {
  test('delivers nothing when the role is api', async () => {
    const receiver = await receiverForTest();
    const server = await apiOnly();
    expect(server.context.dispatcher).toBeNull();
    const endpoint = await endpointFor(server.api, receiver.url);
    await makeReferences(server.api, 5);
    const deliveries = await deliveriesOf(server.api, endpoint.id);
    expect(deliveries.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'pending'));
    expect(receiver.received).toHaveLength(0);
  });

  test('notifies a delivering process at once when another one commits', async () => {
    const receiver = await receiverForTest();
    const server = await apiOnly();
    const worker = await workerOn(server, { dispatcherLimits: { pollMs: hardlyEverMs } });
    await hears(worker);
    await endpointFor(server.api, receiver.url);
    for (let made = 1; made <= 5; made++) {
      await makeReferences(server.api, 1);
      await receiver.count(made);
    }
  });
});

test("finds another process's commits by polling when no notification arrives", async () => {
  const receiver = await receiverForTest();
  const server = await serverForTest({ overrides: { dispatcherLimits: { pollMs: 100 } } });
  const endpoint = await pingedEndpoint(server.api, receiver.url);
  for (let round = 1; round <= 3; round++) {
    await seed(server, endpoint.id, 10);
    await receiver.count(10 * round);
  }
  await queueEmpty(server);
  expect(receiver.received).toHaveLength(30);
});

test('delivers waiting events when a process starts', async () => {
  const receiver = await receiverForTest();
  const server = await apiOnly();
  const endpoint = await pingedEndpoint(server.api, receiver.url);
  await seed(server, endpoint.id, 10);
  await workerOn(server, { dispatcherLimits: { pollMs: hardlyEverMs } });
  await receiver.count(10);
});

/** Makes the process listen for deliveries, as a separate process does. */
async function hears({ context }: TestServer): Promise<void> {
  let heard = 0;
  const onNotification = (): void => {
    heard++;
    context.dispatcher!.wake();
  };
  const ear = listen(context.connection, deliveriesChannel, onNotification, context.log);
  onTestFinished(() => ear.stop());
  await expect.poll(() => heard, soon).toBeGreaterThan(0);
}
