import { randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
  type MockInstance,
} from 'vitest';
import { parseRanges } from '../../src/core/addresses/address-ranges.ts';
import { ConfigError, readConfig } from '../../src/server/config.ts';
import { allPermissions } from '../support/permissions.ts';
import { buildApp } from '../../src/http/app.ts';
import { Buckets, FailedSignIns } from '../../src/http/pipeline/rate-limit.ts';
import { clientOf } from '../../src/http/pipeline/client-address.ts';
import type { Client } from '../../src/http/request.ts';
import { callbackAbout, giveCredentials, type SignedCallback } from '../referencing/vendor.ts';
import { holdAnswers } from '../support/answers.ts';
import { heapBytes } from '../support/heap.ts';
import { rawRequest, statusesIn } from '../support/raw-http.ts';
import { expectRefusal, refusals } from '../support/refusals.ts';
import { stopMonotonicClock } from '../support/still-clock.ts';
import { apiClient, serverForTest, startTestServer, type ApiResponse, type TestServer } from '../support/server.ts';
import { addAccount, addKey, firstAccountId, type Tenant } from '../support/tenants.ts';
import { waitMs } from '../support/wait.ts';

const policyForm = /^"[a-z]+";q=(\d+);w=1$/;
const limitForm = /^"[a-z]+";r=(\d+);t=1$/;

describe('TENURE_RATE_LIMIT', () => {
  test('limits nothing in a sandbox and to 100 requests a second in live mode when TENURE_RATE_LIMIT is not set', () => {
    expect(rateOf({})).toBe(0);
    expect(rateOf({ TENURE_RATE_LIMIT: '' })).toBe(0);
    expect(rateOf({ TENURE_RATE_LIMIT: '7' })).toBe(7);
    expect(rateOf({ TENURE_MODE: 'live' })).toBe(100);
    expect(rateOf({ TENURE_MODE: 'live', TENURE_RATE_LIMIT: '0' })).toBe(0);
    expect(rateOf({ TENURE_MODE: 'live', TENURE_RATE_LIMIT: ' 5000 ' })).toBe(5000);
  });

  test.each(['x', '-1', '1.5', '1e3', '10/s', '0x10', 'off', '1 000', '٣', '9999999'])(
    'stops the start with the accepted values when the rate limit is not a whole number: %s',
    (value) => {
      const start = (): unknown => readConfig({ TENURE_RATE_LIMIT: value, PORT: 'x' });
      expect(start).toThrow(ConfigError);
      expect(start).toThrow(`TENURE_RATE_LIMIT is "${value}"; it must be a whole number`);
      // The message lists every fault.
      expect(start).toThrow(/^PORT is /m);
    },
  );
});

