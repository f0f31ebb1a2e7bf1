import type { BatchEntry } from '../batch-entry.ts';
import type { NewDeliveryClaim } from '../new-delivery-claims.ts';
import type { Statement } from './statement.ts';
import { claimKeys } from './idempotency-keys.ts';
import { guardAndUpdateRecords, deleteRecords, insertRecords } from './records.ts';
import { appendCounts, holdLimits } from './counts.ts';
import { insertEvents, insertLogs } from './history.ts';
import { insertDeliveries, cancelDeliveries } from './deliveries.ts';
import { addJobs } from './jobs.ts';
import { advanceClock } from './clock.ts';

/**
 * Returns the statements that write a batch. Claims and moved records come first, so that a conflict is found early. With `again`, the logs
 * and events come first, because only this batch can have written them: see `provesCommit`.
 */
export function statementsOf(batch: readonly BatchEntry[], options: BatchOptions): Statement[] {
  const witnesses = [insertLogs(batch), insertEvents(batch, options.epoch)];
  const others = [
    claimKeys(batch, options.nowMs),
    ...guardAndUpdateRecords(batch),
    ...deleteRecords(batch),
    ...holdLimits(batch),
    ...insertRecords(batch),
    appendCounts(batch),
    ...advanceClock(batch),
  ];
  const inOrder = options.again ? [...witnesses, ...others] : [...others, ...witnesses];
  // Last, so that they see the endpoints as the batch leaves them.
  const statements = [
    ...inOrder,
    addJobs(batch, options.nowMs),
    cancelDeliveries(batch),
    insertDeliveries(batch, options.nowMs, options.claim),
  ];
  return statements.filter((statement) => statement !== null);
}

export interface BatchOptions {
  epoch: number;
  nowMs: number;
  /** Whether an earlier trip may have committed the batch. */
  again: boolean;
  /** Claims the batch's own deliveries for this process. */
  claim: NewDeliveryClaim | null;
}
