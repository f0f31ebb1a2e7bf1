import type { BatchEntry } from '../batch-entry.ts';
import { type Statement, statementOf } from './statement.ts';

/**
 * Puts jobs into the queue. Each replaces the waiting job of the same record. The queue uses the database's clock, so it gets a delay
 * instead of a time.
 *
 * The waiting jobs are locked first. Without that, a worker may take one while `add_jobs` runs. Then `add_jobs` would add nothing, because
 * it has seen a waiting job and replaces no job under way.
 */
export function addJobs(batch: readonly BatchEntry[], nowMs: number): Statement | null {
  return statementOf(
    'add_jobs',
    `
    with waiting as materialized (
      select from graphile_worker._private_jobs where key = any($4::text[]) order by id for update
    )
    select from graphile_worker.add_jobs(array(
      select (
        job,
        json_build_object('account', account_id, 'id', id),
        null,
        statement_timestamp() + wait_ms * interval '1 ms',
        ${jobAttemptsMax},
        id,
        0,
        string_to_array(job_groups, ',')
      )::graphile_worker.job_spec
      from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[]) as input (job, job_groups, account_id, id, wait_ms)
      -- An argument is evaluated before the call, so the jobs are locked by then.
      where (select count(*) from waiting) >= 0
    ))`,
    batch.flatMap(({ accountId, jobs }) =>
      jobs.map(({ job, groups, id, dueAtMs }) => [job, groups.join(','), accountId, id, Math.max(0, dueAtMs - nowMs)]),
    ),
  );
}

/** Only faults of this server or the database use up attempts. With the queue's pauses, 100 last for days. */
const jobAttemptsMax = 100;

/** Shortens the delays of waiting jobs by the advance: they follow the database's clock, which does not move. */
export function moveJobs(batch: readonly BatchEntry[]): Statement | null {
  return statementOf(
    'move_jobs',
    `
    update graphile_worker._private_jobs
    set run_at = run_at - (select sum(ms) from unnest($1::bigint[]) as input (ms)) * interval '1 ms'
    where is_available and run_at > clock_timestamp()`,
    batch.flatMap(({ clockAdvance }) => (clockAdvance ? [[clockAdvance.toMs - clockAdvance.fromMs]] : [])),
  );
}
