import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/server/config.ts';
import { StillClock } from '../support/still-clock.ts';
import { expectRefusal, invalid, refusals } from '../support/refusals.ts';
import { allPermissions } from '../support/permissions.ts';
import { apiClient, serverForTest, startTestServer, type Api, type TestServer } from '../support/server.ts';
import { addAccount, addKey, firstAccountId, type Tenant } from '../support/tenants.ts';
import { latestVersion, versions } from '../support/versions.ts';

/*
 * The API version of an account. Its first request pins it, and an upgrade moves it forward. For 72 hours, the upgrade can be rolled back.
 */

const newest = latestVersion;
const [middle, oldest] = ['2026-03-01', '2025-09-01'] as const;

let shared: TestServer;

beforeAll(async () => {
  shared = await startTestServer();
});
afterAll(() => shared.stop());

describe('the first request of an account', () => {
  test.each<[string, (api: Api, server: TestServer) => Promise<unknown>]>([
    ['that reads', (api) => api.get('/v1/references')],
    ['that writes', (api) => api.post('/v1/references', { application: 'app_1' })],
    ['that is refused for its body', (api) => api.post('/v1/references', {})],
    ['to no route', (api) => api.get('/v1/deposits')],
    ['with a wrong method', (api) => api.delete('/v1/references')],
    ['to a path that cannot be decoded', (api) => api.get('/v1/references/%ff')],
    ['for an unknown record', (api) => api.get('/v1/references/ref_1')],
    ['with an unknown version', (api) => api.get('/v1/references', { 'service-version': '2020-01-01' })],
    ['with another version', (api) => api.get('/v1/references', { 'service-version': oldest })],
    ['to an account that is not its own', (api) => api.get('/v1/references', { 'service-context': 'acct_1' })],
    [
      'whose key lacks the permission',
      async (_api, server) => {
        const reader = await addKey(server, await firstAccountId(server), { permissions: ['customers.read'] });
        return reader.api.get('/v1/references');
      },
    ],
  ])('pins the account to the latest version when it is one %s', async (_case, send) => {
    const server = await serverForTest({ unpinned: true });
    expect(await pinsOf(server)).toEqual([null]);
    await send(server.api, server);
    expect(await pinsOf(server)).toEqual([latestVersion]);
  });

  test('pins the account only when the key is known', async () => {
    const server = await serverForTest({ unpinned: true });
    for (const key of ['', 'sk_test_1', server.secretKey.replace('_test_', '_live_')]) {
      const refused = await apiClient(server.url, key).get('/v1/references');
      expect([refused.status, refused.headers.get('service-version')]).toEqual([401, latestVersion]);
    }
    expect(await pinsOf(server)).toEqual([null]);
  });

  test('writes one system event when many first requests arrive at several processes', async () => {
    const one = await serverForTest({ unpinned: true });
    const two = await serverForTest({ unpinned: true, connection: one.connection, secretKey: one.secretKey });
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        [one, two][index % 2]!.api.post('/v1/references', { application: 'app_1' }),
      ),
    );
    for (const { status, headers } of answers) {
      expect([status, headers.get('service-version')]).toEqual([200, latestVersion]);
    }
    const { body: events } = await two.api.get('/v1/events?type=account.updated');
    expect(events).toMatchObject({
      count: 1,
      data: [
        {
          data: { object: { api_version: latestVersion }, previous_attributes: { api_version: null } },
          request: { id: null, idempotency_key: null, actor: { type: 'system', name: 'Tenure' } },
        },
      ],
    });
    expect(events.data[0].data.previous_attributes).toStrictEqual({ api_version: null });
  });

  test('pins both accounts to the latest version when it acts on a connected one and names any version', async () => {
    const server = await serverForTest({ unpinned: true });
    const { body: child } = await server.api.post('/v1/accounts', { name: 'A branch' });
    expect(child.api_version).toBeNull();
    const headers = { 'service-context': child.id, 'service-version': oldest };
    expect((await server.api.get('/v1/references', headers)).status).toBe(200);
    expect((await server.api.get(`/v1/accounts/${child.id}`)).body.api_version).toBe(latestVersion);
  });
});

