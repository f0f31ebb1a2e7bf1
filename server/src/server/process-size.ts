import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ByteCeiling } from '../core/limits/byte-budget.ts';

/** The size of a process, in bytes, and what makes it smaller. */
export interface ProcessMemory {
  residentBytes: () => number;
  /** @param returnsPages whether the system gets back the pages that the heap no longer uses. This takes twice as long. */
  collectGarbage: (returnsPages: boolean) => void;
}

const megabyte = 1024 * 1024;

/**
 * The size of the process, in bytes, from which large work gets less room. A usual process has 180 to 250 MB. The aim is below 400 MB.
 * Connections, threads and garbage are not counted in bytes, and together they took a process to 424 MB.
 */
const squeezedFrom = 290 * megabyte;

/** The room that large work loses at most, in bytes: one for each byte above that size. It keeps 24 MB. */
const squeezedMax = 40 * megabyte;

/**
 * The size of the process, in bytes, from which it collects garbage as soon as it grows. The runtime knows only the heap. It waits until
 * that has grown by half. Meanwhile, buffers outside of it grow by 100 MB (docs/benchmarks.md, "A memory attack").
 */
const collectedFrom = 300 * megabyte;

/**
 * The size of the process, in bytes, from which a collection also returns pages to the system. Otherwise the runtime keeps free pages for
 * up to twelve seconds, in case the heap grows again. Measured during an attack: 30 to 100 MB.
 */
const returnedFrom = 335 * megabyte;

/** The size of the process, in bytes, from which each growth leads to a collection. It may take most of the time then. */
const pressingFrom = 370 * megabyte;

/** The growth since the last collection, in bytes, after which the next one is worth its time. */
const worthCollecting = 16 * megabyte;

/** The largest part of the time between two collections that one may take. A collection stops an attacked process for 50 to 200 ms. */
const collectingPart = 1 / 4;

/** Milliseconds. The process grows by some 10 MB meanwhile. */
const lookEveryMs = 100;

/** Collects garbage and takes room from large work while the process is large. Returns a function that ends this. */
export function watchProcessSize(memory: ByteCeiling, { residentBytes, collectGarbage }: ProcessMemory): () => void {
  /** The smallest size since the last collection. */
  let smallest = Infinity;
  let nextCollectionMs = 0;
  const collectIfGrown = (bytes: number): number => {
    smallest = Math.min(smallest, bytes);
    const beginMs = performance.now();
    if (bytes < collectedFrom || bytes - smallest < worthCollecting) return bytes;
    if (bytes < pressingFrom && beginMs < nextCollectionMs) return bytes;
    collectGarbage(bytes >= returnedFrom);
    const endMs = performance.now();
    nextCollectionMs = endMs + (endMs - beginMs) / collectingPart;
    smallest = sizeOf(residentBytes) ?? bytes;
    return smallest;
  };
  const look = (): void => {
    const bytes = sizeOf(residentBytes);
    if (bytes === null) return;
    memory.squeeze(Math.min(Math.max(collectIfGrown(bytes) - squeezedFrom, 0), squeezedMax));
  };
  const timer = setInterval(look, lookEveryMs).unref();
  return () => clearInterval(timer);
}

/** Returns the memory of this process. */
export function ownMemory(): ProcessMemory {
  // The runtime gives the function to new contexts only, and only while this flag is set.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: object) => void;
  setFlagsFromString('--no-expose-gc');
  return {
    residentBytes: () => process.memoryUsage.rss(),
    collectGarbage: (returnsPages) =>
      collect({ type: 'major', execution: 'sync', flavor: returnsPages ? 'last-resort' : 'regular' }),
  };
}

/** Returns null if the system has no file left to read the size from. An error in a timer would end the process. */
function sizeOf(residentBytes: () => number): number | null {
  try {
    return residentBytes();
  } catch {
    return null;
  }
}
