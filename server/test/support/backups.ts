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

/**
 * Returns settings that hold a backup or restore where it first copies a file, or starts PostgreSQL on the copy. It continues when the file
 * `until` exists, or when it is interrupted. So it is at this step however late a test looks.
 */
export function heldAt(step: 'the copy' | 'the start', until = ''): Record<string, string> {
  const script = `
    import { existsSync } from 'node:fs';
    import files from 'node:fs/promises';
    import { syncBuiltinESMExports } from 'node:module';
    import timers from 'node:timers/promises';

    let held = null;
    const hold = () => (held ??= new Promise((resolve) => {
      const look = setInterval(() => existsSync(${JSON.stringify(until)}) && goOn(), 10);
      const goOn = () => (clearInterval(look), resolve());
      for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, goOn);
    }));
    const { open } = files;
    const { setTimeout: sleep } = timers;
    // The program npm gets the same settings.
    const isCommand = /commands.(backup|restore).ts$/.test(process.argv[1]);
    if (isCommand && ${step === 'the copy'})
      files.open = async (path, ...more) => (path.endsWith('PG_VERSION') && (await hold()), open(path, ...more));
    if (isCommand && ${step === 'the start'}) timers.setTimeout = async (...given) => (await hold(), sleep(...given));
    syncBuiltinESMExports();`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };
}

/** Runs a backup as an operator does, but without npm unless it is interrupted. Without a folder, runs it as an operator that forgot it. */
export function backUp(
  dataDir: string,
  folder: string | null,
  settings: Record<string, string> = {},
  interruption?: Interruption,
): Promise<Ended> {
  const given = folder === null ? [] : [folder];
  const all = { DATA_DIR: dataDir, ...settings };
  return interruption ? runCommand('backup', given, all, interruption) : runProgram('backup', given, all);
}

/** Runs a restore as `backUp` runs a backup. */
export function restore(
  folder: string,
  dataDir: string,
  settings: Record<string, string> = {},
  interruption?: Interruption,
): Promise<Ended> {
  const all = { DATA_DIR: dataDir, ...settings };
  return interruption ? runCommand('restore', [folder], all, interruption) : runProgram('restore', [folder], all);
}

/** Creates a key as `npm run new-key` does. */
export function newKey(dataDir: string, settings: Record<string, string> = {}): Promise<Ended> {
  return runProgram('new-key', [], { DATA_DIR: dataDir, ...settings });
}

/** Runs `npm run <command> -- <given>`. */
export function runCommand(
  command: string,
  given: readonly string[],
  settings: Record<string, string> = {},
  interruption?: Interruption,
): Promise<Ended> {
  return ended('npm', ['run', '--silent', command, '--', ...given], settings, interruption);
}

/** Runs what `npm run <command> -- <given>` runs, without npm, which costs more than most commands. */
export function runProgram(
  command: string,
  given: readonly string[],
  settings: Record<string, string> = {},
): Promise<Ended> {
  return ended(process.execPath, [join(projectDir, 'server/src/commands', `${command}.ts`), ...given], settings);
}

function ended(
  program: string,
  given: readonly string[],
  settings: Record<string, string>,
  interruption?: Interruption,
): Promise<Ended> {
  const child = spawn(program, given, {
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
