import { randomBytes } from 'node:crypto';
import pino from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeKey } from '../../src/core/secrets/api-keys.ts';
import { randomBase62 } from '../../src/core/base62.ts';
import { maskSecrets } from '../../src/core/secrets/mask-secrets.ts';
import { routesOf } from '../../src/http/routes/resources.ts';
import { formOf } from '../support/files.ts';
import { newKey } from '../support/idempotency.ts';
import { rawRequest } from '../support/raw-http.ts';
import { good, startTestServer, type Api, type ApiResponse, type TestServer } from '../support/server.ts';
import { tablesWith } from '../support/tables.ts';

/* Secrets that a client pastes where they do not belong. */

let server: TestServer;
let api: Api;
/** The lines of the process. */
const lines: string[] = [];

beforeAll(async () => {
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  server = await startTestServer({ changeContext: (context) => ({ ...context, log }) });
  api = server.api;
});
afterAll(() => server.stop());

async function logOf(answer: ApiResponse): Promise<ApiResponse> {
  return good(api.get(`/v1/logs/${answer.headers.get('request-id')}`));
}

const secrets: [kind: string, make: () => string][] = [
  ['a secret key', () => makeKey('secret', 'sandbox', randomBytes)],
  ['a restricted key', () => makeKey('restricted', 'live', randomBytes)],
  ['an agent key', () => makeKey('agent', 'sandbox', randomBytes)],
  ['a signing secret', () => `whsec_${randomBase62(32, randomBytes)}`],
];

const places: [place: string, send: (secret: string) => Promise<ApiResponse>][] = [
  ['the path', (secret) => api.post(`/v1/api_keys/${secret}/roll`)],
  ['a path that is not there', (secret) => api.post(`/v1/keys/${secret}`)],
  ['a long path', (secret) => api.post(`/v1/api_keys/${'x'.repeat(470)}${secret}`)],
  ['a path with percent-encoding', (secret) => api.post(`/v1/customers/${secret.replaceAll('_', '%5F')}`, {})],
  ['the query', (secret) => api.post(`/v1/customers?note=${secret}`, { name: 'Ada' })],
  ['a broken query', (secret) => api.post(`/v1/customers?${secret}%`, { name: 'Ada' })],
  ['a member that is not there', (secret) => api.post('/v1/customers', { name: 'Ada', note: secret })],
  ['the name of a member', (secret) => api.post('/v1/customers', { name: 'Ada', [secret]: 1 })],
  ['a name that is there twice', (secret) => api.post('/v1/customers', `{"${secret}":1,"${secret}":2}`)],
  ['a body that is no JSON', (secret) => api.post('/v1/customers', `{"name":"${secret}"`)],
  ['a form', (secret) => api.post('/v1/files', formOf({ note: secret }))],
  ['the User-Agent', (secret) => api.post('/v1/customers', { name: '' }, { 'user-agent': `curl ${secret}` })],
];

test.each(places.flatMap(([place, send]) => secrets.map(([kind, make]) => ({ place, kind, send, make }))))(
  'keeps $kind in no log when it is sent in $place',
  async ({ send, make }) => {
    const secret = make();
    const answer = await send(secret);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    const telling = secret.slice(secret.indexOf('_', 3) + 1).slice(0, 20);
    expect(answer.text).not.toContain(telling);
    const log = await logOf(answer);
    expect(log.text).not.toContain(telling);
    expect(log.text).toMatch(/_\*{4}|"request_body":null/);
    expect(await tablesWith(server, telling)).toEqual([]);
    await expect.poll(() => lines.join('')).toContain(answer.headers.get('request-id'));
    expect(lines.join('')).not.toContain(telling);
  },
);

test('shows a secret as its kind and last four characters when it is masked', async () => {
  const secret = makeKey('secret', 'sandbox', randomBytes);
  const shown = `sk_test_****${secret.slice(-4)}`;
  const path = `/v1/api_keys/${shown}/roll`;
  const { body } = await logOf(await api.post(`/v1/api_keys/${secret}/roll`));
  expect(body).toMatchObject({ url: path, path, response_body: expect.stringContaining(`\`${shown}\``) });
  const { body: withQuery } = await logOf(await api.post(`/v1/api_keys/${secret}/roll?from=${secret}`));
  expect(withQuery).toMatchObject({ url: `${path}?from=${shown}`, path });
});

test('masks an Idempotency-Key in the log, and still knows the request, when it is an API key', async () => {
  const secret = makeKey('secret', 'sandbox', randomBytes);
  const send = () => good(api.post('/v1/customers', { name: `Ada ${secret}` }, { 'idempotency-key': secret }));
  const first = await send();
  const again = await send();
  expect(again.text).toBe(first.text);
  expect(again.headers.get('original-request')).toBe(first.headers.get('request-id'));
  const { body } = await logOf(first);
  expect(body.idempotency_key).toBe(`sk_test_****${secret.slice(-4)}`);
  expect(body.request_body).toBe(`{"name":"Ada sk_test_****${secret.slice(-4)}"}`);
  expect(JSON.parse(body.response_body).name).toBe(`Ada sk_test_****${secret.slice(-4)}`);
  const other = { name: `Ada ${makeKey('secret', 'sandbox', randomBytes)}` };
  const reused = await api.post('/v1/customers', other, { 'idempotency-key': secret });
  expect(reused.body.error.code).toBe('idempotency_key_reused');
});

