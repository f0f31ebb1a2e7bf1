import { expect, onTestFinished, test, vi } from 'vitest';
import { receiverForTest } from '../support/receiver.ts';
import { serverForTest } from '../support/server.ts';
import { endpointFor, hardlyEverMs, makeReferences, patientLimits, placesOf, queueEmpty, soon } from './scenario.ts';

/* Deliveries that a process claims in the transaction that makes them. */

test('sends new deliveries without a claim of their own when the process has room', async () => {
  const receiver = await receiverForTest();
  const server = await serverForTest({ overrides: { dispatcherLimits: { pollMs: hardlyEverMs } } });
  await endpointFor(server.api, receiver.url);
  await makeReferences(server.api, 1);
  await queueEmpty(server);
  const asked = vi.spyOn(server.context.database.deliverers, 'query');
  onTestFinished(() => asked.mockRestore());
  await makeReferences(server.api, 50);
  await receiver.count(51);
  await queueEmpty(server);
  const names = asked.mock.calls.map(([query]) => (query as { name?: string }).name);
  expect(names).toContain('write_outcomes');
  expect(names).not.toContain('claim_deliveries');
});

test('leaves new deliveries unclaimed when their endpoint has enough under way', async () => {
  const hanging = await receiverForTest(() => {});
  const limits = { ...patientLimits, perEndpointMax: 2 };
  const server = await serverForTest({ overrides: { dispatcherLimits: { ...limits, pollMs: hardlyEverMs } } });
  const endpoint = await endpointFor(server.api, hanging.url);
  await makeReferences(server.api, 1);
  await hanging.count(1);
  for (let made = 0; made < 10; made++) await makeReferences(server.api, 1);
  const claimed = async () => (await placesOf(server, endpoint.id)).map((place) => place.claim_token !== null);
  // Two are under way, and three wait for their turn in the process.
  await expect.poll(async () => (await claimed()).filter(Boolean).length, soon).toBe(5);
  expect(await claimed()).toHaveLength(11);
});
