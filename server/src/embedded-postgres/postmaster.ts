/** The process `postgres`: how it is started, with which settings, and how it is stopped. */
import { spawn, type ChildProcess } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedDatabaseError, oneLine } from './error.ts';
import { socketPort, type Place } from './place.ts';
import { readLines } from './processes.ts';
import { asUser } from './system-user.ts';

/** A `postgres` that this process started. `exited` tells how it ended, and never rejects. */
export interface Postmaster {
  process: ChildProcess;
  exited: Promise<string>;
}

/**
 * PostgreSQL writes its lock file first of all. When several start in the moment after a crash, one may take
 * the new file of another for the old one and remove it; the loser would notice only after a minute, so we
 * look.
 */
export const lockFileWaitMs = 1_000;

/** Replaying a full write-ahead log (max_wal_size) after a crash takes this long on a slow disk. */
const recoveryWaitMs = 120_000;

/** After this long a fast shutdown becomes an immediate one, which the next start repairs from the log. */
export const fastShutdownMs = 10_000;

/** Room for months of messages; it is only looked at when PostgreSQL starts. */
const logBytesMax = 10 * 1024 * 1024;

/**
 * Starts PostgreSQL and waits until it is ready. Returns the reason while another one occupies the folder.
 */
export async function startPostmaster(place: Place, stopping: AbortSignal): Promise<Postmaster | string> {
  const logBytesBefore = trimLog(place.logFile);
  const log = fs.openSync(place.logFile, 'a', 0o600);
  if (place.user) fs.fchownSync(log, place.user.uid, place.user.gid);
  const child = spawn(join(place.binDir, 'postgres'), ['-D', place.postgresDir, ...settings(place)], {
    ...asUser(place.user),
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

/** Stops PostgreSQL, and waits until it is gone. */
export async function shutDown(postmaster: Postmaster): Promise<void> {
  postmaster.process.kill('SIGINT');
  const timer = setTimeout(() => postmaster.process.kill('SIGQUIT'), fastShutdownMs);
  await postmaster.exited;
  clearTimeout(timer);
}

export function hasExited({ process: child }: Postmaster): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}

/** The size of the log; 0 after it had grown too large and was emptied. */
function trimLog(logFile: string): number {
  const bytes = fs.statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes <= logBytesMax) return bytes;
  fs.truncateSync(logFile);
  return 0;
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
    max_connections: 100,
    shared_buffers: '128MB',
    max_wal_size: '1GB',
    // At thousands of deliveries a second their queue is cleaned while it is small.
    autovacuum_naptime: '10s',
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

/** What PostgreSQL wrote, without time and process. */
function messagesSince(logFile: string, bytesBefore: number): string[] {
  const text = fs.readFileSync(logFile).subarray(bytesBefore).toString();
  return text.split('\n').map((line) => line.replace(/^.*? UTC \[\d+\] /, ''));
}
