import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { migrateLockKey, withLock, workerLockKey } from '../db/advisory-locks.ts';
import { withClient, type Client, type Connection, type Pool } from '../db/pools.ts';
import { onlyRow } from '../db/only-row.ts';

/** The record that a job is about. */
export interface JobSubject {
  account: string;
  id: string;
}

/** A kind of job. */
export interface Task {
  /** Jobs of this kind that are under way at once, at most. The worker has room for all kinds at once, so that no kind waits for another. */
  readonly atOnceMax: number;
  /** Does the job. If it throws, the job goes back into the queue, with growing pauses. After a lost connection it may run twice at once. */
  run(subject: JobSubject): Promise<void>;
  /** Returns the groups with enough jobs under way: their other jobs wait. */
  crowdedGroups(): string[];
}

/** The newest migration of the queue's tables in our release of graphile-worker, which owns them. */
export const queueSchemaVersion = 20;

/**
 * Milliseconds between looks for jobs that become due, at most and at least. Jobs that are due at once come by notification. One look
 * serves all workers of the process. The library would poll for each worker, so its own polling is turned off.
 */
const lookEveryMsMax = 1_000;
const lookEveryMsMin = 50;
const libraryPollMs = 2 ** 31 - 1;

const pauseMs = 1_000;

/** Milliseconds for the statements that end jobs, after the last job. */
const lastStatementsMs = 2_000;

/** Milliseconds. A dead worker is noticed within twice this time. */
const releaseEveryMs = 5_000;

/**
 * The error of jobs whose fault passes by itself. Retry them every ten seconds at least: the queue's pauses grow to hours. Such a fault uses
 * up no more attempts than these, so that a long outage gives no job up.
 */
const passingMessage = 'A fault that passes by itself.';
const passingPauseMs = 10_000;
const passingAttempts = 2;

/**
 * Makes or migrates the queue's tables. Another process may do the same at this moment. Loading the library takes long, so it is loaded
 * only if there is something to do.
 */
export async function migrateQueue(connection: Connection, pool: Pool): Promise<void> {
  if ((await installedVersion(pool)) >= queueSchemaVersion) return;
  await withClient(connection, (client) =>
    withLock(client, migrateLockKey, async () => {
      const { Logger: QueueLogger, runMigrations } = await import('graphile-worker');
      await runMigrations({ pgPool: pool, logger: new QueueLogger(() => () => {}) });
    }),
  );
}

async function installedVersion(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ is_there: boolean }>(
    `select to_regclass('graphile_worker.migrations') is not null as is_there`,
  );
  if (!onlyRow(rows).is_there) return 0;
  const { rows: versions } = await pool.query<{ version: number }>(
    'select coalesce(max(id), 0) as version from graphile_worker.migrations',
  );
  return onlyRow(versions).version;
}

/**
 * Runs the jobs that changes have put into the queue. A live worker holds a lock of the database: if another worker can take the lock, its
 * owner is dead. The jobs of a dead worker go back into the queue. So a job may run twice, and must be idempotent.
 */
export class JobWorker {
  readonly #connection: Connection;
  readonly #pool: Pool;
  readonly #tasks: Readonly<Record<string, Task>>;
  /** Jobs in this process. Each waits for the network most of its time. */
  readonly #atOnceMax: number;
  readonly #isPassing: (error: unknown) => boolean;
  readonly #log: Logger;
  readonly #stopping = new AbortController();
  #running: Promise<void> | null = null;
  /** The names of this process's workers whose jobs have not been released since. */
  readonly #earlierNames = new Set<string>();

  /** @param parts.isPassing tells whether the fault of a job passes by itself, so that the job is retried soon. */
  constructor(parts: {
    connection: Connection;
    pool: Pool;
    tasks: Readonly<Record<string, Task>>;
    isPassing: (error: unknown) => boolean;
    log: Logger;
  }) {
    this.#connection = parts.connection;
    this.#pool = parts.pool;
    this.#tasks = parts.tasks;
    this.#atOnceMax = Object.values(parts.tasks).reduce((sum, { atOnceMax }) => sum + atOnceMax, 0);
    this.#isPassing = parts.isPassing;
    this.#log = parts.log;
  }

