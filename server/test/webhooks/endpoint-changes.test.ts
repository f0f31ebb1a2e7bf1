import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestClock } from '../support/clock.ts';
import { isSignedWith, receiverForTest, type Received, type Receiver } from '../support/receiver.ts';
import { serverForTest, startTestServer, type Api, type ApiResponse, type TestServer } from '../support/server.ts';
import {
  attempted,
  deliver,
  deliveriesOf,
  deliveryOf,
  endpointFor,
  Gate,
  makeReferences,
  over,
  ping,
  pingedEndpoint,
  placesOf,
  queueEmpty,
  role,
  seed,
  soon,
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

const timeOf = ({ headers }: Received): number => Number(/^t=(\d+)/.exec(String(headers['service-signature']))![1]);

describe('a roll of the secret', () => {
  test('under steady load, in two processes: what is signed later than its answer is signed with the new one', async () => {
    const receiver = await receiverForTest();
    const loaded = await serverForTest({ overrides: { dispatcherLimits: { pollMs: 20 } } });
    await serverForTest({
      connection: loaded.connection,
      settings: role('worker'),
      overrides: { dispatcherLimits: { pollMs: 20 } },
    });
    const { api } = loaded;
    const endpoint = await endpointFor(api, receiver.url);
    const load = underLoad(api);
    await receiver.count(20);
    const rolled = await api.post(`/v1/webhook_endpoints/${endpoint.id}/roll_secret`);
    const answeredAtSeconds = Math.floor(Date.now() / 1000);
    expect(rolled.status, rolled.text).toBe(200);
    const later = (): Received[] => receiver.received.filter((one) => timeOf(one) > answeredAtSeconds);
    await expect.poll(() => later().length, soon).toBeGreaterThan(20);
    await load.stop();
    await queueEmpty(loaded);

    const [before, after] = [endpoint.signing_secret, rolled.body.signing_secret];
    expect(after).not.toBe(before);
    expect(isSignedWith(before, receiver.received[0]!)).toBe(true);
    for (const one of receiver.received) {
      expect([before, after].filter((secret) => isSignedWith(secret, one))).toHaveLength(1);
    }
    expect(later().filter((one) => !isSignedWith(after, one))).toEqual([]);
  });

  test('while a retry waits: the retry is signed with the new one', async () => {
    const receiver = await receiverForTest(500, 200);
    const endpoint = await waitingForRetry(receiver);
    const { body: rolled } = await server.api.post(`/v1/webhook_endpoints/${endpoint.id}/roll_secret`);
    clock.advanceSeconds(800);
    expect(await over(server.api, endpoint.id)).toMatchObject({ status: 'delivered', attempt_count: 2 });
    const [first, second] = receiver.received;
    expect(isSignedWith(endpoint.signing_secret, first!)).toBe(true);
    expect(isSignedWith(endpoint.signing_secret, second!)).toBe(false);
    expect(isSignedWith(rolled.signing_secret, second!)).toBe(true);
  });

  test('again and again, all at once: the last one counts', async () => {
    const receiver = await receiverForTest();
    const endpoint = await pingedEndpoint(server.api, receiver.url);
    const rolls = await Promise.all(
      Array.from({ length: 10 }, () => server.api.post(`/v1/webhook_endpoints/${endpoint.id}/roll_secret`)),
    );
    const secrets = new Set<string>(
      rolls.filter(({ status }) => status === 200).map((roll) => roll.body.signing_secret),
    );
    expect(secrets.size).toBe(rolls.length);
    const { body: now } = await server.api.get(`/v1/webhook_endpoints/${endpoint.id}`);
    expect(secrets).toContain(now.signing_secret);
    await deliver(server, endpoint.id);
    expect(isSignedWith(now.signing_secret, receiver.received[0]!)).toBe(true);
  });
});

describe('while a retry waits', () => {
  test('the URL is changed: the next attempt goes to the new one', async () => {
    const [before, after] = [await receiverForTest(500), await receiverForTest()];
    const endpoint = await waitingForRetry(before);
    await server.api.post(`/v1/webhook_endpoints/${endpoint.id}`, { url: after.url });
    clock.advanceSeconds(800);
    expect(await over(server.api, endpoint.id)).toMatchObject({ status: 'delivered', attempt_count: 2 });
    expect(before.received).toHaveLength(1);
    expect(after.received).toHaveLength(1);
    expect(after.received[0]!.headers['service-attempt']).toBe('2');
  });

  test('the endpoint is disabled: it is canceled, and enabling it does not bring it back', async () => {
    const receiver = await receiverForTest(500, 200);
    const endpoint = await waitingForRetry(receiver);
    await server.api.post(`/v1/webhook_endpoints/${endpoint.id}`, { status: 'disabled' });
    const canceled = await deliveryOf(server.api, endpoint.id);
    expect(canceled).toMatchObject({ status: 'canceled', attempt_count: 1, next_attempt_at: null, delivered_at: null });
    await server.api.post(`/v1/webhook_endpoints/${endpoint.id}`, { status: 'enabled' });
    clock.advanceSeconds(800);
    await othersAreServed();
    expect(receiver.received).toHaveLength(1);
    expect(await deliveryOf(server.api, endpoint.id)).toEqual(canceled);
    await ping(server.api, endpoint.id);
    await queueEmpty(server);
    expect(receiver.received).toHaveLength(2);
  });

  test('the endpoint is deleted: it is canceled, and its event still shows it', async () => {
    const receiver = await receiverForTest(500, 200);
    const endpoint = await waitingForRetry(receiver);
    const { event } = await deliveryOf(server.api, endpoint.id);
    expect((await server.api.delete(`/v1/webhook_endpoints/${endpoint.id}`)).status).toBe(200);
    clock.advanceSeconds(800);
    await othersAreServed();
    expect(receiver.received).toHaveLength(1);
    expect((await server.api.get(`/v1/events/${event}/deliveries`)).body.data).toMatchObject([
      { status: 'canceled', attempt_count: 1 },
    ]);
  });

  test('its event goes: it is canceled', async () => {
    const receiver = await receiverForTest(500, 200);
    const endpoint = await waitingForRetry(receiver);
    const { event } = await deliveryOf(server.api, endpoint.id);
    await server.context.database.readers.query('delete from events where id = $1', [event]);
    clock.advanceSeconds(800);
    expect(await over(server.api, endpoint.id)).toMatchObject({ status: 'canceled', attempt_count: 1 });
    expect(receiver.received).toHaveLength(1);
  });
});

describe('while an attempt is under way', () => {
  test.each([200, 500])(
    'the endpoint is deleted: an answer of %i is kept, and nothing more is sent',
    async (status) => {
      const { gate, receiver, endpoint, event } = await underWay(status);
      expect((await server.api.delete(`/v1/webhook_endpoints/${endpoint.id}`)).status).toBe(200);
      gate.open();
      const shown = async () => (await server.api.get(`/v1/events/${event}/deliveries`)).body.data[0];
      await expect.poll(async () => (await shown()).attempts, soon).toMatchObject([{ status }]);
      expect(await shown()).toMatchObject({ status: status === 200 ? 'delivered' : 'canceled', attempt_count: 1 });
      clock.advanceSeconds(800);
      await othersAreServed();
      expect(receiver.received).toHaveLength(1);
    },
  );

  test('the endpoint is disabled: a failure is not tried again', async () => {
    const { gate, receiver, endpoint } = await underWay(500);
    await server.api.post(`/v1/webhook_endpoints/${endpoint.id}`, { status: 'disabled' });
    gate.open();
    await attempted(server.api, endpoint.id, 1);
    clock.advanceSeconds(800);
    await othersAreServed();
    expect(receiver.received).toHaveLength(1);
    expect(await deliveryOf(server.api, endpoint.id)).toMatchObject({ status: 'canceled', attempt_count: 1 });
  });
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

/** An endpoint whose only delivery has failed once. */
async function waitingForRetry(receiver: Receiver): Promise<ApiResponse['body']> {
  const endpoint = await pingedEndpoint(server.api, receiver.url);
  await ping(server.api, endpoint.id);
  await attempted(server.api, endpoint.id, 1);
  return endpoint;
}

async function underWay(status: number) {
  const gate = new Gate();
  const receiver = await receiverForTest((response) => void gate.pass().then(() => response.writeHead(status).end()));
  const endpoint = await pingedEndpoint(server.api, receiver.url);
  const { event } = await ping(server.api, endpoint.id);
  await receiver.count(1);
  return { gate, receiver, endpoint, event };
}

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

/** Proves that the queue was looked at since, and that nothing has crashed. */
async function othersAreServed(): Promise<void> {
  const receiver = await receiverForTest();
  const endpoint = await pingedEndpoint(server.api, receiver.url);
  for (let round = 0; round < 2; round++) {
    expect(await deliver(server, endpoint.id)).toMatchObject({ status: 'delivered' });
  }
}

/** References, a few at a time, until it is told to stop. */
function underLoad(api: Api): { stop(): Promise<void> } {
  const stop = new AbortController();
  const running = (async () => {
    while (!stop.signal.aborted) {
      await makeReferences(api, 3);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  return {
    stop() {
      stop.abort();
      return running;
    },
  };
}
