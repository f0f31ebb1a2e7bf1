import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Recoveries } from '../../src/webhooks/recover.ts';
import { allPermissions } from '../support/permissions.ts';
import { isSignedWith, receiverForTest, type Received } from '../support/receiver.ts';
import { expectRefusal, invalid, refusals } from '../support/refusals.ts';
import {
  apiClient,
  good,
  serverForTest,
  startTestServer,
  type Api,
  type ApiResponse,
  type TestServer,
} from '../support/server.ts';
import { expectShape } from '../support/shapes.ts';
import { addAccount, addKey, type Tenant } from '../support/tenants.ts';
import { deliveriesOf, endpointFor, queueEmpty, soon } from '../webhooks/scenario.ts';

type Body = ApiResponse['body'];

const connected = { connected: true };

let server: TestServer;
/** A new platform with two connected accounts for each test. */
let parent: Tenant;
let ada: Connected;
let bo: Connected;

interface Connected {
  id: string;
  /** A client with the account's own key. */
  api: Api;
}

beforeAll(async () => {
  server = await startTestServer({ settings: { TENURE_RETRY_SCHEDULE: '0.05' } });
});
afterAll(() => server.stop());
beforeEach(async () => {
  parent = await platform();
  ada = await connectedTo(parent.api);
  bo = await connectedTo(parent.api);
});

