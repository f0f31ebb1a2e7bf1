import { setTimeout as delay } from 'node:timers/promises';
import { onlyRow } from '../db/only-row.ts';
import type { Client } from '../db/pools.ts';
import { postponedDays, postponedMs } from './guards.ts';

/* Deliveries and jobs of a tree: work that must not be under way in both cells. */

const pauseMs = 50;

/** A job of a tree that drains. Its own time is not lost. */
const isPostponed = `run_at > now() + interval '${postponedDays / 2} days'`;

/** Deliveries or jobs of the tree are still under way. */
export class BusyError extends Error {}

/** Lets no process begin with further deliveries and jobs of the tree. */
async function postpone(source: Client, accountIds: readonly string[]): Promise<void> {
  await source.query(
    `update webhook_queue set due_at_ms = due_at_ms + ${postponedMs} where account_id = any($1) and due_at_ms < ${postponedMs}`,
    [accountIds],
  );
  await source.query(
    `update graphile_worker._private_jobs
     set run_at = run_at + interval '${postponedDays} days'
     where payload ->> 'account' = any($1) and locked_at is null and not ${isPostponed}`,
    [accountIds],
  );
}

/** Lets deliveries and jobs of the tree go on, if the move does not. */
export async function resume(source: Client, accountIds: readonly string[]): Promise<void> {
  await source.query(
    `update webhook_queue set due_at_ms = due_at_ms - ${postponedMs} where account_id = any($1) and due_at_ms >= ${postponedMs}`,
    [accountIds],
  );
  await source.query(
    `update graphile_worker._private_jobs
     set run_at = run_at - interval '${postponedDays} days'
     where payload ->> 'account' = any($1) and ${isPostponed}`,
    [accountIds],
  );
}

/**
 * Waits until no delivery and no job of the tree is under way.
 *
 * @param wait.postpones whether it also postpones what other processes add meanwhile.
 * @throws {BusyError} if that takes too long.
 */
export async function drain(
  source: Client,
  readAccountIds: () => Promise<string[]>,
  wait: { msMax: number; postpones: boolean },
): Promise<void> {
  const startedMs = performance.now();
  for (;;) {
    const accountIds = await readAccountIds();
    if (wait.postpones) await postpone(source, accountIds);
    const { deliveries, jobs } = await countUnderWay(source, accountIds);
    if (deliveries === 0 && jobs === 0) return;
    if (performance.now() - startedMs >= wait.msMax)
      throw new BusyError(
        `${deliveries} deliveries and ${jobs} jobs of the tree are still under way. The source is open. Run the command again later.`,
      );
    await delay(pauseMs);
  }
}

async function countUnderWay(
  source: Client,
  accountIds: readonly string[],
): Promise<{ deliveries: number; jobs: number }> {
  const { rows } = await source.query<{ deliveries: number; jobs: number }>(
    `select
       (
         select count(*)::integer
         from webhook_queue
         where account_id = any($1) and claim_token is not null
           and claimed_until_ms > extract(epoch from clock_timestamp()) * 1000
       ) as deliveries,
       (
         select count(*)::integer
         from graphile_worker._private_jobs
         where payload ->> 'account' = any($1) and locked_at is not null
       ) as jobs`,
    [accountIds],
  );
  return onlyRow(rows);
}

/** Copies the queue of deliveries without claims. The target's caller has a transaction of the move. Returns the number of rows. */
export async function copyDeliveries(
  source: Client,
  target: Client,
  columns: readonly string[],
  accountIds: readonly string[],
): Promise<number> {
  const { rows } = await source.query<{ row: string }>(
    `select to_jsonb(queue)::text as row from webhook_queue queue where account_id = any($1)`,
    [accountIds],
  );
  if (rows.length === 0) return 0;
  const names = columns.map((name) => `"${name}"`).join(', ');
  await target.query(
    `insert into webhook_queue (${names})
     select ${names}
     from jsonb_populate_recordset(null::webhook_queue, (
       select jsonb_agg(
         row::jsonb || jsonb_build_object(
           'claim_token', null,
           'claimed_until_ms', 0,
           'due_at_ms', (row::jsonb ->> 'due_at_ms')::bigint % ${postponedMs}
         )
       )
       from unnest($1::text[]) as input (row)
     ))`,
    [rows.map(({ row }) => row)],
  );
  return rows.length;
}

/** Adds the jobs of the tree to the target's queue. The target's caller has a transaction of the move. Returns the number of jobs. */
export async function copyJobs(source: Client, target: Client, accountIds: readonly string[]): Promise<number> {
  const { rows } = await source.query<{ job: string }>(
    `select json_build_object(
       'identifier', task.identifier,
       'payload', job.payload,
       'run_at', case when ${isPostponed} then run_at - interval '${postponedDays} days' else run_at end,
       'max_attempts', greatest(1, job.max_attempts - job.attempts),
       'key', job.key,
       'priority', job.priority,
       'flags', array(select jsonb_object_keys(job.flags))
     )::text as job
     from graphile_worker._private_jobs job
     join graphile_worker._private_tasks task on task.id = job.task_id
     where job.payload ->> 'account' = any($1)`,
    [accountIds],
  );
  for (const { job } of rows) {
    await target.query(
      `select graphile_worker.add_job(
         $1::json ->> 'identifier',
         $1::json -> 'payload',
         null,
         ($1::json ->> 'run_at')::timestamptz,
         ($1::json ->> 'max_attempts')::integer,
         $1::json ->> 'key',
         ($1::json ->> 'priority')::integer,
         array(select json_array_elements_text($1::json -> 'flags'))
       )`,
      [job],
    );
  }
  return rows.length;
}

/** Deletes the jobs of a tree that is elsewhere. */
export async function deleteJobs(client: Client, accountIds: readonly string[]): Promise<void> {
  await client.query(`delete from graphile_worker._private_jobs where payload ->> 'account' = any($1)`, [accountIds]);
}
