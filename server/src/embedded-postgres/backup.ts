/**
 * Backs up a running PostgreSQL. Its files are copied between `pg_backup_start` and `pg_backup_stop`, while it keeps running. The
 * write-ahead log of that time is copied too. From both, PostgreSQL restores what was committed at the end (PostgreSQL, "Making a Base
 * Backup Using the Low Level API"). The package has no `pg_basebackup` and no `pg_dump`, and this needs neither.
 */
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { join, relative } from 'node:path';
import type { Clock } from '../core/clock.ts';
import { errorMessage } from '../core/errors.ts';
import { withClient, type Client, type Connection } from '../db/pools.ts';
import { copyFile, makeFolder, syncFolder, withEach } from './copy.ts';
import { EmbeddedDatabaseError, errorCode, isDiskFull } from './error.ts';
import { writeManifest, type BackedUpFile, type Manifest } from './manifest.ts';
import { onlyRow } from '../db/only-row.ts';

/** Folders whose contents PostgreSQL recreates. Only `pg_wal` gets files, at the end: the log of the time of the copy. */
const emptied = new Set(
  'pg_wal pg_replslot pg_dynshmem pg_notify pg_serial pg_snapshots pg_stat_tmp pg_subtrans'.split(' '),
);

/** Files of the running process, of an earlier copy, or of no use. */
const leftOut =
  /^(postmaster\.(pid|opts)|(backup_label|tablespace_map)(\.old)?|backup_manifest|current_logfiles.*|(standby|recovery)\.signal|pg_internal\.init.*|pgsql_tmp.*|.*\.tmp)$/;

/** The state of the whole cluster. It is copied last, so that it is never newer than the files it describes. */
const control = 'postgres/global/pg_control';

/**
 * Copies the database of `dataDir` into `folder`, with the deployment's master key if that lies beside it. The folder is created or must be
 * empty. The database keeps running. Everything that was answered before the manifest's `ended_at` is in the copy.
 *
 * @param stopping interrupts it, with its reason.
 * @returns the manifest, when the backup is durable.
 * @throws {EmbeddedDatabaseError} with one line for the operator. It leaves none of its copies in `folder`.
 */
export async function takeBackup(
  source: { dataDir: string; connection: Connection; hasMasterKey: boolean },
  folder: string,
  about: { release: string; clock: Clock },
  stopping: AbortSignal,
): Promise<Manifest> {
  const postgresDir = join(source.dataDir, 'postgres');
  stopping.throwIfAborted();
  makeEmptyFolder(folder, source.dataDir);
  const copy = new Copy(folder, stopping);
  try {
    const startedAtMs = about.clock.nowMs();
    const facts = await withClient(source.connection, (client) => copyCluster(client, postgresDir, copy, about.clock));
    if (source.hasMasterKey) await copy.file(join(source.dataDir, 'master.key'), 'master.key');
    copy.sync();
    const manifest: Manifest = {
      format: 1,
      release: about.release,
      ...facts,
      started_at: new Date(startedAtMs).toISOString(),
      has_master_key: source.hasMasterKey,
      folders: copy.folders,
      files: copy.files,
    };
    writeManifest(folder, manifest);
    return manifest;
  } catch (error) {
    copy.remove();
    throw inOneLine(error, folder);
  }
}

function makeEmptyFolder(folder: string, dataDir: string): void {
  if (!relative(dataDir, folder).startsWith('..')) {
    throw new EmbeddedDatabaseError(
      `The backup cannot be in ${dataDir} itself: name a folder elsewhere, best on another disk.`,
    );
  }
  try {
    makeFolder(folder, 0o700);
    if (fs.readdirSync(folder).length === 0) {
      fs.accessSync(folder, fs.constants.W_OK | fs.constants.X_OK);
      return;
    }
  } catch (error) {
    throw new EmbeddedDatabaseError(`${folder} cannot be written (${errorCode(error)}): name another folder.`);
  }
  throw new EmbeddedDatabaseError(`${folder} is not empty. Each backup has a folder of its own: name another one.`);
}

/** The files of a backup in progress. */
class Copy {
  readonly folder: string;
  readonly files: BackedUpFile[] = [];
  readonly folders: string[] = [];
  readonly #stopping: AbortSignal;

  constructor(folder: string, stopping: AbortSignal) {
    this.folder = folder;
    this.#stopping = stopping;
  }

  makeFolder(path: string): void {
    fs.mkdirSync(join(this.folder, path), { mode: 0o700 });
    this.folders.push(path);
  }

