import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newMasterKey } from '../../../src/server/config.ts';
import { compactActivity } from '../../../src/maintenance/compact-activity.ts';
import { allOf } from '../../support/paging.ts';
import { allPermissions } from '../../support/permissions.ts';
import { receiverForTest } from '../../support/receiver.ts';
import { expectRefusal, invalid, refusals, unknown } from '../../support/refusals.ts';
import {
  apiClient,
  createTestDatabase,
  good,
  serverForTest,
  startTestServer,
  type Api,
  type ApiResponse,
  type TestServer,
} from '../../support/server.ts';
import { addAccount, addKey, type Tenant } from '../../support/tenants.ts';
import { attempted, endpointFor, ping, soon } from '../../webhooks/scenario.ts';

type Body = ApiResponse['body'];

const path = '/v1/activity';
const minute = 60;
const hour = 3600;
const day = 24 * hour;
const intervals = { minute, hour, day };

let server: TestServer;
let tenant: Tenant;

beforeAll(async () => {
  server = await startTestServer({ settings: { TENURE_RETRY_SCHEDULE: '0.05' } });
});
afterAll(() => server.stop());
beforeEach(async () => {
  tenant = await newTenant();
});

describe('counts of activity', () => {
  test('equal the logs and the events of each interval when requests succeed, are refused and are repeated', async () => {
    await sendOfEachClass(tenant.api);
    for (const [interval, seconds] of Object.entries(intervals)) {
      const { body } = await good(tenant.api.get(`${path}?interval=${interval}`));
      expect([body.object, body.interval, body.data.length]).toEqual(['activity', interval, 24]);
      expect(body.data.map(({ start }: Body) => start)).toEqual(
        Array.from({ length: 24 }, (_, index) => body.since + index * seconds),
      );
      expect([body.since % seconds, body.until - body.since]).toEqual([0, 24 * seconds]);
      await expectEqualToLists(tenant.api, body, seconds);
      expect(totalsOf(body)).toMatchObject({ '2xx': 5, '4xx': 4, '5xx': 0, events: 3 });
    }
  });

  test('counts no GET, and no request with the status 401 or 429', async () => {
    const before = totalsOf(await activity(tenant.api));
    await tenant.api.get('/v1/references');
    await tenant.api.get('/v1/references/ref_1');
    await apiClient(server.url, `${tenant.key}x`).post('/v1/references', {});
    expect(totalsOf(await activity(tenant.api))).toEqual(before);
  });

  test('count each attempt once by its outcome when deliveries fail, are retried and arrive', async () => {
    const flaky = await receiverForTest(500, 204);
    const broken = await receiverForTest(500, 500);
    const one = await endpointFor(tenant.api, flaky.url, { enabled_events: ['webhook_endpoint.pinged'] });
    const other = await endpointFor(tenant.api, broken.url, { enabled_events: ['webhook_endpoint.pinged'] });
    for (const { id } of [one, other]) await ping(tenant.api, id);
    for (const { id } of [one, other]) await attempted(tenant.api, id, 2);
    const ofEndpoint = async (id: string): Promise<Body> => activity(tenant.api, `webhook_endpoint=${id}`);
    expect(totalsOf(await activity(tenant.api))).toMatchObject({ delivered: 1, failed: 3 });
    const narrowed = await ofEndpoint(one.id);
    expect(totalsOf(narrowed)).toMatchObject({ delivered: 1, failed: 1 });
    expect(narrowed.data.map(({ requests, events }: Body) => [requests, events])).toEqual(
      narrowed.data.map(() => [null, null]),
    );
    expect(narrowed.latency).toEqual({
      requests: null,
      attempts: { p50: expect.any(Number), p95: expect.any(Number) },
    });
    expect(totalsOf(await ofEndpoint(other.id))).toMatchObject({ delivered: 0, failed: 2 });
    expect(totalsOf(await ofEndpoint('we_1'))).toMatchObject({ delivered: 0, failed: 0 });
    await good(tenant.api.delete(`/v1/webhook_endpoints/${one.id}`));
    expect(totalsOf(await ofEndpoint(one.id))).toMatchObject({ delivered: 1, failed: 1 });
  });

  test('belong to the account acted upon when a platform acts on a connected one', async () => {
    const { body: branch } = await good(tenant.api.post('/v1/accounts', { name: 'Branch' }));
    const own = totalsOf(await activity(tenant.api));
    const context = { 'service-context': branch.id };
    await good(tenant.api.post('/v1/customers', { name: 'Ada' }, context));
    // The branch has two events, because its first request pins it.
    const { body } = await good(tenant.api.get(path, context));
    expect([body.account, totalsOf(body)]).toEqual([branch.id, expect.objectContaining({ '2xx': 1, events: 2 })]);
    expect(totalsOf(await activity(tenant.api))).toEqual(own);
    expect(await activity(tenant.api)).not.toHaveProperty('account');
    const stranger = await newTenant();
    expect(totalsOf(await activity(stranger.api))).toMatchObject({ '2xx': 0, events: 0 });
  });

  test('leave accounts below a connected account out when a key of the platform asks', async () => {
    const receiver = await receiverForTest();
    const { api: branch, accountId: branchId } = await branchOf(tenant);
    const { api: desk } = await branchOf({ api: branch });
    const below = await endpointFor(branch, receiver.url, { connected: true });
    const own = await endpointFor(branch, receiver.url);
    await good(desk.post('/v1/references', { application: 'app_1' }));
    await attempted(branch, below.id, 1);
    const context = { 'service-context': branchId };
    const asPlatform = async (query: string): Promise<ApiResponse> => tenant.api.get(`${path}?${query}`, context);
    const none = { delivered: 0, failed: 0 };
    const { body } = await good(asPlatform('interval=minute'));
    expect(totalsOf(body)).toMatchObject(none);
    expect(body.latency.attempts).toEqual({ p50: null, p95: null });
    expectRefusal(await asPlatform(`webhook_endpoint=${below.id}`), refusals.accountMalformed);

    await good(branch.post('/v1/references', { application: 'app_1' }));
    await attempted(branch, own.id, 1);
    for (const query of ['interval=minute', `webhook_endpoint=${own.id}`]) {
      const answer = await good(asPlatform(query));
      expect([query, totalsOf(answer.body)]).toEqual([query, expect.objectContaining({ delivered: 1 })]);
      expect(answer.body.latency.attempts).toEqual({ p50: expect.any(Number), p95: expect.any(Number) });
    }
    expect(totalsOf(await activity(branch))).toMatchObject({ delivered: 2 });
    expect(totalsOf(await activity(branch, `webhook_endpoint=${below.id}`))).toMatchObject({ delivered: 1 });

    await good(branch.delete(`/v1/webhook_endpoints/${below.id}`));
    expect(totalsOf((await good(asPlatform('interval=minute'))).body).delivered).toBe(1);
    const ofDeleted = (await good(asPlatform(`webhook_endpoint=${below.id}`))).body;
    expect([totalsOf(ofDeleted), ofDeleted.latency.attempts]).toEqual([
      expect.objectContaining(none),
      { p50: null, p95: null },
    ]);
  });

  test('lose and repeat nothing when two processes write, deliver and fold at once', async () => {
    const { connection } = await createTestDatabase();
    const settings = { DATABASE_URL: 'postgres://given.by.the.test/', TENURE_MASTER_KEY: newMasterKey() };
    const first = await serverForTest({ connection, settings });
    const second = await serverForTest({ connection, settings, secretKey: first.secretKey });
    const receiver = await receiverForTest();
    await endpointFor(first.api, receiver.url);
    const written = new AbortController();
    const folding = [first, second].map(async ({ context }) => {
      while (!written.signal.aborted)
        await compactActivity(context.database.readers, Math.floor(context.clock.nowMs() / 1000));
    });
    const sent = Array.from({ length: 120 }, (_, index) =>
      [first, second][index % 2]!.api.post('/v1/references', index % 3 === 0 ? {} : { application: 'app_1' }),
    );
    await Promise.all(sent);
    await expect.poll(async () => totalsOf(await activity(first.api)).delivered, soon).toBe(80);
    written.abort();
    await Promise.all(folding);
    for (const { api } of [first, second]) {
      const body = await activity(api);
      await expectEqualToLists(api, body, minute);
      const events = (await good(api.get('/v1/events'))).body.count;
      expect(totalsOf(body)).toEqual({ '2xx': 81, '4xx': 40, '5xx': 0, events, delivered: 80, failed: 0 });
    }
  });
});

