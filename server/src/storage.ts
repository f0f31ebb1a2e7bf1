import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newMasterKey, type Config } from './config.ts';
import { masterKeyLength } from './core/vault.ts';
import type { Connection } from './db/database.ts';
import { chooseDataDir, EmbeddedDatabaseError, findRunningDatabase, startEmbeddedDatabase } from './db/embedded.ts';

/** Where this deployment's data is. */
export interface Storage {
  connection: Connection;
  masterKey: Uint8Array;
  /** For people: a folder, or the database's address without its password. */
  place: string;
  /** Stops what was started for it. */
  stop(): Promise<void>;
}

const projectDir = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Opens the database of the settings: the operator's own, or the embedded PostgreSQL, which is started.
 *
 * @param onDatabaseLost told, in words for the log, when the embedded database died; it is started again by itself.
 * @throws {EmbeddedDatabaseError} with one line for the person who started the server.
 */
export async function openStorage(config: Config, onDatabaseLost: (detail: string) => void): Promise<Storage> {
  if (config.databaseUrl !== null) return operatorsOwn(config, config.databaseUrl);
  const dataDir = chooseDataDir(config.dataDir ?? undefined, projectDir);
  const embedded = await startEmbeddedDatabase({ dataDir, projectDir, onUnexpectedExit: onDatabaseLost });
  try {
    const masterKey = config.masterKey ?? readOrMakeMasterKey(embedded.dataDir);
    return { connection: embedded.connection, masterKey, place: embedded.dataDir, stop: () => embedded.stop() };
  } catch (error) {
    await embedded.stop();
    throw error;
  }
}

/** As `openStorage`, for a second process: an embedded database that is running is used and left running. */
export async function joinStorage(config: Config): Promise<Storage> {
  if (config.databaseUrl === null) {
    const dataDir = chooseDataDir(config.dataDir ?? undefined, projectDir);
    const connection = await findRunningDatabase(dataDir);
    if (connection) {
      return {
        connection,
        masterKey: config.masterKey ?? readOrMakeMasterKey(dataDir),
        place: dataDir,
        stop: async () => {},
      };
    }
  }
  return openStorage(config, () => {});
}

function operatorsOwn(config: Config, databaseUrl: string): Storage {
  return {
    connection: { connectionString: databaseUrl },
    // The settings are refused without it.
    masterKey: config.masterKey!,
    place: databaseUrl.replace(/:[^:@/]*@/, ':****@'),
    stop: async () => {},
  };
}

/** The embedded database's master key lies beside it: whoever can read the one can read the other. */
function readOrMakeMasterKey(dataDir: string): Uint8Array {
  const file = join(dataDir, 'master.key');
  if (!existsSync(file)) {
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(file, `${newMasterKey()}\n`, { mode: 0o600, flag: 'wx' });
  }
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64');
  if (key.length === masterKeyLength) return key;
  throw new EmbeddedDatabaseError(
    `${file} holds no master key: it must be ${masterKeyLength} bytes in base64. Restore it from a backup.`,
  );
}
