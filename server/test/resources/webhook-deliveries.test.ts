import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newMasterKey } from '../../src/server/config.ts';
import type { Clock } from '../../src/core/clock.ts';
import { latestVersion } from '../support/versions.ts';
import { freePort } from '../support/free-port.ts';
import { allOf } from '../support/paging.ts';
import { isSignedWith, receiverForTest } from '../support/receiver.ts';
import { exclusive, expectRefusal, invalid, refusals, unknown } from '../support/refusals.ts';
import { serverForTest, startTestServer, type Api, type ApiResponse, type TestServer } from '../support/server.ts';
import { expectShape } from '../support/shapes.ts';
import { StillClock } from '../support/still-clock.ts';
import { addAccount, addKey, firstAccountId } from '../support/tenants.ts';

type Body = ApiResponse['body'];

/** This server delivers nothing, so deliveries stay pending while a test looks at them. */
const quiet = { TENURE_ROLE: 'api', DATABASE_URL: 'postgres://given.by.the.test/', TENURE_MASTER_KEY: newMasterKey() };
const endpoints = '/v1/webhook_endpoints';
const url = 'https://hooks.example.com/tenure';

const clock = new StillClock();
let server: TestServer;
let api: Api;

beforeAll(async () => {
  server = await startTestServer({ settings: quiet, overrides: { clock } });
  api = server.api;
});
afterAll(() => server.stop());

