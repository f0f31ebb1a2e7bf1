import type { ByteCeiling } from '../core/limits/byte-budget.ts';

/**
 * The size of the process, in bytes, from which large work gets less room. A usual process has 200 to 250 MB. The aim is below 400 MB.
 * Connections, threads and garbage are not counted in bytes, and together they took a process to 424 MB.
 */
const squeezedFrom = 330 * 1024 * 1024;

/** The room that large work loses at most, in bytes: one for each byte above that size. It keeps 24 MB. */
const squeezedMax = 40 * 1024 * 1024;

/** Milliseconds. The process grows by some 10 MB meanwhile. */
const lookEveryMs = 250;

/** Takes room from large work while the process is large. Returns a function that ends this. */
export function watchProcessSize(memory: ByteCeiling, residentBytes: () => number): () => void {
  const look = (): void => {
    const bytes = sizeOf(residentBytes);
    if (bytes !== null) memory.squeeze(Math.min(Math.max(bytes - squeezedFrom, 0), squeezedMax));
  };
  const timer = setInterval(look, lookEveryMs).unref();
  return () => clearInterval(timer);
}

/** Returns null if the system has no file left to read the size from. An error in a timer would end the process. */
function sizeOf(residentBytes: () => number): number | null {
  try {
    return residentBytes();
  } catch {
    return null;
  }
}
