import { setTimeout as delay } from 'node:timers/promises';
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OverloadedError } from '../../src/commit/write-request.ts';
import type { Context } from '../../src/server/context.ts';
import { makeKey } from '../../src/core/secrets/api-keys.ts';
import { errorCatalogue } from '../../src/core/errors.ts';
import { UnavailableError } from '../../src/db/pools.ts';
import { routesOf } from '../../src/http/routes/resources.ts';
import { latestVersion } from '../support/versions.ts';
import { serverThatCannotRead } from '../support/failing-server.ts';
import { rawRequest } from '../support/raw-http.ts';
import {
  docUrlOn,
  exclusive,
  expectRefusal,
  invalid,
  missing,
  refusals,
  unknown,
  type Refusal,
} from '../support/refusals.ts';
import {
  apiClient,
  good,
  serverForTest,
  startTestServer,
  type Api,
  type ApiResponse,
  type TestServer,
} from '../support/server.ts';
import { addAccount, addKey, firstAccountId, type Tenant } from '../support/tenants.ts';

let server: TestServer;
let api: Api;
let accountId: string;
/** Another account and its records. */
let other: Tenant;
let othersReference: string;
let othersCustomer: string;
let othersEvent: string;
let referenceId: string;

beforeAll(async () => {
  server = await startTestServer();
  api = server.api;
  accountId = await firstAccountId(server);
  other = await addAccount(server);
  othersReference = (await other.api.post('/v1/references', { application: 'app_1' })).body.id;
  othersCustomer = (await other.api.post('/v1/customers', { name: 'Ada' })).body.id;
  othersEvent = (await other.api.get('/v1/events')).body.data[0].id;
  referenceId = (await api.post('/v1/references', { application: 'app_1' })).body.id;
});
afterAll(() => server.stop());

describe('authentication errors', () => {
  const malformed = [
    '',
    'Bearer',
    'Bearer ',
    'Basic c2tfdGVzdDo=',
    'sk_test_1',
    'Bearer a b',
    'Token sk_test_1',
    'Bearersk_test_1',
  ];
  const paths = ['/v1', '/v1/', '/v1/references', '/v1/references/ref_1', '/v1/no/such/route', '/v1/events?no_such=1'];

  test.each(paths)('returns 401 below /v1 when there is no key: %s', async (path) => {
    expectRefusal(await rawRequest(server, `GET ${path}`, { key: null }), refusals.keyMissing);
    expectRefusal(await rawRequest(server, `POST ${path}`, { key: null, body: '{' }), refusals.keyMissing);
  });

  test.each(malformed)(
    'treats the key as missing when the Authorization header has another form: %j',
    async (authorization) => {
      const headers = [`Authorization: ${authorization}`];
      expectRefusal(await rawRequest(server, 'GET /v1/references', { key: null, headers }), refusals.keyMissing);
    },
  );

  test('accepts the scheme in any case when a key is sent', async () => {
    const headers = [`Authorization: bearer ${server.secretKey}`];
    expect((await rawRequest(server, 'GET /v1/references', { key: null, headers })).status).toBe(200);
  });

  /** Spellings of API paths, and of paths behind a proxy, that a router may take for the real path. */
  const disguises = [
    '/%76%31/references',
    '/%761/references',
    '/v%31/references',
    '/v1%2Freferences',
    '/v1%2freferences',
    '//v1/references',
    '/./v1/references',
    '/x/../v1/references',
    '/V1/references',
    '/v1;/references',
    '/v1\\references',
    'http://localhost/v1/references',
    'https://localhost/v1/references',
    'HTTP://localhost/v1/references',
    'http://user@localhost:80/v1/references',
  ];

  test.each(disguises)('refuses a request without a key when its API path is spelt differently: %s', async (path) => {
    const body = '{"application":"app_1"}';
    const headers = ['Content-Type: application/json'];
    for (const answer of [
      await rawRequest(server, `GET ${path}`, { key: null }),
      await rawRequest(server, `POST ${path}`, { key: null, headers, body }),
    ]) {
      expect([400, 401, 404], answer.text).toContain(answer.status);
    }
  });

  test("returns 401 without the key's text when the key is unknown", async () => {
    const key = makeKey('secret', 'sandbox', randomBytes);
    const answer = await apiClient(server.url, key).get('/v1/references');
    expectRefusal(answer, { ...refusals.keyInvalid, says: new RegExp(`sk_test_\\*\\*\\*\\*${key.slice(-4)}`) });
    expect(answer.text).not.toContain(key.slice(0, 12));
  });

  test('returns 401 when a key is mistyped in any way', async () => {
    const { secretKey } = server;
    const swapped = secretKey.replace(/(.)(?!\1)(.)(\2*)$/, '$2$1$3');
    expect(swapped).not.toBe(secretKey);
    for (const key of [swapped, secretKey.slice(0, -1), `${secretKey}x`, secretKey.toUpperCase(), 'sk_test_', 'x']) {
      const answer = await apiClient(server.url, key).get('/v1/references');
      expectRefusal(answer, refusals.keyInvalid);
      if (key.length > 20) expect(answer.text).not.toContain(key.slice(8, -4));
    }
  });

  test('says that the key has expired when it has', async () => {
    const nowSeconds = Math.floor(Date.now() / 1000);
    const expired = await addKey(server, accountId);
    await setKey(expired, 'expires_at', nowSeconds - 1);
    expectRefusal(await expired.api.get('/v1/references'), refusals.keyExpired);
    const lasting = await addKey(server, accountId);
    await setKey(lasting, 'expires_at', nowSeconds + 60);
    expect((await lasting.api.get('/v1/references')).status).toBe(200);
  });

  test('refuses a key in every process within a second when it is revoked', async () => {
    const revoked = await addKey(server, accountId);
    expect((await revoked.api.get('/v1/references')).status).toBe(200);
    await setKey(revoked, 'revoked_at', Math.floor(Date.now() / 1000));
    await delay(1_050);
    expectRefusal(await revoked.api.get('/v1/references'), refusals.keyExpired);
    expectRefusal(await revoked.api.post('/v1/references', { application: 'app_1' }), refusals.keyExpired);
  });

  test('says that the key is of the other mode when it is', async () => {
    const key = makeKey('secret', 'live', randomBytes);
    expectRefusal(await apiClient(server.url, key).get('/v1/references'), {
      ...refusals.modeMismatch,
      says: /live.*sandbox/,
    });
  });

  test('says that the key is a test key when the deployment is live', async () => {
    const live = await serverForTest({ settings: { TENURE_MODE: 'live' } });
    expect(live.secretKey).toMatch(/^sk_live_/);
    expect((await live.api.get('/v1/references')).status).toBe(200);
    expectRefusal(await apiClient(live.url, server.secretKey).get('/v1/references'), refusals.modeMismatch);
  });
});

