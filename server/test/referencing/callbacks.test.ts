import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { complete } from '../../src/referencing/simulator/force.ts';
import { inMatrix } from '../support/rounds.ts';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { expectRefusal, refusals, type Refusal } from '../support/refusals.ts';
import { createTestDatabase, good, startTestServer, type Api, type TestServer } from '../support/server.ts';
import { addAccount, firstAccountId } from '../support/tenants.ts';
import { eventsOf, quickServerForTest, refer, referenceNow, untilReference } from './scenario.ts';
import { callBack, callbackAbout, giveCredentials, heardBy, startVendor, type TestVendor } from './vendor.ts';

/*
 * What a service calls back, from the bytes that come in to what is read then. The service is the test's own, so that nothing moves by
 * itself: an order is looked at a minute after it was made, and then every five minutes.
 */

const notSigned: Refusal = { status: 401, type: 'authentication_error', code: 'callback_signature_invalid' };

let vendor: TestVendor;
let server: TestServer;
let api: Api;
let account: string;

beforeAll(async () => {
  vendor = await startVendor();
  server = await startTestServer({ settings: { TENURE_PROVIDER_A_URL: vendor.url }, works: true });
  api = server.api;
  account = await firstAccountId(server);
  await giveCredentials(api);
});

beforeEach(() => {
  vendor.release();
  vendor.stage = 'IN_PROGRESS';
  vendor.decision = 'ACCEPT';
});

afterAll(async () => {
  await vendor.stop();
  await server.stop();
});

/** Mere progress is shown no more often than this, in seconds: what is called back before waits so long. */
const shownEverySeconds = 5;

/** A reference that the vendor has, and that nobody looks at before the minute is over. */
async function ordered(how: Parameters<typeof refer>[1] = {}, by = api): Promise<string> {
  const { id } = await refer(by, how);
  await untilReference(by, id, { status: 'processing' });
  await good(api.post('/v1/test_helpers/clock/advance', { seconds: shownEverySeconds }));
  return id;
}

/** Longer than the queue needs to find what is due. */
const aWhile = (): Promise<void> => delay(1_300);

