import { resolve } from 'node:path';
import { readConfig } from './config.ts';
import { EmbeddedDatabaseError, restoreBackup } from './db/embedded/index.ts';
import { dataDirOf, projectDir } from './storage.ts';

/** `npm run restore -- <folder>`: puts a backup into an empty DATA_DIR, for `npm start`. */
async function main(folder: string | undefined): Promise<void> {
  if (!folder) throw new EmbeddedDatabaseError('Say from where: npm run restore -- <folder of the backup>.');
  const dataDir = dataDirOf(readConfig(process.env));
  // npm runs this in the project, wherever it was called.
  const source = resolve(process.env.INIT_CWD ?? '.', folder);
  const manifest = await restoreBackup(source, dataDir, projectDir);
  process.stdout.write(
    `Restored ${dataDir} as it was at ${manifest.ended_at}. npm start serves it; deliveries that were pending then are sent again.\n`,
  );
  if (!manifest.has_master_key) {
    process.stdout.write('Its master key was in TENURE_MASTER_KEY, and must be there again.\n');
  }
}

// In good order, so that a PostgreSQL that was started to try the copy does not go on alone.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

main(process.argv[2]).catch((error: unknown) => {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
});