describe('endpoints for connected accounts', () => {
  test('refuses to create, read or change an endpoint for connected accounts when the request acts on a connected account', async () => {
    const { url } = await receiverForTest();
    const inAda = { 'service-context': ada.id };
    const refusal = { ...refusals.accountMalformed, says: 'does not reach' };
    expectRefusal(await parent.api.post('/v1/webhook_endpoints', { url, connected: true }, inAda), refusal);
    const path = `/v1/webhook_endpoints/${(await endpointFor(ada.api, url, connected)).id}`;
    expectRefusal(await parent.api.post(path, { url: `${url}/other` }, inAda), refusal);
    expectRefusal(await parent.api.post(`${path}/roll_secret`, {}, inAda), refusal);
    expectRefusal(await parent.api.post(`${path}/recover`, { since: 0 }, inAda), refusal);
    expectRefusal(await parent.api.post(`${path}/ping`, {}, inAda), refusal);
    expectRefusal(await parent.api.delete(path, inAda), refusal);
    for (const read of [path, `${path}/deliveries`, `${path}/recoveries`])
      expectRefusal(await parent.api.get(read, inAda), refusal);
    expect((await good(parent.api.get('/v1/webhook_endpoints', inAda))).body.data).toHaveLength(1);
    expect((await good(ada.api.get(path))).body.url).toBe(url);
    await good(parent.api.post('/v1/webhook_endpoints', { url }, inAda));
  });

  test("sends each event of the connected accounts once, with the account's id and the endpoint's signature, when it occurs", async () => {
    const receiver = await receiverForTest();
    const endpoint = await endpointFor(parent.api, receiver.url, connected);
    expect(endpoint.connected).toBe(true);
    const stranger = await platform();
    const strangersChild = await connectedTo(stranger.api);
    const made = {
      ada: await reference(ada.api),
      bo: await reference(bo.api),
      forAda: await reference(parent.api, ada.id),
      own: await reference(parent.api),
      ownByName: await reference(parent.api, parent.accountId),
      strangers: await reference(stranger.api),
      strangersChild: await reference(strangersChild.api),
    };
    await queueEmpty(server);
    expect(whoseAndWhat(receiver.received)).toEqual(
      sorted([`${ada.id} ${made.ada.id}`, `${bo.id} ${made.bo.id}`, `${ada.id} ${made.forAda.id}`]),
    );
    for (const delivery of receiver.received) {
      expect(sorted(Object.keys(delivery.body))).toEqual([
        'account',
        'created',
        'data',
        'id',
        'object',
        'request',
        'type',
      ]);
      expect(isSignedWith(endpoint.signing_secret, delivery)).toBe(true);
    }
    const actors = receiver.received.map(({ body }) => [body.data.object.id, body.request.actor.key_id]);
    expect(Object.fromEntries(actors)[made.forAda.id]).toBe(parent.keyId);
  });

  test('sends the same event that the connected account lists when it occurs', async () => {
    const receiver = await receiverForTest();
    await endpointFor(parent.api, receiver.url, connected);
    await reference(ada.api);
    await queueEmpty(server);
    const [{ body: sent }, ...more] = receiver.received as [Received, ...Received[]];
    expect(more).toEqual([]);
    const { api_version, ...event } = (await ada.api.get(`/v1/events/${sent.id}`)).body;
    expect(api_version).toMatch(/^\d{4}-/);
    expect(sent).toStrictEqual({ ...event, account: ada.id });
    expect(sent.data.object).not.toHaveProperty('account');
  });

  test('sends only subscribed events when an endpoint for connected accounts has a subscription', async () => {
    const [all, some, one, none] = [
      await receiverForTest(),
      await receiverForTest(),
      await receiverForTest(),
      await receiverForTest(),
    ];
    await endpointFor(parent.api, all.url, hearing('*'));
    await endpointFor(parent.api, some.url, hearing('reference.*'));
    await endpointFor(parent.api, one.url, hearing('reference.canceled', 'reference.updated'));
    await endpointFor(parent.api, none.url, { ...hearing('*'), status: 'disabled' });
    const { id } = await reference(ada.api);
    await ada.api.post(`/v1/references/${id}/cancel`);
    await ada.api.post('/v1/customers', { name: 'Cy' });
    await queueEmpty(server);
    expect(typesOf(all)).toEqual(['customer.created', 'reference.canceled', 'reference.created', 'reference.updated']);
    expect(typesOf(some)).toEqual(['reference.canceled', 'reference.created', 'reference.updated']);
    expect(typesOf(one)).toEqual(['reference.canceled', 'reference.updated']);
    expect(typesOf(none)).toEqual([]);
  });

  test("sends changes of a connected account, but not its creation, which is the parent's own event, when both occur", async () => {
    const [children, own] = [await receiverForTest(), await receiverForTest()];
    const accounts = { enabled_events: ['account.*'] };
    await endpointFor(parent.api, children.url, { ...connected, ...accounts });
    await endpointFor(parent.api, own.url, accounts);
    const { body: cy } = await parent.api.post('/v1/accounts', { name: 'Cy' });
    await parent.api.post('/v1/account', { name: 'Cy & Co' }, contextOf(cy.id));
    await queueEmpty(server);
    const changes = children.received.map(({ body }) => [body.account, body.data.previous_attributes]);
    // The pin by the account's first request, and the change that the request made.
    expect(changes).toHaveLength(2);
    expect(changes).toEqual(
      expect.arrayContaining([
        [cy.id, { api_version: null }],
        [cy.id, { name: 'Cy' }],
      ]),
    );
    expect(typesOf(children)).toEqual(['account.updated', 'account.updated']);
    expect(own.received.map(({ body }) => [body.type, body.account, body.data.object.id])).toEqual([
      ['account.created', undefined, cy.id],
    ]);
  });

  test("sends a grandchild's events only to its own parent when they occur", async () => {
    const [top, middle] = [await receiverForTest(), await receiverForTest()];
    await endpointFor(parent.api, top.url, connected);
    await endpointFor(ada.api, middle.url, connected);
    const grandchild = await connectedTo(ada.api);
    const [hers, theirs] = [await reference(ada.api), await reference(grandchild.api)];
    await queueEmpty(server);
    expect(whoseAndWhat(top.received)).toEqual([`${ada.id} ${hers.id}`]);
    expect(whoseAndWhat(middle.received)).toEqual([`${grandchild.id} ${theirs.id}`]);
  });

  test('sends a separately signed delivery to each endpoint when several subscribe', async () => {
    const [first, second] = [await receiverForTest(), await receiverForTest()];
    const [left, right] = [
      await endpointFor(parent.api, first.url, connected),
      await endpointFor(parent.api, second.url, connected),
    ];
    await reference(ada.api);
    await queueEmpty(server);
    expect([first.received.length, second.received.length]).toEqual([1, 1]);
    expect(first.received[0]!.raw).toEqual(second.received[0]!.raw);
    expect(isSignedWith(left.signing_secret, first.received[0]!)).toBe(true);
    expect(isSignedWith(right.signing_secret, second.received[0]!)).toBe(true);
    const ids = [first, second].map(({ received }) => received[0]!.headers['service-delivery-id']);
    expect(new Set(ids).size).toBe(2);
  });

  test('sends the same bytes at every attempt when a delivery is retried', async () => {
    const receiver = await receiverForTest(500, 200);
    const endpoint = await endpointFor(parent.api, receiver.url, connected);
    await reference(ada.api);
    const [first, second] = await receiver.count(2);
    expect(second!.raw).toEqual(first!.raw);
    expect(second!.body.account).toBe(ada.id);
    expect(isSignedWith(endpoint.signing_secret, second!)).toBe(true);
    await queueEmpty(server);
    expect(receiver.received).toHaveLength(2);
    expect(await deliveriesOf(parent.api, endpoint.id)).toMatchObject([
      { status: 'delivered', attempt_count: 2, attempts: [{ status: 500 }, { status: 200 }] },
    ]);
  });

  test('sends each event exactly once when many connected accounts act at once', async () => {
    const receiver = await receiverForTest();
    await endpointFor(parent.api, receiver.url, connected);
    const wanted = await Promise.all(
      Array.from({ length: 90 }, async (_, index) => {
        const by = [ada, bo, { id: parent.accountId, api: parent.api }][index % 3]!;
        const { id } = await reference(by.api);
        return index % 3 === 2 ? [] : [`${by.id} ${id}`];
      }),
    );
    await queueEmpty(server);
    expect(whoseAndWhat(receiver.received)).toEqual(sorted(wanted.flat()));
    expect(receiver.received).toHaveLength(60);
  });

  test('sends an event when another process has caused it', async () => {
    const receiver = await receiverForTest();
    await endpointFor(parent.api, receiver.url, connected);
    const { body: key } = await parent.api.post('/v1/api_keys', { type: 'secret' }, contextOf(ada.id));
    const other = await serverForTest({ connection: server.connection, secretKey: key.secret });
    const { id } = await reference(other.api);
    await queueEmpty(server);
    expect(whoseAndWhat(receiver.received)).toEqual([`${ada.id} ${id}`]);
  });

  test('sends nothing more when the endpoint is disabled or deleted, and starts afresh when it is enabled', async () => {
    const receiver = await receiverForTest();
    const endpoint = await endpointFor(parent.api, receiver.url, connected);
    const path = `/v1/webhook_endpoints/${endpoint.id}`;
    await parent.api.post(path, { status: 'disabled' });
    await reference(ada.api);
    await parent.api.post(path, { status: 'enabled' });
    const heard = await reference(ada.api);
    await queueEmpty(server);
    expect((await parent.api.delete(path)).status).toBe(200);
    await reference(ada.api);
    await queueEmpty(server);
    expect(whoseAndWhat(receiver.received)).toEqual([`${ada.id} ${heard.id}`]);
  });
});

