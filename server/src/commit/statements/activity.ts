import { toSeconds } from '../../core/clock.ts';
import { minuteSeconds, startOf } from '../../db/activity.ts';
import type { BatchEntry } from '../batch-entry.ts';
import type { Cell } from './statement.ts';

/** The place of each count in a row, by the class of the status. */
const classes: Readonly<Record<number, number>> = { 2: 0, 4: 1, 5: 2 };
const eventsAt = 3;

/**
 * Returns one row for each account and minute of the batch. It counts events, and logged requests by the class of their status.
 * `appendCounts` writes the rows.
 */
export function activityRows(batch: readonly BatchEntry[]): Cell[][] {
  const sums = new Map<string, { accountId: string; start: number; counts: number[] }>();
  const add = (accountId: string, seconds: number, at: number | undefined): void => {
    if (at === undefined) return;
    const start = startOf(seconds, minuteSeconds);
    const key = `${accountId} ${start}`;
    let sum = sums.get(key);
    if (!sum) sums.set(key, (sum = { accountId, start, counts: [0, 0, 0, 0] }));
    sum.counts[at]!++;
  };
  for (const { accountId, log, events } of batch) {
    if (log) add(accountId, toSeconds(log.requestedMs), classes[Math.floor(log.response.status / 100)]);
    for (const { created } of events) add(accountId, created, eventsAt);
  }
  return [...sums.values()].map(({ accountId, start, counts }) => [accountId, start, ...counts]);
}
