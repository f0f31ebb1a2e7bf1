import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { withClient } from '../../src/db/pools.ts';
import { TestClock } from '../support/clock.ts';
import { allPermissions } from '../support/permissions.ts';
import { isSignedWith, receiverForTest } from '../support/receiver.ts';
import { expectRefusal, invalid, missing, refusals } from '../support/refusals.ts';
import { good, startTestServer, type Api, type ApiResponse, type TestServer } from '../support/server.ts';
import { addAccount, addKey } from '../support/tenants.ts';
import { attempted, deliveriesOf, endpointFor, Gate, over, ping, pingedEndpoint, placesOf, soon } from './scenario.ts';

/*
 * `POST /v1/events/{id}/resend` sends one event again at once, such as after the repair of a receiver.
 */

type Body = ApiResponse['body'];

/** On this server a test can let ten minutes pass. */
let server: TestServer;
let api: Api;
const clock = new TestClock();
beforeAll(async () => {
  server = await startTestServer({
    settings: { TENURE_RETRY_SCHEDULE: '600' },
    overrides: { clock, dispatcherLimits: { pollMs: 20 } },
  });
});
beforeEach(async () => {
  const account = await addAccount(server);
  ({ api } = await addKey(server, account.accountId, { permissions: allPermissions }));
});
afterAll(() => server.stop());

const resend = (event: string, endpoint: string, by = api, headers = {}): Promise<ApiResponse> =>
  by.post(`/v1/events/${event}/resend`, { webhook_endpoint: endpoint }, headers);

const after = (gate: Gate, status: number) => (response: ServerResponse) =>
  void gate.pass().then(() => response.writeHead(status).end());

/** Waits until a delivery is finished, and returns it. */
async function ended(endpointId: string, deliveryId: string, by = api): Promise<Body> {
  const find = async () => (await deliveriesOf(by, endpointId)).find(({ id }) => id === deliveryId);
  await expect.poll(async () => (await find())?.status, soon).not.toBe('pending');
  return find();
}

describe('resends', () => {
  test('34: creates a new delivery with the same bytes when an event is resent, in any state of the first', async () => {
    const receiver = await receiverForTest();
    const endpoint = await pingedEndpoint(api, receiver.url);
    const first = await ping(api, endpoint.id);
    await over(api, endpoint.id);
    const { body: again } = await good(resend(first.event, endpoint.id));
    expect(again).toMatchObject({
      object: 'delivery',
      event: first.event,
      webhook_endpoint: endpoint.id,
      type: 'webhook_endpoint.pinged',
      status: 'pending',
      attempt_count: 0,
    });
    expect(again.id).not.toBe(first.id);
    expect(await ended(endpoint.id, again.id)).toMatchObject({ status: 'delivered', attempt_count: 1 });
    const [one, two] = receiver.received;
    expect(two!.raw.equals(one!.raw)).toBe(true);
    expect(two!.headers).toMatchObject({
      'service-event-id': first.event,
      'service-delivery-id': again.id,
      'service-attempt': '1',
    });
    expect(isSignedWith(endpoint.signing_secret, two!)).toBe(true);
  });

  test('sends the event to the named endpoint alone when that endpoint is not subscribed', async () => {
    const [receiver, other] = [await receiverForTest(), await receiverForTest()];
    await endpointFor(api, other.url);
    const endpoint = await pingedEndpoint(api, receiver.url);
    await good(api.post('/v1/references', { application: 'app_1' }));
    await other.count(1);
    const event = other.received[0]!.body.id;
    await good(resend(event, endpoint.id));
    expect((await receiver.count(1))[0]!.body.id).toBe(event);
    expect(other.received).toHaveLength(1);
  });

  test('makes one attempt when an event is resent', async () => {
    const receiver = await receiverForTest(200, 500);
    const endpoint = await pingedEndpoint(api, receiver.url);
    const { event } = await ping(api, endpoint.id);
    await over(api, endpoint.id);
    const { body: again } = await good(resend(event, endpoint.id));
    expect(await ended(endpoint.id, again.id)).toMatchObject({
      status: 'failed',
      next_attempt_at: null,
      attempts: [{ status: 500 }],
    });
  });

  test('creates one delivery when a resend is repeated with its Idempotency-Key', async () => {
    const receiver = await receiverForTest();
    const endpoint = await pingedEndpoint(api, receiver.url);
    const { event } = await ping(api, endpoint.id);
    const key = { 'idempotency-key': 'resend-once' };
    const answers = [
      await good(resend(event, endpoint.id, api, key)),
      await good(resend(event, endpoint.id, api, key)),
    ];
    expect(answers[1]!.text).toBe(answers[0]!.text);
    expect(await deliveriesOf(api, endpoint.id)).toHaveLength(2);
  });

  test('36: creates and sends twenty deliveries when twenty resends arrive at once', async () => {
    const receiver = await receiverForTest();
    const endpoint = await pingedEndpoint(api, receiver.url);
    const { event } = await ping(api, endpoint.id);
    const answers = await Promise.all(Array.from({ length: 20 }, () => good(resend(event, endpoint.id))));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(20);
    await receiver.count(21);
    const statuses = async () => (await deliveriesOf(api, endpoint.id)).map(({ status }) => status);
    await expect.poll(statuses, soon).toEqual(Array.from({ length: 21 }, () => 'delivered'));
  });
});

