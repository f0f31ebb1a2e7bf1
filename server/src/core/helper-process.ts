import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** The machine has too little memory, or too many processes or open files, to start a process. A retry helps. */
export class NoProcessError extends Error {}

/** The largest heap of a process, in megabytes. */
interface HeapLimits {
  oldSpaceMb: number;
  semiSpaceMb: number;
}

/**
 * A process that works for this one. It starts with the first work, and ends when it has been idle. If its work breaks it, the server
 * continues. It gets no settings of the server and no secrets.
 */
export class HelperProcess {
  readonly #file: URL;
  readonly #heap: HeapLimits;
  readonly #idleMs: number;
  #running: ChildProcess | null = null;
  #idle: NodeJS.Timeout | undefined;

  constructor(file: URL, heap: HeapLimits, idleMs: number) {
    this.#file = file;
    this.#heap = heap;
    this.#idleMs = idleMs;
  }

  /**
   * Returns the process, for work. Starts it if it is not there. Until it rests, it keeps this process alive.
   *
   * @throws {NoProcessError} if the system starts no process.
   */
  use(): ChildProcess {
    clearTimeout(this.#idle);
    this.#running ??= this.#start();
    this.#running.ref();
    this.#running.channel?.ref();
    return this.#running;
  }

  /** Ends the process later, unless it is used before. */
  rest(): void {
    this.#running?.unref();
    this.#running?.channel?.unref();
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.end(), this.#idleMs).unref();
  }

  /** Ends the process now. Resolves when it has exited. */
  async end(): Promise<void> {
    clearTimeout(this.#idle);
    const ending = this.#running;
    this.#running = null;
    if (!ending || hasExited(ending)) return;
    const ended = exited(ending);
    ending.ref();
    ending.kill('SIGKILL');
    await ended;
  }

  #start(): ChildProcess {
    const started = this.#fork();
    // It may die while it is idle.
    const forget = (): void => {
      if (this.#running === started) this.#running = null;
    };
    started.on('error', forget).on('exit', forget);
    // The system is short of processes or open files. The child has no channel then.
    if (started.pid === undefined) throw new NoProcessError('No process could be started.');
    return started;
  }

  #fork(): ChildProcess {
    const { oldSpaceMb, semiSpaceMb } = this.#heap;
    try {
      return fork(this.#file, [], {
        // It needs no settings, no secrets and no flags of this process.
        env: { MALLOC_ARENA_MAX: '2' },
        execArgv: [`--max-old-space-size=${oldSpaceMb}`, `--max-semi-space-size=${semiSpaceMb}`],
        serialization: 'advanced',
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      });
    } catch (cause) {
      // The memory of the machine is short.
      throw new NoProcessError('No process could be started.', { cause });
    }
  }
}

/** Resolves when a process has exited. */
export async function exited(ending: ChildProcess): Promise<void> {
  if (!hasExited(ending)) await once(ending, 'exit');
}

/**
 * Tells whether another program has ended a process, so that its work has no fault. The system kills one when its memory is short. In a
 * terminal, Ctrl-C ends all processes of the server.
 */
export function wasKilledFromOutside({ signalCode }: ChildProcess): boolean {
  return signalCode === 'SIGKILL' || signalCode === 'SIGTERM' || signalCode === 'SIGINT' || signalCode === 'SIGHUP';
}

function hasExited({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
