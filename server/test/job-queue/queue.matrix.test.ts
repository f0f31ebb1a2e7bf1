import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import pino from 'pino';
import { beforeEach, expect, inject, onTestFinished, test } from 'vitest';
import { isPassing } from '../../src/commit/retry.ts';
import { openDatabase, UnavailableError, withClient, type Connection, type Database } from '../../src/db/pools.ts';
import { JobWorker, migrateQueue, queueSchemaVersion, type JobSubject, type Task } from '../../src/job-queue/queue.ts';
import { databaseIn } from '../support/global-setup.ts';
import { urlOf } from '../support/processes.ts';
import { createTestDatabase } from '../support/server.ts';

const log = pino({ level: 'silent' });

let connection: Connection;
let database: Database;

beforeEach(async () => {
  const made = await createTestDatabase();
  connection = made.connection;
  database = openDatabase(connection, log);
  onTestFinished(async () => {
    await database.end();
    await made.drop();
  });
});

/** Adds jobs to the queue, as a commit does. */
async function add(ids: readonly string[], group = 'group', from = database): Promise<void> {
  await from.readers.query(
    `select graphile_worker.add_job('work', json_build_object('account', 'acct_1', 'id', id), job_key => id, flags => array[$2::text])
     from unnest($1::text[]) as id`,
    [ids, group],
  );
}

async function jobsLeft(): Promise<number> {
  const { rows } = await database.readers.query<{ count: number }>(
    'select count(*) from graphile_worker._private_jobs',
  );
  return rows[0]!.count;
}

/** Starts a worker with its own connections, as in another process. It stops with the test. */
function workerForTest(
  run: Task['run'],
  crowdedGroups: Task['crowdedGroups'] = () => [],
  workerLog: pino.Logger = log,
  own = openDatabase(connection, log),
): JobWorker {
  const worker = new JobWorker({
    connection,
    pool: own.jobs,
    tasks: { work: { atOnceMax: 32, run, crowdedGroups } },
    isPassing,
    log: workerLog,
  });
  worker.start();
  onTestFinished(async () => {
    await worker.stop();
    await own.end();
  });
  return worker;
}

const idsOf = (count: number): string[] => Array.from({ length: count }, (_, index) => `ref_${index}`);

test('runs each job once when two workers share the queue', async () => {
  const done: { worker: number; id: string }[] = [];
  for (const worker of [1, 2]) {
    workerForTest(async ({ account, id }: JobSubject) => {
      expect(account).toBe('acct_1');
      await delay(5);
      done.push({ worker, id });
    });
  }
  await delay(1_500);
  const workers = () => new Set(done.map(({ worker }) => worker));
  const ids: string[] = [];
  // A worker that starts late gets jobs, too.
  while (ids.length < 400 || workers().size < 2) {
    const more = Array.from({ length: 40 }, (_, index) => `ref_${ids.length + index}`);
    ids.push(...more);
    await add(more);
  }
  await expect.poll(jobsLeft).toBe(0);
  expect(done.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  expect(workers()).toEqual(new Set([1, 2]));
});

test('retries a job and delays no other when it throws', async () => {
  const tried = new Map<string, number>();
  workerForTest(async ({ id }) => {
    tried.set(id, (tried.get(id) ?? 0) + 1);
    if (id === 'ref_0' && tried.get(id) === 1) throw new Error('On purpose.');
  });
  await add(idsOf(3));
  await expect.poll(() => tried.get('ref_1') === 1 && tried.get('ref_2') === 1).toBe(true);
  await expect.poll(jobsLeft).toBe(0);
  expect(Object.fromEntries(tried)).toEqual({ ref_0: 2, ref_1: 1, ref_2: 1 });
});

test('skips crowded groups and runs others when a group is full', async () => {
  const done: string[] = [];
  let crowded = ['slow'];
  workerForTest(
    async ({ id }) => void done.push(id),
    () => crowded,
  );
  await add(['ref_slow'], 'slow');
  await add(['ref_quick'], 'quick');
  await expect.poll(() => done).toEqual(['ref_quick']);
  await delay(1_300);
  expect(done).toEqual(['ref_quick']);
  crowded = [];
  await expect.poll(() => done).toEqual(['ref_quick', 'ref_slow']);
});

test('waits for running jobs and takes no more when the worker stops', async () => {
  const begun: string[] = [];
  const ended: string[] = [];
  const { promise: mayEnd, resolve: letEnd } = Promise.withResolvers<void>();
  const worker = workerForTest(async ({ id }) => {
    begun.push(id);
    await mayEnd;
    ended.push(id);
  });
  await add(['ref_1']);
  await expect.poll(() => begun).toEqual(['ref_1']);
  let isStopped = false;
  const stopped = worker.stop().then(() => (isStopped = true));
  // A look for jobs that is under way ends first, also on a busy machine.
  await delay(2_000);
  await add(['ref_2']);
  await delay(1_300);
  expect([isStopped, begun, ended]).toEqual([false, ['ref_1'], []]);
  letEnd();
  await stopped;
  expect([begun, ended, await jobsLeft()]).toEqual([['ref_1'], ['ref_1'], 1]);
  // The finished job is done, and any worker can take the other one.
  workerForTest(async ({ id }) => void ended.push(id));
  await expect.poll(() => ended).toEqual(['ref_1', 'ref_2']);
});

test('does not end the process when the database refuses to listen while the worker stops', async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  const own = openDatabase(connection, log);
  const listens = Promise.withResolvers<void>();
  const refused = Promise.withResolvers<never>();
  const released = Promise.withResolvers<void>();
  // A standby refuses to listen. Here it does so while the library releases the connection.
  own.jobs.on('connect', (client) => {
    const query = client.query.bind(client) as (...given: unknown[]) => Promise<unknown>;
    Object.assign(client, {
      query(...given: unknown[]) {
        const text = String(given[0]);
        if (text.startsWith('LISTEN')) {
          listens.resolve();
          return refused.promise;
        }
        if (text.startsWith('UNLISTEN')) {
          refused.reject(new Error('cannot execute LISTEN during recovery'));
          released.resolve();
        }
        return query(...given);
      },
    });
  });
  const worker = workerForTest(async () => {}, undefined, log, own);
  await listens.promise;
  await worker.stop();
  await released.promise;
  await delay(500);
  expect(unhandled).toEqual([]);
});

