import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestClock } from '../../support/clock.ts';
import { allPermissions } from '../../support/permissions.ts';
import { isSignedWith, receiverForTest } from '../../support/receiver.ts';
import { expectRefusal, unknown } from '../../support/refusals.ts';
import { good, serverForTest, startTestServer, type TestServer } from '../../support/server.ts';
import { addAccount, addKey } from '../../support/tenants.ts';
import {
  attempted,
  deliveriesOf,
  deliveryOf,
  endpointFor,
  over,
  ping,
  pingedEndpoint,
  queueEmpty,
  timeOf,
} from '../scenario.ts';

/*
 * The sent bytes. Number 6 does not exist, because every endpoint has a secret. An endpoint is created with one, and a roll replaces it.
 */

const { version } = JSON.parse(
  readFileSync(new URL('../../../../package.json', import.meta.url), { encoding: 'utf8' }),
) as { version: string };

let server: TestServer;
beforeAll(async () => {
  // The receivers of earlier tests are gone, so their endpoints get no retries.
  server = await startTestServer({ settings: { TENURE_RETRY_SCHEDULE: 'none' } });
});
afterAll(() => server.stop());

test('1: sends one POST with exactly these members in this order, and no account, when an event occurs', async () => {
  const receiver = await receiverForTest();
  const { api } = server;
  await endpointFor(api, receiver.url);
  await api.post('/v1/references', { application: 'app_1' }, { 'idempotency-key': 'one' });
  await queueEmpty(server);
  const [delivery, ...more] = receiver.received;
  expect(more).toEqual([]);
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

test("1: sends headers with the kind of request and the attempt's number when an event is delivered", async () => {
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
});

test('1: shows the delivery with its endpoint, event, status and attempts when it is retrieved', async () => {
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

test('2: signs exactly the received bytes and the time of sending when an event is delivered', async () => {
  const receiver = await receiverForTest();
  const { api } = server;
  const endpoint = await endpointFor(api, receiver.url);
  const reference = await good(api.post('/v1/references', { application: 'app_1' }));
  const [delivery] = await receiver.count(1);
  expect(delivery!.body.data.object).toEqual(reference.body);
  expect(isSignedWith(endpoint.signing_secret, delivery!)).toBe(true);
  expect(Math.abs(delivery!.receivedAtMs / 1000 - timeOf(delivery!))).toBeLessThan(60);
});

test.each([
  ['letters of all kinds', 'Łukasz Ñandú 名前 שם e\u0301'],
  ['emoji, also of several parts', '🏠👩‍👩‍👧‍👦🇬🇧'],
  ['the line ends of JavaScript alone', 'one\u2028two\u2029three'],
  ['characters that JSON escapes', '"\\/\b\f\n\r\t\u0001\u007f</script>'],
  ['a number too large for a double', '9007199254740993 1.10 1e400'],
])('3: sends a text unchanged and signs the received bytes when it has %s', async (_, text) => {
  const receiver = await receiverForTest();
  const { api } = server;
  const endpoint = await endpointFor(api, receiver.url);
  const made = await api.post('/v1/references', { application: 'app_1', metadata: { [text.slice(0, 20)]: text } });
  expect(made.status, made.text).toBe(200);
  const [delivery] = await receiver.count(1);
  expect(delivery!.body.data.object.metadata).toEqual({ [text.slice(0, 20)]: text });
  expect(isSignedWith(endpoint.signing_secret, delivery!)).toBe(true);
});

test('3: sends numbers and nesting as in the response, with a signature of the received bytes, when an event is delivered', async () => {
  const receiver = await receiverForTest();
  const { api } = server;
  const endpoint = await endpointFor(api, receiver.url, {
    enabled_events: ['application.created', 'customer.created'],
  });
  const rent = { amount: 9_999_999_999, currency: 'gbp', interval: 'month' };
  const address = { line1: '1 Main Street', line2: null, city: 'Łódź', postal_code: '90-001', country: 'PL' };
  const addresses = Array.from({ length: 5 }, () => ({ ...address, from: '2020-02-29', to: null }));
  const made = [
    await good(api.post('/v1/applications', { customers: ['cus_1'], rent })),
    await good(api.post('/v1/customers', { name: 'Ada', addresses })),
  ];
  await receiver.count(2);
  for (const { body } of made) {
    const delivery = receiver.received.find((one) => one.body.data.object.id === body.id)!;
    expect(delivery.body.data.object).toEqual(body);
    expect(delivery.raw.toString('utf8')).toContain(JSON.stringify(body.rent ?? body.addresses));
    expect(isSignedWith(endpoint.signing_secret, delivery)).toBe(true);
  }
});

test('4, 5: sends the same bytes with a new number, time and signature at every attempt', async () => {
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
    // The endpoint is cached for a quarter of a second, by a clock that tests do not move.
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
  const times = received.map(timeOf);
  expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(500);
  expect(times[2]! - times[1]!).toBeGreaterThanOrEqual(500);
  for (const one of received) expect(isSignedWith(endpoint.signing_secret, one)).toBe(true);
});

test('7: does not verify when the secret, a part of it or one byte differs', async () => {
  const receiver = await receiverForTest();
  const { api } = server;
  const [endpoint, other] = [await pingedEndpoint(api, receiver.url), await pingedEndpoint(api, receiver.url)];
  await ping(api, endpoint.id);
  const [delivery] = await receiver.count(1);
  const secret: string = endpoint.signing_secret;
  expect(isSignedWith(secret, delivery!)).toBe(true);
  for (const wrong of [other.signing_secret, secret.slice('whsec_'.length), `${secret}x`, secret.toLowerCase(), '']) {
    expect(isSignedWith(wrong, delivery!)).toBe(false);
  }
  const changed = Buffer.from(delivery!.raw);
  changed[changed.length - 2]! ^= 1;
  expect(isSignedWith(secret, { ...delivery!, raw: changed })).toBe(false);
});

test('8: names the account of an event only when the endpoint is for connected accounts', async () => {
  const { accountId } = await addAccount(server);
  const { api: parent } = await addKey(server, accountId, { permissions: [...allPermissions] });
  const child = (await good(parent.post('/v1/accounts', { name: 'A branch' }))).body;
  const asChild = { 'service-context': child.id };
  const receivers = [await receiverForTest(), await receiverForTest(), await receiverForTest()] as const;
  const [ofConnected, ofParent, ofChild] = receivers;
  const endpoints = [
    await endpointFor(parent, ofConnected.url, { connected: true }),
    await endpointFor(parent, ofParent.url),
    (
      await good(
        parent.post('/v1/webhook_endpoints', { url: ofChild.url, enabled_events: ['reference.created'] }, asChild),
      )
    ).body,
  ];
  const own = (await good(parent.post('/v1/references', { application: 'app_1' }))).body;
  const childs = (await good(parent.post('/v1/references', { application: 'app_1' }, asChild))).body;
  await queueEmpty(server);
  const told = receivers.map(({ received }) => received.map(({ body }) => [body.account, body.data.object.id]));
  expect(told).toEqual([[[child.id, childs.id]], [[undefined, own.id]], [[undefined, childs.id]]]);
  for (const [index, { received }] of receivers.entries()) {
    expect('account' in received[0]!.body).toBe(index === 0);
    expect(isSignedWith(endpoints[index].signing_secret, received[0]!)).toBe(true);
  }
});

test('9: sends null for previous attributes when a record is created, and the changed keys alone when it changes', async () => {
  const receiver = await receiverForTest();
  const { api } = server;
  await endpointFor(api, receiver.url, { enabled_events: ['reference.*'] });
  const metadata = { a: '1', b: '2' };
  const { body: reference } = await good(api.post('/v1/references', { application: 'app_1', metadata }));
  await good(api.post(`/v1/references/${reference.id}`, { metadata: { a: '3' } }));
  await receiver.count(2);
  const previous = receiver.received.map(({ body }) => [body.type, body.data.object.id, body.data.previous_attributes]);
  expect(Object.fromEntries(previous.map(([type, ...rest]) => [type, rest]))).toEqual({
    'reference.created': [reference.id, null],
    'reference.updated': [reference.id, { metadata: { a: '1' } }],
  });
});

test('10, 11: refuses an endpoint with headers of its own, and stores nothing, when a request sends them', async () => {
  const { api } = await addAccount(server);
  const endpoint = await pingedEndpoint(api, 'https://hooks.example.com/');
  const before = (await api.get('/v1/events')).body.count;
  for (const headers of [{ 'Service-Signature': 't=1,v1=0' }, { Host: 'a' }, { 'X-A': 'b\r\nC: d' }, {}]) {
    const refused = [
      await api.post('/v1/webhook_endpoints', { url: 'https://hooks.example.com/', headers }),
      await api.post(`/v1/webhook_endpoints/${endpoint.id}`, { headers }),
    ];
    for (const answer of refused) expectRefusal(answer, unknown('headers'));
  }
  expect((await api.get('/v1/events')).body.count).toBe(before);
  expect((await api.get('/v1/webhook_endpoints')).body.count).toBe(1);
});
