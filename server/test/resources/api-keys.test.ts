import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { newMasterKey } from '../../src/server/config.ts';
import { Uses } from '../../src/http/pipeline/last-uses.ts';
import { signedIn as personIn } from '../support/browser.ts';
import { allOf } from '../support/paging.ts';
import { furtherPermissions, readOnlyKinds, writableKinds } from '../support/permissions.ts';
import { expectRefusal, invalid, missing, refusals, unknown, type Refusal } from '../support/refusals.ts';
import {
  good,
  apiClient,
  serverForTest,
  startTestServer,
  type Api,
  type ApiResponse,
  type TestServer,
} from '../support/server.ts';
import { expectShape } from '../support/shapes.ts';
import { StillClock } from '../support/still-clock.ts';
import { addAccount, addKey } from '../support/tenants.ts';
import { tablesWith } from '../support/tables.ts';
import { laterThanNow } from '../support/later-than-now.ts';

type Body = ApiResponse['body'];

const path = '/v1/api_keys';
/** The smallest body that creates a key. */
const secretKey = { type: 'secret' };
const daySeconds = 24 * 3600;

const everything = [
  ...writableKinds.map((kind) => `${kind}.write`),
  ...readOnlyKinds.map((kind) => `${kind}.read`),
  ...furtherPermissions,
];
const everyPermission = [...everything, ...writableKinds.map((kind) => `${kind}.read`)];

let server: TestServer;
let api: Api;
/** A server whose clock stands still. Tests only move it forward. */
let still: TestServer;
/** Another process of the deployment of `server`. */
let other: TestServer;
const clock = new StillClock();

beforeAll(async () => {
  server = await startTestServer();
  api = server.api;
  other = await startTestServer({ connection: server.connection, secretKey: server.secretKey });
  still = await startTestServer({ overrides: { clock } });
});
afterAll(async () => {
  await Promise.all([other.stop(), still.stop()]);
  await server.stop();
});

