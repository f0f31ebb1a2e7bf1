import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseError, type Client } from './pools.ts';
import { errorMessage } from '../core/errors.ts';
import { migrateLockKey, withLock } from './advisory-locks.ts';
import { onlyRow } from './only-row.ts';
import type { Reader } from './reader.ts';

const sqlFolder = new URL('../../sql/', import.meta.url);
/** `lock_not_available` and `deadlock_detected`. */
const lockNotFree = new Set(['55P03', '40P01']);
/** The oldest major version of PostgreSQL that Tenure works with. */
const oldestPostgres = 15;
const migrationName = /^(\d{4})_[a-z0-9_]+\.sql$/;

/**
 * The name of a migration that leaves everything as the release before it needs it. The database keeps the names. So the older release knows
 * it of migrations that it does not have.
 */
const additiveName = /^\d{4}_additive_/;

interface Migration {
  version: number;
  name: string;
  sql: string;
  checksum: string;
}

/** How a migration waits for a table that another transaction uses. Times are in milliseconds. */
export interface LockWaits {
  /**
   * Requests for the table queue behind a migration that waits. So it does not wait for long. But PostgreSQL ends an autovacuum that is in
   * the way only after `deadlock_timeout`, which is a second.
   */
  timeoutMs: number;
  /** Lets the queue behind the last try empty. */
  pauseMs: number;
  /** Tries for all migrations together. */
  triesMax: number;
  /** Gets a line for the log after the first try. */
  onWait: (message: string) => void;
  /** Gets a line for the log if the database has additive migrations of a newer release. */
  onNewer: (message: string) => void;
}

/** Four minutes in all. A dump of a small database takes less, and the start of a pod may take more (`deploy/kubernetes`). */
const defaultWaits: LockWaits = { timeoutMs: 1_500, pauseMs: 2_000, triesMax: 68, onWait: () => {}, onNewer: () => {} };

/** The database cannot be migrated to this server's schema. The message says what to do. */
export class MigrationError extends Error {}

/**
 * Migrates the database to the newest schema: each missing migration in a transaction of its own, in order. Any number of processes may
 * call it at once. A migration that finds a table in use tries again, so that it blocks no requests.
 *
 * @throws {MigrationError} if a newer release has made a breaking migration, because this server does not know its rules. Also if a table
 * stays in use, or if the database is older than PostgreSQL 15 or not in UTF8.
 */
