import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ConnectionError, Tenure, type TenureConfig } from '../src/index.ts';
import { scripted, testKey } from './scripted.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const liveKey = testKey.replace('_test_', '_live_');

/** Returns the error of a function or of a promise that fails. */
async function errorOf(failing: () => unknown): Promise<Error> {
  try {
    await failing();
  } catch (error) {
    return error as Error;
  }
  throw new Error('It did not fail.');
}

/** Returns the address that a client with this configuration sends to. */
async function urlOf(config: TenureConfig): Promise<string> {
  const { sent, tenure } = scripted([{}], config);
  await tenure.account.retrieve();
  return sent[0]!.url;
}

/** Returns what one call sends. */
async function sentBy(call: (tenure: Tenure) => PromiseLike<unknown>): Promise<{ path: string; body: unknown }> {
  const { tenure, sent } = scripted([{ body: { object: 'list', data: [], has_more: false } }]);
  await call(tenure);
  return { path: sent[0]!.url.replace('http://127.0.0.1:4000', ''), body: sent[0]!.body };
}

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

describe('a client', () => {
  test('reaches the local server when it has a test key alone', async () => {
    expect(await urlOf({ apiKey: testKey })).toBe('http://127.0.0.1:4000/v1/account');
  });

  test.each([liveKey, 'some-other-key'])('needs an address when it has the key %s', async (apiKey) => {
    const error = await errorOf(() => new Tenure(apiKey));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toContain('baseUrl');
    expect(inspect(error)).not.toContain(apiKey);
  });

  test('takes key and address from the environment when they are not passed', async () => {
    vi.stubEnv('TENURE_API_KEY', liveKey);
    vi.stubEnv('TENURE_BASE_URL', 'https://tenure.example.com/');
    const { sent, tenure } = scripted([{}], { apiKey: undefined });
    await tenure.account.retrieve();
    expect(sent[0]!.url).toBe('https://tenure.example.com/v1/account');
    expect(sent[0]!.headers.authorization).toBe(`Bearer ${liveKey}`);
    expect(await urlOf({ baseUrl: 'http://127.0.0.1:5' })).toBe('http://127.0.0.1:5/v1/account');
  });

  test('works without an environment when there is no process', async () => {
    vi.stubGlobal('process', undefined);
    const { tenure, sent } = scripted([{}]);
    await tenure.account.retrieve();
    expect(sent).toHaveLength(1);
    expect(() => new Tenure()).toThrow(TypeError);
  });

  test.each([
    ['https://example.com/', 'https://example.com/v1/account'],
    ['https://example.com/tenure//', 'https://example.com/tenure/v1/account'],
    ['http://10.0.0.7:4000', 'http://10.0.0.7:4000/v1/account'],
  ])('sends to the address below when it gets %s', async (baseUrl, url) => {
    expect(await urlOf({ baseUrl })).toBe(url);
  });

  test.each([
    'example.com',
    'ftp://example.com',
    'https://user:secret@example.com',
    'https://example.com?x=1',
    'https://example.com#x',
    '/v1',
    'javascript:alert(1)',
  ])('refuses the address %s', async (baseUrl) => {
    const error = await errorOf(() => new Tenure({ apiKey: testKey, baseUrl }));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).not.toContain('secret');
  });

  test.each([
    ['127.0.0.1:4000', 'http://127.0.0.1:4000'],
    ['localhost:4000/', 'http://localhost:4000/'],
    ['tenure.example.com', 'http://tenure.example.com'],
  ])('says what was meant when the address is %s', async (baseUrl, meant) => {
    const error = await errorOf(() => new Tenure({ apiKey: testKey, baseUrl }));
    expect(error.message).toContain(`Did you mean \`${meant}\`?`);
  });

  test.each([`${testKey}\n`, `Bearer ${testKey}`, `${testKey}\r\nX-Evil: 1`, 'sk_test_ключ'])(
    'refuses the key %j without showing it',
    async (apiKey) => {
      const error = await errorOf(() => new Tenure({ apiKey }));
      expect(error).toBeInstanceOf(TypeError);
      expect(inspect(error)).not.toContain(apiKey);
    },
  );

  test('refuses to start without a key, outside of a page', async () => {
    vi.stubEnv('TENURE_API_KEY', '');
    expect((await errorOf(() => new Tenure())).message).toContain('TENURE_API_KEY');
    expect(await errorOf(() => new Tenure(''))).toBeInstanceOf(TypeError);
  });

  test('refuses an unknown option without showing its value', async () => {
    const error = await errorOf(() => new Tenure({ apiKey: testKey, secretKey: 'sk_test_other' } as object));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toContain('`secretKey`');
    expect(error.message).not.toContain('sk_test_');
    expect(new Tenure({ apiKey: testKey, accounts: undefined } as object)).toBeInstanceOf(Tenure);
  });

  test('refuses options beside a key', async () => {
    const Untyped = Tenure as unknown as new (...given: unknown[]) => Tenure;
    const error = await errorOf(() => new Untyped(testKey, { account: 'acct_1' }));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).not.toContain(testKey);
  });

  test('refuses a key in a page unless it is allowed', async () => {
    vi.stubGlobal('document', {});
    expect((await errorOf(() => new Tenure(testKey))).message).toContain('dangerouslyAllowBrowser');
    expect(new Tenure({ apiKey: testKey, dangerouslyAllowBrowser: true })).toBeInstanceOf(Tenure);
  });

  test('sends no key and goes to its own server when a page has none', async () => {
    vi.stubEnv('TENURE_API_KEY', '');
    vi.stubGlobal('document', {});
    vi.stubGlobal('location', { origin: 'https://tenure.example.com' });
    const { tenure, sent } = scripted([{}], { apiKey: undefined });
    await tenure.account.retrieve();
    expect(sent[0]!.url).toBe('https://tenure.example.com/v1/account');
    expect(Object.keys(sent[0]!.headers).sort()).toEqual(['accept', 'service-version']);
  });

  test('sends no key when it is null, even if the environment has one', async () => {
    vi.stubEnv('TENURE_API_KEY', testKey);
    const { tenure, sent } = scripted([{}], { apiKey: null, baseUrl: 'http://127.0.0.1:5' });
    await tenure.account.retrieve();
    expect(sent[0]!.headers).not.toHaveProperty('authorization');
    expect(() => new Tenure({ apiKey: null })).toThrow(/baseUrl/);
  });

  test('shows its key in no form when it is printed', () => {
    const tenure = new Tenure(testKey);
    const forms = [inspect(tenure, { depth: null, showHidden: true }), JSON.stringify(tenure)];
    expect(forms.join()).not.toContain(testKey);
  });

  test('shows its key in no error when fetch quotes it', async () => {
    const quoting = Object.assign(new TypeError(`bad header Bearer ${testKey}`), {
      config: { headers: { authorization: `Bearer ${testKey}` } },
    });
    const { tenure } = scripted([quoting], { maxRetries: 0 });
    const error = await errorOf(() => tenure.account.retrieve());
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toContain('bad header Bearer sk_test_****4567');
    expect(inspect(error, { depth: null, showHidden: true })).not.toContain(testKey);
  });
});

