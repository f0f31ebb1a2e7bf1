import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { earlyLimits } from '../../src/http/body/early-bodies.ts';
import { Scrape } from '../support/prometheus.ts';
import { statusesIn } from '../support/raw-http.ts';
import { refusals } from '../support/refusals.ts';
import { good, serverForTest, type TestServer } from '../support/server.ts';
import { addAccount } from '../support/tenants.ts';
import { waitMs } from '../support/wait.ts';

/* Bodies that arrive while the database does not tell whose key it is. */

const soon = { timeout: waitMs, interval: 10 };

/** More than the runtime reads with the headers, in bytes. */
const longBytes = 80 * 1024;

/** What the server counts of such a body, in bytes. */
const countedBytes = 64 * 1024;

const fitting = earlyLimits.maxPerAccount / countedBytes;

test('refuses the longest bodies with 503 when an address has sent 8 MB before its key is read', async () => {
  const server = await serverForTest();
  const { api } = await addAccount(server);
  const keys = await holdKeys(server);
  const long = JSON.stringify({ name: 'Ada' }).padEnd(longBytes);
  const beyond = 12;
  const sent = Array.from({ length: fitting + beyond }, () => api.post('/v1/customers', long));
  const small = api.post('/v1/customers', { name: 'Ada' });
  await expect.poll(() => metric(server, 'tenure_http_requests_in_flight'), soon).toBe(fitting + beyond + 1);
  expect(await metric(server, 'tenure_held_bytes{kind="early"}')).toBe(earlyLimits.maxPerAccount);
  await keys.release();
  await good(small);
  const responses = await Promise.all(sent);
  const overloaded = responses.filter(({ status }) => status === refusals.overloaded.status);
  expect(overloaded.map(({ body }) => body.error.code)).toEqual(Array.from({ length: beyond }, () => 'overloaded'));
  expect(overloaded[0]!.headers.get('retry-after')).toBe('1');
  expect(responses.filter(({ status }) => ![200, 429, 503].includes(status))).toEqual([]);
  expect(await metric(server, 'tenure_held_bytes{kind="early"}')).toBe(0);
  await good(api.post('/v1/customers', long));
});

test.each([
  ['the whole body has arrived', bodyOf(20_000), ''],
  ['the body is in chunks', `Transfer-Encoding: chunked\r\n\r\n3e8\r\n${' '.repeat(1_000)}\r\n0\r\n\r\n`, ''],
  ['a part of the body comes after its response', bodyOf(200_000).slice(0, -90_000), ' '.repeat(90_000)],
  ['the path cannot be decoded', bodyOf(20_000), '', '/v1/%zz'],
])('serves the next request of a connection after 503 when %s', async (_, body, rest, path = '/v1/customers') => {
  const server = await serverForTest();
  const { api, key } = await addAccount(server);
  const keys = await holdKeys(server);
  const long = JSON.stringify({ name: 'Ada' }).padEnd(longBytes);
  const sent = Array.from({ length: fitting }, () => api.post('/v1/customers', long));
  await expect.poll(() => metric(server, 'tenure_held_bytes{kind="early"}'), soon).toBe(earlyLimits.maxPerAccount);
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  onTestFinished(() => void socket.destroy());
  let text = '';
  socket.on('data', (data) => (text += String(data)));
  const head = `HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n`;
  socket.write(`POST ${path} ${head}Content-Type: application/json\r\n${body}`);
  await expect.poll(() => metric(server, 'tenure_http_requests_in_flight'), soon).toBe(fitting + 1);
  await keys.release();
  await Promise.all(sent);
  await expect.poll(() => statusesIn(text), soon).toEqual(['503']);
  socket.write(`${rest}GET /v1/customers ${head}\r\n`);
  await expect.poll(() => statusesIn(text), soon).toEqual(['503', '200']);
});

test('closes connections when bodies behind requests that wait for their key have 8 MB', async () => {
  const server = await serverForTest();
  const { key } = await addAccount(server);
  const keys = await holdKeys(server);
  const head = `HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n`;
  const two = `GET /v1/customers ${head}\r\nPOST /v1/customers ${head}Content-Type: application/json\r\nContent-Length: ${longBytes}\r\n\r\n`;
  const { hostname, port } = new URL(server.url);
  const count = fitting + 12;
  let closed = 0;
  for (let opened = 0; opened < count; opened++) {
    const socket = connect(Number(port), hostname).on('error', () => {});
    onTestFinished(() => void socket.destroy());
    socket.resume().on('close', () => closed++);
    socket.write(two.padEnd(two.length + longBytes));
  }
  await expect.poll(() => closed, soon).toBeGreaterThanOrEqual(12);
  expect(closed).toBeLessThan(count / 2);
  await keys.release();
});

test.each([
  ['a request to an unknown path is logged', 'POST /v1/nothing', 'request_logs', '404'],
  ['a request whose path cannot be decoded is logged', 'POST /v1/%zz', 'request_logs', '400'],
  ['a request without a type of its body is logged', 'POST /v1/customers', 'request_logs', '415'],
  ['a GET is read', 'GET /v1/customers', 'customers', '200'],
])('holds no body while %s', async (_, line, table, status) => {
  const server = await serverForTest();
  const { api, key } = await addAccount(server);
  await good(api.get('/v1/customers'));
  const lock = await lockTable(server, table);
  const seen: IncomingMessage[] = [];
  const note = (message: unknown): void => void seen.push((message as { request: IncomingMessage }).request);
  subscribe('http.server.request.start', note);
  onTestFinished(() => void unsubscribe('http.server.request.start', note));
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  onTestFinished(() => void socket.destroy());
  let text = '';
  socket.on('data', (data) => (text += String(data)));
  const head = `HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n`;
  socket.write(`${line} ${head}${bodyOf(200_000)}`);
  await expect.poll(() => lock.waiting(), soon).toBe(true);
  expect(seen.map(({ readableLength }) => readableLength)).toEqual([0]);
  await lock.release();
  await expect.poll(() => statusesIn(text), soon).toEqual([status]);
  socket.write(`GET /v1/customers ${head}\r\n`);
  await expect.poll(() => statusesIn(text), soon).toEqual([status, '200']);
});

/** The last lines of the headers, and a body of spaces. */
function bodyOf(bytes: number): string {
  return `Content-Length: ${bytes}\r\n\r\n${' '.repeat(bytes)}`;
}

/** Locks the keys. Requests with a key that was not used before wait. */
function holdKeys(server: TestServer): Promise<{ release(): Promise<unknown> }> {
  return lockTable(server, 'api_keys');
}

async function lockTable(
  { context }: TestServer,
  table: string,
): Promise<{ waiting(): Promise<boolean>; release(): Promise<unknown> }> {
  const blocker = await context.database.readers.connect();
  onTestFinished(() => blocker.release(true));
  await blocker.query('begin');
  await blocker.query(`lock table ${table} in access exclusive mode`);
  return {
    async waiting() {
      const { rows } = await blocker.query(
        'select 1 from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())',
      );
      return rows.length > 0;
    },
    release: () => blocker.query('rollback'),
  };
}

async function metric({ context }: TestServer, name: string): Promise<number> {
  return new Scrape(await context.metrics.text()).value(name)!;
}