describe('rate limit of an account', () => {
  const perSecond = 5;
  let limited: TestServer;
  /** A process of the same deployment without a limit, to check what the requests left behind. */
  let looking: TestServer;
  let tenant: Tenant;

  beforeAll(async () => {
    limited = await startTestServer({ settings: { TENURE_RATE_LIMIT: String(perSecond) } });
    looking = await startTestServer({ connection: limited.connection, secretKey: limited.secretKey });
  });
  afterAll(async () => {
    await looking.stop();
    await limited.stop();
  });
  beforeEach(async () => {
    tenant = await newTenant(limited);
  });

  test('returns 429 with Retry-After when an account has used up its limit', async () => {
    stopMonotonicClock();
    const answers = await Promise.all(Array.from({ length: 30 }, () => tenant.api.get('/v1/references')));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(30 - perSecond);
    for (const answer of refused) {
      expectRefusal(answer, { ...refusals.rateLimit, says: `${perSecond} requests a second` });
      expect(answer.headers.get('ratelimit')).toMatch(/;r=0;/);
      expect(answer.headers.get('retry-after')).toBe('1');
    }
  });

  test('delays its refusals when an account continues to send', async () => {
    stopMonotonicClock();
    const timers = vi.spyOn(globalThis, 'setTimeout');
    onTestFinished(() => timers.mockRestore());
    const answers = await Promise.all(Array.from({ length: 300 }, () => timedGet(tenant)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(300 - perSecond);
    // The first hundred are immediate.
    const delayed = refused.length - 100;
    expect(delaysOf(timers)).toHaveLength(delayed);
    expect(refused.filter(({ seconds }) => seconds > 1.9).length).toBeGreaterThanOrEqual(delayed);
  });

  test('accepts requests again when the time in Retry-After has passed', async () => {
    const refused = await refusedOf(() => tenant.api.get('/v1/references'));
    await delay(Number(refused.headers.get('retry-after')) * 1000);
    const answers = [];
    for (let sent = 0; sent < perSecond; sent++) answers.push((await tenant.api.get('/v1/references')).status);
    expect(answers).toEqual(answers.map(() => 200));
  });

  test('stores no log and no record, and leaves the key free, when it refuses a request', async () => {
    const keys: string[] = [];
    const answers: ApiResponse[] = [];
    const refused = await refusedOf(async () => {
      const key = randomUUID();
      const answer = await tenant.api.post('/v1/references', { application: 'app_1' }, { 'idempotency-key': key });
      answers.push(answer);
      if (answer.status === 429) keys.push(key);
      return answer;
    });
    expectRefusal(refused, refusals.rateLimit);
    const deleted = await refusedOf(() => tenant.api.delete('/v1/webhook_endpoints'));
    expectRefusal(deleted, refusals.rateLimit);

    const own = apiClient(looking.url, tenant.key);
    const passed = answers.filter(({ status }) => status === 200);
    expect((await own.get('/v1/references')).body.count).toBe(passed.length);
    expect((await own.get('/v1/logs?method=POST')).body.count).toBe(passed.length);
    expect((await own.get('/v1/logs?status=429')).body.count).toBe(0);
    for (const answer of [refused, deleted])
      expectRefusal(await own.get(`/v1/logs/${answer.headers.get('request-id')}`), refusals.idUnknown);
    await delay(1_000);
    const again = await tenant.api.post('/v1/references', { application: 'another' }, { 'idempotency-key': keys[0]! });
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, null]);
  });

  test('checks the limit after the key and before the route when a request arrives', async () => {
    for (const ask of [
      () => tenant.api.get('/v1/nothing'),
      () => tenant.api.post('/v1/references', '{'),
      () => tenant.api.post('/v1/events', {}),
      () => tenant.api.get('/v1/references', { 'service-version': 'x' }),
      () => tenant.api.get('/v1/references', { 'service-context': 'x' }),
    ])
      expectRefusal(await refusedOf(ask), refusals.rateLimit);
    expectRefusal(await apiClient(limited.url, `${tenant.key}x`).get('/v1/references'), refusals.keyInvalid);
    expect((await fetch(`${limited.url}/healthz`)).status).toBe(200);
  });

  test('counts requests to unknown paths when an account sends them', async () => {
    stopMonotonicClock();
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => rawRequest(limited, 'POST /v1/references/%zz', { key: tenant.key })),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(30 - perSecond);
    expectRefusal(refused[0]!, refusals.rateLimit);
  });

  test('leaves other accounts unaffected, strangers and connected ones alike, when an account is over its limit', async () => {
    const stranger = await newTenant(limited);
    const { body: child } = await apiClient(looking.url, tenant.key).post('/v1/accounts', { name: 'A branch' });
    const context = { 'service-context': child.id };
    const { body: key } = await apiClient(looking.url, tenant.key).post('/v1/api_keys', { type: 'secret' }, context);
    // A request that acts for the connected account still counts for its sender.
    for (const headers of [{}, context]) await refusedOf(() => tenant.api.get('/v1/references', headers));
    for (const other of [stranger.api, apiClient(limited.url, key.secret)])
      for (let sent = 0; sent < perSecond; sent++) expect((await other.get('/v1/references')).status).toBe(200);
  });

  test('counts all keys and all accounts acted for together when an account sends requests', async () => {
    const second = await addKey(limited, tenant.accountId, { permissions: [...allPermissions] });
    const { body: child } = await apiClient(looking.url, tenant.key).post('/v1/accounts', { name: 'A branch' });
    const context = { 'service-context': child.id };
    stopMonotonicClock();
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        [tenant, second][index % 2]!.api.get('/v1/references', index % 3 === 0 ? context : {}),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(perSecond);
  });
});

