import { setTimeout as delay } from 'node:timers/promises';
import { UnavailableError } from '../db/pools.ts';
import { OverloadedError } from './write-request.ts';

const pauseMsMin = 50;
const pauseMsMax = 1_000;

/** Returns whether an error passes by itself: the database is away, or the server is overloaded. */
export function isPassing(error: unknown): boolean {
  return error instanceof UnavailableError || error instanceof OverloadedError;
}

/**
 * Repeats `attempt` while the database is unavailable or the server is overloaded. A new attempt starts at most `timeoutMs` after the first.
 *
 * @throws what the last attempt throws.
 */
export async function retryWhileUnavailable<Result>(
  timeoutMs: number,
  attempt: () => Promise<Result>,
): Promise<Result> {
  const startedMs = performance.now();
  for (let pauseMs = pauseMsMin; ; pauseMs = Math.min(pauseMs * 2, pauseMsMax)) {
    try {
      return await attempt();
    } catch (error) {
      if (!isPassing(error) || performance.now() + pauseMs - startedMs > timeoutMs) throw error;
    }
    await delay(pauseMs);
  }
}
