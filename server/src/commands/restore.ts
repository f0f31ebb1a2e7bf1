import { errorMessage } from '../core/errors.ts';
import { operatorCommand } from '../core/installation.ts';
import { resolve } from 'node:path';
import { readArguments } from './arguments.ts';
import { readConfig } from '../server/config.ts';
import { EmbeddedDatabaseError, restoreBackup } from '../embedded-postgres/index.ts';
import { dataDirOf, projectDir } from '../server/storage.ts';

const help = `${operatorCommand('restore', '<folder>')}

Puts the backup in the folder into DATA_DIR, which is created or must be empty. ${operatorCommand('start')} then serves it.
`;

/** Puts a backup into an empty DATA_DIR, for `npm run restore -- <folder>`. `npm start` then serves it. */
async function main(stopping: AbortSignal): Promise<void> {
  const [folder] = readArguments(help, 1);
  if (!folder)
    throw new EmbeddedDatabaseError(`Say from where: ${operatorCommand('restore', '<folder of the backup>')}.`);
  const dataDir = dataDirOf(readConfig(process.env, { needsMasterKey: false }));
  // npm runs this in the project folder, not in the caller's.
  const source = resolve(process.env.INIT_CWD ?? '.', folder);
  const manifest = await restoreBackup(source, dataDir, projectDir, stopping);
  process.stdout.write(
    `Restored ${dataDir}: all that was answered before ${manifest.ended_at} is in it. ${operatorCommand('start')} serves it; deliveries that were pending at the backup are sent again.\n`,
  );
  if (!manifest.has_master_key) {
    process.stdout.write(
      `Its master key is not in the backup: ${operatorCommand('start')} needs it in TENURE_MASTER_KEY.\n`,
    );
  }
}

// Remove the copied files and stop a PostgreSQL that was started to test them. From a terminal the signal comes twice: npm passes it on.
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => stopping.abort(new EmbeddedDatabaseError('Interrupted: nothing was restored.')));
}

main(stopping.signal).catch((error: unknown) => {
  process.stderr.write(`${errorMessage(error)}\n`);
  process.exit(1);
});