describe('the version of a request', () => {
  test('responds in the named version for this request alone when a request names one', async () => {
    const { api } = await accountOf(newest);
    const named = await api.get('/v1/references', { 'service-version': oldest });
    expect([named.headers.get('service-version'), named.body]).toEqual([
      oldest,
      { object: 'list', total_count: 0, has_more: false, data: [] },
    ]);
    const plain = await api.get('/v1/references');
    expect([plain.headers.get('service-version'), plain.body.count]).toEqual([newest, 0]);
  });

  test("responds in the version of the key's own account when the request acts on a connected one", async () => {
    const { api } = await serverOf(middle);
    const { body: child } = await api.post('/v1/accounts', { name: 'A branch' });
    const context = { 'service-context': child.id };
    expect((await api.post('/v1/account/api_version', { api_version: newest }, context)).status).toBe(200);
    const answer = await api.get('/v1/account', context);
    expect([answer.headers.get('service-version'), answer.body.api_version]).toEqual([middle, newest]);
  });

  test.each([
    ['a known date with a space in it', '2026-11- 01'],
    ['a date between two', '2026-05-01'],
    ['two dates', `${newest}, ${oldest}`],
    ['a word', 'latest'],
  ])('refuses a version and lists the known ones when it is not an exact date: %s', async (_case, version) => {
    const { api } = await accountOf(newest);
    const answer = await api.post('/v1/references', { application: 'app_1' }, { 'service-version': version });
    expectRefusal(answer, { ...refusals.version, says: `Send one of ${versions.join(', ')}.` });
    expect(answer.headers.get('service-version')).toBe(newest);
    expect((await api.get('/v1/references')).body.count).toBe(0);
  });
});

describe('TENURE_LATEST_VERSION', () => {
  test('pins new accounts to the configured version, for tests of an upgrade, when it is set', async () => {
    const { api } = await serverForTest({ unpinned: true, settings: { TENURE_LATEST_VERSION: oldest } });
    const first = await api.get('/v1/references');
    expect([first.headers.get('service-version'), first.body.total_count]).toEqual([oldest, 0]);
    // The other versions are served too.
    expect((await api.get('/v1/references', { 'service-version': newest })).body.count).toBe(0);
    expect((await api.post('/v1/account/api_version', { api_version: newest })).body.api_version).toBe(newest);
  });

  test('accepts only a known date in a sandbox when it is set', () => {
    expect(() => readConfig({ TENURE_LATEST_VERSION: '2026-11-02' })).toThrow(
      `TENURE_LATEST_VERSION is "2026-11-02"; it must be one of ${versions.join(', ')}.`,
    );
    expect(() => readConfig({ TENURE_LATEST_VERSION: newest, TENURE_MODE: 'live' })).toThrow(
      'TENURE_LATEST_VERSION is for trying upgrades out in a sandbox.',
    );
  });
});

