import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { allPermissions } from '../support/permissions.ts';
import { UnavailableError } from '../../src/db/pools.ts';
import { latestVersion } from '../support/versions.ts';
import { allOf } from '../support/paging.ts';
import { rawRequest } from '../support/raw-http.ts';
import { exclusive, expectRefusal, invalid, refusals, unknown, type Refusal } from '../support/refusals.ts';
import {
  apiClient,
  serverForTest,
  startTestServer,
  type Api,
  type ApiResponse,
  type TestServer,
} from '../support/server.ts';
import { expectShape } from '../support/shapes.ts';
import { StillClock } from '../support/still-clock.ts';
import { addAccount, addKey, type Tenant } from '../support/tenants.ts';

type Log = ApiResponse['body'];

const json = ['Content-Type: application/json'];

let server: TestServer;
/** A new account for each test, with a key that has all permissions. */
let tenant: Tenant;
let api: Api;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  tenant = await newTenant();
  api = tenant.api;
});

describe('logs', () => {
  test('stores every part of a request under its id when the request was executed', async () => {
    const key = randomUUID();
    const body = ' { "application" : "app_1",\n "metadata":{"\\u0061":"\\u00e9 😀"} } ';
    const beforeSeconds = Math.floor(Date.now() / 1000);
    const answer = await rawRequest(server, 'POST /v1/references', {
      key: tenant.key,
      headers: [
        ...json,
        `Idempotency-Key: ${key}`,
        'User-Agent: letting-agent/1.0',
        `Service-Version: ${latestVersion}`,
      ],
      body: Buffer.from(body),
    });
    const log = await logOf(answer);
    expect(log).toStrictEqual({
      id: answer.headers.get('request-id'),
      object: 'log',
      created: expect.closeTo(beforeSeconds, -1),
      method: 'POST',
      url: '/v1/references',
      path: '/v1/references',
      status: 200,
      duration_ms: expect.any(Number),
      ip_address: '127.0.0.1',
      user_agent: 'letting-agent/1.0',
      user_email: null,
      user_id: null,
      key_id: tenant.keyId,
      key_type: 'secret',
      source: 'api',
      portal_session: null,
      api_version: latestVersion,
      idempotency_key: key,
      original_request: null,
      replayed: false,
      request_body: body,
      response_body: answer.text,
      error: null,
      events: await eventsOf(answer),
    });
    expect(log.created).toBeGreaterThanOrEqual(beforeSeconds);
    expect(log.duration_ms).toBeLessThan(10_000);
    expect(log.events).toHaveLength(1);
    expect((await api.get('/v1/logs')).body).toStrictEqual({ object: 'list', count: 1, has_more: false, data: [log] });
  });

  test('stores the error when a request is refused', async () => {
    const answer = await api.post('/v1/references?urgent=1', { application: 'app_1' });
    expectRefusal(answer, unknown('urgent'));
    expect(await logOf(answer)).toMatchObject({
      status: 400,
      url: '/v1/references?urgent=1',
      path: '/v1/references',
      request_body: '{"application":"app_1"}',
      response_body: answer.text,
      error: { type: 'invalid_request_error', code: 'parameter_unknown', param: 'urgent' },
      events: [],
    });
    const withoutParam = await logOf(await api.post('/v1/nothing', {}));
    expect(withoutParam.error).toStrictEqual({ type: 'invalid_request_error', code: 'route_unknown' });
  });

  test('lists the events of a request in order when it made some', async () => {
    const { id } = (await api.post('/v1/references', { application: 'app_1' })).body;
    const answer = await api.post(`/v1/references/${id}`, { outcome: 'accept' });
    const log = await logOf(answer);
    expect(log.events).toEqual(await eventsOf(answer));
    const events = await Promise.all(log.events.map((event: string) => api.get(`/v1/events/${event}`)));
    expect(events.map(({ body }) => [body.type, body.request.id])).toEqual([
      ['reference.updated', log.id],
      ['reference.completed', log.id],
    ]);
    const nothing = await logOf(await api.post(`/v1/references/${id}`, { outcome: 'accept' }));
    expect(nothing).toMatchObject({ status: 200, events: [] });
  });

  test('stores the type of the key for POST and DELETE when a request is logged', async () => {
    const { body: agent } = await api.post('/v1/api_keys', {
      type: 'agent',
      name: 'A helper',
      permissions: ['webhook_endpoints.write', 'events.read'],
    });
    // As if a person had made it, so that it needs no approvals.
    await server.context.database.readers.query(`update api_keys set approvals = 'none' where id = $1`, [agent.id]);
    const byAgent = apiClient(server.url, agent.secret);
    const url = 'https://hooks.example.com/';
    const made = await byAgent.post('/v1/webhook_endpoints', { url, enabled_events: ['webhook_endpoint.pinged'] });
    const deleted = await byAgent.delete(`/v1/webhook_endpoints/${made.body.id}?`);
    expect(await logOf(deleted)).toMatchObject({
      method: 'DELETE',
      status: 200,
      url: `/v1/webhook_endpoints/${made.body.id}?`,
      path: `/v1/webhook_endpoints/${made.body.id}`,
      key_id: agent.id,
      key_type: 'agent',
      idempotency_key: null,
      request_body: null,
      response_body: deleted.text,
      events: await eventsOf(deleted),
    });
  });

  test('requires logs.read when logs are read', async () => {
    const { body: made } = await api.get('/v1/logs');
    expect(made.count).toBe(0);
    const answer = await api.post('/v1/references', { application: 'app_1' });
    const path = `/v1/logs/${answer.headers.get('request-id')}`;
    const [reading, other] = await Promise.all([
      addKey(server, tenant.accountId, { permissions: ['logs.read'] }),
      addKey(server, tenant.accountId, { permissions: allPermissions.filter((one) => one !== 'logs.read') }),
    ]);
    for (const asked of [path, '/v1/logs']) {
      expect((await reading.api.get(asked)).status).toBe(200);
      expectRefusal(await other.api.get(asked), { ...refusals.permission, says: '`logs.read`' });
    }
    expectRefusal(await reading.api.post('/v1/references', { application: 'app_1' }), refusals.permission);
  });

  test('hides a log from other accounts, and refuses to write one when a client tries', async () => {
    const answer = await api.post('/v1/references', { application: 'app_1' });
    const path = `/v1/logs/${answer.headers.get('request-id')}`;
    const unknownId = 'req_0VbZtc5J00baoBiLwEcRMm';
    const stranger = await newTenant();
    const [foreign, nobodys] = [await stranger.api.get(path), await stranger.api.get(`/v1/logs/${unknownId}`)];
    expectRefusal(foreign, refusals.idUnknown);
    expect(wordsOf(foreign, path.slice(9))).toBe(wordsOf(nobodys, unknownId));
    expect((await stranger.api.get('/v1/logs')).body).toMatchObject({ count: 0, data: [] });
    for (const id of ['x', 'req_', answer.body.id]) expectRefusal(await api.get(`/v1/logs/${id}`), refusals.idUnknown);
    for (const refused of [await api.post('/v1/logs', {}), await api.post(path, {}), await api.delete(path)])
      expectRefusal(refused, refusals.methodNotAllowed);
    expect((await api.get(path)).status).toBe(200);
  });
});

