import { resolve } from 'node:path';
import { readArguments } from './arguments.ts';
import { readConfig } from '../server/config.ts';
import { DatabaseClock } from '../core/clock.ts';
import { pooledRandomBytes } from '../core/random.ts';
import { Vault } from '../core/encryption.ts';
import { withClient, type Connection } from '../db/pools.ts';
import { isOfDeployment, readMasterKeyCheck } from '../db/deployment.ts';
import { bytesOf, EmbeddedDatabaseError, takeBackup } from '../embedded-postgres/index.ts';
import { version } from '../server/version.ts';
import { dataDirOf, joinDatabase, readMasterKey } from '../server/storage.ts';

const help = `npm run backup -- <folder>

Copies the embedded database of DATA_DIR, and its master key if it lies there, into the folder, which is made or must be empty.
The server may run meanwhile.
`;

/** `npm run backup -- <folder>`: copies the embedded database and its master key, whether the server runs or not. */
async function main(stopping: AbortSignal): Promise<void> {
  const [folder] = readArguments(help, 1);
  if (!folder)
    throw new EmbeddedDatabaseError('Say where to: npm run backup -- <folder>, which is made or must be empty.');
  const config = readConfig(process.env, { needsMasterKey: false });
  const dataDir = dataDirOf(config);
  const database = await joinDatabase(config);
  try {
    // npm runs this in the project, wherever it was called.
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
  'The master key is in it: whoever can read the backup can read everything, so keep it as closed as the data.';
const keyIsInSettings =
  'The master key is not in it, but in TENURE_MASTER_KEY: keep that too, since nothing encrypted can be read without it.';
const keyIsElsewhere =
  'The master key is not in it, and neither beside the data nor in TENURE_MASTER_KEY: see that you have it, since nothing encrypted can be read without it.';

async function isMasterKey(key: Uint8Array | null, connection: Connection): Promise<boolean> {
  const check = key && (await withClient(connection, readMasterKeyCheck));
  return check !== null && isOfDeployment(new Vault(key!, pooledRandomBytes()), check);
}

// In good order: what was copied is removed, and a PostgreSQL that was started for it is stopped. From a terminal the signal comes twice, by npm too.
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => stopping.abort(new EmbeddedDatabaseError('Interrupted: nothing was backed up.')));
}

main(stopping.signal).catch((error: unknown) => {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
});
