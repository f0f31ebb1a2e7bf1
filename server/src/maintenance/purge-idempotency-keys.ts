import { isHere } from '../db/away.ts';
import type { Pool } from '../db/pools.ts';
import { purgedAtOnceMax } from './purge.ts';
import { claimedWithinMs, keyLifetimeMs } from '../commit/statements/idempotency-keys.ts';

/** Milliseconds by which the clocks of processes may differ. */
const clocksDifferMs = 3 * 60_000;

/** Milliseconds. By then, requests that came within the key's day can no longer claim it. Only later requests miss the key. */
const purgedAfterMs = keyLifetimeMs + claimedWithinMs + clocksDifferMs;

/**
 * Deletes some idempotency keys whose day ended a while ago, together with their encrypted stored responses. A key that is being claimed
 * anew stays. Rows are found by their physical place, in the order they were written. By their keys, each would be a random access to a
 * large index.
 *
 * @returns whether there may be more.
 */
export async function purgeIdempotencyKeys(pool: Pool, nowMs: number): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: 'purge_keys',
    text: `
      delete from idempotency_keys
      where ctid = any(array(
        select ctid
        from idempotency_keys
        where claimed_at_ms <= $1 and ${isHere('idempotency_keys.account_id')}
        order by claimed_at_ms
        limit ${purgedAtOnceMax}
        for update skip locked
      ))`,
    values: [nowMs - purgedAfterMs],
  });
  return rowCount === purgedAtOnceMax;
}
