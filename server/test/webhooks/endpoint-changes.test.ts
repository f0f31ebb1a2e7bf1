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
 * What is sent, and whether, follows the endpoint as it is at the time of each attempt, from the answer to its change on.
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

test('the event of a delivery goes while its retry waits: it is canceled', async () => {
  const receiver = await receiverForTest(500, 200);
  const endpoint = await waitingForRetry(server, receiver);
  const { event } = await deliveryOf(server.api, endpoint.id);
  await server.context.database.readers.query('delete from events where id = $1', [event]);
  clock.advanceSeconds(800);
  expect(await over(server.api, endpoint.id)).toMatchObject({ status: 'canceled', attempt_count: 1 });
  expect(receiver.received).toHaveLength(1);
});

test('what waits for a disabled endpoint in the queue all the same is canceled, not sent', async () => {
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

test('a disabled endpoint is under load: from its answer on, not one request begins', async () => {
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

describe('enabling starts afresh', () => {
  test('for what a large backlog left in the queue too: it was made for an earlier time', async () => {
    const receiver = await receiverForTest();
    const endpoint = await pingedEndpoint(server.api, receiver.url);
    const path = `/v1/webhook_endpoints/${endpoint.id}`;
    await server.api.post(path, { status: 'disabled' });
    await server.api.post(path, { status: 'enabled' });
    // Deliveries bear the endpoint's first number here, as those do that were made before it was disabled.
    await seed(server, endpoint.id, 3);
    await queueEmpty(server);
    expect((await deliveriesOf(server.api, endpoint.id)).map(({ status }) => status)).toEqual(
      Array.from({ length: 3 }, () => 'canceled'),
    );
    await ping(server.api, endpoint.id);
    await receiver.count(1);
    expect(receiver.received.map(({ body }) => body.type)).toEqual(['webhook_endpoint.pinged']);
  });

  test('whatever the clocks of the processes say: one that is ten minutes late loses nothing', async () => {
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
