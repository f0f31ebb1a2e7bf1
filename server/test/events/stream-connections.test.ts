import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { copyNewestEvent, makeLargeCustomer } from '../support/large-records.ts';
import { expectRefusal, refusals } from '../support/refusals.ts';
import { good, serverForTest, startTestServer, type TestServer } from '../support/server.ts';
import { addAccount, addKey, type Tenant } from '../support/tenants.ts';
import { createReference, idsInOrder, queriesOf, streamForTest } from './scenario.ts';
import { waitMs } from '../support/wait.ts';

/* What open streams cost the server and the network: heartbeats, memory, their number, and database queries. */

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

describe('stream connections', () => {
  test('sends heartbeat comments when there are no events', async () => {
    const own = await serverForTest({ overrides: { streamLimits: { heartbeatMs: 200 } } });
    const stream = await streamForTest(own.url, own.secretKey);
    await expect.poll(() => stream.text.join('')).toMatch(/^retry: 1000\nid: \w+\n\n(:\n\n){3}/);
    expect(stream.events).toEqual([]);
  });

  test('sends the position in heartbeats when filters hold back every event, so that it does not expire', async () => {
    const own = await serverForTest({ overrides: { streamLimits: { heartbeatMs: 200 } } });
    const tenant = await addAccount(own);
    const stream = await streamForTest(own.url, tenant.key, { query: '?type=customer.*' });
    await createReference(tenant);
    const [passed] = await idsInOrder(tenant, own);
    await expect.poll(() => stream.lastId).toBe(passed);
    expect(stream.events).toEqual([]);
    // The position is sent once. Later heartbeats are bare again.
    await expect.poll(() => stream.text.join('').endsWith(`:\nid: ${passed}\n\n:\n\n`)).toBe(true);
  });

  test('keeps a stream open while it waits for memory, resumes it when there is room, and ends it with its key', async () => {
    const bytes = { max: 1_200_000, maxPerAccount: 1_200_000 };
    const own = await serverForTest({ overrides: { streamLimits: { heartbeatMs: 200, bytes } } });
    const tenant = await addAccount(own);
    await makeLargeCustomer(tenant.api);
    const ids = await copyNewestEvent(own.connection, tenant.accountId, 40);
    const { subscriptions: followed } = own.context.eventFeed.budgets;
    // As streams whose clients do not read.
    const unread = followed.add(tenant.accountId, bytes.max);
    const revoked = await addKey(own, tenant.accountId);
    const waiting = await streamForTest(own.url, tenant.key, { query: `?after=${ids[0]}` });
    const ending = await streamForTest(own.url, revoked.key, { query: `?after=${ids[0]}` });
    await expect.poll(() => followed.waiting).toBe(2);
    await expect.poll(() => waiting.text.join('')).toMatch(/(:\n\n){3}/);
    await own.context.database.readers.query('update api_keys set revoked_at = 1 where id = $1', [revoked.keyId]);
    expect(await ending.endWithin(waitMs)).toBe('ended');
    expect([waiting.ids, ending.ids, followed.waiting]).toEqual([[], [], 1]);
    unread.release();
    await waiting.count(ids.length - 1);
    expect(waiting.ids).toEqual(ids.slice(1));
    waiting.close();
    await expect.poll(() => followed.held).toBe(0);
  });

  test("refuses an account's 51st stream until one ends, and no other account's, when it has fifty", async () => {
    const tenant = await addAccount(server);
    const streams = await Promise.all(Array.from({ length: 50 }, () => streamForTest(server.url, tenant.key)));
    expectRefusal(await tenant.api.get('/v1/events/stream'), { ...refusals.rateLimit, says: '50 streams' });
    const child = await addKey(server, (await good(tenant.api.post('/v1/accounts', { name: 'A branch' }))).body.id);
    await streamForTest(server.url, child.key);
    await streamForTest(server.url, (await addAccount(server)).key);
    streams[0]!.close();
    await expect.poll(async () => (await tenant.api.get('/v1/events/stream')).status).toBe(200);
  });

  test("refuses a platform's stream, and no other account's, when its connected accounts hold four fifths of all streams", async () => {
    const own = await serverForTest();
    const platform = await addAccount(own);
    const branchOf = async ({ api }: Tenant): Promise<Tenant> =>
      addKey(own, (await good(api.post('/v1/accounts', { name: 'A branch' }))).body.id);
    const branches = await Promise.all(Array.from({ length: 7 }, () => branchOf(platform)));
    const room = await branchOf(branches[0]!);
    for (const { key } of [...branches, room]) {
      await Promise.all(Array.from({ length: 50 }, () => streamForTest(own.url, key)));
    }
    expectRefusal(await platform.api.get('/v1/events/stream'), { ...refusals.rateLimit, says: '400 streams' });
    await streamForTest(own.url, (await addAccount(own)).key);
  });

  test('refuses a stream when the process has as many as it can serve', async () => {
    const own = await serverForTest();
    // From the 401st on, an account begins more only while it leaves as many as it has. Its first 16 can take any place.
    for (const count of [...Array.from({ length: 9 }, () => 50), 25, 16, 9]) {
      const { key } = await addAccount(own);
      await Promise.all(Array.from({ length: count }, () => streamForTest(own.url, key)));
    }
    const last = await addAccount(own);
    expectRefusal(await last.api.get('/v1/events/stream'), { ...refusals.overloaded, says: 'streams' });
  });
});

describe('database queries of streams', () => {
  test('queries nothing when no stream is open, and once for all streams when 20 are', async () => {
    const own = await serverForTest();
    const asked = queriesOf(own);
    await createReference(await addAccount(own));
    await delay(600);
    expect(asked).toEqual([]);

    const tenant = await addAccount(own);
    const streams = await Promise.all(Array.from({ length: 20 }, () => streamForTest(own.url, tenant.key)));
    await createReference(tenant);
    await Promise.all(streams.map((stream) => stream.count(1)));
    await delay(300);
    asked.length = 0;
    const beganMs = performance.now();
    await expect.poll(() => asked.length, { interval: 500 }).toBeGreaterThanOrEqual(2);
    // Some four a second. If each stream asked, they would be twenty times as many.
    expect(asked.length).toBeLessThanOrEqual(2 + (4 * (performance.now() - beganMs)) / 1_000);

    for (const stream of streams) stream.close();
    await delay(300);
    asked.length = 0;
    await delay(600);
    expect(asked).toEqual([]);
  });
});
