import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { strangerRequestBytes } from '../../src/http/body/body-bytes.ts';
import { largeCustomer } from '../support/large-bodies.ts';
import { allPermissions } from '../support/permissions.ts';
import { Scrape } from '../support/prometheus.ts';
import { expectRefusal, refusals } from '../support/refusals.ts';
import { good, startTestServer, type TestServer } from '../support/server.ts';
import { addAccount, addKey, type Tenant } from '../support/tenants.ts';
import { waitMs } from '../support/wait.ts';

/* Requests of a quarter of a megabyte. An account may have 2 MB of them running at once. */

const bodyBytes = 256 * 1024;
const share = 2 * 1024 * 1024;

let server: TestServer;
let tenant: Tenant;
let other: Tenant;

beforeAll(async () => {
  server = await startTestServer();
  const { accountId } = await addAccount(server);
  tenant = await addKey(server, accountId, { permissions: [...allPermissions] });
  other = await addAccount(server);
});
afterAll(() => server.stop());

const soon = { timeout: waitMs, interval: 10 };

test('refuses some with 429 and no trace when an account sends hundreds at once', async () => {
  const keys = Array.from({ length: 200 }, () => randomUUID());
  const customer = JSON.stringify(largeCustomer());
  const send = (key: string) => tenant.api.post('/v1/customers', customer, { 'idempotency-key': key });
  let heldMax = 0;
  const watching = setInterval(() => (heldMax = Math.max(heldMax, server.context.committer.bytes.held)), 1);
  onTestFinished(() => clearInterval(watching));
  const [answers, others] = await Promise.all([
    Promise.all(keys.map(send)),
    Promise.all(Array.from({ length: 20 }, () => other.api.post('/v1/references', { application: 'app_1' }))),
  ]);
  expect(others.map(({ status }) => status)).toEqual(others.map(() => 200));
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.length).toBeLessThan(answers.length);
  for (const answer of refused) {
    expectRefusal(answer, { ...refusals.rateLimit, says: '2 MB' });
    expect(answer.headers.get('retry-after')).toBe('1');
  }
  const made = answers.length - refused.length;
  expect((await tenant.api.get('/v1/customers?limit=1')).body.count).toBe(made);
  expect((await tenant.api.get('/v1/logs?limit=1&method=POST')).body.count).toBe(made);
  const again = await good(send(keys[answers.indexOf(refused[0]!)]!));
  expect(again.headers.get('idempotent-replayed')).toBeNull();
  expect(heldMax).toBeLessThanOrEqual(12 * 1024 * 1024);
  expect(await heldBytes('commits')).toBe(0);
  await expect.poll(() => heldBytes('requests'), soon).toBe(0);
});

test("refuses one more at once when an account's bodies arrive slowly", async () => {
  const slow = Array.from({ length: share / bodyBytes }, () => unfinished(`content-length: ${bodyBytes}`));
  await expect.poll(() => heldBytes('requests'), soon).toBe(share);
  expectRefusal(await tenant.api.post('/v1/customers', { name: 'Ada' }), refusals.rateLimit);
  expect((await tenant.api.get('/v1/customers?limit=1')).status).toBe(200);
  await good(other.api.post('/v1/customers', { name: 'Ada' }));
  for (const socket of slow) socket.destroy();
  await expect.poll(() => heldBytes('requests'), soon).toBe(0);
  await good(tenant.api.post('/v1/customers', { name: 'Ada' }));
});

test('counts the received bytes in steps when a body has no Content-Length', async () => {
  const slow = unfinished('transfer-encoding: chunked');
  await expect.poll(() => heldBytes('requests'), soon).toBe(16 * 1024);
  for (const steps of [2, 4, 8, 16]) {
    slow.write(chunkOf(steps * 8 * 1024 + 1));
    await expect.poll(() => heldBytes('requests'), soon).toBe(steps * 16 * 1024);
  }
  slow.destroy();
  await expect.poll(() => heldBytes('requests'), soon).toBe(0);
});

test('refuses a body when it has grown and finds no more room', async () => {
  const slow = Array.from({ length: share / bodyBytes - 1 }, () => unfinished(`content-length: ${bodyBytes}`));
  slow.push(unfinished(`content-length: ${bodyBytes - 32 * 1024}`));
  await expect.poll(() => heldBytes('requests'), soon).toBe(share - 32 * 1024);
  const growing = unfinished('transfer-encoding: chunked');
  await expect.poll(() => heldBytes('requests'), soon).toBe(share - 16 * 1024);
  const answered = new Promise<string>((resolve) => growing.once('data', (bytes) => resolve(String(bytes))));
  growing.write(chunkOf(40 * 1024));
  expect(await answered).toMatch(/^HTTP\/1\.1 429 .*2 MB/s);
  await expect.poll(() => heldBytes('requests'), soon).toBe(share - 32 * 1024);
  for (const socket of slow) socket.destroy();
  await expect.poll(() => heldBytes('requests'), soon).toBe(0);
});

