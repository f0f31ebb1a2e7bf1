import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  ApiError,
  ConnectionError,
  RateLimitError,
  ServerError,
  Tenure,
  TimeoutError,
  type Fetch,
} from '../src/index.ts';
import {
  errorBody,
  errorOf,
  fakeTimersOfSdk,
  httpServer,
  scripted,
  testKey,
  unusedUrl,
  type Step,
} from './scripted.ts';

const refused = Object.assign(new TypeError('fetch failed'), {
  cause: Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
});
const broken = Object.assign(new TypeError('fetch failed'), {
  cause: Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }),
});

const failing = (status: number, headers: Record<string, string> = {}): Step => ({
  status,
  headers,
  body: errorBody(status === 429 ? 'rate_limit_error' : 'api_error', status === 429 ? 'rate_limit' : 'overloaded'),
});

/** Returns the pauses between the attempts, in milliseconds. */
function pausesOf(sent: { atMs: number }[]): number[] {
  return sent.slice(1).map(({ atMs }, index) => atMs - sent[index]!.atMs);
}

/** Returns the number of attempts of a DELETE whose first one ends so. */
async function deletionsAfter(step: Step): Promise<number> {
  const { tenure, sent } = scripted([step, {}]);
  await errorOf(tenure.customers.delete('cus_1'));
  return sent.length;
}

