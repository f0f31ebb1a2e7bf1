import { afterAll, beforeAll, expect, test } from 'vitest';
import { firstOwner, type Browser } from '../../server/test/support/browser.ts';
import { startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { describeInBrowser, expectFocus } from '../../ui/test/support/browser.ts';
import { openDashboard } from './support/browser.ts';

describeInBrowser('the pages of API keys', () => {
  let server: TestServer;
  let owner: Browser;

  beforeAll(async () => {
    server = await startTestServer();
    owner = await firstOwner(server);
  });
  afterAll(() => server.stop());

  test('shows the secret of a new key once, and the key ends when it is revoked', async () => {
    await using open = await openDashboard(server, '/api-keys/new', { person: owner });
    const { page, problems } = open;
    await page.getByLabel('Name', { exact: true }).fill('Nightly report');
    await page.getByRole('button', { name: /Preset/ }).click();
    await page.getByRole('option', { name: 'Report on references' }).click();
    await page.getByRole('checkbox', { name: 'Read: Customers' }).press('Space');
    await page.getByRole('button', { name: 'Create the key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Store this key now' });
    const secret = await dialog.getByRole('group', { name: 'API key' }).innerText();
    expect(secret).toMatch(/^rk_test_\w{30,}$/);
    expect(await statusOf(secret, '/v1/customers')).toBe(200);
    expect(await statusOf(secret, '/v1/files')).toBe(403);
    await dialog.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('heading', { name: /^Nightly report/ }).waitFor();
    await page.getByRole('main').getByText('ada@example.com').waitFor();
    const kept = await page.evaluate(() => JSON.stringify([document.body.outerHTML, localStorage, sessionStorage]));
    expect(kept).not.toContain(secret);
    await page.getByRole('button', { name: 'Revoke' }).click();
    await expectFocus(page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }));
    await page.getByRole('button', { name: 'Revoke the key' }).click();
    await page.getByText('The key is revoked').waitFor();
    expect(await statusOf(secret, '/v1/customers')).toBe(401);
    expect(problems).toEqual([]);
  });

  test('names the makers of keys, and the team its members, when a person goes from one to the other', async () => {
    const key = { type: 'restricted', permissions: ['references.read'] };
    expect((await owner.post('/v1/api_keys', key)).status).toBe(200);
    for (const path of ['/team', '/api-keys']) {
      await using open = await openDashboard(server, path, { person: owner });
      const { page, problems } = open;
      const pages = page.getByRole('navigation', { name: 'Pages' });
      const keys = page.getByRole('table', { name: 'API keys' }).getByRole('cell', { name: 'ada@example.com' }).first();
      const member = page.getByRole('table', { name: 'Members' }).getByRole('row', { name: /ada@example\.com/ });
      const [first, second] = path === '/team' ? [member, keys] : [keys, member];
      await first.waitFor();
      await pages.getByRole('link', { name: path === '/team' ? 'API keys' : 'Team' }).click();
      await second.waitFor();
      await pages.getByRole('link', { name: path === '/team' ? 'Team' : 'API keys' }).click();
      await first.waitFor();
      expect(problems).toEqual([]);
    }
  });

  async function statusOf(key: string, path: string): Promise<number> {
    const { status } = await fetch(server.url + path, { headers: { authorization: `Bearer ${key}` } });
    return status;
  }
});