test.each([
  [
    'a route that does not take them',
    '/v1/customers',
    { provider_credentials: { provider_a: { api_key: 'hidden-1' } } },
  ],
  ['a test helper', '/v1/test_helpers/clock/advance', { provider_credentials: 'hidden-2' }],
  ['a body that is no JSON', '/v1/customers', '{"provider_credentials":{"provider_a":{"api_key":"hidden-3"}'],
])('keeps provider credentials in no log when they are sent to %s', async (_, path, body) => {
  const answer = await api.post(path, body, newKey());
  expect(answer.status).toBe(400);
  expect((await logOf(answer)).text).not.toContain('hidden-');
  expect(await tablesWith(server, 'hidden-')).toEqual([]);
});

const misspelt: [place: string, path: string, body: object | string][] = [
  ...[
    'providerCredentials',
    'provider_credential',
    'Provider_credentials',
    'provider-credentials',
    'provider_crednetials',
    'credentials',
  ].map((name): [string, string, object] => [name, '/v1/account', { [name]: { provider_a: { api_key: 'leak-1' } } }]),
  ['a provider in the body', '/v1/account', { provider_a: { key: 'leak-2' } }],
  ['a provider of another case', '/v1/account', { providerB: { username: 'leak-3', password: 'leak-3' } }],
  ['a credential in the body', '/v1/account', { apiKey: 'leak-4' }],
  ['a misspelt credential', '/v1/account', { singing_secret: 'leak-5' }],
  ['a list of credentials', '/v1/account', { tokens: ['leak-6'] }],
  ['a number', '/v1/account', { provider_d: { token: 31_415_926 } }],
  ['a name with brackets', '/v1/account', { 'provider_credential[provider_a][api_key]': 'leak-7' }],
  ['another route', '/v1/customers', { name: 'Ada', signingSecret: 'leak-8' }],
  ['the query', '/v1/account?providerCredentials[provider_a][api_key]=leak-9', {}],
  ['the query, encoded', '/v1/account?x=1&provider%5Fcredential%5Bprovider_a%5D%5Bapi%5Fkey%5D=leak-10&y=2', {}],
  ['broken JSON', '/v1/customers', '{"providerCredentials":{"providerA":{"apiKey":"leak-11"}'],
  ['broken JSON with escapes', '/v1/customers', '{"api\\u005fkey" : "leak-12"'],
];

test.each(misspelt)('keeps provider credentials in no log when their member is misspelt: %s', async (_, path, body) => {
  const answer = await api.post(path, body, newKey());
  expect(answer.status, answer.text).toBe(400);
  const { text } = await logOf(answer);
  for (const secret of ['leak-', '31415926']) {
    expect(text).not.toContain(secret);
    expect(await tablesWith(server, secret)).toEqual([]);
  }
});

test('keeps secrets of a form in no log when it has a misspelt credential', async () => {
  const answer = await api.post('/v1/files', formOf({ 'metadata[apikey]': 'leak-13', signingSecret: 'leak-13' }));
  expect(answer.status).toBe(400);
  expect((await logOf(answer)).text).not.toContain('leak-');
  expect(await tablesWith(server, 'leak-')).toEqual([]);
});

test('logs every member of the API in clear when it is no credential', () => {
  const bodies = routesOf(server.context).flatMap((route) => (route.method === 'GET' ? [] : [route.body]));
  const names = new Set(bodies.flatMap(memberNamesOf));
  expect(names.size).toBeGreaterThan(100);
  const { secretMembers } = server.context;
  const redacted = [...names].filter((name) => secretMembers.redact({ [name]: 'x' })[name] !== 'x');
  expect(redacted.toSorted()).toEqual([
    'api_key',
    // Those of a step of a workflow.
    'headers',
    'password',
    'provider_a',
    'provider_b',
    'provider_c',
    'provider_credentials',
    'provider_d',
    'signing_secret',
    'token',
  ]);
});

/** Returns the names of all members that a schema has, at any depth. */
function memberNamesOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([name, part]) => [
    ...(name === 'properties' ? Object.keys(part as object) : []),
    ...memberNamesOf(part),
  ]);
}

test.each([
  '{"url":"https://ada:hunter-2@hooks.example.com/x"}',
  '{"url":"https:\\/\\/hunter-2@hooks.example.com"}',
  '{"url":"https://ada:p@ss\\"hunter-2@hooks.example.com/"}',
])('masks the password of a webhook URL in the log when it is refused: %s', async (body) => {
  const answer = await api.post('/v1/webhook_endpoints', body);
  expect(answer.body.error.message).toContain('user name or password');
  const log = await logOf(answer);
  expect(log.text).not.toContain('hunter-2');
  expect(JSON.parse(log.body.request_body).url).toMatch(/^https:\/\/\*{4}@hooks\.example\.com/);
});

test('keeps a request in its log as it was sent when it has no secret', async () => {
  const body = '{"name":"sk_test_me at whsec_","email":"ada@example.com","metadata":{"a":"https://example.com/@ada"}}';
  const answer = await rawRequest(server, 'POST /v1/customers?expand=%5Ftest%5F', {
    headers: ['Content-Type: application/json'],
    body,
  });
  expect((await logOf(answer)).body).toMatchObject({ url: '/v1/customers?expand=%5Ftest%5F', request_body: body });
  expect(maskSecrets(body)).toBe(body);
});