describe('the lists of deliveries', () => {
  const eventCount = 25;
  const stepMs = 400;
  let one: Body;
  let other: Body;
  /** Newest first. */
  let events: Body[];
  let below: string;

  beforeAll(async () => {
    one = await endpointOf(api, ['reference.created']);
    other = await endpointOf(api, ['reference.*']);
    for (let index = 0; index < eventCount; index++) {
      clock.advanceMs(stepMs);
      await createReference(api);
    }
    events = await allOf(api, '/v1/events', { type: 'reference.created' });
    below = `${endpoints}/${one.id}/deliveries`;
  });

  test("returns an endpoint's newest 20 deliveries, newest first, with the count of all, when they are listed", async () => {
    const { status, body } = await api.get(below);
    expect([status, Object.keys(body).sort()]).toEqual([200, ['count', 'data', 'has_more', 'object']]);
    expect(body).toMatchObject({ object: 'list', count: eventCount, has_more: true });
    for (const [index, delivery] of body.data.entries()) {
      expectShape('delivery', delivery);
      expect(delivery).toStrictEqual({
        id: expect.stringMatching(/^dlv_/),
        object: 'delivery',
        created: events[index].created,
        event: events[index].id,
        webhook_endpoint: one.id,
        type: 'reference.created',
        status: 'pending',
        attempt_count: 0,
        next_attempt_at: events[index].created,
        delivered_at: null,
        attempts: [],
      });
    }
    expect(body.data).toHaveLength(20);
  });

  test("returns one delivery for each subscribed endpoint when an event's deliveries are listed", async () => {
    for (const { id, created } of events.slice(0, 3)) {
      const { body } = await api.get(`/v1/events/${id}/deliveries`);
      expect(body).toMatchObject({ object: 'list', count: 2, has_more: false });
      for (const delivery of body.data) {
        expectShape('delivery', delivery);
        expect(delivery).toMatchObject({ event: id, created, type: 'reference.created', status: 'pending' });
        const { data } = (await api.get(`${endpoints}/${delivery.webhook_endpoint}/deliveries?limit=50`)).body;
        expect(data).toContainEqual(delivery);
      }
      expect(new Set(idsOf(body.data, 'webhook_endpoint'))).toEqual(new Set([one.id, other.id]));
    }
  });

  test("pages an endpoint's deliveries by limit, offset and cursors, each page with the count of all, when the request sends them", async () => {
    const all = (await api.get(`${below}?limit=50`)).body;
    expect([all.count, all.has_more, idsOf(all.data, 'event')]).toEqual([eventCount, false, idsOf(events)]);
    const ids = idsOf(all.data);
    for (const [query, wanted, hasMore] of [
      ['limit=1', ids.slice(0, 1), true],
      [`limit=${eventCount}`, ids, false],
      [`limit=${eventCount - 1}`, ids.slice(0, -1), true],
      ['offset=20', ids.slice(20), false],
      ['limit=3&offset=5', ids.slice(5, 8), true],
      [`offset=${eventCount}`, [], false],
      [`limit=3&starting_after=${ids[4]}`, ids.slice(5, 8), true],
      [`limit=3&starting_after=${ids.at(-4)}`, ids.slice(-3), false],
      [`starting_after=${ids.at(-1)}`, [], false],
      [`limit=3&ending_before=${ids[4]}`, ids.slice(1, 4), true],
      [`limit=3&ending_before=${ids[3]}`, ids.slice(0, 3), false],
      [`ending_before=${ids[0]}`, [], false],
    ] as const) {
      const { body } = await api.get(`${below}?${query}`);
      expect([query, idsOf(body.data), body.has_more, body.count]).toEqual([query, wanted, hasMore, eventCount]);
    }
    expect(await allOf(api, below, { limit: '4' })).toStrictEqual(all.data);
  });

  test("pages an event's deliveries when a limit is sent", async () => {
    const own = `/v1/events/${events[0].id}/deliveries`;
    const { data } = (await api.get(own)).body;
    const first = (await api.get(`${own}?limit=1`)).body;
    expect(first).toStrictEqual({ object: 'list', count: 2, has_more: true, data: data.slice(0, 1) });
    const next = (await api.get(`${own}?limit=1&starting_after=${data[0].id}`)).body;
    expect(next).toStrictEqual({ object: 'list', count: 2, has_more: false, data: data.slice(1) });
  });

  test('bounds creation times exactly to the second when deliveries are filtered by created', async () => {
    const seconds: number[] = events.map(({ created }) => created);
    for (const second of [seconds[12]! - 1, seconds[12]!, seconds[12]! + 1]) {
      for (const [bound, fits] of [
        ['gt', (created: number) => created > second],
        ['gte', (created: number) => created >= second],
        ['lt', (created: number) => created < second],
        ['lte', (created: number) => created <= second],
      ] as const) {
        const { body } = await api.get(`${below}?limit=50&created[${bound}]=${second}`);
        const wanted = idsOf(events.filter(({ created }) => fits(created)));
        expect([bound, second, body.count, idsOf(body.data, 'event')]).toEqual([bound, second, wanted.length, wanted]);
      }
    }
  });

  test('finds the deliveries of one event type when they are filtered by type', async () => {
    const all = await allOf(api, `${endpoints}/${other.id}/deliveries`);
    for (const type of ['reference.created', 'reference.completed', 'guarantor.created', 'customer.created']) {
      const finds = all.filter((delivery) => delivery.type === type);
      expect(await allOf(api, `${endpoints}/${other.id}/deliveries`, { type })).toStrictEqual(finds);
      const { body } = await api.get(`${endpoints}/${other.id}/deliveries?type=${type}&limit=1`);
      expect([type, body.count, body.has_more]).toEqual([type, finds.length, finds.length > 1]);
    }
    expect((await api.get(`/v1/events/${events[0].id}/deliveries?type=reference.created`)).body.count).toBe(2);
    expect((await api.get(`/v1/events/${events[0].id}/deliveries?type=reference.updated`)).body.count).toBe(0);
    for (const type of ['', 'reference', 'reference.*', 'Reference.created', 'a'.repeat(101)])
      expectRefusal(await api.get(`${below}?type=${type}`), invalid('type'));
  });

  test('finds exactly the deliveries with a status when they are filtered by status', async () => {
    const { id } = await endpointOf(api, ['reference.created']);
    for (let made = 0; made < 14; made++) await createReference(api);
    const of = `${endpoints}/${id}/deliveries`;
    // What attempts leave behind, and in every order: a late attempt can end after the delivery did.
    const histories = [
      ['delivered'],
      ['failed'],
      [],
      ['to_be_retried'],
      ['failed', 'delivered'],
      ['to_be_retried', 'delivered'],
    ];
    const ids = idsOf(await allOf(api, of));
    for (const [index, delivery] of ids.entries()) {
      if (index < 12) await leave(delivery, histories[index % 6]!, { isQueued: index % 12 === 3 || index % 12 === 6 });
    }
    const all = await allOf(api, of);
    expect(countsOf(all)).toEqual({ pending: 4, delivered: 5, failed: 2, canceled: 3 });
    for (const status of ['pending', 'delivered', 'failed', 'canceled']) {
      const wanted = all.filter((delivery) => delivery.status === status);
      expect([status, await allOf(api, of, { status })]).toEqual([status, wanted]);
      const { body } = await api.get(`${of}?status=${status}&type=reference.created&limit=1&offset=1`);
      expect([status, body.count, idsOf(body.data)]).toEqual([status, wanted.length, [wanted[1].id]]);
      for (const delivery of wanted) {
        const { body: ofEvent } = await api.get(`/v1/events/${delivery.event}/deliveries?status=${status}`);
        expect(idsOf(ofEvent.data)).toContain(delivery.id);
      }
    }
    expectRefusal(await api.get(`${of}?status=sent`), invalid('status'));
  });

  test('refuses parameters of the list when they are unknown or contradict each other', async () => {
    const [{ id }] = (await api.get(below)).body.data;
    for (const list of [below, `/v1/events/${events[0].id}/deliveries`]) {
      expectRefusal(await api.get(`${list}?state=pending`), unknown('state'));
      expectRefusal(await api.get(`${list}?limt=1`), { ...unknown('limt'), says: /Did you mean `limit`\?/ });
      expectRefusal(await api.get(`${list}?limit=51`), invalid('limit'));
      expectRefusal(await api.get(`${list}?limit=0`), invalid('limit'));
      expectRefusal(await api.get(`${list}?starting_after=${events[0].id}`), invalid('starting_after'));
      expectRefusal(await api.get(`${list}?ending_before=dlv_1`), invalid('ending_before'));
      const both = await api.get(`${list}?starting_after=${id}&ending_before=${id}`);
      expectRefusal(both, { ...exclusive('starting_after'), says: /`ending_before`/ });
    }
  });

  test('returns 404 when the parent does not exist or has another type or account', async () => {
    const { api: stranger } = await addAccount(server);
    const unknownOnes = [
      `${endpoints}/we_0000000000000000000000/deliveries`,
      `${endpoints}/${events[0].id}/deliveries`,
      `${endpoints}/we_1/deliveries`,
      '/v1/events/evt_0000000000000000000000/deliveries',
      `/v1/events/${one.id}/deliveries`,
      '/v1/events/x/deliveries',
    ];
    for (const path of unknownOnes) expectRefusal(await api.get(path), refusals.idUnknown);
    for (const path of [below, `/v1/events/${events[0].id}/deliveries`])
      expectRefusal(await stranger.get(path), refusals.idUnknown);
    for (const path of ['/v1/deliveries', `/v1/references/${events[0].data.object.id}/deliveries`])
      expectRefusal(await api.get(path), refusals.routeUnknown);
    expectRefusal(await api.post(below, {}), refusals.methodNotAllowed);
  });

  test('requires the permission to read endpoints, and for an event that to read events, when deliveries are listed', async () => {
    const account = await firstAccountId(server);
    const { api: readsEndpoints } = await addKey(server, account, { permissions: ['webhook_endpoints.read'] });
    const { api: readsEvents } = await addKey(server, account, { permissions: ['events.read'] });
    const { api: readsBoth } = await addKey(server, account, {
      permissions: ['webhook_endpoints.read', 'events.read'],
    });
    const belowEvent = `/v1/events/${events[0].id}/deliveries`;
    expect((await readsEndpoints.get(below)).body).toStrictEqual((await api.get(below)).body);
    expect((await readsBoth.get(belowEvent)).body).toStrictEqual((await api.get(belowEvent)).body);
    for (const path of [below, belowEvent])
      expectRefusal(await readsEvents.get(path), { ...refusals.permission, says: '`webhook_endpoints.read`' });
    expectRefusal(await readsEndpoints.get(belowEvent), { ...refusals.permission, says: '`events.read`' });
  });

  test('shows the account of deliveries when the request names it', async () => {
    const account = await firstAccountId(server);
    const { body } = await api.get(`${below}?limit=2`, { 'service-context': account });
    expect(body.data.map((delivery: Body) => delivery.account)).toEqual([account, account]);
  });

  test('returns an empty list when nothing was delivered', async () => {
    const fresh = await endpointOf(api, ['api_key.rolled']);
    const empty = { object: 'list', count: 0, has_more: false, data: [] };
    expect((await api.get(`${endpoints}/${fresh.id}/deliveries`)).body).toStrictEqual(empty);
    const [about] = (await api.get(`/v1/events?object_id=${fresh.id}`)).body.data;
    expect((await api.get(`/v1/events/${about.id}/deliveries`)).body).toStrictEqual(empty);
  });
});

