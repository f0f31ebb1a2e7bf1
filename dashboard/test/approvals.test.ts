import { expect, test } from 'vitest';
import { firstOwner, goodPassword, member } from '../../server/test/support/browser.ts';
import { apiClient, good, serverForTest, type Api, type TestServer } from '../../server/test/support/server.ts';
import { describeInBrowser, expectAccessibleInThemes } from '../../ui/test/support/browser.ts';
import { openDashboard, viewer } from './support/browser.ts';

/** Makes an agent that may cancel references. */
async function agentOf(server: TestServer): Promise<Api> {
  const permissions = ['references.write', 'customers.write', 'approval_requests.read'];
  const key = { type: 'agent', name: 'Letting assistant', permissions, approvals: 'all_writes' };
  return apiClient(server.url, (await good(server.api.post('/v1/api_keys', key))).body.secret);
}

async function heldBy(agent: Api, path: string, body?: object): Promise<string> {
  const held = await agent.post(path, body, { 'service-reason': 'The applicant has withdrawn.' });
  expect(held.status, held.text).toBe(403);
  return held.body.error.approval_request;
}

describeInBrowser('the approvals', () => {
  test('let a person approve what an agent wants, beside the record as it is now', async () => {
    const server = await serverForTest();
    const owner = await firstOwner(server);
    const agent = await agentOf(server);
    const reference = (await good(server.api.post('/v1/references', { application: 'app_1' }))).body.id;
    const path = `/v1/references/${reference}`;
    const id = await heldBy(agent, path, { outcome: 'accept', metadata: { branch: 'york' } });

    await using open = await openDashboard(server, '/', { person: owner });
    const { page } = open;
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Approvals' }).click();
    await page.getByRole('row', { name: /Update a reference Waiting Letting assistant/ }).waitFor();
    await page.getByRole('link', { name: 'Update a reference' }).click();
    const asked = page.getByRole('region', { name: 'What the agent wants to send' });
    await asked.getByText(`POST ${path}`).waitFor();
    await asked.getByText('york').waitFor();
    await page.getByText('The applicant has withdrawn.').waitFor();
    const now = page.getByRole('region', { name: 'The record now' });
    await now.getByText('pending').first().waitFor();
    await now.getByText('null to "accept"').waitFor();
    await now.getByText('as in the body of the request').waitFor();
    expect(await page.getByText('It has changed since the agent asked').count()).toBe(0);

    await good(server.api.post(path, { metadata: { branch: 'leeds' } }));
    await now.getByText('It has changed since the agent asked').waitFor();
    await now.getByText('reference.updated').waitFor();

    await server.context.database.readers.query('update sessions set confirmed_at = 0');
    await page.getByRole('button', { name: 'Approve' }).click();
    const dialog = page.getByRole('dialog', { name: 'Approve the request?' });
    await dialog.getByLabel('Reason (optional)').fill('She has called us.');
    await dialog.getByRole('button', { name: 'Approve the request' }).click();
    const confirmation = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await confirmation.getByLabel('Password', { exact: true }).fill(goodPassword);
    await confirmation.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('Approved').first().waitFor();
    await page.getByText('She has called us.').waitFor();
    await good(agent.post(path, { outcome: 'accept', metadata: { branch: 'york' } }));
    await page.getByText('Done', { exact: true }).waitFor();
    expect((await good(server.api.get(`/v1/approval_requests/${id}`))).body.status).toBe('executed');
  });

  test('let a person reject with a reason, which the agent gets', async () => {
    const server = await serverForTest();
    const owner = await firstOwner(server);
    const agent = await agentOf(server);
    const body = { name: 'Ada Lovelace' };
    const id = await heldBy(agent, '/v1/customers', body);
    await using open = await openDashboard(server, `/go/${id}`, { person: owner });
    const { page, problems } = open;
    await page.getByRole('button', { name: 'Reject' }).click();
    const dialog = page.getByRole('dialog', { name: 'Reject the request?' });
    await dialog.getByLabel('Reason (optional)').fill('We know her already.');
    await dialog.getByRole('button', { name: 'Reject the request' }).click();
    await page.getByText('Rejected').first().waitFor();
    const refused = await agent.post('/v1/customers', body);
    expect(refused.body.error.code).toBe('approval_rejected');
    expect(refused.body.error.message).toContain('We know her already.');
    expect(problems).toEqual([]);
  });

  test('name the workflow that asks, its record and its next steps, and say what a rejection does', async () => {
    const server = await serverForTest({ knowsPort: true, works: true });
    const owner = await firstOwner(server);
    const { api } = server;
    const { body: workflow } = await good(
      api.post('/v1/workflows', {
        name: 'Ask the manager',
        trigger: { type: 'application.created' },
        steps: [
          { id: 'ask', action: 'approval', title: 'Approve {{event.data.object.id}}?' },
          { id: 'approve', action: 'api', path: '/v1/applications/{{event.data.object.id}}/approve', body: {} },
        ],
        permissions: ['applications.write'],
      }),
    );
    await good(api.post(`/v1/workflows/${workflow.id}/activate`));
    const person = async (name: string): Promise<string> => (await good(api.post('/v1/customers', { name }))).body.id;
    const customers = [await person('Ada Lovelace'), await person('Grace Hopper')];
    const { body: application } = await good(api.post('/v1/applications', { customers }));
    const pending = async (): Promise<{ id: string }[]> =>
      (await good(api.get('/v1/approval_requests?status=pending'))).body.data;
    await expect.poll(async () => (await pending()).length).toBe(1);
    await using open = await openDashboard(server, '/approvals', { person: owner, width: 390 });
    const { page, problems } = open;
    const row = page.getByRole('row', {
      name: 'Approve the application? Waiting Ask the manager Ada Lovelace and Grace Hopper',
    });
    await row.waitFor();
    await row.getByText('Ask the manager').waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await expectAccessibleInThemes(page, 'approvals-narrow');
    await row.getByRole('link').click();
    await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor();
    await page.getByRole('link', { name: 'Grace Hopper' }).waitFor();
    await page.getByText('The workflow takes this step:').waitFor();
    const step = page.getByRole('listitem').filter({ hasText: 'Approves the application.' });
    await step.getByText('For developers').click();
    await step.getByText(/"path": "\/v1\/applications\//).waitFor();
    const question = page.getByRole('region', { name: 'What the workflow asks' });
    await question.getByRole('link', { name: 'the application' }).waitFor();
    const now = page.getByRole('region', { name: 'The record now' });
    await now.getByRole('link', { name: application.id }).waitFor();
    await expectAccessibleInThemes(page, 'approval-of-workflow');
    await page.getByRole('link', { name: 'Ask the manager' }).waitFor();
    await page.getByRole('region', { name: 'The record now' }).getByText('open', { exact: false }).first().waitFor();
    await page.getByRole('button', { name: 'Reject' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The step fails, and the run ends with it').waitFor();
    expect(await dialog.getByText(/agent|hour/).count()).toBe(0);
    await dialog.getByRole('button', { name: 'Reject the request' }).click();
    await page.getByText('Rejected').first().waitFor();
    await page.getByRole('link', { name: 'its run' }).click();
    await page
      .getByRole('region', { name: 'Steps' })
      .getByText(/A person has rejected it/)
      .waitFor();
    expect(problems).toEqual([]);
  });

  test('are counted in the navigation and on both homes for a person that may decide', async () => {
    const server = await serverForTest();
    const owner = await firstOwner(server);
    const agent = await agentOf(server);
    await heldBy(agent, '/v1/customers', { name: 'Ada Lovelace' });
    await using open = await openDashboard(server, '/', { person: owner });
    const { page, problems } = open;
    const pages = page.getByRole('navigation', { name: 'Pages' });
    const attention = page.getByRole('region', { name: 'Needs attention' });
    await pages.getByRole('link', { name: 'Approvals 1 waiting' }).waitFor();
    await attention.getByRole('link', { name: 'Create a customer' }).waitFor();

    await heldBy(agent, '/v1/customers', { name: 'Grace Hopper' });
    await page.reload();
    await attention.getByRole('link', { name: '2 approval requests' }).waitFor();
    await page.getByRole('button', { name: 'Home of the office' }).click();
    await page.getByRole('main').getByRole('link', { name: '2 To approve' }).click();
    await page
      .getByRole('row', { name: /Create a customer/ })
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'Create a customer' }).first().click();
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reject the request' }).click();
    await pages.getByRole('link', { name: 'Approvals 1 waiting' }).waitFor();
    expect(problems).toEqual([]);
  });

  test('are not counted for a person that may only read them', async () => {
    const server = await serverForTest();
    await heldBy(await agentOf(server), '/v1/customers', { name: 'Ada Lovelace' });
    const user = viewer('approval_requests.read');
    await using open = await openDashboard(server, '/approvals', { session: { user } });
    await open.page.getByRole('row', { name: /Create a customer/ }).waitFor();
    await open.page.getByRole('link', { name: 'Approvals', exact: true }).waitFor();
  });

  test('are not in the navigation of an operator', async () => {
    const server = await serverForTest();
    const operator = await member(server, await firstOwner(server), 'operator', 'mary@example.com');
    await using open = await openDashboard(server, '/', { person: operator });
    const pages = open.page.getByRole('navigation', { name: 'Pages' });
    await pages.getByRole('link', { name: 'Home' }).waitFor();
    expect(await pages.getByRole('link', { name: 'Approvals' }).count()).toBe(0);
  });

  test('are chosen for the key of an agent when a person makes it', async () => {
    const server = await serverForTest();
    const owner = await firstOwner(server);
    await using open = await openDashboard(server, '/api-keys/new', { person: owner });
    const { page, problems } = open;
    await page.getByRole('button', { name: 'Kind' }).click();
    await page.getByRole('option', { name: 'Agent' }).click();
    await page.getByLabel('Name').fill('Letting assistant');
    await page.getByRole('button', { name: 'A person approves' }).click();
    await page.getByRole('option', { name: 'None: the agent acts alone' }).click();
    await page.getByRole('checkbox', { name: 'Read: References' }).click({ force: true });
    await page.getByRole('button', { name: 'Create the key' }).click();
    await page.getByRole('dialog').waitFor();
    const { data } = (await good(server.api.get('/v1/api_keys'))).body;
    expect(data[0]).toMatchObject({ type: 'agent', approvals: 'none' });
    expect(problems).toEqual([]);
  });
});