describe('rate limit headers', () => {
  test('sends the limit per second and the remaining requests when an account gets a response', async () => {
    const server = await serverForTest({ settings: { TENURE_RATE_LIMIT: '1000' } });
    const { api } = server;
    const narrow = await addKey(server, (await api.get('/v1/account')).body.id, { permissions: ['events.read'] });
    const key = { 'idempotency-key': randomUUID() };
    const answers = [
      await api.get('/v1/references'),
      await api.post('/v1/references', { application: 'app_1' }, key),
      await api.post('/v1/references', { application: 'app_1' }, key),
      await api.post('/v1/references', {}),
      await api.get('/v1/references/ref_1'),
      await api.get('/v1/nothing'),
      await api.delete('/v1/references'),
      await narrow.api.get('/v1/references'),
      await api.get('/v1/references', { 'service-context': 'x' }),
      await api.get('/v1/references', { 'service-version': 'x' }),
      await api.post('/v1/references', 'x', { 'content-type': 'text/plain' }),
      await api.post('/v1/references', `{"a":"${'x'.repeat(300_000)}"}`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 400, 404, 404, 405, 403, 400, 400, 415, 413]);
    for (const answer of answers) expectLimit(answer, 1000);
  });

  test('sends the remaining requests when the path is unknown', async () => {
    const server = await serverForTest({ settings: { TENURE_RATE_LIMIT: '1000' } });
    const answer = await rawRequest(server, 'GET /v1/references/%zz');
    expectRefusal(answer, refusals.requestInvalid);
    expectLimit(answer, 1000);
  });

  test('sends fewer remaining requests when a request was made', async () => {
    const server = await serverForTest({ settings: { TENURE_RATE_LIMIT: '3' } });
    stopMonotonicClock();
    const left: number[] = [];
    for (let sent = 0; sent < 3; sent++) left.push(leftOf(await server.api.get('/v1/references')));
    expect(left).toEqual([2, 1, 0]);
  });

  test('sends a limit of 100 per second when the mode is live', async () => {
    const server = await serverForTest({ settings: { TENURE_MODE: 'live' } });
    stopMonotonicClock();
    expectLimit(await server.api.get('/v1/references'), 100);
    const answers = await Promise.all(Array.from({ length: 400 }, () => server.api.get('/v1/nothing')));
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(99);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(301);
  });

  test('sends no rate limit headers when there is no limit', async () => {
    const live = { TENURE_MODE: 'live', TENURE_RATE_LIMIT: '0' };
    const [sandbox, unbounded] = [await serverForTest(), await serverForTest({ settings: live })];
    for (const server of [sandbox, unbounded]) {
      const answers = await Promise.all(Array.from({ length: 200 }, () => server.api.get('/v1/nothing')));
      for (const { status, headers } of answers)
        expect([status, headers.get('ratelimit'), headers.get('ratelimit-policy')]).toEqual([404, null, null]);
    }
  });
});