describe('API key creation', () => {
  test('creates a secret key with all permissions when the request names none', async () => {
    const madeNow = laterThanNow();
    const answer = await api.post(path, secretKey);
    const { secret, ...key } = answer.body;
    expect(key).toStrictEqual({
      id: expect.stringMatching(/^key_[0-9A-Za-z]{22}$/),
      object: 'api_key',
      created: madeNow,
      type: 'secret',
      name: null,
      permissions: expect.any(Array),
      last_four: secret.slice(-4),
      expires_at: null,
      last_used_at: null,
      created_by: (await firstKey()).id,
      approvals: null,
      status: 'active',
    });
    expect(key.permissions).toHaveLength(everything.length);
    expect(new Set(key.permissions)).toEqual(new Set(everything));
    expect(secret).toMatch(/^sk_test_[0-9A-Za-z]{38}$/);
  });

  test('names the key that created or rolled a key, and none when a command of the server did', async () => {
    const first = await firstKey();
    const made = await created(api);
    const { body: grandchild } = await good(apiClient(server.url, made.secret).post(path, secretKey));
    const { body: successor } = await good(api.post(`${path}/${grandchild.id}/roll`));
    const ids = [first, made, grandchild, successor].map(({ id }) => id);
    const shown = await Promise.all(ids.map(async (id) => (await good(api.get(`${path}/${id}`))).body.created_by));
    expect(shown).toEqual([null, first.id, made.id, first.id]);
    expect(successor.created_by).toBe(first.id);
    const [event] = (await good(api.get(`/v1/events?object_id=${grandchild.id}&type=api_key.created`))).body.data;
    expect([event.data.object.created_by, event.request.actor.id]).toEqual([made.id, made.id]);
  });

  test('treats null as absent when optional members of a new key are null', async () => {
    const nulls = { name: null, permissions: null, expires_at: null };
    const own = { id: '', created: 0, secret: '', last_four: '' };
    expect({ ...(await created(api, nulls)), ...own }).toStrictEqual({ ...(await created(api)), ...own });
  });

  const kinds = [
    ['secret', 'sk', { name: 'Server', permissions: ['references.read', 'logs.read'] }],
    ['restricted', 'rk', { permissions: ['customers.write', 'api_keys.write'] }],
    ['agent', 'ak', { name: 'Mail robot', permissions: ['references.write', 'accounts.read', 'events.read'] }],
  ] as const;

  test.each(kinds)(
    'returns the permissions and a secret of its form when a key of type %s is created',
    async (type, prefix, given) => {
      const expiresAt = Math.floor(Date.now() / 1000) + 3600;
      const key = await created(api, { type, ...given, expires_at: expiresAt });
      expect(key).toMatchObject({ type, name: null, ...given, expires_at: expiresAt, status: 'active' });
      expect(key.secret).toMatch(new RegExp(`^${prefix}_test_[0-9A-Za-z]{38}$`));
      expect(key.secret.slice(-6)).toBe(checksumOf(key.secret.slice(0, -6)));
      expect((await api.get(`${path}/${key.id}`)).body).toStrictEqual(withoutSecret(key));
    },
  );

  test.each(kinds)(
    'accepts a key of type %s in every process when it has just been created',
    async (type, _prefix, given) => {
      for (const maker of [server, other]) {
        const { secret } = await created(maker.api, { type, ...given, permissions: ['references.write'] });
        for (const { url } of [other, server]) {
          const by = apiClient(url, secret);
          expect((await by.post('/v1/references', { application: 'app_1' })).status).toBe(200);
          expectRefusal(await by.get('/v1/customers'), { ...refusals.permission, says: '`customers.read`' });
        }
      }
    },
  );

  test("puts the deployment's mode into the prefix when a key is created", async () => {
    const live = await serverForTest({ settings: { TENURE_MODE: 'live' } });
    const granted = { name: 'x', permissions: ['references.read'] };
    for (const [type, prefix] of [
      ['secret', 'sk'],
      ['restricted', 'rk'],
      ['agent', 'ak'],
    ] as const) {
      const { secret } = await created(live.api, { type, ...granted });
      expect(secret).toMatch(new RegExp(`^${prefix}_live_[0-9A-Za-z]{38}$`));
      expect(secret.slice(-6)).toBe(checksumOf(secret.slice(0, -6)));
      expect((await apiClient(live.url, secret).get('/v1/references')).status).toBe(200);
      expectRefusal(await apiClient(server.url, secret).get('/v1/references'), refusals.modeMismatch);
    }
  });

  test('limits an agent key to 30 days by default and to 90 days when the request asks for more', async () => {
    const nowSeconds = clock.nowMs() / 1000;
    const agent = { type: 'agent', name: 'Robot', permissions: ['references.read'] };
    expect((await created(still.api, agent)).expires_at).toBe(nowSeconds + 30 * daySeconds);
    const longest = nowSeconds + 90 * daySeconds;
    expect((await created(still.api, { ...agent, expires_at: longest })).expires_at).toBe(longest);
    const longer = await still.api.post(path, { ...agent, expires_at: longest + 1 });
    expectRefusal(longer, { ...invalid('expires_at'), says: String(longest) });
    // Other types have no limit.
    expect((await created(still.api, { expires_at: longest + 1 })).expires_at).toBe(longest + 1);
  });

  test('refuses a key that outlives its creator, and shortens the default when the creator ends sooner', async () => {
    const now = Math.floor(clock.nowMs() / 1000);
    const short = (await still.api.post(path, { ...secretKey, expires_at: now + 3600 })).body;
    const shortLived = apiClient(still.url, short.secret);
    expect((await shortLived.post(path, secretKey)).body.expires_at).toBe(now + 3600);
    expect((await shortLived.post(path, { ...secretKey, expires_at: now + 60 })).body.expires_at).toBe(now + 60);
    expectRefusal(await shortLived.post(path, { ...secretKey, expires_at: now + 3601 }), invalid('expires_at'));
  });

  test('replays the creation of a key when its expiry has passed in the meantime', async () => {
    const body = { ...secretKey, expires_at: Math.floor(clock.nowMs() / 1000) + 5 };
    const first = await still.api.post(path, body, { 'idempotency-key': 'short lived' });
    clock.advanceMs(10_000);
    const repeated = await still.api.post(path, body, { 'idempotency-key': 'short lived' });
    expect(repeated.text).toBe(first.text);
    expectRefusal(await still.api.post(path, body, { 'idempotency-key': 'too late' }), invalid('expires_at'));
  });

  test.each([undefined, {}, { name: 'Server' }, { permissions: ['references.read'] }])(
    'requires a type when the body is %j',
    async (body) => {
      const before = await everythingThereIs();
      expectRefusal(await api.post(path, body), missing('type'));
      expect(await everythingThereIs()).toEqual(before);
    },
  );

  test('leaves the Idempotency-Key free when a key is refused', async () => {
    const header = { 'idempotency-key': 'mended' };
    expect((await api.post(path, { type: 'restricted' }, header)).status).toBe(400);
    expect((await api.post(path, { type: 'restricted', permissions: ['events.read'] }, header)).status).toBe(200);
  });

  test('refuses a key when its expiry is in the past', async () => {
    const nowSeconds = clock.nowMs() / 1000;
    for (const type of ['secret', 'restricted', 'agent']) {
      const body = { type, name: 'x', permissions: ['references.read'] };
      for (const past of [0, nowSeconds - 1, nowSeconds])
        expectRefusal(await still.api.post(path, { ...body, expires_at: past }), invalid('expires_at'));
      expect((await created(still.api, { ...body, expires_at: nowSeconds + 1 })).status).toBe('active');
    }
  });

  const agent = { type: 'agent', name: 'Robot' };
  const faults: [string, object, Refusal][] = [
    ['a restricted key without permissions', { type: 'restricted' }, missing('permissions')],
    ['an agent key without permissions', agent, missing('permissions')],
    ['an agent key without a name', { type: 'agent', permissions: ['references.read'] }, missing('name')],
    ['an agent key that makes keys', { ...agent, permissions: ['api_keys.write'] }, invalid('permissions')],
    [
      'an agent key that sees keys',
      { ...agent, permissions: ['events.read', 'api_keys.read'] },
      invalid('permissions'),
    ],
    ['an agent key that makes accounts', { ...agent, permissions: ['accounts.write'] }, invalid('permissions')],
    ['an unknown type', { type: 'public' }, invalid('type')],
    ['a type that is null', { type: null }, invalid('type')],
    ['an empty name', { name: '' }, invalid('name')],
    ['too long a name', { name: 'x'.repeat(501) }, invalid('name')],
    ['a key without any permission', { permissions: [] }, invalid('permissions')],
    ['a key with a permission twice', { permissions: ['logs.read', 'logs.read'] }, invalid('permissions')],
    ['a permission that is not in a list', { permissions: 'logs.read' }, invalid('permissions')],
    ['an unknown permission', { permissions: ['references.delete'] }, invalid('permissions[0]')],
    ['all permissions in one', { permissions: ['references.read', '*'] }, invalid('permissions[1]')],
    [
      'a write permission for records that no request writes',
      { permissions: ['events.write'] },
      invalid('permissions[0]'),
    ],
    ['an expiry that is not a number', { expires_at: '2030-01-01' }, invalid('expires_at')],
    ['a chosen secret', { secret: 'sk_test_x' }, unknown('secret')],
    ['a chosen account', { account: 'acct_1' }, unknown('account')],
  ];

  test.each(faults)('refuses to create a key when the request is for %s', async (_case, body, refusal) => {
    const before = await everythingThereIs();
    expectRefusal(await api.post(path, { ...secretKey, ...body }), refusal);
    expect(await everythingThereIs()).toEqual(before);
  });

  test("offers no operation when a client wants to change a key's permissions", async () => {
    const { id, secret } = await created(api, { permissions: ['references.read'] });
    expectRefusal(await api.post(`${path}/${id}`, { permissions: everything }), refusals.methodNotAllowed);
    expectRefusal(await apiClient(server.url, secret).get('/v1/customers'), refusals.permission);
  });
});

