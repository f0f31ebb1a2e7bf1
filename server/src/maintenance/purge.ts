import { setTimeout as delay } from 'node:timers/promises';

/** Rows a statement, so that each takes milliseconds. */
export const purgedAtOnceMax = 1_000;

/** A purge rests nine times as long as its last batch took, so it uses a tenth of the time. */
const restFactor = 9;

/**
 * Purges batch by batch, with rests between them, until there is nothing more or the signal stops it.
 *
 * @param purge deletes a batch, and returns whether there may be more.
 */
export async function purgeInTurns(purge: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  for (let more = true; more && !signal.aborted;) {
    const startedMs = performance.now();
    more = await purge();
    await delay((performance.now() - startedMs) * restFactor, undefined, { signal }).catch(() => {});
  }
}