describe('resends during retries', () => {
  test('34: ends the retries when a resend succeeds', async () => {
    const receiver = await receiverForTest(500, 200);
    const endpoint = await pingedEndpoint(api, receiver.url);
    const first = await ping(api, endpoint.id);
    await attempted(api, endpoint.id, 1);
    const { body: again } = await good(resend(first.event, endpoint.id));
    expect(await ended(endpoint.id, again.id)).toMatchObject({ status: 'delivered' });
    expect(await ended(endpoint.id, first.id)).toMatchObject({
      status: 'canceled',
      next_attempt_at: null,
      attempts: [{ status: 500 }],
    });
    expect(await placesOf(server, endpoint.id)).toEqual([]);
    clock.advanceSeconds(800);
    await ping(api, endpoint.id);
    await receiver.count(3);
    expect(receiver.received.filter(({ body }) => body.id === first.event)).toHaveLength(2);
  });

  test('ends no retries of other events or endpoints when a resend succeeds', async () => {
    const [receiver, other] = [await receiverForTest(500, 500, 200), await receiverForTest(500)];
    const endpoint = await endpointFor(api, receiver.url);
    const beside = await endpointFor(api, other.url);
    await good(api.post('/v1/references', { application: 'app_1' }));
    await receiver.count(1);
    await good(api.post('/v1/references', { application: 'app_2' }));
    await receiver.count(2);
    const { body: again } = await good(resend(receiver.received[0]!.body.id, endpoint.id));
    expect(await ended(endpoint.id, again.id)).toMatchObject({ status: 'delivered' });
    await expect
      .poll(async () => (await deliveriesOf(api, endpoint.id)).map(({ status }) => status), soon)
      .toEqual(['delivered', 'pending', 'canceled']);
    await other.count(2);
    await expect
      .poll(async () => (await deliveriesOf(api, beside.id)).map(({ status }) => status), soon)
      .toEqual(['pending', 'pending']);
  });

  test('34: keeps the retries as they were when a resend fails', async () => {
    const receiver = await receiverForTest(500, 500, 200);
    const endpoint = await pingedEndpoint(api, receiver.url);
    const first = await ping(api, endpoint.id);
    await attempted(api, endpoint.id, 1);
    const { body: again } = await good(resend(first.event, endpoint.id));
    expect(await ended(endpoint.id, again.id)).toMatchObject({ status: 'failed' });
    clock.advanceSeconds(800);
    expect(await ended(endpoint.id, first.id)).toMatchObject({
      status: 'delivered',
      attempts: [{ status: 500 }, { status: 200 }],
    });
  });

  test.each([
    ['success', 200, 'delivered'],
    ['failure', 500, 'canceled'],
  ])('36: finishes a running attempt when a resend succeeds meanwhile: %s', async (_, answered, status) => {
    const gate = new Gate();
    const receiver = await receiverForTest((response) => {
      void gate.pass().then(() => response.writeHead(answered).end());
    }, 200);
    const endpoint = await pingedEndpoint(api, receiver.url);
    const first = await ping(api, endpoint.id);
    await receiver.count(1);
    const { body: again } = await good(resend(first.event, endpoint.id));
    expect(await ended(endpoint.id, again.id)).toMatchObject({ status: 'delivered' });
    gate.open();
    const attempts = async () => (await deliveriesOf(api, endpoint.id)).find(({ id }) => id === first.id).attempts;
    await expect.poll(attempts, soon).toHaveLength(1);
    expect(await ended(endpoint.id, first.id)).toMatchObject({ status, next_attempt_at: null });
    expect(await placesOf(server, endpoint.id)).toEqual([]);
  });

  test('makes no further attempt when one fails at the moment of a successful resend', async () => {
    const [earlier, again, other] = [new Gate(), new Gate(), new Gate()];
    const receiver = await receiverForTest(after(earlier, 500), after(again, 200), after(other, 200));
    const endpoint = await pingedEndpoint(api, receiver.url);
    const first = await ping(api, endpoint.id);
    await receiver.count(1);
    const { body: resent } = await good(resend(first.event, endpoint.id));
    await receiver.count(2);
    const beside = await ping(api, endpoint.id);
    await receiver.count(3);
    await withClient(server.connection, async (client) => {
      // While this outcome waits to be written, the two others arrive together.
      await client.query('begin');
      await client.query('select from webhook_queue where id = $1 for update', [beside.id]);
      for (const gate of [other, earlier, again]) gate.open();
      await expect.poll(() => server.context.dispatcher!.inFlight, soon).toBe(0);
      await client.query('rollback');
    });
    expect(await ended(endpoint.id, resent.id)).toMatchObject({ status: 'delivered' });
    await expect.poll(() => server.context.dispatcher!.held, soon).toBe(0);
    expect(await ended(endpoint.id, first.id)).toMatchObject({ status: 'canceled', attempts: [{ status: 500 }] });
  });
});