test('recovers by itself when all connections of a worker are ended', async () => {
  const done = new Set<string>();
  workerForTest(async ({ id }) => {
    await delay(50);
    done.add(id);
  });
  const ids = idsOf(300);
  await add(ids);
  await expect.poll(() => done.size, { interval: 5 }).toBeGreaterThan(20);
  expect(done.size).toBeLessThan(ids.length);
  await endConnections();
  // Running and just finished jobs are released like those of a dead worker.
  await expect.poll(() => done.size).toBe(ids.length);
  await expect.poll(jobsLeft).toBe(0);
});

test('runs a job again at once when the worker lost its connections before it could end the job', async () => {
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const begun: string[] = [];
  workerForTest(async ({ id }) => {
    begun.push(id);
    await over;
  });
  await add(['ref_1']);
  await expect.poll(() => begun).toEqual(['ref_1']);
  const { readers } = database;
  // Too young for the release of dead workers' jobs.
  await readers.query(
    `update graphile_worker._private_jobs set locked_at = locked_at + interval '1 h' where locked_at is not null`,
  );
  await readers.query(`
    create sequence cuts;
    create function cut() returns trigger language plpgsql as $$
      begin
        perform nextval('cuts'), pg_terminate_backend(pg_backend_pid());
        return old;
      end
    $$;
    create trigger cut before delete on graphile_worker._private_jobs for each row execute function cut()`);
  end();
  const areCut = async () =>
    (await readers.query<{ is_called: boolean }>('select is_called from cuts')).rows[0]!.is_called;
  await expect.poll(areCut).toBe(true);
  await readers.query('drop trigger cut on graphile_worker._private_jobs');
  await endConnections();
  await expect.poll(() => begun).toEqual(['ref_1', 'ref_1']);
  await expect.poll(jobsLeft).toBe(0);
});

async function connectInVain(): Promise<never> {
  await delay(300);
  throw new Error('timeout exceeded when trying to connect');
}

test('works again when the database stood still while many jobs ended', async () => {
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const own = openDatabase(connection, log);
  let isStill = false;
  const connect = own.jobs.connect.bind(own.jobs) as () => Promise<PoolClient>;
  Object.assign(own.jobs, {
    connect(callback?: unknown) {
      return isStill && !callback ? connectInVain() : (connect as (given?: unknown) => unknown)(callback);
    },
  });
  const begun: string[] = [];
  workerForTest(
    async ({ id }) => {
      const at = begun.push(id);
      await over;
      // The library counts its statements wrongly if several fail one after the other. Then it waits for ever.
      if (isStill) await delay(30 * at);
    },
    undefined,
    log,
    own,
  );
  await add(idsOf(16));
  await expect.poll(() => begun.length).toBe(16);
  isStill = true;
  end();
  await delay(1_000);
  isStill = false;
  await expect.poll(jobsLeft, { timeout: 20_000 }).toBe(0);
});

