import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The paths of programs that do not come from npm, and of Linux's files about processes, or null. */
export interface Tools {
  wrk: string | null;
  pgbench: string | null;
  chromium: string | null;
  proc: string | null;
}

export const toolPackages: Record<keyof Tools, string> = {
  wrk: 'the package wrk (Debian, Homebrew)',
  pgbench: 'the package postgresql-contrib or postgresql (Debian), libpq or postgresql (Homebrew)',
  chromium: 'the package chromium (Debian), or Google Chrome',
  proc: 'every Linux, and in no other system',
};

export function findTools(): Tools {
  return {
    wrk: find('wrk', []),
    pgbench: find('pgbench', debianPostgresDirs()),
    chromium:
      process.env.TENURE_CHROMIUM ?? find('chromium', []) ?? find('chromium-browser', []) ?? find('google-chrome', []),
    proc: existsSync('/proc/self/smaps_rollup') ? '/proc' : null,
  };
}

/** Debian keeps each version's programs apart. Its path has only a script that looks for them. */
function debianPostgresDirs(): string[] {
  const root = '/usr/lib/postgresql';
  if (!existsSync(root)) return [];
  const newestFirst = readdirSync(root).sort((left, right) => Number(right) - Number(left));
  return newestFirst.map((version) => join(root, version, 'bin'));
}

function find(name: string, folders: string[]): string | null {
  const path = (process.env.PATH ?? '').split(delimiter);
  return [...folders, ...path].map((folder) => join(folder, name)).find(isExecutable) ?? null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns the first line of a program's version output. */
export function versionOf(program: string, flag: string): string {
  const { stdout, stderr } = spawnSync(program, [flag], { encoding: 'utf8', timeout: 5_000 });
  return `${stdout}${stderr}`.split('\n')[0]!.replace(/ *Copyright.*/, '');
}

/**
 * Runs a program to its end and returns its output.
 *
 * @throws if it fails or takes longer than `timeoutMs`.
 */
export function run(
  program: string,
  args: string[],
  { env = {}, timeoutMs }: { env?: Record<string, string>; timeoutMs: number },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) resolve(output);
      else reject(new Error(`${program} ended with ${signal ?? `code ${code}`}:\n${output.slice(0, 2_000)}`));
    });
  });
}