describe('limits of addresses that guess keys', () => {
  test('never throttles the machine itself when keys are wrong, since a proxy there sends all requests', async () => {
    const server = await serverForTest();
    const wrong = apiClient(server.url, `${server.secretKey.slice(0, -1)}!`);
    const answers = await Promise.all(Array.from({ length: 100 }, () => wrong.get('/v1/references')));
    for (const answer of answers) expectRefusal(answer, refusals.keyInvalid);
    expect((await server.api.get('/v1/references')).status).toBe(200);
  });

  test("throttles another address when its keys are wrong, but accepts a valid key, for the address may be a proxy's", async () => {
    const server = await serverForTest();
    // In a test no real connection comes from another address.
    const app = buildApp(server.context);
    holdAnswers(app, server.context);
    onTestFinished(() => app.close());
    stopMonotonicClock();
    const ask = async (remoteAddress: string, key: string | null, url = '/v1/references'): Promise<ApiResponse> => {
      const headers = key === null ? {} : { authorization: `Bearer ${key}` };
      return answerOfInject(await app.inject({ method: 'GET', url, remoteAddress, headers }));
    };
    for (const [address, other] of [
      ['203.0.113.7', '203.0.113.8'],
      ['2001:db8::7', '2001:db9::7'],
      ['::ffff:198.51.100.7', '::ffff:198.51.100.8'],
    ] as const) {
      const answers: ApiResponse[] = [];
      for (let sent = 0; sent < 80 && answers.at(-1)?.status !== 429; sent++)
        answers.push(
          await ask(address, [null, 'x', `${server.secretKey}x`][sent % 3]!, ['/v1/events', '/v1/%zz'][sent % 2]),
        );
      expect(answers.length).toBeGreaterThan(20);
      expect(new Set(answers.slice(0, -1).map(({ status }) => status))).toEqual(new Set([401]));
      expectRefusal(answers.at(-1)!, refusals.rateLimit);
      expect((await ask(address, server.secretKey)).status).toBe(200);
      expect((await ask(other, null)).status).toBe(401);
    }
    expect((await ask('::ffff:127.0.0.1', server.secretKey)).status).toBe(200);
  });

  test('delays refusals of a stranger when it sends from many networks of one IPv6 site', async () => {
    const server = await serverForTest({ settings: { TENURE_TRUSTED_PROXIES: '127.0.0.1' } });
    stopMonotonicClock();
    const timers = vi.spyOn(globalThis, 'setTimeout');
    onTestFinished(() => timers.mockRestore());
    const statusFrom = async (address: string): Promise<number> =>
      (await fetch(`${server.url}/v1/references`, { headers: { 'x-forwarded-for': address } })).status;
    const answers = Array.from({ length: 120 }, (_, index) => statusFrom(`2001:db8:0:${index.toString(16)}::1`));
    expect(new Set(await Promise.all(answers))).toEqual(new Set([401]));
    expect(await statusFrom('2001:db8:1::1')).toBe(401);
    // The first hundred of the site are immediate. The others follow each other, so that they are not due at once.
    expect(delaysOf(timers)).toEqual(Array.from({ length: 20 }, (_, index) => 2_000 + 2 * index));
  });

  test('counts clients behind a NAT64 gateway by their IPv4 addresses when they have no valid key', async () => {
    const server = await serverForTest({ settings: { TENURE_TRUSTED_PROXIES: '127.0.0.1' } });
    stopMonotonicClock();
    const statusFrom = async (address: string): Promise<number> =>
      (await fetch(`${server.url}/v1/references`, { headers: { 'x-forwarded-for': address } })).status;
    for (let count = 0; count < 20; count++) expect(await statusFrom('64:ff9b::203.0.113.7')).toBe(401);
    expect(await statusFrom('64:ff9b::203.0.113.7')).toBe(429);
    expect(await statusFrom('64:ff9b::203.0.113.8')).toBe(401);
  });

  test.each([
    ['GET', '/healthz'],
    ['GET', '/docs'],
    ['OPTIONS', '/docs'],
    ['GET', '/nothing/here'],
    ['DELETE', '/nothing/here'],
  ])('delays pages of a stranger when it asks for more than 500 a second: %s %s', async (method, path) => {
    const server = await serverForTest({ settings: { TENURE_TRUSTED_PROXIES: '127.0.0.1' } });
    stopMonotonicClock();
    const timers = vi.spyOn(globalThis, 'setTimeout');
    onTestFinished(() => timers.mockRestore());
    const statusFrom = async (address: string): Promise<number> =>
      (await fetch(server.url + path, { method, headers: { 'x-forwarded-for': address }, redirect: 'manual' })).status;
    const statuses = await Promise.all(Array.from({ length: 510 }, () => statusFrom('203.0.113.7')));
    expect(new Set(statuses).size).toBe(1);
    expect(await statusFrom('203.0.113.8')).toBe(statuses[0]);
    expect(delaysOf(timers)).toHaveLength(10);
    // Health checks of a load balancer do not wait for the pages of its clients.
    const other = path === '/healthz' ? '/docs' : '/healthz';
    await fetch(server.url + other, { headers: { 'x-forwarded-for': '203.0.113.7' } });
    expect(delaysOf(timers)).toHaveLength(10);
  });

  test('holds no body when the page of a stranger is delayed', async () => {
    const server = await serverForTest({ settings: { TENURE_TRUSTED_PROXIES: '127.0.0.1' } });
    stopMonotonicClock();
    const seen: IncomingMessage[] = [];
    const note = (message: unknown): void => void seen.push((message as { request: IncomingMessage }).request);
    const { hostname, port } = new URL(server.url);
    const from = 'Host: x\r\nX-Forwarded-For: 203.0.113.7\r\n';
    const read = (): Promise<Response> =>
      fetch(`${server.url}/healthz`, { headers: { 'x-forwarded-for': '203.0.113.7' } });
    await Promise.all(Array.from({ length: 500 }, read));
    subscribe('http.server.request.start', note);
    onTestFinished(() => void unsubscribe('http.server.request.start', note));
    const socket = connect(Number(port), hostname).on('error', () => {});
    onTestFinished(() => void socket.destroy());
    socket.write(`GET /healthz HTTP/1.1\r\n${from}Content-Length: 200000\r\n\r\n${'x'.repeat(150_000)}`);
    await expect.poll(() => seen.map(({ socket: own }) => own.isPaused()), { interval: 1 }).toEqual([true]);
    expect(seen.map(({ readableLength }) => readableLength)).toEqual([0]);
  });

  test('serves the next request of a connection when the page before it was delayed with a whole body', async () => {
    const server = await serverForTest({ settings: { TENURE_TRUSTED_PROXIES: '127.0.0.1' } });
    stopMonotonicClock();
    const headers = { 'x-forwarded-for': '203.0.113.7' };
    await Promise.all(Array.from({ length: 500 }, () => fetch(`${server.url}/healthz`, { headers })));
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname).on('error', () => {});
    onTestFinished(() => void socket.destroy());
    let text = '';
    socket.on('data', (data) => (text += String(data)));
    const line = 'GET /healthz HTTP/1.1\r\nHost: x\r\n';
    socket.write(`${line}X-Forwarded-For: 203.0.113.7\r\nContent-Length: 2000\r\n\r\n${'x'.repeat(2_000)}`);
    await expect.poll(() => statusesIn(text), { timeout: waitMs }).toEqual(['200']);
    // Another client of the proxy.
    socket.write(`${line}X-Forwarded-For: 198.51.100.9\r\n\r\n`);
    await expect.poll(() => statusesIn(text), { timeout: waitMs }).toEqual(['200', '200']);
  });

  test('returns 429 when an address sends many badly signed callbacks, and still accepts signed ones', async () => {
    const server = await serverForTest();
    const app = buildApp(server.context);
    onTestFinished(() => app.close());
    await giveCredentials(server.api);
    const accountId = await firstAccountId(server);
    stopMonotonicClock();
    const callBackFrom = (
      remoteAddress: string,
      { provider, account, body, headers }: SignedCallback,
    ): Promise<Injected> =>
      app.inject({
        method: 'POST',
        url: `/provider_callbacks/${provider}/${account}`,
        remoteAddress,
        headers: { 'content-type': 'application/json', ...headers },
        payload: body,
      });
    const signed = callbackAbout(server.context.ids.make('ref'), accountId);
    const refused = [
      { ...signed, headers: {} },
      { ...signed, account: 'acct_1' },
      { ...signed, provider: 'provider_x' },
    ];
    let sent = 0;
    const told = await refusedOf(async () => {
      const answer = await callBackFrom('203.0.113.7', refused[sent++ % 3]!);
      if (answer.statusCode !== 429) expect(answer.json().error.code).toBe('callback_signature_invalid');
      return answerOfInject(answer);
    });
    expect(sent).toBeGreaterThan(20);
    expectRefusal(told, refusals.rateLimit);
    expect((await callBackFrom('203.0.113.7', signed)).json()).toEqual({ received: true });
    expect((await callBackFrom('203.0.113.8', refused[0]!)).statusCode).toBe(401);
    // A proxy on the machine itself sends the callbacks of every service.
    const local = await Promise.all(Array.from({ length: 100 }, () => callBackFrom('127.0.0.1', refused[0]!)));
    expect(new Set(local.map(({ statusCode }) => statusCode))).toEqual(new Set([401]));
  });

  describe('limits by the clock', () => {
    useFakeClock();
    test.each(['203.0.113.7', '2001:db8::7', '::ffff:203.0.113.7', '128.0.0.1', '::2', '::ffff:10.0.0.1', 'fe80::1'])(
      'allows twenty failures a second when the address is %s',
      (address) => {
        const signIns = new FailedSignIns();
        fails(signIns, address, 20);
        expect(() => signIns.note(clientAt(address))).toThrow(
          expect.objectContaining({ code: 'rate_limit', status: 429 }),
        );
        vi.advanceTimersByTime(49);
        expect(() => signIns.note(clientAt(address))).toThrow(expect.objectContaining({ retryAfterSeconds: 1 }));
        vi.advanceTimersByTime(2);
        fails(signIns, address, 1);
        expect(() => signIns.note(clientAt(address))).toThrow('Wait for the time in `Retry-After`');
        fails(signIns, '192.0.2.1', 1);
        vi.advanceTimersByTime(60_000);
        fails(signIns, address, 20);
        expect(() => signIns.note(clientAt(address))).toThrow('Wait for the time in `Retry-After`');
      },
    );

    test('counts a whole /64 together when the address is IPv6, because one client has all of its addresses', () => {
      const signIns = new FailedSignIns();
      for (let host = 0; host < 20; host++) fails(signIns, `2001:db8:1:2::${host.toString(16)}`, 1);
      expect(() => signIns.note(clientAt('2001:db8:1:2:ffff:1:2:3'))).toThrow('Wait for the time in `Retry-After`');
      fails(signIns, '2001:db8:1:3::1', 1);
    });

    test.each(['127.0.0.1', '127.255.0.9', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '0:0:0:0:0:0:0:1', undefined])(
      'allows any number of failures when the address is the machine itself: %s',
      (address) => fails(new FailedSignIns(), address, 1_000),
    );
  });
});