describe('permission errors', () => {
  const cases = [
    { held: 'customers.write', refused: ['GET /v1/references', 'references.read'] },
    { held: 'customers.write', refused: ['GET /v1/references/ref_1', 'references.read'] },
    { held: 'customers.write', refused: ['GET /v1/events', 'events.read'] },
    { held: 'customers.write', refused: ['GET /v1/events/evt_1', 'events.read'] },
    { held: 'references.read', refused: ['POST /v1/references', 'references.write'] },
    { held: 'references.read', refused: ['POST /v1/references/ref_1', 'references.write'] },
    { held: 'references.read', refused: ['POST /v1/references/ref_1/cancel', 'references.write'] },
    { held: 'references.read', refused: ['GET /v1/customers', 'customers.read'] },
    { held: 'customers.read', refused: ['POST /v1/customers', 'customers.write'] },
    { held: 'customers.read', refused: ['POST /v1/customers/cus_1', 'customers.write'] },
  ];

  test.each(cases)(
    'refuses $refused.0 and names the missing permission when the key holds only $held',
    async ({ held, refused }) => {
      const [line, lacked] = refused as [string, string];
      const narrow = await addKey(server, accountId, { permissions: [held] });
      const answer = await rawRequest(server, line, { key: narrow.key });
      expectRefusal(answer, { ...refusals.permission, says: `\`${lacked}\`` });
    },
  );

  test("allows what a key's permissions say, and reading with a write permission, when it is used", async () => {
    const reader = await addKey(server, accountId, { permissions: ['references.read'] });
    expect((await reader.api.get(`/v1/references/${referenceId}`)).status).toBe(200);
    const writer = await addKey(server, accountId, { permissions: ['references.write'] });
    expect((await writer.api.get(`/v1/references/${referenceId}`)).status).toBe(200);
    expect((await writer.api.post('/v1/references', { application: 'app_1' })).status).toBe(200);
    const watcher = await addKey(server, accountId, { permissions: ['events.read'] });
    expect((await watcher.api.get('/v1/events')).status).toBe(200);
  });
});

describe('Service-Context errors', () => {
  const malformedContexts = [
    '',
    'x',
    'acct_',
    'acct_1',
    'ref_0VbZtc5J00baoBiLwEcRMm',
    'null',
    '*',
    'acct_0VbZtc5J00baoBiLwEcRM!',
    'é',
  ];

  test("accepts the header when it names the key's own account", async () => {
    const answer = await api.get(`/v1/references/${referenceId}`, { 'service-context': accountId });
    expect(answer.body).toMatchObject({ id: referenceId, account: accountId });
  });

  test.each(malformedContexts)('refuses the header when it is not an account id: %j', async (context) => {
    const headers = [`Service-Context: ${context}`];
    expectRefusal(await rawRequest(server, 'GET /v1/references', { headers }), refusals.accountMalformed);
  });

  test('refuses the header when it is sent twice', async () => {
    const headers = [`Service-Context: ${accountId}`, `Service-Context: ${accountId}`];
    expectRefusal(await rawRequest(server, 'GET /v1/references', { headers }), refusals.requestInvalid);
  });

  test('returns one error when the account is not connected or does not exist', async () => {
    const nobody = server.context.ids.make('acct');
    const unconnected = await api.get('/v1/references', { 'service-context': other.accountId });
    const nonexistent = await api.get('/v1/references', { 'service-context': nobody });
    expectRefusal(unconnected, refusals.accountUnknown);
    expectRefusal(nonexistent, refusals.accountUnknown);
    expect(masked(unconnected, other.accountId)).toBe(masked(nonexistent, nobody));
    expectRefusal(
      await api.post('/v1/references', { application: 'app_1' }, { 'service-context': other.accountId }),
      refusals.accountUnknown,
    );
  });
});

describe('id errors', () => {
  const operations = [
    { line: 'GET /v1/references/:id', prefix: 'ref' },
    { line: 'POST /v1/references/:id', prefix: 'ref' },
    { line: 'POST /v1/references/:id/cancel', prefix: 'ref' },
    { line: 'GET /v1/customers/:id', prefix: 'cus' },
    { line: 'POST /v1/customers/:id', prefix: 'cus' },
    { line: 'GET /v1/events/:id', prefix: 'evt' },
  ] as const;

  test.each(operations)(
    "returns the same 404 when the record is another account's or does not exist: $line",
    async ({ line, prefix }) => {
      const foreign = { ref: othersReference, cus: othersCustomer, evt: othersEvent }[prefix];
      const nobodys = server.context.ids.make(prefix);
      const [foreignAnswer, nobodysAnswer] = [await call(line, foreign), await call(line, nobodys)];
      expectRefusal(foreignAnswer, { ...refusals.idUnknown, says: foreign });
      expectRefusal(nobodysAnswer, { ...refusals.idUnknown, says: nobodys });
      expect(masked(foreignAnswer, foreign)).toBe(masked(nobodysAnswer, nobodys));
    },
  );

  test.each(operations)('returns 404 when the id has another kind or form: $line', async ({ line }) => {
    for (const id of [
      'x',
      'ref_',
      'acct_1',
      '0',
      'null',
      'ref_%00',
      '%F0%9F%8F%A0',
      accountId,
      "'%20or%201=1",
      '__proto__',
    ]) {
      expectRefusal(await call(line, id), refusals.idUnknown);
    }
  });

  test('leaves a foreign record unchanged when all these requests are refused', async () => {
    expect((await other.api.get(`/v1/references/${othersReference}`)).body).toMatchObject({
      status: 'pending',
      metadata: {},
    });
    expect((await other.api.get('/v1/events')).body.count).toBe(2);
  });
});

