/**
 * The embedded database: a real PostgreSQL of our own, for installations that bring none.
 *
 * One data folder belongs to one Tenure. Its owner starts PostgreSQL, holds an advisory lock for as long as
 * it lives, starts PostgreSQL again when it dies, and stops it at the end. Who finds a PostgreSQL whose owner
 * is gone (it was killed) stops that one and starts its own, so that the files, the settings and the parent
 * are always the present ones.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import * as fs from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import {
  asUser,
  EmbeddedDatabaseError,
  errorCode,
  oneLine,
  preparePlace,
  removeLeftovers,
  socketDirFor,
  socketPort,
  type Place,
} from './embedded-binaries.ts';

export { chooseDataDir, EmbeddedDatabaseError } from './embedded-binaries.ts';

/** A running embedded database that belongs to this process. */
export interface EmbeddedDatabase {
  /**
   * How to connect with `pg`: `host` is a folder with a unix socket; there is no TCP. It survives restarts.
   */
  connection: { host: string; port: number; user: string; database: string };
  /** The absolute path of the folder that is really used. */
  dataDir: string;
  /** Stops PostgreSQL (open connections are cut, nothing committed is lost) and waits until it is gone. */
  stop(): Promise<void>;
}

/**
 * The owner's lock: a session advisory lock (classid, objid) in the database `postgres`, where nothing else
 * of Tenure takes locks. 0x74656e75 is "tenu".
 */
const ownerLockKey = [0x74656e75, 1];

/** A killed owner and its lock are gone after milliseconds; a busy machine gets this long. */
const ownerGoneWaitMs = 2_000;

/** How long a PostgreSQL that is going down, or what a killed one left, may stand in the way of a start. */
const occupiedWaitMs = 15_000;

/**
 * PostgreSQL writes its lock file first of all. When several start in the moment after a crash, one may take
 * the new file of another for the old one and remove it; the loser would notice only after a minute, so we
 * look.
 */
const lockFileWaitMs = 1_000;

/** Backends that are able to notice their postmaster's death have done so by then. */
const orphanPatienceMs = 1_000;

/** Replaying a full write-ahead log (max_wal_size) after a crash takes this long on a slow disk. */
const recoveryWaitMs = 120_000;

/** After this long a fast shutdown becomes an immediate one, which the next start repairs from the log. */
const fastShutdownMs = 10_000;

/** What dies this often within a minute will not get better by another attempt. */
const restartsPerMinuteMax = 5;

/** Room for months of messages; it is only looked at when PostgreSQL starts. */
const logBytesMax = 10 * 1024 * 1024;

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
  const place = await preparePlace(resolve(options.dataDir), options.projectDir);
  const running = await takeOver(place, new AbortController().signal);
  try {
    await createDatabase(running.owner);
  } catch (error) {
    await shutDown(running.postmaster);
    throw error;
  }
  removeLeftovers(place);
  return supervise(place, running, options.onUnexpectedExit ?? (() => {}));
}

/**
 * How to connect to the database that is running in `dataDir`; null when none is. For a second process beside
 * the server, such as `npm run new-key`. Throws an EmbeddedDatabaseError when it belongs to another user.
 */