describe('privilege escalation', () => {
  test.each(everyPermission)(
    'grants and rolls no key with %s when the caller lacks this permission',
    async (lacking) => {
      const others = everythingBut(lacking);
      const maker = await keyWith(api, others);
      const refused = { ...refusals.permission, says: `\`${lacking}\`` };
      const isKeys = lacking.startsWith('api_keys.');
      const [kept, alone] = [others, [lacking]];
      const restricted = { type: 'restricted', name: 'x' };
      // Without `api_keys.write` a key creates none at all.
      const wanted = isKeys ? { ...refusals.permission, says: '`api_keys.write`' } : refused;
      const holder = await created(api, { ...restricted, permissions: alone });
      const before = await everythingThereIs();
      expectRefusal(await maker.post(path, { ...restricted, permissions: alone }), wanted);
      expectRefusal(await maker.post(path, { ...restricted, permissions: [...kept, lacking].slice(-50) }), wanted);
      // A secret key without a list has all permissions, including the one that its creator lacks.
      expectRefusal(await maker.post(path, secretKey), { ...refusals.permission, says: `\`${lacking.split('.')[0]}.` });
      expectRefusal(await maker.post(`${path}/${holder.id}/roll`), wanted);
      expectRefusal(await maker.delete(`${path}/${holder.id}`), wanted);
      expect(await everythingThereIs()).toEqual(before);
      await expectActive(api, holder);
      if (isKeys) return;
      const made = await created(maker, { ...restricted, permissions: kept });
      expectRefusal(await apiClient(server.url, made.secret).post(path, { ...secretKey, permissions: alone }), refused);
    },
  );

  test('refuses to roll a key when it has more permissions than the caller', async () => {
    const { api: own } = await tenant();
    const strong = await created(own, { type: 'restricted', permissions: ['references.write', 'api_keys.write'] });
    const weak = await created(own, { type: 'restricted', permissions: ['references.read', 'api_keys.write'] });
    const by = apiClient(server.url, weak.secret);
    const before = await everythingThereIs();
    const refused = await by.post(`${path}/${strong.id}/roll`, { expires_in: 100 });
    expectRefusal(refused, { ...refusals.permission, says: '`references.write`' });
    expect(await everythingThereIs()).toEqual(before);
    expect((await own.get(`${path}/${strong.id}`)).body).toStrictEqual(withoutSecret(strong));
    // The caller may roll a key with no more permissions, and the stronger key may roll this one.
    expect((await by.post(`${path}/${weak.id}/roll`, { expires_in: 100 })).status).toBe(200);
    const back = await apiClient(server.url, strong.secret).post(`${path}/${weak.id}/roll`, { expires_in: 100 });
    expect(back.status).toBe(200);
  });

  test('replays no secret of a stronger key when a weaker key repeats the request', async () => {
    const { api: own } = await tenant();
    const keys = { made: newKey(), rolled: newKey() };
    const made = await own.post(path, secretKey, keys.made);
    const roll = `${path}/${made.body.id}/roll`;
    const rolled = await own.post(roll, { expires_in: 100 }, keys.rolled);
    const weak = await keyWith(own, ['api_keys.write', 'events.read']);
    // Events show the Idempotency-Key.
    const [event] = (await weak.get(`/v1/events?object_id=${made.body.id}&type=api_key.created`)).body.data;
    expect(event.request.idempotency_key).toBe(keys.made['idempotency-key']);
    for (const [answer, { secret }] of [
      [await weak.post(path, secretKey, keys.made), made.body],
      [await weak.post(roll, { expires_in: 100 }, keys.rolled), rolled.body],
    ] as const) {
      expect(answer.text).not.toContain(secret);
      expectRefusal(answer, refusals.permission);
    }
  });

  test('names the role when a person lacks a permission to grant, to roll or to revoke', async () => {
    const live = await serverForTest({
      settings: {
        TENURE_MODE: 'live',
        TENURE_ROLE: 'api',
        DATABASE_URL: 'postgres://given.by.the.test/',
        TENURE_MASTER_KEY: newMasterKey(),
      },
    });
    // Live mode requires a second factor.
    const passkeys = [
      { id: 'a', public_key: 'a', counter: 0, transports: [], name: 'a', created: 0, last_used_at: null },
    ];
    const { browser } = await personIn(live, 'developer', { changed: { passkeys } });
    const strong = await created(live.api, { type: 'restricted', permissions: ['accounts.write'] });
    for (const refused of [
      await browser.post(path, { type: 'restricted', permissions: ['accounts.write'] }),
      await browser.post(`${path}/${strong.id}/roll`),
      await browser.delete(`${path}/${strong.id}`),
    ]) {
      expectRefusal(refused, {
        ...refusals.permission,
        says: 'Your role, developer, lacks the permission `accounts.write`',
      });
      expect(refused.body.error.message).not.toContain('key that has it');
    }
  });

  test('allows a key to grant a read permission when it holds the write permission', async () => {
    const maker = await keyWith(api, ['api_keys.write', 'customers.write']);
    const { secret } = await created(maker, { type: 'restricted', permissions: ['customers.read', 'api_keys.read'] });
    const by = apiClient(server.url, secret);
    expect((await by.get('/v1/customers')).status).toBe(200);
    expectRefusal(await by.post('/v1/customers', { name: 'Ada' }), refusals.permission);
    expectRefusal(await by.post(path, { ...secretKey, permissions: ['customers.read'] }), refusals.permission);
  });
});

