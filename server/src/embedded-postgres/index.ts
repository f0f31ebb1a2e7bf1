/**
 * The embedded database: a real PostgreSQL of our own, for installations that bring none.
 *
 * One data folder belongs to one Tenure. Its owner starts PostgreSQL, and holds an advisory lock for as long as it lives. It restarts a
 * PostgreSQL that dies, and stops it at the end. A process that finds a PostgreSQL whose owner was killed stops it and starts its own. So
 * the files, the settings and the parent are always the present ones.
 */
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { holdsData, prepareCluster } from './cluster.ts';
import { ownerGoneWaitMs, takeOver } from './ownership.ts';
import { prepareDataFolder, refuseUnfinishedRestore, removeLeftovers, socketDirFor } from './data-folder.ts';
import { shutDown } from './postmaster.ts';
import { connect, connectionIn, type Session, type SocketConnection } from './session.ts';
import { supervise } from './supervise.ts';

export { takeBackup } from './backup.ts';
export { syncFolder } from './copy.ts';
export { EmbeddedDatabaseError } from './error.ts';
export { bytesOf } from './manifest.ts';
export { restoreBackup } from './restore.ts';
export { chooseDataDir } from './data-folder.ts';

/** A running embedded database that belongs to this process. */
export interface EmbeddedDatabase {
  /** The connection. It stays valid after restarts. */
  connection: SocketConnection;
  /** The absolute path of the folder that is really used. */
  dataDir: string;
  /** Stops PostgreSQL and waits until it has ended. Open connections are cut, but no commit is lost. */
  stop(): Promise<void>;
}

/**
 * Starts PostgreSQL on `dataDir` (created at the first start) and becomes its owner. If PostgreSQL dies unexpectedly, `onUnexpectedExit` is
 * called and it is restarted, at most 5 times a minute. After that it gives up, and calls again.
 *
 * @throws {EmbeddedDatabaseError} if another Tenure owns it or it cannot be started.
 */
export async function startEmbeddedDatabase(options: {
  dataDir: string;
  projectDir: string;
  onUnexpectedExit?: (detail: string, givenUp: boolean) => void;
}): Promise<EmbeddedDatabase> {
  refuseUnfinishedRestore(resolve(options.dataDir));
  const dataFolder = await prepareDataFolder(resolve(options.dataDir), options.projectDir);
  await prepareCluster(dataFolder);
  const running = await takeOver(dataFolder, new AbortController().signal);
  try {
    await createDatabase(running.owner);
  } catch (error) {
    await shutDown(running.postmaster);
    throw error;
  }
  removeLeftovers(dataFolder);
  return {
    connection: connectionIn(dataFolder.socketDir),
    dataDir: dataFolder.dataDir,
    stop: supervise(dataFolder, running, options.onUnexpectedExit ?? (() => {})),
  };
}

/** Tells whether there is a database in `dataDir`, running or not. */
export function hasDatabase(dataDir: string): boolean {
  return holdsData(join(resolve(dataDir), 'postgres'));
}

async function createDatabase({ client }: Session): Promise<void> {
  const { rowCount } = await client.query(`select from pg_database where datname = 'tenure'`);
  if (rowCount === 0) await client.query('create database tenure');
}

/**
 * Returns the connection to the database that runs in `dataDir`, or null if none does. It is for a second process beside the server, such
 * as `npm run new-key`.
 *
 * @throws {EmbeddedDatabaseError} if the database belongs to another user.
 */
export async function findRunningDatabase(dataDir: string): Promise<SocketConnection | null> {
  const connection = connectionIn(socketDirFor(resolve(dataDir)));
  const giveUpAtMs = performance.now() + ownerGoneWaitMs;
  for (;;) {
    const session = await connect(connection, 'tenure-finder');
    if (typeof session === 'object') {
      await session.client.end();
      return connection;
    }
    if (session === 'absent' || performance.now() > giveUpAtMs) return null;
    await sleep(10);
  }
}
