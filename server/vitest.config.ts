import { defineConfig } from 'vitest/config';

const slow = process.env.TENURE_TEST_SLOW === '1';

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: slow ? ['test/**/*.slow.test.ts'] : ['test/**/*.test.ts'],
    exclude: slow ? [] : ['test/**/*.slow.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/answer-faults.ts'],
    testTimeout: slow ? 20 * 60_000 : 20_000,
    hookTimeout: 60_000,
    // One more than the cores it is made for: many tests wait, for a lease, a schedule or a freshness time. The slow ones start processes of
    // their own.
    maxWorkers: slow ? 2 : 3,
    reporters: ['default', ...(process.env.TENURE_TEST_REPORT ? ['json' as const] : [])],
    ...(process.env.TENURE_TEST_REPORT && { outputFile: { json: process.env.TENURE_TEST_REPORT } }),
  },
});