describe('logged requests', () => {
  test('logs each authenticated POST and DELETE once when it succeeds, is replayed or is refused', async () => {
    const narrow = await addKey(server, tenant.accountId, { permissions: ['customers.write'] });
    const key = { 'idempotency-key': randomUUID() };
    const { key: sent } = tenant;
    const answers = [
      // Executed.
      await api.post('/v1/references', { application: 'app_1' }, key),
      await api.post('/v1/references/ref_0VbZtc5J00baoBiLwEcRMm/cancel', {}, { 'idempotency-key': 'missing' }),
      await api.delete('/v1/webhook_endpoints/we_0VbZtc5J00baoBiLwEcRMm'),
      // Replayed.
      await api.post('/v1/references', { application: 'app_1' }, key),
      await api.post('/v1/references/ref_0VbZtc5J00baoBiLwEcRMm/cancel', {}, { 'idempotency-key': 'missing' }),
      await api.post('/v1/references', { application: 'app_2' }, key),
      // Refused before execution.
      await narrow.api.post('/v1/references', { application: 'app_1' }),
      await api.post('/v1/references', {}, { 'idempotency-key': 'missing field' }),
      await api.post('/v1/references', { application: 'app_1' }, { 'idempotency-key': 'x'.repeat(256) }),
      await api.post('/v1/references', '{'),
      await api.post('/v1/references', 'text', { 'content-type': 'text/plain' }),
      await api.post('/v1/references', `{"a":"${'x'.repeat(300_000)}"}`),
      await api.post('/v1/references', { application: 'app_1' }, { 'service-version': '2000-01-01' }),
      await api.post('/v1/references', { application: 'app_1' }, { 'service-context': 'nobody' }),
      await api.post('/v1/references', { application: 'app_1' }, { 'service-context': 'acct_0VbZtc5J00baoBiLwEcRMm' }),
      await api.post('/v1/nothing', {}),
      await api.delete('/v1/references'),
      await api.post('/v1/events', {}),
      await rawRequest(server, 'POST /v1/references/%zz', { key: sent, headers: json, body: '{}' }),
    ];
    const unlogged = [
      await api.get('/v1/references'),
      await api.get('/v1/references/ref_1'),
      await rawRequest(server, 'PUT /v1/references', { key: sent, headers: json, body: '{}' }),
      await rawRequest(server, 'PATCH /v1/references', { key: sent, headers: json, body: '{}' }),
      await rawRequest(server, 'POST /nothing', { key: sent, headers: json, body: '{}' }),
      await rawRequest(server, 'POST /v1/references', { key: null, headers: json, body: '{"application":"a"}' }),
      await rawRequest(server, 'POST /v1/references', { key: `${sent}x`, headers: json, body: '{"application":"a"}' }),
      await rawRequest(server, 'DELETE /v1/webhook_endpoints/we_1', { key: null }),
    ];
    expect(answers.map(({ status }) => status).join(' ')).toBe(
      '200 404 404 200 404 400 403 400 400 400 415 413 400 400 403 404 405 405 400',
    );
    expect(unlogged.map(({ status }) => status)).toEqual([200, 404, 405, 405, 404, 401, 401, 401]);

    const { body: list } = await api.get('/v1/logs?limit=50');
    expect(list.count).toBe(answers.length);
    expect(list.data.map(({ id }: Log) => id)).toEqual(
      answers.map(({ headers }) => headers.get('request-id')).toReversed(),
    );
    for (const answer of answers) {
      const log = await logOf(answer);
      expect(log).toMatchObject({ status: answer.status, response_body: answer.text });
      expect(log.error?.code).toBe(answer.body.error?.code);
      const isReplay = answer.headers.get('idempotent-replayed') === 'true';
      expect([log.replayed, log.original_request]).toEqual([isReplay, answer.headers.get('original-request')]);
    }
    expect(list.data.filter(({ replayed }: Log) => replayed)).toHaveLength(2);
    for (const answer of unlogged)
      expectRefusal(await api.get(`/v1/logs/${answer.headers.get('request-id')}`), refusals.idUnknown);
  });

  test('logs a repeat when its first request is still running', async () => {
    const key = { 'idempotency-key': randomUUID() };
    // This request takes a second, since every process must read the change before the response.
    const real = await serverForTest({ connection: server.connection, secretKey: tenant.key, realFreshness: true });
    const running = real.api.post('/v1/account', { name: 'New' }, key);
    await expect.poll(async () => (await api.get('/v1/account')).body.name, { interval: 10 }).toBe('New');
    const twin = await real.api.post('/v1/account', { name: 'New' }, key);
    const first = await running;
    expectRefusal(twin, refusals.idempotencyInUse);
    expect(await logOf(twin)).toMatchObject({
      status: 409,
      idempotency_key: key['idempotency-key'],
      error: { code: 'idempotency_key_in_use' },
      replayed: false,
      original_request: null,
      events: [],
    });
    expect(await logOf(first)).toMatchObject({ status: 200, replayed: false });
  });

  test('logs a request when it meets a server fault, unless the database cannot be written', async () => {
    let fault: Error = new Error('A fault of ours.');
    const broken = await serverForTest({
      connection: server.connection,
      secretKey: tenant.key,
      changeContext: (context) => ({
        ...context,
        async readRecord() {
          throw fault;
        },
      }),
    });
    const path = '/v1/references/ref_0VbZtc5J00baoBiLwEcRMm/cancel';
    const key = { 'idempotency-key': randomUUID() };
    const internal = await broken.api.post(path, {}, key);
    expectRefusal(internal, refusals.internal);
    const again = await broken.api.post(path, {}, key);
    fault = new UnavailableError(false, new Error('gone'));
    const unavailable = await broken.api.post(path, {}, { 'idempotency-key': randomUUID() });
    expectRefusal(unavailable, refusals.unavailable);
    expect(await logOf(internal)).toMatchObject({
      status: 500,
      response_body: internal.text,
      error: { type: 'api_error', code: 'internal' },
      events: [],
    });
    expect(await logOf(again)).toMatchObject({
      status: 500,
      response_body: internal.text,
      replayed: true,
      original_request: internal.headers.get('request-id'),
    });
    expect((await api.get('/v1/logs')).body.count).toBe(2);
  });
});

