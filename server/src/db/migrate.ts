import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import type { Client } from 'pg';
import { errorMessage } from '../core/errors.ts';
import { migrateLockKey, withLock } from './advisory-locks.ts';

const sqlFolder = new URL('../../sql/', import.meta.url);
const migrationName = /^(\d{4})_[a-z0-9_]+\.sql$/;

interface Migration {
  version: number;
  name: string;
  sql: string;
  checksum: string;
}

/** The database cannot be migrated to this server's schema. The message says what to do. */
export class MigrationError extends Error {}

/**
 * Migrates the database to the newest schema: each missing migration in a transaction of its own, in order. Any number of processes may
 * call it at once.
 *
 * @throws {MigrationError} if the database is newer than this server, because the server does not know its rules.
 */
export async function migrate(client: Client): Promise<void> {
  const migrations = await readMigrations();
  await withLock(client, migrateLockKey, async () => {
    const applied = await readApplied(client);
    refuseForeign(migrations, applied);
    for (const migration of migrations) {
      if (!applied.has(migration.version)) await apply(client, migration);
    }
  });
}

/** Reads all migrations, in the order of their numbers. */
export async function readMigrations(): Promise<Migration[]> {
  const files = (await readdir(sqlFolder)).filter((file) => migrationName.test(file)).sort();
  return Promise.all(
    files.map(async (file) => {
      const sql = await readFile(new URL(file, sqlFolder), 'utf8');
      const checksum = createHash('sha256').update(sql).digest('hex');
      return { version: Number(file.slice(0, 4)), name: file.slice(0, -4), sql, checksum };
    }),
  );
}

async function readApplied(client: Client): Promise<Map<number, { name: string; checksum: string }>> {
  await client.query(`
    create table if not exists schema_migrations (
      version integer primary key,
      name text not null,
      checksum text not null
    )`);
  const { rows } = await client.query<{ version: number; name: string; checksum: string }>(
    'select version, name, checksum from schema_migrations order by version',
  );
  return new Map(rows.map((row) => [row.version, row]));
}

function refuseForeign(migrations: Migration[], applied: Map<number, { name: string; checksum: string }>): void {
  const known = new Map(migrations.map((migration) => [migration.version, migration]));
  for (const [version, { name, checksum }] of applied) {
    const migration = known.get(version);
    if (!migration) {
      throw new MigrationError(
        `The database was migrated by a newer Tenure (it has ${name}, which this one does not know). Start that newer release.`,
      );
    }
    if (migration.checksum !== checksum) {
      throw new MigrationError(
        `The database has run another text of the migration ${migration.name} than this Tenure has. Releases never change a migration. So either the files of this installation were changed, or a development build made the database. Nothing was changed now. Install the release again, and start it. If that fails, start the build that made the database, or restore a backup.`,
      );
    }
  }
}

async function apply(client: Client, migration: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query(migration.sql);
    await client.query('insert into schema_migrations (version, name, checksum) values ($1, $2, $3)', [
      migration.version,
      migration.name,
      migration.checksum,
    ]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw new MigrationError(
      (await adviceOnExtension(client, migration)) ??
        `The migration ${migration.name} failed: ${errorMessage(error)}. Nothing of it was kept.`,
      { cause: error },
    );
  }
}

interface ExtensionState {
  installed: boolean;
  available: boolean;
  allowed: boolean;
  database: string;
  role: string;
}

/** Returns what an administrator must do about an extension that the failed migration could not create. Returns null if there is none. */
async function adviceOnExtension(client: Client, { name, sql }: Migration): Promise<string | null> {
  const extension = /^create extension if not exists (\w+);/m.exec(sql)?.[1];
  if (extension === undefined) return null;
  const state = await readExtension(client, extension).catch(() => null);
  if (!state || state.installed || (state.available && state.allowed)) return null;
  const { database, role } = state;
  const needed = `The migration ${name} needs the extension ${extension} of PostgreSQL`;
  if (!state.available)
    return `${needed}, and this PostgreSQL does not have it. Install PostgreSQL's additional modules (often the package postgresql-contrib), then start again.`;
  return `${needed}, and the role ${role} has no right to create it. Let an administrator run this in the database ${database}, then start again: create extension ${extension};`;
}

async function readExtension(client: Client, extension: string): Promise<ExtensionState> {
  const { rows } = await client.query<ExtensionState>(
    `select
      exists (select from pg_extension where extname = $1) as installed,
      exists (select from pg_available_extensions where name = $1) as available,
      has_database_privilege(current_database(), 'create') as allowed,
      current_database() as database,
      current_user as role`,
    [extension],
  );
  return rows[0]!;
}
