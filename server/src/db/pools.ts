import type { EventEmitter } from 'node:events';
import {
  Client,
  DatabaseError,
  Pool,
  TypeOverrides,
  types,
  type ClientConfig,
  type PoolClient,
  type PoolConfig,
  type QueryConfig,
  type QueryResult,
  type QueryResultRow,
} from 'pg';
import type { Logger } from 'pino';
import { awayCode } from './away.ts';
import type { DiskWatch } from './disk-watch.ts';
import { largestSizes, type PoolSizes } from './pool-sizes.ts';

/** The driver's types. Only this folder opens connections. */
export { DatabaseError, type Client, type Pool, type PoolClient };

/** Reads bigints as numbers, because ours are times and counts far below 2^53. Reads dates as texts, because a calendar day has no time zone. */
const parsers = new TypeOverrides();
parsers.setTypeParser(types.builtins.INT8, Number);
parsers.setTypeParser(types.builtins.DATE, (day) => day);

export type Connection = Pick<ClientConfig, 'host' | 'port' | 'user' | 'database' | 'connectionString' | 'ssl'>;

export interface Database {
  /** For plain reads by key, and for maintenance duties. */
  readers: Pool;
  /** For lists, so that a slow list does not delay authentication. */
  listers: Pool;
  /** For event streams, so that readers of long histories do not delay other requests. */
  followers: Pool;
  /** For the bytes of files, so that large uploads do not delay lists. */
  files: Pool;
  /** For the committer, the only writer. Statements are pipelined: a batch is one round trip. */
  writers: Pool;
  /** For delivering webhooks. */
  deliverers: Pool;
  /** For the job queue, which has its own statements and parses results in its own way. */
  jobs: Pool;
  /** For searches and their index, so that a slow search delays nothing else. */
  searchers: Pool;
  /** For monitoring, which matters most when all other pools are busy. */
  watchers: Pool;
  end(): Promise<void>;
}

/** Batches in flight. More would only wait for each other. */
export const writersMax = largestSizes.writers;

/**
 * Settings of each connection, in place of the defaults of the database. Compiling takes longer than any of our statements runs. Up to
 * PostgreSQL 17, statements with disabled plan types would be compiled. Each statement must see what others have committed before it. The
 * arrays of values have nulls.
 */
const everywhere = '-c jit=off -c array_nulls=on -c default_transaction_isolation=read\\ committed';

const searching: PoolConfig = {
  // A search is stopped after a second. Without sequential scans, an index is used even if the statistics are old.
  statement_timeout: 1_000,
  options: `${everywhere} -c enable_seqscan=off`,
  idleTimeoutMillis: 60_000,
};

/** Monitoring runs one query at a time and fails early. Without monitoring, the connection closes. */
const watching: PoolConfig = {
  connectionTimeoutMillis: 500,
  statement_timeout: 300,
  query_timeout: 500,
  idleTimeoutMillis: 60_000,
};

/**
 * Makes statements use indexes in spite of the statistics, and plans them once. The queue of deliveries grows from nothing to very much in
 * seconds, faster than PostgreSQL collects statistics.
 */
export const indexesOnly = `${everywhere} -c enable_seqscan=off -c enable_bitmapscan=off -c plan_cache_mode=force_generic_plan`;

/** Finds a page of events by their order. Plans once, because a look at all partitions takes longer than reading a page. */
const inOrderOnly = `${indexesOnly} -c enable_sort=off`;

/** Milliseconds. A database that goes away takes all idle connections with it. */
const lossesTogetherMs = 1_000;

