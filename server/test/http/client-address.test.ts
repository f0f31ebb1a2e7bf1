import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ConfigError, readConfig } from '../../src/server/config.ts';
import { buildApp } from '../../src/http/app.ts';
import { rawRequest } from '../support/raw-http.ts';
import { good, startTestServer, type ApiResponse, type TestServer } from '../support/server.ts';
import { stopMonotonicClock } from '../support/still-clock.ts';

/** The proxy is on this machine, as in the operations guide. */
const settings = { TENURE_TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8, 2001:db8:ffff::/48' };

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ settings });
});
afterAll(() => server.stop());

describe('ip_address of a log', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['198.51.100.1, 203.0.113.7', '203.0.113.7'],
    ['203.0.113.7, 10.1.2.3, 127.0.0.1', '203.0.113.7'],
    ['203.0.113.7:4711', '203.0.113.7'],
    ['2001:DB8:0:0::7', '2001:db8::7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['[2001:db8::7]:4711, [2001:db8:ffff::1]:80', '2001:db8::7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    // All are trusted, so the leftmost is the nearest to the client.
    ['10.0.0.1, 10.0.0.2', '10.0.0.1'],
    [Array.from({ length: 1_500 }, () => '10.0.0.1').join(','), '10.0.0.1'],
    [`203.0.113.8, ${'x'.repeat(12_000)}, 203.0.113.7`, '203.0.113.7'],
  ])('is the rightmost untrusted address when a trusted proxy forwards %.40s', async (header, address) => {
    expect(await loggedAddress({ 'x-forwarded-for': header })).toBe(address);
  });

  test.each([
    '',
    ',',
    'unknown',
    '_hidden',
    '203.0.113',
    '203.0.113.7.8',
    '0x7f.1',
    '2001:db8::7%eth0',
    '[203.0.113.7',
    '203.0.113.7:x',
  ])("is the proxy's when the entry beside it is no address: %j", async (entry) => {
    expect(await loggedAddress({ 'x-forwarded-for': `203.0.113.7, ${entry}` })).toBe('127.0.0.1');
    expect(await loggedAddress({ 'x-forwarded-for': `203.0.113.7, ${entry}, 10.0.0.9` })).toBe('10.0.0.9');
  });

  test('reads all lines of the header in their order when there are several', async () => {
    const lines = ['198.51.100.1', '203.0.113.7', '10.0.0.1'].map((line) => `X-Forwarded-For: ${line}`);
    const headers = ['Content-Type: application/json', ...lines];
    const answer = await rawRequest(server, 'POST /v1/references', { headers, body: '{"application":"app_1"}' });
    expect(answer.status, answer.text).toBe(200);
    expect(await addressInLogOf(answer)).toBe('203.0.113.7');
  });

  test('is that of the connection when no proxy is trusted, the proxy is another one, or it sends another header', async () => {
    expect(await loggedAddress({ forwarded: 'for=203.0.113.7', 'x-real-ip': '203.0.113.7' })).toBe('127.0.0.1');
    for (const trusted of ['', '10.0.0.0/8, ::1']) {
      const other = await startTestServer({ ...sameDeployment(), settings: { TENURE_TRUSTED_PROXIES: trusted } });
      onTestFinished(() => other.stop());
      expect(await loggedAddress({ 'x-forwarded-for': '203.0.113.7' }, other)).toBe('127.0.0.1');
    }
  });
});

describe('failed sign-ins behind a trusted proxy', () => {
  test('throttles each client of a trusted proxy alone when its keys are wrong', async () => {
    expect(await failuresUntilThrottled({ 'x-forwarded-for': '198.51.100.9, 203.0.113.20' })).toBe(20);
    expect((await failOnce({ 'x-forwarded-for': '203.0.113.21' })).statusCode).toBe(401);
    const right = { 'x-forwarded-for': '203.0.113.20', authorization: `Bearer ${server.secretKey}` };
    expect((await failOnce(right)).statusCode).toBe(200);
  });

  test('throttles a client when its header claims to be this machine', async () => {
    expect(await failuresUntilThrottled({ 'x-forwarded-for': '127.0.0.1' })).toBeLessThan(80);
    expect(await failuresUntilThrottled({ 'x-forwarded-for': '::1' }, '10.0.0.7')).toBeLessThan(80);
  });

  test('never throttles this machine itself when it sends no header', async () => {
    expect(await failuresUntilThrottled({})).toBe(80);
  });
});

test('shows no metrics when a trusted proxy forwards a request that claims to be this machine', async () => {
  for (const header of ['127.0.0.1', '::1', ''])
    expect((await fetch(`${server.url}/metrics`, { headers: { 'x-forwarded-for': header } })).status).toBe(403);
  expect((await fetch(`${server.url}/metrics`)).status).toBe(200);
});

test.each(['10.0.0.0/33', 'proxy.internal', '*', '10.0.0.1-10.0.0.9', 'fe80::1%eth0', '::ffff:10.0.0.0/104'])(
  'stops the start when a trusted proxy is no range: %s',
  (range) => {
    expect(() => readConfig({ TENURE_TRUSTED_PROXIES: range })).toThrow(ConfigError);
    expect(() => readConfig({ TENURE_TRUSTED_PROXIES: range })).toThrow(
      `TENURE_TRUSTED_PROXIES: "${range}" is not an address range.`,
    );
  },
);

function sameDeployment(): { connection: TestServer['connection']; secretKey: string } {
  return { connection: server.connection, secretKey: server.secretKey };
}

async function loggedAddress(headers: Record<string, string>, asked = server): Promise<unknown> {
  const answer = await asked.api.post('/v1/references', { application: 'app_1' }, headers);
  expect(answer.status, answer.text).toBe(200);
  return addressInLogOf(answer);
}

async function addressInLogOf({ headers }: ApiResponse): Promise<unknown> {
  return (await good(server.api.get(`/v1/logs/${headers.get('request-id')}`))).body.ip_address;
}

let app: FastifyInstance | null = null;
afterAll(() => app?.close());

/** Sends a request as if from another machine. In a test, no real connection comes from elsewhere. */
function failOnce(headers: Record<string, string>, remoteAddress = '127.0.0.1') {
  app ??= buildApp(server.context);
  return app.inject({ method: 'GET', url: '/v1/references', remoteAddress, headers });
}

/** Sends 80 requests with a wrong key at once, and returns how many got 401. All others got 429. */
async function failuresUntilThrottled(headers: Record<string, string>, remoteAddress?: string): Promise<number> {
  stopMonotonicClock();
  const answers = await Promise.all(Array.from({ length: 80 }, () => failOnce(headers, remoteAddress)));
  const statuses = answers.map(({ statusCode }) => statusCode);
  expect(statuses.filter((status) => status !== 401 && status !== 429)).toEqual([]);
  return statuses.filter((status) => status === 401).length;
}
