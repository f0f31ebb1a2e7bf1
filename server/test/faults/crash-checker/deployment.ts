import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { makeKey } from '../../../src/core/secrets/api-keys.ts';
import { builtProgram, withSources } from './built-programs.ts';
import { isAlive, kill, processesIn, readPostmasterPid } from './processes.ts';
import { freePort } from '../../support/free-port.ts';

const projectDir = fileURLToPath(new URL('../../../../', import.meta.url));

/** A first start makes the database's files, and a start after a crash repairs them. Both take seconds, not minutes. */
const startTimeoutMs = 180_000;
/** A busy machine may take long to stop a server in good order. Then its process is killed. */
const stopTimeoutMs = 120_000;
const databaseStopTimeoutMs = 15_000;
const pollEveryMs = 10;
/** A refused connection costs most of a millisecond of processor time, and a start takes a second. */
const readyPollMs = 25;

/** In seconds; short, so that a failing delivery ends within a run. */
const retrySchedule = [0.2, 0.5, 1, 1, 1, 1, 1, 1];

/** The attempts of a delivery before it fails. */
export const attemptsMax = retrySchedule.length + 1;

/** Options for one of several servers on a shared database. */
interface DeploymentOptions {
  /** The key of the first account; new by default. */
  secretKey?: string;
  /** More environment variables of the server. */
  settings?: Record<string, string>;
  /** The program to start; the server by default. */
  program?: string;
  /** The data folder; new by default. A given folder stays, and the caller removes it. */
  dataDir?: string;
}

/** Those not removed yet. When this process ends, by a signal or a fault, they end too. */
const open = new Set<Deployment>();
process.on('exit', () => {
  for (const deployment of open) deployment.abandon();
});

/** The real server with its embedded database, on a folder and a port of its own. It can be killed and started again. */
export class Deployment {
  readonly url: string;
  readonly secretKey: string;
  /** A folder of its own, so that a database that may not run as root can enter it. */
  readonly dataDir: string;
  /** The output of all the servers. It is beside the data folder, so that a full data disk does not stop it. */
  readonly logFile: string;
  readonly #isDataDirOurs: boolean;
  readonly #port: number;
  readonly #settings: Record<string, string>;
  readonly #program: string;
  #server: ChildProcess | null = null;
  #isRemoved = false;

  private constructor(port: number, options: DeploymentOptions & { secretKey: string; program: string }) {
    const { secretKey, settings = {}, program, dataDir } = options;
    this.dataDir = dataDir ?? mkdtempSync(join(tmpdir(), 'tenure-crash-'));
    this.logFile = `${this.dataDir}.log`;
    this.#isDataDirOurs = dataDir === undefined;
    this.#port = port;
    this.url = `http://127.0.0.1:${port}`;
    this.secretKey = secretKey;
    this.#settings = settings;
    this.#program = program;
    open.add(this);
  }

  /** Chooses the place without starting anything. */
  static async create(options: DeploymentOptions = {}): Promise<Deployment> {
    const secretKey = options.secretKey ?? makeKey('secret', 'sandbox', randomBytes);
    const { program = 'server/src/main.ts', settings } = options;
    // A test with options of Node is about memory or modules. It gets the modules that an operator runs.
    const started = settings?.NODE_OPTIONS === undefined ? await builtProgram(program) : program;
    return new Deployment(await freePort(), { ...options, program: started, secretKey });
  }

