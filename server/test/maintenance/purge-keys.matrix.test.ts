import { beforeEach, describe, expect, test } from 'vitest';
import { purgeIdempotencyKeys } from '../../src/maintenance/purge-idempotency-keys.ts';
import { withClient } from '../../src/db/pools.ts';
import {
  anotherServer,
  expectCarriedOut,
  expectOneExecution,
  expectReplay,
  newKey,
  waitingForTables,
} from '../support/idempotency.ts';
import { serverForTest, type ApiResponse, type TestServer } from '../support/server.ts';
import { StillClock } from '../support/still-clock.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
/** A key is deleted this long after its expiry, in ms. */
const purgedAfter = 5 * minute;

let clock: StillClock;
let server: TestServer;

beforeEach(async () => {
  clock = new StillClock();
  server = await serverForTest({ overrides: { clock } });
});

test('deletes exactly the keys that expired a while ago, with their encrypted responses, when the purge runs', async () => {
  await makeApiKey('yesterday');
  clock.advanceMs(day - minute);
  await makeApiKey('today');
  clock.advanceMs(minute + purgedAfter - 1);
  expect(await purge()).toBe(false);
  expect(await storedKeys()).toEqual(['today', 'yesterday']);
  clock.advanceMs(1);
  expect(await purge()).toBe(false);
  expect(await storedKeys()).toEqual(['today']);
});

test("replays a response in time when another process's clock is ahead and it has purged", async () => {
  const late = new StillClock();
  late.advanceMs(4 * minute);
  const ahead = await anotherServer(server, { overrides: { clock: late } });
  const key = newKey();
  const first = await create(server, key);
  for (const one of [clock, late]) one.advanceMs(day - 1);
  expect(late.nowMs()).toBeGreaterThan(clock.nowMs() + 3 * minute);
  await purge(ahead, late);
  expectReplay(await create(server, key), first);
});

test('refuses a request when the clock has overtaken it, because its key may have been purged', async () => {
  const { body: reference } = await create(server, newKey());
  const key = newKey();
  const process = (): Promise<ApiResponse> =>
    server.api.post(`/v1/references/${reference.id}`, { status: 'processing' }, key);
  const overtakenBy = async (ms: number): Promise<ApiResponse> => {
    const processing = await withClient(server.connection, async (client) => {
      await client.query('begin');
      // The request cannot be decided before the clock has moved.
      await client.query('lock table tenant_references in access exclusive mode');
      const answer = process();
      await expect.poll(() => waitingForTables(server)).toBe(1);
      clock.advanceMs(ms);
      await client.query('rollback');
      return { answer };
    });
    return processing.answer;
  };
  const late = await overtakenBy(2 * minute + 1);
  expect([late.status, late.body.error.code]).toEqual([409, 'idempotency_key_in_use']);
  expect((await server.api.get(`/v1/references/${reference.id}`)).body.status).toBe('pending');
  expectCarriedOut(await overtakenBy(2 * minute));
});

test('deletes a limited number at a time, oldest first, when many keys have expired', async () => {
  await seedExpiredKeys(1_500);
  expect(await purge()).toBe(true);
  const left = await storedKeys();
  expect([left.length, left[0], left.at(-1)]).toEqual([500, 'expired 1001', 'expired 1500']);
  expect(await purge()).toBe(false);
  expect(await storedKeys()).toEqual([]);
});

describe('keys purged during their reuse', () => {
  test('executes a request once when the purge comes first and the claim waits for it', async () => {
    const key = await usedLongAgo();
    const answer = await withClient(server.connection, async (client) => {
      await client.query('begin');
      await client.query('delete from idempotency_keys where key = $1', [key['idempotency-key']]);
      const claiming = create(server, key);
      await expect.poll(waitingForRows).toBe(1);
      await client.query('commit');
      return claiming;
    });
    expectCarriedOut(answer);
    expectReplay(await create(server, key), answer);
    expect(await references()).toBe(2);
  });

  test('executes a request once when the claim comes first and the purge skips the key', async () => {
    const key = await usedLongAgo();
    const claiming = await withClient(server.connection, async (client) => {
      await client.query('begin');
      // The request has claimed its key, and its batch waits for this lock.
      await client.query('lock table tenant_references in exclusive mode');
      const answer = create(server, key);
      await expect.poll(() => waitingForTables(server)).toBe(1);
      expect(await purge()).toBe(false);
      await client.query('rollback');
      return { answer };
    });
    const answer = await claiming.answer;
    expectCarriedOut(answer);
    await purge();
    expectReplay(await create(server, key), answer);
    expect(await references()).toBe(2);
  });

  test('executes each request once when two servers purge and serve at the same time', async () => {
    const other = await anotherServer(server, { overrides: { clock } });
    const rounds = 12;
    const keysOfARound = 8;
    for (let round = 0; round < rounds; round++) {
      const names = await seedExpiredKeys(keysOfARound);
      const claims = names.map((name) =>
        Promise.all([server, other, server, other].map((by) => create(by, { 'idempotency-key': name }))),
      );
      const purges = range(6).map((index) => purge([server, other][index % 2]));
      const answers = await Promise.all(claims);
      await Promise.all(purges);
      for (const [index, ofOneKey] of answers.entries()) {
        const executed = expectOneExecution(ofOneKey);
        expectReplay(await create(other, { 'idempotency-key': names[index]! }), executed);
      }
    }
    expect(await references()).toBe(rounds * keysOfARound);
  });
});

function create(by: TestServer, key: { 'idempotency-key': string }): Promise<ApiResponse> {
  return by.api.post('/v1/references', { application: 'app_1' }, key);
}

function makeApiKey(key: string): Promise<ApiResponse> {
  return server.api.post('/v1/api_keys', { type: 'secret' }, { 'idempotency-key': key });
}

function purge(by = server, at = clock): Promise<boolean> {
  return purgeIdempotencyKeys(by.context.database.readers, at.nowMs());
}

/** Creates a reference with a key that could be purged by now. */
async function usedLongAgo(): Promise<{ 'idempotency-key': string }> {
  const key = newKey();
  expectCarriedOut(await create(server, key));
  clock.advanceMs(day + purgedAfter);
  return key;
}

/** Inserts keys that could be purged by now, the oldest first. */
async function seedExpiredKeys(count: number): Promise<string[]> {
  const { rows } = await server.context.database.readers.query<{ key: string }>(
    `
    insert into idempotency_keys (account_id, key_account_id, key, fingerprint, request_id, claimed_at_ms)
    select id, id, 'expired ' || lpad(n::text, 4, '0'), '', 'req_' || n, $1::bigint + n
    from accounts, generate_series(1, $2) as n
    on conflict (account_id, key_account_id, key) do update set claimed_at_ms = excluded.claimed_at_ms
    returning key`,
    [clock.nowMs() - day - purgedAfter - count, count],
  );
  return rows.map(({ key }) => key);
}

async function storedKeys(): Promise<string[]> {
  const { rows } = await server.context.database.readers.query<{ key: string }>(
    'select key from idempotency_keys order by key',
  );
  return rows.map(({ key }) => key);
}

async function waitingForRows(): Promise<number> {
  const { rows } = await server.context.database.readers.query<{ count: number }>(`
    select count(*) from pg_stat_activity where datname = current_database() and wait_event = 'transactionid'`);
  return rows[0]!.count;
}

async function references(): Promise<number> {
  return (await server.api.get('/v1/references')).body.count;
}

function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}
