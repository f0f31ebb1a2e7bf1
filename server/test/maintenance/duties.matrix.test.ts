import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { withClient } from '../../src/db/pools.ts';
import { startDuties, type Duties } from '../../src/maintenance/scheduler.ts';
import { openLog } from '../../src/server/log.ts';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { waitingForTables } from '../support/idempotency.ts';
import { serverForTest, type TestServer } from '../support/server.ts';

const backlog = 50_000;

let server: TestServer;

beforeEach(async () => {
  server = await serverForTest();
});

describe('a backlog of expired idempotency keys', () => {
  beforeEach(async () => {
    await server.context.database.readers.query(
      `
      insert into idempotency_keys (account_id, key_account_id, key, fingerprint, request_id, claimed_at_ms)
      select 'acct_1', 'acct_1', md5(n::text), '', 'req_' || n, n
      from generate_series(1, $1) as n`,
      [backlog],
    );
  });

  test('purges a backlog in about a tenth of the time, and folds counts meanwhile, when duties run', async () => {
    const purges = timePurges();
    await unfoldedCounts();
    start();
    await expect.poll(grownCounts, { interval: 20 }).toBe(false);
    expect(await keysLeft()).toBeGreaterThan(0);
    await expect.poll(keysLeft, { interval: 50 }).toBe(0);
    expect(purges.length).toBeGreaterThanOrEqual(backlog / 1_000);
    const spentMs = purges.reduce((sum, { beganMs, endedMs }) => sum + endedMs - beganMs, 0);
    const lastedMs = purges.at(-1)!.endedMs - purges[0]!.beganMs;
    expect(spentMs / lastedMs).toBeLessThan(0.15);
    // Rests of the same length, which a busy machine prolongs as much. Two thousand keys can expire in a second, so a rest may be twice
    // as long.
    const restedMs = (await Promise.all(purges.map(({ rest }) => rest))).reduce((sum, ms) => sum + ms, 0);
    expect(lastedMs).toBeLessThan(2 * (spentMs + restedMs));
  });

  test('stops without a delay when duties are running', async () => {
    const duties = start();
    await expect.poll(keysLeft, { interval: 5 }).toBeLessThan(backlog);
    const startedMs = performance.now();
    await duties.stop();
    expect(performance.now() - startedMs).toBeLessThan(20_000);
    const left = await keysLeft();
    expect(left).toBeGreaterThan(0);
    // No purge continues after the stop.
    await delay(200);
    expect(await keysLeft()).toBe(left);
  });
});

test('runs other duties when a purge is blocked', async () => {
  await withClient(server.connection, async (client) => {
    await client.query('begin');
    await client.query('lock table idempotency_keys in exclusive mode');
    const duties = start();
    await expect.poll(() => waitingForTables(server)).toBe(1);
    // After the first round, so that this fold comes after the purge.
    await unfoldedCounts();
    await expect.poll(grownCounts).toBe(false);
    expect(await waitingForTables(server)).toBe(1);
    await client.query('rollback');
    await duties.stop();
  });
});

test('log one line without a stack when the database is away, and the stack of any other fault', async () => {
  const proxy = await startDatabaseProxy(server.connection);
  onTestFinished(() => proxy.stop());
  const cutOff = await serverForTest({ connection: proxy.connection, secretKey: server.secretKey });
  const lines: { duty?: string; err: { message: string } }[] = [];
  const outages = () => lines.filter(({ duty, err }) => duty !== undefined && err.message !== 'planted');
  const log = openLog('warn', { write: (line) => void lines.push(JSON.parse(line)) });
  const duties = startDuties({
    ...cutOff.context,
    log,
    writeUses: () => Promise.reject(new TypeError('planted')),
  });
  onTestFinished(async () => {
    proxy.open();
    await duties.stop();
  });
  await expect.poll(() => lines.length).toBe(1);
  proxy.close();
  // Connections are lost at first. Later ones cannot be made.
  await expect.poll(() => outages().length).toBeGreaterThan(10);
  expect(lines[0]).toMatchObject({
    duty: 'write key uses',
    err: { message: 'planted', stack: expect.stringContaining('TypeError: planted') },
  });
  expect(outages().filter(({ err }) => 'stack' in err)).toEqual([]);
  // A connection that cannot be made, whether or not a pool has wrapped its error.
  expect(outages().at(-1)!.err).toMatchObject({
    code: expect.any(String),
    message: expect.stringMatching(/ECONN|closed/),
  });
});

/** Starts duties that stop with the test. */
function start(): Duties {
  const { context } = server;
  const duties = startDuties({ ...context, writeUses: (pool) => context.keyUses.write(pool) });
  onTestFinished(() => duties.stop());
  return duties;
}

/** Creates records one after the other, so that their counts have several rows. */
async function unfoldedCounts(): Promise<void> {
  for (const _ of Array.from({ length: 3 })) await server.api.post('/v1/references', { application: 'app_1' });
  expect(await grownCounts()).toBe(true);
}

/** Tells whether some count has more than one row. */
async function grownCounts(): Promise<boolean> {
  const { rows } = await server.context.database.readers.query(`
    select 1
    from count_deltas
    group by account_id, object, dimension, value
    having count(*) > 1`);
  return rows.length > 0;
}

async function keysLeft(): Promise<number> {
  const { rows } = await server.context.database.readers.query<{ count: number }>(
    `select count(*) from idempotency_keys`,
  );
  return rows[0]!.count;
}

interface Purge {
  beganMs: number;
  endedMs: number;
  /** Resolves nine times as long afterwards, with the milliseconds that this took. */
  rest: Promise<number>;
}

/** From now on, records each purge of keys. */
function timePurges(): Purge[] {
  const { readers } = server.context.database;
  const query = readers.query.bind(readers);
  const purges: Purge[] = [];
  Object.assign(readers, {
    async query(statement: { name: string; text: string }, ...rest: unknown[][]) {
      const beganMs = performance.now();
      const result = await query(statement, ...rest);
      if (statement.name !== 'purge_keys') return result;
      const endedMs = performance.now();
      purges.push({
        beganMs,
        endedMs,
        rest: delay(9 * (endedMs - beganMs)).then(() => performance.now() - endedMs),
      });
      return result;
    },
  });
  return purges;
}