describe('token buckets', () => {
  useFakeClock();

  test("holds one second's tokens and refills them evenly when requests take them", () => {
    const buckets = new Buckets(4);
    expect(takes(buckets, 'a', 5)).toEqual([3, 2, 1, 0, null]);
    expect(buckets.take('a')).toEqual({ taken: false, left: 0, nextInMs: expect.closeTo(250, 3) });
    vi.advanceTimersByTime(100);
    expect(buckets.take('a')).toEqual({ taken: false, left: 0, nextInMs: expect.closeTo(150, 3) });
    vi.advanceTimersByTime(151);
    expect(takes(buckets, 'a', 2)).toEqual([0, null]);
    vi.advanceTimersByTime(3_600_000);
    expect(takes(buckets, 'a', 5)).toEqual([3, 2, 1, 0, null]);
  });

  test('takes tokens from separate buckets when accounts differ', () => {
    const buckets = new Buckets(2);
    expect(takes(buckets, 'a', 3)).toEqual([1, 0, null]);
    expect(takes(buckets, 'b', 3)).toEqual([1, 0, null]);
  });

  test('removes a bucket when it is full again, and keeps it while it is in use', () => {
    const buckets = new Buckets(1);
    for (let one = 0; one < 9_999; one++) buckets.take(`rested ${one}`);
    vi.advanceTimersByTime(1_001);
    expect(takes(buckets, 'in use', 2)).toEqual([0, null]);
    for (let one = 0; one < 5_000; one++) buckets.take(`new ${one}`);
    expect(takes(buckets, 'in use', 1)).toEqual([null]);
    expect(takes(buckets, 'rested 1', 2)).toEqual([0, null]);
  });

  test('bounds memory when many buckets begin in one second', () => {
    const buckets = new Buckets(20);
    buckets.take('first');
    const beforeBytes = heapBytes();
    // Without a bound these take more than twice as much.
    for (let one = 0; one < 60_000; one++) buckets.take(`2001:db8::${one.toString(16)}`);
    expect(heapBytes() - beforeBytes).toBeLessThan(4_000_000);
    expect(takes(buckets, 'last', 1)).toEqual([19]);
  });
});

