import { randomBytes } from 'node:crypto';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { MigrationError, migrate } from '../../src/db/migrate.ts';
import { withClient, type Client, type Connection } from '../../src/db/pools.ts';
import { databaseIn } from '../support/global-setup.ts';
import { createTestDatabase } from '../support/server.ts';

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

test.each(['LATIN1', 'SQL_ASCII'])(
  'refuses the database and changes nothing when its encoding is %s',
  async (encoding) => {
    const name = `t_${randomBytes(6).toString('hex')}`;
    const cluster = inject('cluster');
    await withClient(cluster, (client) =>
      client.query(`create database ${name} template template0 encoding '${encoding}' locale 'C'`),
    );
    onTestFinished(() => withClient(cluster, async (client) => void (await client.query(`drop database ${name}`))));
    await withClient(databaseIn(cluster, name), async (client) => {
      await expect(migrate(client)).rejects.toThrow(
        new MigrationError(
          `The database has the encoding ${encoding}, in which Tenure cannot store every name. Make another database for it: ` +
            `create database tenure template template0 encoding 'UTF8' locale 'C.UTF-8';`,
        ),
      );
      const { rows } = await client.query(`select from pg_tables where schemaname = 'public'`);
      expect(rows).toEqual([]);
    });
  },
);

test('refuses the database and changes nothing when PostgreSQL is older than 15', async () => {
  const { connection } = await databaseWithPlainRole();
  await withClient(connection, async (client) => {
    await client.query(versionOf14);
    await expect(migrate(client)).rejects.toThrow(
      new MigrationError(
        'The database is PostgreSQL 14.12, and Tenure needs version 15 or newer. Upgrade PostgreSQL, or set DATABASE_URL to a newer one. ' +
          'Nothing was changed.',
      ),
    );
    const { rows } = await client.query(`select from pg_tables where schemaname in ('public', 'older')`);
    expect(rows).toEqual([]);
  });
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

describe('a long transaction that uses a table', () => {
  test('blocks no reads while a migration waits, and the migration runs when the transaction has ended', async () => {
    const connection = await databaseBeforeLastMigration();
    const lines: string[] = [];
    await withClient(connection, async (holder) => {
      await holder.query('begin');
      await holder.query('select from count_deltas limit 1');
      const waits = { timeoutMs: 200, pauseMs: 20, triesMax: Infinity, onWait: (line: string) => lines.push(line) };
      const migrated = withClient(connection, (client) => migrate(client, waits));
      await withClient(connection, async (reader) => {
        for (let seen = 0; seen < 3; seen++) {
          await expect.poll(() => waitsForTable(reader)).toBe(true);
          await reader.query('select from count_deltas limit 1');
        }
        expect(await lastMigrations(reader)).not.toContain('0076_replica_identity');
      });
      await holder.query('commit');
      await migrated;
    });
    expect(lines).toEqual(['The migration 0076_replica_identity waits until another transaction ends.']);
    expect(await withClient(connection, lastMigrations)).toContain('0076_replica_identity');
  });

  test('ends the start with advice when it outlasts all tries, and keeps nothing of the migration', async () => {
    const connection = await databaseBeforeLastMigration();
    await withClient(connection, async (holder) => {
      await holder.query('begin');
      await holder.query('select from count_deltas limit 1');
      const waits = { timeoutMs: 10, pauseMs: 1, triesMax: 3 };
      const failed = await withClient(connection, (client) => migrate(client, waits)).catch((error: unknown) => error);
      expect(failed).toBeInstanceOf(MigrationError);
      expect((failed as Error).message).toBe(
        'The migration 0076_replica_identity needs a table that other transactions used at each of 3 tries. ' +
          'Nothing of it was kept. End them (see "Open transactions" in docs/guides/operations.md), then start again.',
      );
    });
    await withClient(connection, (client) => migrate(client));
  });
});

/** Lets PostgreSQL say on this connection that it is older. */
const versionOf14 = `
  create schema older;
  create function older.current_setting(name text) returns text language sql as $$
    select case name when 'server_version_num' then '140012' when 'server_version' then '14.12' end
  $$;
  set search_path = older, pg_catalog, public`;

/** Makes a database that lacks a migration, which locks two tables. Running it again changes nothing. */
async function databaseBeforeLastMigration(): Promise<Connection> {
  const { connection, drop } = await createTestDatabase();
  onTestFinished(drop);
  await withClient(connection, (client) => client.query('delete from schema_migrations where version = 76'));
  return connection;
}

async function waitsForTable(client: Client): Promise<boolean> {
  const { rows } = await client.query(
    `select from pg_locks where relation = 'count_deltas'::regclass and not granted and mode = 'AccessExclusiveLock'`,
  );
  return rows.length > 0;
}

async function lastMigrations(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>('select name from schema_migrations where version >= 76');
  return rows.map(({ name }) => name);
}

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