describe('under a fake clock', () => {
  beforeEach(fakeTimersOfSdk);
  afterEach(() => void vi.restoreAllMocks());

  test.each([
    ['a refused connection', refused],
    ['a broken connection', broken],
    ['409', failing(409)],
    ['429', failing(429)],
    ['500', failing(500)],
    ['503', failing(503)],
    ['a body that breaks off', { body: '{"id":"ref_1","obj' }],
  ])('sends a POST again with the same idempotency key when it gets %s', async (_, step) => {
    const { tenure, sent, keys } = scripted([step, step, { body: { id: 'ref_1' } }]);
    expect(await errorOf(tenure.references.create({ application: 'app_1' }))).toBeNull();
    expect(sent).toHaveLength(3);
    expect(new Set(keys()).size).toBe(1);
    expect(keys()[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Set(sent.map(({ body }) => body))).toEqual(new Set(['{"application":"app_1"}']));
  });

  test('gives each POST a key of its own, and a GET and a DELETE none', async () => {
    const { tenure, keys } = scripted([{}]);
    await tenure.references.create({ application: 'app_1' });
    await tenure.references.create({ application: 'app_1' });
    await tenure.references.retrieve('ref_1', {}, { idempotencyKey: 'mine' });
    await tenure.customers.delete('cus_1', { idempotencyKey: 'mine' });
    await tenure.references.create({ application: 'app_1' }, { idempotencyKey: 'mine' });
    const [one, two, ...others] = keys();
    expect(one).not.toBe(two);
    expect(others).toEqual([undefined, undefined, 'mine']);
  });

  test.each([
    [429, '7', 7_000],
    [503, '60', 60_000],
    [503, '0', 0],
  ])('waits as long as Retry-After says when it gets %d with %s', async (status, retryAfter, pauseMs) => {
    const { tenure, sent } = scripted([failing(status, { 'retry-after': retryAfter }), {}]);
    expect(await errorOf(tenure.account.retrieve())).toBeNull();
    expect(pausesOf(sent)).toEqual([pauseMs]);
  });

  test('waits until the date in Retry-After', async () => {
    vi.setSystemTime('2026-11-23T12:00:00Z');
    const { tenure, sent } = scripted([failing(503, { 'retry-after': 'Mon, 23 Nov 2026 12:00:30 GMT' }), {}]);
    expect(await errorOf(tenure.account.retrieve())).toBeNull();
    expect(pausesOf(sent)).toEqual([30_000]);
  });

  test.each(['61', 'soon', '-1', undefined])('backs off by itself when Retry-After is %s', async (retryAfter) => {
    vi.spyOn(Math, 'random').mockReturnValue(1);
    const step = failing(503, retryAfter === undefined ? {} : { 'retry-after': retryAfter });
    const { tenure, sent } = scripted([step], { maxRetries: 6 });
    expect(await errorOf(tenure.account.retrieve())).toBeInstanceOf(ServerError);
    expect(pausesOf(sent)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000]);
  });

  test('spreads its pauses over the whole range', async () => {
    vi.spyOn(Math, 'random').mockReturnValueOnce(0).mockReturnValueOnce(0.5);
    const { tenure, sent } = scripted([failing(503)]);
    await errorOf(tenure.account.retrieve());
    expect(pausesOf(sent)).toEqual([0, 500]);
  });

  test('obeys Service-Should-Retry more than the status', async () => {
    const never = scripted([failing(503, { 'service-should-retry': 'false' })]);
    expect(await errorOf(never.tenure.references.create({ application: 'app_1' }))).toBeInstanceOf(ServerError);
    expect(never.sent).toHaveLength(1);
    const always = scripted([failing(418, { 'service-should-retry': 'true' }), {}]);
    expect(await errorOf(always.tenure.references.create({ application: 'app_1' }))).toBeNull();
    expect(always.sent).toHaveLength(2);
  });

  test.each([400, 401, 403, 404, 413, 415, 422])('does not repeat a request when it gets %d', async (status) => {
    const { tenure, sent } = scripted([failing(status)]);
    expect(await errorOf(tenure.account.retrieve())).toBeInstanceOf(ApiError);
    expect(sent).toHaveLength(1);
  });

  test('repeats a DELETE only when nothing was deleted for sure', async () => {
    expect(await deletionsAfter(broken)).toBe(1);
    expect(await deletionsAfter(failing(500))).toBe(1);
    expect(await deletionsAfter({ body: '{"id"' })).toBe(1);
    expect(await deletionsAfter(refused)).toBe(2);
    expect(await deletionsAfter(failing(429))).toBe(2);
    expect(await deletionsAfter(failing(503, { 'service-should-retry': 'true' }))).toBe(2);
  });

  test('repeats as often as maxRetries says', async () => {
    for (const maxRetries of [0, 1, 4]) {
      const { tenure, sent } = scripted([failing(429)]);
      expect(await errorOf(tenure.account.retrieve({}, { maxRetries }))).toBeInstanceOf(RateLimitError);
      expect(sent).toHaveLength(maxRetries + 1);
    }
  });

  test('limits each attempt by timeoutMs, even when fetch does not obey its signal', async () => {
    const { tenure, sent } = scripted([() => new Promise(() => {})], { timeoutMs: 1_000, maxRetries: 1 });
    vi.spyOn(Math, 'random').mockReturnValue(1);
    const error = await errorOf(tenure.account.retrieve());
    expect(error).toBeInstanceOf(TimeoutError);
    expect(pausesOf(sent)).toEqual([1_500]);
  });

  test('ends a call during its pause when the signal is aborted', async () => {
    const { tenure, sent } = scripted([failing(503, { 'retry-after': '50' })]);
    const ending = new AbortController();
    const reason = new Error('no longer needed');
    setTimeout(() => ending.abort(reason), 10_000);
    expect(await errorOf(tenure.account.retrieve({}, { signal: ending.signal }))).toBe(reason);
    expect(sent).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('leaves no timer behind when a call ends', async () => {
    const { tenure } = scripted([{}]);
    await tenure.account.retrieve();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('tells the hooks of each attempt, with a masked key', async () => {
    const told: unknown[] = [];
    const { tenure } = scripted([failing(503, { 'retry-after': '3', 'request-id': 'req_1' }), {}], {
      onRequest: (request) => told.push(request),
      onResponse: (response) => told.push({ ...response, durationMs: 0 }),
    });
    await errorOf(tenure.references.create({ application: 'app_1' }));
    const url = 'http://127.0.0.1:4000/v1/references';
    expect(told).toMatchObject([
      {
        method: 'POST',
        url,
        attempt: 0,
        body: '{"application":"app_1"}',
        headers: { authorization: 'Bearer sk_test_****4567' },
      },
      { method: 'POST', url, attempt: 0, status: 503, requestId: 'req_1', retryInMs: 3_000 },
      { attempt: 1 },
      { attempt: 1, status: 200, retryInMs: null },
    ]);
    expect(inspect(told, { depth: null })).not.toContain(testKey);
  });
});

test('sends nothing when the signal was aborted before', async () => {
  const { tenure, sent } = scripted([{}]);
  await expect(tenure.account.retrieve({}, { signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow('gone');
  expect(sent).toEqual([]);
});

test('fails with the reason when the signal is aborted during a request', async () => {
  const { url } = await httpServer(() => {});
  const tenure = new Tenure({ apiKey: testKey, baseUrl: url });
  const ending = new AbortController();
  setTimeout(() => ending.abort(new Error('gone')), 20);
  await expect(tenure.account.retrieve({}, { signal: ending.signal })).rejects.toThrow('gone');
});

test('follows no redirect, and sends the key nowhere else', async () => {
  const elsewhere = await httpServer((_, response) => response.end('{}'));
  const { url, requests } = await httpServer((_, response) =>
    response.writeHead(307, { location: `${elsewhere.url}/v1/account` }).end(),
  );
  const tenure = new Tenure({ apiKey: testKey, baseUrl: url });
  const calls = [
    () => tenure.account.retrieve(),
    () => tenure.references.create({ application: 'app_1' }),
    () => tenure.files.contents('file_1'),
  ];
  for (const call of calls) {
    await expect(call()).rejects.toMatchObject({ name: 'ApiError', status: 307, code: null });
  }
  await expect(tenure.events.stream().next()).rejects.toMatchObject({ name: 'ApiError', status: 307 });
  expect(requests).toHaveLength(4);
  expect(elsewhere.requests).toEqual([]);
});

test('ends an attempt in time when the body is slow', async () => {
  const { url } = await httpServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"id":');
  });
  // Counted where they begin: on a busy machine, one can end before it reaches the server.
  const attempts = vi.fn<Fetch>((...request) => fetch(...request));
  const tenure = new Tenure({ apiKey: testKey, baseUrl: url, fetch: attempts, timeoutMs: 500, maxRetries: 1 });
  await expect(tenure.account.retrieve()).rejects.toBeInstanceOf(TimeoutError);
  expect(attempts).toHaveBeenCalledTimes(2);
});

test('names the address and the reason when no server listens', async () => {
  const url = await unusedUrl();
  const tenure = new Tenure({ apiKey: testKey, baseUrl: url, maxRetries: 0 });
  const error = await tenure.customers.list({ email: 'a@example.com' }).then(
    () => null,
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(ConnectionError);
  expect(String(error)).toBe(
    `ConnectionError: GET /v1/customers got no complete response from ${url}: connect ECONNREFUSED ${url.slice(7)}. Check that the server runs, and that \`baseUrl\` leads to it.`,
  );
});