describe('keys with fewer permissions or an earlier end', () => {
  const keysOnly = { type: 'restricted', permissions: ['api_keys.write'] };

  test("cannot roll or revoke the owner's key when it holds `api_keys.write` alone", async () => {
    const { api: own, key: owners, keyId } = await tenant();
    const by = apiClient(server.url, (await created(own, keysOnly)).secret);
    const before = await everythingThereIs();
    const refused = { ...refusals.permission, says: '`references.write`' };
    for (const body of [undefined, { expires_in: 604_800 }])
      expectRefusal(await by.post(`${path}/${keyId}/roll`, body), refused);
    expectRefusal(await by.delete(`${path}/${keyId}`), refused);
    expect(await everythingThereIs()).toEqual(before);
    await expectGood(server, owners);
  });

  test("cannot roll or revoke a connected account's key when it lacks that key's permissions", async () => {
    const { api: parent } = await tenant();
    const connected = (await parent.post('/v1/accounts', { name: 'Agency' })).body.id;
    const context = { 'service-context': connected };
    const made = (await parent.post(path, secretKey, context)).body;
    const by = apiClient(server.url, (await created(parent, keysOnly)).secret);
    expectRefusal(await by.post(`${path}/${made.id}/roll`, {}, context), refusals.permission);
    expectRefusal(await by.delete(`${path}/${made.id}`, context), refusals.permission);
    await expectGood(server, made.secret);
    expect((await parent.delete(`${path}/${made.id}`, context)).body.status).toBe('revoked');
  });

  test('creates no key that outlives the caller when the caller was rolled or revoked a moment ago', async () => {
    const { api: own } = await tenant();
    const [rolled, revoked] = [await created(own, secretKey), await created(own, secretKey)];
    const by = [rolled, revoked].map(({ secret }) => apiClient(server.url, secret));
    // A process caches a key for up to 1 s after its use.
    for (const each of by) await good(each.get(path));
    const ending = [own.post(`${path}/${rolled.id}/roll`, { expires_in: 60 }), own.delete(`${path}/${revoked.id}`)];
    const committed = async ({ id }: { id: string }) => (await own.get(`${path}/${id}`)).body;
    await expect.poll(async () => (await committed(rolled)).expires_at, { interval: 1 }).not.toBeNull();
    await expect.poll(async () => (await committed(revoked)).status, { interval: 1 }).toBe('revoked');
    const made = (await good(by[0]!.post(path, secretKey))).body;
    expect(made.expires_at).toBeLessThanOrEqual((await committed(rolled)).expires_at);
    expect((await by[1]!.post(path, secretKey)).status).toBe(401);
    for (const answer of await Promise.all(ending)) expect(answer.status).toBe(200);
  });

  test.each(['rolled', 'revoked'])(
    'creates no key that outlives the caller when another process commits first that the caller is %s',
    async (ending) => {
      const { api: own } = await tenant();
      const caller = await created(own, secretKey);
      // The commit of a request with an Idempotency-Key waits for this table. That of a request without one does not.
      const blocker = await server.context.database.listers.connect();
      onTestFinished(() => blocker.release(true));
      await blocker.query('begin');
      await blocker.query('lock table idempotency_keys in exclusive mode');
      const made = apiClient(other.url, caller.secret).post(path, secretKey, newKey());
      const waiting = async (): Promise<number> =>
        (await blocker.query(`select from pg_locks where not granted and relation = 'idempotency_keys'::regclass`))
          .rowCount!;
      await expect.poll(waiting, { interval: 10 }).toBe(1);
      const its = `${path}/${caller.id}`;
      await good(ending === 'rolled' ? own.post(`${its}/roll`, { expires_in: 60 }) : own.delete(its));
      await blocker.query('commit');
      const { status, body } = await made;
      if (ending === 'revoked') expect(status).toBe(401);
      else expect([status, body.expires_at]).toEqual([200, (await own.get(its)).body.expires_at]);
    },
  );

  test('cannot roll or revoke a key when that key outlives the caller', async () => {
    const { api: own } = await tenant(still);
    const now = clock.nowMs() / 1000;
    const short = await created(own, { expires_at: now + 3600 });
    const by = apiClient(still.url, short.secret);
    const outliving = [await created(own), await created(own, { expires_at: now + 3601 })];
    const eventsBefore = await eventsOf(own);
    for (const key of outliving) {
      const refused = { ...refusals.permission, says: `${key.id} expires later` };
      for (const body of [undefined, { expires_in: 604_800 }])
        expectRefusal(await by.post(`${path}/${key.id}/roll`, body), refused);
      expectRefusal(await by.delete(`${path}/${key.id}`), refused);
      await expectActive(own, key);
    }
    expect(await eventsOf(own)).toStrictEqual(eventsBefore);
    // An ended key does not outlive the caller.
    clock.advanceMs(60_000);
    const ended = await created(own, { expires_at: clock.nowMs() / 1000 + 1 });
    clock.advanceMs(1_000);
    expect((await by.delete(`${path}/${ended.id}`)).body.status).toBe('revoked');
    const revoked = await own.delete(`${path}/${outliving[0]!.id}`);
    expect((await by.delete(`${path}/${outliving[0]!.id}`)).text).toBe(revoked.text);
  });

  test("gives the new key no later end than the caller's when a key is rolled", async () => {
    const { api: own } = await tenant(still);
    const now = clock.nowMs() / 1000;
    const tenDays = now + 10 * daySeconds;
    const short = await created(own, { expires_at: tenDays });
    const by = apiClient(still.url, short.secret);
    const rolled = async (id: string): Promise<Body> => (await by.post(`${path}/${id}/roll`, { expires_in: 60 })).body;
    for (const expires_at of [tenDays, tenDays - 1, now + 30]) {
      const { id } = await created(own, { expires_at });
      expect((await rolled(id)).expires_at).toBe(expires_at);
    }
    const agent = { type: 'agent', name: 'Robot', permissions: ['references.read'] };
    const { id } = await created(own, { ...agent, expires_at: now + 30 });
    expect((await rolled(id)).expires_at).toBe(tenDays);
    expect((await created(by, agent)).expires_at).toBe(tenDays);
    expect((await rolled(short.id)).expires_at).toBe(tenDays);
  });

  test('creates no key that outlives the caller when the caller is rolled while the body arrives', async () => {
    const { api: own } = await tenant(still);
    const old = await created(own);
    const send = await slowPost(still, path, old.secret, JSON.stringify(secretKey));
    const rolled = await own.post(`${path}/${old.id}/roll`, { expires_in: 60 });
    expect(rolled.status, rolled.text).toBe(200);
    const made = await send();
    expect([made.status, made.body.expires_at]).toEqual([200, clock.nowMs() / 1000 + 60]);
  });
});

