import { randomBytes } from 'node:crypto';
import { expect, inject, onTestFinished, test } from 'vitest';
import { MigrationError, migrate } from '../../src/db/migrate.ts';
import { withClient, type Connection } from '../../src/db/pools.ts';
import { databaseIn } from '../support/global-setup.ts';

test('names the command for the administrator when the role has no right to create an extension', async () => {
  const { name, connection } = await databaseWithPlainRole();
  const migrateAsRole = (): Promise<void> =>
    withClient(connection, async (client) => {
      await client.query(`set role ${name}`);
      await migrate(client);
    });
  const failed = await migrateAsRole().catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(MigrationError);
  expect((failed as Error).message).toBe(
    `The migration 0040_lettings needs the extension btree_gist of PostgreSQL, and the role ${name} has no right to create it. ` +
      `Let an administrator run this in the database ${name}, then start again: create extension btree_gist;`,
  );

  await withClient(connection, (client) => client.query('create extension btree_gist'));
  await migrateAsRole();
});

test('says what the operator can do when the database has run another text of a migration', async () => {
  const { connection } = await databaseWithPlainRole();
  await withClient(connection, async (client) => {
    await migrate(client);
    await client.query(`update schema_migrations set checksum = 'other' where version = 2`);
    await expect(migrate(client)).rejects.toThrow(
      new MigrationError(
        'The database has run another text of the migration 0002_accounts_and_api_keys than this Tenure has. ' +
          'Releases never change a migration. So either the files of this installation were changed, or a development build made the ' +
          'database. Nothing was changed now. Install the release again, and start it. If that fails, start the build that made the ' +
          'database, or restore a backup.',
      ),
    );
  });
});

/** Makes an empty database, and a role that owns nothing and may only create tables in it. Both have the same name. */
async function databaseWithPlainRole(): Promise<{ name: string; connection: Connection }> {
  const cluster = inject('cluster');
  const name = `plain_${randomBytes(8).toString('hex')}`;
  const connection = databaseIn(cluster, name);
  await withClient(cluster, async (client) => {
    await client.query(`create database ${name}`);
    await client.query(`create role ${name}`);
  });
  onTestFinished(() =>
    withClient(cluster, async (client) => {
      await client.query(`drop database ${name} with (force)`);
      await client.query(`drop role ${name}`);
    }),
  );
  await withClient(connection, (client) => client.query(`grant create on schema public to ${name}`));
  return { name, connection };
}
