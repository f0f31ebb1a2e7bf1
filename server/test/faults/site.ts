import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newMasterKey } from '../../src/server/config.ts';
import { makeKey } from '../../src/core/secrets/api-keys.ts';
import type { Connection } from '../../src/db/pools.ts';
import { startEmbeddedDatabase } from '../../src/embedded-postgres/index.ts';
import { startDatabaseProxy, type DatabaseProxy } from '../support/database-proxy.ts';
import { Deployment } from './crash-checker/deployment.ts';
import { kill, readPostmasterPid } from './crash-checker/processes.ts';

const projectDir = fileURLToPath(new URL('../../../', import.meta.url));

/** A PostgreSQL and real server processes that reach it over a network that a test controls. Needs no test runner. */
export interface Site {
  /** The network between the servers and their database. */
  network: DatabaseProxy;
  /** The database itself, past that network. */
  connection: Connection;
  secretKey: string;
  servers: readonly Deployment[];
  /** The places of the data and the logs. */
  places: readonly string[];
  /** Ends the processes, and removes their files unless they are wanted. */
  close(options?: { keepFiles?: boolean }): Promise<void>;
}

/**
 * Starts the database and chooses the places of the servers. Start the first server alone, because it makes the tables and the first
 * account.
 * @param options.servers environment variables of each server.
 * @param options.settings of all servers.
 * @param options.program to run in place of the server's own.
 */
export async function openSite(options: {
  servers: readonly Record<string, string>[];
  settings?: Record<string, string>;
  program?: string;
}): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), 'tenure-site-'));
  // As root, PostgreSQL runs as another user, which needs access to the folder.
  chmodSync(folder, 0o711);
  const database = await startEmbeddedDatabase({ dataDir: join(folder, 'data'), projectDir });
  // The database ends with this process, at any end.
  const abandon = (): void => {
    const postmaster = readPostmasterPid(join(folder, 'data', 'postgres'));
    if (postmaster !== null) kill(postmaster, 'SIGQUIT');
  };
  process.once('exit', abandon);
  const network = await startDatabaseProxy(database.connection);
  const secretKey = makeKey('secret', 'sandbox', randomBytes);
  const { host, port, user, database: name } = network.connection;
  const settings = {
    DATABASE_URL: `postgres://${user}@${host}:${port}/${name}`,
    TENURE_MASTER_KEY: newMasterKey(),
    ...options.settings,
  };
  const servers: Deployment[] = [];
  for (const own of options.servers) {
    const program = options.program && { program: options.program };
    servers.push(await Deployment.create({ secretKey, settings: { ...settings, ...own }, ...program }));
  }
  return {
    network,
    connection: database.connection,
    secretKey,
    servers,
    places: [folder, ...servers.map(({ logFile }) => logFile)],
    async close({ keepFiles = false } = {}) {
      await Promise.all(servers.map((server) => server.remove({ keepFiles })));
      await network.stop();
      await database.stop();
      process.off('exit', abandon);
      if (!keepFiles) rmSync(folder, { recursive: true, force: true });
    },
  };
}