/** Logs lost connections: one line for those that are lost together. */
class LossLog {
  readonly #log: Logger;
  #lost = 0;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** @param first why the connection was lost. Only the first reason of several is logged. */
  add(first: { code: string | undefined; message: string }): void {
    if (++this.#lost > 1) return;
    setTimeout(() => {
      this.#log.warn({ ...first, connections: this.#lost }, 'idle database connections were lost');
      this.#lost = 0;
    }, lossesTogetherMs).unref();
  }
}

type Connected = NonNullable<Parameters<Pool['connect']>[0]>;

/**
 * The pool of the job queue. Its library releases a connection twice if the database refuses to listen while the library releases it. The
 * driver throws then, and without a handler, the error would end the process.
 */
class PoolOfQueue extends Pool {
  override connect(): Promise<PoolClient>;
  override connect(connected: Connected): void;
  override connect(connected?: Connected): Promise<PoolClient> | void {
    if (!connected) return super.connect();
    super.connect((error, client, release) => {
      let isReleased = false;
      connected(error, client, (reason) => {
        if (isReleased) return;
        isReleased = true;
        release(reason);
      });
    });
  }
}

/** Longer than any of our statements should take, in milliseconds. It frees the locks of a client that vanished. */
const statementTimeoutMs = 10_000;

/** Milliseconds to connect. */
const connectMs = 5_000;

/** Abandons a silent connection after so many milliseconds, because a network can fail without an error. */
const queryTimeoutMs = 15_000;

/**
 * Opens the pools. They connect when first needed, and replace lost connections.
 *
 * @param options.disk looks at every error that PostgreSQL returns.
 */
export function openDatabase(
  connection: Connection,
  log: Logger,
  { disk, sizes = largestSizes }: { disk?: DiskWatch; sizes?: PoolSizes } = {},
): Database {
  const common: PoolConfig = {
    ...connection,
    application_name: 'tenure',
    options: everywhere,
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    query_timeout: queryTimeoutMs,
    idleTimeoutMillis: 0,
    types: parsers,
  };
  const readers = new Pool({ ...common, max: sizes.readers });
  const listers = new Pool({ ...common, max: sizes.listers });
  const followers = new Pool({ ...common, max: sizes.followers, options: inOrderOnly });
  const files = new Pool({ ...common, max: sizes.files });
  const writers = new Pool({ ...common, max: sizes.writers, pipeline: true });
  const deliverers = new Pool({ ...common, max: sizes.deliverers, options: indexesOnly });
  const { types: _, ...withDriversTypes } = common;
  const jobs = new PoolOfQueue({ ...withDriversTypes, max: sizes.jobs });
  const searchers = new Pool({ ...common, ...searching, max: sizes.searchers });
  const watchers = new Pool({ ...common, ...watching, max: sizes.watchers, options: indexesOnly });
  let isEnding = false;
  const losses = new LossLog(log);
  const pools = [readers, listers, followers, files, writers, deliverers, jobs, searchers, watchers];
  for (const pool of pools) {
    // The driver's error contains the whole client, with every statement it has prepared.
    pool.on('error', ({ message, code }: Error & { code?: string }) => {
      if (!isEnding) losses.add({ code, message });
    });
    // The user of the connection learns of its loss by failed queries. Without a listener the event would end the process.
    pool.on('connect', (client) => {
      client.on('error', () => {});
      if (disk) errorsOf(client).on('errorMessage', (error) => disk.observe(error));
    });
  }
  return {
    readers,
    listers,
    followers,
    files,
    writers,
    deliverers,
    jobs,
    searchers,
    watchers,
    async end() {
      isEnding = true;
      await Promise.all(pools.map((pool) => pool.end()));
    },
  };
}

/** Milliseconds to connect at a start. A machine that has just started can be very busy. */
export const connectAtStartMs = 30_000;

/**
 * Runs `work` on a connection of its own, for work at a start and with session locks.
 *
 * @param timeoutMs how long to connect at most.
 */
export async function withClient<Result>(
  connection: Connection,
  work: (client: Client) => Promise<Result>,
  timeoutMs = connectMs,
): Promise<Result> {
  const client = new Client({
    ...connection,
    application_name: 'tenure',
    options: everywhere,
    connectionTimeoutMillis: timeoutMs,
    types: parsers,
  });
  // The user of the connection learns of its loss by failed queries. Without a listener the event would end the process.
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * Runs one statement, as the pool's own `query` does.
 *
 * @throws {UnavailableError} if the database cannot be reached.
 */
export async function query<Row extends QueryResultRow>(
  pool: Pool,
  statement: string | QueryConfig,
  values?: unknown[],
): Promise<QueryResult<Row>> {
  try {
    return await pool.query<Row>(statement, values);
  } catch (error) {
    throw isUnavailable(error) || isRolledBack(error) ? new UnavailableError(false, error) : error;
  }
}

/**
 * Returns whether an error is temporary: the database cannot be reached, exceeds our time limits, or has no room. Or its disk has a
 * fault, or the account moves. A retry can succeed.
 */
export function isUnavailable(error: unknown): boolean {
  return isConnectionFault(error) || hasCode(error, ['57014', '55P03', '53', '58030', '25006', awayCode]);
}

/** Returns whether PostgreSQL ended a transaction in favour of another one. An operator's `alter table` can deadlock with a read. */
function isRolledBack(error: unknown): boolean {
  return hasCode(error, ['40001', '40P01']);
}

/**
 * Returns whether the connection failed, so that the result of a sent statement is unknown. Any other error is PostgreSQL's own
 * response: the statement and its transaction did not take effect.
 */
export function isConnectionFault(error: unknown): boolean {
  const isOfPostgres = error instanceof DatabaseError && error.code !== undefined;
  return !isOfPostgres || hasCode(error, ['08', '57P', '53300', '25P03', '25P04']);
}

/**
 * Returns whether an error says that the database is away, or has no room for connections. Unlike `isConnectionFault`, it takes no fault of
 * our own for one.
 */
export function isOutage(error: unknown): boolean {
  if (error instanceof UnavailableError) return isOutage(error.cause);
  if (!(error instanceof Error)) return false;
  const { code, message, syscall } = error as NodeJS.ErrnoException;
  if (error instanceof DatabaseError) return hasCode(error, ['08', '57P', '53300']);
  // The file of a socket is missing, not any other file.
  if (code === 'ENOENT') return syscall === 'connect';
  return code === undefined ? driversOutage.test(message) : systemsOutage.has(code);
}

/** Returns the cell to which the account of a refused write has moved, and an empty text during the move. Null for any other error. */
export function awayCellOf(error: unknown): string | null {
  return error instanceof DatabaseError && error.code === awayCode ? (error.hint ?? '') : null;
}

/** The system's codes for a connection that cannot be made, or that was lost. */
const systemsOutage = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
]);

