import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestClock } from '../../support/clock.ts';
import { allOf } from '../../support/paging.ts';
import { isSignedWith, receiverForTest } from '../../support/receiver.ts';
import { expectRefusal, refusals } from '../../support/refusals.ts';
import { startTestServer, type ApiResponse, type TestServer } from '../../support/server.ts';
import { addAccount } from '../../support/tenants.ts';
import {
  attempted,
  deliver,
  deliveryOf,
  endpointFor,
  Gate,
  over,
  ping,
  pingedEndpoint,
  queueEmpty,
  soon,
  waitingForRetry,
} from '../scenario.ts';

/*
 * The endpoints of an event are chosen when it occurs, and checked again at each attempt.
 */

const path = '/v1/webhook_endpoints';
const url = 'http://127.0.0.1:9/';
const unknownId = 'we_0000000000000000000000';

describe('endpoints of an event', () => {
  let server: TestServer;
  beforeAll(async () => {
    // The receivers of earlier tests are gone, so their endpoints get no retries.
    server = await startTestServer({ settings: { TENURE_RETRY_SCHEDULE: 'none' } });
  });
  afterAll(() => server.stop());

  test('37: sends an event to each subscribed endpoint with its own signature, and to no other, when it occurs', async () => {
    const [exact, some, all, none] = [
      await receiverForTest(),
      await receiverForTest(),
      await receiverForTest(),
      await receiverForTest(),
    ];
    const { api } = server;
    const endpoints = [
      await endpointFor(api, exact.url),
      await endpointFor(api, some.url, { enabled_events: ['reference.*'] }),
      await endpointFor(api, all.url, { enabled_events: ['*'] }),
      await endpointFor(api, none.url, { enabled_events: ['customer.*', 'reference.updated', 'api_key.rolled'] }),
    ];
    const { body: reference } = await api.post('/v1/references', { application: 'app_1' });
    await queueEmpty(server);
    const forReference = [exact, some, all, none].map(({ received }) =>
      received.filter(({ body }) => body.data.object.id === reference.id),
    );
    expect(forReference.map(({ length }) => length)).toEqual([1, 1, 1, 0]);
    for (const [index, [delivery]] of forReference.slice(0, 3).entries()) {
      expect(endpoints.map(({ signing_secret }) => isSignedWith(signing_secret, delivery!))).toEqual(
        endpoints.map((_, other) => other === index),
      );
    }
  });

  test('38, 40: sends no earlier event to an endpoint when it is created or enabled later', async () => {
    const receiver = await receiverForTest();
    const { api } = server;
    await api.post('/v1/references', { application: 'app_before' });
    const endpoint = await endpointFor(api, receiver.url, { status: 'disabled' });
    await api.post('/v1/references', { application: 'app_while_disabled' });
    await api.post(`/v1/webhook_endpoints/${endpoint.id}`, { status: 'enabled' });
    await api.post('/v1/references', { application: 'app_after' });
    await queueEmpty(server);
    expect(receiver.received.map(({ body }) => body.data.object.application)).toEqual(['app_after']);
  });

  test("47: sends no event to another account's endpoint, and shows it no delivery, when an event occurs", async () => {
    const [mine, theirs] = [await receiverForTest(), await receiverForTest()];
    const other = await addAccount(server);
    await endpointFor(server.api, mine.url, { enabled_events: ['*'] });
    await endpointFor(other.api, theirs.url, { enabled_events: ['*'] });
    await server.api.post('/v1/references', { application: 'app_mine' });
    await other.api.post('/v1/references', { application: 'app_theirs' });
    await queueEmpty(server);
    expect(JSON.stringify(mine.received)).not.toContain('app_theirs');
    expect(JSON.stringify(theirs.received)).not.toContain('app_mine');
    expect(mine.received.length).toBeGreaterThan(0);
    expect(theirs.received.length).toBeGreaterThan(0);
    for (const { body } of mine.received) {
      expectRefusal(await other.api.get(`/v1/events/${body.id}`), refusals.idUnknown);
      expectRefusal(await other.api.get(`/v1/events/${body.id}/deliveries`), refusals.idUnknown);
    }
  });

  test("47: answers another account like an unknown id, and changes nothing, when it uses an endpoint's id", async () => {
    const { api } = server;
    const { api: other } = await addAccount(server);
    const endpoint = await pingedEndpoint(api, url);
    const eventsBefore = await allOf(api, '/v1/events', { object_id: endpoint.id });
    const ask: ((its: string) => Promise<ApiResponse>)[] = [
      (its) => other.get(its),
      (its) => other.get(`${its}/deliveries`),
      (its) => other.post(its, { description: 'x' }),
      (its) => other.post(`${its}/roll_secret`),
      (its) => other.post(`${its}/ping`),
      (its) => other.delete(its),
    ];
    for (const by of ask) {
      const [foreign, nobodys] = [await by(`${path}/${endpoint.id}`), await by(`${path}/${unknownId}`)];
      expectRefusal(foreign, refusals.idUnknown);
      expect(comparable(foreign)).toEqual(comparable(nobodys, unknownId, endpoint.id));
    }
    for (const strange of ['we_1', 'ref_0000000000000000000000', `${endpoint.id}x`, '%00', 'WE_0000000000000000000000'])
      expectRefusal(await other.get(`${path}/${strange}`), refusals.idUnknown);

    expect((await other.get(path)).body).toMatchObject({ count: 0, data: [] });
    expect((await other.get('/v1/events')).body.count).toBe(0);
    expect((await api.get(`${path}/${endpoint.id}`)).body).toStrictEqual(endpoint);
    expect(await allOf(api, '/v1/events', { object_id: endpoint.id })).toStrictEqual(eventsBefore);
  });
});