describe('folding of activity', () => {
  test('keeps every sum while minutes become hours, and deletes hours after 90 days, when the clock is moved', async () => {
    const { api, context } = await serverForTest();
    await sendOfEachClass(api);
    const fold = (): Promise<void> =>
      compactActivity(context.database.readers, Math.floor(context.clock.nowMs() / 1000));
    const rowsOf = async (table: string): Promise<unknown> =>
      (await context.database.readers.query(`select distinct seconds from ${table} order by seconds`)).rows;
    const before = await activity(api, 'interval=hour');
    const totals = totalsOf(before);
    await fold();
    expect(await activity(api, 'interval=hour')).toEqual(before);
    expect(await rowsOf('activity')).toEqual([{ seconds: 60 }]);

    await good(api.post('/v1/test_helpers/clock/advance', { seconds: 3 * day }));
    await sendOfEachClass(api);
    await fold();
    expect(await rowsOf('activity')).toEqual([{ seconds: 60 }, { seconds: 3600 }]);
    const since = before.since;
    const both = await activity(api, `interval=hour&since=${since}`);
    // The advance itself is a request, too.
    expect(totalsOf(both)).toMatchObject({ '2xx': 11, '4xx': 8, events: totals.events! + 3 });
    for (const [interval, seconds] of [
      ['hour', hour],
      ['day', day],
    ] as const)
      await expectEqualToLists(api, await activity(api, `interval=${interval}&since=${since}`), seconds);
    expectRefusal(await api.get(`${path}?interval=minute&since=${since}&until=${since + hour}`), {
      ...invalid('since'),
      says: 'Minutes are kept for 48 hours',
    });

    await good(api.post('/v1/test_helpers/clock/advance', { seconds: 92 * day }));
    await fold();
    expect(await rowsOf('activity')).toEqual([]);
    expectRefusal(await api.get(`${path}?interval=day&since=${since}`), {
      ...invalid('since'),
      says: 'Activity is kept for 90 days',
    });
  });
});

