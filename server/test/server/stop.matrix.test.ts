import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { newMasterKey } from '../../src/server/config.ts';
import { freePort } from '../support/free-port.ts';
import { processesForTest, urlOf, type Processes } from '../support/processes.ts';
import { apiClient, createTestDatabase, good } from '../support/server.ts';
import { soon } from '../webhooks/scenario.ts';

/* Runs real processes, and sends them signals as an operator does. */

/** The longest delay, so that a stop in time shows that nothing has waited for it. */
const longest = '120';

async function readiness(url: string): Promise<[number, unknown]> {
  const response = await fetch(`${url}/readyz`);
  return [response.status, await response.json()];
}

async function started(processes: Processes, settings: Record<string, string>) {
  const deployment = await processes.start(settings);
  const exited = once(deployment.process, 'exit').then(([code]) => code as number | null);
  return { deployment, exited };
}

test('answers requests while /readyz tells load balancers to leave, and then stops in good order, when SIGTERM comes', async () => {
  const processes = await processesForTest();
  const { deployment, exited } = await started(processes, { TENURE_ROLE: 'api', TENURE_STOP_DELAY_SECONDS: '20' });
  expect(await readiness(deployment.url)).toEqual([200, { status: 'ready' }]);
  const signalledAtMs = performance.now();
  deployment.process.kill('SIGTERM');
  await expect.poll(() => readiness(deployment.url), soon).toEqual([503, { status: 'stopping' }]);
  const api = apiClient(deployment.url, processes.secretKey);
  await good(api.post('/v1/references', { application: 'app_1' }));
  expect((await fetch(`${deployment.url}/healthz`)).status).toBe(200);
  expect(await exited).toBe(0);
  expect(performance.now() - signalledAtMs).toBeGreaterThan(19_900);
});

test.each([
  ['SIGINT comes', 'SIGINT', { TENURE_ROLE: 'api', TENURE_STOP_DELAY_SECONDS: longest }],
  ['the process is a worker', 'SIGTERM', { TENURE_ROLE: 'worker', TENURE_STOP_DELAY_SECONDS: '' }],
  ['the setting says so', 'SIGTERM', { TENURE_ROLE: 'api', TENURE_STOP_DELAY_SECONDS: '0' }],
] as const)('stops in good order and without the delay when %s', async (_, signal, settings) => {
  const { deployment, exited } = await started(await processesForTest(), settings);
  deployment.process.kill(signal);
  expect(await exited).toBe(0);
});

test('ends at once when a second signal comes during the delay', async () => {
  const { deployment, exited } = await started(await processesForTest(), {
    TENURE_ROLE: 'api',
    TENURE_STOP_DELAY_SECONDS: longest,
  });
  deployment.process.kill('SIGTERM');
  await expect.poll(() => readiness(deployment.url), soon).toEqual([503, { status: 'stopping' }]);
  // Two signals within half a second count as one.
  const repeated = setInterval(() => deployment.process.kill('SIGTERM'), 100);
  expect(await exited).toBe(1);
  clearInterval(repeated);
});

test('serves, and stops in good order, when nothing reads its output', async ({ onTestFinished }) => {
  const { connection, drop } = await createTestDatabase();
  const port = await freePort();
  const server = spawn(process.execPath, ['server/src/main.ts'], {
    cwd: fileURLToPath(new URL('../../../', import.meta.url)),
    env: {
      PATH: process.env.PATH,
      PORT: `${port}`,
      DATABASE_URL: urlOf(connection),
      TENURE_MASTER_KEY: newMasterKey(),
      TENURE_STOP_DELAY_SECONDS: '0',
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = once(server, 'exit');
  onTestFinished(async () => {
    server.kill('SIGKILL');
    await exited;
    await drop();
  });
  server.stdout.destroy();
  const url = `http://127.0.0.1:${port}`;
  const isReady = async () => (await fetch(`${url}/readyz`).catch(() => null))?.status === 200;
  await expect.poll(isReady, { timeout: 60_000 }).toBe(true);
  // The server prints its banner soon after it is ready.
  await sleep(1_000);
  expect((await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(10_000) })).status).toBe(200);
  server.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
});
