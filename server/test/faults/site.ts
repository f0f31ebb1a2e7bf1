import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newMasterKey } from '../../src/server/config.ts';
import { makeKey } from '../../src/core/api-keys.ts';
import type { Connection } from '../../src/db/pools.ts';
import { startEmbeddedDatabase } from '../../src/embedded-postgres/index.ts';
import { startDatabaseProxy, type DatabaseProxy } from '../support/database-proxy.ts';
import { Deployment } from './crash-checker/deployment.ts';
import { kill, readPostmasterPid } from './crash-checker/processes.ts';

const projectDir = fileURLToPath(new URL('../../../', import.meta.url));

/** A PostgreSQL of one's own, and real server processes that reach it over a network in our hands. No test runner is needed. */
export interface Site {
  /** The way of the servers to their database. */
  network: DatabaseProxy;
  /** The database itself, beside that way. */
  connection: Connection;
  secretKey: string;
  servers: readonly Deployment[];
  /** Where the data and the logs are. */
  places: readonly string[];
  /** Ends the processes, and takes their files away unless they are wanted. */
  close(options?: { keepFiles?: boolean }): Promise<void>;
}

/**
 * Starts the database and chooses the places of the servers, which are to be started; the first of them alone, because it makes the tables
 * and the first account.
 *
 * @param options.servers what each is told by its environment beside what all are told.
 * @param options.settings of all servers.
 * @param options.program another one than the server's own.
 */
export async function openSite(options: {
  servers: readonly Record<string, string>[];
  settings?: Record<string, string>;
  program?: string;
}): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), 'tenure-site-'));
  // As root, PostgreSQL runs as somebody else, who must be able to enter.
  chmodSync(folder, 0o711);
  const database = await startEmbeddedDatabase({ dataDir: join(folder, 'data'), projectDir });
  // Whoever ends this process leaves no database behind.
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
