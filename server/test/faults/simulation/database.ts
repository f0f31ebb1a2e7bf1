import { setTimeout as delay } from 'node:timers/promises';
import type { QueryResult } from 'pg';
import pino from 'pino';
import {
  isConnectionFault,
  openDatabase,
  withClient,
  type Connection,
  type Database,
  type Pool,
  type PoolClient,
} from '../../../src/db/pools.ts';
import type { Life } from './life.ts';

/** A statement as the driver gets it. */
export interface Query {
  name?: string;
  text: string;
  values?: unknown[];
}

/** The one real database of all worlds. A world sees only its own account, even by statements that name no account. */
export interface SharedDatabase {
  /** The server's own pools, several times. They are the real connections of all simulated processes. */
  real: readonly Database[];
  /** The role that sees the rows of one world alone; see `openShared`. */
  role: string;
  end(): Promise<void>;
}

/**
 * Opens the database for `places` times as many connections as a server has. Claims and the purge of keys read all accounts. On connections
 * that deliver, row security shows them only those of their world.
 */
export async function openShared(connection: Connection, places: number): Promise<SharedDatabase> {
  const role = `simulation_${process.pid}_${Date.now().toString(36)}`;
  await withClient(connection, async (client) => {
    // A simulation has no power failure, and does not test the disk.
    await client.query(`alter database ${client.database} set synchronous_commit = off`);
    await client.query(`
      create role ${role};
      grant ${role} to current_user;
      grant usage on schema public to ${role};
      grant select, insert, update, delete on all tables in schema public to ${role}`);
    for (const table of ['webhook_queue', 'idempotency_keys']) {
      await client.query(`
        alter table ${table} enable row level security;
        create policy own_world on ${table} to ${role} using (account_id = current_setting('simulation.account'))`);
    }
  });
  const log = pino({ level: 'silent' });
  const real = Array.from({ length: places }, () => openDatabase(connection, log));
  return {
    real,
    role,
    async end() {
      await Promise.all(real.map((database) => database.end()));
      await withClient(connection, async (client) => {
        await client.query(`drop owned by ${role}`);
        await client.query(`drop role ${role}`);
      });
    },
  };
}

/** How a planted fault changes what passes through a process's connections. The product stays unchanged. */
export interface DatabaseLies {
  /** Returns the statement to send instead. */
  insteadOf?(query: Query): Query;
}

/** What can happen to a transaction that is sent at once. */
const tripFaults = {
  refused: 3,
  lost_unsent: 3,
  lost_within: 4,
  answer_lost: 6,
  left_open: 3,
  slow: 4,
  deadlock: 1,
  canceled: 1,
} as const;

/** What can happen to a single statement. */
const statementFaults = { refused: 2, lost_unsent: 2, answer_lost: 4, slow: 3 } as const;

/** A server process id that does not exist. An ended process is in no list of running ones. */
const endedProcessId = 2 ** 30;

/** How long a transaction stays open after its client vanished, unless it is terminated, in real milliseconds. */
const leftOpenMs = { least: 5, most: 120 };

/** The connections of one process for one purpose. The real database executes each statement, or it is lost. */
export class SimulatedPool {
  readonly #life: Life;
  readonly #real: Pool;
  readonly #purpose: string;
  readonly #ownRole: string | null;

  /** @param settings.ownRole the role for statements without an account; null if all statements name theirs. */
  constructor(life: Life, real: Pool, settings: { purpose: string; ownRole: string | null }) {
    this.#life = life;
    this.#real = real;
    this.#purpose = settings.purpose;
    this.#ownRole = settings.ownRole;
  }

  /** Returns the pool in the type that the product expects. */
  get asPool(): Pool {
    return this as unknown as Pool;
  }

  async query(query: Query): Promise<QueryResult> {
    const life = this.#life;
    life.busy++;
    try {
      return await this.#answerOf(query);
    } finally {
      life.busy--;
    }
  }

