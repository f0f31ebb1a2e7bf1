import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConfigError, newMasterKey, type Config } from './config.ts';
import { masterKeyLength } from './core/vault.ts';
import type { Connection } from './db/database.ts';
import {
  chooseDataDir,
  EmbeddedDatabaseError,
  findRunningDatabase,
  startEmbeddedDatabase,
} from './db/embedded/index.ts';

/** Where this deployment's data is. */
export interface Storage {
  connection: Connection;
  masterKey: Uint8Array;
  /** For people: a folder, or the database's address without its password. */
  place: string;
  /** Stops what was started for it. */
  stop(): Promise<void>;
}

export const projectDir = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Opens the database of the settings: the operator's own, or the embedded PostgreSQL, which is started.
 *
 * @param onDatabaseLost told, in words for the log, when the embedded database died. It is started again by itself, unless that
 *   failed so often that it is given up.
 * @throws {EmbeddedDatabaseError} with one line for the person who started the server.
 */
export async function openStorage(
  config: Config,
  onDatabaseLost: (detail: string, givenUp: boolean) => void,
): Promise<Storage> {
  if (config.databaseUrl !== null) return operatorsOwn(config, config.databaseUrl);
  const dataDir = dataDirOf(config);
  const embedded = await startEmbeddedDatabase({ dataDir, projectDir, onUnexpectedExit: onDatabaseLost });
  try {
    const masterKey = config.masterKey ?? readOrMakeMasterKey(embedded.dataDir);
    return {
      connection: onSocket(embedded.connection),
      masterKey,
      place: embedded.dataDir,
      stop: () => embedded.stop(),
    };
  } catch (error) {
    await embedded.stop();
    throw error;
  }
}

/** As `openStorage`, for a second process: an embedded database that is running is used and left running. */
export async function joinStorage(config: Config): Promise<Storage> {
  if (config.databaseUrl === null) {
    const dataDir = dataDirOf(config);
    const connection = await findRunningDatabase(dataDir);
    if (connection) {
      return {
        connection: onSocket(connection),
        masterKey: config.masterKey ?? readOrMakeMasterKey(dataDir),
        place: dataDir,
        stop: async () => {},
      };
    }
  }
  return openStorage(config, () => {});
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

/** The embedded database's master key lies beside it: whoever can read the one can read the other. */
function readOrMakeMasterKey(dataDir: string): Uint8Array {
  const file = join(dataDir, 'master.key');
  if (!existsSync(file)) {
    // Renamed into place, so that a start that is killed here leaves no half of a key.
    writeFileSync(`${file}.new`, `${newMasterKey()}\n`, { mode: 0o600, flush: true });
    renameSync(`${file}.new`, file);
  }
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64');
  if (key.length === masterKeyLength) return key;
  throw new EmbeddedDatabaseError(
    `${file} holds no master key: it must be ${masterKeyLength} bytes in base64. Restore it from a backup.`,
  );
}