export async function findRunningDatabase(dataDir: string): Promise<EmbeddedDatabase['connection'] | null> {
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

/** A `postgres` that this process started. `exited` tells how it ended, and never rejects. */
interface Postmaster {
  process: ChildProcess;
  exited: Promise<string>;
}

/** A connection that is allowed to break at any time. `ended` resolves when it has. */
interface Session {
  client: Client;
  ended: Promise<void>;
}

interface Running {
  postmaster: Postmaster;
  owner: Session;
}

/**
 * Becomes the owner of the data folder. Of several that try at the same moment one succeeds: a PostgreSQL
 * belongs to the process that started it (its cluster_name says which) while that lives, and to the first
 * taker of the lock afterwards.
 */
async function takeOver(place: Place, stopping: AbortSignal): Promise<Running> {
  let giveUpAtMs = performance.now() + occupiedWaitMs;
  let obstacle: string | undefined;
  let occupiedSinceMs = Infinity;
  while (performance.now() < giveUpAtMs) {
    stopping.throwIfAborted();
    const found = await connect(connectionIn(place.socketDir, 'postgres'), ownerName());
    if (typeof found === 'object') {
      obstacle = await removeOrphan(place, found);
      if (!obstacle) giveUpAtMs = performance.now() + occupiedWaitMs;
    } else if (found === 'busy' || livePostmaster(place.postgresDir)) {
      obstacle = 'it does not accept connections';
    } else {
      removeMisleadingLockFiles(place);
      const postmaster = await startPostmaster(place, stopping);
      if (typeof postmaster === 'object') return { postmaster, owner: await takeLock(place, postmaster) };
      obstacle = postmaster;
      occupiedSinceMs = Math.min(occupiedSinceMs, performance.now());
      endOrphanedBackends(place, performance.now() - occupiedSinceMs);
    }
    await sleep(20);
  }
  const pid = livePostmaster(place.postgresDir);
  throw new EmbeddedDatabaseError(
    `A PostgreSQL${pid ? ` (process ${pid})` : ''} is in the way on ${place.dataDir}: ` +
      `${oneLine([obstacle ?? ''])}. Stop it, or set DATA_DIR to another folder.`,
  );
}

/**
 * The processes of a killed postmaster notice its death and end, but one that waits for the lock of a killed neighbour would
 * wait for ever. Called while no postmaster lives; a new one that is just starting is no backend.
 */
function endOrphanedBackends({ postgresDir }: Place, occupiedMs: number): void {
  if (occupiedMs < orphanPatienceMs || process.platform !== 'linux') return;
  const signal = occupiedMs < 3 * orphanPatienceMs ? 'SIGQUIT' : 'SIGKILL';
  for (const pid of fs.readdirSync('/proc').map(Number)) {
    if (!pid || readLink(`/proc/${pid}/cwd`) !== fs.realpathSync(postgresDir)) continue;
    const isBackend = readLines(`/proc/${pid}/cmdline`)[0]?.startsWith('postgres: ');
    if (isBackend && isAlive(pid)) process.kill(pid, signal);
  }
}

/**
 * Stops a PostgreSQL whose owner is gone; returns what went wrong, if anything. Throws while the owner lives.
 */
async function removeOrphan(place: Place, found: Session): Promise<string | undefined> {
  try {
    await refuseWhileOwned(place, found.client);
    const pid = livePostmaster(place.postgresDir);
    if (!pid) return 'it runs where this process cannot see it, such as in another container';
    for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
      const giveUpAtMs = performance.now() + fastShutdownMs;
      if (isAlive(pid)) process.kill(pid, signal);
      while (isAlive(pid) && performance.now() < giveUpAtMs) await sleep(10);
    }
    return isAlive(pid) ? 'it does not stop' : undefined;
  } catch (error) {
    if (error instanceof EmbeddedDatabaseError) throw error;
    // It went down while we asked: look again.
    return errorCode(error);
  } finally {
    await found.client.end().catch(() => {});
  }
}

