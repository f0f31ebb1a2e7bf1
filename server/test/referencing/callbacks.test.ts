import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { reference as references } from '../../src/resources/reference/index.ts';
import { expectRefusal, refusals, type Refusal } from '../support/refusals.ts';
import {
  createTestDatabase,
  good,
  serverForTest,
  startTestServer,
  type Api,
  type TestServer,
} from '../support/server.ts';
import { addAccount, firstAccountId } from '../support/tenants.ts';
import { eventsOf, refer, referenceNow, untilReference } from './scenario.ts';
import { callBack, callbackAbout, giveCredentials, heardBy, startVendor, type TestVendor } from './vendor.ts';

/*
 * Callbacks, from the received bytes to the read that follows. The service is the test's own, so nothing moves by itself. The server reads
 * an order a minute after it was made, and then every five minutes.
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

/** Progress is shown no more often than this, in seconds. Earlier callbacks wait that long. */
const shownEverySeconds = 5;

/** Creates a reference with an order at the vendor. Its next read is a minute away. */
async function ordered(how: Parameters<typeof refer>[1] = {}, by = api): Promise<string> {
  const sentMs = server.context.clock.nowMs();
  const { id } = await refer(by, how);
  sentAtMs.set(id, sentMs);
  await untilReference(by, id, { status: 'processing' });
  await good(api.post('/v1/test_helpers/clock/advance', { seconds: shownEverySeconds }));
  return id;
}

const sentAtMs = new Map<string, number>();

/** Returns how many reads of an order may have become due by time alone. On a busy machine, a test takes longer than a minute. */
function readsByTime(id: string): number {
  const passedMs = server.context.clock.nowMs() - sentAtMs.get(id)!;
  return passedMs < 60_000 ? 0 : 1 + Math.floor((passedMs - 60_000) / 300_000);
}

/** Makes each pause after a failure the shortest one. It ends before progress may be shown again. */
function shortestPauses(size: number): Uint8Array {
  return size === 4 ? new Uint8Array(4) : randomBytes(size);
}

/** Longer than the queue needs to find a due job. */
const aWhile = (): Promise<void> => delay(1_300);

