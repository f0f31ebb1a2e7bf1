import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { newMasterKey } from '../../src/server/config.ts';
import { version } from '../../src/server/version.ts';
import type { Deployment } from '../faults/crash-checker/deployment.ts';
import { runProgram } from '../support/backups.ts';
import { processesForTest, urlOf } from '../support/processes.ts';
import { apiClient, good } from '../support/server.ts';
import { soon } from '../webhooks/scenario.ts';

/* Runs real processes whose output is a file, as that of a service is a journal. */

test('prints no key and no link into a log, and makes both by commands, when a live deployment starts first', async () => {
  const processes = await processesForTest();
  const masterKey = newMasterKey();
  const settings = { TENURE_MODE: 'live', TENURE_SECRET_KEY: '', TENURE_MASTER_KEY: masterKey };
  const server = await processes.start({ ...settings, TENURE_ROLE: 'api' });
  const output = await outputOf(server);
  expect(output).toContain('Secret key    not shown in a log; `npm run new-key` makes one\n');
  expect(output).toMatch(/^Dashboard {5}\S+\/dashboard {3}\(`npm run login-link` prints a link\)$/m);
  expect(output).not.toMatch(/[sp]k_live_|#\w{32}/);
  expect(output).not.toContain(masterKey);

  const own = { ...settings, DATABASE_URL: urlOf(processes.connection), PORT: new URL(server.url).port };
  const made = await runProgram('new-key', [], own);
  expect(made).toEqual({ code: 0, output: expect.stringMatching(/^sk_live_\w{38}\n$/) });
  const keys = (await good(apiClient(server.url, made.output.trim()).get('/v1/api_keys'))).body.data;
  expect(keys, 'no other key was made').toHaveLength(1);
  const link = await runProgram('login-link', [], own);
  expect(link).toEqual({ code: 0, output: expect.stringMatching(/\/dashboard\/link#\w{32}\n$/) });
});

test('prints the key of a sandbox once, and never one that the settings have, when the output is a log', async () => {
  const sandbox = await (await processesForTest()).start({ TENURE_SECRET_KEY: '', TENURE_ROLE: 'api' });
  expect(await outputOf(sandbox)).toMatch(/^Secret key {4}sk_test_\w{38} {3}\(shown only now\)$/m);

  const processes = await processesForTest();
  const given = await outputOf(await processes.start({ TENURE_ROLE: 'api' }));
  expect(given).toMatch(/^Secret key {4}as before, or as set in TENURE_SECRET_KEY;/m);
  expect(given).not.toContain(processes.secretKey);
});

test.each([
  ['api', 'in sandbox mode.'],
  ['worker', 'in sandbox mode, as a worker.'],
])('names its release in the log when a process of the role %s starts', async (role, rest) => {
  const processes = await processesForTest();
  const output = await outputOf(await processes.start({ TENURE_ROLE: role }));
  expect(output).toContain(`\nTenure ${version} is running ${rest}\n`);
});

async function outputOf({ logFile }: Deployment): Promise<string> {
  await expect.poll(() => readFileSync(logFile, 'utf8'), soon).toMatch(/^Data {10}.*\n\n/m);
  return readFileSync(logFile, 'utf8');
}
