import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the process id in PostgreSQL's lock file, or null if there is no such file. */
export function readPostmasterPid(postgresDir: string): number | null {
  return Number(readLine(join(postgresDir, 'postmaster.pid'))) || null;
}

/** Whether the process runs. A dead process that its parent has not reaped does not run. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const state = readLine(`/proc/${pid}/stat`).split(') ').at(-1) ?? '';
  return !state.startsWith('Z');
}

/** Returns the ids of the processes that this one started. */
export function childrenOf(pid: number): number[] {
  // Reads them cheaply, because finding a moment to kill polls often.
  if (process.platform === 'linux')
    return readLine(`/proc/${pid}/task/${pid}/children`).split(' ').map(Number).filter(Boolean);
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).split('\n');
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.filter(([, parent]) => parent === pid).map(([child]) => child!);
}

/** Returns the processes that work inside a folder. Finds all of a PostgreSQL, even those without a parent. */
export function processesIn(folder: string): number[] {
  if (process.platform !== 'linux') return [];
  const pids = readdirSync('/proc').map(Number).filter(Boolean);
  return pids.filter((pid) => readLink(`/proc/${pid}/cwd`) === folder);
}

/** Returns the title of the process. PostgreSQL's processes show there what they do. Returns '' if the title cannot be read at once. */
export function titleOf(pid: number): string {
  return readLine(`/proc/${pid}/cmdline`);
}

/** Sends a signal. Ignores a process that has already ended. */
export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

/** Returns the first line of a file, or '' if it cannot be read. */
function readLine(file: string): string {
  try {
    return readFileSync(file, 'utf8').split('\n', 1)[0]!;
  } catch {
    return '';
  }
}
