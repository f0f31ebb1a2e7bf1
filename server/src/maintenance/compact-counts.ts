import { dutiesLockKey } from '../db/advisory-locks.ts';
import type { Pool } from '../db/pools.ts';
import { onlyRow } from '../db/only-row.ts';

/**
 * Merges the rows that writers have appended for each count of these accounts into one row. Readers see the same sum throughout. One
 * process does it at a time; another process's call does nothing.
 *
 * @returns whether this call did it.
 */
export async function compactCounts(pool: Pool, accountIds: string[]): Promise<boolean> {
  const { rows } = await pool.query<{ ours: boolean }>({
    name: 'compact_counts',
    text: `
      with turn as materialized (
        select pg_try_advisory_xact_lock($1) as ours
      ),
      many as (
        select account_id, object, dimension, value
        from count_deltas
        where account_id = any($2) and (select ours from turn)
        group by account_id, object, dimension, value
        having count(*) > 1
      ),
      gone as (
        delete from count_deltas delta
        using many
        where delta.account_id = many.account_id
          and delta.object = many.object
          and delta.dimension = many.dimension
          and delta.value = many.value
        returning delta.account_id, delta.object, delta.dimension, delta.value, delta.delta
      ),
      compacted as (
        insert into count_deltas (account_id, object, dimension, value, delta)
        select account_id, object, dimension, value, sum(delta)
        from gone
        group by account_id, object, dimension, value
      )
      select ours from turn`,
    values: [dutiesLockKey, accountIds],
  });
  return onlyRow(rows).ours;
}