describe('route errors', () => {
  const unknownPaths = [
    '/v1',
    '/v1/',
    '/v1/reference',
    '/v1/references/ref_1/cancel/x',
    '/v1/references/ref_1/stop',
    '/v1/bungalows',
  ];

  test.each(unknownPaths)('returns route_unknown when the path is unknown: %s', async (path) => {
    expectRefusal(await api.get(path), { ...refusals.routeUnknown, says: path });
    expectRefusal(await api.post(path, {}), { ...refusals.routeUnknown, says: path });
    expectRefusal(await rawRequest(server, `DELETE ${path}`), refusals.routeUnknown);
  });

  test('returns 404 without a key when an unknown path is outside of the API, with any body', async () => {
    for (const path of [
      '/favicon.ico',
      '/v2/references',
      '/references',
      '/openapixjson',
      '/docs/errors/no_such_code',
    ]) {
      expectRefusal(await rawRequest(server, `GET ${path}`, { key: null }), refusals.routeUnknown);
    }
    for (const headers of [['Content-Type: text/plain'], ['Content-Type: application/json']]) {
      const answer = await rawRequest(server, 'POST /references', { key: null, headers, body: '{' });
      expectRefusal(answer, refusals.routeUnknown);
    }
  });

  test('returns 405 with the allowed methods when a known path gets another method', async () => {
    const routesByPath = Map.groupBy(routesOf(server.context), ({ path }) => path);
    expect(routesByPath.size).toBeGreaterThanOrEqual(7);
    for (const [path, routes] of routesByPath) {
      const taken = routes.map(({ method }): string => method);
      const hasHead = taken.includes('GET') && !path.endsWith('/stream');
      const allowed = hasHead ? [...taken, 'HEAD'] : taken;
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        if (allowed.includes(method)) continue;
        const answer = await rawRequest(server, `${method} ${path.replace(':id', referenceId)}`);
        expectRefusal(answer, { ...refusals.methodNotAllowed, says: method });
        expect(answer.headers.get('allow')?.split(', ').sort(), `${method} ${path}`).toEqual(allowed.toSorted());
      }
    }
  });

  test('returns 405 when a reference is deleted', async () => {
    const answer = await rawRequest(server, `DELETE /v1/references/${referenceId}`);
    expectRefusal(answer, refusals.methodNotAllowed);
    expect(answer.headers.get('allow')).toBe('GET, HEAD, POST');
    expect((await api.get(`/v1/references/${referenceId}`)).status).toBe(200);
  });

  test('returns 405 when a known path gets an unusual method', async () => {
    expectRefusal(await rawRequest(server, 'TRACE /v1/references'), refusals.methodNotAllowed);
  });

  test.each(['/healthz', '/readyz', '/metrics'])(
    'returns 405 with the allowed methods when %s gets POST',
    async (path) => {
      const answer = await rawRequest(server, `POST ${path}`, { key: null });
      expectRefusal(answer, refusals.methodNotAllowed);
      expect(answer.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    },
  );
});

