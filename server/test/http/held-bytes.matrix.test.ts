import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hashKey, makeKey } from '../../src/core/secrets/api-keys.ts';
import type { Connection } from '../../src/db/pools.ts';
import { openStream, type EventStream } from '../support/event-stream.ts';
import { pdfOf, formOf } from '../support/files.ts';
import { copyNewestEvent, makeLargeCustomer, query } from '../support/large-records.ts';
import { processesForTest } from '../support/processes.ts';
import { Scrape } from '../support/prometheus.ts';
import { askWithoutReading } from '../support/raw-http.ts';
import { expectRefusal, invalid, refusals } from '../support/refusals.ts';
import { apiClient, good, serverForTest, type Api } from '../support/server.ts';
import { addAccount, type Tenant } from '../support/tenants.ts';

/**
 * The memory that a process may use under the attacks below. A fresh process has some 150 MB. Without bounds the attacks took more than a
 * gigabyte.
 */
const residentBytesMax = 400_000_000;

/** Settings of the process, with the memory limits of `npm start`. */
const flags = {
  NODE_OPTIONS: '--max-semi-space-size=8 --max-old-space-size=512',
  TENURE_ROLE: 'api',
  TENURE_RATE_LIMIT: '0',
};

describe('the memory of a process', () => {
  test('bounds memory and resumes each stream without a gap when fifty streams of large events are not read', async () => {
    const { url, secretKey, accountId, connection, other } = await startProcess();
    await makeLargeCustomer(apiClient(url, secretKey));
    const ids = await copyNewestEvent(connection, accountId, 106);
    const memory = watchMemory(url);
    const streams = await Promise.all(
      Array.from({ length: 50 }, () => pausedStream(url, secretKey, `?after=${ids[0]}`)),
    );
    await expect.poll(() => heldBytes(url, 'streams')).toBeGreaterThan(4_000_000);
    expect((await other.get('/v1/customers')).status).toBe(200);
    await delay(2_000);
    const reading = streams.splice(0, 2);
    for (const stream of streams) stream.close();
    for (const stream of reading) stream.response.resume();
    for (const stream of reading) {
      await stream.count(ids.length - 1, 60_000);
      expect(stream.ids).toEqual(ids.slice(1));
      stream.close();
    }
    expect(await memory.stop()).toBeLessThan(residentBytesMax);
    await expect.poll(() => heldBytes(url, 'streams')).toBe(0);
  });

  test('bounds memory and serves another account when forty lists of large events are not read', async () => {
    const { url, secretKey, accountId, connection, other } = await startProcess();
    const api = apiClient(url, secretKey);
    await makeLargeCustomer(api);
    const ids = await copyNewestEvent(connection, accountId, 50);
    const memory = watchMemory(url);
    const lists = Array.from({ length: 40 }, () => askWithoutReading(url, secretKey, '/v1/events?limit=50'));
    await expect.poll(() => heldBytes(url, 'reads')).toBeGreaterThan(20_000_000);
    expect((await other.get('/v1/events')).status).toBe(200);
    await delay(1_000);
    expect((await other.get('/v1/events')).status).toBe(200);
    for (const list of lists) list.destroy();
    await expect.poll(() => heldBytes(url, 'reads')).toBe(0);
    expect(await memory.stop()).toBeLessThan(residentBytesMax);
    const { body } = await good(api.get('/v1/events?limit=50'));
    expect([body.data.length, body.count, body.has_more]).toEqual([50, ids.length - 50, true]);
  });

  test.each([
    ['bodies', '/v1/customers', 'application/json', ''],
    [
      'uploads',
      '/v1/files',
      'multipart/form-data; boundary=b',
      '--b\r\ncontent-disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-1.7\n',
    ],
  ])('bounds memory and serves another account when eight %s come in chunks of one byte', async (...kind) => {
    const [, path, type, begin] = kind;
    const { url, secretKey, other } = await startProcess();
    const memory = watchMemory(url);
    const socketOf = async (): Promise<Socket> => {
      const { hostname, port } = new URL(url);
      const socket = connect(Number(port), hostname).on('error', () => {});
      onTestFinished(() => void socket.destroy());
      const headers = [`authorization: Bearer ${secretKey}`, `content-type: ${type}`, 'transfer-encoding: chunked'];
      socket.write(`POST ${path} HTTP/1.1\r\nhost: ${hostname}\r\n${headers.join('\r\n')}\r\n\r\n`);
      if (begin !== '') socket.write(`${begin.length.toString(16)}\r\n${begin}\r\n`);
      socket.write('1\r\n \r\n'.repeat(250_000));
      await once(socket, 'data');
      return socket;
    };
    const attack = Promise.all(Array.from({ length: 8 }, socketOf));
    expect((await other.get('/v1/events')).status).toBe(200);
    for (const socket of await attack) socket.destroy();
    expect(await memory.stop()).toBeLessThan(residentBytesMax);
  });
});

