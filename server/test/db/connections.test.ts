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

test('sees each commit when the database has another isolation level by default', async () => {
  const { connection, database } = await databaseForTest();
  await withClient(connection, async (client) => {
    const { rows } = await client.query<{ name: string }>('select quote_ident(current_database()) as name');
    await client.query(`alter database ${rows[0]!.name} set default_transaction_isolation = 'serializable'`);
  });
  const { end: _, ...pools } = database;
  const levels = Object.values(pools).map(async (pool) => (await pool.query('show transaction_isolation')).rows[0]);
  const level = { transaction_isolation: 'read committed' };
  expect(await Promise.all(levels)).toEqual(Object.keys(pools).map(() => level));
  const single = await withClient(connection, (client) => client.query('show transaction_isolation'));
  expect(single.rows).toEqual([level]);
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