describe('body parameter errors', () => {
  const cases: [path: string, body: object, refusal: Refusal][] = [
    ['/v1/references', {}, missing('application')],
    ['/v1/references', { application: null }, invalid('application')],
    ['/v1/references', { application: '' }, invalid('application')],
    ['/v1/references', { application: 7 }, invalid('application')],
    ['/v1/references', { application: ['app_1'] }, invalid('application')],
    [
      '/v1/references',
      { application: 'app-1' },
      { ...invalid('application'), says: 'only letters, digits and _. Remove the hyphens' },
    ],
    ['/v1/references', { application: 'app_1\n' }, invalid('application')],
    ['/v1/references', { application: 'a'.repeat(256) }, { ...invalid('application'), says: '255' }],
    ['/v1/references', { application: 'app_1', customer: 'cus 1' }, invalid('customer')],
    ['/v1/references', { application: 'app_1', customer: true }, invalid('customer')],
    ['/v1/references', { application: 'app_1', type: 'guarantor' }, { ...invalid('type'), says: 'customer' }],
    ['/v1/references', { application: 'app_1', type: 1 }, invalid('type')],
    ['/v1/references', { application: 'app_1', automatic_reference: true }, invalid('automatic_reference')],
    [
      '/v1/references',
      { application: 'app_1', automatic_reference: { enabled: 'true' } },
      invalid('automatic_reference[enabled]'),
    ],
    [
      '/v1/references',
      { application: 'app_1', automatic_reference: { provider: 'provider_e' } },
      invalid('automatic_reference[provider]'),
    ],
    [
      '/v1/references',
      { application: 'app_1', automatic_reference: { status: 'done' } },
      unknown('automatic_reference[status]'),
    ],
    [
      '/v1/references',
      { application: 'app_1', automatic_reference: { enabeld: true } },
      unknown('automatic_reference[enabeld]'),
    ],
    ['/v1/references', { application: 'app_1', metadata: 'x' }, invalid('metadata')],
    ['/v1/references', { application: 'app_1', metadata: [] }, invalid('metadata')],
    ['/v1/references', { application: 'app_1', metadata: { order: 6735 } }, invalid('metadata[order]')],
    [
      '/v1/references',
      { application: 'app_1', metadata: { '': 'x' } },
      { ...invalid('metadata[]'), says: 'An empty text' },
    ],
    ['/v1/references', { application: 'app_1', metadata: { order: null } }, invalid('metadata[order]')],
    ['/v1/references', { application: 'app_1', metadata: { 'a/b~c': 1 } }, invalid('metadata[a/b~c]')],
    ['/v1/references', { application: 'app_1', status: 'processing' }, unknown('status')],
    ['/v1/references', { application: 'app_1', id: 'ref_1' }, unknown('id')],
    ['/v1/references', { application: 'app_1', account: 'acct_1' }, unknown('account')],
    ['/v1/references/:id', { status: 'complete' }, { ...invalid('status'), says: 'processing' }],
    ['/v1/references/:id', { status: null }, invalid('status')],
    ['/v1/references/:id', { outcome: null }, invalid('outcome')],
    ['/v1/references/:id', { reference_pdf: null }, invalid('reference_pdf')],
    ['/v1/references/:id', { outcome: 'reject' }, { ...invalid('outcome'), says: 'accept, consider, high_risk' }],
    ['/v1/references/:id', { reference_pdf: 'file-1' }, invalid('reference_pdf')],
    ['/v1/references/:id', { application: 'app_2' }, unknown('application')],
    ['/v1/references/:id', { completed_at: 1 }, unknown('completed_at')],
    ['/v1/references/:id/cancel', { reason: 'moved' }, unknown('reason')],
    ['/v1/customers', {}, missing('name')],
    ['/v1/customers', { name: null }, invalid('name')],
    ['/v1/customers', { name: '' }, invalid('name')],
    ['/v1/customers', { name: 'x'.repeat(501) }, { ...invalid('name'), says: '500' }],
    ['/v1/customers', { name: 'Ada', email: 'ada' }, invalid('email')],
    ['/v1/customers', { name: 'Ada', phone: 441632960000 }, invalid('phone')],
    [
      '/v1/customers',
      { name: 'Ada', date_of_birth: '1990-02-30' },
      { ...invalid('date_of_birth'), says: 'calendar date' },
    ],
    ['/v1/customers', { name: 'Ada', date_of_birth: '90-02-01' }, invalid('date_of_birth')],
    ['/v1/customers', { name: 'Ada', addresses: {} }, invalid('addresses')],
    ['/v1/customers', { name: 'Ada', addresses: ['x'] }, invalid('addresses[0]')],
    [
      '/v1/customers',
      { name: 'Ada', addresses: [{ line1: '1 High St', city: 'York', country: 'GB' }] },
      missing('addresses[0][postal_code]'),
    ],
    [
      '/v1/customers',
      { name: 'Ada', addresses: [address(), { ...address(), country: 'gb' }] },
      invalid('addresses[1][country]'),
    ],
    ['/v1/customers', { name: 'Ada', addresses: [{ ...address(), postcode: 'x' }] }, unknown('addresses[0][postcode]')],
  ];

  test.each(cases)('names the parameter when POST %s has the body %j', async (path, body, refusal) => {
    const answer = await api.post(path.replace(':id', referenceId), body);
    expectRefusal(answer, { ...refusal, says: refusal.says ?? `\`${refusal.param}\`` });
  });

  test('suggests the nearest known name when a parameter is unknown', async () => {
    const hints: [path: string, body: object, hint: string | null][] = [
      ['/v1/references', { application: 'app_1', custmer: 'cus_1' }, 'customer'],
      ['/v1/references', { application: 'app_1', Customer: 'cus_1' }, 'customer'],
      ['/v1/references', { application: 'app_1', meta_data: {} }, 'metadata'],
      [
        '/v1/references',
        { application: 'app_1', automatic_reference: { enable: true } },
        'automatic_reference[enabled]',
      ],
      ['/v1/references', { application: 'app_1', colour: 'red' }, null],
      ['/v1/customers', { name: 'Ada', e_mail: 'a@b' }, 'email'],
      ['/v1/customers', { name: 'Ada', addresses: [{ ...address(), postalcode: 'x' }] }, 'addresses[0][postal_code]'],
    ];
    for (const [path, body, hint] of hints) {
      const { message } = (await api.post(path, body)).body.error;
      if (hint === null) expect(message).not.toContain('Did you mean');
      else expect(message).toContain(`Did you mean \`${hint}\`?`);
    }
  });
});

