import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ByteBudget, ByteCeiling } from '../../src/core/limits/byte-budget.ts';
import type { JsonObject } from '../../src/core/json-diff.ts';
import { largestSizes } from '../../src/db/pool-sizes.ts';
import { pageBytesMax, roomFor } from '../../src/http/read-memory.ts';
import { withoutBody } from '../../src/http/parser.ts';
import type { ApiRequest } from '../../src/http/request.ts';
import { HeldResponses } from '../../src/http/response/held-responses.ts';
import { largeJson } from '../../src/http/response/large-json.ts';
import { memoryLimits as usualLimits } from '../../src/server/context.ts';
import { ownMemory } from '../../src/server/process-size.ts';
import { copyNewestEvent, makeLargeCustomer } from '../support/large-records.ts';
import { Scrape } from '../support/prometheus.ts';
import { askWithoutReading } from '../support/raw-http.ts';
import { expectRefusal, refusals } from '../support/refusals.ts';
import { good, memoryOf, serverForTest, type TestServer } from '../support/server.ts';
import { addAccount } from '../support/tenants.ts';
import { waitMs } from '../support/wait.ts';

const megabyte = 1024 * 1024;

/** Loads of the machine delay what is awaited. */
const soon = { timeout: waitMs };

async function heldBytes(server: TestServer, kind: string): Promise<number> {
  return new Scrape(await server.context.metrics.text()).value(`tenure_held_bytes{kind="${kind}"}`)!;
}