describe("deliveries of connected accounts' events", () => {
  test("lists deliveries below the parent's endpoint with the connected account's event when the parent asks", async () => {
    const receiver = await receiverForTest();
    const endpoint = await endpointFor(parent.api, receiver.url, connected);
    await reference(ada.api);
    await reference(bo.api);
    await queueEmpty(server);
    const path = `/v1/webhook_endpoints/${endpoint.id}/deliveries`;
    const { body: list } = await parent.api.get(path);
    expect([list.count, list.has_more, list.data.length]).toEqual([2, false, 2]);
    for (const { account, ...delivery } of list.data) {
      expect([ada.id, bo.id]).toContain(account);
      expectShape('delivery', delivery);
    }
    expect(sorted(list.data.map(({ id, event }: Body) => `${id} ${event}`))).toEqual(
      sorted(receiver.received.map(({ headers, body }) => `${String(headers['service-delivery-id'])} ${body.id}`)),
    );
    expect(list.data).toMatchObject([
      { webhook_endpoint: endpoint.id, type: 'reference.created', status: 'delivered', attempt_count: 1 },
      { webhook_endpoint: endpoint.id, type: 'reference.created', status: 'delivered', attempt_count: 1 },
    ]);
    const { body: page } = await parent.api.get(`${path}?limit=1&starting_after=${list.data[0].id}`);
    expect([page.count, page.data]).toStrictEqual([2, [list.data[1]]]);
  });

  test("hides the parent's endpoint and deliveries when the connected account asks", async () => {
    const receiver = await receiverForTest();
    const endpoint = await endpointFor(parent.api, receiver.url, connected);
    const { id } = await reference(ada.api);
    await queueEmpty(server);
    const [event] = (await ada.api.get(`/v1/events?object_id=${id}`)).body.data;
    const own = await endpointFor(ada.api, receiver.url);
    const { id: later } = await reference(ada.api);
    const [laterEvent] = (await ada.api.get(`/v1/events?object_id=${later}`)).body.data;
    const its = `/v1/webhook_endpoints/${endpoint.id}`;
    for (const [by, headers, parents] of [
      [ada.api, {}, []],
      // The parent sees its own deliveries too. They name the event's account.
      [parent.api, contextOf(ada.id), [endpoint.id]],
    ] as const) {
      const { body: before } = await by.get(`/v1/events/${event.id}/deliveries`, headers);
      expect([before.count, endpointsOf(before)]).toEqual([parents.length, parents]);
      const { body: seen } = await by.get(`/v1/events/${laterEvent.id}/deliveries`, headers);
      expect([seen.count, endpointsOf(seen)]).toEqual([1 + parents.length, sorted([...parents, own.id])]);
      const { body: endpoints } = await by.get('/v1/webhook_endpoints', headers);
      expect([endpoints.count, endpoints.data.map((shown: Body) => shown.id)]).toEqual([1, [own.id]]);
      expectRefusal(await by.get(its, headers), refusals.idUnknown);
      expectRefusal(await by.get(`${its}/deliveries`, headers), refusals.idUnknown);
      expectRefusal(await by.post(its, { status: 'disabled' }, headers), refusals.idUnknown);
      expectRefusal(await by.post(`${its}/roll_secret`, {}, headers), refusals.idUnknown);
      expectRefusal(await by.delete(its, headers), refusals.idUnknown);
    }
    // The parent sees the connected account's deliveries only when it acts for that account.
    expectRefusal(await parent.api.get(`/v1/webhook_endpoints/${own.id}/deliveries`), refusals.idUnknown);
    expectRefusal(await parent.api.get(`/v1/events/${event.id}`), refusals.idUnknown);
  });
});