describe('query parameter errors', () => {
  const id = 'ref_0VbZtc5J00baoBiLwEcRMm';
  const cases: [path: string, refusal: Refusal][] = [
    ['/v1/references?limit=0', { ...invalid('limit'), says: /1 to 50/ }],
    ['/v1/references?limit=51', invalid('limit')],
    ['/v1/references?limit=', invalid('limit')],
    ['/v1/references?limit=ten', invalid('limit')],
    ['/v1/references?limit=1.5', invalid('limit')],
    ['/v1/references?limit=1e1', invalid('limit')],
    ['/v1/references?limit=1&limit=2', invalid('limit')],
    ['/v1/references?offset=-1', invalid('offset')],
    ['/v1/references?offset=1000001', { ...invalid('offset'), says: '1000000' }],
    ['/v1/references?created[gt]=yesterday', invalid('created[gt]')],
    ['/v1/references?created[gte]=-1', invalid('created[gte]')],
    ['/v1/references?created[lt]=10000000000', invalid('created[lt]')],
    ['/v1/references?created[eq]=1', unknown('created[eq]')],
    ['/v1/references?created=1', unknown('created')],
    ['/v1/references?status=done', { ...invalid('status'), says: 'pending' }],
    ['/v1/references?outcome=null', invalid('outcome')],
    ['/v1/references?type=guarantor', invalid('type')],
    ['/v1/references?application=app-1', invalid('application')],
    ['/v1/references?customer=', invalid('customer')],
    ['/v1/references?starting_after=x', invalid('starting_after')],
    ['/v1/references?ending_before=cus_0VbZtc5J00baoBiLwEcRMm', invalid('ending_before')],
    ['/v1/references?limt=1', { ...unknown('limt'), says: 'Did you mean `limit`?' }],
    ['/v1/references?email=a@b', unknown('email')],
    [`/v1/references?starting_after=${id}&ending_before=${id}`, exclusive('starting_after')],
    [`/v1/references?offset=0&starting_after=${id}`, exclusive('offset')],
    [`/v1/references?ending_before=${id}&offset=5`, exclusive('offset')],
    ['/v1/customers?email=ada', invalid('email')],
    ['/v1/events?type=Reference', invalid('type')],
    ['/v1/events?type=*.created', invalid('type')],
    ['/v1/events?object_id=', invalid('object_id')],
    ['/v1/events?related_object=a-b', invalid('related_object')],
    ['/v1/events?limit=51', invalid('limit')],
    ['/v1/references/:id?verbose=1', unknown('verbose')],
    ['/v1/customers/cus_1?limit=1', unknown('limit')],
    ['/v1/events/evt_1?type=x', unknown('type')],
    ['POST /v1/references?dry_run=1', unknown('dry_run')],
    ['POST /v1/references/:id?application=app_1', unknown('application')],
    ['POST /v1/references/:id/cancel?limit=1', unknown('limit')],
  ];

  test.each(cases)('names the query parameter when the request is %s', async (line, refusal) => {
    const path = line.replace('POST ', '').replace(':id', referenceId);
    const answer = line.startsWith('POST') ? await api.post(path, { application: 'app_1' }) : await api.get(path);
    expectRefusal(answer, { ...refusal, says: refusal.says ?? `\`${refusal.param}\`` });
  });

  test('refuses a query when it cannot be decoded', async () => {
    for (const query of ['%', '%z', '%zz=1', 'limit=%ff', 'limit=%C3%28', 'application=%ED%A0%80']) {
      const answer = await api.get(`/v1/references?${query}`);
      expect(answer.body.error, query).toMatchObject({ code: 'parameter_invalid', type: 'invalid_request_error' });
      expect(answer.status).toBe(400);
    }
  });
});

describe('body errors', () => {
  const json = ['Content-Type: application/json'];
  const tooLarge = `{"application":"${'a'.repeat(256 * 1024)}"}`;

  test.each(['', '{', '[]', '"x"', '1', 'null', 'application=app_1'])(
    'refuses the body %j when it is not a JSON object',
    async (body) => {
      // An empty body counts as `{}`, so it lacks the same parameters.
      const refusal = body === '' ? missing('application') : refusals.bodyInvalid;
      expectRefusal(await rawRequest(server, 'POST /v1/references', { headers: json, body }), refusal);
    },
  );

  test('refuses a body when it is too large', async () => {
    expectRefusal(await api.post('/v1/references', tooLarge), { ...refusals.bodyTooLarge, says: '256 kB' });
    expectRefusal(
      await rawRequest(server, 'POST /v1/references', { headers: json, body: tooLarge, chunked: true }),
      refusals.bodyTooLarge,
    );
  });

  const otherTypes = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/vnd.api+json',
    'text/json',
    'json',
    '',
  ];

  test.each(otherTypes)('refuses a body with or without Content-Length when its type is %j', async (contentType) => {
    const headers = [`Content-Type: ${contentType}`];
    for (const chunked of [false, true]) {
      const answer = await rawRequest(server, 'POST /v1/references', {
        headers,
        body: '{"application":"app_1"}',
        chunked,
      });
      expectRefusal(answer, { ...refusals.contentType, says: 'application/json' });
    }
  });

  test('refuses a body when it has no type', async () => {
    const answer = await rawRequest(server, 'POST /v1/references', { body: '{"application":"app_1"}' });
    expectRefusal(answer, refusals.contentType);
  });

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
    ' application/json ',
  ])('reads a body when its type is %j', async (contentType) => {
    const headers = [`Content-Type: ${contentType}`];
    const answer = await rawRequest(server, 'POST /v1/references', { headers, body: '{"application":"app_1"}' });
    expect(answer.status).toBe(200);
  });
});

describe('Service-Version errors', () => {
  test.each([
    '2019-01-01',
    'latest',
    '2026-11-1',
    '',
    '2026-11-01 ,2026-11-01',
    '2026-11-01T00:00:00Z',
    '9999-99-99',
    'é',
  ])('refuses the version %j when it is not a known date', async (version) => {
    const answer = await rawRequest(server, 'GET /v1/references', { headers: [`Service-Version: ${version}`] });
    expectRefusal(answer, { ...refusals.version, says: latestVersion });
  });

  test('uses the version when it is a known date', async () => {
    const answer = await api.get('/v1/references', { 'service-version': latestVersion });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('service-version')).toBe(latestVersion);
  });
});

describe('status transition errors', () => {
  test('refuses the transitions of a complete reference when they are requested', async () => {
    const path = await madeReference();
    expect((await api.post(path, { outcome: 'accept' })).body.status).toBe('complete');
    expectRefusal(await api.post(path, { status: 'processing' }), {
      ...refusals.transition,
      param: 'status',
      says: 'complete',
    });
    expectRefusal(await api.post(`${path}/cancel`), refusals.transition);
  });

  test('refuses the transitions of a canceled reference when they are requested', async () => {
    const path = await madeReference();
    expect((await api.post(`${path}/cancel`)).body.status).toBe('canceled');
    for (const body of [{ status: 'processing' }, { outcome: 'accept' }, { reference_pdf: 'file_1' }]) {
      const { error } = (await api.post(path, body)).body;
      expect(error).toMatchObject({ code: refusals.transition.code, type: refusals.transition.type });
    }
    expectRefusal(await api.post(`${path}/cancel`), refusals.transition);
  });

  test('refuses a status when the reference is automatic', async () => {
    const path = await madeReference({ automatic_reference: {} });
    expectRefusal(await api.post(path, { status: 'processing' }), { ...refusals.transition, param: 'status' });
  });
});

