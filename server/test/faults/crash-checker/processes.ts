import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** The process that PostgreSQL's lock file names, or null where there is no such file. */
export function readPostmasterPid(postgresDir: string): number | null {
  return Number(readLine(join(postgresDir, 'postmaster.pid'))) || null;
}

/** Whether the process runs; one that is dead and only not yet noticed by its parent does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const state = readLine(`/proc/${pid}/stat`).split(') ').at(-1) ?? '';
  return !state.startsWith('Z');
}

/** The processes that this one started. */
export function childrenOf(pid: number): number[] {
  // Read where it is cheap, because somebody who aims looks often.
  if (process.platform === 'linux')
    return readLine(`/proc/${pid}/task/${pid}/children`).split(' ').map(Number).filter(Boolean);
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).split('\n');
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.filter(([, parent]) => parent === pid).map(([child]) => child!);
}

/** The processes that work inside a folder: of a PostgreSQL all, even those that nobody is the parent of any more. */
export function processesIn(folder: string): number[] {
  if (process.platform !== 'linux') return [];
  const pids = readdirSync('/proc').map(Number).filter(Boolean);
  return pids.filter((pid) => readLink(`/proc/${pid}/cwd`) === folder);
}

/** What the process calls itself: PostgreSQL's tell what they are doing. '' where that cannot be read at once. */
export function titleOf(pid: number): string {
  return readLine(`/proc/${pid}/cmdline`);
}

/** Sends a signal; a process that is gone already needs none. */
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

/** The first line of a file, or '' where it cannot be read. */
function readLine(file: string): string {
  try {
    return readFileSync(file, 'utf8').split('\n', 1)[0]!;
  } catch {
    return '';
  }
}
