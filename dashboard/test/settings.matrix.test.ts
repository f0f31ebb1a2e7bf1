import { afterAll, beforeAll, expect, test } from 'vitest';
import { firstOwner, goodPassword, member, type Browser } from '../../server/test/support/browser.ts';
import { startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { describeInBrowser, expectAccessible } from '../../ui/test/support/browser.ts';
import { openDashboard } from './support/browser.ts';

describeInBrowser('the pages of accounts and settings', () => {
  let server: TestServer;
  let owner: Browser;

  beforeAll(async () => {
    server = await startTestServer();
    owner = await firstOwner(server);
  });
  afterAll(() => server.stop());

  test('moves the clock of the sandbox, and shows its time from then on', async () => {
    await using open = await openDashboard(server, '/settings', { person: owner });
    const { page, problems } = open;
    await page.getByRole('button', { name: 'Move the clock' }).click();
    await page.getByRole('button', { name: /How far/ }).click();
    await page.getByRole('option', { name: '3 days' }).click();
    await page.getByText('The clock never goes back').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Move by 3 days' }).click();
    await page.getByText(/The clock shows .*, 3 d ahead/).waitFor();
    await page.getByRole('button', { name: 'Move the clock' }).waitFor();
    expect(problems).toEqual([]);
  });

  test('asks for the password before credentials change, and never shows them', async () => {
    // A confirmation gives a session a new cookie, so that no other test can use this one.
    const admin = await member(server, owner, 'admin', 'grace@example.com');
    // As if 15 minutes had passed.
    await server.context.database.readers.query(`update sessions set confirmed_at = null where role = 'admin'`);
    await using open = await openDashboard(server, '/settings', { person: admin });
    const { page } = open;
    await page.getByRole('button', { name: 'Set the credentials of provider_d' }).click();
    await page.getByLabel('Token', { exact: true }).fill('token-of-the-provider');
    await page.getByRole('button', { name: 'Set the credentials', exact: true }).click();
    const confirmation = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await confirmation.getByLabel('Password', { exact: true }).fill(goodPassword);
    await confirmation.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText(/Last changed on .* by grace@example.com/).waitFor();
    await page.getByRole('row', { name: /provider_d Ready Set/ }).waitFor();
    expect(await page.content()).not.toContain('token-of-the-provider');
    await page.getByRole('button', { name: 'Remove the credentials of provider_d' }).click();
    await page.getByRole('button', { name: 'Remove the credentials', exact: true }).click();
    await page.getByRole('row', { name: /provider_d Ready None needed in the sandbox/ }).waitFor();
  });

  test('shows a viewer the settings, and disables them with the reason', async () => {
    const viewer = await member(server, owner, 'viewer', 'vera@example.com');
    await using open = await openDashboard(server, '/settings', { person: viewer });
    const { page, problems } = open;
    await page.getByText('Your role (viewer) may not change the settings').first().waitFor();
    expect(await page.getByLabel('Name', { exact: true }).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Save' }).first().isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Set the credentials of provider_a' }).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Move the clock' }).isDisabled()).toBe(true);
    expect(problems).toEqual([]);
  });
});