describe('headers', () => {
  test('name the version, the account and the client', async () => {
    const { tenure, sent } = scripted([{}], { account: 'acct_1', apiVersion: '2025-09-01' });
    await tenure.account.retrieve();
    await tenure.account.retrieve({}, { account: 'acct_2', apiVersion: '2026-03-01', headers: { 'X-Trace': '1' } });
    expect(sent[0]!.headers).toEqual({
      accept: 'application/json',
      authorization: `Bearer ${testKey}`,
      'service-context': 'acct_1',
      'service-version': '2025-09-01',
      'user-agent': `tenure-js/${version}`,
    });
    expect(sent[1]!.headers).toMatchObject({
      'service-context': 'acct_2',
      'service-version': '2026-03-01',
      'x-trace': '1',
    });
  });

  test.each([
    [{ headers: { 'x-a': 'one\r\nx-b: two' } }],
    [{ headers: { 'x-a': 'one\ntwo' } }],
    [{ headers: { 'x-a\r\n': 'one' } }],
    [{ headers: { '': 'one' } }],
    [{ headers: { 'x-a': 'ключ' } }],
    [{ headers: { 'x-a': 7 as unknown as string } }],
    [{ headers: { Authorization: 'Bearer other' } }],
    [{ headers: { 'Idempotency-Key': 'one' } }],
    [{ account: 'acct_1\r\nx-b: two' }],
    [{ apiVersion: '2026-11-01\n' }],
    [{ idempotencyKey: 'one\n' }],
    [{ idempotencyKey: '' }],
    [{ idempotencyKey: 'x'.repeat(256) }],
    [{ timeoutMs: 0 }],
    [{ timeoutMs: Number.NaN }],
    [{ maxRetries: -1 }],
    [{ maxRetries: 1.5 }],
    [{ maxRetries: 0, idempotency_key: 'order-17' }],
    [{ maxRetries: 0, stripeAccount: 'acct_1' }],
  ])('are refused before anything is sent when the options are %j', async (options) => {
    const { tenure, sent } = scripted([{}]);
    expect(await errorOf(() => tenure.references.create({ application: 'app_1' }, options))).toBeInstanceOf(TypeError);
    expect(sent).toEqual([]);
  });
});

