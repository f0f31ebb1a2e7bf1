import { setTimeout as delay } from 'node:timers/promises';
import type { HttpContext } from '../context.ts';
import type { ApiRequest } from '../request.ts';
import type { WriteRoute } from '../route.ts';

/**
 * Runs the work between the commit and the response. The change is durable, so an error here is only logged. An error response would tell
 * the client that nothing was changed.
 */
export async function runAfterCommit({ log }: HttpContext, request: ApiRequest, route: WriteRoute): Promise<void> {
  await untilKnownEverywhere(route.propagationDelayMs);
  try {
    await route.afterCommit?.(request);
  } catch (error) {
    log.warn({ request: request.id, err: error }, 'the work after a commit failed');
  }
}

/** Waits until no process uses an outdated record from its cache. */
export async function untilKnownEverywhere(propagationDelayMs: number): Promise<void> {
  if (propagationDelayMs > 0) await delay(propagationDelayMs);
}
