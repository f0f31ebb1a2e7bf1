import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConfigError, newMasterKey, type Config } from './config.ts';
import { masterKeyLength } from '../core/encryption.ts';
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

/** A deployment's database, and how to be done with it. */
interface OpenDatabase {
  connection: Connection;
  /** For people: a folder, or the database's address without its password. */
  place: string;
  /** Stops what was started for it. */
  stop(): Promise<void>;
}

/** Where this deployment's data is, and what it is encrypted with. */
export interface Storage extends OpenDatabase {
  masterKey: Uint8Array;
}

export const projectDir = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Opens the database of the settings: the operator's own, or the embedded PostgreSQL, which is started. An embedded database that is
 * new gets a master key.
 *
 * @param onDatabaseLost told, in words for the log, when the embedded database died. It is started again by itself, unless that
 *   failed so often that it is given up.
 * @throws {EmbeddedDatabaseError} {@link MasterKeyError} with one line for the person who started the server.
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
    // Another key than the one it was made with would open nothing, and be taken for the right one later.
    if (await withClient(database.connection, readMasterKeyCheck)) throw missingMasterKey(database.place);
    return makeMasterKey(database.place);
  });
}

/** As `openStorage`, for a second process: an embedded database that is running is used and left running, and none is made. */
export async function joinStorage(config: Config): Promise<Storage> {
  if (config.databaseUrl !== null) return operatorsOwn(config, config.databaseUrl);
  const database = await joinDatabase(config);
  return withMasterKey(database, async () => {
    const key = config.masterKey ?? readMasterKey(database.place);
    if (key) return key;
    throw missingMasterKey(database.place);
  });
}

/** As `joinStorage`, for what needs no master key. */
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
 * Where the embedded database is, for what is done to its files.
 *
 * @throws {ConfigError} with DATABASE_URL: the files of the operator's own PostgreSQL are the operator's business.
 */
export function dataDirOf({ databaseUrl, dataDir }: Config): string {
  if (databaseUrl === null) return chooseDataDir(dataDir ?? undefined, projectDir);
  throw new ConfigError(
    'DATABASE_URL is set: this is for the embedded database. A PostgreSQL of your own is backed up and restored with its own tools, such as pg_basebackup.',
  );
}

function operatorsOwn(config: Config, databaseUrl: string): Storage {
  return {
    connection: { connectionString: databaseUrl },
    // The settings are refused without it.
    masterKey: config.masterKey!,
    place: placeOf(databaseUrl),
    stop: async () => {},
  };
}

/** Host and database only: an address may carry a password in more than one place. */
function placeOf(databaseUrl: string): string {
  const url = URL.parse(databaseUrl);
  return url?.host ? `${url.host}${url.pathname}` : 'the database of DATABASE_URL';
}

/** The driver would obey PGSSLMODE on a Unix socket too, where there is no TLS. */
function onSocket(connection: Connection): Connection {
  return { ...connection, ssl: false };
}

/**
 * The embedded database's master key lies beside it, where whoever can read the one can read the other; null if none does.
 *
 * @throws {EmbeddedDatabaseError} where something else is in its place.
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
  // Renamed into place, so that a start that is killed here leaves no half of a key.
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
