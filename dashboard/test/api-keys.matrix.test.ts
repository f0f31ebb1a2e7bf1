import { afterAll, beforeAll, expect, test } from 'vitest';
import { firstOwner, member, type Browser } from '../../server/test/support/browser.ts';
import { good, startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { latestVersion } from '../../server/test/support/versions.ts';
import { describeInBrowser, expectAccessible, expectFocus } from '../../ui/test/support/browser.ts';
import { openDashboard } from './support/browser.ts';

describeInBrowser('the pages of API keys and of the version', () => {
  let server: TestServer;
  let owner: Browser;

  beforeAll(async () => {
    server = await startTestServer({ settings: { TENURE_LATEST_VERSION: '2026-03-01' } });
    owner = await firstOwner(server);
    await good(server.api.post('/v1/customers', { name: 'Ada Example', email: 'ada@example.com' }));
  });
  afterAll(() => server.stop());

  test('keeps what was typed when the server refuses a key, and names the fault at its field', async () => {
    await using open = await openDashboard(server, '/api-keys/new', { person: owner });
    const { page } = open;
    await page.getByLabel('Name', { exact: true }).fill('Line\u2028break');
    await page.getByRole('checkbox', { name: 'Read: Events' }).press('Space');
    await page.getByRole('button', { name: 'Create the key' }).click();
    const name = page.getByLabel('Name', { exact: true });
    await expectFocus(name);
    expect(await name.getAttribute('aria-invalid')).toBe('true');
    expect(await name.inputValue()).toBe('Line\u2028break');
    expect(await page.getByRole('checkbox', { name: 'Read: Events' }).isChecked()).toBe(true);
  });

  test('upgrades the account when its date is typed, and rolls it back', async () => {
    await using open = await openDashboard(server, '/api-keys#version', { person: owner });
    const { page, problems } = open;
    await page.getByRole('link', { name: `Preview the upgrade to ${latestVersion}` }).click();
    const example = page
      .getByRole('region', { name: 'Your events' })
      .getByRole('row', { name: /^request/ })
      .first();
    expect(await example.innerText()).toMatch(/request\s+("req_|null).*"actor"/s);
    await expectAccessible(page);
    const upgrade = page.getByRole('button', { name: `Upgrade to ${latestVersion}` });
    expect(await upgrade.isDisabled()).toBe(true);
    await page.getByLabel(`Type ${latestVersion} to upgrade`).fill(latestVersion);
    await upgrade.click();
    await page.getByText(/^(3 d|2 d 23 h) left$/).waitFor();
    expect(await versionNow()).toBe(latestVersion);
    await page.getByRole('button', { name: 'Roll back to 2026-03-01' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Roll back to 2026-03-01' }).click();
    await page.getByRole('link', { name: `Preview the upgrade to ${latestVersion}` }).waitFor();
    expect(await versionNow()).toBe('2026-03-01');
    expect(problems).toEqual([]);
  });

  test('moves nothing when the preview of an upgrade comes late', async () => {
    await using open = await openDashboard(server, '/api-keys#version', { person: owner });
    const { page, problems } = open;
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/v1/account/api_version/preview?*', async (route) => {
      await released;
      await route.continue();
    });
    await page.getByRole('link', { name: `Preview the upgrade to ${latestVersion}` }).click();
    await page.getByRole('status', { name: 'Loading' }).waitFor();
    await page.evaluate(() => {
      const shifts: number[] = [];
      Object.assign(globalThis, { shifts });
      // A shift soon after a click is that of the click.
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) shifts.push((entry as unknown as { value: number }).value);
      }).observe({ type: 'layout-shift' });
    });
    release();
    await page.getByLabel(`Type ${latestVersion} to upgrade`).waitFor();
    await page.getByRole('region', { name: 'Your events' }).waitFor();
    const shifts = await page.evaluate(async () => {
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      return (globalThis as unknown as { shifts: number[] }).shifts;
    });
    expect(shifts).toEqual([]);
    expect(problems).toEqual([]);
  });

  test('says which permission is missing when a viewer asks for the keys', async () => {
    const viewer = await member(server, owner, 'viewer', 'vera@example.com');
    await using open = await openDashboard(server, '/api-keys', { person: viewer });
    await open.page.getByRole('alert').getByText('api_keys.read').waitFor();
    await open.page.getByRole('button', { name: 'Create a key' }).waitFor();
    expect(await open.page.getByRole('button', { name: 'Create a key' }).isDisabled()).toBe(true);
    await open.page.getByText('Your role (viewer) may not change API keys').waitFor();
  });

  async function versionNow(): Promise<string> {
    return (await good(server.api.get('/v1/account'))).body.api_version as string;
  }
});