describe('deliveries of an endpoint', () => {
  test('creates deliveries for exactly the subscribed events when events occur', async () => {
    const { api: own } = await addAccount(server);
    const [everything, subject, exact, two, ofLongAgo] = [
      await endpointOf(own, ['*']),
      await endpointOf(own, ['reference.*']),
      await endpointOf(own, ['reference.updated']),
      // One delivery, although two of its names match.
      await endpointOf(own, ['reference.completed', 'customer.*', 'customer.created']),
      await endpointOf(own, ['api_key.rolled']),
    ];
    // An earlier release accepted any name.
    ofLongAgo.enabled_events = ['reference.finished', 'ref.*', 'referenc.*', 'updated.reference', 'reference_.updated'];
    await server.context.database.readers.query('update webhook_endpoints set enabled_events = $1 where id = $2', [
      ofLongAgo.enabled_events,
      ofLongAgo.id,
    ]);
    const finished = await createReference(own);
    await own.post(`/v1/references/${finished}`, { status: 'processing' });
    await own.post(`/v1/references/${finished}`, { outcome: 'accept' });
    await own.post(`/v1/references/${await createReference(own)}/cancel`);
    const { body: customer } = await own.post('/v1/customers', { name: 'Ada' });
    await own.post(`/v1/customers/${customer.id}`, { phone: '1' });

    const events = (await allOf(own, '/v1/events')).filter(({ type }) => !type.startsWith('webhook_endpoint.'));
    expect(new Set(events.map(({ type }) => type))).toEqual(
      new Set([
        ...['created', 'updated', 'completed', 'canceled'].map((verb) => `reference.${verb}`),
        'customer.created',
        'customer.updated',
      ]),
    );
    const wanted: [Body, (type: string) => boolean][] = [
      [everything, () => true],
      [subject, (type) => type.startsWith('reference.')],
      [exact, (type) => type === 'reference.updated'],
      [two, (type) => type === 'reference.completed' || type.startsWith('customer.')],
      [ofLongAgo, () => false],
    ];
    for (const [{ id, enabled_events: names }, fits] of wanted) {
      const got = (await deliveriesOf(own, id)).filter(({ type }) => !type.startsWith('webhook_endpoint.'));
      expect([names, idsOf(got, 'event').sort()]).toEqual([
        names,
        idsOf(events.filter(({ type }) => fits(type))).sort(),
      ]);
      for (const { event, type } of got) expect(events).toContainEqual(expect.objectContaining({ id: event, type }));
    }
    for (const { id, type } of events) {
      const got = (await own.get(`/v1/events/${id}/deliveries`)).body.data;
      const fitting = wanted.filter(([, fits]) => fits(type)).map(([endpoint]) => endpoint);
      expect([type, idsOf(got, 'webhook_endpoint').sort()]).toEqual([type, idsOf(fitting).sort()]);
    }
  });

  test('sends events about other endpoints without their secrets when an endpoint subscribes to them', async () => {
    const { api: own } = await addAccount(server);
    const told = await endpointOf(own, ['webhook_endpoint.*']);
    const before = (await deliveriesOf(own, told.id)).length;
    const { id } = await endpointOf(own, ['api_key.rolled']);
    await own.post(`${endpoints}/${id}`, { description: 'x' });
    await own.post(`${endpoints}/${id}/roll_secret`);
    await own.delete(`${endpoints}/${id}`);
    const types = (await deliveriesOf(own, told.id)).map(({ type }) => type).toReversed();
    expect(types.slice(before)).toEqual(
      ['created', 'updated', 'secret_rolled', 'deleted'].map((verb) => `webhook_endpoint.${verb}`),
    );
  });

  test("selects by the endpoint's names at the time of the event when they change later", async () => {
    const { api: own } = await addAccount(server);
    const { id } = await endpointOf(own, ['reference.created']);
    await createReference(own);
    await own.post(`${endpoints}/${id}`, { enabled_events: ['customer.created'] });
    await createReference(own);
    await own.post('/v1/customers', { name: 'Ada' });
    const deliveries = await deliveriesOf(own, id);
    expect(deliveries.map(({ type, status }) => [type, status])).toEqual([
      ['customer.created', 'pending'],
      ['reference.created', 'pending'],
    ]);
  });

  test('cancels pending deliveries and creates no new ones when an endpoint is disabled, and starts afresh when it is enabled', async () => {
    const { api: own } = await addAccount(server);
    const [endpoint, bystander] = [
      await endpointOf(own, ['reference.created']),
      await endpointOf(own, ['reference.created']),
    ];
    const disable = (): Promise<ApiResponse> => own.post(`${endpoints}/${endpoint.id}`, { status: 'disabled' });
    const expectStates = async ({ id }: Body, ...states: string[]): Promise<void> => {
      expect((await deliveriesOf(own, id)).map(({ status }) => status)).toEqual(states);
    };
    await createReference(own);
    await createReference(own);
    await expectStates(endpoint, 'pending', 'pending');
    expect((await disable()).status).toBe(200);
    await expectStates(endpoint, 'canceled', 'canceled');
    for (const delivery of await deliveriesOf(own, endpoint.id))
      expect(delivery).toMatchObject({ attempt_count: 0, next_attempt_at: null, delivered_at: null, attempts: [] });

    await createReference(own);
    await expectStates(endpoint, 'canceled', 'canceled');
    await own.post(`${endpoints}/${endpoint.id}`, { status: 'enabled' });
    await expectStates(endpoint, 'canceled', 'canceled');
    await createReference(own);
    await expectStates(endpoint, 'pending', 'canceled', 'canceled');
    await expectStates(bystander, 'pending', 'pending', 'pending', 'pending');
  });

  test('creates no delivery when the endpoint was created disabled', async () => {
    const { api: own } = await addAccount(server);
    const { body } = await own.post(endpoints, { url, status: 'disabled' });
    await createReference(own);
    expect(await deliveriesOf(own, body.id)).toEqual([]);
  });

  test("keeps an endpoint's deliveries as canceled for the events to show when the endpoint is deleted", async () => {
    const { api: own } = await addAccount(server);
    const [endpoint, bystander] = [await endpointOf(own, ['*']), await endpointOf(own, ['reference.*'])];
    const reference = await createReference(own);
    expect((await own.delete(`${endpoints}/${endpoint.id}`)).status).toBe(200);
    const [event] = (await own.get(`/v1/events?object_id=${reference}`)).body.data;
    const shown = (await own.get(`/v1/events/${event.id}/deliveries`)).body;
    const states = Object.fromEntries(shown.data.map((one: Body) => [one.webhook_endpoint, one.status]));
    expect([shown.count, states]).toEqual([2, { [endpoint.id]: 'canceled', [bystander.id]: 'pending' }]);

    // A deleted endpoint gets no event of its own deletion.
    const [deleted] = (await own.get('/v1/events?type=webhook_endpoint.deleted')).body.data;
    expect((await own.get(`/v1/events/${deleted.id}/deliveries`)).body.count).toBe(0);
    await createReference(own);
    expect(await queuedFor(endpoint.id)).toBe(0);
  });

  test('creates one delivery for each event of its subscription when the endpoint changes amid many events', async () => {
    const { api: own } = await addAccount(server);
    const { id } = await endpointOf(own, ['reference.created']);
    const storm = Promise.all(range(60).map(() => own.post('/v1/references', { application: 'app_1' })));
    await own.post(`${endpoints}/${id}`, { description: 'x' });
    await own.post(`${endpoints}/${id}/roll_secret`);
    expect((await storm).every(({ status }) => status === 200)).toBe(true);
    const events = await allOf(own, '/v1/events', { type: 'reference.created' });
    expect(idsOf(await deliveriesOf(own, id), 'event').sort()).toEqual(idsOf(events).sort());
    expect(events).toHaveLength(60);
  });
});

