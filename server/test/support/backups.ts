import { spawn } from 'node:child_process';
import { join } from 'node:path';

const projectDir = join(import.meta.dirname, '../../..');

/** How an operator's command ended, and what it printed. */
export interface Ended {
  code: number | null;
  output: string;
}

/** Ends a command with its whole process group, as Ctrl-C in a terminal does, or signals npm alone. */
export interface Interruption {
  when: Promise<unknown>;
  signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL';
  toNpmAlone?: boolean;
}

/** Runs `npm run backup -- <folder>` as an operator does. Without a folder, runs it as an operator that forgot the folder. */
export function backUp(
  dataDir: string,
  folder: string | null,
  settings: Record<string, string> = {},
  interruption?: Interruption,
): Promise<Ended> {
  return runCommand('backup', folder === null ? [] : [folder], { DATA_DIR: dataDir, ...settings }, interruption);
}

/** Runs `npm run restore -- <folder>`. */
export function restore(
  folder: string | null,
  dataDir: string,
  settings: Record<string, string> = {},
  interruption?: Interruption,
): Promise<Ended> {
  return runCommand('restore', folder === null ? [] : [folder], { DATA_DIR: dataDir, ...settings }, interruption);
}

/** Runs `npm run new-key`. */
export function newKey(dataDir: string, settings: Record<string, string> = {}): Promise<Ended> {
  return runCommand('new-key', [], { DATA_DIR: dataDir, ...settings });
}

/** Runs `npm run <command> -- <given>`. */
export function runCommand(
  command: string,
  given: readonly string[],
  settings: Record<string, string> = {},
  interruption?: Interruption,
): Promise<Ended> {
  const child = spawn('npm', ['run', '--silent', command, '--', ...given], {
    cwd: projectDir,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Runs in a process group of its own if it is to be interrupted.
    detached: interruption !== undefined,
  });
  void interruption?.when.then(() =>
    process.kill(interruption.toNpmAlone ? child.pid! : -child.pid!, interruption.signal),
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += bytes));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output: output.replaceAll(/^npm warn .*\n/gm, '') }));
  });
}
