/*
 * Runs all tests but the matrix and the slow suites, and lists in `server/test/long-files.json` the files that take long. `npm test`
 * leaves them to CI, so that it takes two minutes on two cores.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const projectDir = join(import.meta.dirname, '..');

/** Seconds. The files below it take two minutes together. */
const longSeconds = 4.5;

/** The heart of the product. These files are in `npm test`, however long they take. */
const alwaysRun = new Set([
  'server/test/commit/committer.test.ts',
  'server/test/http/routes/lists.test.ts',
  'server/test/http/write/idempotency.test.ts',
  'server/test/letting/tenancies.test.ts',
  'server/test/resources/references.test.ts',
]);

const folder = mkdtempSync(join(tmpdir(), 'tenure-times-'));
const report = join(folder, 'report.json');
const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', '--config', 'server/vitest.config.ts'],
  {
    cwd: projectDir,
    stdio: 'inherit',
    env: { ...process.env, TENURE_TEST_TIER: 'standard', TENURE_TEST_REPORT: report },
  },
);
if (status === 0) {
  const files = JSON.parse(readFileSync(report, 'utf8')).testResults;
  const long = files
    .filter(({ startTime, endTime }) => endTime - startTime >= longSeconds * 1000)
    .map(({ name }) => relative(projectDir, name))
    .filter((file) => !alwaysRun.has(file));
  writeFileSync(join(projectDir, 'server/test/long-files.json'), `${JSON.stringify(long.toSorted(), null, 2)}\n`);
  process.stdout.write(`${files.length} files, of which ${long.length} are long\n`);
}
rmSync(folder, { recursive: true });
process.exit(status ?? 1);