describe('delivery states', () => {
  test('shows a delivery as delivered with the response when its first attempt succeeds', async () => {
    const receiver = await receiverForTest((response) => response.writeHead(201).end('Thank you, Ada – ☺'));
    const sending = await serverForTest();
    const { id } = await endpointOf(sending.api, ['reference.created'], receiver.url);
    const before = nowSeconds();
    const startedMs = performance.now();
    await createReference(sending.api);
    const delivery = await settled(sending.api, id);
    expect(delivery).toMatchObject({
      status: 'delivered',
      attempt_count: 1,
      next_attempt_at: null,
      attempts: [{ status: 201, error: null, response: 'Thank you, Ada – ☺', api_version: latestVersion }],
    });
    expect(delivery.delivered_at).toBeGreaterThanOrEqual(before);
    expect(delivery.delivered_at).toBeLessThanOrEqual(nowSeconds());
    expect(delivery.attempts[0].created).toBeGreaterThanOrEqual(before);
    expect(delivery.attempts[0].duration_ms).toBeLessThanOrEqual(Math.ceil(performance.now() - startedMs));
    expect(receiver.received).toHaveLength(1);
    expect((await sending.api.get(`/v1/events/${delivery.event}/deliveries`)).body.data).toStrictEqual([delivery]);
  });

  test('shows a delivery as failed with all attempts, the first one first, when the last attempt fails', async () => {
    const receiver = await receiverForTest(500, (response) => response.writeHead(302, { location: '/' }).end('Moved'));
    const sending = await serverForTest({ settings: { TENURE_RETRY_SCHEDULE: '0.05' } });
    const { id } = await endpointOf(sending.api, ['reference.created'], receiver.url);
    await createReference(sending.api);
    expect(await settled(sending.api, id)).toMatchObject({
      status: 'failed',
      attempt_count: 2,
      next_attempt_at: null,
      delivered_at: null,
      attempts: [
        { status: 500, error: null, response: null },
        { status: 302, error: null, response: 'Moved' },
      ],
    });
    expect(receiver.received).toHaveLength(2);
  });

  test('shows a delivery as delivered with both attempts when the second succeeds', async () => {
    const receiver = await receiverForTest(503, 200);
    const sending = await serverForTest({ settings: { TENURE_RETRY_SCHEDULE: '0.05' } });
    const { id } = await endpointOf(sending.api, ['reference.created'], receiver.url);
    await createReference(sending.api);
    const delivery = await settled(sending.api, id);
    expect(delivery).toMatchObject({ status: 'delivered', attempt_count: 2, next_attempt_at: null });
    expect(delivery.attempts.map(({ status }: Body) => status)).toEqual([503, 200]);
    expect(delivery.delivered_at).toBeGreaterThanOrEqual(delivery.attempts[1].created);
  });

  test("shows a delivery as pending with the next attempt's time when it waits, and keeps its attempts when it is canceled", async () => {
    const receiver = await receiverForTest(500);
    const sending = await serverForTest({ settings: { TENURE_RETRY_SCHEDULE: '1000' } });
    const [disabled, deleted] = [
      await endpointOf(sending.api, ['reference.created'], receiver.url),
      await endpointOf(sending.api, ['reference.created'], `http://127.0.0.1:${await freePort()}/`),
    ];
    await createReference(sending.api);
    const [refused, unreached] = [await attempted(sending.api, disabled.id), await attempted(sending.api, deleted.id)];
    expect(refused.attempts).toMatchObject([{ status: 500, error: null, response: null }]);
    expect(unreached.attempts).toMatchObject([{ status: null, error: 'connection_refused', response: null }]);
    for (const delivery of [refused, unreached]) {
      expect(delivery).toMatchObject({ status: 'pending', attempt_count: 1, delivered_at: null });
      // The pause is 1,000 s, more or less a fifth.
      const pauseSeconds = delivery.next_attempt_at - delivery.attempts[0].created;
      expect(pauseSeconds).toBeGreaterThanOrEqual(799);
      expect(pauseSeconds).toBeLessThanOrEqual(1_220);
    }

    await sending.api.post(`${endpoints}/${disabled.id}`, { status: 'disabled' });
    await sending.api.delete(`${endpoints}/${deleted.id}`);
    const { data } = (await sending.api.get(`/v1/events/${refused.event}/deliveries`)).body;
    expect(data).toHaveLength(2);
    expect(data).toContainEqual({ ...refused, status: 'canceled', next_attempt_at: null });
    expect(data).toContainEqual({ ...unreached, status: 'canceled', next_attempt_at: null });
    // A finished delivery is not resumed.
    await sending.api.post(`${endpoints}/${disabled.id}`, { status: 'enabled' });
    expect(await deliveriesOf(sending.api, disabled.id)).toEqual([
      { ...refused, status: 'canceled', next_attempt_at: null },
    ]);
    expect(receiver.received).toHaveLength(1);
  });
});

