/**
 * Decides which process owns a data folder: the living one that started its PostgreSQL and holds the owner's lock. A PostgreSQL
 * without an owner is stopped, never adopted.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { EmbeddedDatabaseError, errorCode, oneLine } from './error.ts';
import type { DataFolder } from './data-folder.ts';
import { fastShutdownMs, hasExited, shutDown, startPostmaster, type Postmaster } from './postmaster.ts';
import { isAlive, livePostmaster } from './processes.ts';
import { endOrphanedBackends, removeMisleadingLockFiles } from './remains.ts';
import { connect, connectionIn, type Session } from './session.ts';

/** A PostgreSQL that this process started, and the connection that holds its lock. */
export interface Running {
  postmaster: Postmaster;
  owner: Session;
}

/**
 * The owner's lock: a session advisory lock (classid, objid). In its database, `postgres`, Tenure takes no other locks. 0x74656e75 is
 * "tenu".
 */
const ownerLockKey = [0x74656e75, 1];

/** Milliseconds. A killed owner and its lock are gone sooner, even on a busy machine. */
export const ownerGoneWaitMs = 2_000;

/** Milliseconds that a start waits for a stopping PostgreSQL, or for the remains of a killed one. */
const occupiedWaitMs = 15_000;

/**
 * Becomes the owner of the data folder. Of several processes that try at once, one succeeds. A PostgreSQL belongs to the process that
 * started it, which its cluster_name names, while that process lives. Later it belongs to the first process that takes the lock.
 */
export async function takeOver(dataFolder: DataFolder, stopping: AbortSignal): Promise<Running> {
  let giveUpAtMs = performance.now() + occupiedWaitMs;
  let obstacle: string | undefined;
  let occupiedSinceMs = Infinity;
  while (performance.now() < giveUpAtMs) {
    stopping.throwIfAborted();
    const found = await connect(connectionIn(dataFolder.socketDir, 'postgres'), ownerName());
    if (typeof found === 'object') {
      obstacle = await removeOrphan(dataFolder, found);
      if (!obstacle) giveUpAtMs = performance.now() + occupiedWaitMs;
    } else if (found === 'busy' || livePostmaster(dataFolder.postgresDir)) {
      obstacle = 'it does not accept connections';
    } else {
      removeMisleadingLockFiles(dataFolder);
      const postmaster = await startPostmaster(dataFolder, stopping);
      if (typeof postmaster === 'object') return { postmaster, owner: await takeLock(dataFolder, postmaster) };
      obstacle = postmaster;
      occupiedSinceMs = Math.min(occupiedSinceMs, performance.now());
      endOrphanedBackends(dataFolder, performance.now() - occupiedSinceMs);
    }
    await sleep(20);
  }
  const pid = livePostmaster(dataFolder.postgresDir);
  throw new EmbeddedDatabaseError(
    `A PostgreSQL${pid ? ` (process ${pid})` : ''} is in the way on ${dataFolder.dataDir}: ` +
      `${oneLine([obstacle ?? ''])}. Stop it, or set DATA_DIR to another folder.`,
  );
}

/** Stops a PostgreSQL without a living owner. Returns the reason if that fails. Throws while the owner lives. */
async function removeOrphan(dataFolder: DataFolder, found: Session): Promise<string | undefined> {
  try {
    await refuseWhileOwned(dataFolder, found.client);
    const pid = livePostmaster(dataFolder.postgresDir);
    if (!pid) return 'it runs where this process cannot see it, such as in another container';
    for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
      const giveUpAtMs = performance.now() + fastShutdownMs;
      if (isAlive(pid)) process.kill(pid, signal);
      while (isAlive(pid) && performance.now() < giveUpAtMs) await sleep(10);
    }
    return isAlive(pid) ? 'it does not stop' : undefined;
  } catch (error) {
    if (error instanceof EmbeddedDatabaseError) throw error;
    // It ended during the query: look again.
    return errorCode(error);
  } finally {
    await found.client.end().catch(() => {});
  }
}

/** Returns with the lock taken. Throws an EmbeddedDatabaseError if another process is or becomes the owner. */
async function refuseWhileOwned(dataFolder: DataFolder, client: Client): Promise<void> {
  const starterPid = await starterOf(client);
  const giveUpAtMs = performance.now() + ownerGoneWaitMs;
  for (;;) {
    const waitedEnough = performance.now() > giveUpAtMs;
    // A starter that lives will take the lock soon. Otherwise its process id was reused.
    if ((waitedEnough || !isAlive(starterPid)) && (await tryLock(client))) return;
    // An owner that was killed, or is stopping, may still look alive for a moment.
    const ownerPid = waitedEnough ? await ownerOf(client) : undefined;
    if (ownerPid !== undefined) {
      throw new EmbeddedDatabaseError(
        `Another Tenure is already running on ${dataFolder.dataDir} (process ${ownerPid}). ` +
          'Stop it first, or set DATA_DIR to another folder.',
      );
    }
    await sleep(20);
  }
}

async function starterOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ name: string }>(`select current_setting('cluster_name') as name`);
  return Number(rows[0]?.name.split('-')[1]);
}

/** Returns the id of the process that holds the lock; 0 if that is no Tenure. */
async function ownerOf(client: Client): Promise<number | undefined> {
  const { rows } = await client.query<{ name: string }>(
    `select activity.application_name as name
     from pg_locks as lock
     join pg_stat_activity as activity using (pid)
     where lock.locktype = 'advisory' and lock.granted
       and lock.classid = $1 and lock.objid = $2 and lock.objsubid = 2`,
    ownerLockKey,
  );
  return rows[0] && (Number(rows[0].name.split(':')[1]) || 0);
}

/** Opens the new owner's connection. No other process takes the lock while this one, the starter, lives; others may look at it. */
async function takeLock(dataFolder: DataFolder, postmaster: Postmaster): Promise<Session> {
  const giveUpAtMs = performance.now() + occupiedWaitMs;
  while (!hasExited(postmaster) && performance.now() < giveUpAtMs) {
    const session = await connect(connectionIn(dataFolder.socketDir, 'postgres'), ownerName());
    if (typeof session === 'object') {
      if (await tryLock(session.client).catch(() => false)) return session;
      await session.client.end().catch(() => {});
    }
    await sleep(10);
  }
  await shutDown(postmaster);
  throw new EmbeddedDatabaseError(
    `The PostgreSQL on ${dataFolder.dataDir} was stopped by another process while it was starting ` +
      `(${await postmaster.exited}): another Tenure may be running there.`,
  );
}

/** Tells whether this connection holds the lock now. It keeps the lock until it ends. */
export async function tryLock(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    'select pg_try_advisory_lock($1, $2) as locked',
    ownerLockKey,
  );
  return rows[0]?.locked === true;
}

/** Names the owner's connection, for processes that find the folder taken. */
export function ownerName(): string {
  return `tenure-owner:${process.pid}`;
}
