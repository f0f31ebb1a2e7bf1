import { randomBytes } from 'node:crypto';

/** Where randomness comes from; given through the context so that a test can repeat a run from its seed. */
export type RandomBytes = (length: number) => Uint8Array;

/** One call to the operating system serves about a thousand ids: a call for each id costs six times as much. */
const poolLength = 16_384;

/** Cryptographically strong bytes, drawn from the operating system in large pieces. No byte is handed out twice. */
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
