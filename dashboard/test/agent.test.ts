import { expect, test } from 'vitest';
import { firstOwner, goodPassword } from '../../server/test/support/browser.ts';
import { connectMcp, mcpKey, type Mcp } from '../../server/test/support/mcp.ts';
import { good, serverForTest, type TestServer } from '../../server/test/support/server.ts';
import { describeInBrowser } from '../../ui/test/support/browser.ts';
import { openDashboard } from './support/browser.ts';

/** Makes an agent that a person has to approve, and connects it. */
async function agentOf(server: TestServer): Promise<Mcp> {
  const permissions = [
    'applications.read',
    'customers.read',
    'references.write',
    'events.read',
    'approval_requests.read',
  ];
  const key = await mcpKey(server, permissions);
  await server.context.database.readers.query(`update api_keys set approvals = 'sensitive' where type = 'agent'`);
  return connectMcp(server, key);
}

describeInBrowser('an agent and a person', () => {
  test('take an application from new to a prepared decision, and each event tells which of them acted', async () => {
    const server = await serverForTest();
    const { api } = server;
    const owner = await firstOwner(server);
    const { body: ada } = await good(api.post('/v1/customers', { name: 'Ada Lovelace', email: 'ada@example.com' }));
    const { body: application } = await good(api.post('/v1/applications', { customers: [ada.id] }));
    const agent = await agentOf(server);

    // The agent finds the new application, and begins a check for each person in it.
    const found = await agent.call('list', { resource: 'applications', filters: { status: 'open' } });
    expect(found.object.data.map(({ id }: { id: string }) => id)).toEqual([application.id]);
    const made = await agent.call('references_create', { application: application.id, customer: ada.id });
    expect(made.isError).toBe(false);
    const reference: string = made.object.id;

    // Its verdict needs a person.
    const verdict = {
      id: reference,
      outcome: 'accept',
      idempotency_key: 'the verdict',
      approval_reason: 'The\nchecks – all of them – are good.',
    };
    const held = await agent.call('references_update', verdict);
    expect([held.isError, held.object.error.code]).toEqual([true, 'approval_required']);
    const asked: string = held.object.error.approval_request;
    expect((await good(api.get(`/v1/references/${reference}`))).body.outcome).toBe(null);

    await using open = await openDashboard(server, `/go/${asked}`, { person: owner });
    const { page } = open;
    await page.getByText('The checks – all of them – are good.').waitFor();
    await server.context.database.readers.query('update sessions set confirmed_at = 0');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve the request' }).click();
    const confirmation = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await confirmation.getByLabel('Password', { exact: true }).fill(goodPassword);
    await confirmation.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('Approved').first().waitFor();

    const given = await agent.call('references_update', verdict);
    expect([given.isError, given.object.outcome]).toEqual([false, 'accept']);
    const again = await agent.call('references_update', verdict);
    expect(again.object).toEqual(given.object);

    // The decision is prepared: the application counts the verdict, and a person decides.
    const { body: prepared } = await good(api.get(`/v1/applications/${application.id}`));
    expect([prepared.status, prepared.references.result]).toEqual(['open', 'accept']);
    const actors = async (id: string): Promise<string[]> => {
      const { data } = (await good(api.get(`/v1/events?object_id=${id}&limit=50`))).body;
      return (data as { type: string; request: { actor: { type: string } | null } }[])
        .map(({ type, request }) => `${type} by ${request.actor?.type}`)
        .toReversed();
    };
    expect(await actors(reference)).toEqual(
      expect.arrayContaining(['reference.created by agent', 'reference.completed by agent']),
    );
    expect(await actors(asked)).toEqual([
      'approval_request.created by agent',
      'approval_request.updated by user',
      'approval_request.approved by user',
      'approval_request.updated by agent',
      'approval_request.executed by agent',
    ]);
  });
});
