import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { apiVersions } from '../src/versions/index.ts';
import { runCommand } from './support/backups.ts';
import { processesForTest, urlOf } from './support/processes.ts';

/*
 * The operator's commands, as npm runs them. What `backup` and `restore` do is in backup.matrix.test.ts.
 */

describe.each([
  { command: 'backup', takes: ['a'] },
  { command: 'restore', takes: ['a'] },
  { command: 'new-key', takes: [] },
  { command: 'release-version', takes: [] },
])('npm run $command', { timeout: 60_000 }, ({ command, takes }) => {
  test('tells with --help what it does, and does nothing', async () => {
    // With faulty settings, at which it does not even look.
    const { code, output } = await runCommand(command, ['--help'], { PORT: 'x' });
    expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(`^npm run ${command}.*\n\n[A-Z]`) });
  });

  test.each([
    ['an option that it does not know', ['--folder=a']],
    ['a short one', ['-f']],
    ['an option for a folder', ['--', '--folder']],
    ['an argument too many', [...takes, 'b']],
  ])('refuses %s before it opens anything', async (_, given) => {
    const { code, output } = await runCommand(command, given, { PORT: 'x' });
    expect({ code, output }).toEqual({ code: 2, output: expect.stringMatching(`^npm run ${command}.*\n\n[A-Z]`) });
  });
});

describe('on a database of the operator’s own', { timeout: 60_000 }, () => {
  test('release-version needs no master key, and new-key that of the database', async () => {
    const dataDir = fs.mkdtempSync(join(tmpdir(), 'tenure-commands-'));
    onTestFinished(() => fs.rmSync(dataDir, { recursive: true, force: true }));
    const processes = await processesForTest();
    await processes.start({ TENURE_ROLE: 'api' });
    const settings = { DATABASE_URL: urlOf(processes.connection), DATA_DIR: dataDir };
    const newest = apiVersions[0]!.date;
    expect(await runCommand('release-version', [], settings)).toEqual({
      code: 0,
      output: expect.stringMatching(`^The latest version of the API is ${newest}`),
    });
    expect(await runCommand('new-key', [], settings)).toEqual({
      code: 1,
      output: expect.stringMatching(/^TENURE_MASTER_KEY is required with DATABASE_URL: the one of this database\. /),
    });
  });
});
