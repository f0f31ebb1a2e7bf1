/** What a killed PostgreSQL leaves, and what would stand in the way of the next: lock files and backends. */
import * as fs from 'node:fs';
import { join } from 'node:path';
import { socketPort, type Place } from './place.ts';
import { lockFileWaitMs } from './postmaster.ts';
import { isAlive, isPresent, readLines, readLink } from './processes.ts';

/** Backends that are able to notice their postmaster's death have done so by then. */
const orphanPatienceMs = 1_000;

/**
 * PostgreSQL replaces a lock file whose process is dead, but takes any living process for the one that wrote
 * it: after the restart of a container, for instance, the same small numbers belong to others. An empty file,
 * as a crash of the machine leaves it, it never replaces. Should a file be removed in the very moment that it
 * becomes valid, PostgreSQL's lock on shared memory still lets only one server run.
 */
export function removeMisleadingLockFiles({ postgresDir, socketDir }: Place): void {
  for (const file of [join(postgresDir, 'postmaster.pid'), join(socketDir, `.s.PGSQL.${socketPort}.lock`)]) {
    const found = fs.statSync(file, { throwIfNoEntry: false });
    if (!found) continue;
    const leftEmpty = found.size === 0 && Date.now() - found.mtimeMs > lockFileWaitMs;
    if (leftEmpty || isPresent(Number(readLines(file)[0]))) fs.rmSync(file, { force: true });
  }
}

/**
 * The processes of a killed postmaster notice its death and end, but one that waits for the lock of a killed neighbour would
 * wait for ever. Called while no postmaster lives; a new one that is just starting is no backend.
 */
export function endOrphanedBackends({ postgresDir }: Place, occupiedMs: number): void {
  if (occupiedMs < orphanPatienceMs || process.platform !== 'linux') return;
  const signal = occupiedMs < 3 * orphanPatienceMs ? 'SIGQUIT' : 'SIGKILL';
  for (const pid of fs.readdirSync('/proc').map(Number)) {
    if (!pid || readLink(`/proc/${pid}/cwd`) !== fs.realpathSync(postgresDir)) continue;
    const isBackend = readLines(`/proc/${pid}/cmdline`)[0]?.startsWith('postgres: ');
    if (isBackend && isAlive(pid)) process.kill(pid, signal);
  }
}