describe('a path', () => {
  const wrongIds = [
    '',
    '.',
    '..',
    '../accounts',
    'ref_1/cancel',
    'a\\b',
    '..%2f',
    'ref..1',
    '\ud800',
    undefined,
    null,
    7,
    {},
  ];

  test.each(wrongIds)('is refused before anything is sent when the id is %j', async (given) => {
    const { tenure, sent } = scripted([{}]);
    const id = given as string;
    const calls = [
      () => tenure.references.retrieve(id),
      () => tenure.references.update(id, {}),
      () => tenure.references.cancel(id),
      () => tenure.customers.delete(id),
      () => tenure.files.contents(id),
      () => tenure.events.listDeliveries(id),
      () => tenure.events.listDeliveries(id).toArray({ limit: 1 }),
    ];
    for (const call of calls) expect(await errorOf(call)).toBeInstanceOf(TypeError);
    expect(sent).toEqual([]);
  });

  test('encodes an id with characters that mean something in an address', async () => {
    const { tenure, sent } = scripted([{}]);
    await tenure.references.retrieve('a?b#c%2e d\n$&');
    expect(sent[0]!.url).toBe('http://127.0.0.1:4000/v1/references/a%3Fb%23c%252e%20d%0A%24%26');
  });

  test.each([
    'v1/account',
    '',
    '//evil.example',
    '/\\evil.example',
    '/v1/../auth',
    '/v1/%2e%2E/auth',
    '/v1/./x',
    '/v1/#x',
    '/v1/ x',
    7,
  ])('is refused when a request of the caller has %j', async (path) => {
    const { tenure, sent } = scripted([{}]);
    expect(await errorOf(() => tenure.request('GET', path as string))).toBeInstanceOf(TypeError);
    expect(sent).toEqual([]);
  });
});

describe('parameters', () => {
  test('of a GET go into the query', async () => {
    const params = {
      status: 'complete' as const,
      created: { gte: 1, lt: 2 },
      expand: ['data.customer', 'data.application'],
      limit: 3,
      type: undefined,
      customer: null as unknown as string,
    };
    const { path, body } = await sentBy((tenure) => tenure.references.list(params));
    expect(decodeURIComponent(path)).toBe(
      '/v1/references?status=complete&created[gte]=1&created[lt]=2&expand=data.customer,data.application&limit=3&customer=',
    );
    expect(body).toBeNull();
  });

  test('of a POST go into the body, without those that are undefined and with those that are null', async () => {
    const params = {
      application: 'a',
      customer: undefined,
      reference_pdf: null,
      metadata: { a: '1' },
      expand: ['customer'],
    };
    expect(await sentBy((tenure) => tenure.references.create(params))).toEqual({
      path: '/v1/references?expand=customer',
      body: '{"application":"a","reference_pdf":null,"metadata":{"a":"1"}}',
    });
    expect(await sentBy((tenure) => tenure.references.create(undefined as never))).toEqual({
      path: '/v1/references',
      body: '{}',
    });
  });

  test('are left out of the body when a POST takes none', async () => {
    expect(await sentBy((tenure) => tenure.references.cancel('ref_1', { expand: ['customer'] }))).toEqual({
      path: '/v1/references/ref_1/cancel?expand=customer',
      body: null,
    });
  });

  // The server names an unknown member of the query. Left out, an option in the wrong place would have no effect, and no error.
  test('go into the query when a POST takes no body', async () => {
    const misplaced = { idempotencyKey: 'order-17' } as never;
    expect(await sentBy((tenure) => tenure.references.cancel('ref_1', misplaced))).toEqual({
      path: '/v1/references/ref_1/cancel?idempotencyKey=order-17',
      body: null,
    });
  });

  test.each([null, 'app_1', ['app_1'], 7])('are refused when they are %j', async (params) => {
    const { tenure, sent } = scripted([{}]);
    expect(await errorOf(() => tenure.references.create(params as never))).toBeInstanceOf(TypeError);
    expect(sent).toEqual([]);
  });

  test('of a request of the caller go into the query or the body', async () => {
    expect(await sentBy((tenure) => tenure.request('GET', '/v1/things?a=1', { b: 2 }))).toEqual({
      path: '/v1/things?a=1&b=2',
      body: null,
    });
    expect(await sentBy((tenure) => tenure.request('post', '/v1/things', { b: 2 }))).toEqual({
      path: '/v1/things',
      body: '{"b":2}',
    });
    expect(await errorOf(() => scripted([{}]).tenure.request('PATCH', '/v1/things'))).toBeInstanceOf(TypeError);
  });
});

describe('a file', () => {
  test('goes into a form with its metadata', async () => {
    const { tenure, sent } = scripted([{}]);
    const file = new File(['%PDF-1.7'], 'report.pdf');
    await tenure.files.create({ file, purpose: 'reference_report', metadata: { order: '17' } });
    const form = [...(sent[0]!.body as FormData).entries()];
    expect(form).toEqual([
      ['purpose', 'reference_report'],
      ['metadata[order]', '17'],
      ['file', expect.any(File)],
    ]);
    expect((form[2]![1] as File).name).toBe('report.pdf');
    expect(sent[0]!.headers).not.toHaveProperty('content-type');
  });

  test.each([
    [new Blob([new Uint8Array(10 * 1024 * 1024 + 1)])],
    ['/tmp/report.pdf'],
    [new Uint8Array(3)],
    [undefined],
  ])('is refused before anything is sent when it is too large or no Blob', async (file) => {
    const { tenure, sent } = scripted([{}]);
    const params = { file: file as Blob, purpose: 'reference_report' as const };
    expect(await errorOf(() => tenure.files.create(params))).toBeInstanceOf(TypeError);
    expect(sent).toEqual([]);
  });
});