  /** Starts. It reconnects after every fault of the database. */
  start(): void {
    this.#running ??= this.#keepRunning();
  }

  /** Takes no more jobs, and waits for those under way. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #keepRunning(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await withClient(this.#connection, (client) => this.#run(client));
      } catch (error) {
        if (!signal.aborted) this.#log.warn({ err: error }, 'the job queue has stopped; it is restarted');
      }
      await delay(pauseMs, undefined, { signal }).catch(() => {});
    }
  }

  /** Works until it is stopped, or until it loses the connection whose lock shows that it is alive. */
  async #run(client: Client): Promise<void> {
    const { signal } = this.#stopping;
    const { Logger: QueueLogger, run } = await import('graphile-worker');
    const over = new AbortController();
    client.once('end', () => over.abort());
    const events = new EventEmitter();
    const created = once(events, 'pool:create') as Promise<[{ workerPool: Workers }]>;
    // A job often plans the next one.
    let soon = new AbortController();
    events.on('job:complete', () => soon.abort());
    const underWay = new Set<Promise<void>>();
    const runner = await run({
      pgPool: this.#pool,
      concurrency: this.#atOnceMax,
      pollInterval: libraryPollMs,
      noHandleSignals: true,
      // End each job with its own statement. Otherwise no code awaits that statement, and a lost connection would end the process.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
      forbiddenFlags: async () => this.#crowdedGroups(),
      taskList: Object.fromEntries(
        Object.entries(this.#tasks).map(([name, task]) => [
          name,
          async (subject) => {
            const running = task.run(subject as JobSubject).catch((error: unknown) => {
              throw this.#isPassing(error) ? passingFault(error as Error) : error;
            });
            underWay.add(running);
            await running.finally(() => underWay.delete(running));
          },
        ]),
      ),
      logger: new QueueLogger(() => (level, message) => {
        if (level === 'error') this.#log.warn({ queue: message }, 'a job failed; it is retried');
      }),
      events,
    });
    const hasStopped = (error?: unknown): void => {
      if (error) this.#log.warn({ err: error }, 'the job queue has stopped; it is restarted');
      over.abort();
    };
    runner.promise.then(() => hasStopped(), hasStopped);
    const ended = AbortSignal.any([signal, over.signal]);
    // The library stops by itself when a statement that ends a job has failed. Its promise may then stay pending.
    events.once('pool:gracefulShutdown', ({ message }: { message: string }) => {
      if (!ended.aborted) hasStopped(new Error(message));
    });
    try {
      const [{ workerPool: workers }] = await created;
      const earlierNames = [...this.#earlierNames];
      this.#earlierNames.add(workers.id);
      await client.query('select pg_advisory_lock($1, hashtext($2))', [workerLockKey, workers.id]);
      // Before this run began, the jobs of the last one had ended here. Other workers would wait for longer.
      for (const name of earlierNames) {
        await release(client, name);
        this.#earlierNames.delete(name);
      }
      for (let releasedAtMs = -Infinity; !ended.aborted;) {
        if (performance.now() - releasedAtMs >= releaseEveryMs) {
          releasedAtMs = performance.now();
          await this.#releaseDead(client, workers.id);
        }
        const { due, nextInMs } = await lookForJobs(client, this.#atOnceMax, this.#crowdedGroups());
        if (due > 0) workers.nudge(due);
        await pause(ended, lookEveryMsMin);
        await pause(AbortSignal.any([ended, soon.signal]), nextInMs - lookEveryMsMin);
        soon = new AbortController();
      }
    } finally {
      // Take no more jobs. Do not rely on `stop`: it miscounts ended jobs after a lost statement, and then waits for ever.
      const stopped = runner
        .stop()
        .catch(() => {})
        .then(() => true);
      for (let isOver = false; !isOver;) {
        await Promise.allSettled(underWay);
        const isStopped = await Promise.race([stopped, delay(lastStatementsMs, false, { ref: false })]);
        isOver = isStopped || underWay.size === 0;
      }
    }
  }

  #crowdedGroups(): string[] {
    return Object.values(this.#tasks).flatMap((task) => task.crowdedGroups());
  }

  /** Puts the jobs of dead workers back into the queue, and tidies those that have failed. */
  async #releaseDead(client: Client, ownName: string): Promise<void> {
    await tidy(client);
    const { rows } = await client.query<{ name: string }>(
      // A worker that has just started may not have its lock yet.
      `select distinct locked_by as name
       from graphile_worker._private_jobs
       where locked_by is not null and locked_by <> $1 and locked_at < clock_timestamp() - interval '5 s'`,
      [ownName],
    );
    for (const { name } of rows) {
      const { rows: tried } = await client.query<{ is_dead: boolean }>(
        'select pg_try_advisory_lock($1, hashtext($2)) as is_dead',
        [workerLockKey, name],
      );
      if (!onlyRow(tried).is_dead) continue;
      await release(client, name);
      await client.query('select pg_advisory_unlock($1, hashtext($2))', [workerLockKey, name]);
    }
  }
}

