import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { UnavailableError } from '../../src/db/pools.ts';
import { versions } from '../support/versions.ts';
import { serverThatCannotRead } from '../support/failing-server.ts';
import { expectRefusal, refusals } from '../support/refusals.ts';
import { exchange, rawRequest, type RawRequest } from '../support/raw-http.ts';
import { serverForTest, startTestServer, type Api, type ApiResponse, type TestServer } from '../support/server.ts';
import { addKey, firstAccountId, type Tenant } from '../support/tenants.ts';
import { tracesOf } from '../support/traces.ts';

let server: TestServer;
let api: Api;
let accountId: string;

beforeAll(async () => {
  server = await startTestServer();
  api = server.api;
  accountId = await firstAccountId(server);
});
afterAll(() => server.stop());

const requestIdForm = /^req_[0-9A-Za-z]{22}$/;

describe('headers of every response', () => {
  const answers: { name: string; ask: () => Promise<ApiResponse> }[] = [
    { name: 'a list', ask: () => api.get('/v1/references') },
    { name: 'a new record', ask: () => api.post('/v1/references', { application: 'app_1' }) },
    { name: 'a replay', ask: replayed },
    { name: 'a 400', ask: () => api.post('/v1/references', {}) },
    { name: 'a 401', ask: () => rawRequest(server, 'GET /v1/references', { key: null }) },
    { name: 'a 404', ask: () => api.get('/v1/references/ref_1') },
    { name: 'a 404 outside of the API', ask: () => rawRequest(server, 'GET /nothing', { key: null }) },
    { name: 'a 405', ask: () => rawRequest(server, 'DELETE /v1/references') },
    { name: 'a 413', ask: () => api.post('/v1/references', `{"a":"${'x'.repeat(300_000)}"}`) },
    { name: 'a 415', ask: () => api.post('/v1/references', '{}', { 'content-type': 'text/plain' }) },
    { name: 'a 431', ask: () => rawRequest(server, `GET /v1/${'x'.repeat(17_000)}`) },
    { name: 'a request that is not HTTP', ask: () => exchange(server, 'garbage\r\n\r\n') },
    { name: 'a path that cannot be decoded', ask: () => rawRequest(server, 'GET /v1/references/%zz') },
    { name: 'a request without Host', ask: () => rawRequest(server, 'GET /v1/references', { host: null }) },
    {
      name: 'an expectation that the server cannot meet',
      ask: () => rawRequest(server, 'GET /v1/references', { headers: ['Expect: cake'] }),
    },
    { name: 'GET /healthz', ask: () => rawRequest(server, 'GET /healthz', { key: null }) },
    { name: 'GET /readyz', ask: () => rawRequest(server, 'GET /readyz', { key: null }) },
    { name: 'the page of an error', ask: () => rawRequest(server, 'GET /docs/errors/internal', { key: null }) },
    { name: 'OPTIONS *', ask: () => rawRequest(server, 'OPTIONS *', { key: null }) },
  ];

  test.each(answers)('sends a new Request-Id and a Service-Version when the case is $name', async ({ ask }) => {
    const [first, second] = [await ask(), await ask()];
    expect(first.status).toBe(second.status);
    for (const { headers } of [first, second]) {
      expect({ requestId: headers.get('request-id'), version: headers.get('service-version') }).toEqual({
        requestId: expect.stringMatching(requestIdForm),
        version: versions[0],
      });
    }
    expect(first.headers.get('request-id')).not.toBe(second.headers.get('request-id'));
  });

  test('sends different Request-Ids when hundreds of requests arrive at once', async () => {
    const asked = await Promise.all(
      Array.from({ length: 300 }, (_, index) => (index % 2 ? api.get('/v1/nothing') : api.get('/v1/events'))),
    );
    expect(new Set(asked.map(({ headers }) => headers.get('request-id'))).size).toBe(300);
  });

  test.each([...versions])('sends the requested Service-Version when it is %s', async (version) => {
    const headers = { 'service-version': version };
    for (const answer of [
      await api.get('/v1/references', headers),
      await api.get('/v1/references/ref_1', headers),
      await api.post('/v1/references', {}, headers),
    ]) {
      expect(answer.headers.get('service-version')).toBe(version);
    }
  });

  test('forbids caching when the API responds', async () => {
    for (const answer of [await api.get('/v1/references'), await api.get('/v1/nothing')]) {
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
  });

  test("shows nothing of the server's software when it responds", async () => {
    const { headers } = await api.get('/v1/references');
    expect([headers.get('server'), headers.get('x-powered-by')]).toEqual([null, null]);
  });

  test('sends no retry headers when a request succeeds', async () => {
    for (const { headers } of [
      await api.get('/v1/references'),
      await api.post('/v1/references', { application: 'app_1' }),
    ]) {
      expect([
        headers.get('service-should-retry'),
        headers.get('retry-after'),
        headers.get('idempotent-replayed'),
      ]).toEqual([null, null, null]);
    }
  });
});

describe('headers of a replay', () => {
  test('replays the same bytes with the original request and a new Request-Id when a request is repeated', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const first = await api.post('/v1/references', { application: 'app_1' }, headers);
    const again = await api.post('/v1/references', { application: 'app_1' }, headers);
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.headers.get('original-request')).toBe(first.headers.get('request-id'));
    expect(again.headers.get('request-id')).toMatch(requestIdForm);
    expect(again.headers.get('request-id')).not.toBe(first.headers.get('request-id'));
    expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
  });

  test('advises against a retry when an error is replayed', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const first = await api.post('/v1/references/ref_1/cancel', {}, headers);
    const again = await api.post('/v1/references/ref_1/cancel', {}, headers);
    expect([again.status, again.text]).toEqual([404, first.text]);
    expect(again.body.error.request_id).toBe(first.headers.get('request-id'));
    expect([again.headers.get('service-should-retry'), again.headers.get('retry-after')]).toEqual(['false', null]);
    expect(again.headers.get('original-request')).toBe(first.headers.get('request-id'));
  });
});

