import { resolve } from 'node:path';
import { readConfig } from './config.ts';
import { DatabaseClock } from './core/clock.ts';
import { bytesOf, EmbeddedDatabaseError, hasDatabase, takeBackup } from './db/embedded/index.ts';
import { version } from './product.ts';
import { dataDirOf, joinStorage } from './storage.ts';

/** `npm run backup -- <folder>`: copies the embedded database and its master key, whether the server runs or not. */
async function main(folder: string | undefined): Promise<void> {
  if (!folder)
    throw new EmbeddedDatabaseError('Say where to: npm run backup -- <folder>, which is made or must be empty.');
  const config = readConfig(process.env);
  const dataDir = dataDirOf(config);
  if (!hasDatabase(dataDir)) {
    throw new EmbeddedDatabaseError(
      `There is no deployment in ${dataDir}: set DATA_DIR to the folder of the one to back up.`,
    );
  }
  const storage = await joinStorage(config);
  try {
    // npm runs this in the project, wherever it was called.
    const target = resolve(process.env.INIT_CWD ?? '.', folder);
    const source = { dataDir: storage.place, connection: storage.connection };
    const manifest = await takeBackup(source, target, { release: version, clock: new DatabaseClock() });
    const size = `${Math.ceil(bytesOf(manifest) / 1e6)} MB in ${manifest.files.length} files`;
    process.stdout.write(
      `Backed up ${storage.place} to ${target}: ${size}, as it was at ${manifest.ended_at}.\n${aboutKey(manifest)}\n`,
    );
  } finally {
    await storage.stop();
  }
}

function aboutKey({ has_master_key: hasKey }: { has_master_key: boolean }): string {
  return hasKey
    ? 'The master key is in it: whoever can read the backup can read everything, so keep it as closed as the data.'
    : 'The master key is not in it, but in TENURE_MASTER_KEY: keep that too, since nothing encrypted can be read without it.';
}

// In good order, so that a PostgreSQL that was started for it does not go on alone.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

main(process.argv[2]).catch((error: unknown) => {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
});
