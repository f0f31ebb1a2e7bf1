import { setTimeout as delay } from 'node:timers/promises';
import { isatty } from 'node:tty';
import { ConfigError, readConfig } from './config.ts';
import { errorStack } from '../core/errors.ts';
import { createContext, type Context, type Overrides } from './context.ts';
import { diskFullAdvice, isDiskFull } from '../db/disk-watch.ts';
import { listen } from '../db/listen.ts';
import { MasterKeyError, ModeError, ReleaseTooOldError } from '../db/deployment.ts';
import { EmbeddedDatabaseError } from '../embedded-postgres/index.ts';
import { MigrationError, watchMigrations } from '../db/migrate.ts';
import { makeFirstAccount, makeFirstOwnerLink } from './first-account.ts';
import { buildApp } from '../http/app.ts';
import { startDuties } from '../maintenance/scheduler.ts';
import { openLog } from './log.ts';
import { LogOutput } from './log-output.ts';
import { openTracing } from '../tracing/open.ts';
import { openStorage } from './storage.ts';
import { version } from './version.ts';
import { startWork } from './worker.ts';
import type { Dispatcher } from '../webhooks/dispatcher.ts';
import { deliveriesChannel } from '../webhooks/notify.ts';
import { welcome } from './banner.ts';

/** Milliseconds that requests and deliveries under way get to finish at a stop. The whole stop may take a little longer. */
const inFlightTimeoutMs = 10_000;
const stopTimeoutMs = 20_000;

/** Milliseconds after which a worker delivers without a number. Then the database serves queries, but no connection to listen on. */
const withoutNumberAfterMs = 2_000;

/** Milliseconds. Ctrl-C arrives twice: from the terminal, and from npm, which passes it on. */
const sameSignalMs = 500;

/**
 * Runs the whole server as a process, with the settings of its environment, until a signal ends it. A failed start prints the reason to
 * standard error and ends the process with 1.
 *
 * @param overrides replacements that a test uses for the real parts.
 */
export async function runServer(overrides: Overrides = {}): Promise<void> {
  await start(overrides).catch(fail);
}

/** Starts each part after those that it needs. A stop takes the reverse order. */
async function start(overrides: Overrides): Promise<void> {
  const config = readConfig(process.env);
  const output = new LogOutput(process.stdout.fd);
  const log = openLog(config.logLevel, output);
  // Lines are written in large pieces. Flush every second, so that the last ones appear soon.
  setInterval(() => output.flush(), 1_000).unref();
  process.on('exit', () => output.flushSync());

  const lifetime = new Lifetime();
  try {
    const storage = await openStorage(config, (detail, givenUp) => {
      log.error(isDiskFull(detail) ? `${detail} ${diskFullAdvice}` : detail);
      // Without a database there is nothing to serve. End the process, so that its supervisor can restart it.
      if (givenUp) void lifetime.stop().finally(() => fail(new EmbeddedDatabaseError(detail)));
    });
    lifetime.onStop(() => storage.stop());
    const { connection, masterKey } = storage;
    // Only one server uses an embedded database.
    const isAlone = config.databaseUrl === null;
    const tracing = await openTracing(process.env, { version, role: config.role, mode: config.mode }, log);
    const context = await createContext({ config, connection, masterKey, log, isAlone, tracing }, overrides);
    lifetime.onStop(() => context.close());
    // Later in a stop, the database and its duties leave no spans.
    lifetime.onStop(() => tracing?.stop());
    const duties = startDuties({
      ...context,
      writeUses: async (pool) => {
        await context.keyUses.write(pool);
        await context.sessionUses.write(pool);
        await context.portalUses.write(pool);
      },
    });
    lifetime.onStop(() => duties.stop());
    const app = buildApp(context);
    // Others take over the deliveries of a process without its lock. So the lock is held until the last attempt has ended.
    let ear: { stop(): Promise<void> } | null = null;
    lifetime.onStop(() => ear?.stop());
    // Stop both together, so that requests and deliveries under way share the time.
    lifetime.onStop(() =>
      Promise.all([app.stopServing(inFlightTimeoutMs), context.dispatcher?.stop(inFlightTimeoutMs)]),
    );
    // A key that the operator set must work from the first response on. A generated key is shown once, so a failed start must not have made
    // it.
    if (config.secretKey !== null) await makeFirstAccount(context);
    await app.listen({ host: config.host, port: config.port });
    lifetime.beforeStop(() => context.health.leave(), config.stopDelaySeconds * 1000);
    // The output of a service goes to a log, where many people can read it. A sandbox has no secrets to protect.
    const showsSecrets = config.mode === 'sandbox' || isatty(process.stdout.fd);
    const secretKey = config.secretKey === null ? await makeFirstAccount(context, { makesKey: showsSecrets }) : null;
    const showsLink = showsSecrets && config.role !== 'worker' && config.hasDashboard;
    const dashboardLink = showsLink ? await makeFirstOwnerLink(context) : null;
    if (context.dispatcher) {
      ear = watchOthers(context, context.dispatcher);
      await startDelivering(context.dispatcher, isAlone);
    }
    if (!isAlone) {
      // This process does not know what a breaking migration has changed, so it must not go on writing.
      const watch = await watchMigrations(context.reader, (message) => {
        log.error(message);
        void lifetime.stop().finally(() => fail(new MigrationError(message)));
      });
      lifetime.onStop(() => watch.stop());
    }
    if (config.role !== 'api') {
      const work = await startWork(context);
      lifetime.onStop(() => work.stop());
    }
    output.write(welcome(config, storage.place, { secretKey, dashboardLink, showsSecrets }));
    output.flush();
  } catch (error) {
    // Ignore errors that the stop caused.
    if (lifetime.stopping) return;
    await lifetime.stop();
    throw error;
  }
}

