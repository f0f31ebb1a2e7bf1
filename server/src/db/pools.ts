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

/** The driver, for those who are handed a connection: this room alone opens one. */
export { DatabaseError, type Client, type Pool, type PoolClient };

/** Our bigints are times and counts, far below 2^53: plain numbers. */
const parsers = new TypeOverrides();
parsers.setTypeParser(types.builtins.INT8, Number);

export type Connection = Pick<ClientConfig, 'host' | 'port' | 'user' | 'database' | 'connectionString' | 'ssl'>;

export interface Database {
  /** For plain reads by key, and for the duties that keep house. */
  readers: Pool;
  /** For lists: one that has much to look at keeps nobody from signing in. */
  listers: Pool;
  /** For streams of events: those who read long histories keep nobody from anything else. */
  followers: Pool;
  /** For the bytes of files: whoever sends large ones keeps nobody from their lists. */
  files: Pool;
  /** For the committer alone: nothing else writes. Statements are pipelined: a batch is one trip. */
  writers: Pool;
  /** For delivering webhooks. */
  deliverers: Pool;
  /** For the queue of jobs, which makes its own statements and reads its answers in its own way. */
  jobs: Pool;
  /** For what is told to those who watch: when nobody else gets through they want to know most. */
  watchers: Pool;
  end(): Promise<void>;
}

/** Two batches in flight keep the database busy while the next one gathers; more only wait for each other. */
export const writersMax = 2;

/** Few connections serve more than many: reads by id are coalesced, and every switch between backends costs. */
const readersMax = 4;
const listersMax = 3;

/** Each account that is followed is read once for all who do. */
const followersMax = 2;

/** Parts of 256 kB keep a connection busy for milliseconds; two serve many who send at once. */
const filesMax = 2;

/** One claims, one writes outcomes, one reads endpoints. */
const deliverersMax = 3;

/** One listens; the others are shared by the jobs, which use them for a moment each. */
const jobsMax = 5;

/** What it asks is asked one after the other, and soon enough or not at all; who does not watch keeps no connection. */
const watching: PoolConfig = {
  max: 1,
  connectionTimeoutMillis: 500,
  statement_timeout: 300,
  query_timeout: 500,
  idleTimeoutMillis: 60_000,
};

/** Compiling a statement takes longer than any of ours, and up to PostgreSQL 17 whatever is told to use no other plan is compiled. */
const notCompiled = '-c jit=off';

/**
 * The queue of deliveries grows from nothing to very much in seconds, faster than statistics of it are taken; its statements
 * shall use its indexes whatever they say, and be planned once.
 */
export const indexesOnly = `${notCompiled} -c enable_seqscan=off -c enable_bitmapscan=off -c plan_cache_mode=force_generic_plan`;

/** A page of events is found by their order; planned once, because to look at all partitions takes longer than to read a page. */
const inOrderOnly = `${indexesOnly} -c enable_sort=off`;

/** Longer than any statement of ours should ever take; it frees the locks of a client that vanished. */
const statementTimeoutMs = 10_000;

/** After this a connection that does not answer is given up: the network may be gone without a word. */
const queryTimeoutMs = 15_000;

/** Opens the pools. Connections are made when first needed; a lost one is replaced. */
export function openDatabase(connection: Connection, log: Logger): Database {
  const common: PoolConfig = {
    ...connection,
    application_name: 'tenure',
    options: notCompiled,
    connectionTimeoutMillis: 5_000,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    query_timeout: queryTimeoutMs,
    idleTimeoutMillis: 0,
    types: parsers,
  };
  const readers = new Pool({ ...common, max: readersMax });
  const listers = new Pool({ ...common, max: listersMax });
  const followers = new Pool({ ...common, max: followersMax, options: inOrderOnly });
  const files = new Pool({ ...common, max: filesMax });
  const writers = new Pool({ ...common, max: writersMax, pipeline: true });
  const deliverers = new Pool({ ...common, max: deliverersMax, options: indexesOnly });
  const { types: _, ...withDriversTypes } = common;
  const jobs = new Pool({ ...withDriversTypes, max: jobsMax });
  const watchers = new Pool({ ...common, ...watching, options: indexesOnly });
  let isEnding = false;
  const pools = [readers, listers, followers, files, writers, deliverers, jobs, watchers];
  for (const pool of pools) {
    // What the driver throws carries the whole client, with every statement it has prepared.
    pool.on('error', ({ message, code }: Error & { code?: string }) => {
      if (!isEnding) log.warn({ code, message }, 'an idle database connection was lost');
    });
    // Whoever uses the connection learns of its loss by its queries; without a listener the event would end the process.
    pool.on('connect', (client) => client.on('error', () => {}));
  }
  return {
    readers,
    listers,
    followers,
    files,
    writers,
    deliverers,
    jobs,
    watchers,
    async end() {
      isEnding = true;
      await Promise.all(pools.map((pool) => pool.end()));
    },
  };
}

/** Runs `work` on a connection of its own, for what is done at a start and takes session locks. */
export async function withClient<Result>(
  connection: Connection,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({
    ...connection,
    application_name: 'tenure',
    connectionTimeoutMillis: 5_000,
    types: parsers,
  });
  // Whoever uses it learns of its loss by its queries; without a listener the event would end the process.
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
    throw isUnavailable(error) ? new UnavailableError(false, error) : error;
  }
}

/**
 * Whether it is no fault of the statement, but of the moment: the database cannot be reached, is busy beyond our time limits, or
 * has no room. Trying again later makes sense.
 */
export function isUnavailable(error: unknown): boolean {
  if (isConnectionFault(error)) return true;
  const passing = ['57014', '55P03', '53', '25006'];
  return passing.some((start) => (error as DatabaseError).code!.startsWith(start));
}

/**
 * Whether the fault lies with the connection, so that nobody knows what became of a statement that was on its way. Any other
 * error is PostgreSQL's own answer: the statement, and its transaction, did not happen.
 */
export function isConnectionFault(error: unknown): boolean {
  if (!(error instanceof DatabaseError) || error.code === undefined) return true;
  const aboutTheServer = ['08', '57P', '53300', '25P03', '25P04'];
  return aboutTheServer.some((start) => error.code!.startsWith(start));
}

/** Whether the statement's own values are at fault: one of them has the wrong form, or breaks a constraint. It fails again if repeated. */
export function isRefusedData(error: unknown): boolean {
  return error instanceof DatabaseError && /^(22|23)/.test(error.code ?? '');
}

/** The database cannot be reached. Nothing was written, unless `inDoubt`: then nobody could find out in time. */
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
