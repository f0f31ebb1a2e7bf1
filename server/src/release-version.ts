import { readConfig } from './config.ts';
import { withClient } from './db/database.ts';
import { releaseVersion } from './db/latest-version.ts';
import { joinDatabase } from './storage.ts';
import { apiVersions } from './versions/index.ts';

/**
 * `npm run release-version`: serves the newest version of the API that this release knows. For a deployment of several processes,
 * when all of them run this release; a server with the embedded database does it at its start.
 */
async function main(): Promise<void> {
  const database = await joinDatabase(readConfig(process.env));
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

main().catch((error: unknown) => {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
});
