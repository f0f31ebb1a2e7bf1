import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import type { Clock } from '../core/clock.ts';
import { isConnectionFault, type Pool } from '../db/pools.ts';
import { onlyRow } from '../db/only-row.ts';

/** Milliseconds. The database is queried once in this time, however many scrapes there are. */
const lookEveryMs = 1_000;

/** Milliseconds that a scrape waits for the database. Values that are late are left out. */
const lookTimeoutMs = 1_500;

/** Deliveries are counted up to here. Beyond, PostgreSQL's estimate is used. */
const countedMax = 10_000;

/** The values that one statement returns, by gauge. Null leaves the gauge out. */
type Readings = Readonly<Record<string, number | null>>;

/** Metrics that only the database has. A scrape reads them with few cheap statements. */
export class DatabaseMetrics {
  readonly #pool: Pool;
  readonly #clock: Clock;
  readonly #realClock: Clock;
  readonly #log: Logger;
  readonly #gauges = new Map<string, Gauge>();
  #look: { startedAtMs: number; ended: boolean; done: Promise<void> } | null = null;

  constructor(
    registers: Registry[],
    { pool, clock, realClock, log }: { pool: Pool; clock: Clock; realClock: Clock; log: Logger },
  ) {
    this.#pool = pool;
    this.#clock = clock;
    this.#realClock = realClock;
    this.#log = log;
    for (const [name, help] of Object.entries(gauges)) {
      const gauge = new Gauge({ name, help, registers });
      // The value is unknown, which is not 0.
      gauge.remove();
      this.#gauges.set(name, gauge);
    }
  }

  /** Updates the gauges, or leaves out those without a value. Scrapes at the same time share one look. */
  async look(): Promise<void> {
    const nowMs = performance.now();
    if (!this.#look || (this.#look.ended && nowMs - this.#look.startedAtMs >= lookEveryMs)) this.#begin(nowMs);
    const giveUp = new AbortController();
    await Promise.race([this.#look!.done, delay(lookTimeoutMs, undefined, { signal: giveUp.signal }).catch(() => {})]);
    giveUp.abort();
  }

  #begin(startedAtMs: number): void {
    for (const gauge of this.#gauges.values()) gauge.remove();
    const look = { startedAtMs, ended: false, done: Promise.resolve() };
    look.done = this.#readAll().finally(() => {
      look.ended = true;
    });
    this.#look = look;
    // Show this until the first result.
    this.#set({ tenure_database_up: 0 });
  }

  async #readAll(): Promise<void> {
    for (const ask of questions) {
      try {
        this.#set(await ask(this.#pool, this.#clock.nowMs(), this.#realClock.nowMs()));
        this.#set({ tenure_database_up: 1 });
      } catch (error) {
        this.#log.warn({ err: error }, 'a metrics query failed');
        // The others would wait for the same connection.
        if (isConnectionFault(error)) return this.#set({ tenure_database_up: 0 });
      }
    }
  }

  #set(readings: Readings): void {
    for (const [name, value] of Object.entries(readings)) {
      if (value !== null) this.#gauges.get(name)!.set(value);
    }
  }
}

const gauges = {
  tenure_jobs_oldest_due_age_seconds:
    'How long the oldest due job has waited for a worker; 0 if there is none. Jobs run automatic references, workflows and payments with a gateway, and send e-mails.',
  tenure_database_up: '1 if the database told this process about itself when it was asked for these metrics, 0 if not.',
  tenure_deliveries_oldest_due_age_seconds:
    'How long the oldest due delivery has waited for a claim; 0 if there is none. A delivery is due when its pause ends. Deliveries that wait for their next attempt, or are postponed because their endpoint does not respond, do not count and hide no others.',
  tenure_deliveries_pending: `Deliveries in the queue, due or not: counted up to ${countedMax.toLocaleString('en')}, estimated beyond.`,
  tenure_deliveries_claims_expired: `Deliveries that a process claimed and neither ended nor gave back in time, among the ${countedMax.toLocaleString('en')} of each lane that are due for longest. They are free to be claimed again.`,
  tenure_webhook_queue_dead_rows:
    'Rows of the queue of deliveries that are gone but still in their place, as PostgreSQL estimates them.',
  tenure_webhook_queue_size_bytes: 'What the queue of deliveries takes on disk, its indexes included.',
  tenure_database_oldest_transaction_age_seconds:
    'Age of the oldest open transaction that has written, in any database of the server, prepared ones included; 0 if there is none. Until it ends, the stream of events waits and nothing younger is cleaned away.',
  tenure_database_oldest_snapshot_age_seconds:
    'Age of the oldest open transaction of this database that still looks at an earlier moment, whether it has written or not; 0 if there is none. What was deleted since cannot be cleaned away.',
};