describe('callbacks', () => {
  test('returns 200 at once and reads the order when a callback arrives', async () => {
    const id = await ordered();
    vendor.stage = 'DONE';
    await heardBy(server.url, callbackAbout(id, account));
    expect(await untilReference(api, id, { status: 'complete' })).toMatchObject({ outcome: 'accept' });
    expect(vendor.reads(id)).toBeLessThanOrEqual(1 + readsByTime(id));
  });

  test('returns 200 at once when the service hangs, and reads later what changed meanwhile', async () => {
    const id = await ordered();
    vendor.hold('read');
    await heardBy(server.url, callbackAbout(id, account));
    await expect.poll(() => vendor.held).toBe(1);
    // The response that is held up does not have the outcome.
    vendor.stage = 'DONE';
    // The service still hangs when the response arrives.
    await heardBy(server.url, callbackAbout(id, account));
    vendor.release();
    await untilReference(api, id, { status: 'complete' });
  });

  test('reads the order within seconds when a callback arrives while the order is being made', async () => {
    vendor.hold('order');
    const { id } = await refer(api);
    await expect.poll(() => vendor.held).toBe(1);
    await heardBy(server.url, callbackAbout(id, account));
    vendor.release();
    vendor.hold('read');
    await untilReference(api, id, { status: 'processing' });
    const { provider_order: order } = (await server.context.readRecord(references, account, id))!;
    expect(order!.due_at_ms).toBe(order!.shown_at_ms + shownEverySeconds * 1000);
    vendor.stage = 'DONE';
    vendor.release();
    await good(api.post('/v1/test_helpers/clock/advance', { seconds: shownEverySeconds }));
    await untilReference(api, id, { status: 'complete' });
  });

  test('reads the order again when a callback arrives during a read that has begun before its time', async () => {
    const own = await serverForTest({
      settings: { TENURE_PROVIDER_A_URL: vendor.url },
      works: true,
      overrides: { randomBytes: shortestPauses },
    });
    const owner = await firstAccountId(own);
    await giveCredentials(own.api);
    const { id } = await refer(own.api);
    await untilReference(own.api, id, { status: 'processing' });
    await good(own.api.post('/v1/test_helpers/clock/advance', { seconds: shownEverySeconds }));
    vendor.hold('read');
    await heardBy(own.url, callbackAbout(id, owner));
    await expect.poll(() => vendor.held).toBe(1);
    // The next read waits for this one.
    await heardBy(own.url, callbackAbout(id, owner));
    await aWhile();
    vendor.refuseHeld();
    // It follows at once, before the pause after the failure has ended.
    await expect.poll(() => vendor.held).toBe(1);
    vendor.stage = 'DONE';
    await heardBy(own.url, callbackAbout(id, owner));
    vendor.release();
    await untilReference(own.api, id, { status: 'complete' });
  });

  test('reads once when fifty callbacks arrive at once and out of order', async () => {
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

  test("ignores an outcome in the callback's body and asks the service when a callback arrives", async () => {
    const id = await ordered();
    const before = await referenceNow(api, id);
    const says = { stage: 'DONE', decision: 'HIGH_RISK', requestId: id, progressPercent: 100 };
    await heardBy(server.url, callbackAbout(id, account, { says }));
    await expect.poll(() => vendor.reads(id)).toBeGreaterThan(0);
    await aWhile();
    expect(await referenceNow(api, id)).toEqual(before);
  });

  test("reads a correction when a callback is about a complete reference, and changes the provider's data alone", async () => {
    vendor.stage = 'DONE';
    vendor.decision = 'CONSIDER';
    const { id } = await refer(api);
    const ended = await untilReference(api, id, { status: 'complete', outcome: 'consider' });
    vendor.decision = 'ACCEPT';
    await heardBy(server.url, callbackAbout(id, account));
    const later = await untilReference(api, id, { automatic_reference: { outcome: 'ACCEPT' } });
    expect({ ...later, automatic_reference: null }).toEqual({ ...ended, automatic_reference: null });
  });

  test('changes nothing visible when a callback is about a canceled reference', async () => {
    const id = await ordered();
    const canceled = (await good(api.post(`/v1/references/${id}/cancel`))).body;
    await expect
      .poll(() => vendor.calls.some(({ kind, reference }) => kind === 'cancel' && reference === id))
      .toBe(true);
    const events = await eventsOf(api, id);
    vendor.stage = 'DONE';
    await heardBy(server.url, callbackAbout(id, account));
    await expect.poll(() => vendor.reads(id)).toBeGreaterThan(0);
    await aWhile();
    expect(await referenceNow(api, id)).toEqual(canceled);
    expect(await eventsOf(api, id)).toEqual(events);
  });

  test("accepts and ignores a callback when its reference is unknown, another provider's or another account's", async () => {
    const id = await ordered();
    const off = (await good(api.post('/v1/references', { application: 'app_1' }))).body.id as string;
    const other = await addAccount(server);
    await giveCredentials(other.api);
    const before = await writtenIn(server);
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
    expect(await writtenIn(server)).toEqual(before);
    expect(vendor.reads(id)).toBeLessThanOrEqual(readsByTime(id));
  });

  test("verifies a callback with the connected account's own secret when it is for that account", async () => {
    const { body: branch } = await good(api.post('/v1/accounts', { name: 'Branch' }));
    const context = { 'service-context': branch.id };
    await giveCredentials(api, 'the-secret-of-the-branch', context);
    const asBranch: Api = { ...api, get: (path) => api.get(path, context) };
    const sentMs = server.context.clock.nowMs();
    const answer = await good(
      api.post('/v1/references', { application: 'app_1', automatic_reference: { provider: 'provider_a' } }, context),
    );
    const { id } = answer.body;
    sentAtMs.set(id, sentMs);
    await untilReference(asBranch, id, { status: 'processing' });
    await good(api.post('/v1/test_helpers/clock/advance', { seconds: shownEverySeconds }));
    vendor.stage = 'DONE';
    expectRefusal(await callBack(server.url, callbackAbout(id, branch.id)), notSigned);
    // Signed by the account above, which has no such reference.
    await heardBy(server.url, callbackAbout(id, account));
    await aWhile();
    expect(vendor.reads(id)).toBeLessThanOrEqual(readsByTime(id));
    await heardBy(server.url, callbackAbout(id, branch.id, { secret: 'the-secret-of-the-branch' }));
    await untilReference(asBranch, id, { status: 'complete' });
  });
});

describe('refused callbacks', () => {
  let id: string;
  let other: string;
  /** A deployment whose worker has ended, so that only a callback can write. */
  let idle: TestServer | undefined;
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  /** Its account. */
  let ownAccount: string;

  beforeEach(async () => {
    if (idle) return;
    database = await createTestDatabase();
    const { connection } = database;
    const settings = { TENURE_PROVIDER_A_URL: vendor.url };
    const working = await startTestServer({ connection, settings, works: true });
    await giveCredentials(working.api);
    id = (await refer(working.api)).id;
    await untilReference(working.api, id, { status: 'processing' });
    ownAccount = await firstAccountId(working);
    const another = await addAccount(working);
    await giveCredentials(another.api, 'the-secret-of-another');
    other = another.accountId;
    await working.stop();
    idle = await startTestServer({ connection, secretKey: working.secretKey, settings, followsNothing: true });
  });
  afterAll(async () => {
    await idle!.stop();
    await database.drop();
  });

  const unsigned = (): ReturnType<typeof callbackAbout> => ({ ...callbackAbout(id, ownAccount), headers: {} });

  test.each<[string, () => ReturnType<typeof callbackAbout>]>([
    ['has a wrong signature', () => callbackAbout(id, ownAccount, { secret: 'wrong' })],
    [
      'has a wrong signature without a time',
      () => callbackAbout(id, ownAccount, { provider: 'provider_c', secret: 'wrong' }),
    ],
    ['has no signature', unsigned],
    ['is signed with an empty secret', () => callbackAbout(id, ownAccount, { secret: '' })],
    ['is signed by another account', () => callbackAbout(id, ownAccount, { secret: 'the-secret-of-another' })],
    ['is sent to another account', () => callbackAbout(id, other)],
    ['is older than five minutes', () => callbackAbout(id, ownAccount, { atSeconds: nowSeconds() - 302 })],
    ['is from the future', () => callbackAbout(id, ownAccount, { atSeconds: nowSeconds() + 302 })],
    [
      'was changed',
      () => ({ ...callbackAbout(id, ownAccount), body: callbackAbout(id, ownAccount).body.replace('}', ' }') }),
    ],
    [
      'has another time than the signed one',
      () => {
        const callback = callbackAbout(id, ownAccount);
        return { ...callback, headers: { ...callback.headers, 'x-callback-timestamp': String(nowSeconds() - 1) } };
      },
    ],
    ['is empty', () => ({ ...unsigned(), body: '' })],
    ['is signed, but has unreadable content', () => callbackAbout(id, ownAccount, { says: { clientReferenceId: 7 } })],
    ['is sent to an unknown account', () => callbackAbout(id, `acct_${'0'.repeat(22)}`)],
    ["is sent to an id that is not an account's", () => callbackAbout(id, id)],
    ['is sent to an id that is not text', () => callbackAbout(id, '%00')],
    ['names an unknown provider', () => callbackAbout(id, ownAccount, { provider: 'provider_z' })],
    ['names a provider like a member of every object', () => callbackAbout(id, ownAccount, { provider: '__proto__' })],
    ['names provider_b, which sends no callbacks', () => callbackAbout(id, ownAccount, { provider: 'provider_b' })],
    ['names provider_d, which sends no callbacks', () => callbackAbout(id, ownAccount, { provider: 'provider_d' })],
  ])('writes nothing and returns 401 callback_signature_invalid when a callback %s', async (_, callback) => {
    const before = await writtenIn(idle!);
    expectRefusal(await callBack(idle!.url, callback()), notSigned);
    expect(await writtenIn(idle!)).toEqual(before);
    expect(vendor.reads(id)).toBe(0);
  });
});

test('refuses a callback unread when it has more than 256 kB, and accepts a little less', async () => {
  const id = await ordered();
  expectRefusal(
    await callBack(server.url, callbackAbout(id, account, { says: saying(256 * 1024) })),
    refusals.bodyTooLarge,
  );
  await heardBy(server.url, callbackAbout(id, account, { says: saying(255 * 1024) }));
});

test.each(['text/plain', 'application/xml', 'application/octet-stream'])(
  'verifies a callback by its bytes when its type is %j',
  async (type) => {
    const callback = callbackAbout('ref_0000000000000000000000', account);
    await heardBy(server.url, { ...callback, headers: { ...callback.headers, 'content-type': type } });
  },
);

test.each(['GET', 'PUT', 'DELETE'])('refuses a callback when its method is %s', async (method) => {
  const response = await fetch(`${server.url}/provider_callbacks/provider_a/${account}`, { method });
  const text = await response.text();
  const { status, headers } = response;
  expectRefusal({ status, headers, text, body: JSON.parse(text) }, refusals.methodNotAllowed);
});

const nowSeconds = (): number => Math.floor(Date.now() / 1000);

function saying(length: number): object {
  return { comment: 'x'.repeat(length) };
}

/** Returns all that a callback could have written: each table with a digest of its rows, and the queue. */
async function writtenIn({ context }: TestServer): Promise<Record<string, string>> {
  const { readers } = context.database;
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