test('runs a long job on another worker when its first one has lost its connections', async () => {
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const begun: string[] = [];
  workerForTest(async ({ id }) => {
    begun.push(`first ${id}`);
    await over;
  });
  await add(['ref_1']);
  await expect.poll(() => begun).toEqual(['first ref_1']);
  await endConnections();
  workerForTest(async ({ id }) => void begun.push(`second ${id}`));
  // The first job ends in any case.
  onTestFinished(() => end());
  await expect.poll(() => begun).toEqual(['first ref_1', 'second ref_1']);
  await expect.poll(jobsLeft).toBe(0);
  end();
  // The first worker works again.
  await add(['ref_2']);
  await expect.poll(() => begun.length).toBe(3);
});

test("runs a process's jobs on another one when the process was killed", async () => {
  const program = fileURLToPath(new URL('endless-worker.ts', import.meta.url));
  const dying = spawn(process.execPath, [program, urlOf(connection)], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void dying.kill('SIGKILL'));
  const ids = idsOf(3);
  await add(ids);
  let begun = '';
  dying.stdout.on('data', (bytes: Buffer) => (begun += bytes.toString()));
  await expect.poll(() => begun.trim().split('\n').toSorted()).toEqual(ids);
  const done: string[] = [];
  workerForTest(async ({ id }) => void done.push(id));
  // A living process keeps its jobs, however long they take.
  await delay(7_000);
  expect(done).toEqual([]);
  dying.kill('SIGKILL');
  await once(dying, 'exit');
  await expect.poll(() => done.toSorted()).toEqual(ids);
  await expect.poll(jobsLeft).toBe(0);
});

/** Replaces a job, as a commit does while the job is under way. */
async function replace(id: string): Promise<void> {
  await database.readers.query(
    `select graphile_worker.add_job('work', json_build_object('account', 'acct_1', 'id', $1::text), job_key => $1)`,
    [id],
  );
}

test('keeps no replaced job when its process was killed, or when it failed', async () => {
  const program = fileURLToPath(new URL('endless-worker.ts', import.meta.url));
  const dying = spawn(process.execPath, [program, urlOf(connection)], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void dying.kill('SIGKILL'));
  await add(['ref_killed']);
  const [killed] = (await once(dying.stdout, 'data')) as [Buffer];
  expect(killed.toString()).toBe('ref_killed\n');
  await replace('ref_killed');
  dying.kill('SIGKILL');
  await once(dying, 'exit');
  const { promise: isReplaced, resolve: wasReplaced } = Promise.withResolvers<void>();
  const runs: string[] = [];
  workerForTest(async ({ id }) => {
    runs.push(id);
    if (id === 'ref_fails' && runs.filter((each) => each === id).length === 1) {
      await isReplaced;
      throw new Error('On purpose.');
    }
  });
  await add(['ref_fails']);
  await expect.poll(() => runs).toContain('ref_fails');
  await replace('ref_fails');
  wasReplaced();
  await expect.poll(jobsLeft).toBe(0);
  expect(runs.filter((id) => id === 'ref_fails')).toHaveLength(2);
});

test('retries a job within seconds when the database was away at each of its many attempts', async () => {
  const tried: number[] = [];
  const lines: string[] = [];
  const ownLog = pino({}, { write: (line) => void lines.push(line) });
  await add(['ref_1']);
  // The queue itself would now wait for six hours.
  await database.readers.query('update graphile_worker._private_jobs set attempts = 20');
  const run = async (): Promise<void> => {
    tried.push(performance.now());
    if (tried.length === 1) throw new UnavailableError(false, new Error('On purpose.'));
  };
  workerForTest(run, () => [], ownLog);
  await expect.poll(jobsLeft).toBe(0);
  expect(tried).toHaveLength(2);
  // The log tells what the fault was.
  expect(lines.join('')).toMatch(/The database cannot be reached/);
});

test("creates the queue's tables once when five processes start at once on an empty database", async () => {
  const cluster = inject('cluster');
  const name = `tenure_test_${randomBytes(8).toString('hex')}`;
  await withClient(cluster, (client) => client.query(`create database ${name}`));
  const empty = databaseIn(cluster, name);
  const opened = Array.from({ length: 5 }, () => openDatabase(empty, log));
  try {
    await Promise.all(opened.map(({ jobs }) => migrateQueue(empty, jobs)));
    const { rows } = await opened[0]!.readers.query<{ id: number }>(
      'select id from graphile_worker.migrations order by id',
    );
    // The newest migration that this release knows equals the library's. Otherwise each start would search for more.
    expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: queueSchemaVersion }, (_, index) => index + 1));
    await add(['ref_1'], 'group', opened[1]);
  } finally {
    await Promise.all(opened.map((one) => one.end()));
    await withClient(cluster, (client) => client.query(`drop database ${name} with (force)`));
  }
});

/** Ends all connections to the database but this one, as a restart does. */
async function endConnections(): Promise<void> {
  await withClient(connection, (client) =>
    client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    ),
  );
}
