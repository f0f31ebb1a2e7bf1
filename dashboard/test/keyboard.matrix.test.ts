import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Browser, firstOwner, goodPassword } from '../../server/test/support/browser.ts';
import { good, startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { latestVersion } from '../../server/test/support/versions.ts';
import { describeInBrowser, type OpenPage } from '../../ui/test/support/browser.ts';
import { openDashboard } from './support/browser.ts';
import { Keyboard } from '../../ui/test/support/keyboard.ts';
import { waitMs } from '../../server/test/support/wait.ts';

describeInBrowser('a person without a mouse', () => {
  let server: TestServer;
  let owner: Browser;
  let endpoint: string;

  beforeAll(async () => {
    const settings = { TENURE_LATEST_VERSION: '2026-03-01', TENURE_RETRY_SCHEDULE: 'none' };
    server = await startTestServer({ settings });
    owner = await firstOwner(server);
    // Nothing listens at this port.
    const wanted = { url: 'http://127.0.0.1:9/', enabled_events: ['customer.created'] };
    endpoint = (await good(server.api.post('/v1/webhook_endpoints', wanted))).body.id;
    await good(server.api.post('/v1/customers', { name: 'Ada Example', email: 'ada@example.com' }));
    await vi.waitUntil(async () => (await deliveries())[0]?.status === 'failed', waitMs);
  });
  afterAll(() => server.stop());

  describe.each([1280, 320])('in a window of %d px', (width) => {
    async function open(path: string, person = owner): Promise<OpenPage & { keyboard: Keyboard }> {
      const opened = await openDashboard(server, path, { person, width, isWhole: true });
      return { ...opened, keyboard: new Keyboard(opened.page) };
    }

    /** Goes to a page by the sidebar, which is folded in a narrow window. */
    async function goTo(
      { page, keyboard }: { page: OpenPage['page']; keyboard: Keyboard },
      name: string,
    ): Promise<void> {
      if (width < 768) await keyboard.use(page.getByRole('button', { name: 'Open the menu' }));
      await keyboard.use(page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }));
      await page.getByRole('heading', { level: 1, name }).waitFor();
      await keyboard.expectSeen();
    }

    test('signs in', async () => {
      await using opened = await open('/', new Browser(server));
      const { page, keyboard, problems } = opened;
      await keyboard.tabTo(page.getByLabel('E-mail'));
      await keyboard.type('ada@example.com');
      await keyboard.tabTo(page.getByLabel('Password', { exact: true }));
      await keyboard.type(goodPassword);
      await keyboard.use(page.getByRole('button', { name: 'Sign in', exact: true }));
      await page.getByRole('heading', { name: 'Home' }).waitFor();
      await keyboard.expectSeen();
      expect(problems).toEqual([]);
    });

    test('finds a request by its id, and copies it as curl', async () => {
      const { body } = await good(server.api.get('/v1/logs?path=/v1/customers'));
      await using opened = await open('/');
      const { page, keyboard, problems } = opened;
      let copied = '';
      await page.exposeFunction('noteCopied', (text: string) => (copied = text));
      await page.evaluate(() => {
        navigator.clipboard.writeText = (
          globalThis as unknown as { noteCopied: (text: string) => Promise<void> }
        ).noteCopied;
      });
      await keyboard.use(page.getByRole('button', { name: 'Find a person or a page' }));
      await keyboard.type(body.data[0].id);
      await page.getByRole('menuitem', { name: `Go to ${body.data[0].id}` }).waitFor();
      await keyboard.press('ArrowDown');
      await keyboard.press('Enter');
      await keyboard.use(page.getByRole('button', { name: 'Copy as curl' }));
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      await keyboard.expectSeen();
      expect(copied).toContain(`curl -g '${server.url}/v1/customers'`);
      expect(problems).toEqual([]);
    });

    test('makes a key', async () => {
      await using opened = await open('/');
      const { page, keyboard, problems } = opened;
      await goTo(opened, 'API keys');
      await keyboard.use(page.getByRole('link', { name: 'Create a key' }));
      await keyboard.tabTo(page.getByLabel('Name', { exact: true }));
      await keyboard.type(`Report ${width}`);
      await keyboard.use(page.getByRole('button', { name: /Preset/ }));
      await page.getByRole('option').first().waitFor();
      await keyboard.press('ArrowDown');
      await keyboard.press('Enter');
      await keyboard.tabTo(page.getByRole('checkbox', { name: 'Read: Customers' }));
      await keyboard.press('Space');
      await keyboard.press('Space');
      await keyboard.use(page.getByRole('button', { name: 'Create the key' }));
      const dialog = page.getByRole('dialog', { name: 'Store this key now' });
      await dialog.waitFor();
      await keyboard.expectSeen();
      await keyboard.tabTo(dialog.getByRole('button', { name: 'Copy: API key' }));
      await keyboard.use(dialog.getByRole('button', { name: 'I have stored it' }));
      await page.getByRole('heading', { name: new RegExp(`^Report ${width}`) }).waitFor();
      await keyboard.expectSeen();
      expect(problems).toEqual([]);
    });

    test('resends a failed delivery', async () => {
      const before = (await deliveries()).length;
      await using opened = await open('/');
      const { page, keyboard, problems } = opened;
      await goTo(opened, 'Webhooks');
      await keyboard.use(page.getByRole('link', { name: 'http://127.0.0.1:9/' }));
      const attempts = page.getByRole('button', { name: /^Attempts of dlv_/ }).first();
      await keyboard.use(attempts);
      await page.getByRole('list', { name: /^Attempts of dlv_/ }).waitFor();
      await keyboard.use(page.getByRole('button', { name: 'Resend' }).first());
      await page.getByText(/^Resent evt_/).waitFor();
      await keyboard.expectSeen();
      // The message covers no control on the way back.
      await keyboard.tabBackTo(page.getByRole('button', { name: 'More actions' }));
      await expect.poll(async () => (await deliveries()).length).toBe(before + 1);
      expect(problems).toEqual([]);
    });

    test('upgrades the account and rolls it back', async () => {
      await using opened = await open('/');
      const { page, keyboard, problems } = opened;
      await goTo(opened, 'API keys');
      await keyboard.use(page.getByRole('link', { name: 'API version 2026-03-01' }));
      await keyboard.use(page.getByRole('link', { name: `Preview the upgrade to ${latestVersion}` }));
      await page.getByRole('region', { name: 'Your events' }).waitFor();
      await keyboard.tabTo(page.getByLabel(`Type ${latestVersion} to upgrade`));
      await keyboard.type(latestVersion);
      await keyboard.use(page.getByRole('button', { name: `Upgrade to ${latestVersion}` }));
      const rollBack = page.getByRole('button', { name: 'Roll back to 2026-03-01' });
      await keyboard.use(rollBack);
      const question = page.getByRole('alertdialog', { name: `Roll back from ${latestVersion} to 2026-03-01?` });
      await question.waitFor();
      await keyboard.expectSeen();
      await keyboard.use(question.getByRole('button', { name: 'Roll back to 2026-03-01' }));
      await page.getByRole('link', { name: `Preview the upgrade to ${latestVersion}` }).waitFor();
      await keyboard.expectSeen();
      expect((await good(server.api.get('/v1/account'))).body.api_version).toBe('2026-03-01');
      expect(problems).toEqual([]);
    });
  });

  async function deliveries(): Promise<{ status: string }[]> {
    return (await good(server.api.get(`/v1/webhook_endpoints/${endpoint}/deliveries`))).body.data;
  }
});
