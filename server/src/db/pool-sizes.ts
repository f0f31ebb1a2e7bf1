import type { Mode } from '../core/secrets/api-keys.ts';

/** The most connections for each purpose. {@link Database} tells the purposes. */
export interface PoolSizes {
  readers: number;
  listers: number;
  followers: number;
  files: number;
  writers: number;
  deliverers: number;
  jobs: number;
  searchers: number;
  watchers: number;
  /** For duties that need a connection of their own, outside of the pools. */
  duties: number;
}

export type ProcessKind = { role: 'all' | 'api' | 'worker'; mode: Mode };

/**
 * The sizes without a setting. More connections seldom help, because every switch between backends costs time.
 *
 * Reads by id are batched. All streams of an account share one read. A part of a file keeps a connection busy for milliseconds. One batch
 * of writes gathers while two are on their way. A deliverer claims, another writes outcomes, and one reads endpoints. One connection
 * listens for jobs. Two searches run beside the writer of their index.
 */
export const largestSizes: Readonly<PoolSizes> = {
  readers: 4,
  listers: 3,
  followers: 2,
  files: 2,
  writers: 2,
  deliverers: 3,
  jobs: 5,
  searchers: 3,
  watchers: 1,
  duties: 3,
};

/** Enough for each purpose to advance. A duty must not delay the reader of keys, and two batches of writes are on their way at once. */
const smallestSizes: Readonly<PoolSizes> = {
  readers: 2,
  listers: 1,
  followers: 1,
  files: 1,
  writers: 2,
  deliverers: 1,
  jobs: 2,
  searchers: 1,
  watchers: 1,
  duties: 1,
};

/** The purposes that get more connections, in this order. */
const growth = ['readers', 'listers', 'deliverers', 'jobs', 'searchers', 'files', 'followers', 'duties'] as const;

/** Counts the most connections of a process with these sizes. */
function sumOf(sizes: PoolSizes, { role, mode }: ProcessKind): number {
  const { deliverers, jobs, ...others } = sizes;
  const common = Object.values(others).reduce((sum, size) => sum + size, 0);
  // The start of an `api` process uses the pool of jobs for a moment, before it opens the others.
  const works = role === 'api' ? 0 : deliverers + jobs;
  // A worker listens for deliveries on one connection, and one shows that it is alive.
  const lasting = role === 'api' ? 0 : 2;
  const forClock = mode === 'sandbox' && role !== 'worker' ? 1 : 0;
  return common + works + lasting + forClock;
}

/** Returns the fewest connections that a process can run with, and the most that it opens. */
export function connectionBounds(kind: ProcessKind): { min: number; max: number } {
  return { min: sumOf(smallestSizes, kind), max: sumOf(largestSizes, kind) };
}

/**
 * Shares the connections of a process among its purposes.
 *
 * @param total at least the `min` of {@link connectionBounds}; null for the largest sizes.
 */
export function poolSizes(kind: ProcessKind, total: number | null): PoolSizes {
  if (total === null) return { ...largestSizes };
  const sizes = { ...smallestSizes };
  for (let hasGrown = true; hasGrown;) {
    hasGrown = false;
    for (const purpose of growth) {
      const grown = { ...sizes, [purpose]: sizes[purpose] + 1 };
      if (grown[purpose] > largestSizes[purpose] || sumOf(grown, kind) > total) continue;
      sizes[purpose]++;
      hasGrown = true;
    }
  }
  return sizes;
}