describe('unread responses', () => {
  const small = { max: 3_000_000, maxPerAccount: 1_000_000 };

  test('delays other large reads of the account, then those of all accounts, when its responses are not read', async () => {
    const own = await serverForTest({ overrides: { readLimits: { bytes: small, waitMs: 2_000 } } });
    const tenants = [await addAccount(own), await addAccount(own)];
    for (const { api, accountId } of tenants) {
      await makeLargeCustomer(api);
      await copyNewestEvent(own.connection, accountId, 50);
    }
    const [first, second] = tenants as [Tenant, Tenant];
    const { reads } = own.context.readBudgets;
    const unread = askWithoutReading(own.url, first.key, '/v1/events?limit=50');
    await expect.poll(() => reads.heldBy(first.accountId)).toBeGreaterThan(20_000_000);
    expectRefusal(await first.api.get('/v1/events?limit=50'), { ...refusals.rateLimit, says: 'large responses' });
    expectRefusal(await second.api.get('/v1/events?limit=50'), { ...refusals.overloaded, says: 'large responses' });
    // Small responses are not counted.
    await good(first.api.get('/v1/events?limit=50&type=account.*'));
    await good(second.api.get('/v1/account'));
    const waiting = second.api.get('/v1/events?limit=50');
    await expect.poll(() => reads.waiting).toBe(1);
    unread.destroy();
    expect((await good(waiting)).body.data.length).toBe(50);
    await expect.poll(() => reads.held).toBe(0);
  });

  test('cuts a response off when the client reads nothing of it for too long', async () => {
    const own = await serverForTest();
    const tenant = await addAccount(own);
    await makeLargeCustomer(tenant.api);
    await copyNewestEvent(own.connection, tenant.accountId, 50);
    // It also ends requests that take as long. So the records are made on another server.
    const hasty = await serverForTest({
      connection: own.connection,
      secretKey: own.secretKey,
      overrides: { readLimits: { stalledMs: 10_000 } },
    });
    const { reads } = hasty.context.readBudgets;
    let heldMax = 0;
    const watching = setInterval(() => (heldMax = Math.max(heldMax, reads.held)), 1);
    onTestFinished(() => clearInterval(watching));
    askWithoutReading(hasty.url, tenant.key, '/v1/events?limit=50');
    await expect.poll(() => heldMax).toBeGreaterThan(20_000_000);
    await expect.poll(() => reads.held).toBe(0);
  });

  test('counts an unread file as a download and refuses the 17th when 16 are open', async () => {
    const own = await serverForTest({ overrides: { readLimits: { waitMs: 300 } } });
    const tenant = await addAccount(own);
    const form = formOf({}, pdfOf(randomBytes(10_000_000)));
    const { id } = (await good(tenant.api.post('/v1/files', form))).body;
    const path = `/v1/files/${id}/contents`;
    const { downloads } = own.context.readBudgets;
    const unread = Array.from({ length: 16 }, () => askWithoutReading(own.url, tenant.key, path));
    await expect.poll(() => downloads.held).toBe(8 * 1024 * 1024);
    expectRefusal(await tenant.api.get(path), { ...refusals.rateLimit, says: 'downloads' });
    for (const one of unread) one.destroy();
    await expect.poll(() => downloads.held).toBe(0);
    expect((await tenant.api.get(path)).status).toBe(200);
    await expect.poll(() => downloads.held).toBe(0);
  });
});

describe('slow clients', () => {
  test('are cut off, and delay no large read of another account, when they take a large response slowly', async () => {
    const own = await serverForTest({ overrides: { readLimits: { takeMs: 10_000, slowestBytesPerMs: 10_000 } } });
    const [slow, other] = [await addAccount(own), await addAccount(own)];
    for (const { api, accountId } of [slow, other]) {
      await makeLargeCustomer(api);
      await copyNewestEvent(own.connection, accountId, 50);
    }
    const { reads } = own.context.readBudgets;
    const trickle = askWithoutReading(own.url, slow.key, '/v1/events?limit=50');
    await expect.poll(() => reads.heldBy(slow.accountId)).toBeGreaterThan(20_000_000);
    expect((await good(other.api.get('/v1/events?limit=10'))).body.data).toHaveLength(10);
    // 26 MB at 10 MB a second.
    await expect.poll(() => reads.heldBy(slow.accountId)).toBe(0);
    trickle.destroy();
  });
});

describe('responses to changes', () => {
  test('are refused, and nothing is changed, when linked records make them too large', async () => {
    const own = await serverForTest();
    const { api } = await addAccount(own);
    const customers = [];
    for (let number = 0; number < 3; number++) customers.push(await makeLargeCustomer(api));
    const { id } = (await good(api.post('/v1/applications', { customers }))).body;
    const before = (await good(api.get('/v1/events?limit=1'))).body;
    for (const path of [`/v1/applications/${id}`, '/v1/applications']) {
      const body = path.endsWith(id) ? { metadata: { a: '1' } } : { customers };
      expectRefusal(await api.post(`${path}?expand=customers`, body), {
        ...invalid('expand'),
        says: 'more than 512 kB',
      });
    }
    expect((await good(api.get('/v1/events?limit=1'))).body).toEqual(before);
    const one = await good(api.post('/v1/applications?expand=customers', { customers: customers.slice(0, 1) }));
    expect(one.body.customers[0]).toMatchObject({ object: 'customer', id: customers[0] });
  });
});

