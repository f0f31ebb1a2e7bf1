import type { Pool } from '../db/pools.ts';
import { claimedWithinMs, keyLifetimeMs } from '../commit/statements/idempotency-keys.ts';

/** Few enough to be gone in milliseconds. */
const purgedAtOnceMax = 1_000;

/** By how much the clocks of processes may differ. */
const clocksDifferMs = 3 * 60_000;

/** Nobody who came within the key's day can claim it any more: whoever does not find it came later. */
const purgedAfterMs = keyLifetimeMs + claimedWithinMs + clocksDifferMs;

/**
 * Deletes idempotency keys whose day has been over for a while, some at a time; the answers that were kept with them, sealed, go
 * too. One that is claimed anew at this very moment stays. Rows are found by their place, in the order they were written:
 * by their keys, every one of them would be a leap somewhere into a large index.
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
        where claimed_at_ms <= $1
        order by claimed_at_ms
        limit ${purgedAtOnceMax}
        for update skip locked
      ))`,
    values: [nowMs - purgedAfterMs],
  });
  return rowCount === purgedAtOnceMax;
}
