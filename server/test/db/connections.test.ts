import { PassThrough } from 'node:stream';
import pino from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase, withClient } from '../../src/db/pools.ts';
import { createTestDatabase } from '../support/server.ts';

/*
 * The log lines about database connections, for operators.
 */

const lost = 'idle database connections were lost';

test('logs one line without any query text when all connections are lost', async () => {
  const { database, end, told } = await databaseForTest();
  const statement = { name: 'a_prepared_statement', text: 'select 1' };
  for (const pool of [database.readers, database.listers, database.writers]) await pool.query(statement);
  await end();
  // On a busy machine, they may not be lost together.
  const count = (): number => told().reduce((sum, { connections }) => sum + connections, 0);
  await expect.poll(count, { timeout: 20_000 }).toBe(3);
  const message = expect.stringContaining('terminat');
  for (const line of told())
    expect(line).toEqual({ level: 40, code: '57P01', message, connections: expect.any(Number), msg: lost });
});

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
  return { database, end, told: () => written };
}