describe('the endpoint of an attempt', () => {
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

  test('39: cancels a waiting retry when the endpoint is disabled, and does not resume it when enabled', async () => {
    const receiver = await receiverForTest(500, 200);
    const endpoint = await waitingForRetry(server, receiver);
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

  test('39: does not retry a failed attempt when the endpoint was disabled during it', async () => {
    const { gate, receiver, endpoint } = await underWay(500);
    await server.api.post(`/v1/webhook_endpoints/${endpoint.id}`, { status: 'disabled' });
    gate.open();
    await attempted(server.api, endpoint.id, 1);
    clock.advanceSeconds(800);
    await othersAreServed();
    expect(receiver.received).toHaveLength(1);
    expect(await deliveryOf(server.api, endpoint.id)).toMatchObject({ status: 'canceled', attempt_count: 1 });
  });

  test('41: cancels a waiting retry and keeps it below its event when the endpoint is deleted', async () => {
    const receiver = await receiverForTest(500, 200);
    const endpoint = await waitingForRetry(server, receiver);
    const { event } = await deliveryOf(server.api, endpoint.id);
    expect((await server.api.delete(`/v1/webhook_endpoints/${endpoint.id}`)).status).toBe(200);
    clock.advanceSeconds(800);
    await othersAreServed();
    expect(receiver.received).toHaveLength(1);
    expect((await server.api.get(`/v1/events/${event}/deliveries`)).body.data).toMatchObject([
      { status: 'canceled', attempt_count: 1 },
    ]);
  });

  test.each([200, 500])(
    '41: stores a response of %i and sends nothing more when the endpoint is deleted during the attempt',
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

  test('42: sends the next attempt to the new URL when the URL changes during the pause', async () => {
    const [before, after] = [await receiverForTest(500), await receiverForTest()];
    const endpoint = await waitingForRetry(server, before);
    await server.api.post(`/v1/webhook_endpoints/${endpoint.id}`, { url: after.url });
    clock.advanceSeconds(800);
    expect(await over(server.api, endpoint.id)).toMatchObject({ status: 'delivered', attempt_count: 2 });
    expect(before.received).toHaveLength(1);
    expect(after.received).toHaveLength(1);
    expect(after.received[0]!.headers['service-attempt']).toBe('2');
  });

  async function underWay(status: number) {
    const gate = new Gate();
    const receiver = await receiverForTest((response) => void gate.pass().then(() => response.writeHead(status).end()));
    const endpoint = await pingedEndpoint(server.api, receiver.url);
    const { event } = await ping(server.api, endpoint.id);
    await receiver.count(1);
    return { gate, receiver, endpoint, event };
  }

  /** Proves that the dispatcher has polled the queue since, and has not crashed. */
  async function othersAreServed(): Promise<void> {
    const receiver = await receiverForTest();
    const endpoint = await pingedEndpoint(server.api, receiver.url);
    for (let round = 0; round < 2; round++) {
      expect(await deliver(server, endpoint.id)).toMatchObject({ status: 'delivered' });
    }
  }
});

/** Returns a whole response without its own id. */
function comparable({ status, text, headers }: ApiResponse, id = '', instead = ''): unknown[] {
  const requestId = headers.get('request-id')!;
  const names = [...headers.keys()].filter((name) => name !== 'date' && name !== 'content-length');
  return [status, text.replaceAll(requestId, '').replaceAll(id, instead), names];
}