describe('the list of logs', () => {
  test('returns the newest first with an exact count and pages both ways when logs are listed', async () => {
    const ids: (string | null)[] = [];
    for (let made = 0; made < 7; made++)
      ids.unshift((await api.post('/v1/customers', { name: 'Ada' })).headers.get('request-id'));
    const all = await allOf(api, '/v1/logs', { limit: '3' });
    for (const log of all) expectShape('log', log);
    expect(all.map(({ id }) => id)).toEqual(ids);
    const page = async (query: string): Promise<unknown[]> => {
      const { body } = await api.get(`/v1/logs?limit=2&${query}`);
      return [body.count, body.has_more, body.data.map(({ id }: Log) => ids.indexOf(id))];
    };
    expect(await page('')).toEqual([7, true, [0, 1]]);
    expect(await page('offset=5')).toEqual([7, false, [5, 6]]);
    expect(await page(`starting_after=${ids[4]}`)).toEqual([7, false, [5, 6]]);
    expect(await page(`ending_before=${ids[2]}`)).toEqual([7, false, [0, 1]]);
    expect(await page(`ending_before=${ids[5]}`)).toEqual([7, true, [3, 4]]);
    expect(await page(`status=2xx&starting_after=${ids[1]}`)).toEqual([7, true, [2, 3]]);
    expect((await api.get('/v1/logs/' + String(ids[3]))).body).toStrictEqual(all[3]);
  });

  test('counts each request once when many arrive at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => api.post('/v1/customers', index % 3 === 0 ? {} : { name: 'Ada' })),
    );
    const logs = await allOf(api, '/v1/logs');
    expect(logs.map(({ id, status }) => `${id} ${status}`).sort()).toEqual(
      answers.map(({ headers, status }) => `${headers.get('request-id')} ${status}`).sort(),
    );
    expect((await api.get('/v1/logs')).body.count).toBe(60);
    expect((await api.get('/v1/logs?status=400')).body.count).toBe(20);
  });

  describe('log filters', () => {
    const made: Record<string, string | null> = {};
    let filtered: Tenant;
    let second: Tenant;

    beforeAll(async () => {
      filtered = await newTenant();
      second = await addKey(server, filtered.accountId, { permissions: ['references.write'] });
      const key = { 'idempotency-key': 'one, of its own' };
      note('ok', await filtered.api.post('/v1/customers', { name: 'Ada' }, key));
      note('replay', await filtered.api.post('/v1/customers', { name: 'Ada' }, key));
      note('reference', await second.api.post('/v1/references', { application: 'app_1' }));
      note('invalid', await filtered.api.post('/v1/references?x=1', {}));
      note('missing', await filtered.api.post('/v1/references/ref_1/cancel'));
      note('denied', await second.api.post('/v1/customers', { name: 'Bo' }));
      note('deleted', await filtered.api.delete('/v1/webhook_endpoints/we_1'));
    });

    const cases: [string, string[]][] = [
      ['method=POST', ['denied', 'missing', 'invalid', 'reference', 'replay', 'ok']],
      ['method=DELETE', ['deleted']],
      ['path=/v1/references', ['invalid', 'reference']],
      ['path=/v1/references/ref_1/cancel', ['missing']],
      ['path=/v1/reference', []],
      ['path=/v1/references?x=1', []],
      ['status=200', ['reference', 'replay', 'ok']],
      ['status=2xx', ['reference', 'replay', 'ok']],
      ['status=4xx', ['deleted', 'denied', 'missing', 'invalid']],
      ['status=404', ['deleted', 'missing']],
      ['status=400', ['invalid']],
      ['status=403', ['denied']],
      ['status=5xx', []],
      ['status=3xx', []],
      ['source=api', ['deleted', 'denied', 'missing', 'invalid', 'reference', 'replay', 'ok']],
      ['source=dashboard', []],
      ['source=portal', []],
      ['idempotency_key=one,+of+its+own', ['replay', 'ok']],
      ['idempotency_key=one', []],
      ['error_code=parameter_unknown', ['invalid']],
      ['error_code=resource_missing', ['deleted', 'missing']],
      ['error_code=resource_missing&method=POST', ['missing']],
      ['error_code=resource_missing&created[gte]=1', ['deleted', 'missing']],
      ['error_code=resource', []],
      ['status=4xx&method=POST', ['denied', 'missing', 'invalid']],
      ['status=404&method=DELETE&source=api', ['deleted']],
      ['method=POST&path=/v1/customers&status=2xx&idempotency_key=one,%20of%20its%20own', ['replay', 'ok']],
    ];

    test.each(cases)('returns exactly the matching logs when filtered by %s', async (query, expected) => {
      const { status, body, text } = await filtered.api.get(`/v1/logs?${query}`);
      expect(status, text).toBe(200);
      expect([body.count, namesOf(body.data)]).toEqual([expected.length, expected]);
    });

    test('returns the logs of one key when filtered by key', async () => {
      const of = async (key: string): Promise<string[]> =>
        namesOf((await filtered.api.get(`/v1/logs?key=${key}`)).body.data);
      expect(await of(second.keyId)).toEqual(['denied', 'reference']);
      expect(await of(filtered.keyId)).toEqual(['deleted', 'missing', 'invalid', 'replay', 'ok']);
      expect(await of(tenant.keyId)).toEqual([]);
      expect(await of('key_1')).toEqual([]);
    });

    function note(name: string, { headers }: ApiResponse): void {
      made[name] = headers.get('request-id');
    }

    function namesOf(logs: Log[]): string[] {
      const names = Object.fromEntries(Object.entries(made).map(([name, id]) => [id, name]));
      return logs.map(({ id }) => names[id] ?? id);
    }
  });

  test('filters logs by time to the second when created is sent', async () => {
    const clock = new StillClock();
    const still = await serverForTest({ overrides: { clock } });
    const ids: (string | null)[] = [];
    for (let second = 0; second < 3; second++) {
      ids.push((await still.api.post('/v1/customers', { name: 'Ada' })).headers.get('request-id'));
      clock.advanceMs(999);
      ids.push((await still.api.post('/v1/customers', { name: 'Ada' })).headers.get('request-id'));
      clock.advanceMs(1);
    }
    const [{ created: last }] = (await still.api.get('/v1/logs')).body.data;
    const of = async (query: string): Promise<unknown[]> => {
      const { body } = await still.api.get(`/v1/logs?${query}`);
      return [body.count, body.data.map(({ id }: Log) => ids.indexOf(id))];
    };
    expect(await of(`created[gt]=${last - 1}`)).toEqual([2, [5, 4]]);
    expect(await of(`created[gte]=${last - 1}`)).toEqual([4, [5, 4, 3, 2]]);
    expect(await of(`created[lt]=${last - 1}`)).toEqual([2, [1, 0]]);
    expect(await of(`created[lte]=${last - 1}`)).toEqual([4, [3, 2, 1, 0]]);
    expect(await of(`created[gte]=${last - 1}&created[lt]=${last}&method=POST`)).toEqual([2, [3, 2]]);
  });

  const faults: [string, Refusal][] = [
    ['method=GET', invalid('method')],
    ['method=post', invalid('method')],
    ['status=99', invalid('status')],
    ['status=4XX', invalid('status')],
    ['status=4x', invalid('status')],
    ['status=6xx', invalid('status')],
    ['status=0404', invalid('status')],
    ['status=', invalid('status')],
    ['source=web', invalid('source')],
    ['path=', invalid('path')],
    ['key=', invalid('key')],
    ['key=key-1', invalid('key')],
    [`key=${'x'.repeat(256)}`, invalid('key')],
    ['idempotency_key=', invalid('idempotency_key')],
    [`idempotency_key=${'x'.repeat(256)}`, invalid('idempotency_key')],
    ['error_code=', invalid('error_code')],
    ['error_code=Not+found', invalid('error_code')],
    ['error_code=resource*', invalid('error_code')],
    ['created[gt]=yesterday', invalid('created[gt]')],
    ['created[lte]=-1', invalid('created[lte]')],
    ['created=5', unknown('created')],
    ['key_id=key_1', unknown('key_id')],
    ['methods=POST', unknown('methods')],
    ['method=POST&method=DELETE', invalid('method')],
    ['limit=51', invalid('limit')],
    ['starting_after=evt_0VbZtc5J00baoBiLwEcRMm', invalid('starting_after')],
    ['starting_after=req_0VbZtc5J00baoBiLwEcRMm&offset=1', exclusive('offset')],
  ];

  test.each(faults)('refuses the log filter %s when its name or value is invalid', async (query, refusal) => {
    expectRefusal(await api.get(`/v1/logs?${query}`), refusal);
  });
});