test('returns the nearest-rank percentiles of the latest requests and attempts', async () => {
  expect((await activity(tenant.api)).latency).toEqual({
    requests: { p50: null, p95: null },
    attempts: { p50: null, p95: null },
  });
  await sendOfEachClass(tenant.api);
  await setDurations('request_logs', 'id');
  const count = (await good(tenant.api.get('/v1/logs'))).body.count;
  const { latency } = await activity(tenant.api);
  expect(latency.requests).toEqual({ p50: Math.ceil(count / 2), p95: Math.ceil(0.95 * count) });
});

describe('the query of activity', () => {
  test('covers whole intervals from since to before until', async () => {
    const noon = Math.floor(Date.now() / 1000 / day) * day - day / 2;
    const cases = [
      [`since=${noon}&until=${noon + hour}`, noon, noon + hour],
      [`since=${noon + 1}&until=${noon + hour + 1}`, noon, noon + 2 * hour],
      [`since=${noon + hour - 1}&until=${noon + hour}`, noon, noon + hour],
      [`until=${noon}`, noon - 24 * hour, noon],
      [`since=${noon}&until=${noon + 1}&interval=day`, noon - day / 2, noon + day / 2],
    ] as const;
    for (const [query, since, until] of cases) {
      const body = await activity(tenant.api, query);
      expect([query, body.since, body.until]).toEqual([query, since, until]);
    }
  });

  test('accepts 200 intervals and refuses more with advice', async () => {
    const until = Math.floor(Date.now() / 1000 / hour) * hour;
    expect((await activity(tenant.api, `since=${until - 200 * hour}&until=${until}`)).data).toHaveLength(200);
    expectRefusal(await tenant.api.get(`${path}?since=${until - 201 * hour}&until=${until}`), {
      ...invalid('since'),
      says: 'has 201 intervals of one hour, but a response has at most 200. Send a longer `interval`',
    });
  });

  test.each([
    ['since=9999999999', invalid('since')],
    ['since=5&until=5', invalid('since')],
    ['since=-1', invalid('since')],
    ['until=tomorrow', invalid('until')],
    ['interval=week', invalid('interval')],
    ['webhook_endpoint=', invalid('webhook_endpoint')],
    ['webhook_endpoint=we-1', invalid('webhook_endpoint')],
    ['step=60', unknown('step')],
  ] as const)('refuses %s', async (query, refusal) => {
    expectRefusal(await tenant.api.get(`${path}?${query}`), refusal);
  });

  test('requires logs.read', async () => {
    const others = allPermissions.filter((permission) => permission !== 'logs.read');
    const denied = await addKey(server, tenant.accountId, { permissions: others });
    expectRefusal(await denied.api.get(path), { ...refusals.permission, says: 'logs.read' });
    await good((await addKey(server, tenant.accountId, { permissions: ['logs.read'] })).api.get(path));
  });
});

