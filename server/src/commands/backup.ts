import { errorMessage } from '../core/errors.ts';
import { resolve } from 'node:path';
import { readArguments } from './arguments.ts';
import { readConfig } from '../server/config.ts';
import { DatabaseClock } from '../core/clock.ts';
import { pooledRandomBytes } from '../core/random.ts';
import { Encryption } from '../core/secrets/encryption.ts';
import { operatorCommand } from '../core/installation.ts';
import { withClient, type Connection } from '../db/pools.ts';
import { isOfDeployment, readMasterKeyCheck } from '../db/deployment.ts';
import { bytesOf, EmbeddedDatabaseError, takeBackup } from '../embedded-postgres/index.ts';
import { version } from '../server/version.ts';
import { dataDirOf, joinDatabase, readMasterKey } from '../server/storage.ts';

const help = `${operatorCommand('backup', '<folder>')}

Copies the embedded database of DATA_DIR into the folder, with its master key if DATA_DIR has it. The folder is created, or must be empty.
The server may run meanwhile.
`;

/** Copies the embedded database and its master key, for `npm run backup -- <folder>`. The server may run or not. */
async function main(stopping: AbortSignal): Promise<void> {
  const [folder] = readArguments(help, 1);
  if (!folder)
    throw new EmbeddedDatabaseError(
      `Say where to: ${operatorCommand('backup', '<folder>')}. The folder is created, or must be empty.`,
    );
  const config = readConfig(process.env, { needsMasterKey: false });
  const dataDir = dataDirOf(config);
  const database = await joinDatabase(config);
  try {
    // npm runs this in the project folder, not in the caller's.
    const target = resolve(process.env.INIT_CWD ?? '.', folder);
    const isInFolder = await isMasterKey(readMasterKey(dataDir), database.connection);
    const isInSettings = await isMasterKey(config.masterKey, database.connection);
    const source = { dataDir: database.place, connection: database.connection, hasMasterKey: isInFolder };
    const manifest = await takeBackup(source, target, { release: version, clock: new DatabaseClock() }, stopping);
    const size = `${Math.ceil(bytesOf(manifest) / 1e6)} MB in ${manifest.files.length} files`;
    process.stdout.write(
      `Backed up ${database.place} to ${target}: ${size}. All that was answered before ${manifest.ended_at} is in it.\n` +
        `${isInFolder ? keyIsIn : isInSettings ? keyIsInSettings : keyIsElsewhere}\n`,
    );
  } finally {
    await database.stop();
  }
}

const keyIsIn =
  'The master key is in it: a person who can read the backup can read everything. Protect it like the data.';
const keyIsInSettings =
  'The master key is not in it, but in TENURE_MASTER_KEY: keep that too. Nothing encrypted can be read without it.';
const keyIsElsewhere =
  'The master key is not in it, and neither beside the data nor in TENURE_MASTER_KEY: make sure that you have it. Nothing encrypted can be read without it.';

async function isMasterKey(key: Uint8Array | null, connection: Connection): Promise<boolean> {
  if (!key) return false;
  const check = await withClient(connection, readMasterKeyCheck);
  return check !== null && isOfDeployment(new Encryption(key, pooledRandomBytes()), check);
}

// Remove the copied files and stop a PostgreSQL that was started here. From a terminal the signal comes twice: npm passes it on.
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => stopping.abort(new EmbeddedDatabaseError('Interrupted: nothing was backed up.')));
}

main(stopping.signal).catch((error: unknown) => {
  process.stderr.write(`${errorMessage(error)}\n`);
  process.exit(1);
});
