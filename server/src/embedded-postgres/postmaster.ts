/** The process `postgres`: its start, its settings and its stop. */
import { spawn, type ChildProcess } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedDatabaseError, oneLine } from './error.ts';
import { socketPort, type DataFolder } from './data-folder.ts';
import { readLines } from './processes.ts';
import { asUser } from './system-user.ts';

/** A `postgres` that this process started. `exited` resolves to how it ended, and never rejects. */
export interface Postmaster {
  process: ChildProcess;
  exited: Promise<string>;
}

/**
 * Milliseconds after which the lock file is checked. PostgreSQL writes it first of all. If several start right after a crash, one may take
 * another's new file for the old one and remove it. The loser itself would notice only after a minute.
 */
export const lockFileWaitMs = 1_000;

/** Milliseconds. A slow disk takes this long to replay a full write-ahead log (max_wal_size) after a crash. */
const recoveryWaitMs = 120_000;

/** Milliseconds. Then a fast shutdown becomes an immediate one, which the next start repairs from the log. */
export const fastShutdownMs = 10_000;

/** Bytes: room for months of messages. The size is checked only when PostgreSQL starts. */
const logBytesMax = 10 * 1024 * 1024;

/** Starts PostgreSQL and waits until it is ready. Returns the reason if another one occupies the folder. */
export async function startPostmaster(dataFolder: DataFolder, stopping: AbortSignal): Promise<Postmaster | string> {
  const logBytesBefore = trimLog(dataFolder.logFile);
  const log = fs.openSync(dataFolder.logFile, 'a', 0o600);
  if (dataFolder.user) fs.fchownSync(log, dataFolder.user.uid, dataFolder.user.gid);
  const child = spawn(join(dataFolder.binDir, 'postgres'), ['-D', dataFolder.postgresDir, ...settings(dataFolder)], {
    ...asUser(dataFolder.user),
    // In its own process group: Ctrl-C in a terminal must not stop it before the server has finished.
    detached: true,
    // A file instead of a pipe, so that it can still write after this process has ended.
    stdio: ['ignore', 'ignore', log],
  });
  // Stop it even if this process ends during its start. After kill -9, the next start stops it.
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
    // The lines of this file: the process id, then six others, then its state.
    const lines = readLines(join(dataFolder.postgresDir, 'postmaster.pid'));
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
  const messages = messagesSince(dataFolder.logFile, logBytesBefore);
  // Another one was faster, or processes of a killed one are still working.
  const occupied = messages.find((line) =>
    /lock file ".*" (already exists|is empty)|is still in use|could not bind/.test(line),
  );
  if (occupied) return occupied;
  throw new EmbeddedDatabaseError(
    `PostgreSQL did not start on ${dataFolder.dataDir} (${how}): ${oneLine(messages)}. Its log is ${dataFolder.logFile}.`,
  );
}

/** Stops PostgreSQL, and waits until it has ended. */
export async function shutDown(postmaster: Postmaster): Promise<void> {
  postmaster.process.kill('SIGINT');
  const timer = setTimeout(() => postmaster.process.kill('SIGQUIT'), fastShutdownMs);
  await postmaster.exited;
  clearTimeout(timer);
}

export function hasExited({ process: child }: Postmaster): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}

/** Empties a log that has grown too large, and returns its size. */
function trimLog(logFile: string): number {
  const bytes = fs.statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes <= logBytesMax) return bytes;
  fs.truncateSync(logFile);
  return 0;
}

/** Returns the settings for the command line, so that they apply to data of every age. Settings like fsync keep their default: on. */
function settings({ socketDir }: DataFolder): string[] {
  const values = {
    cluster_name: `tenure-${process.pid}`,
    listen_addresses: '',
    // It is a list. Its members need quotes if they contain a comma or a space.
    unix_socket_directories: `"${socketDir.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    port: socketPort,
    max_connections: 200,
    // The system caches what PostgreSQL reads. With a million records, 128 MB were no faster, and a small machine misses them.
    shared_buffers: '32MB',
    max_wal_size: '1GB',
    // At thousands of deliveries a second, their queue must be vacuumed while it is small.
    autovacuum_naptime: '10s',
    // These binaries compress with pglz only, and two cores have no processor time to spare for space.
    wal_compression: 'off',
    // Compiling a statement costs more than our short ones take.
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // The server sees the errors of its statements itself. The log would only collect personal data and grow.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
  };
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** Returns PostgreSQL's new messages, without time and process. */
function messagesSince(logFile: string, bytesBefore: number): string[] {
  const text = fs.readFileSync(logFile).subarray(bytesBefore).toString();
  return text.split('\n').map((line) => line.replace(/^.*? UTC \[\d+\] /, ''));
}
