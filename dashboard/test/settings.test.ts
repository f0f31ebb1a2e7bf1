import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { firstOwner, type Browser } from '../../server/test/support/browser.ts';
import { good, startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { describeInBrowser } from '../../ui/test/support/browser.ts';
import { openDashboard } from './support/browser.ts';

describeInBrowser('the pages of accounts and settings', () => {
  let server: TestServer;
  let owner: Browser;

  beforeAll(async () => {
    server = await startTestServer();
    owner = await firstOwner(server);
  });
  afterAll(() => server.stop());

  test('sends only what a person has changed when the form began with an old record', async () => {
    await using open = await openDashboard(server, '/settings', { person: owner });
    const { page, problems } = open;
    const pages = page.getByRole('navigation', { name: 'Pages' });
    const name = page.getByLabel('Name', { exact: true });
    await name.waitFor();
    onTestFinished(async () => {
      await good(server.api.post('/v1/account', { name: 'My account', default_provider: null }));
    });
    // The cache keeps the record of this moment. Another person then changes its name.
    await pages.getByRole('link', { name: 'Home' }).click();
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await good(server.api.post('/v1/account', { name: 'Ouse Lettings' }));
    const gate = Promise.withResolvers<void>();
    await page.route('**/v1/account', async (route) => {
      if (route.request().method() === 'GET') await gate.promise;
      await route.fallback();
    });
    await pages.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: /Default provider/ }).click();
    await page.getByRole('option', { name: 'provider_b' }).click();
    const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/v1/account'));
    await page.getByRole('button', { name: 'Save' }).first().click();
    expect((await sent).postDataJSON()).toEqual({ default_provider: 'provider_b' });
    gate.resolve();
    await expect.poll(() => name.inputValue()).toBe('Ouse Lettings');
    await expect.poll(() => page.getByRole('button', { name: 'Save' }).first().isDisabled()).toBe(true);
    const { body } = await good(server.api.get('/v1/account'));
    expect(body).toMatchObject({ name: 'Ouse Lettings', default_provider: 'provider_b' });
    expect(problems).toEqual([]);
  });

  test('asks before a person leaves changes, and says what is unknown when the server does not answer', async () => {
    await using open = await openDashboard(server, '/settings', { person: owner });
    const { page } = open;
    await page.getByLabel('Name', { exact: true }).fill('Foss Lettings');
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Home' }).click();
    const question = page.getByRole('alertdialog', { name: 'Leave without saving?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Foss Lettings');
    await page.route('**/v1/account', (route) =>
      route.request().method() === 'POST' ? route.abort() : route.fallback(),
    );
    await page.getByRole('button', { name: 'Save' }).first().click();
    await page.getByRole('alert').getByText('it is unknown whether the change was made').waitFor();
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Home' }).click();
    await question.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    expect((await good(server.api.get('/v1/account'))).body.name).toBe('My account');
  });

  test('acts as a connected account until the person goes back', async () => {
    await using open = await openDashboard(server, '/accounts', { person: owner });
    const { page, problems } = open;
    await page.getByRole('button', { name: 'Create an account' }).first().click();
    await page.getByLabel('Name', { exact: true }).fill('Ouse Lettings');
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
    const pages = page.getByRole('navigation', { name: 'Pages' });
    await pages.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('group', { name: 'The same with curl' }).getByText(`-H 'Service-Context: ${id}'`).waitFor();
    await pages.getByRole('link', { name: 'Team' }).click();
    await page.getByText('The people of My account act for it.').waitFor();
    expect(await page.getByRole('button', { name: 'Invite' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Account: Ouse Lettings' }).click();
    await page.getByRole('menuitem', { name: 'All connected accounts (1)' }).click();
    await page.getByText('Go back to My account first').waitFor();
    await page.getByRole('button', { name: 'Back to My account' }).click();
    await page.waitForURL((url) => url.search === '');
    await expect.poll(() => page.getByText('You act as').count()).toBe(0);
    expect(problems).toEqual([]);
  });
});