describe('`connected` member', () => {
  test('stores `connected` as a boolean, false by default, when an endpoint is created', async () => {
    const url = 'https://hooks.example.com/';
    const quiet = { url, enabled_events: ['webhook_endpoint.pinged'] };
    for (const [sent, shown] of [
      [{}, false],
      [{ connected: null }, false],
      [{ connected: false }, false],
      [{ connected: true }, true],
    ] as const) {
      const { body } = await parent.api.post('/v1/webhook_endpoints', { ...quiet, ...sent });
      expect(body.connected).toBe(shown);
      expect((await parent.api.get(`/v1/webhook_endpoints/${body.id}`)).body.connected).toBe(shown);
    }
    for (const value of ['true', 1, 'yes', []])
      expectRefusal(
        await parent.api.post('/v1/webhook_endpoints', { ...quiet, connected: value }),
        invalid('connected'),
      );
    expect((await parent.api.get('/v1/webhook_endpoints')).body.count).toBe(4);
  });

  test('keeps `connected` when an endpoint is changed', async () => {
    const receiver = await receiverForTest();
    const { id } = await endpointFor(parent.api, receiver.url, connected);
    const changed = await parent.api.post(`/v1/webhook_endpoints/${id}`, { description: 'x', enabled_events: ['*'] });
    expect(changed.body).toMatchObject({ connected: true, description: 'x' });
    await reference(parent.api);
    await reference(ada.api);
    await expect.poll(() => receiver.received.length, soon).toBe(1);
    await queueEmpty(server);
    expect(receiver.received.map(({ body }) => body.account)).toEqual([ada.id]);
  });
});

