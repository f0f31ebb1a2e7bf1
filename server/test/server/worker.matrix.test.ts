import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { withClient, type Connection } from '../../src/db/pools.ts';
import type { Deployment } from '../faults/crash-checker/deployment.ts';
import { processesForTest } from '../support/processes.ts';
import { receiverForTest } from '../support/receiver.ts';
import { expectRefusal, refusals } from '../support/refusals.ts';
import { apiClient, good } from '../support/server.ts';
import { endpointFor, soon } from '../webhooks/scenario.ts';

/*
 * Runs real processes. A worker serves no API, and must not look as if it did.
 */

/** An empty value counts as unset: the first start generates and prints the key. */
const settings = { TENURE_SECRET_KEY: '', TENURE_SIMULATOR_SPEED: '0.1' };

test('makes no account and shows no key when a worker starts first on an empty database, and works as soon as an account exists', async () => {
  const processes = await processesForTest();
  const worker = await processes.start({ ...settings, TENURE_ROLE: 'worker' });
  const welcome = await welcomeOf(worker);
  expect(welcome).toContain(
    'as a worker.\nIt delivers webhooks, runs automatic references, collects payments and sends e-mails.',
  );
  expect(welcome).not.toMatch(/sk_|curl|\/v1|\/docs/);
  const addresses = welcome.match(/http:\S+(?<!,)/g)!;
  expect(addresses).toEqual(['healthz', 'readyz', 'metrics'].map((name) => `${worker.url}/${name}`));
  for (const address of addresses) expect((await fetch(address)).status).toBe(200);
  expect(await accountsIn(processes.connection)).toBe(0);

  const answering = await processes.start({ ...settings, TENURE_ROLE: 'api' });
  const secretKey = /sk_test_\w+/.exec(await welcomeOf(answering))![0];
  const api = apiClient(answering.url, secretKey);
  const receiver = await receiverForTest();
  await endpointFor(api, receiver.url, { enabled_events: ['reference.completed'] });
  const asked = { application: 'app_1', automatic_reference: { provider: 'provider_a' } };
  const { id } = (await good(api.post('/v1/references', asked))).body;
  await expect.poll(() => receiver.received.length).toBe(1);
  expect((await good(api.get(`/v1/references/${id}`))).body.status).toBe('complete');
});

test('explains that it is a worker, and which process serves the API, when it gets an API request', async () => {
  const processes = await processesForTest();
  const worker = await processes.start({ TENURE_ROLE: 'worker' });
  await processes.start({ TENURE_ROLE: 'api' });
  const asked = apiClient(worker.url, processes.secretKey);
  for (const path of ['/v1/references', '/docs', '/openapi.json']) {
    expectRefusal(await asked.get(path), {
      ...refusals.routeUnknown,
      says: /it is a worker .* Send requests to a process with the role `api` or `all`\.$/,
    });
  }
});

/** Returns the output of a process up to its ready line. */
async function welcomeOf({ logFile }: Deployment): Promise<string> {
  await expect.poll(() => readFileSync(logFile, 'utf8'), soon).toMatch(/^Data {10}.*\n\n/m);
  return readFileSync(logFile, 'utf8');
}

async function accountsIn(connection: Connection): Promise<number> {
  return withClient(connection, async (client) => {
    const { rows } = await client.query<{ count: number }>('select count(*)::integer as count from accounts');
    return rows[0]!.count;
  });
}
