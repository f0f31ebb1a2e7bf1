import { EventEmitter } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { FastifyReply } from 'fastify';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ByteBudget } from '../../src/core/limits/byte-budget.ts';
import { largestSizes } from '../../src/db/pool-sizes.ts';
import { NoRoomError, ReadMemory } from '../../src/http/read-memory.ts';
import type { ApiRequest } from '../../src/http/request.ts';
import { HeldResponses } from '../../src/http/response/held-responses.ts';
import { makeLargeCustomer } from '../support/large-records.ts';
import { Scrape } from '../support/prometheus.ts';
import { good, serverForTest } from '../support/server.ts';
import { addAccount } from '../support/tenants.ts';
import { waitMs } from '../support/wait.ts';

const megabyte = 1024 * 1024;
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const payer = { accountId: 'acct_1', rootId: 'acct_1' };

describe('the memory of a request', () => {
  test('holds nothing more when it was released while something was still read', () => {
    const budget = new ByteBudget({ max: 10 * megabyte, maxPerAccount: 10 * megabyte });
    const memory = new ReadMemory(budget, payer, null, () => {});
    memory.use(megabyte);
    memory.release();
    expect(() => memory.use(megabyte)).toThrow(NoRoomError);
    expect(budget.held).toBe(0);
  });

  test('holds a finished response when it is larger than the room for its records, and others wait', async () => {
    const budget = new ByteBudget({ max: megabyte, maxPerAccount: megabyte });
    const memory = new ReadMemory(budget, payer, null, () => {});
    memory.use(megabyte);
    const other = budget.take('acct_2', megabyte);
    memory.settle(1.1 * megabyte);
    expect(budget.held).toBe(1.1 * megabyte);
    memory.release();
    (await other).release();
    expect(budget.held).toBe(0);
  });

  test('holds nothing when the client had disconnected before the first read', () => {
    const budget = new ByteBudget({ max: 10 * megabyte, maxPerAccount: 10 * megabyte });
    const memory: ReadMemory = new ReadMemory(budget, payer, null, () => memory.release());
    expect(() => memory.use(megabyte)).toThrow(NoRoomError);
    expect(budget.held).toBe(0);
    let calls = 0;
    memory.whenReleased(() => calls++);
    expect(calls).toBe(1);
  });

  test('reads few records at a time, with room for each, when their size is not known', async () => {
    const budget = new ByteBudget({ max: 10 * megabyte, maxPerAccount: 10 * megabyte });
    const memory = new ReadMemory(budget, payer, null, () => {});
    let reading = 0;
    let readingMax = 0;
    const read = async (): Promise<void> => {
      readingMax = Math.max(readingMax, ++reading);
      expect(budget.held).toBeGreaterThanOrEqual(reading * 256 * 1024);
      await new Promise((resolve) => setImmediate(resolve));
      reading--;
    };
    await Promise.all(Array.from({ length: 50 }, () => memory.readUnknown(read)));
    memory.release();
    expect([readingMax, budget.held]).toEqual([8, 0]);
  });
});

test('keeps nothing that it read when it waits for room', async () => {
  const budget = new ByteBudget({ max: megabyte, maxPerAccount: megabyte });
  const all = budget.add('acct_2', megabyte);
  const responses = new HeldResponses(
    { reads: budget, downloads: budget },
    { waitMs: 60_000, takeMs: 60_000, slowestBytesPerMs: 1 },
  );
  const request = { payer } as ApiRequest;
  const reply = { raw: new EventEmitter() } as FastifyReply;
  const pages: WeakRef<object>[] = [];
  const read = async (): Promise<{ name: string }[]> => {
    const page = Array.from({ length: 100 }, (_, index) => ({ name: `customer ${index}` }));
    pages.push(new WeakRef(page));
    // As for linked records: the function that finds no room is a closure over all that was read.
    const expand = async (index: number): Promise<string> => {
      await nextTurn();
      request.memory!.use(megabyte / 400);
      return page[index]!.name;
    };
    await Promise.all(page.map((_, index) => expand(index)));
    return page;
  };
  const response = responses.read(request, reply, async () => JSON.stringify(await read()));
  await expect.poll(() => budget.waiting).toBe(1);
  const collect = async (): Promise<object | undefined> => {
    await nextTurn();
    collectGarbage();
    return pages[0]!.deref();
  };
  await expect.poll(collect).toBeUndefined();
  all.release();
  expect(await response).toContain('customer 99');
});