/** Hears of deliveries from other processes, and takes over those of dead ones. With the embedded database there are none. */
function watchOthers({ config, connection, log }: Context, dispatcher: Dispatcher): { stop(): Promise<void> } | null {
  if (config.databaseUrl === null) return null;
  const wake = (): void => dispatcher.wake();
  return listen(connection, deliveriesChannel, wake, log, (client, ended) => dispatcher.workers.watch(client, ended));
}

/** Starts the dispatcher. Beside others it waits for its number, because a claim without one ends with its lease only. */
async function startDelivering(dispatcher: Dispatcher, isAlone: boolean): Promise<void> {
  if (isAlone) await dispatcher.workers.releaseAll();
  else await Promise.race([dispatcher.workers.numbered, delay(withoutNumberAfterMs, undefined, { ref: false })]);
  dispatcher.start();
}

/** Collects the steps of a stop, to take in reverse order. A signal begins the stop at any moment, also during the start. */
class Lifetime {
  readonly #steps: (() => Promise<unknown> | void)[] = [];
  #signalledAtMs: number | null = null;
  /** What SIGTERM does first, and how long before the stop. A process that does not serve yet has nothing to announce. */
  #announcement = { announce: () => {}, aheadMs: 0 };
  stopping = false;

  constructor() {
    process.on('SIGINT', (signal) => this.#onSignal(signal));
    process.on('SIGTERM', (signal) => this.#onSignal(signal));
  }

  /** Lets SIGTERM call `announce` and then wait for `aheadMs` before the stop. SIGINT comes from a person at a terminal, and does not wait. */
  beforeStop(announce: () => void, aheadMs: number): void {
    this.#announcement = { announce, aheadMs };
  }

  /** Adds a step. If the stop has begun already, the step is taken at once. */
  onStop(step: () => Promise<unknown> | void): void {
    if (this.stopping) void step();
    else this.#steps.push(step);
  }

  /** Takes every step, even if others fail, and throws the first error. */
  async stop(): Promise<void> {
    this.stopping = true;
    const errors: unknown[] = [];
    for (const step of this.#steps.splice(0).toReversed()) {
      try {
        await step();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }

  /** Begins an orderly stop with a time limit at the first signal, and exits at once at the second. */
  #onSignal(signal: NodeJS.Signals): void {
    if (performance.now() - (this.#signalledAtMs ?? -Infinity) < sameSignalMs) return;
    if (this.#signalledAtMs !== null || this.stopping) process.exit(1);
    this.#signalledAtMs = performance.now();
    const { announce, aheadMs } = this.#announcement;
    announce();
    if (signal === 'SIGTERM' && aheadMs > 0) setTimeout(() => this.#stopAndExit(), aheadMs);
    else this.#stopAndExit();
  }

  #stopAndExit(): void {
    setTimeout(() => process.exit(1), stopTimeoutMs).unref();
    this.stop().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  }
}

/** What an operator can do about errors of a database. Each pattern is tried on the code of the error, a space and its message. */
const databaseAdvice: readonly [fault: RegExp, advice: string][] = [
  [
    /^28P01 /,
    'Check the user and the password in DATABASE_URL. Encode special characters of the password: `%40` is `@`.',
  ],
  [/^3D000 /, 'Make the database first, or correct its name in DATABASE_URL.'],
  [/^42501 /, "Let an administrator make Tenure's role the owner of the database and of its tables."],
  [
    /^(\w*CERT|ERR_TLS_|UNABLE_TO_)/,
    'Use the host name of its certificate, and name the certificate of its authority in DATABASE_URL: `sslrootcert=<file>`.',
  ],
  [/^ The server does not support SSL/, 'Turn on its TLS, or remove `sslmode` from DATABASE_URL.'],
  [
    /^(E\w+ connect | timeout expired| Connection terminated|ECONN|ENOTFOUND|ETIMEDOUT|EHOST|EAI_|ERR_INVALID_URL|28|57P|08)/,
    'Check that it runs and that the address is right.',
  ],
];

/** Ends the process with 1. Prints one line for each fault that the operator can correct, or else the whole error. */
function fail(error: unknown): never {
  const { code, message, syscall, hostname, address, port, path } = error as NodeJS.ErrnoException & {
    hostname?: string;
    address?: string;
    port?: number;
  };
  const expected = [
    ConfigError,
    EmbeddedDatabaseError,
    MigrationError,
    MasterKeyError,
    ModeError,
    ReleaseTooOldError,
  ].some((kind) => error instanceof kind);
  const [, advice] = databaseAdvice.find(([fault]) => fault.test(`${code ?? ''} ${message}`)) ?? [];
  if (isDiskFull(error)) {
    process.stderr.write(`Tenure could not start: ${message}. ${diskFullAdvice}\n`);
  } else if (code === 'EADDRINUSE') {
    process.stderr.write(
      `Port ${port} on ${address} is already in use. Stop what uses it, or set PORT to another one.\n`,
    );
  } else if (code === 'EACCES' && syscall === 'listen') {
    process.stderr.write(
      `Port ${port} on ${address} needs a right that this user lacks. Set PORT to 1024 or more, behind a reverse proxy.\n`,
    );
  } else if (
    (code === 'EADDRNOTAVAIL' && syscall === 'listen') ||
    (hostname !== undefined && hostname === process.env.HOST?.trim())
  ) {
    process.stderr.write(
      `HOST is "${process.env.HOST}", which is no address of this machine. Set it to one of its addresses, or to 0.0.0.0 for all.\n`,
    );
  } else if (path !== undefined && process.env.DATABASE_URL?.includes(`=${path}`)) {
    process.stderr.write(
      `The database of DATABASE_URL cannot be used: ${message}. Name a file in DATABASE_URL that Tenure can read, such as \`sslrootcert=<file>\`.\n`,
    );
  } else if (advice !== undefined) {
    process.stderr.write(`The database of DATABASE_URL cannot be used: ${message}. ${advice}\n`);
  } else {
    process.stderr.write(expected ? `${message}\n` : `Tenure could not start: ${errorStack(error)}\n`);
  }
  process.exit(1);
}