export async function migrate(client: Client, waits: Partial<LockWaits> = {}): Promise<void> {
  const migrations = await readMigrations();
  const lockWaits = { ...defaultWaits, ...waits };
  let triesLeft = lockWaits.triesMax;
  await refuseOldPostgres(client);
  await refuseEncoding(client);
  await withLock(client, migrateLockKey, async () => {
    const applied = await readApplied(client);
    refuseChanged(migrations, applied);
    const newer = newerThan(
      migrations,
      [...applied.values()].map(({ name }) => name),
    );
    const fault = faultOfNewer(newer);
    if (fault !== null) throw new MigrationError(fault);
    if (newer.length > 0) {
      lockWaits.onNewer(`A newer Tenure has migrated the database (${newer.join(', ')}). This one can serve it, too.`);
    }
    for (const migration of migrations) {
      if (!applied.has(migration.version)) triesLeft = await apply(client, migration, lockWaits, triesLeft);
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

/** The migrations have syntax of PostgreSQL 15. An older one would refuse them in the middle, with a fault of syntax. */
async function refuseOldPostgres(client: Client): Promise<void> {
  const { rows } = await client.query<{ number: number; version: string }>(
    `select current_setting('server_version_num')::integer as number, current_setting('server_version') as version`,
  );
  const { number, version } = onlyRow(rows);
  if (number >= oldestPostgres * 10_000) return;
  throw new MigrationError(
    `The database is PostgreSQL ${version}, and Tenure needs version ${oldestPostgres} or newer. Upgrade PostgreSQL, or set DATABASE_URL to a newer one. Nothing was changed.`,
  );
}

/** Another encoding refuses some names, or compares the bytes of a name in place of its letters. */
async function refuseEncoding(client: Client): Promise<void> {
  const { rows } = await client.query<{ server_encoding: string }>('show server_encoding');
  const { server_encoding: encoding } = onlyRow(rows);
  if (encoding === 'UTF8') return;
  throw new MigrationError(
    `The database has the encoding ${encoding}, in which Tenure cannot store every name. Make another database for it: ` +
      `create database tenure template template0 encoding 'UTF8' locale 'C.UTF-8';`,
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

/** Returns those of the applied migrations that this release does not have. */
function newerThan(migrations: readonly Migration[], applied: readonly string[]): string[] {
  const known = new Set(migrations.map(({ version }) => version));
  return applied.filter((name) => !known.has(Number(name.slice(0, 4))));
}

/** Returns why this release cannot serve a database with these migrations of a newer one. Returns null if it can. */
function faultOfNewer(newer: readonly string[]): string | null {
  const breaking = newer.find((name) => !additiveName.test(name));
  return breaking === undefined
    ? null
    : `The database was migrated by a newer Tenure (it has ${breaking}, which this one does not know). Start that newer release.`;
}

/** Milliseconds between two looks at the migrations of the database. */
const watchEveryMs = 5_000;

/**
 * Looks again and again for a breaking migration of a newer release. A database that cannot be read now is looked at later.
 *
 * @param onBreaking is called once, with a message for the operator.
 * @param everyMs the milliseconds between two looks.
 */
export async function watchMigrations(
  reader: Reader,
  onBreaking: (message: string) => void,
  everyMs = watchEveryMs,
): Promise<{ stop(): void }> {
  const migrations = await readMigrations();
  const newest = Math.max(...migrations.map(({ version }) => version));
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    try {
      const rows = await reader.query<{ name: string }>({
        name: 'read_newer_migrations',
        text: 'select name from schema_migrations where version > $1 order by version',
        values: [newest],
      });
      const fault = faultOfNewer(rows.map(({ name }) => name));
      if (fault === null) return;
      clearInterval(timer);
      onBreaking(fault);
    } catch {
      // The next look finds it.
    } finally {
      isLooking = false;
    }
  };
  const timer = setInterval(() => void look(), everyMs);
  return { stop: () => clearInterval(timer) };
}

function refuseChanged(migrations: Migration[], applied: Map<number, { name: string; checksum: string }>): void {
  const known = new Map(migrations.map((migration) => [migration.version, migration]));
  for (const [version, { checksum }] of applied) {
    const migration = known.get(version);
    if (migration && migration.checksum !== checksum) {
      throw new MigrationError(
        `The database has run another text of the migration ${migration.name} than this Tenure has. Releases never change a migration. So either the files of this installation were changed, or a development build made the database. Nothing was changed now. Install the release again, and start it. If that fails, start the build that made the database, or restore a backup.`,
      );
    }
  }
}

/** Returns how many tries are left for the migrations after this one. */
async function apply(client: Client, migration: Migration, waits: LockWaits, tries: number): Promise<number> {
  let left = tries;
  for (let isFirst = true; !(await applyIfFree(client, migration, waits.timeoutMs)); isFirst = false) {
    if (--left === 0) {
      throw new MigrationError(
        `The migration ${migration.name} needs a table that other transactions used at each of ${waits.triesMax} tries. ` +
          'Nothing of it was kept. End them (see "Open transactions" in docs/guides/operations.md), then start again.',
      );
    }
    if (isFirst) waits.onWait(`The migration ${migration.name} waits until another transaction ends.`);
    await delay(waits.pauseMs);
  }
  return left;
}

/** Returns false, and keeps nothing, if a lock was not free in time. */
async function applyIfFree(client: Client, migration: Migration, lockTimeoutMs: number): Promise<boolean> {
  await client.query('begin');
  try {
    await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
    await client.query(migration.sql);
    await client.query('insert into schema_migrations (version, name, checksum) values ($1, $2, $3)', [
      migration.version,
      migration.name,
      migration.checksum,
    ]);
    await client.query('commit');
    return true;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    if (error instanceof DatabaseError && lockNotFree.has(error.code ?? '')) return false;
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