async function timedGet({ api }: Tenant): Promise<{ status: number; seconds: number }> {
  const startedMs = Date.now();
  const { status } = await api.get('/v1/references');
  return { status, seconds: (Date.now() - startedMs) / 1000 };
}

/** A clock that only the test moves, in the place of the machine's monotonic clock. */
function useFakeClock(): void {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());
}

function rateOf(settings: Record<string, string>): number {
  return readConfig(settings).rateLimit;
}

/** Returns the client of a connection from this address. */
function clientAt(remoteAddress: string | undefined): Client {
  return clientOf({ socket: { remoteAddress } as Socket, headers: {} }, parseRanges(''));
}

function fails(signIns: FailedSignIns, address: string | undefined, times: number): void {
  for (let failed = 0; failed < times; failed++) signIns.note(clientAt(address));
}

/** Takes tokens and returns the number left after each; null for a refusal. */
function takes(buckets: Buckets, key: string, times: number): (number | null)[] {
  return Array.from({ length: times }, () => {
    const { taken, left } = buckets.take(key);
    return taken ? left : null;
  });
}

/** Creates an account, with a key that has all permissions. */
async function newTenant(server: TestServer): Promise<Tenant> {
  const { accountId } = await addAccount(server);
  return addKey(server, accountId, { permissions: [...allPermissions] });
}

