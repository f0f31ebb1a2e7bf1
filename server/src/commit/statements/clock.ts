import type { BatchEntry } from '../batch-entry.ts';
import { type Statement, statementOf } from './statement.ts';
import { moveOwnKeys } from './idempotency-keys.ts';
import { moveJobs } from './jobs.ts';

/** Moves the deployment's clock, and the times that depend on it: expiries of keys, and jobs. */
export function advanceClock(batch: readonly BatchEntry[]): (Statement | null)[] {
  return [moveClock(batch), moveOwnKeys(batch), moveJobs(batch)];
}

/** Moves the clock. If another request has moved it meanwhile, the entry is decided again, as for a record that moved. */
function moveClock(batch: readonly BatchEntry[]): Statement | null {
  return statementOf(
    'move_clock',
    `
    with input as materialized (
      select * from unnest($1::integer[], $2::bigint[], $3::bigint[]) as input (entry, from_ms, to_ms)
    ),
    moved as (
      update deployment
      set clock_ahead_ms = input.to_ms
      from input
      where clock_ahead_ms = input.from_ms
      returning input.entry
    )
    select reject_batch_entries('stale_record', array(
      select entry from input where entry not in (select entry from moved)
    ))`,
    batch.flatMap(({ clockAdvance }, entry) => (clockAdvance ? [[entry, clockAdvance.fromMs, clockAdvance.toMs]] : [])),
  );
}
