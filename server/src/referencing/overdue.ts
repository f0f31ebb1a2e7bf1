import type { Logger } from 'pino';
import type { Committer } from '../commit/committer.ts';
import { toDecision } from '../model/change.ts';
import type { Clock } from '../core/clock.ts';
import type { Pool } from '../db/pools.ts';
import type { RecordReader } from '../db/record-reader.ts';
import { reference } from '../resources/reference/index.ts';
import { nextStepOf } from '../resources/reference/order.ts';
import type { ReferenceRecord } from '../resources/reference/record.ts';

/** No job waits for so long where there is a worker. */
const overdueMs = 3_600_000;

/** The others have their turn the next time. */
const referencesAtOnce = 500;

interface OverdueContext {
  committer: Committer;
  database: { readers: Pool };
  readRecord: RecordReader;
  clock: Clock;
  log: Logger;
}

/**
 * Puts references into the queue anew whose next step is long overdue: their job is lost, as it is when somebody empties the queue's
 * tables, or it has been given up. For one that is waiting still, this changes nothing.
 */
export async function wakeOverdueReferences(context: OverdueContext): Promise<void> {
  const { database, clock, log } = context;
  const overdue = await readOverdue(database.readers, clock.nowMs() - overdueMs);
  for (const { account_id: accountId, id } of overdue) await wake(context, accountId, id);
  if (overdue.length > 0) log.warn({ count: overdue.length }, 'references were overdue, and are carried on');
}

async function wake({ committer, readRecord, clock }: OverdueContext, accountId: string, id: string): Promise<void> {
  await committer.commitAsSystem({
    accountId,
    touches: [id],
    decide: async () => {
      const current = (await readRecord(reference, accountId, id)) as ReferenceRecord | null;
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
