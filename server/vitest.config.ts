import { defineConfig } from 'vitest/config';

const slow = process.env.TENURE_TEST_SLOW === '1';

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: slow ? ['test/**/*.slow.test.ts'] : ['test/**/*.test.ts'],
    exclude: slow ? [] : ['test/**/*.slow.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: slow ? 20 * 60_000 : 20_000,
    hookTimeout: 60_000,
    // Two cores: more files at once only wait for each other.
    maxWorkers: slow ? 1 : 2,
    reporters: ['default', ...(process.env.TENURE_TEST_REPORT ? ['json' as const] : [])],
    ...(process.env.TENURE_TEST_REPORT && { outputFile: { json: process.env.TENURE_TEST_REPORT } }),
  },
});
