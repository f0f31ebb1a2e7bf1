import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { linesOf } from '../../src/referencing/provider-check/index.ts';
import { judged } from '../referencing/provider-check/kit.ts';
import { freePort } from '../support/free-port.ts';

/* The example translator, as the process that its README starts, in front of its imaginary company. */

const folder = join(import.meta.dirname, '../../../examples/provider-translator');

/** Starts a program for a test, and returns its address when it listens. */
async function startForTest(program: string, settings: Record<string, string>): Promise<{ url: string; stop(): void }> {
  const port = await freePort();
  const child = spawn(process.execPath, [join(folder, program)], {
    env: { ...process.env, ...settings, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<never>((_, reject) => {
    child.once('exit', (code) => reject(new Error(`${program} has ended with ${code}.`)));
  });
  ended.catch(() => {});
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const listening = new Promise((resolve) => child.stdout.once('data', resolve));
  await Promise.race([listening, ended]);
  return { url: `http://127.0.0.1:${port}`, stop: () => child.kill('SIGKILL') };
}

test('keeps every rule of the protocol when the example translator stands before its company, and after a restart', async () => {
  const ownFolder = mkdtempSync(join(tmpdir(), 'tenure-translator-'));
  onTestFinished(() => rmSync(ownFolder, { recursive: true, force: true }));
  const company = await startForTest('imaginary-company.mjs', { COMPANY_KEY: 'c', CASE_SECONDS: '1' });
  const settings = {
    TOKEN: 'the-token-of-the-account',
    COMPANY_URL: company.url,
    COMPANY_KEY: 'c',
    ORDERS_FILE: join(ownFolder, 'orders.json'),
    POLL_SECONDS: '0.2',
  };
  const translator = await startForTest('translator.mjs', settings);
  const judgements = await judged(translator.url);
  expect(judgements.flatMap((each) => (each.result === 'pass' ? [] : linesOf(each)))).toEqual([]);

  translator.stop();
  const orders = JSON.parse(readFileSync(settings.ORDERS_FILE, 'utf8')) as Record<string, { number: number }>;
  expect(statSync(settings.ORDERS_FILE).mode & 0o077).toBe(0);
  const [key, { number }] = Object.entries(orders)[0]!;
  const again = await startForTest('translator.mjs', settings);
  const headers = { authorization: 'Bearer the-token-of-the-account' };
  const response = await fetch(`${again.url}/v1/reference-requests?clientReferenceId=${key}`, { headers });
  expect(await response.json()).toMatchObject({ requests: [{ requestId: String(number), clientReferenceId: key }] });
});
