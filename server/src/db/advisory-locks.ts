import type { Client } from 'pg';

/**
 * The keys of PostgreSQL's session advisory locks that this server takes, so that no two uses collide. Idempotency keys, and
 * counts that have a limit, take transaction locks on a hash, which is spread over all 64 bits.
 */
export const migrateLockKey = 7_310_001;
export const dutiesLockKey = 7_310_002;
export const firstStartLockKey = 7_310_003;
export const recoveriesLockKey = 7_310_004;
export const retentionLockKey = 7_310_005;
/** With the hash of its name: a worker of the queue of jobs that is alive. */
export const workerLockKey = 7_310_006;

/** Runs `work` while no other process holds the lock; does nothing if one does. */
export async function withLockIfFree(client: Client, key: number, work: () => Promise<void>): Promise<void> {
  const { rows } = await client.query<{ ours: boolean }>('select pg_try_advisory_lock($1) as ours', [key]);
  if (!rows[0]!.ours) return;
  try {
    await work();
  } finally {
    // A connection that is gone has given its locks back.
    await client.query('select pg_advisory_unlock($1)', [key]).catch(() => {});
  }
}

/** Runs `work` while no other process holds the lock; waits for it if one does. */
export async function withLock<Result>(client: Client, key: number, work: () => Promise<Result>): Promise<Result> {
  await client.query('select pg_advisory_lock($1)', [key]);
  try {
    return await work();
  } finally {
    // A connection that is gone has given its locks back.
    await client.query('select pg_advisory_unlock($1)', [key]).catch(() => {});
  }
}