test('answers all accounts when many bodies without a Content-Length have begun', async () => {
  const { accountId } = await addAccount(server);
  const { key } = await addKey(server, accountId, { permissions: [...allPermissions] });
  const slow = [key, other.key].flatMap((of) =>
    Array.from({ length: 64 }, () => unfinished('transfer-encoding: chunked', of)),
  );
  for (const socket of slow) socket.write(chunkOf(5));
  await expect.poll(() => heldBytes('requests'), soon).toBe(slow.length * 16 * 1024);
  for (const { api } of [tenant, other]) await good(api.post('/v1/customers', { name: 'Ada' }));
  for (const socket of slow) socket.destroy();
  await expect.poll(() => heldBytes('requests'), soon).toBe(0);
});

test('counts a body until its request has ended when the client goes away before', async () => {
  const { writers } = server.context.database;
  // The commit waits for a database connection while the test looks at it.
  const held = await Promise.all([writers.connect(), writers.connect()]);
  // Also after a failure, so that later tests and the stop of the server do not wait.
  const release = (): void => {
    for (const client of held.splice(0)) client.release();
  };
  onTestFinished(release);
  const customer = JSON.stringify(largeCustomer());
  const left = new AbortController();
  const request = fetch(`${server.url}/v1/customers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
    body: customer,
    signal: left.signal,
  }).catch(() => null);
  await expect.poll(() => heldBytes('commits'), soon).toBeGreaterThan(bodyBytes);
  left.abort();
  await request;
  await expect.poll(() => server.context.metrics.text(), soon).toMatch(/tenure_http_requests_in_flight 0\n/);
  expect(await heldBytes('requests')).toBe(Buffer.byteLength(customer));
  release();
  await expect.poll(() => heldBytes('requests'), soon).toBe(0);
  await expect.poll(() => heldBytes('commits'), soon).toBe(0);
});

test('reads no body when there is no key', async () => {
  const socket = unfinished(`content-length: ${bodyBytes}`, null);
  const answer = await new Promise<string>((resolve) => socket.once('data', (bytes) => resolve(String(bytes))));
  expect(answer).toMatch(/^HTTP\/1\.1 401 /);
  expect(await heldBytes('requests')).toBe(0);
});

test('reads the rest of a refused body slowly when there is a key', async () => {
  const socket = unfinished('content-length: 2000000000');
  await new Promise((resolve) => socket.once('data', resolve));
  const startedMs = performance.now();
  const piece = Buffer.alloc(1024 * 1024);
  const send = (): void => {
    while (!socket.destroyed && socket.write(piece));
    socket.once('drain', send);
  };
  send();
  await delay(500);
  const tookMs = performance.now() - startedMs;
  // The two ends of a connection on this machine buffer some megabytes.
  expect(socket.bytesWritten - socket.writableLength).toBeLessThan((tookMs * 128 + 32 * 1024) * 1024);
});

test('serves the next request of a connection when a dozen long bodies were refused', async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning);
  process.on('warning', onWarning);
  onTestFinished(() => void process.off('warning', onWarning));
  const socket = unfinished('content-length: 100000');
  let received = '';
  socket.on('data', (bytes) => (received += String(bytes)));
  const head = `POST /v1/files HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${tenant.key}\r\nContent-Type: application/json\r\nContent-Length: 10000000\r\n\r\n`;
  socket.write(Buffer.alloc(100_000, 'a'));
  for (let refused = 1; refused <= 12; refused++) {
    await expect.poll(() => received.split('HTTP/1.1 4').length - 1, soon).toBe(refused);
    socket.write(head);
    socket.write(Buffer.alloc(10_000_000, 'a'));
  }
  await expect.poll(() => received.split('HTTP/1.1 4').length - 1, soon).toBe(13);
  expect(warnings).toEqual([]);
  socket.write(`GET /v1/customers?limit=1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${tenant.key}\r\n\r\n`);
  await expect.poll(() => received, soon).toMatch(/HTTP\/1\.1 200 /);
});

test('holds three long callbacks of a network when a stranger sends several slowly', async () => {
  const path = `/provider_callbacks/provider_a/${tenant.accountId}`;
  const slow = Array.from({ length: 4 }, () => unfinished(`content-length: ${bodyBytes}`, null, path));
  await Promise.race(slow.map(async (socket) => once(socket.resume(), 'close')));
  await expect.poll(() => heldBytes('keyless'), soon).toBe(3 * (bodyBytes + strangerRequestBytes));
  await good(tenant.api.post('/v1/customers', { name: 'Ada' }));
  // When they are slow, the earliest one is cut off for the next one.
  const next = (): ReturnType<typeof tenant.api.post> => tenant.api.post(path, { pad: 'x'.repeat(250 * 1024) });
  await expect.poll(async () => (await next()).status, soon).toBe(401);
  for (const socket of slow) socket.destroy();
  await expect.poll(() => heldBytes('keyless'), soon).toBe(0);
});

/** Sends a request whose body begins and does not end. */
function unfinished(length: string, key: string | null = tenant.key, path = '/v1/customers'): Socket {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  onTestFinished(() => void socket.destroy());
  const authorization = key === null ? '' : `authorization: Bearer ${key}\r\n`;
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: localhost\r\n${authorization}content-type: application/json\r\n${length}\r\n\r\n`,
  );
  return socket;
}

function chunkOf(bytes: number): string {
  return `${bytes.toString(16)}\r\n${' '.repeat(bytes)}\r\n`;
}

async function heldBytes(kind: string): Promise<number> {
  const scrape = new Scrape(await server.context.metrics.text());
  return scrape.value(`tenure_held_bytes{kind="${kind}"}`)!;
}
