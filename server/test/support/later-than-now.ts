import { expect } from 'vitest';

/** Returns a matcher of a time in seconds between now and the comparison, however long the test takes until then. */
export function laterThanNow(): number {
  // The database's clock may be a moment behind.
  const fromSeconds = Math.floor(Date.now() / 1000) - 1;
  return expect.toSatisfy((at: number) => at >= fromSeconds && at <= Date.now() / 1000 + 1) as number;
}
