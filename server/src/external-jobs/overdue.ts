import type { Logger } from 'pino';
import { changeAsSystem, type SystemChangeContext } from '../commit/change-as-system.ts';
import { oncePerKind } from '../model/once-per-kind.ts';
import { isHere } from '../db/away.ts';
import type { Pool } from '../db/pools.ts';
import type { StoredRecord } from '../model/record.ts';
import type { Resource } from '../model/resource.ts';
import { scheduled, type Schedule } from '../model/traits/scheduled.ts';

/** Milliseconds. With a worker, no job waits this long. */
const overdueMs = 3_600_000;

/** Records a round. The others have their turn in the next one. */
const recordsAtOnce = 500;

interface OverdueContext extends SystemChangeContext {
  database: { readers: Pool };
  log: Logger;
}

/**
 * Puts records of a kind whose next step is long overdue into the queue again. Their job was given up, or lost because the queue's tables
 * were emptied. For a record whose job still waits, this changes nothing.
 */
export async function wakeOverdue(context: OverdueContext, resource: Resource): Promise<void> {
  const schedule = scheduled.of(resource);
  if (!schedule) throw new Error(`Bug! ${resource.object} schedules no jobs.`);
  const { database, clock, log } = context;
  const beforeMs = clock.nowMs() - overdueMs;
  const overdue = await readOverdue(database.readers, resource, beforeMs);
  for (const subject of overdue)
    await changeAsSystem(context, resource, subject, {}, (now) => {
      const dueAtMs = schedule.dueAtMs(now);
      return dueAtMs !== null && dueAtMs <= beforeMs ? schedule.wake(now, clock.nowMs()) : null;
    });
  if (overdue.length > 0)
    log.warn({ count: overdue.length }, `${resource.path} were overdue; their jobs are queued again`);
}

const overdueStatement = oncePerKind((resource) => {
  const schedule: Schedule = scheduled.of(resource)!;
  const columns = [schedule, ...(schedule.further ?? [])];
  const searches = columns.map(
    ({ column, statuses }) => `
      select account_id, id
      from ${resource.table}
      where ${column} is not null
        and (${column}::jsonb ->> 'due_at_ms') is not null
        and status in (${statuses.map((status) => `'${status}'`).join(', ')})
        and (${column}::jsonb ->> 'due_at_ms')::bigint <= $1
        and ${isHere(`${resource.table}.account_id`)}`,
  );
  return {
    name: `overdue_${resource.table}`,
    // Each search has an index of its own. A record may be in both.
    text: `${searches.join(' union all ')} limit ${recordsAtOnce}`,
  };
});

async function readOverdue(
  pool: Pool,
  resource: Resource,
  beforeMs: number,
): Promise<Pick<StoredRecord, 'account_id' | 'id'>[]> {
  const { rows } = await pool.query<Pick<StoredRecord, 'account_id' | 'id'>>({
    ...overdueStatement(resource),
    values: [beforeMs],
  });
  return rows;
}