describe('repeated headers', () => {
  const cases: { name: string; lines: () => [string, string] }[] = [
    { name: 'Authorization', lines: () => [authorization(), 'Authorization: Bearer sk_test_1'] },
    { name: 'Authorization', lines: () => ['Authorization: Bearer sk_test_1', authorization()] },
    { name: 'Authorization', lines: () => [authorization(), authorization().replace('A', 'a')] },
    { name: 'Service-Context', lines: () => [ownContext(), 'Service-Context: acct_1'] },
    { name: 'Service-Context', lines: () => [ownContext(), ownContext()] },
    { name: 'Service-Version', lines: () => [`Service-Version: ${versions[0]}`, `Service-Version: ${versions[1]}`] },
    { name: 'Service-Version', lines: () => [`Service-Version: ${versions[0]}`, `service-version: ${versions[0]}`] },
    { name: 'Content-Type', lines: () => ['Content-Type: application/json', 'Content-Type: text/plain'] },
    { name: 'Content-Type', lines: () => ['Content-Type: application/json', 'Content-Type: application/json'] },
    { name: 'Idempotency-Key', lines: () => ['Idempotency-Key: one', 'Idempotency-Key: two'] },
    { name: 'Idempotency-Key', lines: () => ['Idempotency-Key: one', 'Idempotency-Key: one'] },
  ];

  test.each(cases)('refuses a repeated header with 400 when it is $name', async ({ name, lines }) => {
    const headers = name === 'Content-Type' ? [] : ['Content-Type: application/json'];
    const key = name === 'Authorization' ? null : server.secretKey;
    const before = await tracesOf(server);
    const sent = { key, body: '{"application":"app_1"}', headers: [...headers, ...lines()] };
    const answer = await rawRequest(server, 'POST /v1/references', sent);
    expectRefusal(answer, { ...refusals.requestInvalid, says: `\`${name}\`` });
    expect(await tracesOf(server)).toEqual(before);
    // Without a known key there is no account that could have a log.
    const logs = await logsOf(answer);
    expect(logs.map(({ status, idempotency_key: logged }) => [status, logged])).toEqual(
      key === null ? [] : [[400, null]],
    );
  });

  test('refuses the request with 400 when Authorization comes twice, even on an unknown route', async () => {
    const headers = [authorization(), authorization()];
    for (const line of ['GET /v1/nothing', 'GET /v1/references/%zz', 'DELETE /v1'])
      expectRefusal(await rawRequest(server, line, { key: null, headers }), refusals.requestInvalid);
  });

  test('refuses a stream with 400 when Last-Event-ID comes twice', async () => {
    const [event] = (await api.get('/v1/events?limit=1')).body.data;
    const headers = [`Last-Event-ID: ${event.id}`, `Last-Event-ID: ${event.id}`];
    const answer = await rawRequest(server, 'GET /v1/events/stream', { headers });
    expectRefusal(answer, { ...refusals.requestInvalid, says: '`Last-Event-ID`' });
  });

  test('refuses metrics when Authorization comes twice', async () => {
    const measured = await serverForTest({ settings: { TENURE_METRICS_TOKEN: 'the-token-of-prometheus' } });
    const bearer = 'Authorization: Bearer the-token-of-prometheus';
    const ask = (...lines: string[]): Promise<ApiResponse> =>
      rawRequest(measured, 'GET /metrics', { key: null, headers: ['X-Forwarded-For: 203.0.113.7', ...lines] });
    expect((await ask(bearer)).status).toBe(200);
    expectRefusal(await ask(bearer, 'Authorization: Bearer another'), refusals.requestInvalid);
  });

  test('ignores a repeated header when a single one is ignored too', async () => {
    const ignored = [...twice('Idempotency-Key: one'), ...twice('Content-Type: text/plain')];
    const lastEvent = twice('Last-Event-ID: evt_1');
    const read = await rawRequest(server, 'GET /v1/references', { headers: [...ignored, ...lastEvent] });
    expect(read.status, read.text).toBe(200);
    const { id } = (await api.post('/v1/customers', { name: 'Ada' })).body;
    const headers = twice('Idempotency-Key: one');
    const deleted = await rawRequest(server, `DELETE /v1/customers/${id}`, { headers });
    expect(deleted.status, deleted.text).toBe(200);
  });
});