describe('version upgrades', () => {
  test('writes an event and can be rolled back when an account upgrades', async () => {
    const clock = new StillClock();
    const { api } = await serverOf(oldest, clock);
    const upgraded = await upgrade(api, newest);
    const until = Math.floor(clock.nowMs() / 1000) + 72 * 3600;
    expect(upgraded.body).toMatchObject({
      api_version: newest,
      api_version_previous: oldest,
      rollback_until: until,
    });
    // The upgrade was requested in the older version.
    expect(upgraded.headers.get('service-version')).toBe(oldest);
    const read = await api.get('/v1/account');
    expect([read.headers.get('service-version'), read.body]).toEqual([newest, upgraded.body]);
    const { body: events } = await api.get('/v1/events?type=account.updated&limit=1');
    expect(events.data[0]).toMatchObject({
      data: {
        object: upgraded.body,
        previous_attributes: { api_version: oldest, api_version_previous: null, rollback_until: null },
      },
      request: { id: upgraded.headers.get('request-id') },
    });

    const back = await rollBack(api);
    expect(back.body).toMatchObject({ api_version: oldest, api_version_previous: null, rollback_until: null });
    expect((await api.get('/v1/references')).body.total_count).toBe(0);
    // The same upgrade can be made again.
    expect((await upgrade(api, middle)).body).toMatchObject({ api_version: middle, api_version_previous: oldest });
  });

  test('rolls back until the last moment of 72 hours, and then refuses, when an account has upgraded', async () => {
    const clock = new StillClock();
    const { api } = await serverOf(oldest, clock);
    await upgrade(api, newest);
    clock.advanceMs(72 * 3_600_000 - 1_000);
    expect((await rollBack(api)).body.api_version).toBe(oldest);
    await upgrade(api, newest);
    clock.advanceMs(72 * 3_600_000);
    const refused = await rollBack(api);
    expectRefusal(refused, {
      status: 400,
      type: 'invalid_request_error',
      code: 'rollback_expired',
      says: `The upgrade from ${oldest} to ${newest}`,
    });
    expect((await api.get('/v1/account')).body.api_version).toBe(newest);
    // A request can still name the older version.
    expect((await api.get('/v1/references', { 'service-version': oldest })).body.total_count).toBe(0);
  });

  test('shows no past rollback_until, except in earlier events, when its time is over', async () => {
    const clock = new StillClock();
    const { api } = await serverOf(oldest, clock);
    const { rollback_until: until } = (await upgrade(api, newest)).body;
    const shown = async () =>
      Promise.all(
        [oldest, middle, newest].map(
          async (version) => (await api.get('/v1/account', { 'service-version': version })).body.rollback_until,
        ),
      );
    clock.advanceMs(72 * 3_600_000 - 1_000);
    expect(await shown()).toEqual([until, until, until]);
    clock.advanceMs(1_000);
    expect(await shown()).toEqual([null, null, null]);
    expect((await api.get('/v1/account')).body.api_version_previous).toBe(oldest);
    // A later change does not mention it.
    expect((await api.post('/v1/account', { name: 'Renamed' })).body.rollback_until).toBeNull();
    const { data } = (await api.get('/v1/events?type=account.updated&limit=2')).body;
    expect(Object.keys(data[0].data.previous_attributes)).toEqual(['name']);
    expect(data[1].data.object.rollback_until).toBe(until);
  });

  test('rolls back one step when an account has upgraded twice', async () => {
    const { api } = await accountOf(oldest);
    await upgrade(api, middle);
    await upgrade(api, newest);
    expect((await rollBack(api)).body).toMatchObject({ api_version: middle, rollback_until: null });
    const refusal = { ...refusals.transition, says: 'no upgrade to roll back', version: middle };
    expectRefusal(await rollBack(api), refusal);
  });

  test.each<[string, unknown]>([
    ['an older version', oldest],
    ['the version it has', middle],
    ['no version at all', '2026-11-02'],
    ['a word', 'latest'],
  ])('refuses an upgrade when it is not to a newer version: %s', async (_case, version) => {
    const { api } = await accountOf(middle);
    const refusal = {
      ...invalid('api_version'),
      says: `newer ones are ${versions.slice(0, versions.indexOf(middle)).join(', ')}.`,
      version: middle,
    };
    expectRefusal(await upgrade(api, version), refusal);
    expect((await api.get('/v1/account')).body).toMatchObject({ api_version: middle, api_version_previous: null });
  });

  test('says that there is no newer version when the account has the latest', async () => {
    const { api } = await accountOf(newest);
    expectRefusal(await upgrade(api, newest), { ...invalid('api_version'), says: `${newest}, which is the latest.` });
  });

  test('replays an upgrade in its first version when its key is repeated', async () => {
    const { api } = await accountOf(oldest);
    const key = { 'idempotency-key': 'upgrade' };
    const first = await api.post('/v1/account/api_version', { api_version: newest }, key);
    const again = await api.post('/v1/account/api_version', { api_version: newest }, key);
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect([again.headers.get('idempotent-replayed'), again.headers.get('service-version')]).toEqual(['true', oldest]);
  });

  test('applies an upgrade and its rollback in every process when the response has arrived', async () => {
    const one = await serverOf(oldest);
    const two = await serverForTest({ connection: one.connection, secretKey: one.secretKey });
    for (const expected of [newest, oldest, newest]) {
      // The other process has the old account cached.
      await two.api.get('/v1/references');
      const answer = expected === oldest ? await rollBack(one.api) : await upgrade(one.api, expected);
      expect(answer.status).toBe(200);
      const seen = await Promise.all([two, one].map(({ api }) => api.get('/v1/references')));
      expect(seen.map(({ headers }) => headers.get('service-version'))).toEqual([expected, expected]);
    }
  });

  test('keeps the version of existing endpoints, and gives the new one to new endpoints, when an account upgrades', async () => {
    const { api } = await accountOf(oldest);
    const make = () =>
      api.post('/v1/webhook_endpoints', { url: 'http://127.0.0.1:9/', enabled_events: ['webhook_endpoint.pinged'] });
    const { body: before } = await make();
    await upgrade(api, newest);
    const { body: after } = await make();
    expect([before.api_version, after.api_version]).toEqual([oldest, newest]);
    expect((await api.get(`/v1/webhook_endpoints/${before.id}`)).body.api_version).toBe(oldest);
  });

  test('upgrades a connected account when its parent asks', async () => {
    const { api } = await serverOf(oldest);
    const { body: child } = await api.post('/v1/accounts', { name: 'A branch' });
    const context = { 'service-context': child.id };
    const upgraded = await api.post('/v1/account/api_version', { api_version: middle }, context);
    expect(upgraded.body).toMatchObject({ id: child.id, account: child.id, api_version: middle });
    expect((await api.get('/v1/account')).body.api_version).toBe(oldest);
  });
});