describe('refused resends', () => {
  test("35: refuses a resend and sends nothing when the endpoint is disabled, deleted, unknown or another account's", async () => {
    const receiver = await receiverForTest();
    const [disabled, deleted] = [await pingedEndpoint(api, receiver.url), await pingedEndpoint(api, receiver.url)];
    const { event } = await ping(api, disabled.id);
    await over(api, disabled.id);
    await good(api.post(`/v1/webhook_endpoints/${disabled.id}`, { status: 'disabled' }));
    await good(api.delete(`/v1/webhook_endpoints/${deleted.id}`));
    const stranger = await addAccount(server);
    const theirs = await pingedEndpoint(stranger.api, receiver.url);
    expectRefusal(await resend(event, disabled.id), refusals.transition);
    for (const id of [deleted.id, theirs.id, 'we_1', 'x'])
      expectRefusal(await resend(event, id), { ...refusals.idUnknown, status: 400, param: 'webhook_endpoint' });
    expect(receiver.received).toHaveLength(1);
    expect(await deliveriesOf(api, disabled.id)).toHaveLength(1);
    expect(await deliveriesOf(stranger.api, theirs.id)).toEqual([]);
  });

  test("refuses a resend when the event is unknown or another account's", async () => {
    const receiver = await receiverForTest();
    const endpoint = await pingedEndpoint(api, receiver.url);
    const stranger = await addAccount(server);
    const theirs = await pingedEndpoint(stranger.api, receiver.url);
    const { event } = await ping(stranger.api, theirs.id);
    for (const id of [event, server.context.ids.make('evt'), 'evt_1'])
      expectRefusal(await resend(id, endpoint.id), refusals.idUnknown);
    expect(await deliveriesOf(api, endpoint.id)).toEqual([]);
  });

  test('refuses a resend when the key may not read events or write endpoints', async () => {
    const receiver = await receiverForTest();
    const tenant = await addAccount(server);
    const endpoint = await pingedEndpoint(tenant.api, receiver.url);
    const { event } = await ping(tenant.api, endpoint.id);
    for (const permissions of [['webhook_endpoints.write'], ['events.read', 'webhook_endpoints.read']]) {
      const narrow = await addKey(server, tenant.accountId, { permissions });
      expectRefusal(await resend(event, endpoint.id, narrow.api), refusals.permission);
    }
    expect(await deliveriesOf(tenant.api, endpoint.id)).toHaveLength(1);
  });

  test('refuses a resend when it names no endpoint', async () => {
    const receiver = await receiverForTest();
    const endpoint = await pingedEndpoint(api, receiver.url);
    const { event } = await ping(api, endpoint.id);
    const refused = await api.post(`/v1/events/${event}/resend`, {});
    expectRefusal(refused, missing('webhook_endpoint'));
  });
});