/** Returns an error by whose message `tidy` finds the job in the queue. Its stack, which the library logs, is that of the fault. */
function passingFault(fault: Error): Error {
  return Object.assign(new Error(passingMessage, { cause: fault }), { stack: fault.stack });
}

/**
 * Removes replaced jobs, and shortens the pauses of jobs whose fault passes by itself. A job that is replaced while it is under way
 * loses its key. The queue never runs it again, and would keep it for ever if it fails or its worker dies.
 */
async function tidy(client: Client): Promise<void> {
  await client.query({
    name: 'tidy_jobs',
    text: `
      with replaced as materialized (
        select id
        from graphile_worker._private_jobs
        where key is null and locked_at is null
        for update skip locked
      ),
      removed as (
        delete from graphile_worker._private_jobs using replaced where _private_jobs.id = replaced.id
      ),
      passing as materialized (
        select id
        from graphile_worker._private_jobs
        where is_available and last_error = $1 and (attempts > ${passingAttempts} or run_at > now() + $2 * interval '1 ms')
          -- Leave jobs of a tree that moves to another cell: those are postponed for longer than any pause.
          and run_at < now() + interval '1 day'
        for update skip locked
      )
      update graphile_worker._private_jobs
      set attempts = least(attempts, ${passingAttempts}), run_at = least(run_at, now() + $2 * interval '1 ms')
      from passing
      where _private_jobs.id = passing.id`,
    values: [passingMessage, passingPauseMs],
  });
}

async function release(client: Client, name: string): Promise<void> {
  await client.query('select graphile_worker.force_unlock_workers(array[$1])', [name]);
}

/** The workers of this process, as graphile-worker has them. */
interface Workers {
  id: string;
  /** Lets so many idle workers look for a job. */
  nudge(count: number): void;
}

/**
 * Counts the due jobs that a worker can take, up to `dueMax`. Jobs of crowded groups do not count, because idle workers would look for them
 * in vain. Also returns the milliseconds until the next look. All jobs have the priority 0, with which the index begins.
 */
async function lookForJobs(
  client: Client,
  dueMax: number,
  crowdedGroups: readonly string[],
): Promise<{ due: number; nextInMs: number }> {
  const { rows } = await client.query<{ due: number; next_in_ms: number | null }>({
    name: 'look_for_jobs',
    text: `
      select
        (
          select count(*)::integer
          from (
            select
            from graphile_worker._private_jobs
            where is_available and priority = 0 and run_at <= now() and (flags ?| $2::text[]) is not true
            limit $1
          ) due
        ) as due,
        (
          select ceil(extract(epoch from min(run_at) - now()) * 1000)::integer
          from graphile_worker._private_jobs
          where is_available and priority = 0 and run_at > now()
            and run_at < now() + ${lookEveryMsMax} * interval '1 ms'
        ) as next_in_ms`,
    values: [dueMax, crowdedGroups],
  });
  const { due, next_in_ms: nextInMs } = onlyRow(rows);
  return { due, nextInMs: nextInMs ?? lookEveryMsMax };
}

/** Waits, or until the signal. */
async function pause(signal: AbortSignal, ms: number): Promise<void> {
  if (ms > 0) await delay(ms, undefined, { signal, ref: false }).catch(() => {});
}