describe('API key secrets', () => {
  test('returns a secret only when a key is created or rolled, and never stores it in plain text', async () => {
    const { api: own } = await tenant();
    const keys = { made: newKey(), rolled: newKey() };
    const made = await own.post(path, secretKey, keys.made);
    const its = `${path}/${made.body.id}`;
    const rolled = await own.post(`${its}/roll`, { expires_in: 1000 }, keys.rolled);
    const newIts = `${path}/${rolled.body.id}`;
    await Promise.all([
      own.post(path, secretKey, keys.made),
      own.post(`${its}/roll`, { expires_in: 1000 }, keys.rolled),
    ]);
    const revoked = await own.delete(newIts);
    const secrets: string[] = [made.body.secret, rolled.body.secret];
    expect(new Set(secrets).size).toBe(2);

    const shown = await Promise.all(
      [path, its, newIts, '/v1/events', '/v1/logs', `/v1/logs/${requestOf(made)}`].map((list) => own.get(list)),
    );
    expect(shown.map(({ status }) => status)).toEqual(shown.map(() => 200));
    expect(shown[4]!.body.count).toBe(5);
    for (const secret of secrets) {
      const random = secret.slice(8, -4);
      for (const { text } of [...shown, revoked]) expect(text).not.toContain(random);
      expect(await tablesWith(server, random)).toEqual([]);
      expect(await tablesWith(server, Buffer.from(random).toString('hex'))).toEqual([]);
    }
    // The search works: it finds a stored text.
    expect(await tablesWith(server, made.body.id)).toEqual(
      expect.arrayContaining(['api_keys', 'events', 'request_logs']),
    );
    for (const [key, response] of [
      [keys.made, made],
      [keys.rolled, rolled],
    ] as const) {
      const sealed = await sealedBodyOf(key);
      expect(sealed.length).toBeGreaterThanOrEqual(response.text.length);
      for (const readable of [response.body.secret.slice(8, -4), response.body.id, 'api_key'])
        expect(sealed.includes(readable)).toBe(false);
      const log = (await own.get(`/v1/logs/${requestOf(response)}`)).body;
      expect(log.response_body).toBe(response.text.replace(response.body.secret, '[redacted]'));
    }
  });

  test('returns the same secret and creates nothing when the request is repeated', async () => {
    const { api: own } = await tenant();
    const keys = { made: newKey(), rolled: newKey() };
    const body = { type: 'restricted', permissions: ['references.read'] };
    const made = await own.post(path, body, keys.made);
    await expectRepeated(made, () => own.post(path, body, keys.made));
    const roll = (): Promise<ApiResponse> => own.post(`${path}/${made.body.id}/roll`, {}, keys.rolled);
    const rolled = await roll();
    // A second roll would be refused by now.
    await expectRepeated(rolled, roll);
    await expectRepeated(made, () => own.post(path, body, keys.made));
    const names = (await eventsOf(own)).map(({ type }) => type);
    expect(names).toEqual(['api_key.created', 'api_key.updated', 'api_key.rolled', 'api_key.created']);
    expect((await own.get(path)).body.count).toBe(2);
    expect((await apiClient(server.url, rolled.body.secret).get('/v1/references')).status).toBe(200);
  });

  test('creates one key when 20 equal requests arrive at once', async () => {
    const { api: own } = await tenant();
    const key = newKey();
    const answers = await Promise.all(range(20).map(() => own.post(path, secretKey, key)));
    const done = answers.filter(({ status }) => status === 200);
    expect(new Set(done.map(({ text }) => text)).size).toBe(1);
    for (const answer of answers) if (answer.status !== 200) expectRefusal(answer, refusals.idempotencyInUse);
    expect((await own.get(path)).body.count).toBe(1);
    expect(await eventsOf(own)).toHaveLength(1);
  });
});

describe('API key rolls', () => {
  test('creates a key of the same type and keeps both valid for the chosen overlap when a key is rolled', async () => {
    const { api: own } = await tenant(still);
    const given = { type: 'restricted', name: 'Server', permissions: ['references.read', 'customers.write'] };
    const old = await created(own, given);
    clock.advanceMs(5_000);
    const nowSeconds = clock.nowMs() / 1000;
    const rolled = await own.post(`${path}/${old.id}/roll`, { expires_in: 604_800 });
    const { secret, ...key } = rolled.body;
    expect(key).toStrictEqual({
      ...withoutSecret(old),
      id: expect.stringMatching(/^key_[0-9A-Za-z]{22}$/),
      created: nowSeconds,
      last_four: secret.slice(-4),
    });
    expect(key.id).not.toBe(old.id);
    expect(secret).toMatch(/^rk_test_[0-9A-Za-z]{38}$/);
    expect(secret).not.toBe(old.secret);
    const ending = { ...withoutSecret(old), expires_at: nowSeconds + 604_800 };
    expect((await own.get(`${path}/${old.id}`)).body).toStrictEqual(ending);

    await expectGood(still, old.secret, secret);
    clock.advanceMs(604_800_000 - 1);
    await expectGood(still, old.secret, secret);
    clock.advanceMs(1);
    await expectExpired(still, old.secret);
    await expectGood(still, secret);
    expect((await own.get(`${path}/${old.id}`)).body).toStrictEqual({ ...ending, status: 'expired' });
    expect((await own.get(`${path}/${key.id}`)).body).toStrictEqual(key);
  });

  test('ends the old key at once when no overlap is sent, even if the key rolls itself', async () => {
    const rolls = [undefined, {}, { expires_in: null }, { expires_in: 0 }].map(async (body) => {
      const old = await created(api, { permissions: ['api_keys.write', 'references.read'] });
      await Promise.all([server, other].map((each) => expectGood(each, old.secret)));
      const { body: key, status } = await apiClient(server.url, old.secret).post(`${path}/${old.id}/roll`, body);
      // The response comes after every process has read the change.
      for (const each of [server, other]) await expectExpired(each, old.secret);
      for (const each of [server, other]) await expectGood(each, key.secret);
      const { status: oldStatus } = (await api.get(`${path}/${old.id}`)).body;
      expect([status, key.status, oldStatus]).toEqual([200, 'active', 'expired']);
    });
    await Promise.all(rolls);
  });

  test('writes three events when a key is rolled', async () => {
    const { api: own } = await tenant(still);
    const old = await created(own);
    const rolled = await own.post(`${path}/${old.id}/roll`, { expires_in: 60 });
    const atOnce = await own.post(`${path}/${rolled.body.id}/roll`);
    const nowSeconds = clock.nowMs() / 1000;
    const ending = { ...withoutSecret(old), expires_at: nowSeconds + 60 };
    const ended = { ...withoutSecret(rolled.body), expires_at: nowSeconds, status: 'expired' };
    const events = await eventsOf(own);
    for (const event of events) {
      expectShape('event', event);
      expectShape('api_key', event.data.object);
    }
    expect(
      events.map(({ type, request, data }) => [type, request.id, data.object, data.previous_attributes]).slice(1),
    ).toStrictEqual([
      ['api_key.updated', requestOf(rolled), ending, { expires_at: null }],
      ['api_key.rolled', requestOf(rolled), ending, null],
      ['api_key.created', requestOf(rolled), withoutSecret(rolled.body), null],
      ['api_key.updated', requestOf(atOnce), ended, { expires_at: null, status: 'active' }],
      ['api_key.rolled', requestOf(atOnce), ended, null],
      ['api_key.created', requestOf(atOnce), withoutSecret(atOnce.body), null],
    ]);
    const log = (await own.get(`/v1/logs/${requestOf(rolled)}`)).body;
    expect(log.events).toEqual(events.slice(1, 4).map(({ id }) => id));
  });

  test("never extends the old key's life when a key is rolled", async () => {
    const nowSeconds = clock.nowMs() / 1000;
    const { api: own } = await tenant(still);
    const old = await created(own, { expires_at: nowSeconds + 60 });
    const rolled = await own.post(`${path}/${old.id}/roll`, { expires_in: 3600 });
    expect(rolled.body.expires_at).toBe(nowSeconds + 60);
    expect((await own.get(`${path}/${old.id}`)).body.expires_at).toBe(nowSeconds + 60);
    const types = (await eventsOf(own)).map(({ type }) => type);
    expect(types).toEqual(['api_key.created', 'api_key.rolled', 'api_key.created']);
  });

  test('gives the new agent key 30 days when an agent key is rolled', async () => {
    const { api: own } = await tenant(still);
    const old = await created(own, { type: 'agent', name: 'Robot', permissions: ['references.read'] });
    clock.advanceMs(29 * daySeconds * 1000);
    const nowSeconds = clock.nowMs() / 1000;
    const rolled = await own.post(`${path}/${old.id}/roll`, { expires_in: 3 * daySeconds });
    expect(rolled.body).toMatchObject({ type: 'agent', name: 'Robot', expires_at: nowSeconds + 30 * daySeconds });
    expect(rolled.body.secret).toMatch(/^ak_test_/);
    expect((await own.get(`${path}/${old.id}`)).body.expires_at).toBe(old.created + 30 * daySeconds);
  });

  const faults: [string, object, Refusal][] = [
    ['an overlap of more than a week', { expires_in: 604_801 }, invalid('expires_in')],
    ['a negative overlap', { expires_in: -1 }, invalid('expires_in')],
    ['a text as the overlap', { expires_in: '60' }, invalid('expires_in')],
    ['an overlap of half a second', { expires_in: 0.5 }, invalid('expires_in')],
    ['other permissions', { permissions: ['references.read'] }, unknown('permissions')],
  ];

  test.each(faults)('refuses to roll a key when the body has %s', async (_case, body, refusal) => {
    const { id, secret } = await created(api, { permissions: ['references.read'] });
    expectRefusal(await api.post(`${path}/${id}/roll`, body), refusal);
    expect((await api.get(`${path}/${id}`)).body.status).toBe('active');
    await expectGood(server, secret);
  });

  test('rolls a key once when 20 requests arrive at once', async () => {
    const { api: own, key } = await tenant();
    const old = await created(own);
    const others = apiClient(other.url, key);
    const answers = await Promise.all(
      range(20).map((index) => [own, others][index % 2]!.post(`${path}/${old.id}/roll`)),
    );
    const done = answers.filter(({ status }) => status === 200);
    expect(done).toHaveLength(1);
    for (const answer of answers) if (answer.status !== 200) expectRefusal(answer, refusals.transition);
    expect((await own.get(path)).body.count).toBe(2);
    expect(await eventsOf(own)).toHaveLength(4);
    await expectGood(server, done[0]!.body.secret);
  });

  test('refuses to roll a key when it has expired or was revoked', async () => {
    const { api: own } = await tenant(still);
    const expired = await created(own, { expires_at: clock.nowMs() / 1000 + 60 });
    const revoked = await created(own);
    const rolled = await created(own);
    await Promise.all([own.delete(`${path}/${revoked.id}`), own.post(`${path}/${rolled.id}/roll`)]);
    clock.advanceMs(60_000);
    const eventsBefore = await eventsOf(own);
    for (const [{ id }, says] of [
      [expired, 'expired'],
      [revoked, 'revoked'],
      [rolled, 'expired'],
    ] as const)
      expectRefusal(await own.post(`${path}/${id}/roll`, { expires_in: 60 }), { ...refusals.transition, says });
    expect(await eventsOf(own)).toStrictEqual(eventsBefore);
  });
});

