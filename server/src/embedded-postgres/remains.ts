/** Removes what a killed PostgreSQL leaves and what would block the next one: lock files and backends. */
import * as fs from 'node:fs';
import { join } from 'node:path';
import { socketPort, type DataFolder } from './data-folder.ts';
import { lockFileWaitMs } from './postmaster.ts';
import { isAlive, isPresent, readLines, readLink, servesFolder } from './processes.ts';

/** Milliseconds in which a backend notices its postmaster's death, if it can. */
const orphanPatienceMs = 1_000;

/**
 * Removes lock files that PostgreSQL would misread. It replaces a lock file whose process is dead, but takes any living process for the
 * writer. After the restart of a container, for instance, other processes have the same small numbers. It never replaces an empty file,
 * which a crash of the machine leaves. The file of a PostgreSQL that another start has just begun stays. If it appears only after the look,
 * it may be removed. Even then, PostgreSQL's lock on shared memory lets only one server run.
 */
export function removeMisleadingLockFiles({
  postgresDir,
  socketDir,
}: Pick<DataFolder, 'postgresDir' | 'socketDir'>): void {
  for (const file of [join(postgresDir, 'postmaster.pid'), join(socketDir, `.s.PGSQL.${socketPort}.lock`)]) {
    const found = fs.statSync(file, { throwIfNoEntry: false });
    if (!found) continue;
    const leftEmpty = found.size === 0 && Date.now() - found.mtimeMs > lockFileWaitMs;
    const pid = Number(readLines(file)[0]);
    const isMisleading = isPresent(pid) && !servesFolder(pid, postgresDir);
    if (leftEmpty || isMisleading) fs.rmSync(file, { force: true });
  }
}

/**
 * Ends the processes of a killed postmaster. Most notice its death and end. But one that waits for the lock of a killed neighbor would wait
 * for ever. Call it while no postmaster lives; a new one that is just starting is no backend.
 */
export function endOrphanedBackends({ postgresDir }: DataFolder, occupiedMs: number): void {
  if (occupiedMs < orphanPatienceMs || process.platform !== 'linux') return;
  const signal = occupiedMs < 3 * orphanPatienceMs ? 'SIGQUIT' : 'SIGKILL';
  for (const pid of fs.readdirSync('/proc').map(Number)) {
    if (!pid || readLink(`/proc/${pid}/cwd`) !== fs.realpathSync(postgresDir)) continue;
    const isBackend = readLines(`/proc/${pid}/cmdline`)[0]?.startsWith('postgres: ');
    if (isBackend && isAlive(pid)) process.kill(pid, signal);
  }
}
