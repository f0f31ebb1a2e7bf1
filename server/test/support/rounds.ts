const isFull = process.env.TENURE_TEST_FULL === '1';

/**
 * Returns `many` with TENURE_TEST_FULL=1, which `npm run test:matrix` sets, and `few` otherwise. The slow suites play many rounds only for
 * the published figures.
 */
export function rounds<Extent>(few: Extent, many: Extent): Extent {
  return isFull ? many : few;
}
