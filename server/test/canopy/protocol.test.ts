import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { linesOf } from '../../src/referencing/provider-check/index.ts';
import { judged } from '../referencing/provider-check/kit.ts';
import { meddlerForTest } from '../referencing/providers/meddler.ts';
import { runProgram } from '../support/backups.ts';
import { canopyForTest } from '../support/canopy.ts';
import { settingsFor, token, translatorForTest } from './translator.ts';

/* The translator as a service of the protocol, and as the program that an operator runs. */

const program = join(import.meta.dirname, '../../src/commands/canopy.ts');

test('keeps every rule of the protocol when it stands before Canopy', async () => {
  const canopy = await canopyForTest();
  const settings = await settingsFor(canopy);
  const translator = await translatorForTest(settings, { canopy });
  onTestFinished(() => translator.stop());
  // Canopy has no scenarios. It gets those of the kit's orders behind the translator's back.
  const scenarios = new Map<string, string>();
  const front = await meddlerForTest(translator.url, (sent, forward) => {
    if (sent.method !== 'POST' || !sent.path.endsWith('/reference-requests')) return forward(sent);
    const order = parsed(sent.body);
    if (order?.testScenario === 'invalid_details') {
      return forward({
        ...sent,
        body: JSON.stringify({ ...order, applicant: { ...order.applicant, email: 'casey@example.invalid' } }),
      });
    }
    if (order) scenarios.set(order.clientReferenceId, order.testScenario);
    return forward(sent);
  });
  canopy.onRequest = (requested) => {
    const scenario = scenarios.get(requested.clientReferenceId!);
    if (scenario === 'stuck') return;
    void canopy
      .event('INVITED', requested)
      .then(() => canopy.section('CREDIT_CHECK', 'DONE', 'IN_PROGRESS', requested))
      .then(() => canopy.finish(scenario === 'high_risk' ? 'HIGH_RISK' : 'VERIFY', {}, requested));
  };
  const judgements = await judged(front.url);
  expect(judgements.flatMap((each) => (each.result === 'pass' ? [] : linesOf(each)))).toEqual([]);
});

test('serves as a program until it is stopped', async () => {
  const canopy = await canopyForTest();
  const settings = await settingsFor(canopy);
  const file = join(dirname(settings.ordersFile), 'canopy.json');
  writeFileSync(file, JSON.stringify(settings));
  chmodSync(file, 0o600);
  const child = spawn(process.execPath, [program, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  expect(String(line)).toBe(`The translator to Canopy listens at ${settings.callbackUrl}\n`);
  await expect.poll(() => canopy.webhooks.size).toBe(2);
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${settings.callbackUrl}/v1/reference-requests?clientReferenceId=ref_1`, { headers });
  expect(await response.json()).toEqual({ requests: [] });
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
});

test.for([
  ['has no client', { clients: [] }, '/clients'],
  [
    'has a short token',
    { clients: [{ token: 'short', clientId: 'c', secretKey: 'the-secret', apiKey: 'a' }] },
    '/clients/0/token',
  ],
  ['has no address', { url: 'canopy' }, '/url'],
  ['has a setting that it does not know', { more: 1 }, '/more'],
] as const)('names the place and no secret when the settings file %s', async ([, changes, place]) => {
  const settings = await settingsFor(await canopyForTest());
  const file = join(dirname(settings.ordersFile), 'canopy.json');
  writeFileSync(file, JSON.stringify({ ...settings, ...changes }));
  const { code, output } = await runProgram('canopy', [file]);
  expect(code).toBe(1);
  expect(output).toContain(`is wrong at ${place} (`);
  expect(output).not.toContain('the-secret');
});

interface KitOrder {
  clientReferenceId: string;
  testScenario: string;
  applicant: object;
}

/** Returns the kit's order, or null for a body that only tests the service. */
function parsed(text: string): KitOrder | null {
  try {
    return JSON.parse(text) as KitOrder;
  } catch {
    return null;
  }
}
