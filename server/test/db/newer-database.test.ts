import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { withClient, type Connection } from '../../src/db/pools.ts';
import { processesForTest } from '../support/processes.ts';
import { apiClient, good } from '../support/server.ts';

/* Processes beside a database that a newer release has migrated. */

const newer = { breaking: '9002_breaking_names', additive: '9001_additive_colours' };
const refusal =
  'The database was migrated by a newer Tenure (it has 9002_breaking_names, which this one does not know). Start that newer release.';

test('goes on, and starts, when the newer migrations are additive, and ends with the reason when one is breaking', async () => {
  const processes = await processesForTest();
  const first = await processes.start({ TENURE_ROLE: 'api' });
  await migrateAs(processes.connection, newer.additive, 'alter table customers add column colour text');
  const second = await processes.start({ TENURE_ROLE: 'api' });
  for (const { url } of [first, second]) {
    const made = await good(apiClient(url, processes.secretKey).post('/v1/customers', { name: 'Ada Example' }));
    expect(made.body).not.toHaveProperty('colour');
  }
  // A process writes its log once a second.
  await expect
    .poll(() => readFileSync(second.logFile, 'utf8'))
    .toContain('A newer Tenure has migrated the database (9001_additive_colours). This one can serve it, too.');

  await migrateAs(processes.connection, newer.breaking, 'select');
  for (const one of [first, second]) {
    await expect.poll(() => one.process.exitCode).toBe(1);
    expect(readFileSync(one.logFile, 'utf8')).toContain(`\n${refusal}\n`);
  }
  await expect(processes.start({ TENURE_ROLE: 'api' })).rejects.toThrow(refusal);
});

/** Does what a newer release does at its start. */
function migrateAs(connection: Connection, name: string, sql: string): Promise<void> {
  return withClient(connection, async (client) => {
    await client.query(sql);
    await client.query('insert into schema_migrations (version, name, checksum) values ($1, $2, $3)', [
      Number(name.slice(0, 4)),
      name,
      'of the newer release',
    ]);
  });
}