describe('a callback', () => {
  test('is answered at once, and brings the next look forward', async () => {
    const id = await ordered();
    vendor.stage = 'DONE';
    await heardBy(server.url, callbackAbout(id, account));
    expect(await untilReference(api, id, { status: 'complete' })).toMatchObject({ outcome: 'accept' });
    expect(vendor.reads(id)).toBe(1);
  });

  test('is answered at once also while the service itself hangs, and what came meanwhile is looked at afterwards', async () => {
    const id = await ordered();
    vendor.hold('read');
    await heardBy(server.url, callbackAbout(id, account));
    await expect.poll(() => vendor.held).toBe(1);
    // The answer that is on its way does not have it.
    vendor.stage = 'DONE';
    const startedMs = performance.now();
    await heardBy(server.url, callbackAbout(id, account));
    expect(performance.now() - startedMs).toBeLessThan(1_000);
    vendor.release();
    await untilReference(api, id, { status: 'complete' });
  });

  test('that comes while the order is just being made is not lost: it is looked at within a minute', async () => {
    vendor.hold('order');
    const { id } = await refer(api);
    await expect.poll(() => vendor.held, { timeout: 20_000 }).toBe(1);
    await heardBy(server.url, callbackAbout(id, account));
    vendor.release();
    await untilReference(api, id, { status: 'processing' });
    vendor.stage = 'DONE';
    await good(api.post('/v1/test_helpers/clock/advance', { seconds: 60 }));
    await untilReference(api, id, { status: 'complete' });
  });

  test('that comes fifty times at once, and out of order, has the effect of one', async () => {
    const id = await ordered();
    vendor.stage = 'DONE';
    const callbacks = Array.from({ length: 50 }, (_, index) =>
      callbackAbout(id, account, { atSeconds: nowSeconds() - ((index * 37) % 50), says: { sequence: index % 3 } }),
    );
    await Promise.all(callbacks.map((callback) => heardBy(server.url, callback)));
    const ended = await untilReference(api, id, { status: 'complete' });
    await heardBy(server.url, callbacks[0]!);
    await aWhile();
    expect(await referenceNow(api, id)).toEqual(ended);
    expect(vendor.orders.get(id)).toBe(1);
    const types = (await eventsOf(api, id)).map(({ type }) => type);
    expect(types).toEqual(['reference.created', 'reference.updated', 'reference.updated', 'reference.completed']);
    const { body: files } = await good(api.get('/v1/files?limit=50'));
    expect(files.data.filter(({ filename }: { filename: string }) => filename === `${id}.pdf`)).toHaveLength(1);
  });

  test('is not believed, but has the service asked: an outcome in it is nobody’s', async () => {
    const id = await ordered();
    const before = await referenceNow(api, id);
    const says = { stage: 'DONE', decision: 'HIGH_RISK', requestId: id, progressPercent: 100 };
    await heardBy(server.url, callbackAbout(id, account, { says }));
    await expect.poll(() => vendor.reads(id), { timeout: 20_000 }).toBe(1);
    await aWhile();
    expect(await referenceNow(api, id)).toEqual(before);
  });

  test('about a complete reference has the service asked for its correction, which changes what it says alone', async () => {
    vendor.stage = 'DONE';
    vendor.decision = 'CONSIDER';
    const { id } = await refer(api);
    const ended = await untilReference(api, id, { status: 'complete', outcome: 'consider' });
    vendor.decision = 'ACCEPT';
    await heardBy(server.url, callbackAbout(id, account));
    const later = await untilReference(api, id, { automatic_reference: { outcome: 'ACCEPT' } });
    expect({ ...later, automatic_reference: null }).toEqual({ ...ended, automatic_reference: null });
  });

  test('about a canceled reference changes nothing that is shown', async () => {
    const id = await ordered();
    const canceled = (await good(api.post(`/v1/references/${id}/cancel`))).body;
    await expect
      .poll(() => vendor.calls.some(({ kind, reference }) => kind === 'cancel' && reference === id))
      .toBe(true);
    const events = await eventsOf(api, id);
    vendor.stage = 'DONE';
    await heardBy(server.url, callbackAbout(id, account));
    await expect.poll(() => vendor.reads(id), { timeout: 20_000 }).toBe(1);
    await aWhile();
    expect(await referenceNow(api, id)).toEqual(canceled);
    expect(await eventsOf(api, id)).toEqual(events);
  });

  test('about another provider’s reference, another account’s or nobody’s is taken, and nothing happens', async () => {
    const id = await ordered();
    const off = (await good(api.post('/v1/references', { application: 'app_1' }))).body.id as string;
    const other = await addAccount(server);
    await giveCredentials(other.api);
    const before = await written();
    for (const callback of [
      callbackAbout(id, account, { provider: 'provider_c' }),
      callbackAbout(off, account),
      callbackAbout(id, other.accountId),
      callbackAbout('ref_0000000000000000000000', account),
      callbackAbout('cus_0000000000000000000000', account),
      callbackAbout('\u0000', account),
    ]) {
      await heardBy(server.url, callback);
    }
    await aWhile();
    expect(await written()).toEqual(before);
    expect(vendor.reads(id)).toBe(0);
  });

  test('to a connected account is for that account, with its own secret', async () => {
    const { body: branch } = await good(api.post('/v1/accounts', { name: 'Branch' }));
    const context = { 'service-context': branch.id };
    await giveCredentials(api, 'the-secret-of-the-branch', context);
    const asBranch: Api = { ...api, get: (path) => api.get(path, context) };
    const answer = await good(
      api.post('/v1/references', { application: 'app_1', automatic_reference: { provider: 'provider_a' } }, context),
    );
    const { id } = answer.body;
    await untilReference(asBranch, id, { status: 'processing' });
    await good(api.post('/v1/test_helpers/clock/advance', { seconds: shownEverySeconds }));
    vendor.stage = 'DONE';
    expectRefusal(await callBack(server.url, callbackAbout(id, branch.id)), notSigned);
    // Signed by the account above: it is none of its references.
    await heardBy(server.url, callbackAbout(id, account));
    await aWhile();
    expect(vendor.reads(id)).toBe(0);
    await heardBy(server.url, callbackAbout(id, branch.id, { secret: 'the-secret-of-the-branch' }));
    await untilReference(asBranch, id, { status: 'complete' });
  });
});

describe('nothing is written, and 401 callback_signature_invalid is the answer, if a callback', () => {
  let id: string;
  let other: string;

  beforeEach(async () => {
    if (id) return;
    id = await ordered();
    const another = await addAccount(server);
    await giveCredentials(another.api, 'the-secret-of-another');
    other = another.accountId;
  });

  const unsigned = (): ReturnType<typeof callbackAbout> => ({ ...callbackAbout(id, account), headers: {} });

  test.each<[string, () => ReturnType<typeof callbackAbout>]>([
    ['has a wrong signature', () => callbackAbout(id, account, { secret: 'wrong' })],
    [
      'has a wrong signature, of a service that signs no time',
      () => callbackAbout(id, account, { provider: 'provider_c', secret: 'wrong' }),
    ],
    ['has no signature', unsigned],
    ['has a signature of nothing', () => callbackAbout(id, account, { secret: '' })],
    ['is signed by another account', () => callbackAbout(id, account, { secret: 'the-secret-of-another' })],
    ['is sent to another account', () => callbackAbout(id, other)],
    ['is older than five minutes', () => callbackAbout(id, account, { atSeconds: nowSeconds() - 302 })],
    ['is from the future', () => callbackAbout(id, account, { atSeconds: nowSeconds() + 302 })],
    [
      'was changed',
      () => ({ ...callbackAbout(id, account), body: callbackAbout(id, account).body.replace('}', ' }') }),
    ],
    [
      'has another time than was signed',
      () => {
        const callback = callbackAbout(id, account);
        return { ...callback, headers: { ...callback.headers, 'x-callback-timestamp': String(nowSeconds() - 1) } };
      },
    ],
    ['says nothing', () => ({ ...unsigned(), body: '' })],
    [
      'says nothing that can be read, though it is signed',
      () => callbackAbout(id, account, { says: { clientReferenceId: 7 } }),
    ],
    ['is to an account that is not there', () => callbackAbout(id, `acct_${'0'.repeat(22)}`)],
    ['is to what is no account', () => callbackAbout(id, id)],
    ['is to what is no text', () => callbackAbout(id, '%00')],
    ['is by a provider that is not there', () => callbackAbout(id, account, { provider: 'provider_z' })],
    ['is by a provider that nobody could mean', () => callbackAbout(id, account, { provider: '__proto__' })],
    ['is by provider_b, which calls nobody', () => callbackAbout(id, account, { provider: 'provider_b' })],
    ['is by provider_d, which calls nobody', () => callbackAbout(id, account, { provider: 'provider_d' })],
  ])('%s', async (_, callback) => {
    const before = await written();
    expectRefusal(await callBack(server.url, callback()), notSigned);
    expect(await written()).toEqual(before);
    expect(vendor.reads(id)).toBe(0);
  });
});

