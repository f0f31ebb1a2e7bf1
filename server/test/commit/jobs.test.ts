import pino from 'pino';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { BatchEntry } from '../../src/commit/batch-entry.ts';
import { addJobs } from '../../src/commit/statements/jobs.ts';
import { openDatabase, type Database } from '../../src/db/pools.ts';
import { createTestDatabase } from '../support/server.ts';

let database: Database;

beforeEach(async () => {
  const made = await createTestDatabase();
  database = openDatabase(made.connection, pino({ level: 'silent' }));
  onTestFinished(async () => {
    await database.end();
    await made.drop();
  });
});

/** Adds a job as a commit does. */
async function add(id: string): Promise<void> {
  const jobs = [{ job: 'work', groups: ['group'], id, dueAtMs: 0 }];
  const { text, values } = addJobs([{ accountId: 'acct_1', jobs } as unknown as BatchEntry], 0)!;
  await database.readers.query(text, values);
}

async function waitingJobs(): Promise<string[]> {
  const { rows } = await database.readers.query<{ key: string }>(
    'select key from graphile_worker._private_jobs where is_available order by id',
  );
  return rows.map(({ key }) => key);
}

test('adds a job when a worker takes the waiting job of the record at the same moment', async () => {
  await add('ref_0');
  await add('ref_1');
  const worker = await database.jobs.connect();
  try {
    await worker.query('begin');
    await worker.query(
      `update graphile_worker._private_jobs set locked_at = now(), locked_by = 'worker', attempts = 1 where key = 'ref_0'`,
    );
    const adding = add('ref_0');
    await expect
      .poll(async () => {
        const { rows } = await worker.query<{ count: number }>(
          `select count(*)::integer as count from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return rows[0]!.count;
      })
      .toBeGreaterThan(0);
    await worker.query('commit');
    await adding;
  } finally {
    worker.release();
  }
  expect(await waitingJobs()).toEqual(['ref_1', 'ref_0']);
});

test('replaces the waiting job when no worker has taken it', async () => {
  await add('ref_0');
  await add('ref_0');
  expect(await waitingJobs()).toEqual(['ref_0']);
});