describe('failed deliveries to a platform', () => {
  test('leads to the event, its deliveries and a resend when the platform reads a failed delivery', async () => {
    const receiver = await receiverForTest(500, 500, 204);
    const endpoint = await endpointFor(parent.api, receiver.url, connected);
    await endpointFor(ada.api, receiver.url, hearingNothing);
    const made = await reference(ada.api);
    await receiver.count(2);
    await queueEmpty(server);

    // The endpoint's list names the account of the failed event.
    const [failed, ...others] = await deliveriesOf(parent.api, endpoint.id);
    expect(others).toEqual([]);
    expect(failed).toMatchObject({ account: ada.id, webhook_endpoint: endpoint.id, status: 'failed' });
    const context = contextOf(failed!.account);

    // The event, its record and its deliveries are in that account.
    const { body: event } = await good(parent.api.get(`/v1/events/${failed!.event}`, context));
    expect(event.data.object.id).toBe(made.id);
    await good(parent.api.get(`/v1/references/${event.data.object.id}`, context));
    const itsDeliveries = `/v1/events/${event.id}/deliveries`;
    expect((await good(parent.api.get(itsDeliveries, context))).body).toStrictEqual({
      object: 'list',
      count: 1,
      has_more: false,
      data: [failed],
    });

    // A resend to the same endpoint returns the delivery that both lists have.
    const resent = await good(
      parent.api.post(`/v1/events/${event.id}/resend`, { webhook_endpoint: failed!.webhook_endpoint }, context),
    );
    expect(resent.body).toMatchObject({ account: ada.id, event: event.id, status: 'pending' });
    await receiver.count(3);
    await queueEmpty(server);
    const delivered = { ...resent.body, status: 'delivered', attempt_count: 1, next_attempt_at: null };
    const { body: both } = await good(parent.api.get(itsDeliveries, context));
    expect(both).toMatchObject({ count: 2, has_more: false });
    expect(both.data[0]).toMatchObject({ ...delivered, delivered_at: expect.any(Number), attempts: [{ status: 204 }] });
    expect(both.data[1]).toStrictEqual(failed);
    expect(await deliveriesOf(parent.api, endpoint.id)).toStrictEqual(both.data);
    const { body: page } = await parent.api.get(`${itsDeliveries}?limit=1&starting_after=${both.data[0].id}`, context);
    expect([page.count, page.data]).toStrictEqual([2, [failed]]);
    expect(receiver.received.map(({ body }) => [body.id, body.account])).toEqual(
      Array.from({ length: 3 }, () => [event.id, ada.id]),
    );

    // No other account sees any of it.
    const stranger = await platform();
    for (const by of [ada.api, bo.api, stranger.api]) {
      const answer = await by.get(itsDeliveries);
      if (by === ada.api) expect(answer.body).toMatchObject({ count: 0, data: [] });
      else expectRefusal(answer, refusals.idUnknown);
    }
    expectRefusal(await parent.api.get(itsDeliveries), refusals.idUnknown);
    expectRefusal(await parent.api.get(itsDeliveries, contextOf(bo.id)), refusals.idUnknown);
  });

  test("names the event's account in every list when deliveries are listed", async () => {
    const receiver = await receiverForTest();
    const endpoint = await endpointFor(parent.api, receiver.url, connected);
    const own = await endpointFor(parent.api, receiver.url);
    const theirs = await endpointFor(ada.api, receiver.url);
    await reference(ada.api);
    await reference(parent.api);
    await queueEmpty(server);
    const accountsIn = async (id: string, headers: Record<string, string>): Promise<unknown[]> => {
      const { body } = await good(parent.api.get(`/v1/webhook_endpoints/${id}/deliveries`, headers));
      return body.data.map((delivery: Body) => delivery.account);
    };
    const ownContext = contextOf(parent.accountId);
    // The account of an own event is left out, as in every object, unless the request names one.
    expect(new Set(await accountsIn(endpoint.id, {}))).toEqual(new Set([ada.id]));
    expect(new Set(await accountsIn(endpoint.id, ownContext))).toEqual(new Set([ada.id]));
    expect(new Set(await accountsIn(own.id, {}))).toEqual(new Set([undefined]));
    expect(new Set(await accountsIn(own.id, ownContext))).toEqual(new Set([parent.accountId]));
    expect(new Set(await accountsIn(theirs.id, contextOf(ada.id)))).toEqual(new Set([ada.id]));
    const { data } = (await good(ada.api.get(`/v1/webhook_endpoints/${theirs.id}/deliveries`))).body;
    for (const delivery of data) expect(delivery).not.toHaveProperty('account');
  });

  test("names the event's account in each new delivery when failed ones are recovered", async () => {
    const receiver = await receiverForTest(...Array.from({ length: 4 }, () => 500), 204);
    const endpoint = await endpointFor(parent.api, receiver.url, connected);
    const since = Math.floor(Date.now() / 1000) - 60;
    await reference(ada.api);
    await reference(bo.api);
    await receiver.count(4);
    await queueEmpty(server);
    await good(parent.api.post(`/v1/webhook_endpoints/${endpoint.id}/recover`, { since }));
    await new Recoveries(server.context).advance();
    await receiver.count(6);
    await queueEmpty(server);
    const deliveries = await deliveriesOf(parent.api, endpoint.id);
    const told = deliveries.map(({ account, status }) => `${account} ${status}`);
    expect(sorted(told)).toEqual(sorted([ada.id, bo.id].flatMap((id) => [`${id} delivered`, `${id} failed`])));
    for (const { event, account } of deliveries) await good(parent.api.get(`/v1/events/${event}`, contextOf(account)));
  });

  test('creates an own event of the platform when it pings the endpoint and resends the ping', async () => {
    const receiver = await receiverForTest(500, 204);
    const endpoint = await endpointFor(parent.api, receiver.url, connected);
    const pinged = (await good(parent.api.post(`/v1/webhook_endpoints/${endpoint.id}/ping`))).body;
    expect(pinged).not.toHaveProperty('account');
    await good(parent.api.get(`/v1/events/${pinged.event}`));
    await receiver.count(1);
    const body = { webhook_endpoint: endpoint.id };
    const resent = (await good(parent.api.post(`/v1/events/${pinged.event}/resend`, body))).body;
    expect(resent).not.toHaveProperty('account');
    await receiver.count(2);
    await queueEmpty(server);
    expect(new Set(receiver.received.map(({ body: sent }) => sent.id))).toEqual(new Set([pinged.event]));
    // A ping goes to its own endpoint only.
    const another = await endpointFor(parent.api, receiver.url, connected);
    const refused = await parent.api.post(`/v1/events/${pinged.event}/resend`, { webhook_endpoint: another.id });
    expectRefusal(refused, invalid('webhook_endpoint'));
  });
});

