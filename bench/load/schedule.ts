import { setTimeout as delay } from 'node:timers/promises';

/** Yields the times of independent arrivals at this average rate, each when it is due. */
export async function* arrivalTimesMs({
  perSecond,
  startedAtMs,
  endsAtMs,
  random,
}: {
  perSecond: number;
  startedAtMs: number;
  endsAtMs: number;
  random: () => number;
}): AsyncGenerator<number> {
  for (let dueAtMs = startedAtMs; dueAtMs < endsAtMs; dueAtMs += (-Math.log(1 - random()) * 1000) / perSecond) {
    const waitMs = dueAtMs - clockMs();
    if (waitMs > 0) await delay(waitMs);
    yield dueAtMs;
  }
}

/** Returns the time by the clock that all processes of the machine share. */
export function clockMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Returns the same numbers from 0 to 1 for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