/** @param realNowMs the time that leases are compared with. */
type Question = (pool: Pool, nowMs: number, realNowMs: number) => Promise<Readings>;

/** Transactions first: if they are what the others wait for, the operator sees it. */
const questions: readonly Question[] = [
  askForTransactions,
  askForDue,
  askForJobs,
  askForExpired,
  askForPending,
  askForQueue,
];

async function askForDue(pool: Pool, nowMs: number, realNowMs: number): Promise<Readings> {
  const { rows } = await pool.query<{ due_at_ms: number | null }>({
    name: 'watch_oldest_due',
    text: `
      select least(
        (select due_at_ms from webhook_queue
         where attempt_count = 0 and due_at_ms <= $1 and claimed_until_ms <= $2 order by due_at_ms limit 1),
        (select due_at_ms from webhook_queue
         where attempt_count > 0 and due_at_ms <= $1 and claimed_until_ms <= $2 order by due_at_ms limit 1)
      ) as due_at_ms`,
    values: [nowMs, realNowMs],
  });
  const dueAtMs = onlyRow(rows).due_at_ms;
  return { tenure_deliveries_oldest_due_age_seconds: dueAtMs === null ? 0 : (nowMs - dueAtMs) / 1000 };
}

/** Job times follow the database's clock. */
async function askForJobs(pool: Pool): Promise<Readings> {
  const { rows } = await pool.query<{ seconds: number }>({
    name: 'watch_jobs',
    text: `
      select greatest(0, coalesce(extract(epoch from clock_timestamp() - min(run_at)), 0))::float8 as seconds
      from graphile_worker._private_jobs
      where is_available`,
  });
  return { tenure_jobs_oldest_due_age_seconds: onlyRow(rows).seconds };
}

/** Counts expired claims. A claimed delivery was due at its claim, and keeps that time. */
async function askForExpired(pool: Pool, nowMs: number, realNowMs: number): Promise<Readings> {
  const { rows } = await pool.query<{ count: number }>({
    name: 'watch_claims_expired',
    text: `
      select count(*)
      from (
        (select claimed_until_ms from webhook_queue
         where attempt_count = 0 and due_at_ms <= $1 order by due_at_ms limit ${countedMax})
        union all
        (select claimed_until_ms from webhook_queue
         where attempt_count > 0 and due_at_ms <= $1 order by due_at_ms limit ${countedMax})
      ) due
      where claimed_until_ms > 0 and claimed_until_ms <= $2`,
    values: [nowMs, realNowMs],
  });
  return { tenure_deliveries_claims_expired: onlyRow(rows).count };
}

async function askForPending(pool: Pool): Promise<Readings> {
  const { rows } = await pool.query<{ counted: number; estimated: number }>({
    name: 'watch_pending',
    text: `
      select
        (select count(*) from (select from webhook_queue limit ${countedMax + 1}) found) as counted,
        (select reltuples::bigint from pg_class where oid = 'webhook_queue'::regclass) as estimated`,
  });
  const { counted, estimated } = onlyRow(rows);
  return { tenure_deliveries_pending: counted <= countedMax ? counted : Math.max(counted, estimated) };
}

async function askForQueue(pool: Pool): Promise<Readings> {
  const { rows } = await pool.query<{ dead: number; size: number }>({
    name: 'watch_queue',
    text: `
      select
        pg_stat_get_dead_tuples('webhook_queue'::regclass) as dead,
        pg_total_relation_size('webhook_queue'::regclass) as size`,
  });
  const { dead, size } = onlyRow(rows);
  return { tenure_webhook_queue_dead_rows: dead, tenure_webhook_queue_size_bytes: size };
}

/** Uses the database's own clock, which also timed the start of these transactions. A vacuum's snapshot holds nothing back. */
async function askForTransactions(pool: Pool): Promise<Readings> {
  const { rows } = await pool.query<{ transaction: number; snapshot: number }>({
    name: 'watch_transactions',
    text: `
      with begun as (
        select xact_start, backend_xid is not null as has_written,
          datname = current_database() and backend_type <> 'autovacuum worker' as looks_back
        from pg_stat_activity
        where pid <> pg_backend_pid() and (backend_xid is not null or backend_xmin is not null)
        union all
        select prepared, true, database = current_database() from pg_prepared_xacts
      )
      select
        coalesce(extract(epoch from clock_timestamp() - min(xact_start) filter (where has_written)), 0)::float8 as transaction,
        coalesce(extract(epoch from clock_timestamp() - min(xact_start) filter (where looks_back)), 0)::float8 as snapshot
      from begun`,
  });
  const { transaction, snapshot } = onlyRow(rows);
  return {
    tenure_database_oldest_transaction_age_seconds: Math.max(0, transaction),
    tenure_database_oldest_snapshot_age_seconds: Math.max(0, snapshot),
  };
}
