import { timeOfId, type Id } from './ids.ts';

const dayMs = 24 * 3600 * 1000;

/**
 * Returns the time from which events, logs, deliveries and their attempts are kept, in milliseconds. Requests about an earlier time are
 * refused. Older rows are removed one day later, because a request that was accepted may still read them. No request takes a day.
 */
export function retainedFromMs(nowMs: number, retentionDays: number): number {
  return Math.max(0, nowMs - retentionDays * dayMs);
}

/** Returns the time before which rows may be removed, in milliseconds: no running request can still read them. */
export function removableBeforeMs(nowMs: number, retentionDays: number): number {
  return Math.max(0, retainedFromMs(nowMs, retentionDays) - dayMs);
}

/** Returns whether a record with this id is young enough to be kept. */
export function isRetained(id: Id, nowMs: number, retentionDays: number): boolean {
  return timeOfId(id) >= retainedFromMs(nowMs, retentionDays);
}
