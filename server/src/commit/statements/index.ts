import type { BatchEntry } from '../batch-entry.ts';
import type { Statement } from './statement.ts';
import { claimKeys } from './idempotency-keys.ts';
import { updateRecords, deleteRecords, insertRecords } from './records.ts';
import { appendCounts, holdLimits } from './counts.ts';
import { insertEvents, insertLogs } from './history.ts';
import { insertDeliveries, cancelDeliveries } from './deliveries.ts';
import { addJobs } from './jobs.ts';
import { advanceClock } from './clock.ts';

/**
 * The statements that write a batch, in the order that finds a conflict early: claims and moved records first.
 * With `again`, for a batch whose fate is not known, the rows that only it can have written come first: see `provesCommit`.
 */
export function statementsOf(batch: readonly BatchEntry[], options: BatchOptions): Statement[] {
  const witnesses = [insertLogs(batch), insertEvents(batch, options.epoch)];
  const others = [
    claimKeys(batch, options.nowMs),
    ...updateRecords(batch),
    ...deleteRecords(batch),
    ...holdLimits(batch),
    ...insertRecords(batch),
    appendCounts(batch),
    ...advanceClock(batch),
  ];
  const inOrder = options.again ? [...witnesses, ...others] : [...others, ...witnesses];
  // Last, because endpoints are taken as the batch leaves them.
  const statements = [
    ...inOrder,
    addJobs(batch, options.nowMs),
    cancelDeliveries(batch),
    insertDeliveries(batch, options.nowMs),
  ];
  return statements.filter((statement) => statement !== null);
}

export interface BatchOptions {
  epoch: number;
  nowMs: number;
  /** Whether the batch may have been committed by an earlier trip. */
  again: boolean;
}
