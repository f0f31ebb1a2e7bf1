import { PassThrough } from 'node:stream';
import pino from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openDatabase, query, UnavailableError, withClient } from '../../src/db/pools.ts';
import { createTestDatabase } from '../support/server.ts';

/*
 * The connections to the database: their log lines for operators, their settings, and their faults.
 */

const lost = 'idle database connections were lost';

test('logs one line without any query text when all connections are lost', async () => {
  const { database, end, told } = await databaseForTest();
  const statement = { name: 'a_prepared_statement', text: 'select 1' };
  const pools = [database.readers, database.listers, database.writers];
  for (const pool of pools) await pool.query(statement);
  // The line waits for further losses until the test lets its time pass.
  const write = holdTimersOf(1_000);
  await end();
  await expect.poll(() => pools.map(({ totalCount }) => totalCount)).toEqual([0, 0, 0]);
  write();
  const message = expect.stringContaining('terminat');
  await expect.poll(told).toEqual([{ level: 40, code: '57P01', message, connections: 3, msg: lost }]);
});

test.each([
  ['transaction_isolation', 'default_transaction_isolation', 'serializable', 'read committed'],
  ['array_nulls', 'array_nulls', 'off', 'on'],
])('sets its own %s when the database has another default', async (shown, setting, value, expected) => {
  const { connection, database } = await databaseForTest();
  await withClient(connection, async (client) => {
    const { rows } = await client.query<{ name: string }>('select quote_ident(current_database()) as name');
    await client.query(`alter database ${rows[0]!.name} set ${setting} = '${value}'`);
  });
  const { end: _, ...pools } = database;
  const ours = Object.values(pools).map(async (pool) => (await pool.query(`show ${shown}`)).rows[0]);
  expect(await Promise.all(ours)).toEqual(Object.keys(pools).map(() => ({ [shown]: expected })));
  const single = await withClient(connection, (client) => client.query(`show ${shown}`));
  expect(single.rows).toEqual([{ [shown]: expected }]);
});

test.each(['40P01', '40001', '58030'])(
  'counts a read as unavailable when PostgreSQL fails it with %s',
  async (code) => {
    const { database } = await databaseForTest();
    const failing = query(database.readers, `do $$ begin raise exception using errcode = '${code}'; end $$`);
    await expect(failing).rejects.toBeInstanceOf(UnavailableError);
  },
);

/** Holds timers of so many milliseconds. The returned function calls them. */
function holdTimersOf(heldMs: number): () => void {
  const held: (() => void)[] = [];
  const setUsual = globalThis.setTimeout;
  const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((callback: () => void, ms?: number) => {
    if (ms !== heldMs) return setUsual(callback, ms);
    held.push(callback);
    return setUsual(() => {}, 0);
  }) as typeof setTimeout);
  onTestFinished(() => spy.mockRestore());
  return () => {
    spy.mockRestore();
    for (const callback of held) callback();
  };
}

/** Opens a database whose connections can be ended from outside, and collects its log lines. */
async function databaseForTest() {
  const { connection, drop } = await createTestDatabase();
  const lines = new PassThrough();
  const log = pino({ base: null, timestamp: false }, lines);
  const database = openDatabase(connection, log);
  onTestFinished(async () => {
    await database.end();
    await drop();
  });
  const written: { connections: number }[] = [];
  lines.on('data', (line: Buffer) => written.push(JSON.parse(line.toString())));
  const end = () =>
    withClient(connection, (client) =>
      client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
      ),
    );
  return { connection, database, end, told: () => written };
}
