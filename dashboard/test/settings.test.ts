import { afterAll, beforeAll, expect, test } from 'vitest';
import { firstOwner, type Browser } from '../../server/test/support/browser.ts';
import { good, startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { describeInBrowser, openDashboard } from './support/browser.ts';

describeInBrowser('the pages of accounts and settings', () => {
  let server: TestServer;
  let owner: Browser;

  beforeAll(async () => {
    server = await startTestServer();
    owner = await firstOwner(server);
  });
  afterAll(() => server.stop());

  test('acts as a connected account until the person goes back', async () => {
    await using open = await openDashboard(server, '/accounts', { person: owner });
    const { page, problems } = open;
    await page.getByRole('button', { name: 'Create an account' }).first().click();
    await page.getByLabel('Name').fill('Ouse Lettings');
    await page.getByRole('button', { name: 'Create the account' }).click();
    await page.getByRole('link', { name: 'Ouse Lettings' }).click();
    await page.getByRole('note').getByText('You act as Ouse Lettings').waitFor();
    const { body } = await good(server.api.get('/v1/accounts'));
    const [{ id }] = body.data as [{ id: string }];
    const ada = { name: 'Ada Example', email: 'ada@example.com' };
    await good(server.api.post('/v1/customers', ada, { 'service-context': id }));
    const asked = page.waitForRequest('**/v1/events?**');
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Events' }).click();
    expect(await (await asked).headerValue('service-context')).toBe(id);
    await page.getByRole('link', { name: 'customer.created' }).waitFor();
    await page.getByRole('button', { name: 'Account: Ouse Lettings' }).click();
    await page.getByRole('menuitem', { name: 'All 1 accounts' }).click();
    await page.getByText('Go back to My account first').waitFor();
    await page.getByRole('button', { name: 'Back to My account' }).click();
    await page.waitForURL((url) => url.search === '');
    expect(await page.getByText('You act as').count()).toBe(0);
    expect(problems).toEqual([]);
  });
});