  /**
   * Starts the server and waits until it serves.
   * @returns how long that took, in milliseconds.
   */
  async start(): Promise<number> {
    const startedMs = performance.now();
    const bytesBefore = statSync(this.logFile, { throwIfNoEntry: false })?.size ?? 0;
    const server = this.spawn();
    // Another program may answer on the port, until this one ends because the port is taken.
    while (!(await this.#isReady()) || !this.#hasStarted(bytesBefore)) {
      if (hasEnded(server)) throw new Error(`The server did not start:\n${this.lastLines()}`);
      if (performance.now() - startedMs > startTimeoutMs) {
        throw new Error(`The server was not ready within ${startTimeoutMs / 1000} s:\n${this.lastLines()}`);
      }
      await sleep(readyPollMs);
    }
    return performance.now() - startedMs;
  }

  /** Starts the server without waiting for it. */
  spawn(): ChildProcess {
    if (this.#isRemoved) throw new Error('The run was interrupted.');
    if (this.#server && !hasEnded(this.#server)) throw new Error('Bug! The server is running already.');
    const log = openSync(this.logFile, 'a');
    const bundledNode = join(projectDir, 'node_modules/.bin/node');
    const node = existsSync(bundledNode) ? bundledNode : process.execPath;
    this.#server = spawn(node, [this.#program], {
      cwd: projectDir,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        HOST: '127.0.0.1',
        PORT: String(this.#port),
        DATA_DIR: this.dataDir,
        TENURE_SECRET_KEY: this.secretKey,
        TENURE_RETRY_SCHEDULE: retrySchedule.join(),
        TENURE_LOG_LEVEL: 'warn',
        TENURE_STOP_DELAY_SECONDS: '0',
        ...this.#settings,
      },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    return this.#server;
  }

  /** Kills the server, as a crash does. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** The running process. */
  get process(): ChildProcess {
    if (!this.#server) throw new Error('Bug! The server is not running.');
    return this.#server;
  }

  /** Whether its process exists. */
  get isRunning(): boolean {
    return this.#server !== null && !hasEnded(this.#server);
  }

  /** The signal that ended its process; null while it runs, and if it exited by itself. */
  get endedBy(): NodeJS.Signals | null {
    return this.#server?.signalCode ?? null;
  }

  /** Pauses the server, resumes it, or sends the signal that a test program listens for. */
  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGUSR2'): void {
    this.#server!.kill(signal);
  }

  /**
   * Asks the server to stop, which stops its database too.
   * @returns its exit code; null if it did not stop and had to be killed.
   */
  async stop(): Promise<number | null> {
    return this.#end('SIGTERM');
  }

  /** Returns the id of the database's first process, from its lock file; null while none runs. */
  databasePid(): number | null {
    const pid = readPostmasterPid(join(this.dataDir, 'postgres'));
    return pid !== null && isAlive(pid) ? pid : null;
  }

  /** Returns the end of the servers' output, to find the cause of a fault. */
  lastLines(): string {
    if (!existsSync(this.logFile)) return '';
    const lines = readFileSync(this.logFile, 'utf8').trimEnd().split('\n').slice(-20).join('\n');
    return withSources(lines).replaceAll(/^(.{300}).*$/gm, '$1');
  }

  /** Kills what runs at once, without waiting. */
  abandon(): void {
    this.#server?.kill('SIGKILL');
    const postmaster = this.databasePid();
    if (postmaster !== null) kill(postmaster, 'SIGQUIT');
  }

  /** Ends every process, and removes the files unless they are wanted. */
  async remove({ keepFiles = false } = {}): Promise<void> {
    // An interrupted round must not start another server.
    this.#isRemoved = true;
    await this.stop();
    await this.#stopDatabase();
    open.delete(this);
    if (keepFiles) return;
    rmSync(this.logFile, { force: true });
    if (this.#isDataDirOurs) rmSync(this.dataDir, { recursive: true, force: true });
  }

  /** Stops a database whose server was killed, because nothing else stops it. Some processes of a killed database may never notice. */
  async #stopDatabase(): Promise<void> {
    const pids = [this.databasePid(), ...processesIn(join(realpathSync(this.dataDir), 'postgres'))].filter(
      (pid) => pid !== null,
    );
    for (const signal of ['SIGQUIT', 'SIGKILL'] as const) {
      for (const pid of pids) kill(pid, signal);
      const giveUpAtMs = performance.now() + databaseStopTimeoutMs;
      while (pids.some(isAlive) && performance.now() < giveUpAtMs) await sleep(pollEveryMs);
    }
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    const server = this.#server;
    this.#server = null;
    if (!server || hasEnded(server)) return server?.exitCode ?? null;
    const ended = new Promise<number | null>((resolve) => server.once('exit', resolve));
    server.kill(signal);
    const timer = setTimeout(() => server.kill('SIGKILL'), stopTimeoutMs);
    const code = await ended;
    clearTimeout(timer);
    return code;
  }

  /** Whether the server has printed, after the bytes of earlier ones, what it prints once it listens. */
  #hasStarted(bytesBefore: number): boolean {
    return readFileSync(this.logFile).subarray(bytesBefore).includes(' is running in ');
  }

  async #isReady(): Promise<boolean> {
    try {
      const response = await fetch(`${this.url}/readyz`, { signal: AbortSignal.timeout(5_000) });
      await response.arrayBuffer();
      return response.status === 200;
    } catch {
      return false;
    }
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