describe('health checks', () => {
  test('answers health checks when there is no key', async () => {
    const alive = await fetch(`${server.url}/healthz`);
    expect([alive.status, await alive.json()]).toEqual([200, { status: 'alive' }]);
    const ready = await fetch(`${server.url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready' }]);
  });

  test('reports a server as alive and not ready when its database is away', async () => {
    const cutOff = await serverForTest();
    vi.spyOn(cutOff.context.reader, 'query').mockRejectedValue(new Error('The database is away.'));
    expect((await fetch(`${cutOff.url}/healthz`)).status).toBe(200);
    const unready = await fetch(`${cutOff.url}/readyz`);
    expect([unready.status, await unready.json()]).toEqual([503, { status: 'unavailable' }]);
  });
});

describe('request logs', () => {
  const json = ['Content-Type: application/json'];
  let narrow: Tenant;

  beforeAll(async () => {
    narrow = await addKey(server, accountId, { permissions: ['customers.write'] });
  });

  test('logs one row with all parts when a request was executed', async () => {
    const key = randomUUID();
    const body = ' { "application" : "app_1",\n"customer":"cus_1", "metadata":{"\\u0061":"\\u00e9 \\ud83d\\ude00"} } ';
    const beforeSeconds = Math.floor(Date.now() / 1000);
    const answer = await rawRequest(server, 'POST /v1/references', {
      headers: [...json, `Idempotency-Key: ${key}`, 'User-Agent: letting-agent/1.0 (é)'],
      body,
    });
    const [row, ...others] = await logsOf(answer);
    expect(others).toEqual([]);
    expect(row).toEqual({
      account_id: accountId,
      id: answer.headers.get('request-id'),
      created: expect.any(Number),
      method: 'POST',
      url: '/v1/references',
      path: '/v1/references',
      status: 200,
      duration_ms: expect.any(Number),
      ip_address: '127.0.0.1',
      user_agent: expect.stringMatching(/^letting-agent\/1\.0 /),
      user_email: null,
      user_id: null,
      key_id: expect.stringMatching(/^key_/),
      key_type: 'secret',
      source: 'api',
      portal_session: null,
      api_version: versions[0],
      idempotency_key: key,
      original_request: null,
      replayed: false,
      request_body: body,
      response_body: answer.text,
      error: null,
      error_code: null,
      events: await eventIdsOf(answer),
      mentions: [answer.body.id, 'app_1', 'cus_1'],
      also_mentions: [],
    });
    expect(row!.events).toHaveLength(1);
    expect(row!.created).toBeGreaterThanOrEqual(beforeSeconds);
    expect(row!.created).toBeLessThanOrEqual(Math.floor(Date.now() / 1000));
    expect(row!.duration_ms).toBeGreaterThanOrEqual(0);
    expect(row!.duration_ms).toBeLessThan(10_000);
  });

  test('logs every event and record of a change when a request has made one', async () => {
    const { id } = (await api.post('/v1/references', { application: 'app_1', customer: 'cus_1' })).body;
    const answer = await api.post(`/v1/references/${id}`, { outcome: 'accept', reference_pdf: 'file_1' });
    const [row] = await logsOf(answer);
    expect(row!.events).toHaveLength(2);
    expect(row!.events).toEqual(await eventIdsOf(answer));
    expect(new Set(row!.mentions)).toEqual(new Set([id, 'app_1', 'cus_1', 'file_1']));
    expect(row!.mentions).toHaveLength(4);
    expect(row!.path).toBe(`/v1/references/${id}`);
  });

  test('logs no events when a request changed nothing', async () => {
    const { id } = (await api.post('/v1/references', { application: 'app_1' })).body;
    const answer = await api.post(`/v1/references/${id}`, {});
    const [row] = await logsOf(answer);
    expect(row).toMatchObject({ status: 200, events: [], request_body: '{}', response_body: answer.text });
  });

  test('logs a null body when a request had none', async () => {
    const { id } = (await api.post('/v1/references', { application: 'app_1' })).body;
    const [row] = await logsOf(await api.post(`/v1/references/${id}/cancel`));
    expect(row).toMatchObject({ status: 200, request_body: null, method: 'POST', url: `/v1/references/${id}/cancel` });
  });

  test('logs a replay with its original request when a request is repeated', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const first = await api.post('/v1/references', { application: 'app_1' }, headers);
    const again = await api.post('/v1/references', { application: 'app_1' }, headers);
    const [row] = await logsOf(again);
    expect(row).toMatchObject({
      status: 200,
      replayed: true,
      original_request: first.headers.get('request-id'),
      idempotency_key: headers['idempotency-key'],
      request_body: '{"application":"app_1"}',
      response_body: first.text,
      events: [],
    });
  });

  interface Refused {
    name: string;
    line: string;
    request?: RawRequest;
    narrow?: true;
    status: number;
    /** The error of the response, as the log stores it. */
    error: { type: string; code: string; param?: string };
  }

  const invalidRequest = 'invalid_request_error';
  const kept = '{"application":"app_1","x":1}';
  const refusedRequests: Refused[] = [
    {
      name: 'missing permission',
      line: 'POST /v1/references',
      narrow: true,
      status: 403,
      error: { type: 'permission_error', code: 'permission_denied' },
    },
    {
      name: 'unknown route',
      line: 'POST /v1/nothing',
      status: 404,
      error: { type: invalidRequest, code: 'route_unknown' },
    },
    {
      name: 'wrong method',
      line: 'POST /v1/events',
      status: 405,
      error: { type: invalidRequest, code: 'method_not_allowed' },
    },
    {
      name: 'DELETE',
      line: 'DELETE /v1/references',
      status: 405,
      error: { type: invalidRequest, code: 'method_not_allowed' },
    },
    {
      name: 'unknown version',
      line: 'POST /v1/references',
      request: { headers: ['Service-Version: x'] },
      status: 400,
      error: { type: invalidRequest, code: 'api_version_invalid' },
    },
    {
      name: 'malformed context',
      line: 'POST /v1/references',
      request: { headers: ['Service-Context: x'] },
      status: 400,
      error: { type: invalidRequest, code: 'account_invalid' },
    },
    {
      name: 'unknown context',
      line: 'POST /v1/references',
      request: { headers: ['Service-Context: acct_0VbZtc5J00baoBiLwEcRMm'] },
      status: 403,
      error: { type: 'permission_error', code: 'account_invalid' },
    },
    {
      name: 'content type',
      line: 'POST /v1/references',
      request: { headers: ['Content-Type: text/plain'], body: 'x' },
      status: 415,
      error: { type: invalidRequest, code: 'content_type_unsupported' },
    },
    {
      name: 'size',
      line: 'POST /v1/references',
      request: { headers: json, body: `{"a":"${'x'.repeat(300_000)}"}` },
      status: 413,
      error: { type: invalidRequest, code: 'body_too_large' },
    },
    {
      name: 'size in chunks',
      line: 'POST /v1/references',
      request: { headers: json, body: `{"a":"${'x'.repeat(300_000)}"}`, chunked: true },
      status: 413,
      error: { type: invalidRequest, code: 'body_too_large' },
    },
    {
      name: 'JSON',
      line: 'POST /v1/references',
      request: { headers: json, body: '{' },
      status: 400,
      error: { type: invalidRequest, code: 'body_invalid' },
    },
    {
      name: 'query',
      line: 'POST /v1/references?x=1',
      request: { headers: json, body: kept },
      status: 400,
      error: { type: invalidRequest, code: 'parameter_unknown', param: 'x' },
    },
    {
      name: 'body',
      line: 'POST /v1/references',
      request: { headers: json, body: kept },
      status: 400,
      error: { type: invalidRequest, code: 'parameter_unknown', param: 'x' },
    },
    {
      name: 'form of the key',
      line: 'POST /v1/references',
      request: { headers: [...json, 'Idempotency-Key: '], body: '{"application":"a"}' },
      status: 400,
      error: { type: 'idempotency_error', code: 'idempotency_key_invalid' },
    },
    {
      name: 'unknown id',
      line: 'POST /v1/references/ref_1',
      request: { headers: json, body: '{}' },
      status: 404,
      error: { type: invalidRequest, code: 'resource_missing', param: 'id' },
    },
    {
      name: 'path that cannot be decoded',
      line: 'POST /v1/references/%zz',
      status: 400,
      error: { type: invalidRequest, code: 'request_invalid' },
    },
  ];

  test.each(refusedRequests)(
    'logs a refused request when its fault is $name',
    async ({ line, request, narrow: isNarrow, status, error }) => {
      const answer = await rawRequest(server, line, { ...request, ...(isNarrow && { key: narrow.key }) });
      expect(answer.status).toBe(status);
      const rows = await logsOf(answer);
      expect(rows).toHaveLength(1);
      const [method, url] = line.split(' ') as [string, string];
      const expected = {
        method,
        url,
        path: url.split('?')[0],
        status,
        response_body: answer.text,
        events: [],
        replayed: false,
        original_request: null,
      };
      expect(rows[0]).toMatchObject(expected);
      expect(JSON.parse(rows[0]!.error!)).toEqual(error);
      if (isNarrow) expect(rows[0]!.key_id).toBe(narrow.keyId);
    },
  );

  test.each(['{', '{"application":"app_1","x":1}', '{"a":1,"a":2}', '{"application":"a"}é'])(
    'logs the sent body when it was refused: %j',
    async (body) => {
      const answer = await rawRequest(server, 'POST /v1/references', { headers: json, body });
      expect(answer.status).toBe(400);
      const [row] = await logsOf(answer);
      expect(row!.request_body).toBe(body);
    },
  );

  test('logs as much of a body as the database can hold when it cannot hold all', async () => {
    const body = Buffer.from([0x7b, 0x00, 0xff, 0xed, 0xa0, 0x80, 0x7d]);
    const answer = await rawRequest(server, 'POST /v1/references', { headers: json, body });
    expect(answer.body.error.code).toBe('body_invalid');
    const [row] = await logsOf(answer);
    expect(row!.request_body).toMatch(/^\{\ufffd+\}$/);
  });

  test('logs the request when a transition is forbidden, a key is reused or a repeat comes too early', async () => {
    const { id } = (await api.post('/v1/references', { application: 'app_1' })).body;
    await api.post(`/v1/references/${id}/cancel`);
    const forbidden = await api.post(`/v1/references/${id}/cancel`);
    expect(await logsOf(forbidden)).toEqual([
      expect.objectContaining({ status: 400, events: [], response_body: forbidden.text }),
    ]);

    const headers = { 'idempotency-key': randomUUID() };
    await api.post('/v1/references', { application: 'app_1' }, headers);
    const reused = await api.post('/v1/references', { application: 'app_2' }, headers);
    const row = {
      status: 400,
      events: [],
      replayed: false,
      request_body: null,
      response_body: reused.text,
    };
    expect(await logsOf(reused)).toEqual([expect.objectContaining(row)]);
    expect(reused.body.error.code).toBe('idempotency_key_reused');
  });

  test('logs a repeat when its first request is still running', async () => {
    const entered = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const slow = await serverForTest({
      changeContext: (context) => ({
        ...context,
        async readRecord() {
          entered.resolve();
          await gate.promise;
          return null;
        },
      }),
    });
    const headers = { 'idempotency-key': randomUUID() };
    const first = slow.api.post('/v1/references/ref_0VbZtc5J00baoBiLwEcRMm/cancel', {}, headers);
    await entered.promise;
    const twin = await slow.api.post('/v1/references/ref_0VbZtc5J00baoBiLwEcRMm/cancel', {}, headers);
    gate.resolve();
    expect((await first).status).toBe(404);
    expect(await logsOf(twin, slow)).toEqual([
      expect.objectContaining({
        status: 409,
        idempotency_key: headers['idempotency-key'],
        response_body: twin.text,
        replayed: false,
      }),
    ]);
  });

  test('logs a server error when one occurs', async () => {
    const broken = await serverThatCannotRead(() => new Error('secret detail'));
    const answer = await broken.api.post('/v1/references/ref_0VbZtc5J00baoBiLwEcRMm/cancel', {});
    expect(answer.status).toBe(500);
    const [row] = await logsOf(answer, broken);
    expect(row).toMatchObject({ status: 500, response_body: answer.text, events: [] });
    expect(JSON.parse(row!.error!)).toEqual({ type: 'api_error', code: 'internal' });
    expect(JSON.stringify(row)).not.toContain('secret detail');
  });

  test('logs no reads, other methods, unauthenticated requests or requests that could not be executed when they end', async () => {
    const broken = await serverThatCannotRead(() => new UnavailableError(false, new Error('gone')));
    const unavailable = await broken.api.post(
      '/v1/references/ref_0VbZtc5J00baoBiLwEcRMm/cancel',
      {},
      { 'idempotency-key': 'k' },
    );
    expect(unavailable.status).toBe(503);
    expect(await logsOf(unavailable, broken)).toEqual([]);

    const answers = [
      await api.get('/v1/references'),
      await api.get('/v1/references/ref_1'),
      await rawRequest(server, 'POST /v1/references', { key: null, headers: json, body: '{"application":"a"}' }),
      await rawRequest(server, 'POST /v1/references', {
        key: `${server.secretKey}x`,
        headers: json,
        body: '{"application":"a"}',
      }),
      await rawRequest(server, 'DELETE /v1/references', { key: null }),
      await rawRequest(server, 'PUT /v1/references', { headers: json, body: '{}' }),
      await rawRequest(server, 'PATCH /v1/references', { headers: json, body: '{}' }),
      await rawRequest(server, 'POST /nothing', { headers: json, body: '{}' }),
    ];
    for (const answer of answers) expect(await logsOf(answer), answer.text).toEqual([]);
  });

  test('redacts API keys when requests are logged', async () => {
    await api.post('/v1/references', { application: 'app_1' });
    await api.post('/v1/references', {});
    const { rows } = await server.context.database.readers.query<{ found: number }>(
      `select count(*) as found from request_logs where request_logs::text like '%' || $1 || '%'`,
      [server.secretKey],
    );
    expect(rows).toEqual([{ found: 0 }]);
  });

  test('logs one row for each response when many requests arrive at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 120 }, (_, index) =>
        api.post('/v1/references', index % 3 === 0 ? {} : { application: `app_${index}` }),
      ),
    );
    for (const answer of answers) {
      const [row, ...others] = await logsOf(answer);
      expect(others).toEqual([]);
      expect([row!.status, row!.response_body]).toEqual([answer.status, answer.text]);
      expect(row!.events).toEqual(await eventIdsOf(answer));
    }
  });

  test('cuts the user agent when it has the largest size of headers', async () => {
    const answer = await rawRequest(server, 'POST /v1/references', { headers: [`User-Agent: ${'x'.repeat(8_000)}`] });
    const [row] = await logsOf(answer);
    expect(row!.user_agent).toMatch(/^x{100,500}$/);
    const [silent] = await logsOf(await rawRequest(server, 'POST /v1/references'));
    expect(silent!.user_agent).toBeNull();
  });
});

interface LogRow {
  idempotency_key: string | null;
  account_id: string;
  id: string;
  created: number;
  method: string;
  url: string;
  path: string;
  status: number;
  duration_ms: number;
  user_agent: string | null;
  key_id: string | null;
  request_body: string | null;
  response_body: string;
  error: string | null;
  replayed: boolean;
  original_request: string | null;
  events: string[];
  mentions: string[];
}

function authorization(): string {
  return `Authorization: Bearer ${server.secretKey}`;
}

function ownContext(): string {
  return `Service-Context: ${accountId}`;
}

function twice(line: string): [string, string] {
  return [line, line];
}

async function logsOf(answer: ApiResponse, { context }: TestServer = server): Promise<LogRow[]> {
  const { rows } = await context.database.readers.query<LogRow>('select * from request_logs where id = $1', [
    answer.headers.get('request-id'),
  ]);
  return rows;
}

async function eventIdsOf(answer: ApiResponse): Promise<string[]> {
  const { rows } = await server.context.database.readers.query<{ id: string }>(
    `select id from events where request::json->>'id' = $1 order by id`,
    [answer.headers.get('request-id')],
  );
  return rows.map(({ id }) => id);
}

async function replayed(): Promise<ApiResponse> {
  const headers = { 'idempotency-key': randomUUID() };
  await api.post('/v1/references', { application: 'app_1' }, headers);
  return api.post('/v1/references', { application: 'app_1' }, headers);
}