  async #answerOf(query: Query): Promise<QueryResult> {
    const life = this.#life;
    const name = `${this.#purpose} ${query.name ?? 'statement'}`;
    const fault = life.fault(statementFaults);
    if (fault) life.tell(`${name}: ${fault}`);
    await life.point(`before ${name}`);
    if (fault === 'slow') await life.through(delay(life.random.between(1, 20)));
    if (fault === 'refused' || fault === 'lost_unsent') throw connectionLost();
    const answering = this.#carryOut(life.lies.insteadOf?.(query) ?? query);
    life.world.waitsFor(answering);
    const result = await life.through(answering);
    life.saw(query, result);
    await life.point(`after ${name}`);
    if (fault === 'answer_lost') throw connectionLost();
    return result;
  }

  /** Returns a connection for a transaction that is sent at once. */
  async connect(): Promise<SimulatedTrip> {
    const life = this.#life;
    const fault = life.fault(tripFaults) ?? null;
    await life.point('before connecting');
    if (fault) life.tell(`a batch: ${fault}`);
    if (fault === 'refused') throw connectionLost();
    return new SimulatedTrip(life, this.#real, fault);
  }

  async #carryOut(query: Query): Promise<QueryResult> {
    if (this.#ownRole === null) return this.#real.query(query);
    const client = await this.#real.connect();
    try {
      await client.query({
        name: 'own_world',
        text: `select set_config('role', $1, false), set_config('simulation.account', $2, false)`,
        values: [this.#ownRole, this.#life.world.accountId],
      });
      return await client.query(query);
    } finally {
      client.release();
    }
  }
}

interface Sent {
  query: Query;
  answer: PromiseWithResolvers<QueryResult>;
}

/**
 * One connection for one transaction. The commit completes it. Then the database executes it, as far as it gets. Later queries go to the
 * same database.
 */
class SimulatedTrip {
  processID = endedProcessId;
  readonly #life: Life;
  readonly #real: Pool;
  readonly #fault: keyof typeof tripFaults | null;
  readonly #sent: Sent[] = [];
  #isOver = false;

  constructor(life: Life, real: Pool, fault: keyof typeof tripFaults | null) {
    this.#life = life;
    this.#real = real;
    this.#fault = fault;
  }

  query(query: Query): Promise<QueryResult> {
    if (this.#isOver) return this.#askAfterwards(query);
    const answer = Promise.withResolvers<QueryResult>();
    this.#sent.push({ query: this.#life.lies.insteadOf?.(query) ?? query, answer });
    if (query.text === 'commit') void this.#carryOut().catch((error: unknown) => this.#lose(error));
    return answer.promise;
  }

  /** The real connection was released earlier. */
  release(): void {}

  async #carryOut(): Promise<void> {
    const life = this.#life;
    await life.point('before a batch');
    if (this.#fault === 'slow') await life.through(delay(life.random.between(1, 30)));
    if (this.#fault === 'lost_unsent') return this.#lose(connectionLost());
    const client = await this.#real.connect();
    // Drawn in any case, so that a crash does not change the other choices.
    const reached = life.random.between(1, this.#sent.length - 1);
    const openMs = life.random.between(leftOpenMs.least, leftOpenMs.most);
    const isLateCommit = life.random.chance(0.5);
    if (life.isDueToCrash()) {
      // PostgreSQL learns of a killed process at once, and of a process behind a dead network later.
      const laterMs = life.random.chance(0.7) ? 0 : openMs;
      void this.#leaveBehind(client, reached, laterMs, false);
      return life.point('within a batch');
    }
    if (this.#fault === 'lost_within') {
      await this.#leaveBehind(client, reached, 0, false);
      return this.#lose(connectionLost());
    }
    if (this.#fault === 'left_open') {
      this.processID = (client as PoolClient & { processID: number }).processID;
      void this.#leaveBehind(client, this.#sent.length - 1, openMs, isLateCommit);
      await life.through(delay(openMs / 20));
      return this.#lose(connectionLost());
    }
    if (this.#fault === 'deadlock' || this.#fault === 'canceled') this.#sent.at(-2)!.query = refusalOf[this.#fault];
    const answering = Promise.allSettled(this.#sent.map(({ query }) => client.query(query)));
    life.world.waitsFor(answering);
    const results = await answering;
    client.release(results.some((result) => result.status === 'rejected' && isConnectionFault(result.reason)));
    this.#noteClaims(results);
    await life.point('after a batch');
    if (this.#fault === 'answer_lost') return this.#lose(connectionLost());
    this.#isOver = true;
    results.forEach((result, index) => {
      const { answer } = this.#sent[index]!;
      if (result.status === 'fulfilled') answer.resolve(result.value);
      else answer.reject(result.reason);
    });
  }

  /** Notes the deliveries that a transaction claimed when it made them. */
  #noteClaims(results: readonly PromiseSettledResult<QueryResult>[]): void {
    if (results.some(({ status }) => status === 'rejected')) return;
    results.forEach((result, index) => {
      if (result.status === 'fulfilled') this.#life.saw(this.#sent[index]!.query, result.value);
    });
  }

  async #askAfterwards(query: Query): Promise<QueryResult> {
    const life = this.#life;
    await life.point('before what is asked behind a batch');
    const answering = this.#real.query(query);
    life.world.waitsFor(answering);
    const result = await life.through(answering);
    await life.point('after what is asked behind a batch');
    return result;
  }

  /** Executes the beginning of the transaction, and leaves it open for a time. Then it is rolled back, or its commit comes late. */
  #leaveBehind(client: PoolClient, statements: number, openMs: number, isLateCommit: boolean): Promise<void> {
    const leaving = (async () => {
      const results = await Promise.allSettled(this.#sent.slice(0, statements).map(({ query }) => client.query(query)));
      if (openMs > 0) await delay(openMs);
      const ended = await client.query(isLateCommit ? 'commit' : 'rollback').catch(() => null);
      client.release(ended === null);
      if (isLateCommit && ended) this.#noteClaims(results);
    })();
    this.#life.world.waitsFor(leaving);
    return leaving;
  }

  #lose(error: unknown): void {
    for (const { answer } of this.#sent) answer.reject(error);
  }
}

/** PostgreSQL's own refusals, produced by PostgreSQL. */
const refusalOf = {
  deadlock: { text: `do $$ begin raise exception using errcode = '40P01'; end $$` },
  canceled: { text: `do $$ begin raise exception using errcode = '57014'; end $$` },
} as const;

function connectionLost(): Error {
  return new Error('Connection terminated unexpectedly');
}
