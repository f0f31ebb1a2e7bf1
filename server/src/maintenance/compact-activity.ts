import { activityLockKey } from '../db/advisory-locks.ts';
import { activityCounts, hourSeconds, hoursKeptFrom, minuteSeconds, minutesKeptFrom } from '../db/activity.ts';
import type { Pool } from '../db/pools.ts';

const counts = activityCounts.join(', ');

/** Adds the deleted rows to the rows of their minute or hour. So readers see the same sum throughout. */
const addGone = (seconds: number): string => `
      insert into activity as kept (account_id, start, seconds, webhook_endpoint, ${counts})
      select account_id, start / ${seconds} * ${seconds}, ${seconds}, webhook_endpoint,
        ${activityCounts.map((name) => `sum(${name})`).join(', ')}
      from gone
      group by account_id, start / ${seconds}, webhook_endpoint
      on conflict (account_id, start, seconds, webhook_endpoint) do update
      set ${activityCounts.map((name) => `${name} = kept.${name} + excluded.${name}`).join(', ')}`;

/** Two calls at once could wait for each other's rows, so one process does it at a time. Another process's call does nothing. */
const turn = 'turn as materialized (select pg_try_advisory_xact_lock($1) as ours)';

/**
 * Moves the counts that writers have appended into one row a minute. Minutes older than two days become hours, and hours older than 90
 * days are deleted.
 */
export async function compactActivity(pool: Pool, nowSeconds: number): Promise<void> {
  await pool.query({
    name: 'compact_activity_deltas',
    text: `
      with ${turn},
      gone as (
        delete from activity_deltas where (select ours from turn) returning *
      )${addGone(minuteSeconds)}`,
    values: [activityLockKey],
  });
  await pool.query({
    name: 'compact_activity_minutes',
    text: `
      with ${turn},
      gone as (
        delete from activity where seconds = ${minuteSeconds} and start < $2 and (select ours from turn) returning *
      )${addGone(hourSeconds)}`,
    values: [activityLockKey, minutesKeptFrom(nowSeconds)],
  });
  await pool.query({
    name: 'drop_activity_hours',
    text: `delete from activity where seconds = ${hourSeconds} and start < $1`,
    values: [hoursKeptFrom(nowSeconds)],
  });
}