describe('Idempotency-Key errors', () => {
  test.each(['', 'k'.repeat(256), 'é', 'a\tb', '\u007f'])('refuses the key %j when its form is wrong', async (key) => {
    const headers = [`Idempotency-Key: ${key}`, 'Content-Type: application/json'];
    const answer = await rawRequest(server, 'POST /v1/references', { headers, body: '{"application":"app_1"}' });
    if (key === '\u007f') expect(answer.status).toBe(400);
    else expectRefusal(answer, { ...refusals.idempotencyForm, says: '255' });
  });

  test.each(['k', 'k'.repeat(255), randomUUID(), `a b!"#$%&'()*+,-./:;<=>?@[\\]^_\`{|}~`])(
    'accepts the key %j when its form is valid',
    async (key) => {
      const answer = await api.post('/v1/references', { application: 'app_1' }, { 'idempotency-key': key });
      expect(answer.status).toBe(200);
    },
  );

  test('ignores the key when the method is GET or DELETE', async () => {
    const headers = [`Idempotency-Key: ${'k'.repeat(300)}`];
    expect((await rawRequest(server, 'GET /v1/references', { headers })).status).toBe(200);
    expectRefusal(await rawRequest(server, 'DELETE /v1/references', { headers }), refusals.methodNotAllowed);
  });

  test('refuses the key when it was used for another request', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    await api.post('/v1/references', { application: 'app_1' }, headers);
    expectRefusal(await api.post('/v1/references', { application: 'app_2' }, headers), refusals.idempotencyReused);
  });

  test('returns 409 with Retry-After when the first request is still running', async () => {
    const entered = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const slow = await serverForTest({
      changeContext: (context) => ({
        ...context,
        async readRecord(...wanted) {
          entered.resolve();
          await gate.promise;
          return context.readRecord(...wanted);
        },
      }),
    });
    const { id } = (await slow.api.post('/v1/references', { application: 'app_1' })).body;
    const headers = { 'idempotency-key': randomUUID() };
    const first = slow.api.post(`/v1/references/${id}/cancel`, undefined, headers);
    await entered.promise;
    expectRefusal(await slow.api.post(`/v1/references/${id}/cancel`, undefined, headers), refusals.idempotencyInUse);
    gate.resolve();
    expect((await first).body.status).toBe('canceled');
  });
});