describe('pings', () => {
  test('sends an event to one endpoint and returns the delivery when it is pinged, also without a subscription', async () => {
    const [receiver, bystander] = [await receiverForTest(), await receiverForTest()];
    const sending = await serverForTest();
    const { api: own } = sending;
    const other = await endpointOf(own, ['*'], bystander.url);
    const endpoint = await endpointOf(own, ['api_key.rolled'], receiver.url);
    const pinged = await own.post(`${endpoints}/${endpoint.id}/ping`);
    expect(pinged.status, pinged.text).toBe(200);
    expectShape('delivery', pinged.body);
    expect(pinged.body).toMatchObject({
      webhook_endpoint: endpoint.id,
      type: 'webhook_endpoint.pinged',
      status: 'pending',
      attempt_count: 0,
      delivered_at: null,
      attempts: [],
    });

    const [arrived] = await receiver.count(1);
    expect(isSignedWith(endpoint.signing_secret, arrived!)).toBe(true);
    const { api_version: _, ...event } = (await own.get(`/v1/events/${pinged.body.event}`)).body;
    expect(arrived!.body).toStrictEqual(event);
    const { signing_secret: __, ...shown } = endpoint;
    expect(event).toMatchObject({
      type: 'webhook_endpoint.pinged',
      data: { object: shown, previous_attributes: null },
      request: { id: pinged.headers.get('request-id') },
    });
    expect(arrived!.headers['service-delivery-id']).toBe(pinged.body.id);
    expect(arrived!.headers['service-event-id']).toBe(pinged.body.event);

    const delivery = await settled(own, endpoint.id);
    expect(delivery).toMatchObject({ id: pinged.body.id, event: pinged.body.event, status: 'delivered' });
    expect((await own.get(`/v1/events/${event.id}/deliveries`)).body).toMatchObject({ count: 1, data: [delivery] });
    expect((await deliveriesOf(own, other.id)).map(({ type }) => type)).not.toContain('webhook_endpoint.pinged');
    expect((await own.get(`${endpoints}/${endpoint.id}`)).body).toStrictEqual(endpoint);
  });

  test('returns the delivery as later requests show it when a second ends meanwhile', async () => {
    /** A clock whose second reading is in another second. */
    const ticking: Clock = { nowMs: () => (tickingMs += 1000) };
    let tickingMs = Math.ceil(Date.now() / 1000) * 1000;
    const own = await serverForTest({ settings: quiet, overrides: { clock: ticking } });
    const { id } = await endpointOf(own.api, ['api_key.rolled']);
    const { body } = await own.api.post(`${endpoints}/${id}/ping`);
    const [shown] = await deliveriesOf(own.api, id);
    expect([shown.id, shown.created]).toEqual([body.id, body.created]);
    const thatSecond = `created[gte]=${body.created}&created[lte]=${body.created}`;
    expect((await own.api.get(`${endpoints}/${id}/deliveries?${thatSecond}`)).body.count).toBe(1);
  });

  test('replays the ping without another event when its key is repeated', async () => {
    const { api: own } = await addAccount(server);
    const { id } = await endpointOf(own, ['*']);
    const key = { 'idempotency-key': 'one ping' };
    const first = await own.post(`${endpoints}/${id}/ping`, undefined, key);
    const again = await own.post(`${endpoints}/${id}/ping`, undefined, key);
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([200, first.text, 'true']);
    expect((await own.get('/v1/events?type=webhook_endpoint.pinged')).body.count).toBe(1);
    expect((await deliveriesOf(own, id)).filter(({ type }) => type === 'webhook_endpoint.pinged')).toStrictEqual([
      first.body,
    ]);
  });

  test('sends one event for each ping when many arrive at once', async () => {
    const { api: own } = await addAccount(server);
    const { id } = await endpointOf(own, ['api_key.rolled']);
    const pings = await Promise.all(range(10).map(() => own.post(`${endpoints}/${id}/ping`)));
    expect(pings.map(({ status }) => status)).toEqual(range(10).map(() => 200));
    expect(idsOf(await deliveriesOf(own, id)).sort()).toEqual(idsOf(pings.map(({ body }) => body)).sort());
    expect((await own.get('/v1/events?type=webhook_endpoint.pinged')).body.count).toBe(10);
  });

  test('shows the account of a ping when the request names it', async () => {
    const account = await firstAccountId(server);
    const { id } = await endpointOf(api, ['api_key.rolled']);
    const { body } = await api.post(`${endpoints}/${id}/ping`, {}, { 'service-context': account });
    const { account: shown, ...delivery } = body;
    expect(shown).toBe(account);
    expectShape('delivery', delivery);
  });

  test('refuses a ping with advice and no trace when the endpoint is disabled', async () => {
    const { api: own } = await addAccount(server);
    const { id } = await endpointOf(own, ['*']);
    await own.post(`${endpoints}/${id}`, { status: 'disabled' });
    const before = await own.get('/v1/events');
    const refusal = { ...refusals.transition, says: /disabled.*`status: enabled`/ };
    expectRefusal(await own.post(`${endpoints}/${id}/ping`), refusal);
    expect((await own.get('/v1/events')).body).toStrictEqual(before.body);
    expect(await queuedFor(id)).toBe(0);
    await own.post(`${endpoints}/${id}`, { status: 'enabled' });
    expect((await own.post(`${endpoints}/${id}/ping`)).status).toBe(200);
  });
});

