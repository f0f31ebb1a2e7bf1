import type { Logger } from 'pino';
import type { Committer } from '../commit/committer.ts';
import { toDecision } from '../model/change.ts';
import type { Clock } from '../core/clock.ts';
import type { Pool } from '../db/pools.ts';
import type { RecordReader } from '../db/record-reader.ts';
import { reference } from '../resources/reference/index.ts';
import { nextStepOf } from '../resources/reference/order.ts';

/** Milliseconds. With a worker, no job waits this long. */
const overdueMs = 3_600_000;

/** References a round. The others have their turn in the next one. */
const referencesAtOnce = 500;

interface OverdueContext {
  committer: Committer;
  database: { readers: Pool };
  readRecord: RecordReader;
  clock: Clock;
  log: Logger;
}

/**
 * Puts references whose next step is long overdue into the queue again. Their job was given up, or lost because the queue's tables were
 * emptied. For a reference whose job still waits, this changes nothing.
 */
export async function wakeOverdueReferences(context: OverdueContext): Promise<void> {
  const { database, clock, log } = context;
  const overdue = await readOverdue(database.readers, clock.nowMs() - overdueMs);
  for (const { account_id: accountId, id } of overdue) await wake(context, accountId, id);
  if (overdue.length > 0) log.warn({ count: overdue.length }, 'references were overdue; their jobs are queued again');
}

async function wake({ committer, readRecord, clock }: OverdueContext, accountId: string, id: string): Promise<void> {
  await committer.commitAsSystem({
    accountId,
    locks: [id],
    decide: async () => {
      const current = await readRecord(reference, accountId, id);
      const order = current?.provider_order;
      const isOverdue = order && order.due_at_ms !== null && order.due_at_ms <= clock.nowMs() - overdueMs;
      if (!isOverdue || nextStepOf(current) === null) return null;
      const after = { ...current, provider_order: { ...order, due_at_ms: clock.nowMs() } };
      return toDecision(reference, current, { after });
    },
  });
}

async function readOverdue(pool: Pool, beforeMs: number): Promise<{ account_id: string; id: string }[]> {
  const { rows } = await pool.query<{ account_id: string; id: string }>({
    name: 'overdue_references',
    text: `
      select account_id, id
      from tenant_references
      where provider_order is not null
        and status in ('pending', 'processing')
        and (provider_order::jsonb ->> 'due_at_ms')::bigint <= $1
      limit ${referencesAtOnce}`,
    values: [beforeMs],
  });
  return rows;
}
