import { randomBytes } from 'node:crypto';
import { Agent, request } from 'undici';
import { expect, onTestFinished, test, vi } from 'vitest';
import { randomBase62 } from '../../src/core/base62.ts';
import { FairQueue } from '../../src/core/limits/fair-queue.ts';
import { UnavailableError, type Pool } from '../../src/db/pools.ts';
import { StrangersReader } from '../../src/db/reader.ts';
import { good, serverForTest, type TestServer } from '../support/server.ts';
import { addAccount } from '../support/tenants.ts';
import { waitMs } from '../support/wait.ts';

/* Reads of requests without a key, which have no account. */

/** More than there are connections for reads. */
const many = 12;

const token = randomBase62(32, randomBytes);
const fromDashboard = { 'service-client': 'dashboard' };

test.each([
  ['the dashboard asks whether there is a user', 'users', '/auth/session', fromDashboard, null],
  ['links of the dashboard are read', 'one_time_links', '/auth/links/read', fromDashboard, { token }],
  ['links to the portal are read', 'portal_sessions', '/v1/portal/link', {}, { token }],
  ['programs ask to sign in', 'users', '/auth/device/begin', {}, { machine: 'laptop' }],
  ['links to files are opened', 'file_links', '/links/open', {}, { token }],
])('serves requests with a key when many strangers wait because %s', async (_, table, path, headers, body) => {
  const server = await serverForTest();
  const { api } = await addAccount(server);
  const lock = await lockTable(server, table);
  const answers = Array.from({ length: many }, () => ask(server, path, headers, body));
  await expect.poll(() => lock.waiting(), { timeout: waitMs, interval: 10 }).toBeGreaterThan(1);
  await good(api.get('/v1/customers?email=ada%40example.com'));
  expect(await lock.waiting()).toBe(2);
  await lock.release();
  for (const response of await Promise.all(answers)) expect(response.status).toBeLessThan(500);
});

test('serves a stranger before the waiting requests of another site when it asks last', async () => {
  const server = await serverForTest();
  const lock = await lockTable(server, 'users');
  const ended: string[] = [];
  const from = async (localAddress: string): Promise<void> => {
    const dispatcher = new Agent({ localAddress });
    onTestFinished(() => dispatcher.close());
    const { statusCode, body } = await request(`${server.url}/auth/session`, { headers: fromDashboard, dispatcher });
    await body.dump();
    expect(statusCode).toBe(200);
    ended.push(localAddress);
  };
  const reads = vi.spyOn(StrangersReader.prototype, 'query');
  onTestFinished(() => reads.mockRestore());
  const all = Array.from({ length: 60 }, () => from('127.0.0.1'));
  await expect.poll(() => reads.mock.calls.length, { timeout: waitMs }).toBe(60);
  all.push(from('127.9.9.9'));
  await expect.poll(() => reads.mock.calls.length, { timeout: waitMs }).toBe(61);
  await lock.release();
  await Promise.all(all);
  expect(ended.indexOf('127.9.9.9')).toBeLessThan(30);
});

test('refuses the reads of strangers after ten seconds when those before them do not end', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { promise: hanging, resolve: end } = Promise.withResolvers<{ rows: unknown[] }>();
  const asked: string[] = [];
  const pool = {
    query({ text }: { text: string }) {
      asked.push(text);
      return hanging;
    },
  } as unknown as Pool;
  const reader = new StrangersReader(pool, new FairQueue(1));
  const read = (text: string): Promise<unknown> => reader.query({ text, values: [] });
  const first = read('first');
  const late = ['second', 'third'].map((text) => read(text).catch((error: unknown) => error));
  await vi.advanceTimersByTimeAsync(9_000);
  const inTime = read('fourth');
  await vi.advanceTimersByTimeAsync(1_000);
  for (const error of await Promise.all(late)) expect(error).toBeInstanceOf(UnavailableError);
  end({ rows: [] });
  expect(await Promise.all([first, inTime])).toEqual([[], []]);
  expect(asked).toEqual(['first', 'fourth']);
});

async function ask(
  { url }: TestServer,
  path: string,
  headers: Record<string, string>,
  body: object | null,
): Promise<Response> {
  if (body === null) return fetch(`${url}${path}`, { headers });
  const isForm = path.startsWith('/links/');
  const isOfProgram = path.startsWith('/auth/device/');
  return fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      ...headers,
      ...(!isForm && { 'content-type': 'application/json' }),
      ...(!isOfProgram && { origin: url }),
    },
    body: isForm ? new URLSearchParams(Object.entries(body)) : JSON.stringify(body),
  });
}

/** Locks a table, so that each read of it waits. */
async function lockTable(
  { context }: TestServer,
  table: string,
): Promise<{ waiting(): Promise<number>; release(): Promise<unknown> }> {
  const blocker = await context.database.writers.connect();
  onTestFinished(() => blocker.release(true));
  await blocker.query('begin');
  await blocker.query(`lock table ${table} in access exclusive mode`);
  return {
    async waiting() {
      const { rows } = await blocker.query<{ count: number }>(
        `select count(*)::int as count from pg_locks where not granted and relation = '${table}'::regclass`,
      );
      return rows[0]!.count;
    },
    release: () => blocker.query('rollback'),
  };
}