describe('large pages', () => {
  test('are refused with advice when their records are too large, and shorter ones are complete', async () => {
    const { url, secretKey, accountId, connection, other } = await startProcess();
    const api = apiClient(url, secretKey);
    await makeLargeCustomer(api);
    await good(api.get('/v1/logs?limit=1'));
    // As many logs of one large request. Their bodies are quoted, and every quote has a backslash.
    await query(
      connection,
      `
      insert into request_logs
        (account_id, id, created, method, url, path, status, duration_ms, source, api_version, replayed, response_body,
          events, mentions)
      select account_id, left(id, 12) || lpad(number::text, 14, '0'), created, method, url, path, status, duration_ms, source,
        api_version, replayed, repeat('"€', 350000), events, mentions
      from (select * from request_logs where account_id = $1 order by id desc limit 1) log, generate_series(1, 60) number`,
      [accountId],
    );
    const memory = watchMemory(url);
    expectRefusal(await api.get('/v1/logs?limit=50'), { ...invalid('limit'), says: 'more than 28 MB' });
    const { body } = await good(api.get('/v1/logs?limit=20'));
    expect([body.object, body.data.length, body.has_more]).toEqual(['list', 20, true]);
    expect(body.data[0].response_body ?? body.data[0]).toBeDefined();
    expect((await other.get('/v1/events')).status).toBe(200);
    expect(await memory.stop()).toBeLessThan(residentBytesMax);
  });
});

describe('lists with expanded records', () => {
  test('refuses a list when expanded records make it too large, and returns a shorter one', async () => {
    const own = await serverForTest();
    const { api } = await addAccount(own);
    const customers = [];
    for (let number = 0; number < 4; number++) customers.push(await makeLargeCustomer(api));
    for (let number = 0; number < 50; number++) await good(api.post('/v1/applications', { customers }));
    expectRefusal(await api.get('/v1/applications?limit=50&expand=data.customers'), {
      ...invalid('expand'),
      says: 'more than 32 MB',
    });
    const { body } = await good(api.get('/v1/applications?limit=5&expand=data.customers'));
    expect(body.data.flatMap((item: { customers: object[] }) => item.customers).length).toBe(20);
    await expect.poll(() => own.context.readBudgets.reads.held).toBe(0);
  });
});

/** Starts a process of its own, with its first account and another one. */
async function startProcess(): Promise<{
  url: string;
  secretKey: string;
  accountId: string;
  connection: Connection;
  other: Api;
}> {
  const { connection, secretKey, start } = await processesForTest();
  const { url } = await start(flags);
  const [first] = await query<{ id: string }>(connection, 'select id from accounts order by id limit 1');
  const { id } = (await good(apiClient(url, secretKey).post('/v1/accounts', { name: 'Another' }))).body;
  const key = makeKey('secret', 'sandbox', randomBytes);
  await query(
    connection,
    `
    with own as (update accounts set parent = null where id = $1)
    insert into api_keys (account_id, id, created, revision, hash, type, name, permissions, last_four)
    select $1, replace(id, 'acct', 'key'), 0, 1, $2, 'secret', null, '{customers.read,events.read}', $3
    from accounts where id = $1`,
    [id, hashKey(key), key.slice(-4)],
  );
  return { url, secretKey, accountId: first!.id, connection, other: apiClient(url, key) };
}

/** Returns the peak resident memory of a process, sampled often. */
function watchMemory(url: string): { stop(): Promise<number> } {
  const over = new AbortController();
  let mostBytes = 0;
  const watching = (async () => {
    while (!over.signal.aborted) {
      mostBytes = Math.max(mostBytes, (await scrape(url)).value('tenure_process_resident_memory_bytes')!);
      await delay(30);
    }
  })();
  return {
    async stop() {
      over.abort();
      await watching;
      return mostBytes;
    },
  };
}

async function scrape(url: string): Promise<Scrape> {
  return new Scrape(await (await fetch(`${url}/metrics`)).text());
}

async function heldBytes(url: string, kind: string): Promise<number> {
  return (await scrape(url)).value(`tenure_held_bytes{kind="${kind}"}`)!;
}

/** Opens a stream whose client reads nothing until it resumes. */
async function pausedStream(url: string, key: string, queryText: string): Promise<EventStream> {
  const stream = await openStream(url, key, { query: queryText });
  stream.response.pause();
  onTestFinished(() => stream.close());
  return stream;
}