describe('GET /v1/api_versions', () => {
  test("lists the versions with their changes, in the request's version, when any key asks", async () => {
    const server = await serverForTest();
    const reader = await addKey(server, await firstAccountId(server), { permissions: ['customers.read'] });
    const { status, body } = await reader.api.get('/v1/api_versions');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      object: 'list',
      count: versions.length,
      has_more: false,
      data: versions.map((id) => ({ id, object: 'api_version', latest: id === newest })),
    });
    expect(body.data.at(-3).changelog).toContain('`request`');
    expect(body.data.at(-2).changelog).toContain('`reference_pdf`');
    const older = await reader.api.get('/v1/api_versions', { 'service-version': oldest });
    expect(older.body).toMatchObject({ total_count: versions.length, data: body.data });
  });
});

/** Creates an account on the shared server, pinned to this version. */
async function accountOf(version: string): Promise<Tenant> {
  const { accountId } = await addAccount(shared, version);
  return addKey(shared, accountId, { permissions: [...allPermissions] });
}

/** Starts a server whose first account is pinned to this version. */
async function serverOf(version: string, clock?: StillClock): Promise<TestServer> {
  const server = await serverForTest({
    settings: { TENURE_LATEST_VERSION: version },
    ...(clock && { overrides: { clock } }),
  });
  expect((await server.api.get('/v1/account')).body.api_version).toBe(version);
  return server;
}

function upgrade(api: Api, version: unknown) {
  return api.post('/v1/account/api_version', { api_version: version });
}

function rollBack(api: Api) {
  return api.post('/v1/account/api_version/rollback');
}

/** Reads the version of every account from the database, because a request to the API would pin it. */
async function pinsOf({ context }: TestServer): Promise<(string | null)[]> {
  const { rows } = await context.database.readers.query<{ api_version: string | null }>(
    'select api_version from accounts order by id',
  );
  return rows.map(({ api_version }) => api_version);
}
