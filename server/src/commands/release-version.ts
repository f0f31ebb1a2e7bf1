import { readArguments } from './arguments.ts';
import { readConfig } from '../server/config.ts';
import { withClient } from '../db/pools.ts';
import { releaseVersion } from '../db/latest-version.ts';
import { joinDatabase } from '../server/storage.ts';
import { apiVersions } from '../versions/index.ts';

const help = `npm run release-version

Serves the newest version of the API that this release knows, in every process. It cannot be taken back: run it when every process
runs this release.
`;

/**
 * `npm run release-version`: serves the newest version of the API that this release knows. For a deployment of several processes,
 * when all of them run this release; a server with the embedded database does it at its start.
 */
async function main(): Promise<void> {
  readArguments(help);
  const database = await joinDatabase(readConfig(process.env, { needsMasterKey: false }));
  try {
    const newest = apiVersions[0]!.date;
    const latest = await withClient(database.connection, (client) => releaseVersion(client, newest));
    process.stdout.write(
      latest === newest
        ? `The latest version of the API is ${latest}, in every process within a second.\n`
        : `The latest version of the API is ${latest} already; this release knows none that is newer than ${newest}.\n`,
    );
  } finally {
    await database.stop();
  }
}

// A PostgreSQL that was started for it is stopped at the exit.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

main().catch((error: unknown) => {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
});