describe('secrets in logs', () => {
  test('redacts secrets of created, rolled and replayed records when requests are logged', async () => {
    const secrets = new Set<string>([tenant.key]);
    const redacted: { answer: ApiResponse; secret: string }[] = [];
    const secretly = async (by: Api, path: string, body: object, headers: Record<string, string> = {}) => {
      const key = { 'idempotency-key': randomUUID(), ...headers };
      const first = await by.post(path, body, key);
      const again = await by.post(path, body, key);
      expect(again.text).toBe(first.text);
      const secret: string = first.body.secret ?? first.body.signing_secret;
      expect(secret, first.text).toMatch(/^((sk|rk|ak)_test|whsec)_[0-9A-Za-z]{32,}$/);
      secrets.add(secret);
      redacted.push({ answer: first, secret }, { answer: again, secret });
      return first.body;
    };
    const context = { 'service-context': (await api.post('/v1/accounts', { name: 'A branch' })).body.id };
    const childKey = apiClient(server.url, (await secretly(api, '/v1/api_keys', { type: 'secret' }, context)).secret);
    const url = 'https://hooks.example.com/';
    const quiet = { url, enabled_events: ['webhook_endpoint.pinged'] };
    const makeAll = async (by: Api, headers: Record<string, string>): Promise<void> => {
      const endpoint = await secretly(by, '/v1/webhook_endpoints', quiet, headers);
      await secretly(by, `/v1/webhook_endpoints/${endpoint.id}/roll_secret`, {}, headers);
      const key = await secretly(by, '/v1/api_keys', { type: 'restricted', permissions: ['logs.read'] }, headers);
      await secretly(by, `/v1/api_keys/${key.id}/roll`, {}, headers);
      await by.post(`/v1/webhook_endpoints/${endpoint.id}`, { description: 'x' }, headers);
      await by.delete(`/v1/webhook_endpoints/${endpoint.id}`, headers);
      const agent = { type: 'agent', name: 'A helper', permissions: ['logs.read'] };
      const agentKey = await secretly(by, '/v1/api_keys', agent, headers);
      await by.delete(`/v1/api_keys/${agentKey.id}`, headers);
    };
    await Promise.all([makeAll(api, {}), makeAll(api, context), makeAll(childKey, {})]);
    expect(secrets.size).toBe(1 + 1 + 3 * 5);

    const logs = [...(await allOf(api, '/v1/logs')), ...(await allOf(childKey, '/v1/logs'))];
    expect(logs.length).toBe(1 + 2 + 3 * 13);
    const text = JSON.stringify(logs);
    const { rows } = await server.context.database.readers.query<{ row: string }>(
      'select request_logs::text as row from request_logs where account_id = any($1)',
      [[tenant.accountId, context['service-context']]],
    );
    expect(rows).toHaveLength(logs.length);
    const stored = rows.map(({ row }) => row).join('\n');
    for (const secret of secrets) {
      const random = secret.slice(secret.lastIndexOf('_') + 1);
      expect(text.includes(random)).toBe(false);
      expect(stored.includes(random)).toBe(false);
    }
    const byId = new Map(logs.map((log) => [log.id, log]));
    for (const { answer, secret } of redacted) {
      expect(byId.get(answer.headers.get('request-id'))!.response_body).toBe(answer.text.replace(secret, '[redacted]'));
    }
  });
});

/** Creates an account, with a key that has all permissions. */
async function newTenant(): Promise<Tenant> {
  const { accountId } = await addAccount(server);
  return addKey(server, accountId, { permissions: [...allPermissions] });
}

/** Returns the log of the request with this response. */
async function logOf(answer: ApiResponse): Promise<Log> {
  const { status, body, text } = await api.get(`/v1/logs/${answer.headers.get('request-id')}`);
  expect(status, text).toBe(200);
  expectShape('log', body);
  return body;
}

/** Returns the ids of a request's events, in the order that the events themselves give. */
async function eventsOf(answer: ApiResponse): Promise<string[]> {
  const events = (await allOf(api, '/v1/events')).toReversed();
  return events.filter(({ request }) => request.id === answer.headers.get('request-id')).map(({ id }) => id);
}

/** Returns the text of a refusal without the requested id and its own id. */
function wordsOf({ text, body }: ApiResponse, id: string): string {
  return text.replaceAll(id, '…').replaceAll(body.error.request_id, '…');
}