type Injected = Awaited<ReturnType<FastifyInstance['inject']>>;

/** Returns the response of an injected request, in the form of a real connection's responses. */
function answerOfInject(answer: Injected): ApiResponse {
  const pairs = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]);
  return { status: answer.statusCode, headers: new Headers(pairs), text: answer.body, body: answer.json() };
}

/** Sends requests until one is refused by the limit, and returns the refusal. */
async function refusedOf(ask: () => Promise<ApiResponse>): Promise<ApiResponse> {
  // A busy machine may send less than the limit refills.
  const restart = stopMonotonicClock();
  try {
    for (let times = 0; times < 50; times++) {
      const answers = await Promise.all(Array.from({ length: 10 }, ask));
      const refused = answers.find(({ status }) => status === 429);
      if (refused) return refused;
    }
  } finally {
    restart();
  }
  throw new Error('However much was sent, it was never refused.');
}

function expectLimit({ headers, text }: ApiResponse, perSecond: number): void {
  const policy = policyForm.exec(headers.get('ratelimit-policy') ?? '');
  expect(Number(policy?.[1]), text).toBe(perSecond);
  const left = limitForm.exec(headers.get('ratelimit') ?? '');
  expect(Number(left?.[1]), text).toBeLessThan(perSecond);
}

function leftOf({ headers }: ApiResponse): number {
  return Number(limitForm.exec(headers.get('ratelimit') ?? '')?.[1]);
}

/** Returns the delays of responses, in milliseconds. */
function delaysOf(timers: MockInstance<typeof setTimeout>): unknown[] {
  return timers.mock.calls.map(([, ms]) => ms).filter((ms) => ms! >= 2_000 && ms! < 3_000);
}
