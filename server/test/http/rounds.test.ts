import { afterEach, expect, test, vi } from 'vitest';
import { FairQueue, FairRounds } from '../../src/core/limits/fair-queue.ts';
import { Agency, lettingClock, startDay } from '../letting/agency.ts';
import { apiClient, good, serverForTest } from '../support/server.ts';
import { Flows } from '../workflows/flows.ts';

/* Requests that fill the processor for milliseconds each wait for a round of their tree (`core/fair-queue.property.test.ts`). */

// Other files of this process use the same classes.
afterEach(() => void vi.restoreAllMocks());

test('waits for a round of its tree when a message comes to `/mcp`', async () => {
  const server = await serverForTest();
  const flows = await Flows.on(server);
  const { secret } = await flows.make('api_keys', { type: 'restricted', permissions: ['references.read'] });
  const next = vi.spyOn(FairRounds.prototype, 'next');
  const body = { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'tenure://docs/webhooks' } };
  const accept = 'application/json, text/event-stream';
  await good(apiClient(server.url, String(secret)).post('/mcp', body, { accept }));
  expect(next.mock.calls).toEqual([[expect.objectContaining({ accountId: flows.accountId })]]);
});

test('waits for a round of its tree when a workflow is tested', async () => {
  const server = await serverForTest();
  const flows = await Flows.on(server);
  const name = '{{event.data.object.name}}';
  const { id } = (
    await good(flows.create({ steps: [{ id: 'tell', action: 'http', url: 'http://127.0.0.1:9/', body: { name } }] }))
  ).body;
  const customer = await flows.make('customers', { name: 'Ada' });
  const { data } = (await good(flows.api.get(`/v1/events?object_id=${customer.id}`))).body;
  const next = vi.spyOn(FairRounds.prototype, 'next');
  await good(flows.api.post(`/v1/workflows/${id}/test`, { event: data[0].id }));
  expect(next.mock.calls).toEqual([[expect.objectContaining({ accountId: flows.accountId })]]);
});

test('waits for a turn of its tree at lists when a statement is read', async () => {
  const server = await serverForTest({ overrides: { clock: lettingClock() } });
  const agency = await Agency.on(server);
  const { id } = await agency.signed((await agency.unit()).id, { start_date: startDay });
  const run = vi.spyOn(FairQueue.prototype, 'run');
  await good(agency.api.get(`/v1/tenancies/${id}/statement`));
  const atLists = run.mock.calls.filter((_, index) => run.mock.contexts[index] === server.context.listQueue);
  expect(atLists.map(([party]) => party)).toEqual([expect.objectContaining({ accountId: agency.accountId })]);
});