/** Returns with the lock taken; throws an EmbeddedDatabaseError when another process is or becomes owner. */
async function refuseWhileOwned(place: Place, client: Client): Promise<void> {
  const starterPid = await starterOf(client);
  const giveUpAtMs = performance.now() + ownerGoneWaitMs;
  for (;;) {
    const waitedEnough = performance.now() > giveUpAtMs;
    // Who started it and lives is about to take the lock; a number that only looks alive was given out again.
    if ((waitedEnough || !isAlive(starterPid)) && (await tryLock(client))) return;
    // An owner that was killed, or is just stopping, may look alive for a moment longer.
    const ownerPid = waitedEnough ? await ownerOf(client) : undefined;
    if (ownerPid !== undefined) {
      throw new EmbeddedDatabaseError(
        `Another Tenure is already running on ${place.dataDir} (process ${ownerPid}). ` +
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

async function tryLock(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    'select pg_try_advisory_lock($1, $2) as locked',
    ownerLockKey,
  );
  return rows[0]?.locked === true;
}

/** The process that holds the lock; 0 when something else than a Tenure holds it. */
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

function ownerName(): string {
  return `tenure-owner:${process.pid}`;
}

/**
 * The process that serves the folder. The lock file alone proves nothing: it may be old, its number reused.
 */
function livePostmaster(postgresDir: string): number | undefined {
  const pid = Number(readLines(join(postgresDir, 'postmaster.pid'))[0]);
  if (!pid || !isAlive(pid)) return undefined;
  if (process.platform === 'linux') {
    // PostgreSQL works inside its data folder, and stays there when the folder is moved.
    const isPostgres = readLines(`/proc/${pid}/comm`)[0] === 'postgres';
    return isPostgres && readLink(`/proc/${pid}/cwd`) === fs.realpathSync(postgresDir) ? pid : undefined;
  }
  const { stdout } = spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout?.includes(`-D ${postgresDir}`) ? pid : undefined;
}

/**
 * PostgreSQL replaces a lock file whose process is dead, but takes any living process for the one that wrote
 * it: after the restart of a container, for instance, the same small numbers belong to others. An empty file,
 * as a crash of the machine leaves it, it never replaces. Should a file be removed in the very moment that it
 * becomes valid, PostgreSQL's lock on shared memory still lets only one server run.
 */
function removeMisleadingLockFiles({ postgresDir, socketDir }: Place): void {
  for (const file of [join(postgresDir, 'postmaster.pid'), join(socketDir, `.s.PGSQL.${socketPort}.lock`)]) {
    const found = fs.statSync(file, { throwIfNoEntry: false });
    if (!found) continue;
    const leftEmpty = found.size === 0 && Date.now() - found.mtimeMs > lockFileWaitMs;
    if (leftEmpty || isPresent(Number(readLines(file)[0]))) fs.rmSync(file, { force: true });
  }
}

/** Whether the process runs: a killed one that its parent has not noticed yet is still there, but dead. */
function isAlive(pid: number): boolean {
  if (!isPresent(pid)) return false;
  const state = readLines(`/proc/${pid}/stat`)[0]?.split(') ').at(-1);
  return !state?.startsWith('Z');
}

function isPresent(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/**
 * Starts PostgreSQL and waits until it is ready. Returns the reason while another one occupies the folder.
 */
async function startPostmaster(place: Place, stopping: AbortSignal): Promise<Postmaster | string> {
  const logBytesBefore = trimLog(place.logFile);
  const log = fs.openSync(place.logFile, 'a', 0o600);
  if (place.user) fs.fchownSync(log, place.user.uid, place.user.gid);
  const child = spawn(join(place.binDir, 'postgres'), ['-D', place.postgresDir, ...settings(place)], {
    ...asUser(place),
    // In a process group of its own: Ctrl-C in a terminal must not stop it before the server has finished.
    detached: true,
    // A file and no pipe, so that it can still write when we are gone.
    stdio: ['ignore', 'ignore', log],
  });
  // Also when we end while it starts; after kill -9 the next start sees to it.
  const stopAtExit = () => child.kill('SIGINT');
  process.once('exit', stopAtExit);
  child.once('exit', () => process.off('exit', stopAtExit));
  fs.closeSync(log);
  const postmaster: Postmaster = {
    process: child,
    exited: new Promise((done) => {
      child.once('exit', (code, signal) => done(signal ?? `code ${code}`));
      child.on('error', (error) => done(error.message));
    }),
  };
  const startedAtMs = performance.now();
  while (!hasExited(postmaster)) {
    // The lines of this file: the process, then six others, then its state.
    const lines = readLines(join(place.postgresDir, 'postmaster.pid'));
    const passedMs = performance.now() - startedAtMs;
    const holdsLockFile = Number(lines[0]) === child.pid;
    if (holdsLockFile && lines[7]?.startsWith('ready')) return postmaster;
    if (!holdsLockFile && passedMs > lockFileWaitMs) {
      await shutDown(postmaster);
      return 'its lock file was replaced';
    }
    if (stopping.aborted || passedMs > recoveryWaitMs) await shutDown(postmaster);
    else await sleep(5);
  }
  stopping.throwIfAborted();
  const how = await postmaster.exited;
  const messages = messagesSince(place.logFile, logBytesBefore);
  // Another one was faster, or the processes of a killed one are still at work.
  const occupied = messages.find((line) =>
    /lock file ".*" (already exists|is empty)|is still in use|could not bind/.test(line),
  );
  if (occupied) return occupied;
  throw new EmbeddedDatabaseError(
    `PostgreSQL did not start on ${place.dataDir} (${how}): ${oneLine(messages)}. Its log is ${place.logFile}.`,
  );
}

function hasExited({ process: child }: Postmaster): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}

/** On the command line, so that they hold for data of every age. fsync and its kin stay as they are: on. */
function settings({ socketDir }: Place): string[] {
  const values = {
    cluster_name: `tenure-${process.pid}`,
    listen_addresses: '',
    // A list, whose members need quotes where they hold a comma or a space.
    unix_socket_directories: `"${socketDir.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    port: socketPort,
    max_connections: 50,
    shared_buffers: '128MB',
    max_wal_size: '1GB',
    // These binaries compress with pglz only, and two cores have no processor time to give for space.
    wal_compression: 'off',
    // Compiling a statement costs more than our short ones take.
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // The server sees the errors of its statements itself; here they would only store personal data and grow.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
  };
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/**
 * The new owner's connection. Nobody else takes the lock while we, the starter, live; it may be looked at.
 */
async function takeLock(place: Place, postmaster: Postmaster): Promise<Session> {
  const giveUpAtMs = performance.now() + occupiedWaitMs;
  while (!hasExited(postmaster) && performance.now() < giveUpAtMs) {
    const session = await connect(connectionIn(place.socketDir, 'postgres'), ownerName());
    if (typeof session === 'object') {
      if (await tryLock(session.client).catch(() => false)) return session;
      await session.client.end().catch(() => {});
    }
    await sleep(10);
  }
  await shutDown(postmaster);
  throw new EmbeddedDatabaseError(
    `The PostgreSQL on ${place.dataDir} was stopped by somebody else while it was starting ` +
      `(${await postmaster.exited}): another Tenure may be running there.`,
  );
}

async function createDatabase({ client }: Session): Promise<void> {
  const { rowCount } = await client.query(`select from pg_database where datname = 'tenure'`);
  if (rowCount === 0) await client.query('create database tenure');
}

/** Keeps PostgreSQL running, and this process its owner, until it is asked to stop. */
function supervise(
  place: Place,
  first: Running,
  onUnexpectedExit: (detail: string, givenUp: boolean) => void,
): EmbeddedDatabase {
  let running = first;
  const stopping = new AbortController();
  const stopRequested = new Promise((done) => stopping.signal.addEventListener('abort', done, { once: true }));
  const restartsAtMs: number[] = [];

  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      await Promise.race([stopRequested, running.postmaster.exited, running.owner.ended]);
      if (!stopping.signal.aborted && !(await lockedAgain())) await restart();
    }
  }

  /** PostgreSQL cuts all connections when one of its processes crashes, and goes on by itself. */
  async function lockedAgain(): Promise<boolean> {
    while (!hasExited(running.postmaster)) {
      if (stopping.signal.aborted) return true;
      const session = await connect(connectionIn(place.socketDir, 'postgres'), ownerName()).catch(() => 'absent');
      if (typeof session === 'object') {
        if (await tryLock(session.client).catch(() => false)) {
          running = { ...running, owner: session };
          return true;
        }
        await session.client.end().catch(() => {});
      }
      await sleep(20);
    }
    return false;
  }

  async function restart(): Promise<void> {
    let detail = `PostgreSQL ended unexpectedly (${await running.postmaster.exited})`;
    while (!stopping.signal.aborted) {
      tell(detail);
      const recent = restartsAtMs.filter((time) => time > performance.now() - 60_000);
      if (recent.length >= restartsPerMinuteMax) {
        const times = `it failed ${recent.length} times within a minute`;
        tell(`PostgreSQL is not started again: ${times}. Its log is ${place.logFile}.`, true);
        return stopping.abort();
      }
      // At once the first time, then with growing patience.
      await sleep(100 * recent.length ** 2, undefined, { signal: stopping.signal }).catch(() => {});
      restartsAtMs.push(performance.now());
      try {
        running = await takeOver(place, stopping.signal);
        return;
      } catch (error) {
        detail = error instanceof Error ? error.message : String(error);
      }
    }
  }

  /** A listener that throws must not end the watch. */
  function tell(detail: string, givenUp = false): void {
    try {
      onUnexpectedExit(detail, givenUp);
    } catch (error) {
      process.emitWarning(error instanceof Error ? error : String(error));
    }
  }

  const watching = watch();
  let stopped: Promise<void> | undefined;
  async function stop(): Promise<void> {
    stopping.abort();
    await watching;
    await shutDown(running.postmaster);
    await running.owner.client.end().catch(() => {});
  }
  return {
    connection: connectionIn(place.socketDir),
    dataDir: place.dataDir,
    stop: () => (stopped ??= stop()),
  };
}

/** Waits until it is gone. */
async function shutDown(postmaster: Postmaster): Promise<void> {
  postmaster.process.kill('SIGINT');
  const timer = setTimeout(() => postmaster.process.kill('SIGQUIT'), fastShutdownMs);
  await postmaster.exited;
  clearTimeout(timer);
}

function connectionIn(socketDir: string, database = 'tenure'): EmbeddedDatabase['connection'] {
  return { host: socketDir, port: socketPort, user: 'postgres', database };
}

/** A connection; or `absent` when nobody listens, `busy` when somebody does but cannot serve now. */
async function connect(
  connection: EmbeddedDatabase['connection'],
  applicationName: string,
): Promise<Session | 'absent' | 'busy'> {
  const client = new Client({
    ...connection,
    application_name: applicationName,
    connectionTimeoutMillis: 5_000,
    // Not even when PGSSLMODE asks for it: it is a unix socket.
    ssl: false,
  });
  // A broken connection shows by its end; without a listener the event would end this process.
  client.on('error', () => {});
  const ended = new Promise<void>((done) => client.once('end', () => done()));
  try {
    await client.connect();
    return { client, ended };
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ECONNREFUSED') return 'absent';
    if (code === 'EACCES' || code === 'EPERM') {
      throw new EmbeddedDatabaseError(
        `The database socket in ${connection.host} belongs to another user: run this as the user of Tenure.`,
        { cause: error },
      );
    }
    return 'busy';
  }
}

/** The size of the log; 0 after it had grown too large and was emptied. */
function trimLog(logFile: string): number {
  const bytes = fs.statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes <= logBytesMax) return bytes;
  fs.truncateSync(logFile);
  return 0;
}

/** What PostgreSQL wrote, without time and process. */
function messagesSince(logFile: string, bytesBefore: number): string[] {
  const text = fs.readFileSync(logFile).subarray(bytesBefore).toString();
  return text.split('\n').map((line) => line.replace(/^.*? UTC \[\d+\] /, ''));
}

function readLines(file: string): string[] {
  try {
    return fs.readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
}

function readLink(path: string): string | undefined {
  try {
    return fs.readlinkSync(path);
  } catch {
    return undefined;
  }
}