describe('server errors', () => {
  test('shows nothing of the cause and replays the stored 500 without a retry hint when a fault is unexpected', async () => {
    const broken = await serverThatCannotRead(() => new Error('the password is hunter2'));
    const headers = { 'idempotency-key': randomUUID() };
    const path = `/v1/references/${referenceId}`;
    const first = await broken.api.post(path, { outcome: 'accept' }, headers);
    expectRefusal(first, { ...refusals.internal, says: 'request id' });
    expect(first.text).not.toMatch(/hunter2|at |\.ts/);
    const again = await broken.api.post(path, { outcome: 'accept' }, headers);
    expect([again.status, again.text]).toEqual([500, first.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.headers.get('service-should-retry')).toBe('false');
  });

  test('returns 503 with a retry hint when the database cannot be reached', async () => {
    const broken = await serverThatCannotRead(
      () => new UnavailableError(false, new Error('connection refused to 10.0.0.1')),
    );
    const answer = await broken.api.get(`/v1/references/${referenceId}`);
    expectRefusal(answer, refusals.unavailable);
    expect(answer.text).not.toContain('10.0.0.1');
    expectRefusal(await broken.api.post(`/v1/references/${referenceId}`, { outcome: 'accept' }), refusals.unavailable);
  });

  test('returns 503 with how to check when the outcome of a commit is unknown', async () => {
    const broken = await serverThatCannotRead(() => new UnavailableError(true, new Error('reset')));
    const headers = { 'idempotency-key': randomUUID() };
    const answer = await broken.api.post(`/v1/references/${referenceId}`, { outcome: 'accept' }, headers);
    expectRefusal(answer, { ...refusals.unavailable, says: 'same Idempotency-Key' });
  });

  test('returns 503 with a retry hint when there are more requests than the server can execute', async () => {
    let full = false;
    const busy = await serverForTest({
      changeContext: (context) => ({
        ...context,
        committer: {
          async commit(...mutation: Parameters<Context['committer']['commit']>) {
            if (full) throw new OverloadedError('The queue is full.');
            return context.committer.commit(...mutation);
          },
          commitAsSystem: (own: Parameters<Context['committer']['commitAsSystem']>[0]) =>
            context.committer.commitAsSystem(own),
        } as Context['committer'],
      }),
    });
    const headers = { 'idempotency-key': randomUUID() };
    full = true;
    expectRefusal(await busy.api.post('/v1/references', { application: 'app_1' }, headers), refusals.overloaded);
    full = false;
    const retried = await busy.api.post('/v1/references', { application: 'app_1' }, headers);
    expect([retried.status, retried.headers.get('idempotent-replayed')]).toEqual([200, null]);
  });
});

describe('the order of checks', () => {
  const json = 'Content-Type: application/json';
  const badVersion = 'Service-Version: 2019-01-01';
  const badKeyForm = `Idempotency-Key: ${'k'.repeat(256)}`;
  const nobody = 'Service-Context: acct_0VbZtc5J00baoBiLwEcRMm';
  let narrow: Tenant;

  beforeAll(async () => {
    narrow = await addKey(server, accountId, { permissions: ['customers.write'] });
  });

  interface Pair {
    name: string;
    line: string;
    key?: 'none' | 'narrow';
    headers?: string[];
    body?: string;
    chunked?: boolean;
    wanted: Refusal;
  }

  const tooLarge = `{"a":"${'x'.repeat(256 * 1024)}"}`;
  const pairs: Pair[] = [
    { name: 'no key, unknown route', line: 'GET /v1/nothing', key: 'none', wanted: refusals.keyMissing },
    { name: 'no key, wrong method', line: 'PUT /v1/references', key: 'none', wanted: refusals.keyMissing },
    {
      name: 'no key, path that cannot be decoded',
      line: 'GET /v1/references/%zz',
      key: 'none',
      wanted: refusals.keyMissing,
    },
    {
      name: 'no key, unknown version',
      line: 'GET /v1/references',
      key: 'none',
      headers: [badVersion],
      wanted: refusals.keyMissing,
    },
    {
      name: 'no key, body of another type',
      line: 'POST /v1/references',
      key: 'none',
      headers: ['Content-Type: x/y'],
      body: '{}',
      wanted: refusals.keyMissing,
    },
    {
      name: 'unknown route, unknown version',
      line: 'GET /v1/nothing',
      headers: [badVersion],
      wanted: refusals.routeUnknown,
    },
    {
      name: 'unknown route, unknown account',
      line: 'GET /v1/nothing',
      headers: [nobody],
      wanted: refusals.routeUnknown,
    },
    {
      name: 'unknown route, body too large',
      line: 'POST /v1/nothing',
      headers: [json],
      body: tooLarge,
      wanted: refusals.routeUnknown,
    },
    {
      name: 'wrong method, unknown version',
      line: 'DELETE /v1/references',
      headers: [badVersion],
      wanted: refusals.methodNotAllowed,
    },
    {
      name: 'wrong method, missing permission',
      line: 'DELETE /v1/references',
      key: 'narrow',
      wanted: refusals.methodNotAllowed,
    },
    {
      name: 'wrong method, body of another type',
      line: 'PUT /v1/references',
      headers: ['Content-Type: x/y'],
      body: '{}',
      wanted: refusals.methodNotAllowed,
    },
    {
      name: 'unknown version, unknown account',
      line: 'GET /v1/references',
      headers: [badVersion, nobody],
      wanted: refusals.version,
    },
    {
      name: 'unknown version, missing permission',
      line: 'GET /v1/references',
      key: 'narrow',
      headers: [badVersion],
      wanted: refusals.version,
    },
    {
      name: 'unknown version, body of another type',
      line: 'POST /v1/references',
      headers: [badVersion, 'Content-Type: x/y'],
      body: '{}',
      wanted: refusals.version,
    },
    {
      name: 'unknown account, missing permission',
      line: 'GET /v1/references',
      key: 'narrow',
      headers: [nobody],
      wanted: refusals.accountUnknown,
    },
    {
      name: 'malformed account, missing permission',
      line: 'GET /v1/references',
      key: 'narrow',
      headers: ['Service-Context: x'],
      wanted: refusals.accountMalformed,
    },
    {
      name: 'unknown account, unknown id',
      line: 'GET /v1/references/ref_1',
      headers: [nobody],
      wanted: refusals.accountUnknown,
    },
    {
      name: 'missing permission, body of another type',
      line: 'POST /v1/references',
      key: 'narrow',
      headers: ['Content-Type: x/y'],
      body: '{}',
      wanted: refusals.permission,
    },
    {
      name: 'missing permission, unknown id',
      line: 'GET /v1/references/ref_1',
      key: 'narrow',
      wanted: refusals.permission,
    },
    {
      name: 'missing permission, unknown parameter',
      line: 'GET /v1/references?x=1',
      key: 'narrow',
      wanted: refusals.permission,
    },
    {
      name: 'missing permission, form of the key',
      line: 'POST /v1/references',
      key: 'narrow',
      headers: [badKeyForm],
      wanted: refusals.permission,
    },
    {
      name: 'content type, size',
      line: 'POST /v1/references',
      headers: ['Content-Type: x/y'],
      body: tooLarge,
      wanted: refusals.contentType,
    },
    {
      name: 'content type, size, in chunks',
      line: 'POST /v1/references',
      headers: ['Content-Type: x/y'],
      body: tooLarge,
      chunked: true,
      wanted: refusals.contentType,
    },
    {
      name: 'content type, JSON',
      line: 'POST /v1/references',
      headers: ['Content-Type: x/y'],
      body: '{',
      wanted: refusals.contentType,
    },
    {
      name: 'content type, unknown id',
      line: 'POST /v1/references/ref_1',
      headers: ['Content-Type: x/y'],
      body: '{}',
      wanted: refusals.contentType,
    },
    {
      name: 'size, JSON',
      line: 'POST /v1/references',
      headers: [json],
      body: tooLarge.slice(0, -1),
      wanted: refusals.bodyTooLarge,
    },
    {
      name: 'size, unknown parameter',
      line: 'POST /v1/references?x=1',
      headers: [json],
      body: tooLarge,
      wanted: refusals.bodyTooLarge,
    },
    {
      name: 'JSON, unknown parameter in the query',
      line: 'POST /v1/references?x=1',
      headers: [json],
      body: '{',
      wanted: refusals.bodyInvalid,
    },
    {
      name: 'JSON, form of the key',
      line: 'POST /v1/references',
      headers: [json, badKeyForm],
      body: '{',
      wanted: refusals.bodyInvalid,
    },
    {
      name: 'JSON, unknown id',
      line: 'POST /v1/references/ref_1',
      headers: [json],
      body: '{',
      wanted: refusals.bodyInvalid,
    },
    { name: 'query, body', line: 'POST /v1/references?x=1', headers: [json], body: '{"y":1}', wanted: unknown('x') },
    { name: 'query, unknown id', line: 'POST /v1/references/ref_1/cancel?x=1', wanted: unknown('x') },
    { name: 'query of a read, unknown id', line: 'GET /v1/references/ref_1?x=1', wanted: unknown('x') },
    {
      name: 'body, form of the key',
      line: 'POST /v1/references',
      headers: [json, badKeyForm],
      body: '{"y":1}',
      wanted: missing('application'),
    },
    {
      name: 'body, unknown id',
      line: 'POST /v1/references/ref_1',
      headers: [json],
      body: '{"y":1}',
      wanted: unknown('y'),
    },
    {
      name: 'form of the key, unknown id',
      line: 'POST /v1/references/ref_1/cancel',
      headers: [badKeyForm],
      wanted: refusals.idempotencyForm,
    },
  ];

  test.each(pairs)(
    'reports the earlier check when a request has two faults: $name',
    async ({ line, key, headers = [], body, chunked = false, wanted }) => {
      const sentKey = key === 'none' ? null : key === 'narrow' ? narrow.key : server.secretKey;
      const answer = await rawRequest(server, line, {
        key: sentKey,
        headers,
        chunked,
        ...(body !== undefined && { body }),
      });
      expectRefusal(answer, wanted);
    },
  );

  test('reports the key first when everything is wrong: bad key, bad everything', async () => {
    const answer = await rawRequest(server, 'POST /v1/nothing?x=%zz', {
      key: makeKey('secret', 'sandbox', randomBytes),
      headers: [badVersion, nobody, badKeyForm, 'Content-Type: x/y'],
      body: '{',
    });
    expectRefusal(answer, refusals.keyInvalid);
  });

  test('reports the reused key first when the id is unknown too', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    await api.post('/v1/references', { application: 'app_1' }, headers);
    expectRefusal(await api.post('/v1/references/ref_1/cancel', {}, headers), refusals.idempotencyReused);
  });

  test("replays the stored response when the record's state would forbid the request by now", async () => {
    const { id } = (await api.post('/v1/references', { application: 'app_1' })).body;
    const headers = { 'idempotency-key': randomUUID() };
    const first = await api.post(`/v1/references/${id}/cancel`, {}, headers);
    const again = await api.post(`/v1/references/${id}/cancel`, {}, headers);
    expect([again.status, again.text]).toEqual([200, first.text]);
    expectRefusal(await api.post(`/v1/references/${id}/cancel`), refusals.transition);
  });
});