/** Creates an account without a parent, with a key that has all permissions. */
async function platform(): Promise<Tenant> {
  const { accountId } = await addAccount(server);
  return addKey(server, accountId, { permissions: [...allPermissions] });
}

async function connectedTo(by: Api): Promise<Connected> {
  const { body: account } = await by.post('/v1/accounts', { name: 'A branch' });
  const { body: key } = await by.post('/v1/api_keys', { type: 'secret' }, contextOf(account.id));
  return { id: account.id, api: apiClient(server.url, key.secret) };
}

function contextOf(accountId: string): { 'service-context': string } {
  return { 'service-context': accountId };
}

async function reference(by: Api, accountId?: string): Promise<Body> {
  const headers = accountId === undefined ? {} : contextOf(accountId);
  const made = await by.post('/v1/references', { application: 'app_1' }, headers);
  expect(made.status, made.text).toBe(200);
  return made.body;
}

/** Returns the account and the record of each delivery. */
function whoseAndWhat(received: Received[]): string[] {
  return sorted(received.map(({ body }) => `${body.account ?? 'own'} ${body.data.object.id}`));
}

function typesOf({ received }: { received: Received[] }): string[] {
  return sorted(received.map(({ body }) => body.type as string));
}

function endpointsOf(list: Body): string[] {
  return sorted(list.data.map((delivery: Body) => delivery.webhook_endpoint));
}

const hearingNothing = { enabled_events: ['customer.created'] };

/** Settings of an endpoint for connected accounts that subscribes to these events. */
function hearing(...names: string[]): Record<string, unknown> {
  return { ...connected, enabled_events: names };
}

function sorted(texts: readonly string[]): string[] {
  return texts.toSorted();
}
