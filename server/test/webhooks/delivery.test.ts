import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestClock } from '../support/clock.ts';
import { isSignedWith, receiverForTest } from '../support/receiver.ts';
import { serverForTest, startTestServer, type TestServer } from '../support/server.ts';
import { addAccount } from '../support/tenants.ts';
import {
  attempted,
  deliveriesOf,
  deliveryOf,
  endpointFor,
  over,
  ping,
  pingedEndpoint,
  queueEmpty,
} from './scenario.ts';

const { version } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), { encoding: 'utf8' }),
) as { version: string };

let server: TestServer;
beforeAll(async () => {
  // The receivers of tests that are over are there no more; nobody shall go on trying them.
  server = await startTestServer({ settings: { TENURE_RETRY_SCHEDULE: 'none' } });
});
afterAll(() => server.stop());

test('an event is delivered, signed, within moments of its change', async () => {
  const receiver = await receiverForTest();
  const { api } = server;
  const endpoint = await endpointFor(api, receiver.url);
  const reference = await api.post('/v1/references', { application: 'app_1' });
  const [delivery] = await receiver.count(1);
  expect(isSignedWith(endpoint.signing_secret, delivery!)).toBe(true);
  expect(delivery!.body.data.object).toEqual(reference.body);
});

describe('the wire format', () => {
  test('the body is the event, with exactly these members in this order, and no account', async () => {
    const receiver = await receiverForTest();
    const { api } = server;
    await endpointFor(api, receiver.url);
    await api.post('/v1/references', { application: 'app_1' }, { 'idempotency-key': 'one' });
    const [delivery] = await receiver.count(1);
    expect(Object.keys(delivery!.body)).toEqual(['id', 'object', 'created', 'type', 'data', 'request']);
    expect(Object.keys(delivery!.body.data)).toEqual(['object', 'previous_attributes']);
    const { body: event } = await api.get(`/v1/events/${delivery!.body.id}`);
    expect(event).toMatchObject(delivery!.body);
    expect(delivery!.body).toMatchObject({
      object: 'event',
      type: 'reference.created',
      data: { previous_attributes: null },
      request: { idempotency_key: 'one' },
    });
    expect(delivery!.raw.toString('utf8')).not.toContain('acct_');
  });

  test('of a change, the body tells the changed keys alone', async () => {
    const receiver = await receiverForTest();
    const { api } = server;
    await endpointFor(api, receiver.url, { enabled_events: ['reference.updated'] });
    const { body: reference } = await api.post('/v1/references', {
      application: 'app_1',
      metadata: { a: '1', b: '2' },
    });
    await api.post(`/v1/references/${reference.id}`, { metadata: { a: '3' } });
    const [delivery] = await receiver.count(1);
    expect(delivery!.body).toMatchObject({ type: 'reference.updated', data: { object: { id: reference.id } } });
    expect(delivery!.body.data.previous_attributes).toEqual({ metadata: { a: '1' } });
  });

  test('the headers tell what it is, and which attempt', async () => {
    const receiver = await receiverForTest();
    const { api } = server;
    const endpoint = await endpointFor(api, `${receiver.url}/in/the%20house?a=1&b=%C3%A9`);
    await api.post('/v1/references', { application: 'app_1' });
    const [delivery] = await receiver.count(1);
    const [shown] = await deliveriesOf(api, endpoint.id);
    const { host } = new URL(receiver.url);
    expect(delivery).toMatchObject({ method: 'POST', path: '/hook/in/the%20house?a=1&b=%C3%A9' });
    expect(delivery!.headers).toEqual({
      host,
      connection: 'keep-alive',
      'content-type': 'application/json',
      'content-length': String(delivery!.raw.length),
      'user-agent': `Tenure/${version}`,
      'service-signature': expect.stringMatching(/^t=\d+,v1=[0-9a-f]{64}$/),
      'service-version': endpoint.api_version,
      'service-event-id': delivery!.body.id,
      'service-delivery-id': shown.id,
      'service-attempt': '1',
    });
    const t = Number(/^t=(\d+)/.exec(String(delivery!.headers['service-signature']))![1]);
    expect(Math.abs(delivery!.receivedAtMs / 1000 - t)).toBeLessThan(10);
  });

  test.each([
    ['letters of all kinds', 'Łukasz Ñandú 名前 שם e\u0301'],
    ['emoji, also of several parts', '🏠👩‍👩‍👧‍👦🇬🇧'],
    ['ends of lines that only JavaScript knows', 'one\u2028two\u2029three'],
    ['what JSON escapes', '"\\/\b\f\n\r\t\u0001\u007f</script>'],
    ['a number too large for a double', '9007199254740993 1.10 1e400'],
  ])('%s arrive as they are, and the signature is of the bytes that arrive', async (_, text) => {
    const receiver = await receiverForTest();
    const { api } = server;
    const endpoint = await endpointFor(api, receiver.url);
    const made = await api.post('/v1/references', { application: 'app_1', metadata: { [text.slice(0, 20)]: text } });
    expect(made.status, made.text).toBe(200);
    const [delivery] = await receiver.count(1);
    expect(delivery!.body.data.object.metadata).toEqual({ [text.slice(0, 20)]: text });
    expect(isSignedWith(endpoint.signing_secret, delivery!)).toBe(true);
    expect(isSignedWith(endpoint.signing_secret.slice('whsec_'.length), delivery!)).toBe(false);
    expect(isSignedWith(`${endpoint.signing_secret}x`, delivery!)).toBe(false);
  });

  test('every attempt has the same bytes, its own number and a time and signature of its own', async () => {
    const clock = new TestClock();
    const receiver = await receiverForTest(500, 503, 200);
    const { api } = await serverForTest({
      settings: { TENURE_RETRY_SCHEDULE: '600,600' },
      overrides: { clock, dispatcherLimits: { pollMs: 20 } },
    });
    const endpoint = await endpointFor(api, receiver.url);
    await api.post('/v1/references', { application: 'app_1', metadata: { note: 'twice 🏠\u2028' } });
    for (const attempts of [1, 2]) {
      await attempted(api, endpoint.id, attempts);
      // What was read of an endpoint is used for a quarter of a second, by a clock that nobody moves.
      await new Promise((resolve) => setTimeout(resolve, 300));
      clock.advanceSeconds(800);
    }
    const delivery = await over(api, endpoint.id);
    expect(delivery).toMatchObject({ status: 'delivered', attempt_count: 3, next_attempt_at: null });
    const { received } = receiver;
    expect(received.map(({ headers }) => headers['service-attempt'])).toEqual(['1', '2', '3']);
    expect(new Set(received.map(({ raw }) => raw.toString('hex'))).size).toBe(1);
    for (const name of ['service-delivery-id', 'service-event-id', 'service-version']) {
      expect(new Set(received.map(({ headers }) => headers[name])).size).toBe(1);
    }
    const times = received.map(({ headers }) => Number(/^t=(\d+)/.exec(String(headers['service-signature']))![1]));
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(500);
    expect(times[2]! - times[1]!).toBeGreaterThanOrEqual(500);
    for (const one of received) expect(isSignedWith(endpoint.signing_secret, one)).toBe(true);
  });
});

