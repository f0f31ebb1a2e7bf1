import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestClock } from '../support/clock.ts';
import { receiverForTest } from '../support/receiver.ts';
import { serverForTest, startTestServer, type TestServer } from '../support/server.ts';
import {
  deliveriesOf,
  deliveryOf,
  endpointFor,
  makeReferences,
  over,
  ping,
  pingedEndpoint,
  placesOf,
  queueEmpty,
  seed,
  timeOf,
  underLoad,
  waitingForRetry,
} from './scenario.ts';

/*
 * Each attempt uses the endpoint's state of its own time, from the response to a change on.
 */

/** On this server a test can let ten minutes pass. */
let server: TestServer;
const clock = new TestClock();
beforeAll(async () => {
  server = await startTestServer({
    settings: { TENURE_RETRY_SCHEDULE: '600' },
    overrides: { clock, dispatcherLimits: { pollMs: 20 } },
  });
});
afterAll(() => server.stop());

test('cancels a delivery when its event is deleted during the pause before a retry', async () => {
  const receiver = await receiverForTest(500, 200);
  const endpoint = await waitingForRetry(server, receiver);
  const { event } = await deliveryOf(server.api, endpoint.id);
  await server.context.database.readers.query('delete from events where id = $1', [event]);
  clock.advanceSeconds(800);
  expect(await over(server.api, endpoint.id)).toMatchObject({ status: 'canceled', attempt_count: 1 });
  expect(receiver.received).toHaveLength(1);
});

test('cancels queued deliveries when their endpoint is disabled', async () => {
  const receiver = await receiverForTest();
  const endpoint = await pingedEndpoint(server.api, receiver.url);
  await server.api.post(`/v1/webhook_endpoints/${endpoint.id}`, { status: 'disabled' });
  await seed(server, endpoint.id, 5);
  await queueEmpty(server);
  const deliveries = await deliveriesOf(server.api, endpoint.id);
  expect(deliveries.map(({ status, attempts }) => [status, attempts])).toEqual(
    Array.from({ length: 5 }, () => ['canceled', []]),
  );
  expect(receiver.received).toHaveLength(0);
});

test('begins no request after the response when an endpoint is disabled under load', async () => {
  const receiver = await receiverForTest();
  const loaded = await serverForTest({ overrides: { dispatcherLimits: { pollMs: 20 } } });
  const endpoint = await endpointFor(loaded.api, receiver.url);
  const load = underLoad(loaded.api);
  await receiver.count(10);
  await loaded.api.post(`/v1/webhook_endpoints/${endpoint.id}`, { status: 'disabled' });
  const answeredAtSeconds = Math.floor(Date.now() / 1000);
  await load.stop();
  await makeReferences(loaded.api, 10);
  await queueEmpty(loaded);
  expect(await placesOf(loaded, endpoint.id)).toEqual([]);
  expect(receiver.received.filter((one) => timeOf(one) > answeredAtSeconds)).toEqual([]);
});

describe('re-enabled endpoints', () => {
  test('cancels leftovers of a large backlog when their endpoint was enabled again', async () => {
    const receiver = await receiverForTest();
    const endpoint = await pingedEndpoint(server.api, receiver.url);
    const path = `/v1/webhook_endpoints/${endpoint.id}`;
    await server.api.post(path, { status: 'disabled' });
    await server.api.post(path, { status: 'enabled' });
    // These deliveries have the endpoint's first enablement number, like deliveries from before it was disabled.
    await seed(server, endpoint.id, 3);
    await queueEmpty(server);
    expect((await deliveriesOf(server.api, endpoint.id)).map(({ status }) => status)).toEqual(
      Array.from({ length: 3 }, () => 'canceled'),
    );
    await ping(server.api, endpoint.id);
    await receiver.count(1);
    expect(receiver.received.map(({ body }) => body.type)).toEqual(['webhook_endpoint.pinged']);
  });

  test("delivers when a process's clock is ten minutes late after an endpoint was enabled", async () => {
    const late = new TestClock();
    late.advanceSeconds(-600);
    const { connection, secretKey } = server;
    const behind = await serverForTest({ connection, secretKey, overrides: { clock: late } });
    const receiver = await receiverForTest();
    const endpoint = await endpointFor(server.api, receiver.url, { status: 'disabled' });
    await server.api.post(`/v1/webhook_endpoints/${endpoint.id}`, { status: 'enabled' });
    await makeReferences(behind.api, 2);
    await receiver.count(2);
    expect((await deliveriesOf(server.api, endpoint.id)).map(({ status }) => status)).not.toContain('canceled');
    await server.api.delete(`/v1/webhook_endpoints/${endpoint.id}`);
  });
});
