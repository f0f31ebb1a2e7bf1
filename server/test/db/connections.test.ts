import { PassThrough } from 'node:stream';
import pino from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase, withClient } from '../../src/db/pools.ts';
import { createTestDatabase } from '../support/server.ts';

/*
 * The log lines about database connections, for operators.
 */

const lost = 'an idle database connection was lost';

test('logs one line without any query text when a connection is lost', async () => {
  const { database, end, told } = await databaseForTest();
  await database.readers.query({ name: 'a_prepared_statement', text: 'select 1' });
  await end();
  await expect
    .poll(told)
    .toEqual([{ level: 40, code: '57P01', message: expect.stringContaining('terminat'), msg: lost }]);
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
  const written: unknown[] = [];
  lines.on('data', (line: Buffer) => written.push(JSON.parse(line.toString())));
  const end = () =>
    withClient(connection, (client) =>
      client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
      ),
    );
  return { database, end, told: () => written };
}
