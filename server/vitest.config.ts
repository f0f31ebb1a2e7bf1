import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { temporaryFolder } from '../scripts/memory-folder.mjs';
import { SlowestFirst } from './test/support/file-order.ts';
import { waitMs } from './test/support/wait.ts';

// The tests start the server hundreds of times. Node strips the types of a module once, and keeps what it compiled.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../node_modules/.cache/node');

process.env.TMPDIR = temporaryFolder();

// The tests of the SDK, of the CLI, of the dashboard and of the portal need the server, too.
const testFiles = filesNamed('*.test.ts');
const slowFiles = filesNamed('*.slow.test.ts');
const matrixFiles = filesNamed('*.matrix.test.ts');
// Too long for the two minutes of `fast`. `npm run measure-tests` renews the list.
const longFiles = (JSON.parse(readFileSync(join(import.meta.dirname, 'test/long-files.json'), 'utf8')) as string[]).map(
  (file) => relative(import.meta.dirname, join(import.meta.dirname, '..', file)),
);

/** The files of each tier. Every test is in at least one of them. */
const tiers: Record<string, { include: string[]; exclude: string[] }> = {
  fast: { include: testFiles, exclude: [...slowFiles, ...matrixFiles, ...longFiles] },
  standard: { include: testFiles, exclude: [...slowFiles, ...matrixFiles] },
  matrix: { include: [...matrixFiles, ...longFiles, ...filesWithRounds()], exclude: slowFiles },
  // What `fast` and `matrix` run, each file once.
  full: { include: testFiles, exclude: slowFiles },
  slow: { include: slowFiles, exclude: [] },
};
// With names of files, `npm test` runs the long ones, too.
const tier = process.env.TENURE_TEST_TIER ?? (namesFiles() ? 'standard' : 'fast');
const isSlow = tier === 'slow';

function filesNamed(pattern: string): string[] {
  return ['', '../sdk/', '../cli/', '../dashboard/', '../portal/'].map((folder) => `${folder}test/**/${pattern}`);
}

/** Whether an argument after `vitest run` is a part of a test file's path. */
function namesFiles(): boolean {
  const paths = globSync(testFiles, { cwd: import.meta.dirname }).map((file) => join(import.meta.dirname, file));
  return process.argv
    .slice(3)
    .some((argument) => !argument.startsWith('-') && paths.some((path) => path.includes(argument)));
}

/** Finds the files of `fast` whose tests play more rounds in `matrix`. Only these run in both tiers. */
function filesWithRounds(): string[] {
  return globSync(testFiles, { cwd: import.meta.dirname }).filter((file) =>
    readFileSync(join(import.meta.dirname, file), 'utf8').includes('/support/rounds.ts'),
  );
}

export default defineConfig({
  test: {
    root: import.meta.dirname,
    ...tiers[tier],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/hold-answers.ts'],
    // Node loads each module as it is, once for each worker. Nothing is transformed, and the files of a worker share modules. Slow
    // files measure processes, and get one of their own.
    isolate: isSlow,
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Far more than any test takes. A machine can have a tenth of its speed while others use it, and no test judges the time.
    testTimeout: isSlow ? 20 * 60_000 : 15 * 60_000,
    hookTimeout: isSlow ? 20 * 60_000 : 15 * 60_000,
    // The default, a second, is too short on a busy machine.
    expect: { poll: { timeout: waitMs } },
    // A failure that comes once must tell everything, such as the items of a list.
    chaiConfig: { truncateThreshold: 1_000 },
    // A larger young generation is collected less often, which saves a tenth of a worker's processor time.
    execArgv: ['--max-semi-space-size=16'],
    // More than the two cores it is made for: many tests wait, for a lease, a schedule or a retry.
    maxWorkers: 4,
    sequence: { sequencer: SlowestFirst },
    reporters: ['default', ...(process.env.TENURE_TEST_REPORT ? ['json' as const] : [])],
    ...(process.env.TENURE_TEST_REPORT && { outputFile: { json: process.env.TENURE_TEST_REPORT } }),
  },
});