describe('pages about errors', () => {
  test.each(Object.keys(errorCatalogue))('has a page when the error code is %s', async (code) => {
    const page = await fetch(`${server.url}/docs/errors/${code}`);
    const html = await page.text();
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    expect(html).toContain(code);
    expect(html).toContain(`Status ${errorCatalogue[code as keyof typeof errorCatalogue].status}`);
  });

  test('links an existing page as doc_url when an error is returned', async () => {
    for (const answer of [
      await api.get('/v1/references/ref_1'),
      await api.get('/v1/references?limit=0'),
      await api.get('/v1/x'),
    ]) {
      const page = await fetch(docUrlOn(server, answer));
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining(answer.body.error.code)]);
    }
  });

  test("links the log's page when a refused request leaves a log", async () => {
    const key = { 'idempotency-key': 'linked' };
    await good(api.post('/v1/references', { application: 'app_1' }, key));
    for (const answer of [
      await api.post('/v1/references', {}),
      await api.post('/v1/references', '{'),
      await api.post('/v1/references', { application: 'app_2' }, key),
      await api.post('/v1/references/ref_1/cancel'),
      await api.post('/v1/nothing'),
      await api.delete('/v1/references'),
      await api.delete('/v1/customers/cus_1'),
    ]) {
      const { request_id: id, request_log_url: logUrl } = answer.body.error;
      expect([answer.status >= 400, logUrl]).toEqual([true, `${server.context.config.publicUrl}/dashboard/logs/${id}`]);
      expect((await api.get(`/v1/logs/${id}`)).body.response_body).toBe(answer.text);
    }
  });

  test('links no log when a refused request leaves none, or the dashboard is off', async () => {
    const stranger = apiClient(server.url, `${server.secretKey}x`);
    const answers = [
      await api.get('/v1/references/ref_1'),
      await api.get('/v1/x'),
      await stranger.post('/v1/references', {}),
    ];
    const bare = await serverForTest({ settings: { TENURE_DASHBOARD: 'off' } });
    answers.push(await bare.api.post('/v1/references', {}), await bare.api.delete('/v1/customers/cus_1'));
    for (const { body, status } of answers)
      expect([status >= 400, 'request_log_url' in body.error]).toEqual([true, false]);
  });

  test('keeps the public address of the page when it is linked', async () => {
    const proxied = await serverForTest({ settings: { TENURE_PUBLIC_URL: 'https://api.example.org/tenure/' } });
    const { error } = (await proxied.api.get('/v1/x')).body;
    expect(error.doc_url).toBe('https://api.example.org/tenure/docs/errors/route_unknown');
    const { error: logged } = (await proxied.api.post('/v1/x')).body;
    expect(logged.request_log_url).toBe(`https://api.example.org/tenure/dashboard/logs/${logged.request_id}`);
  });
});

/** Returns the response as text, without the parts that differ between two responses to the same fault. */
function masked(response: ApiResponse, id: string): string {
  return response.text.replaceAll(id, '…').replaceAll(String(response.headers.get('request-id')), 'req_…');
}

async function setKey(key: Tenant, column: 'expires_at' | 'revoked_at', seconds: number): Promise<void> {
  await server.context.database.readers.query(`update api_keys set ${column} = $1 where id = $2`, [seconds, key.keyId]);
}

async function call(line: string, id: string): Promise<ApiResponse> {
  const [method, path] = line.replace(':id', id).split(' ') as [string, string];
  return method === 'GET' ? api.get(path) : api.post(path);
}

function address(): Record<string, string> {
  return { line1: '1 High St', city: 'York', postal_code: 'YO1 7HU', country: 'GB' };
}

async function madeReference(settings: object = {}): Promise<string> {
  return `/v1/references/${(await api.post('/v1/references', { application: 'app_1', ...settings })).body.id}`;
}
