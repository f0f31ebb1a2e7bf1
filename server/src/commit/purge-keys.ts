import type { Pool } from '../db/database.ts';
import { keyLifetimeMs } from './statements.ts';

/** Few enough to be gone in milliseconds. */
const purgedAtOnceMax = 1_000;

/**
 * Deletes idempotency keys whose day is over, some at a time; the answers that were kept with them, sealed, go too.
 *
 * @returns whether there may be more.
 */
export async function purgeKeys(pool: Pool, nowMs: number): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: 'purge_keys',
    text: `
      delete from idempotency_keys
      where (account_id, key_account_id, key) in (
        select account_id, key_account_id, key
        from idempotency_keys
        where claimed_at_ms <= $1
        order by claimed_at_ms
        limit ${purgedAtOnceMax}
        for update skip locked
      )`,
    values: [nowMs - keyLifetimeMs],
  });
  return rowCount === purgedAtOnceMax;
}