describe('the ceiling of a process', () => {
  test('refuses other large work of an account, and serves another one, when its unread responses fill its share', async () => {
    const memoryLimits = { max: 80 * megabyte, maxPerTree: 24 * megabyte };
    const server = await serverForTest({ overrides: { memoryLimits, readLimits: { waitMs: 300 } } });
    const [first, second] = [await addAccount(server), await addAccount(server)];
    await makeLargeCustomer(first.api);
    await copyNewestEvent(server.connection, first.accountId, 50);
    const unread = askWithoutReading(server.url, first.key, '/v1/events?limit=50');
    await expect.poll(() => heldBytes(server, 'all'), soon).toBeGreaterThan(20 * megabyte);
    const refused = await first.api.post('/v1/customers', { name: 'Ada', metadata: {} });
    expectRefusal(refused, { ...refusals.rateLimit, says: 'connected to it' });
    expect(refused.headers.get('retry-after')).toBe('1');
    expectRefusal(await first.api.get('/v1/events?limit=1'), { ...refusals.rateLimit, says: 'large responses' });
    await good(first.api.get('/v1/account'));
    await good(second.api.post('/v1/customers', { name: 'Ada' }));
    unread.destroy();
    await expect.poll(() => heldBytes(server, 'all'), soon).toBe(0);
    await good(first.api.post('/v1/customers', { name: 'Ada' }));
  });

  test('refuses large work, and does small work, while the process is large', async () => {
    let resident = 0;
    const overrides = { processMemory: memoryOf(() => resident), readLimits: { waitMs: 300 } };
    const server = await serverForTest({ overrides });
    const [first, second] = [await addAccount(server), await addAccount(server)];
    for (const { api, accountId } of [first, second]) {
      await makeLargeCustomer(api);
      await copyNewestEvent(server.connection, accountId, 50);
    }
    const unread = askWithoutReading(server.url, first.key, '/v1/events?limit=50');
    await expect.poll(() => heldBytes(server, 'all'), soon).toBeGreaterThan(20 * megabyte);
    const largeList = async (): Promise<number> => (await second.api.get('/v1/events?limit=10')).status;
    expect(await largeList()).toBe(200);
    resident = 400 * megabyte;
    await expect.poll(largeList, soon).toBe(503);
    await good(second.api.post('/v1/customers', { name: 'Ada' }));
    resident = 0;
    await expect.poll(largeList, soon).toBe(200);
    unread.destroy();
  });

  test('does small work of an account that uploads a file while the process is large', async () => {
    let resident = 0;
    const overrides = { processMemory: memoryOf(() => resident), readLimits: { waitMs: 300 } };
    const server = await serverForTest({ overrides });
    const [first, second] = [await addAccount(server), await addAccount(server)];
    await makeLargeCustomer(first.api);
    await copyNewestEvent(server.connection, first.accountId, 50);
    askWithoutReading(server.url, first.key, '/v1/events?limit=50');
    await expect.poll(() => heldBytes(server, 'all'), soon).toBeGreaterThan(20 * megabyte);
    beginUpload(server, second.key);
    await expect.poll(() => heldBytes(server, 'uploads'), soon).toBe(megabyte);
    resident = 400 * megabyte;
    await expect.poll(async () => (await first.api.get('/v1/events?limit=10')).status, soon).toBe(429);
    await good(second.api.post('/v1/customers', { name: 'Ada' }));
  });

  test('makes the largest page while another account uploads a file', async () => {
    const ceiling = new ByteCeiling(usualLimits);
    const uploads = new ByteBudget({ max: 64 * megabyte, maxPerAccount: 32 * megabyte }, ceiling);
    const reads = new ByteBudget({ max: 72 * megabyte, maxPerAccount: 72 * megabyte }, ceiling);
    const soonest = AbortSignal.timeout(100);
    await uploads.take({ accountId: 'office', rootId: 'office' }, megabyte, soonest);
    await reads.take({ accountId: 'other', rootId: 'other' }, roomFor(pageBytesMax), soonest);
    expect(ceiling.held).toBe(megabyte + roomFor(pageBytesMax));
  });

  test('collects garbage, and returns pages above 335 MB, when the process is large and has grown', async () => {
    let resident = 250 * megabyte;
    let looks = 0;
    let collections = 0;
    let returns = 0;
    const residentBytes = (): number => {
      looks++;
      return resident;
    };
    const collectGarbage = (returnsPages: boolean): void => {
      collections++;
      if (returnsPages) returns++;
      resident -= 10 * megabyte;
    };
    await serverForTest({ overrides: { processMemory: { residentBytes, collectGarbage } } });
    const laterLooks = async (): Promise<void> => {
      const before = looks;
      await expect.poll(() => looks, soon).toBeGreaterThan(before + 2);
    };
    await laterLooks();
    expect(collections).toBe(0);
    resident = 310 * megabyte;
    await expect.poll(() => collections, soon).toBe(1);
    // It has 300 MB now, and does not grow.
    await laterLooks();
    expect(collections).toBe(1);
    resident += 20 * megabyte;
    await expect.poll(() => collections, soon).toBe(2);
    expect(returns).toBe(0);
    resident += 40 * megabyte;
    await expect.poll(() => collections, soon).toBe(3);
    expect(returns).toBe(1);
  });

  test('collects again at once, however long a collection takes, when the process is above 370 MB and grows', async () => {
    let resident = 380 * megabyte;
    let looks = 0;
    const looksBefore: number[] = [];
    const residentBytes = (): number => {
      looks++;
      resident += 20 * megabyte;
      return resident;
    };
    const collectGarbage = (): void => {
      looksBefore.push(looks);
      resident = 380 * megabyte;
      // Below that size, the process would wait for four times as long.
      const endsAtMs = performance.now() + 100;
      while (performance.now() < endsAtMs);
    };
    await serverForTest({ overrides: { processMemory: { residentBytes, collectGarbage } } });
    await expect.poll(() => looksBefore.length, soon).toBeGreaterThan(2);
    // The collection itself looks once.
    expect(looksBefore[2]! - looksBefore[1]!).toBe(2);
  });

  test('frees unreachable objects when a process collects its own garbage', async () => {
    const { residentBytes, collectGarbage } = ownMemory();
    const unreachable = new WeakRef({});
    // Until the end of its turn, a new reference keeps its object.
    await nextTurn();
    collectGarbage(false);
    expect(residentBytes()).toBeGreaterThan(megabyte);
    expect(unreachable.deref()).toBeUndefined();
  });

  test('returns the pages of unreachable objects to the system when a process collects with their return', () => {
    const { residentBytes, collectGarbage } = ownMemory();
    let objects: object[] | null = Array.from({ length: 1_000_000 }, (_, number) => ({ number, list: [number] }));
    expect(objects).toHaveLength(1_000_000);
    const largest = residentBytes();
    objects = null;
    collectGarbage(true);
    expect(largest - residentBytes()).toBeGreaterThan(50 * megabyte);
  });

  test('keeps the process alive when its size cannot be read', async () => {
    let tries = 0;
    const residentBytes = (): number => {
      tries++;
      throw Object.assign(new Error('EMFILE: too many open files, uv_resident_set_memory'), { code: 'EMFILE' });
    };
    const server = await serverForTest({ overrides: { processMemory: memoryOf(residentBytes) } });
    const { api } = await addAccount(server);
    await expect.poll(() => tries, soon).toBeGreaterThan(1);
    await good(api.post('/v1/customers', { name: 'Ada' }));
  });

  test('holds the sum of all kinds, and shows its limit, when several kinds hold bytes', async () => {
    const server = await serverForTest();
    const { api, accountId, key } = await addAccount(server);
    await makeLargeCustomer(api);
    await copyNewestEvent(server.connection, accountId, 10);
    await expect.poll(() => heldBytes(server, 'all'), soon).toBe(0);
    const unread = askWithoutReading(server.url, key, '/v1/events?limit=10');
    const upload = beginUpload(server, key);
    await expect.poll(() => heldBytes(server, 'uploads'), soon).toBe(megabyte);
    await expect.poll(() => heldBytes(server, 'reads'), soon).toBeGreaterThan(4 * megabyte);
    const text = new Scrape(await server.context.metrics.text());
    const kinds = ['uploads', 'reads', 'requests', 'answers', 'commits', 'deliveries', 'streams', 'stream_cache'];
    const sum = [...kinds, 'downloads', 'erasures', 'prints']
      .map((kind) => text.value(`tenure_held_bytes{kind="${kind}"}`)!)
      .reduce((total, bytes) => total + bytes);
    expect(text.value('tenure_held_bytes{kind="all"}')).toBe(sum);
    expect(text.value('tenure_held_bytes_max{kind="all"}')).toBe(80 * megabyte);
    for (const socket of [unread, upload]) socket.destroy();
    await expect.poll(() => heldBytes(server, 'all'), soon).toBe(0);
  });

  test('signs people in when an account and a stranger hold all that the ceiling leaves to them', async () => {
    const settings = { TENURE_TRUSTED_PROXIES: '127.0.0.1' };
    const memoryLimits = { max: 2 * megabyte, reserved: megabyte, little: megabyte / 64 };
    const server = await serverForTest({ settings, overrides: { memoryLimits } });
    const { key } = await addAccount(server);
    const upload = beginUpload(server, key);
    await expect.poll(() => heldBytes(server, 'uploads'), soon).toBe(megabyte);
    const slow = connect(Number(new URL(server.url).port), '127.0.0.1');
    const address = 'X-Forwarded-For: 203.0.113.7';
    slow.write(`POST /v1/portal/link HTTP/1.1\r\nHost: x\r\n${address}\r\nContent-Length: 8192\r\n\r\n{`);
    await expect.poll(() => heldBytes(server, 'keyless'), soon).toBeGreaterThan(0);
    const headers = { 'x-forwarded-for': '198.51.100.9', 'content-type': 'application/json' };
    const body = JSON.stringify({ token: 'a'.repeat(32) });
    expect((await fetch(`${server.url}/v1/portal/link`, { method: 'POST', headers, body })).status).toBe(401);
    for (const socket of [upload, slow]) socket.destroy();
  });

  test('refuses an upload with 429, and accepts it later, when the share of its account is full', async () => {
    const memoryLimits = { maxPerTree: 1.5 * megabyte };
    const server = await serverForTest({ overrides: { memoryLimits } });
    const { key } = await addAccount(server);
    const first = beginUpload(server, key);
    await expect.poll(() => heldBytes(server, 'uploads'), soon).toBe(megabyte);
    const second = beginUpload(server, key);
    const [answer] = (await once(second, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 429 .*retry-after: 1/s);
    first.destroy();
    await expect.poll(() => heldBytes(server, 'uploads'), soon).toBe(0);
    beginUpload(server, key);
    await expect.poll(() => heldBytes(server, 'uploads'), soon).toBe(megabyte);
  });
});

describe('the connections for files', () => {
  test('serve another account soon when one account waits for many parts', async () => {
    const server = await serverForTest();
    const { database, fileStore, ids } = server.context;
    const held = await Promise.all(Array.from({ length: largestSizes.files }, () => database.files.connect()));
    const ended: string[] = [];
    const discard = async (account: string): Promise<void> => {
      await fileStore.discard(account, ids.make('file'), false);
      ended.push(account);
    };
    const all = ['many', 'many', 'many', 'many', 'many', 'many', 'many', 'many', 'other'].map(discard);
    // With one connection, they end in the order in which they begin.
    const [kept, ...free] = held;
    for (const client of free) client.release();
    await Promise.all(all);
    kept!.release();
    expect(ended.indexOf('other')).toBeLessThan(5);
  });
});

test('reads small records first when the records of a query do not fit', async () => {
  const server = await serverForTest();
  const { api, accountId } = await addAccount(server);
  const { context } = server;
  const customer = context.resources.find(({ object }) => object === 'customer')!;
  const large: string[] = [];
  for (let made = 0; made < 20; made++) large.push(await makeLargeCustomer(api));
  const { id: small } = (await good(api.post('/v1/customers', { name: 'Ada' }))).body;
  const ended: string[] = [];
  const read = async (id: string): Promise<void> => {
    await context.readRecord(customer, accountId, id);
    ended.push(id);
  };
  await Promise.all([...large, small].map(read));
  expect(ended.indexOf(small)).toBeLessThan(large.length);
});

describe('very large responses', () => {
  test('are made one at a time, and accounts take turns, when several are requested at once', async () => {
    const budget = new ByteBudget({ max: 1_000 * megabyte, maxPerAccount: 1_000 * megabyte });
    const responses = new HeldResponses(
      { reads: budget, downloads: budget },
      { waitMs: 60_000, takeMs: 60_000, slowestBytesPerMs: 1 },
    );
    const made: string[] = [];
    let [making, makingMax] = [0, 0];
    const ask = (rootId: string): Promise<unknown> => {
      const request = { payer: { accountId: rootId, rootId } } as ApiRequest;
      const reply = { raw: new EventEmitter() } as FastifyReply;
      return responses.read(request, reply, async () => {
        request.memory!.use(9 * megabyte);
        makingMax = Math.max(makingMax, ++making);
        for (let turns = 0; turns < 5; turns++) await nextTurn();
        making--;
        made.push(rootId);
        return '{}';
      });
    };
    await Promise.all(['a', 'a', 'a', 'b'].map(ask));
    expect([makingMax, made, budget.held]).toEqual([1, ['a', 'b', 'a', 'a'], 0]);
  });

  test('take room for their records and their bytes when they are made', async () => {
    const budget = new ByteBudget({ max: 100 * megabyte, maxPerAccount: 100 * megabyte });
    const limits = { waitMs: 60_000, takeMs: 60_000, slowestBytesPerMs: 1 };
    const responses = new HeldResponses({ reads: budget, downloads: budget }, limits);
    const request = { payer: { accountId: 'a', rootId: 'a' } } as ApiRequest;
    let heldMax = 0;
    await responses.read(request, { raw: new EventEmitter() } as FastifyReply, async () => {
      request.memory!.use(20 * megabyte);
      heldMax = Math.max(heldMax, budget.held);
      return '{}';
    });
    expect([heldMax, budget.held]).toEqual([40 * megabyte, 0]);
  });

  test.each([1, 1_000_000])('are the same JSON when %i bytes were expected', async (expectedBytes) => {
    expect((await largeJson(longList(), expectedBytes)).toString()).toBe(JSON.stringify(longList()));
    expect((await largeJson({ object: 'list', data: [] }, expectedBytes)).toString()).toBe(
      '{"object":"list","data":[]}',
    );
  });

  test('let other work have its turn while they become JSON', async () => {
    const data = Array.from({ length: 20 }, () => ({ text: 'x'.repeat(200_000) }));
    let turns = 0;
    const others = (function next(): NodeJS.Immediate {
      turns++;
      return setImmediate(next);
    })();
    onTestFinished(() => clearImmediate(others));
    await largeJson({ object: 'list', data }, 4_000_000);
    expect(turns).toBeGreaterThanOrEqual(data.length);
  });
});

test('a refused request waits without its body, and its connection serves the next request, when it is slowed down', async () => {
  const waits: (() => void)[] = [];
  const requests: IncomingMessage[] = [];
  const refuse = async (incoming: IncomingMessage): Promise<void> => {
    await expect.poll(() => incoming.readableLength, soon).toBeGreaterThan(0);
    await withoutBody(incoming, () => new Promise((resolve) => waits.push(resolve)));
  };
  const app = createServer((incoming, response) => {
    requests.push(incoming);
    const responding = incoming.method === 'POST' ? refuse(incoming) : Promise.resolve();
    void responding.then(() => response.end('done'));
  });
  const port = await listen(app);
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  onTestFinished(() => void socket.destroy());
  let received = '';
  socket.on('data', (bytes) => (received += String(bytes)));
  socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n`);
  socket.write(Buffer.alloc(1_000_000, 'a'));
  await expect.poll(() => waits.length, soon).toBe(1);
  expect(requests[0]!.readableLength).toBe(0);
  for (let turns = 0; turns < 20; turns++) await nextTurn();
  expect([requests[0]!.readableLength, received]).toEqual([0, '']);
  waits[0]!();
  await expect.poll(() => received, soon).toContain('done');
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await expect.poll(() => received.split('done').length, soon).toBe(3);
});

function longList(): JsonObject {
  const data = Array.from({ length: 20 }, (_, index) => ({ index, text: 'a€"😀'.repeat(5_000) }));
  return { object: 'list', data };
}

async function listen(app: ReturnType<typeof createServer>): Promise<number> {
  app.listen(0, '127.0.0.1');
  await once(app, 'listening');
  onTestFinished(() => {
    app.close();
    app.closeAllConnections();
  });
  return (app.address() as AddressInfo).port;
}

/** Begins to upload a file that does not end. */
function beginUpload({ url }: TestServer, key: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  onTestFinished(() => void socket.destroy());
  const headers = [
    `Host: ${hostname}`,
    `Authorization: Bearer ${key}`,
    'Content-Type: multipart/form-data; boundary=b',
  ];
  socket.write(`POST /v1/files HTTP/1.1\r\n${headers.join('\r\n')}\r\nContent-Length: 1000000\r\n\r\n`);
  socket.write('--b\r\ncontent-disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-1.7\n');
  return socket;
}
