import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** A program of this bench or of the product, in its own process. */
export interface Child {
  process: ChildProcess;
  /** Waits for the next message that is not older than the call, for two minutes unless another time is given. */
  message<Message>(timeoutMs?: number): Promise<Message>;
  /** Asks the process to end, waits until it has, and kills it if it does not. */
  stop(): Promise<void>;
  /** Kills the process, and waits until it has ended. */
  kill(): Promise<void>;
  /** The printed output, for error messages. */
  output(): string;
}

const stopPatienceMs = 1_000;
const stopTimeoutMs = 25_000;
const messageTimeoutMs = 120_000;

/** What still runs, and the signal that ends each if this process ends first. */
const running = new Map<ChildProcess, NodeJS.Signals>();
process.on('exit', () => {
  for (const [child, signal] of running) child.kill(signal);
});

/** Starts a program with the Node that runs this one. */
export function startChild(
  file: string,
  options: { name: string; logDir: string; env?: Record<string, string>; nodeOptions?: string[] },
): Child {
  return start([process.execPath, ...(options.nodeOptions ?? []), file], options, { isNode: true });
}

/** Starts any program, without a shell. If this process ends first, the program is asked to end, so that it can stop its own children. */
export function startCommand(
  command: readonly string[],
  options: { name: string; logDir: string; env?: Record<string, string>; folder?: string },
): Child {
  return start(command, options, { isNode: false });
}

/** The program prints into a file. A pipe can hang a bench if it is not emptied, or if a grandchild holds it open. */
function start(
  [program, ...args]: readonly string[],
  options: { name: string; logDir: string; env?: Record<string, string>; folder?: string },
  { isNode }: { isNode: boolean },
): Child {
  const logFile = join(options.logDir, `${options.name}.log`);
  const log = openSync(logFile, 'w');
  const child = spawn(program!, args, {
    cwd: options.folder,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...options.env },
    stdio: ['ignore', log, log, ...(isNode ? ['ipc' as const] : [])],
  });
  closeSync(log);
  running.set(child, isNode ? 'SIGKILL' : 'SIGTERM');
  let failure = '';
  const output = (): string => failure + readFileSync(logFile, 'utf8').slice(-4_000);
  const exited = new Promise<void>((resolve) => {
    const end = (): void => {
      running.delete(child);
      resolve();
    };
    child.once('exit', end);
    child.once('error', (error) => {
      if (child.pid !== undefined) throw error;
      // The program could not be started.
      failure = `${error.message}\n`;
      end();
    });
  });
  return {
    process: child,
    output,
    async message<Message>(timeoutMs = messageTimeoutMs): Promise<Message> {
      const stopWaiting = new AbortController();
      try {
        return await Promise.race([
          new Promise<Message>((resolve) => child.once('message', resolve)),
          exited.then(() => Promise.reject(new Error(`${options.name} ended too early:\n${output()}`))),
          delay(timeoutMs, undefined, stopWaiting).then(() =>
            Promise.reject(new Error(`${options.name} said nothing in time:\n${output()}`)),
          ),
        ]);
      } finally {
        stopWaiting.abort();
      }
    },
    async stop() {
      child.kill('SIGTERM');
      // The load generator leaves without its last responses, and the server would wait for it to take them.
      const hurry = setTimeout(() => child.kill('SIGTERM'), stopPatienceMs);
      const insist = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
      await exited;
      clearTimeout(hurry);
      clearTimeout(insist);
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

const readyTimeoutMs = 60_000;

/** Waits until the address responds with success. */
export async function untilAnswered(url: string, headers: Record<string, string>, child: Child): Promise<void> {
  const giveUpAtMs = performance.now() + readyTimeoutMs;
  while (performance.now() < giveUpAtMs && child.process.exitCode === null) {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(2_000) }).catch(() => null);
    await response?.arrayBuffer();
    if (response?.ok) return;
    await delay(20);
  }
  throw new Error(`${url} was not answered:\n${child.output()}`);
}

const memorySampleMs = 100;

/** The size of a process in MB. */
export interface Size {
  residentMb: number;
  /** Counts each page that processes share once. */
  proportionalMb: number;
}

/** Watches a process's memory. Returns a function that stops this and returns the maximum. */
export function watchMemory(child: Child): () => Size {
  const most: Size = { residentMb: 0, proportionalMb: 0 };
  const look = (): void => {
    most.residentMb = Math.max(most.residentMb, memoryMb(child));
    most.proportionalMb = Math.max(most.proportionalMb, kilobytesIn(child, 'smaps_rollup', 'Pss') / 1024);
  };
  const timer = setInterval(look, memorySampleMs);
  return () => {
    clearInterval(timer);
    look();
    return most;
  };
}

/** Returns a process's resident memory in MB; 0 on systems other than Linux. */
export function memoryMb(child: Child): number {
  return kilobytesIn(child, 'status', 'VmRSS') / 1024;
}

function kilobytesIn(child: Child, file: string, name: string): number {
  try {
    const text = readFileSync(`/proc/${child.process.pid}/${file}`, 'utf8');
    return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