describe('API key revocation', () => {
  test('ends a key in every process with two events when it is revoked', async () => {
    const { api: own } = await tenant();
    const key = await created(own, { name: 'Lost' });
    for (const each of [server, other]) await expectGood(each, key.secret);
    const revoked = await own.delete(`${path}/${key.id}`);
    for (const each of [server, other]) await expectExpired(each, key.secret);
    expect([revoked.status, revoked.body]).toStrictEqual([200, { ...withoutSecret(key), status: 'revoked' }]);
    expect((await own.get(`${path}/${key.id}`)).text).toBe(revoked.text);

    const events = await eventsOf(own);
    expect(
      events.map(({ type, request, data }) => [type, request.id, data.object, data.previous_attributes]).slice(1),
    ).toStrictEqual([
      ['api_key.updated', requestOf(revoked), revoked.body, { status: 'active' }],
      ['api_key.revoked', requestOf(revoked), revoked.body, null],
    ]);
    // A second revocation adds no event.
    const again = await own.delete(`${path}/${key.id}`);
    expect([again.status, again.text]).toEqual([200, revoked.text]);
    expect(await eventsOf(own)).toStrictEqual(events);
    expect((await own.get('/v1/logs?method=DELETE')).body.count).toBe(2);
  });

  test('revokes a key once when 20 requests arrive at once', async () => {
    const { api: own, key } = await tenant();
    const { id } = await created(own);
    const others = apiClient(other.url, key);
    const answers = await Promise.all(range(20).map((index) => [own, others][index % 2]!.delete(`${path}/${id}`)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    const types = (await eventsOf(own)).map(({ type }) => type);
    expect(types).toEqual(['api_key.created', 'api_key.updated', 'api_key.revoked']);
  });

  test('lets a key revoke itself when it is valid', async () => {
    const { id, secret } = await created(api, { permissions: ['api_keys.write'] });
    const by = apiClient(server.url, secret);
    expect((await by.delete(`${path}/${id}`)).body.status).toBe('revoked');
    expectRefusal(await by.get(path), refusals.keyExpired);
  });

  test('revokes a key when it has expired or is in its overlap', async () => {
    const { api: own } = await tenant(still);
    const expired = await created(own, { expires_at: clock.nowMs() / 1000 + 60 });
    clock.advanceMs(60_000);
    const overlapping = await created(own);
    await own.post(`${path}/${overlapping.id}/roll`, { expires_in: 600 });
    await expectGood(still, overlapping.secret);
    const answers = await Promise.all([expired, overlapping].map(({ id }) => own.delete(`${path}/${id}`)));
    expect(answers.map(({ status, body }) => [status, body.status])).toEqual([
      [200, 'revoked'],
      [200, 'revoked'],
    ]);
    await expectExpired(still, overlapping.secret);
    const updates = await allOf(own, '/v1/events', { object_id: expired.id, type: 'api_key.updated' });
    expect(updates.map(({ data }) => data.previous_attributes)).toEqual([{ status: 'expired' }]);
  });
});

describe('API key times', () => {
  test('ends a key to the second without an event when its expiry comes', async () => {
    const { api: own } = await tenant(still);
    const key = await created(own, { expires_at: clock.nowMs() / 1000 + 3600 });
    const eventsBefore = await eventsOf(own);
    clock.advanceMs(3_600_000 - 1);
    await expectGood(still, key.secret);
    expect((await own.get(`${path}/${key.id}`)).body.status).toBe('active');
    clock.advanceMs(1);
    await expectExpired(still, key.secret);
    expect((await own.get(`${path}/${key.id}`)).body).toStrictEqual({ ...withoutSecret(key), status: 'expired' });
    expect((await own.get(path)).body.data[0].status).toBe('expired');
    expect(await eventsOf(own)).toStrictEqual(eventsBefore);
  });

  test('shows the minute of the last use when a key is retrieved', async () => {
    const { api: own } = await tenant(still);
    const { id, secret } = await created(own);
    const eventsBefore = await eventsOf(own);
    const lastUsed = async (): Promise<number | null> => {
      await still.context.keyUses.write(still.context.database.readers);
      return (await own.get(`${path}/${id}`)).body.last_used_at;
    };
    expect(await lastUsed()).toBeNull();
    const toMinute = clock.nowMs() % 60_000;
    clock.advanceMs(60_000 - toMinute + 60_000 - 1);
    const minute = Math.floor(clock.nowMs() / 60_000) * 60;
    await apiClient(still.url, secret).get('/v1/references');
    expect(await lastUsed()).toBe(minute);
    expect((await own.get(path)).body.data[0].last_used_at).toBe(minute);
    clock.advanceMs(1);
    // A refused request counts as a use. A mistyped key does not.
    await apiClient(still.url, `${secret}x`).get('/v1/references');
    expect(await lastUsed()).toBe(minute);
    await apiClient(still.url, secret).get('/v1/nothing');
    expect(await lastUsed()).toBe(minute + 60);
    // Another process may write an earlier use later.
    const slow = new Uses('api_keys');
    slow.note({ accountId: still.context.ids.make('acct'), id }, minute + 600);
    slow.note({ accountId: (await accountOf(still, id)) ?? '', id: 'key_0' }, minute + 600);
    await slow.write(still.context.database.readers);
    expect(await lastUsed()).toBe(minute + 60);
    const behind = new Uses('api_keys');
    behind.note({ accountId: (await accountOf(still, id)) ?? '', id }, minute);
    await behind.write(still.context.database.readers);
    expect(await lastUsed()).toBe(minute + 60);
    expect(await eventsOf(own)).toStrictEqual(eventsBefore);
    // Recording a use does not conflict with a change, and a change keeps the time of the last use.
    const rolled = await own.post(`${path}/${id}/roll`, { expires_in: 600 });
    expect([rolled.status, rolled.body.last_used_at, await lastUsed()]).toEqual([200, null, minute + 60]);
  });
});

describe('actors of events', () => {
  const kinds = [
    ['secret', 'api_key'],
    ['restricted', 'api_key'],
    ['agent', 'agent'],
  ] as const;

  test.each(kinds)(
    'names a key of type %s as actor type %s in events, and by its id in logs, when it acts',
    async (type, actorType) => {
      const { api: own } = await tenant();
      const name = `My ${type} key`;
      const { id, secret } = await created(own, { type, name, permissions: ['references.write'] });
      const answer = await apiClient(server.url, secret).post('/v1/references', { application: 'app_1' });
      const [event] = await allOf(own, '/v1/events', { object_id: answer.body.id });
      expectShape('event', event);
      expect(event.request.actor).toStrictEqual({ type: actorType, id, name, key_id: id, key_type: type });
      expect((await own.get(`/v1/logs/${requestOf(answer)}`)).body).toMatchObject({ key_id: id, key_type: type });
      expect((await own.get(`/v1/logs?key=${id}`)).body.count).toBe(1);
    },
  );
});

describe('the list of API keys', () => {
  test('lists all keys of the account in any status, newest first, when keys are listed', async () => {
    const { first, api: own } = await newAccount();
    const keys: Body[] = [first];
    for (const index of range(7)) keys.push(await created(own, { name: `Key ${index}` }));
    const revoked = (await own.delete(`${path}/${keys[3]!.id}`)).body;
    const wanted = keys.map((key) => (key.id === revoked.id ? revoked : withoutSecret(key))).toReversed();
    const page = (await own.get(`${path}?limit=50`)).body;
    expect(page).toMatchObject({ object: 'list', count: 8, has_more: false });
    for (const key of page.data) expectShape('api_key', key);
    expect(page.data).toStrictEqual(wanted);
    expect(await allOf(own, path, { limit: '2' })).toStrictEqual(wanted);
  });

  test("hides other accounts' keys when keys are listed, and answers their ids like unknown ones", async () => {
    const [{ api: own }, { first, api: others }] = [await newAccount(), await newAccount()];
    const { id } = await created(own);
    const nobodys = server.context.ids.make('key');
    const before = await everythingThereIs();
    const asks: ((id: string) => Promise<ApiResponse>)[] = [
      (key) => others.get(`${path}/${key}`),
      (key) => others.delete(`${path}/${key}`),
      (key) => others.post(`${path}/${key}/roll`, {}),
    ];
    for (const ask of asks) {
      const [foreign, unknownOne] = [await ask(id), await ask(nobodys)];
      expectRefusal(foreign, refusals.idUnknown);
      expect(masked(foreign, id)).toBe(masked(unknownOne, nobodys));
    }
    expect(await everythingThereIs()).toEqual(before);
    expect((await others.get(path)).body).toStrictEqual({
      object: 'list',
      count: 1,
      has_more: false,
      data: [withoutSecret(first)],
    });
  });
});

describe('keys of a connected account', () => {
  test('acts for the connected account alone when its parent has created the key', async () => {
    const { accountId, api: parent } = await tenant();
    const connected = (await parent.post('/v1/accounts', { name: 'Agency' })).body.id;
    const context = { 'service-context': connected };
    const made = await parent.post(path, secretKey, context);
    const { secret, account, ...key } = made.body;
    expect(account).toBe(connected);
    expectShape('api_key', key);
    const own = apiClient(server.url, secret);
    expect((await own.get('/v1/account')).body.id).toBe(connected);
    expect((await own.get(path)).body.data).toStrictEqual([key]);
    expect((await parent.get(path)).body.count).toBe(0);
    expectRefusal(await parent.get(`${path}/${key.id}`), refusals.idUnknown);
    expectRefusal(await own.get(path, { 'service-context': accountId }), refusals.accountUnknown);
    expect((await parent.delete(`${path}/${key.id}`, context)).body).toStrictEqual({
      ...key,
      status: 'revoked',
      account,
    });
    expectRefusal(await own.get(path), refusals.keyExpired);
  });
});

/** Creates a key through the API and checks the response. */
async function created(by: Api, body: object = {}): Promise<Body> {
  const response = await by.post(path, { ...secretKey, ...body });
  expect(response.status, response.text).toBe(200);
  expectShape('api_key', withoutSecret(response.body));
  return response.body;
}

async function keyWith(by: Api, permissions: string[]): Promise<Api> {
  const { secret } = await created(by, { type: 'restricted', permissions });
  return apiClient(server.url, secret);
}

/** Creates an account without records, with a key that has all permissions. */
async function tenant(on = server): ReturnType<typeof addKey> {
  const { accountId } = await addAccount(on);
  return addKey(on, accountId, { permissions: everything });
}

/** Creates an account and its first key through the API. */
async function newAccount(): Promise<{ first: Body; api: Api }> {
  const { id } = (await api.post('/v1/accounts', { name: 'Agency' })).body;
  const { account, ...first } = (await api.post(path, secretKey, { 'service-context': id })).body;
  expect(account).toBe(id);
  return { first, api: apiClient(server.url, first.secret) };
}

/** Returns all permissions except this one and those that include it. */
function everythingBut(lacking: string): string[] {
  const [resource, verb] = lacking.split('.');
  const others = everything.filter((permission) => !permission.startsWith(`${resource}.`));
  const keepsReading = verb === 'write';
  return keepsReading ? [...others, `${resource}.read`] : others;
}

function withoutSecret(key: Body): Body {
  const { secret: _, ...shown } = key;
  return shown;
}

async function expectGood(on: TestServer, ...secrets: string[]): Promise<void> {
  for (const secret of secrets) {
    const { status, text } = await apiClient(on.url, secret).get('/v1/references');
    expect(status, text).toBe(200);
  }
}

async function expectActive(by: Api, key: Body): Promise<void> {
  expect((await by.get(`${path}/${key.id}`)).body).toStrictEqual(withoutSecret(key));
}

async function expectExpired(on: TestServer, secret: string): Promise<void> {
  const by = apiClient(on.url, secret);
  expectRefusal(await by.get('/v1/references'), refusals.keyExpired);
  expectRefusal(await by.post('/v1/references', { application: 'app_1' }), refusals.keyExpired);
}

/** Sends a request up to its body, and waits until the server has read that part. Returns a function that sends the rest. */
async function slowPost(
  on: TestServer,
  route: string,
  key: string,
  body: string,
): Promise<() => Promise<{ status: number; body: Body }>> {
  const sending = httpRequest(on.url + route, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-length': body.length },
  });
  const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
  // A request that is refused meanwhile fails the test where its response is awaited.
  answered.catch(() => {});
  const signedIn = vi.spyOn(on.context.keyRing, 'get');
  sending.write(body.slice(0, 1));
  await expect.poll(() => signedIn.mock.calls.some(([wanted]) => wanted === key)).toBe(true);
  signedIn.mockRestore();
  return async () => {
    sending.end(body.slice(1));
    const [answer] = await answered;
    return { status: answer.statusCode!, body: await json(answer) };
  };
}

async function expectRepeated(first: ApiResponse, repeat: () => Promise<ApiResponse>): Promise<void> {
  const again = await repeat();
  expect([again.status, again.text]).toEqual([200, first.text]);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(again.headers.get('original-request')).toBe(requestOf(first));
}

/** Returns all events of an account, oldest first. */
async function eventsOf(by: Api): Promise<Body[]> {
  return (await allOf(by, '/v1/events')).toReversed();
}

function requestOf({ headers }: ApiResponse): string | null {
  return headers.get('request-id');
}

/** Returns the response as text, without the parts that differ between two responses to the same fault. */
function masked(response: ApiResponse, id: string): string {
  return response.text.replaceAll(id, '…').replaceAll(String(requestOf(response)), 'req_…');
}

/** Computes the checksum of a key as a secret scanner would: CRC-32 in six base-62 digits, in ASCII order. */
function checksumOf(text: string): string {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  let rest = crc32(text);
  let checksum = '';
  for (let width = 0; width < 6; width++) {
    checksum = digits[rest % 62]! + checksum;
    rest = Math.floor(rest / 62);
  }
  return checksum;
}

/** Counts all rows that a request can leave behind, except its log. */
async function everythingThereIs(): Promise<unknown> {
  const { rows } = await server.context.database.readers.query(`
    select
      (select count(*) from api_keys) as keys,
      (select sum(revision) from api_keys) as revisions,
      (select count(*) from events) as events,
      (select sum(delta) from count_deltas where object <> 'log') as counted`);
  return rows[0];
}

async function sealedBodyOf(key: { 'idempotency-key': string }): Promise<Buffer> {
  const { rows } = await server.context.database.readers.query<{ sealed_body: Buffer }>(
    'select sealed_body from idempotency_keys where key = $1',
    [key['idempotency-key']],
  );
  expect(rows).toHaveLength(1);
  return rows[0]!.sealed_body;
}

async function accountOf(on: TestServer, keyId: string): Promise<string | undefined> {
  const { rows } = await on.context.database.readers.query<{ account_id: string }>(
    'select account_id from api_keys where id = $1',
    [keyId],
  );
  return rows[0]?.account_id;
}

let keys = 0;

/** Returns the header with an unused key. */
function newKey(): { 'idempotency-key': string } {
  return { 'idempotency-key': `api key ${++keys}` };
}

/** Returns the key that the first start made. */
async function firstKey(): Promise<Body> {
  const { data } = (await good(api.get(`${path}?limit=50`))).body;
  return data.find(({ last_four: lastFour }: Body) => lastFour === server.secretKey.slice(-4));
}

function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}
