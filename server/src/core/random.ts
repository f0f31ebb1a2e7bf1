import { randomBytes } from 'node:crypto';

/** The source of randomness. It comes from the context, so that a test can repeat a run from its seed. */
export type RandomBytes = (length: number) => Uint8Array;

/** Bytes per call to the operating system, enough for about a thousand ids. A call for each id costs six times as much. */
const poolLength = 16_384;

/** Returns a source of cryptographically strong bytes, read from the operating system in large pieces. No byte is used twice. */
export function pooledRandomBytes(): RandomBytes {
  let pool = randomBytes(poolLength);
  let used = 0;
  return (length) => {
    if (length > poolLength) return randomBytes(length);
    if (used + length > poolLength) {
      pool = randomBytes(poolLength);
      used = 0;
    }
    used += length;
    return pool.subarray(used - length, used);
  };
}
