import type { Client } from 'pg';
import { onlyRow } from './only-row.ts';

/**
 * The keys of this server's session advisory locks in PostgreSQL, listed here so that no two uses collide. Idempotency keys, and counts
 * with a limit, take transaction locks on a hash of 64 bits.
 */
export const migrateLockKey = 7_310_001;
export const dutiesLockKey = 7_310_002;
export const firstStartLockKey = 7_310_003;
export const recoveriesLockKey = 7_310_004;
export const retentionLockKey = 7_310_005;
/** Held together with the hash of its name by each live worker of the job queue. */
export const workerLockKey = 7_310_006;
/** Held together with its number by each live process that delivers. */
export const delivererLockKey = 7_310_007;
export const activityLockKey = 7_310_008;
/** Held together with the hash of an account while its entries of the search are written. */
export const searchLockKey = 7_310_009;
/** Held together with the hash of an account while its events start workflows. */
export const workflowsLockKey = 7_310_010;
/** Held by the command that moves accounts. */
export const moveLockKey = 7_310_011;
/** Held together with the hash of a root. Writes to an account that moves share it, and the gate takes it alone. */
export const moveGateLockKey = 7_310_012;

/** Runs `work` under the lock. Does nothing if another process holds it. */
export async function withLockIfFree(client: Client, key: number, work: () => Promise<void>): Promise<void> {
  const { rows } = await client.query<{ ours: boolean }>('select pg_try_advisory_lock($1) as ours', [key]);
  if (!onlyRow(rows).ours) return;
  try {
    await work();
  } finally {
    // A connection that is gone has given its locks back.
    await client.query('select pg_advisory_unlock($1)', [key]).catch(() => {});
  }
}

/** Runs `work` under the lock. Waits while another process holds it. */
export async function withLock<Result>(client: Client, key: number, work: () => Promise<Result>): Promise<Result> {
  await client.query('select pg_advisory_lock($1)', [key]);
  try {
    return await work();
  } finally {
    // A connection that is gone has given its locks back.
    await client.query('select pg_advisory_unlock($1)', [key]).catch(() => {});
  }
}