test.each([1, 5])('reads no list for clients that have disconnected when each sent %i requests', async (pipelined) => {
  const server = await serverForTest();
  const { key } = await addAccount(server);
  const { listers } = server.context.database;
  const held = await Promise.all(Array.from({ length: largestSizes.listers }, () => listers.connect()));
  onTestFinished(() => {
    for (const client of held.splice(0)) client.release();
  });
  const read = vi.spyOn(server.context.lister, 'query');
  const { hostname, port } = new URL(server.url);
  const request = `GET /v1/references HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  const sockets = Array.from({ length: 20 }, () => connect(Number(port), hostname));
  for (const socket of sockets) socket.write(request.repeat(pipelined));
  const inFlight = async (): Promise<number> =>
    new Scrape(await server.context.metrics.text()).value('tenure_http_requests_in_flight')!;
  await expect.poll(inFlight).toBe(sockets.length * pipelined);
  for (const socket of sockets) socket.destroy();
  await expect.poll(inFlight).toBe(0);
  for (const client of held.splice(0)) client.release();
  await good(server.api.get('/v1/references'));
  // The first lists began before their clients left.
  expect(read.mock.calls.length).toBeLessThanOrEqual(2 * largestSizes.listers);
});

test.each(['a list', 'a record'])('holds no memory when a client disconnects while %s is read', async (what) => {
  const server = await serverForTest();
  const { api, key } = await addAccount(server);
  const id = await makeLargeCustomer(api);
  const blocker = await server.context.database.readers.connect();
  onTestFinished(() => blocker.release(true));
  await blocker.query('begin');
  await blocker.query('lock table customers in access exclusive mode');
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  const path = what === 'a list' ? '/v1/customers?limit=50' : `/v1/customers/${id}`;
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  const waiting = async (): Promise<number> =>
    (await blocker.query(`select from pg_locks where not granted and relation = 'customers'::regclass`)).rowCount!;
  await expect.poll(waiting).toBe(1);
  socket.destroy();
  const inFlight = async (): Promise<number> =>
    new Scrape(await server.context.metrics.text()).value('tenure_http_requests_in_flight')!;
  await expect.poll(inFlight).toBe(0);
  await blocker.query('commit');
  // The read comes to its end after those that follow it.
  for (let count = 0; count < 5; count++) await good(api.get(path));
  await expect.poll(() => server.context.readBudgets.reads.held).toBe(0);
});

test('returns all memory when requests with expanded records find no room, or their clients go away', async () => {
  const bytes = { max: 4 * megabyte, maxPerAccount: 4 * megabyte };
  const server = await serverForTest({ overrides: { readLimits: { bytes, waitMs: 300 } } });
  const { api, key } = await addAccount(server);
  for (let count = 0; count < 12; count++) {
    const customer = await makeLargeCustomer(api);
    await good(api.post('/v1/references', { application: 'app_1', customer }));
  }
  const ask = async (signal: AbortSignal): Promise<number> => {
    const url = `${server.url}/v1/references?limit=12&expand[]=data.customer`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${key}` }, signal });
    await response.text();
    return response.status;
  };
  const patient = Array.from({ length: 6 }, () => ask(AbortSignal.timeout(waitMs)));
  const hasty = Array.from({ length: 6 }, (_, index) => ask(AbortSignal.timeout(20 * index + 1)).catch(() => 0));
  const statuses = await Promise.all([...patient, ...hasty]);
  expect(statuses).toContain(200);
  await expect.poll(() => server.context.readBudgets.reads.held).toBe(0);
  expect(await ask(AbortSignal.timeout(waitMs))).toBe(200);
});
