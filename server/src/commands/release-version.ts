import { errorMessage } from '../core/errors.ts';
import { operatorCommand } from '../core/installation.ts';
import { readArguments } from './arguments.ts';
import { readConfig } from '../server/config.ts';
import { withClient } from '../db/pools.ts';
import { releaseVersion } from '../db/latest-version.ts';
import { joinDatabase } from '../server/storage.ts';
import { apiVersions } from '../versions/index.ts';

const help = `${operatorCommand('release-version')}

Serves the newest version of the API that this release knows, in every process. This cannot be undone: run it when every process
runs this release.
`;

/**
 * Serves the newest API version that this release knows, for `npm run release-version`. A deployment of several processes runs it when all
 * of them run this release. A server with the embedded database does the same when it starts.
 */
async function main(): Promise<void> {
  readArguments(help);
  const database = await joinDatabase(readConfig(process.env, { needsMasterKey: false }));
  try {
    const newest = apiVersions[0].date;
    const latest = await withClient(database.connection, (client) => releaseVersion(client, newest));
    process.stdout.write(
      latest === newest
        ? `The latest version of the API is ${latest}, in every process within a second.\n`
        : `The latest version of the API is ${latest} already. This release knows none newer than ${newest}.\n`,
    );
  } finally {
    await database.stop();
  }
}

// The exit stops a PostgreSQL that was started here.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

main().catch((error: unknown) => {
  process.stderr.write(`${errorMessage(error)}\n`);
  process.exit(1);
});
