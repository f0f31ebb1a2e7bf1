/**
 * The embedded database: a real PostgreSQL of our own, for installations that bring none.
 *
 * One data folder belongs to one Tenure. Its owner starts PostgreSQL, holds an advisory lock for as long as
 * it lives, starts PostgreSQL again when it dies, and stops it at the end. Who finds a PostgreSQL whose owner
 * is gone (it was killed) stops that one and starts its own, so that the files, the settings and the parent
 * are always the present ones.
 */
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { holdsData, prepareCluster } from './cluster.ts';
import { ownerGoneWaitMs, takeOver } from './ownership.ts';
import { preparePlace, refuseUnfinishedRestore, removeLeftovers, socketDirFor } from './place.ts';
import { shutDown } from './postmaster.ts';
import { connect, connectionIn, type Session, type SocketConnection } from './session.ts';
import { supervise } from './supervise.ts';

export { takeBackup } from './backup.ts';
export { syncFolder } from './copy.ts';
export { EmbeddedDatabaseError } from './error.ts';
export { bytesOf } from './manifest.ts';
export { restoreBackup } from './restore.ts';
export { chooseDataDir } from './place.ts';

/** A running embedded database that belongs to this process. */
export interface EmbeddedDatabase {
  /** How to connect to it. It survives restarts. */
  connection: SocketConnection;
  /** The absolute path of the folder that is really used. */
  dataDir: string;
  /** Stops PostgreSQL (open connections are cut, nothing committed is lost) and waits until it is gone. */
  stop(): Promise<void>;
}

/**
 * Starts PostgreSQL on `dataDir` (made at the first start) and becomes its owner. Throws an
 * EmbeddedDatabaseError when another Tenure owns it or it cannot be started. When PostgreSQL dies although
 * nobody asked, `onUnexpectedExit` is told and it is started again, at most 5 times a minute; giving up is
 * told too.
 */
export async function startEmbeddedDatabase(options: {
  dataDir: string;
  projectDir: string;
  onUnexpectedExit?: (detail: string, givenUp: boolean) => void;
}): Promise<EmbeddedDatabase> {
  refuseUnfinishedRestore(resolve(options.dataDir));
  const place = await preparePlace(resolve(options.dataDir), options.projectDir);
  await prepareCluster(place);
  const running = await takeOver(place, new AbortController().signal);
  try {
    await createDatabase(running.owner);
  } catch (error) {
    await shutDown(running.postmaster);
    throw error;
  }
  removeLeftovers(place);
  return {
    connection: connectionIn(place.socketDir),
    dataDir: place.dataDir,
    stop: supervise(place, running, options.onUnexpectedExit ?? (() => {})),
  };
}

/** Whether there is a database in `dataDir`, running or not. */
export function hasDatabase(dataDir: string): boolean {
  return holdsData(join(resolve(dataDir), 'postgres'));
}

async function createDatabase({ client }: Session): Promise<void> {
  const { rowCount } = await client.query(`select from pg_database where datname = 'tenure'`);
  if (rowCount === 0) await client.query('create database tenure');
}

/**
 * How to connect to the database that is running in `dataDir`; null when none is. For a second process beside
 * the server, such as `npm run new-key`. Throws an EmbeddedDatabaseError when it belongs to another user.
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
