/** Slow suites play few rounds where somebody waits for them, and many with TENURE_TEST_FULL=1, for the figures that are published. */
export function rounds(few: number, many: number): number {
  return process.env.TENURE_TEST_FULL === '1' ? many : few;
}
