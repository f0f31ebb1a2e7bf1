/** Asks the system about processes: which one serves a folder, and whether one lives. */
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { errorCode } from './error.ts';

/** Returns the id of the process that serves the folder. The lock file alone proves nothing: it may be old, and its number reused. */
export function livePostmaster(postgresDir: string): number | undefined {
  const pid = Number(readLines(join(postgresDir, 'postmaster.pid'))[0]);
  return servesFolder(pid, postgresDir) ? pid : undefined;
}

/** Tells whether the process is a PostgreSQL that serves the folder, or that is starting there. */
export function servesFolder(pid: number, postgresDir: string): boolean {
  if (!pid || !isAlive(pid)) return false;
  if (process.platform === 'linux') {
    // PostgreSQL works inside its data folder, and stays there if the folder is moved.
    const isPostgres = readLines(`/proc/${pid}/comm`)[0] === 'postgres';
    return isPostgres && readLink(`/proc/${pid}/cwd`) === fs.realpathSync(postgresDir);
  }
  const { stdout } = spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout?.includes(`-D ${postgresDir}`);
}

/** Tells whether the process runs. A killed one whose parent has not noticed yet is present, but dead. */
export function isAlive(pid: number): boolean {
  if (!isPresent(pid)) return false;
  const state = readLines(`/proc/${pid}/stat`)[0]?.split(') ').at(-1);
  return !state?.startsWith('Z');
}

/** Tells whether a process has this number, dead or alive. */
export function isPresent(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** Returns no lines if the file does not exist or cannot be read: a process may end at any time. */
export function readLines(file: string): string[] {
  try {
    return fs.readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
}

/** Returns undefined for the same reasons. */
export function readLink(path: string): string | undefined {
  try {
    return fs.readlinkSync(path);
  } catch {
    return undefined;
  }
}
