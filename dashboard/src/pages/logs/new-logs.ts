import { ApiError, type Log, type LogsListParams, type Tenure } from 'tenure';
import type { LiveSource } from '../../api/live.ts';

/** The pause between two requests, in milliseconds. */
const pauseMs = 1_000;

/**
 * How long before the newest log the count begins, in seconds. A log has the time at which its request began, but appears at its end. So
 * the log of a slow request appears below others that are there already.
 */
const overlapSeconds = 90;

/** Follows logs that fit the filters. Each second, it reads the exact number of logs since a fixed time, and one of the logs. */
export function newLogs(filters: LogsListParams): LiveSource {
  return async function* (tenure, signal) {
    let created: LogsListParams['created'];
    let known: number | null = null;
    for (; !signal.aborted; await pause(signal)) {
      if (known === null) {
        const newest = (await firstOf(tenure, filters, signal))?.newest;
        if (newest) created = { gte: newest.created - overlapSeconds };
      }
      const count = (await firstOf(tenure, { ...filters, ...(created && { created }) }, signal))?.count;
      if (count === undefined) continue;
      for (let index = known ?? count; index < count; index++) yield index;
      known = count;
    }
  };
}

/** Returns the newest log and the number of all, or null if the server cannot be reached now. */
async function firstOf(
  tenure: Tenure,
  params: LogsListParams,
  signal: AbortSignal,
): Promise<{ newest: Log | undefined; count: number } | null> {
  try {
    const { data, count } = await tenure.logs.list({ ...params, limit: 1 }, { signal });
    return { newest: data[0], count };
  } catch (error) {
    if (error instanceof ApiError || signal.aborted) throw error;
    return null;
  }
}

/** Waits, but no longer than until the end. */
function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, pauseMs);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
