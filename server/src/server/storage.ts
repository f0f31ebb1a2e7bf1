import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConfigError, newMasterKey, type Config } from './config.ts';
import { masterKeyLength } from '../core/secrets/encryption.ts';
import { isRelease } from '../core/installation.ts';
import { withClient, type Connection } from '../db/pools.ts';
import { MasterKeyError, readMasterKeyCheck } from '../db/deployment.ts';
import {
  chooseDataDir,
  EmbeddedDatabaseError,
  findRunningDatabase,
  hasDatabase,
  startEmbeddedDatabase,
  syncFolder,
} from '../embedded-postgres/index.ts';

/** The database of a deployment, opened. */
interface OpenDatabase {
  connection: Connection;
  /** For display: a folder, or the database's address without its password. */
  place: string;
  /** Stops a PostgreSQL that was started for it. */
  stop(): Promise<void>;
}

/** The database of a deployment, and the master key that encrypts its secrets. */
export interface Storage extends OpenDatabase {
  masterKey: Uint8Array;
}

/** The folder of the code: the repository, or the package of a release. */
export const projectDir = fileURLToPath(new URL('../../../', import.meta.url));

/** The folder of a relative DATA_DIR, and of the default one. An upgrade replaces the package of a release, so no data is kept there. */
const homeDir = isRelease ? process.cwd() : projectDir;

/**
 * Opens the database of the settings: the operator's own, or the embedded PostgreSQL, which is started. A new embedded database gets a
 * master key.
 *
 * @param onDatabaseLost gets a text for the log when the embedded database has died. The database is restarted, unless `givenUp` is true
 * because that has failed too often.
 * @throws {EmbeddedDatabaseError} {@link MasterKeyError} with one line for the operator.
 */
export async function openStorage(
  config: Config,
  onDatabaseLost: (detail: string, givenUp: boolean) => void,
): Promise<Storage> {
  if (config.databaseUrl !== null) return operatorsOwn(config, config.databaseUrl);
  const database = await startDatabase(dataDirOf(config), onDatabaseLost);
  return withMasterKey(database, async () => {
    const key = config.masterKey ?? readMasterKey(database.place);
    if (key) return key;
    // Do not make a new key for an old database. It would decrypt nothing, and later be mistaken for the right one.
    if (await withClient(database.connection, readMasterKeyCheck)) throw missingMasterKey(database.place);
    return makeMasterKey(database.place);
  });
}

/** Opens storage for a second process, as `openStorage` does. It uses a running embedded database, leaves it running, and makes none. */
export async function joinStorage(config: Config): Promise<Storage> {
  if (config.databaseUrl !== null) return operatorsOwn(config, config.databaseUrl);
  const database = await joinDatabase(config);
  return withMasterKey(database, async () => {
    const key = config.masterKey ?? readMasterKey(database.place);
    if (key) return key;
    throw missingMasterKey(database.place);
  });
}

/** Joins the database as `joinStorage` does, for a command that needs no master key. */
export async function joinDatabase(config: Config): Promise<OpenDatabase> {
  if (config.databaseUrl !== null) return operatorsOwn(config, config.databaseUrl);
  const dataDir = dataDirOf(config);
  const running = await findRunningDatabase(dataDir);
  if (running) return { connection: onSocket(running), place: dataDir, stop: async () => {} };
  if (hasDatabase(dataDir)) return startDatabase(dataDir, () => {});
  throw new EmbeddedDatabaseError(
    `There is no deployment in ${dataDir}: set DATA_DIR to the folder of the one you mean.`,
  );
}

async function startDatabase(
  dataDir: string,
  onUnexpectedExit: (detail: string, givenUp: boolean) => void,
): Promise<OpenDatabase> {
  const embedded = await startEmbeddedDatabase({ dataDir, projectDir, onUnexpectedExit });
  return { connection: onSocket(embedded.connection), place: embedded.dataDir, stop: () => embedded.stop() };
}

async function withMasterKey(database: OpenDatabase, find: () => Promise<Uint8Array>): Promise<Storage> {
  try {
    return { ...database, masterKey: await find() };
  } catch (error) {
    await database.stop();
    throw error;
  }
}

/**
 * Returns the folder of the embedded database, for work on its files.
 *
 * @throws {ConfigError} with DATABASE_URL: the operator looks after the files of their own PostgreSQL.
 */
export function dataDirOf({ databaseUrl, dataDir }: Config): string {
  if (databaseUrl === null) return chooseDataDir(dataDir ?? undefined, homeDir);
  throw new ConfigError(
    'DATABASE_URL is set: this is for the embedded database. Back up and restore your own PostgreSQL with its own tools, such as pg_basebackup.',
  );
}

function operatorsOwn(config: Config, databaseUrl: string): Storage {
  return {
    connection: { connectionString: databaseUrl },
    // The settings are rejected without it.
    masterKey: config.masterKey!,
    place: placeOf(databaseUrl),
    stop: async () => {},
  };
}

/** Returns host and database only: an address may contain a password in more than one place. */
function placeOf(databaseUrl: string): string {
  const url = URL.parse(databaseUrl);
  return url?.host ? `${url.host}${url.pathname}` : 'the database of DATABASE_URL';
}

/** Turns TLS off. The driver would obey PGSSLMODE on a Unix socket too, which has no TLS. */
function onSocket(connection: Connection): Connection {
  return { ...connection, ssl: false };
}

/**
 * Reads the embedded database's master key, or returns null if there is none. The key lies beside the data. A person with access to the one
 * has access to the other.
 *
 * @throws {EmbeddedDatabaseError} if the file holds something else.
 */
export function readMasterKey(dataDir: string): Uint8Array | null {
  const file = masterKeyFileIn(dataDir);
  if (!existsSync(file)) return null;
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64');
  if (key.length === masterKeyLength) return key;
  throw new EmbeddedDatabaseError(
    `${file} holds no master key: it must be ${masterKeyLength} bytes in base64. Restore it from a backup.`,
  );
}

function makeMasterKey(dataDir: string): Uint8Array {
  const file = masterKeyFileIn(dataDir);
  const key = newMasterKey();
  // Rename it into place, so that a killed start leaves no partial key.
  writeFileSync(`${file}.new`, `${key}\n`, { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
  syncFolder(dataDir);
  return Buffer.from(key, 'base64');
}

function missingMasterKey(dataDir: string): MasterKeyError {
  return new MasterKeyError(
    `The deployment in ${dataDir} needs the master key that it was made with: set TENURE_MASTER_KEY to it, or put it back as ${masterKeyFileIn(dataDir)}.`,
  );
}

function masterKeyFileIn(dataDir: string): string {
  return join(dataDir, 'master.key');
}