/** The driver's errors about connections have no code. */
const driversOutage =
  /^(Connection terminated|Client has encountered a connection error|Query read timeout|timeout exceeded when trying to connect)/;

function hasCode(error: unknown, beginnings: readonly string[]): boolean {
  return error instanceof DatabaseError && beginnings.some((beginning) => error.code?.startsWith(beginning));
}

/** Returns the id of the server process behind a connection. The driver stores it to cancel queries. */
export function processIdOf(client: Client | PoolClient): number {
  return (client as Client & { processID: number }).processID;
}

/** Returns the emitter of all errors that PostgreSQL returns on a connection, to any code. */
function errorsOf(client: Client | PoolClient): EventEmitter<{ errorMessage: [DatabaseError] }> {
  return (client as Client & { connection: EventEmitter<{ errorMessage: [DatabaseError] }> }).connection;
}

/** Returns whether a value of the statement is invalid, or breaks a constraint. A retry would fail again. */
export function isRefusedData(error: unknown): boolean {
  return error instanceof DatabaseError && /^(22|23)/.test(error.code ?? '');
}

/** The database cannot be reached. If `inDoubt`, the outcome of the commit is unknown. Otherwise nothing was written. */
export class UnavailableError extends Error {
  readonly inDoubt: boolean;

  constructor(inDoubt: boolean, cause: unknown) {
    super(
      inDoubt ? 'The database was lost during a commit and has not come back.' : 'The database cannot be reached.',
      { cause },
    );
    this.inDoubt = inDoubt;
  }
}