/** Creates an endpoint and returns it with its secret. */
async function endpointOf(by: Api, enabledEvents: string[], to = url): Promise<Body> {
  const response = await by.post(endpoints, { url: to, enabled_events: enabledEvents });
  expect(response.status, response.text).toBe(200);
  return response.body;
}

async function createReference(by: Api): Promise<string> {
  const { status, body, text } = await by.post('/v1/references', { application: 'app_1' });
  expect(status, text).toBe(200);
  return body.id;
}

/** Returns all deliveries of an endpoint, newest first. */
async function deliveriesOf(by: Api, endpointId: string): Promise<Body[]> {
  const deliveries = await allOf(by, `${endpoints}/${endpointId}/deliveries`);
  for (const delivery of deliveries) expectShape('delivery', delivery);
  return deliveries;
}

/** Waits for the only delivery of an endpoint to finish. */
async function settled(by: Api, endpointId: string): Promise<Body> {
  await expect
    .poll(async () => (await deliveriesOf(by, endpointId)).map(({ status }) => status))
    .toEqual([expect.stringMatching(/^(delivered|failed|canceled)$/)]);
  return (await deliveriesOf(by, endpointId))[0];
}

/** Waits for the first attempt of an endpoint's only delivery. */
async function attempted(by: Api, endpointId: string): Promise<Body> {
  await expect.poll(async () => (await deliveriesOf(by, endpointId)).map((one) => one.attempt_count)).toEqual([1]);
  return (await deliveriesOf(by, endpointId))[0];
}

async function queuedFor(endpointId: string): Promise<number> {
  const { rows } = await server.context.database.readers.query<{ count: number }>(
    'select count(*) from webhook_queue where webhook_endpoint = $1',
    [endpointId],
  );
  return rows[0]!.count;
}

function idsOf(records: Body[], member = 'id'): string[] {
  return records.map((record) => record[member]);
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}

/** Writes the attempts of a delivery with these outcomes. Takes it out of the queue unless it stays there. */
async function leave(id: string, outcomes: string[], { isQueued }: { isQueued: boolean }): Promise<void> {
  const { readers } = server.context.database;
  await readers.query(
    `insert into webhook_attempts (account_id, delivery_id, started_at_ms, duration_ms, status, api_version, outcome)
     select delivery.account_id, delivery.id, place, 1, 200, '2026-11-01', outcome
     from webhook_deliveries delivery, unnest($2::text[]) with ordinality made (outcome, place)
     where delivery.id = $1`,
    [id, outcomes],
  );
  if (!isQueued) await readers.query('delete from webhook_queue where id = $1', [id]);
}

function countsOf(deliveries: Body[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of deliveries) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