test('a callback of more than 256 kB is refused unread, and one of nearly so much is not', async () => {
  const id = await ordered();
  expectRefusal(
    await callBack(server.url, callbackAbout(id, account, { says: saying(256 * 1024) })),
    refusals.bodyTooLarge,
  );
  await heardBy(server.url, callbackAbout(id, account, { says: saying(255 * 1024) }));
});

test.each(['text/plain', 'application/xml', 'application/octet-stream'])(
  'a callback counts by its bytes, whatever type it is said to have: %j',
  async (type) => {
    const callback = callbackAbout('ref_0000000000000000000000', account);
    await heardBy(server.url, { ...callback, headers: { ...callback.headers, 'content-type': type } });
  },
);

test.each(['GET', 'PUT', 'DELETE'])('%s is no callback', async (method) => {
  const response = await fetch(`${server.url}/provider_callbacks/provider_a/${account}`, { method });
  const text = await response.text();
  const { status, headers } = response;
  expectRefusal({ status, headers, text, body: JSON.parse(text) }, refusals.routeUnknown);
});

inMatrix(() => {
  test('while the database is away a callback is refused with 503, so that the service calls again, and then it counts', async () => {
    const database = await createTestDatabase();
    const proxy = await startDatabaseProxy(database.connection);
    const own = await startVendor();
    const away = await startTestServer({
      settings: { TENURE_PROVIDER_A_URL: own.url },
      works: true,
      connection: proxy.connection,
    });
    try {
      await giveCredentials(away.api);
      const { id } = await refer(away.api);
      const owner = await firstAccountId(away);
      await untilReference(away.api, id, { status: 'processing' });
      own.stage = 'DONE';
      proxy.close();
      expectRefusal(await callBack(away.url, callbackAbout(id, owner)), refusals.unavailable);
      proxy.open();
      await expect
        .poll(async () => (await callBack(away.url, callbackAbout(id, owner))).status, { timeout: 10_000 })
        .toBe(200);
      await untilReference(away.api, id, { status: 'complete' }, 15_000);
    } finally {
      await own.stop();
      await away.stop();
      await proxy.stop();
      await database.drop();
    }
  });
});

inMatrix(() => {
  test('the callbacks of a sandbox’s own services count also after its clock was moved by a day', async () => {
    // A day of theirs is nearly one of ours: whoever does not hear of it looks minutes later.
    const slow = await quickServerForTest({ TENURE_SIMULATOR_SPEED: '80000' });
    await good(slow.api.post('/v1/test_helpers/clock/advance', { seconds: 86_400 }));
    const { readers } = slow.context.database;
    await Promise.all(
      (['provider_a', 'provider_c'] as const).map(async (provider) => {
        const { id } = await refer(slow.api, { provider });
        const isOrdered = () => complete(readers, provider, id, slow.context.clock.nowMs(), 'consider');
        await expect.poll(isOrdered, { timeout: 20_000 }).toBe(true);
        await untilReference(slow.api, id, { status: 'complete', outcome: 'consider' }, 15_000);
      }),
    );
  });
});

const nowSeconds = (): number => Math.floor(Date.now() / 1000);

function saying(length: number): object {
  return { comment: 'x'.repeat(length) };
}

/** All that a callback could have written: each table with a digest of its rows, and the queue. */
async function written(): Promise<Record<string, string>> {
  const { readers } = server.context.database;
  const { rows: tables } = await readers.query<{ name: string }>(`
    select oid::regclass::text as name
    from pg_class
    where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace`);
  const found: Record<string, string> = {};
  for (const name of [...tables.map((table) => table.name), 'graphile_worker._private_jobs']) {
    const { rows } = await readers.query<{ digest: string }>(
      `select count(*) || ' ' || coalesce(md5(string_agg(row::text, ' ' order by row::text)), '') as digest from ${name} row`,
    );
    found[name] = rows[0]!.digest;
  }
  return found;
}
