import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { errorMessage } from '../../src/core/errors.ts';
import { withClient, type Client } from '../../src/db/pools.ts';
import { openStream, type EventStream } from '../support/event-stream.ts';
import { apiClient, good, type Api, type ApiResponse } from '../support/server.ts';
import { addAccount, type Tenant } from '../support/tenants.ts';
import type { TwoCells } from './cells.ts';
import { waitMs } from '../support/wait.ts';

/** A root account with a connected one. */
export interface Tree {
  root: Tenant;
  child: Tenant;
}

/** Milliseconds until a follower must have all events. */
const followedWithinMs = waitMs;

/** A reference. */
export const body = { application: 'app_1' };

/** Makes a tree in the source. */
export async function newTree({ source }: TwoCells): Promise<Tree> {
  const root = await addAccount(source);
  const child = await addAccount(source);
  await source.context.database.readers.query('update accounts set parent = $1 where account_id = $2', [
    root.accountId,
    child.accountId,
  ]);
  return { root, child };
}

/** Makes a reference under an idempotency key. */
export async function post(api: Api, key: string): Promise<ApiResponse> {
  return good(api.post('/v1/references', body, { 'Idempotency-Key': key }));
}

/** Leads requests to the source, and to the target once the tree has moved. */
export class Router {
  readonly #cells: TwoCells;
  hasMoved = false;

  constructor(cells: TwoCells) {
    this.#cells = cells;
  }

  get url(): string {
    return this.hasMoved ? this.#cells.target.url : this.#cells.source.url;
  }

  api(key: string): Api {
    return apiClient(this.url, key);
  }
}

/** Makes references one after another. Each is retried with its key until it is made. */
export class Writer {
  readonly ids: string[] = [];
  readonly failures: string[] = [];
  readonly key: string;
  #hasStopped = false;
  readonly #running: Promise<void>;

  constructor(api: (key: string) => Api, key: string) {
    this.key = key;
    this.#running = this.#run(api);
  }

  async stop(): Promise<void> {
    this.#hasStopped = true;
    await this.#running;
  }

  async #run(api: (key: string) => Api): Promise<void> {
    while (!this.#hasStopped) {
      const idempotencyKey = randomUUID();
      for (;;) {
        const response = await api(this.key).post('/v1/references', body, { 'Idempotency-Key': idempotencyKey });
        if (response.status === 200) {
          this.ids.push(response.body.id);
          break;
        }
        this.failures.push(`${response.status} ${response.body.error.code}`);
        await delay(20);
      }
    }
  }
}

/** Follows the stream of an account, and reconnects where it ended, as a browser does. */
export class Follower {
  readonly failures: string[] = [];
  readonly #router: Pick<Router, 'url'>;
  readonly #key: string;
  readonly #after: string;
  readonly #streams: EventStream[] = [];
  readonly #running: Promise<void>;
  #hasStopped = false;

  constructor(router: Pick<Router, 'url'>, key: string, after: string) {
    this.#router = router;
    this.#key = key;
    this.#after = after;
    this.#running = this.#run();
  }

  get ids(): string[] {
    return this.#streams.flatMap(({ ids }) => ids);
  }

  /** Waits for so many events. The error tells what the stream could wait for. */
  async count(count: number, { connection }: Pick<TwoCells['target'], 'connection'>): Promise<void> {
    const untilMs = performance.now() + followedWithinMs;
    while (this.ids.length < count) {
      if (performance.now() > untilMs) {
        const open = await withClient(connection, readOpenTransactions);
        throw new Error(
          `The stream brought ${this.ids.length} of ${count} events. Its last failures: ${JSON.stringify(this.failures.slice(-5))}. Open transactions of the cluster, which delay streams: ${JSON.stringify(open)}.`,
        );
      }
      await delay(20);
    }
  }

  async stop(): Promise<void> {
    this.#hasStopped = true;
    this.#streams.at(-1)?.close();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#hasStopped) {
      const lastId = this.#streams.findLast((stream) => stream.lastId !== null)?.lastId ?? this.#after;
      const headers = { 'Last-Event-ID': lastId };
      const stream = await openStream(this.#router.url, this.#key, { headers }).catch((error: unknown) => {
        this.failures.push(errorMessage(error));
        return null;
      });
      if (stream) {
        this.#streams.push(stream);
        await stream.end;
      }
      await delay(50);
    }
  }
}

/** Reads the transactions of all databases that have written and are still open. */
async function readOpenTransactions(client: Client): Promise<object[]> {
  const { rows } = await client.query<{ datname: string }>(
    `select datname, application_name, state, (now() - xact_start)::text as age, left(query, 80) as query
     from pg_stat_activity
     where backend_xid is not null
     order by xact_start`,
  );
  return rows;
}

/** Lists the ids of all records, sorted. */
export async function listAll(url: string, key: string, path = '/v1/references'): Promise<string[]> {
  const api = apiClient(url, key);
  const ids: string[] = [];
  for (let after = ''; ;) {
    const page = (await good(api.get(`${path}?limit=50${after}`))).body;
    ids.push(...page.data.map(({ id }: { id: string }) => id));
    if (!page.has_more) return ids.toSorted();
    after = `&starting_after=${page.data.at(-1).id}`;
  }
}

/** Returns the ids of an account's events in the order of the stream. */
export async function eventsOf({ context }: TwoCells['source'], accountId: string): Promise<string[]> {
  const { rows } = await context.database.readers.query<{ id: string }>(
    'select id from events where account_id = $1 order by epoch, transaction_id, ordinal',
    [accountId],
  );
  return rows.map(({ id }) => id);
}

/** Counts the rows of an account by table, without tables that have none. */
export async function rowsOf({ connection }: { connection: TwoCells['source']['connection'] }, accountId: string) {
  return withClient(connection, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(`
      select relname as name
      from pg_class
      join pg_attribute on attrelid = pg_class.oid and attname = 'account_id'
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`);
    const counts: Record<string, number> = {};
    for (const { name } of tables) {
      const { rows } = await client.query<{ count: number }>(
        `select count(*)::integer as count from ${name} where account_id = $1`,
        [accountId],
      );
      if (rows[0]!.count > 0) counts[name] = rows[0]!.count;
    }
    return counts;
  });
}

/** Counts the triggers of a move in both cells. */
export async function guardsIn({ source, target }: TwoCells): Promise<number[]> {
  return Promise.all(
    [source, target].map(({ connection }) =>
      withClient(connection, async (client) => {
        const { rows } = await client.query(`select from pg_trigger where tgname = 'account_move_guard'`);
        return rows.length;
      }),
    ),
  );
}