describe('whom an event goes to', () => {
  test('to each endpoint that subscribed to it, signed with its own secret, and to no other', async () => {
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
      await endpointFor(api, none.url, { enabled_events: ['customer.*', 'reference.updated', 'tenancy.created'] }),
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

  test('not to an endpoint that is made, or enabled, after it', async () => {
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

  test('never to an endpoint of another account', async () => {
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
  });

  test('a request that is repeated with its idempotency key makes one delivery', async () => {
    const receiver = await receiverForTest();
    await endpointFor(server.api, receiver.url);
    for (let time = 0; time < 3; time++) {
      await server.api.post('/v1/references', { application: 'app_1' }, { 'idempotency-key': 'same' });
    }
    await queueEmpty(server);
    expect(receiver.received).toHaveLength(1);
  });
});

test('a delivery is shown with its endpoint and with its event: state and every attempt', async () => {
  const receiver = await receiverForTest((response) => response.writeHead(202).end('Taken.'));
  const { api } = server;
  const endpoint = await pingedEndpoint(api, receiver.url);
  const pinged = await ping(api, endpoint.id);
  expect(pinged).toMatchObject({ object: 'delivery', status: 'pending', attempt_count: 0, attempts: [] });
  await over(api, endpoint.id);
  const delivery = await deliveryOf(api, endpoint.id);
  expect(delivery).toEqual({
    id: pinged.id,
    object: 'delivery',
    created: pinged.created,
    event: pinged.event,
    webhook_endpoint: endpoint.id,
    type: 'webhook_endpoint.pinged',
    status: 'delivered',
    attempt_count: 1,
    next_attempt_at: null,
    delivered_at: expect.any(Number),
    attempts: [
      {
        created: expect.any(Number),
        status: 202,
        error: null,
        duration_ms: expect.any(Number),
        response: 'Taken.',
        api_version: endpoint.api_version,
      },
    ],
  });
  const ofEvent = await api.get(`/v1/events/${pinged.event}/deliveries`);
  expect(ofEvent.body.data).toEqual([delivery]);
});