describe("resends of connected accounts' events", () => {
  test("sends a connected account's event with its account when the parent resends it to its endpoint", async () => {
    const receiver = await receiverForTest(500, 200);
    const context = await connectedAccount(api);
    const endpoint = await endpointFor(api, receiver.url, { connected: true });
    await good(api.post('/v1/references', { application: 'app_1' }, context));
    const event = (await receiver.count(1))[0]!.body.id;
    const { body: again } = await good(resend(event, endpoint.id, api, context));
    expect(await ended(endpoint.id, again.id)).toMatchObject({ status: 'delivered' });
    expect(receiver.received[1]!.body).toMatchObject({ id: event, account: context['service-context'] });
    expect((await deliveriesOf(api, endpoint.id)).map(({ status }) => status)).toEqual(['delivered', 'canceled']);
  });

  test('refuses a resend when the endpoint is for the other kind of events', async () => {
    const receiver = await receiverForTest();
    const context = await connectedAccount(api);
    const forConnected = await endpointFor(api, receiver.url, { connected: true });
    const own = await pingedEndpoint(api, receiver.url);
    const { event: ownEvent } = await ping(api, own.id);
    await good(api.post('/v1/references', { application: 'app_1' }, context));
    const event = (await receiver.count(2)).map(({ body }) => body).find(({ account }) => account !== undefined).id;
    expectRefusal(await resend(event, own.id, api, context), invalid('webhook_endpoint'));
    expectRefusal(await resend(ownEvent, forConnected.id), invalid('webhook_endpoint'));
    // Without the header, the event is not the account's own.
    expectRefusal(await resend(event, forConnected.id), refusals.idUnknown);
  });

  test("refuses a resend to the parent's endpoint when the connected account asks", async () => {
    const receiver = await receiverForTest();
    const context = await connectedAccount(api);
    const endpoint = await endpointFor(api, receiver.url, { connected: true });
    await good(api.post('/v1/references', { application: 'app_1' }, context));
    const event = (await receiver.count(1))[0]!.body.id;
    const child = await addKey(server, context['service-context']);
    expectRefusal(await resend(event, endpoint.id, child.api), {
      ...refusals.idUnknown,
      status: 400,
      param: 'webhook_endpoint',
    });
    expect(receiver.received).toHaveLength(1);
  });
});

test('refuses a resend when the event is older than the retention', async () => {
  const receiver = await receiverForTest();
  const endpoint = await pingedEndpoint(api, receiver.url);
  const { event } = await ping(api, endpoint.id);
  await over(api, endpoint.id);
  clock.advanceSeconds(29 * 24 * 3600);
  await good(resend(event, endpoint.id));
  clock.advanceSeconds(2 * 24 * 3600);
  expectRefusal(await resend(event, endpoint.id), refusals.transition);
});

/** Returns the header with which the parent acts for the account. */
async function connectedAccount(parent: Api): Promise<{ 'service-context': string }> {
  const { body } = await good(parent.post('/v1/accounts', { name: 'Connected' }));
  return { 'service-context': body.id };
}