  async file(from: string, path: string): Promise<void> {
    this.files.push({ path, ...(await copyFile(from, join(this.folder, path), this.#stopping)) });
  }

  text(text: string, path: string): void {
    fs.writeFileSync(join(this.folder, path), text, { mode: 0o600, flag: 'wx', flush: true });
    this.files.push({
      path,
      bytes: Buffer.byteLength(text),
      sha256: createHash('sha256').update(text).digest('hex'),
    });
  }

  /** Makes the names of all copied files durable. */
  sync(): void {
    for (const path of ['.', ...this.folders]) syncFolder(join(this.folder, path));
  }

  /** Removes the copy. If no folder could be made, another backup is running, and the contents are its own. */
  remove(): void {
    if (this.folders.length === 0) return;
    for (const name of fs.readdirSync(this.folder))
      fs.rmSync(join(this.folder, name), { recursive: true, force: true });
  }
}

/** Copies the cluster in one session. The session holds the backup from start to end, and the slot that keeps the log. */
async function copyCluster(
  client: Client,
  postgresDir: string,
  copy: Copy,
  clock: Clock,
): Promise<Pick<Manifest, 'postgresql_version' | 'system_identifier' | 'ended_at' | 'start_lsn' | 'stop_lsn'>> {
  const facts = await first<{ migrated: boolean; version: number; system: string }>(
    client,
    `
    select
      to_regclass('deployment') is not null as migrated,
      current_setting('server_version_num')::integer as version,
      (select system_identifier::text from pg_control_system()) as system`,
  );
  if (!facts.migrated)
    throw new EmbeddedDatabaseError(`There is no deployment in ${postgresDir} yet: nothing to back up.`);
  const slot = `tenure_backup_${process.pid}`;
  await client.query('select pg_create_physical_replication_slot($1, true, true)', [slot]);
  const { start } = await first<{ start: string }>(client, `select pg_backup_start('tenure', true) as start`);
  const files = copyFolders(postgresDir, 'postgres', copy);
  await withEach(files, ({ from, path }) => copy.file(from, path).catch(unlessVanished));
  await copy.file(join(postgresDir, 'global/pg_control'), control);
  // Take the time before: a commit during the stop may come after the backup's end.
  const endedAtMs = clock.nowMs();
  const { stop, label } = await first<{ stop: string; label: string }>(
    client,
    'select lsn as stop, labelfile as label from pg_backup_stop()',
  );
  copy.text(label, 'postgres/backup_label');
  await withEach(await logBetween(client, start, stop), (segment) =>
    copy.file(join(postgresDir, 'pg_wal', segment), join('postgres/pg_wal', segment)),
  );
  return {
    postgresql_version: facts.version,
    system_identifier: facts.system,
    ended_at: new Date(endedAtMs).toISOString(),
    start_lsn: start,
    stop_lsn: stop,
  };
}

/** Makes the folders, and returns the files to copy. */
function copyFolders(from: string, to: string, copy: Copy): { from: string; path: string }[] {
  copy.makeFolder(to);
  const inCluster = relative('postgres', to);
  if (emptied.has(inCluster)) return [];
  return fs.readdirSync(from, { withFileTypes: true }).flatMap((entry) => {
    const file = { from: join(from, entry.name), path: join(to, entry.name) };
    if (leftOut.test(entry.name) || file.path === control) return [];
    if (entry.isDirectory() || emptied.has(entry.name)) return copyFolders(file.from, file.path, copy);
    if (entry.isFile()) return [file];
    throw new EmbeddedDatabaseError(
      `${file.from} leads out of the data folder: back up with pg_basebackup of PostgreSQL 18 instead.`,
    );
  });
}

/** Ignores a missing file: the log also drops a table or partition that is dropped during the copy. */
function unlessVanished(error: unknown): void {
  if (errorCode(error) !== 'ENOENT') throw error;
}

/** Returns the log files between two positions. The copy is useless if one of them is missing. */
async function logBetween(client: Client, start: string, stop: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `
    with segment as (select pg_size_bytes(current_setting('wal_segment_size')) as bytes)
    -- One byte into each segment: which segment a border belongs to depends on the release of PostgreSQL.
    select pg_walfile_name('0/0'::pg_lsn + number * bytes + 1) as name
    from segment
    cross join generate_series(div($1::pg_lsn - '0/0', bytes), div($2::pg_lsn - '0/0' - 1, bytes)) as number`,
    [start, stop],
  );
  return rows.map(({ name }) => name);
}

async function first<Row extends object>(client: Client, text: string): Promise<Row> {
  const { rows } = await client.query<Row>(text);
  return onlyRow(rows);
}

function inOneLine(error: unknown, folder: string): unknown {
  if (error instanceof EmbeddedDatabaseError) return error;
  if (isDiskFull(error)) {
    return new EmbeddedDatabaseError(
      `There is no room left for the backup in ${folder}: make room, or name another folder.`,
    );
  }
  const code = errorCode(error);
  if (/^(57P|08|ECONN|EPIPE)|^(Connection terminated|Client has encountered)/.test(code)) {
    return new EmbeddedDatabaseError(`The database was stopped during the backup (${code}): take another one.`);
  }
  return new EmbeddedDatabaseError(`The backup failed: ${errorMessage(error)}`, { cause: error });
}