/** Adds an account with a key that has all permissions. */
async function newTenant(): Promise<Tenant> {
  const { accountId } = await addAccount(server);
  return addKey(server, accountId, { permissions: allPermissions });
}

/** Adds an account that is connected to another, with a key that has all permissions. */
async function branchOf({ api }: Pick<Tenant, 'api'>): Promise<Tenant> {
  const { body } = await good(api.post('/v1/accounts', { name: 'Branch' }));
  return addKey(server, body.id, { permissions: allPermissions });
}

/** Sends five requests that succeed, with three events, and four that are refused. */
async function sendOfEachClass(api: Api): Promise<void> {
  const key = { 'idempotency-key': `once ${crypto.randomUUID()}` };
  const { body: customer } = await good(api.post('/v1/customers', { name: 'Ada' }, key));
  await good(api.post('/v1/customers', { name: 'Ada' }, key));
  await good(api.post('/v1/references', { application: 'app_1' }));
  await good(api.post(`/v1/customers/${customer.id}`, { phone: '1' }));
  await good(api.post(`/v1/customers/${customer.id}`, { phone: '1' }));
  for (const answer of [
    await api.post('/v1/references', {}),
    await api.post('/v1/nothing', {}),
    await api.post('/v1/references/ref_1/cancel'),
    await api.delete('/v1/customers/cus_1'),
  ])
    expect(answer.status).toBeGreaterThanOrEqual(400);
}

async function activity(api: Api, query = 'interval=minute'): Promise<Body> {
  return (await good(api.get(`${path}?${query}`))).body;
}

function totalsOf({ data }: Body): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { requests, events, attempts } of data) {
    for (const [name, value] of Object.entries<number>({ ...requests, events, ...attempts }))
      sums[name] = (sums[name] ?? 0) + value;
  }
  return sums;
}

/** Expects that each point has as many requests and events as the lists have in its interval. */
async function expectEqualToLists(api: Api, { data, since, until }: Body, seconds: number): Promise<void> {
  const range = { 'created[gte]': String(since), 'created[lt]': String(until) };
  const [logs, events] = await Promise.all([allOf(api, '/v1/logs', range), allOf(api, '/v1/events', range)]);
  for (const { start, requests, events: eventCount } of data) {
    const isIn = ({ created }: Body): boolean => created >= start && created < start + seconds;
    const ofClass = (status: number): number =>
      logs.filter((log) => isIn(log) && Math.floor(log.status / 100) === status).length;
    expect([start, requests, eventCount]).toEqual([
      start,
      { '2xx': ofClass(2), '4xx': ofClass(4), '5xx': ofClass(5) },
      events.filter(isIn).length,
    ]);
  }
}

/** Sets the durations of the tenant's rows to 1 ms, 2 ms and so on. */
async function setDurations(table: string, id: string): Promise<void> {
  await server.context.database.readers.query(
    `update ${table} row
     set duration_ms = place
     from (select ${id} as id, row_number() over (order by ${id}) as place from ${table} where account_id = $1) numbered
     where account_id = $1 and row.${id} = numbered.id`,
    [tenant.accountId],
  );
}
