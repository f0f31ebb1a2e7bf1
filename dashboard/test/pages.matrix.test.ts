import { afterAll, beforeAll, expect, test } from 'vitest';
import { firstOwner, type Browser } from '../../server/test/support/browser.ts';
import { good, startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { describeInBrowser, expectAccessibleInThemes, openDashboard } from './support/browser.ts';

/** The pages, each with a text that appears when it is ready. A page of your own belongs here, full and empty. */
const pages: [path: string, ready: string][] = [
  ['/', 'First steps'],
  ['/logs', '/v1/customers'],
  ['/logs?path=/nowhere', 'No logs match'],
  ['/logs?view=groups', 'logs that fit are grouped'],
  ['/events', 'customer.created'],
  ['/events?type=file.created', 'No events match'],
  ['/webhooks', 'No webhook endpoints yet'],
  ['/api-keys', 'Create a key'],
  ['/api-keys/new', 'Webhook endpoints'],
  ['/api-keys#version', 'The first version'],
  ['/api-keys/upgrade', 'Nothing to upgrade'],
  ['/accounts', 'Ouse Lettings'],
  ['/settings', 'Retention'],
  ['/nowhere', 'There is no such page'],
];

/** The pages that only a person may see, each with a text of the page. */
const pagesOfPersons: [path: string, ready: string][] = [
  ['/team', 'No invitations yet'],
  ['/settings/me', 'this one'],
  ['/cli', 'enter the code that it shows'],
];

describeInBrowser('every page', () => {
  let server: TestServer;
  let owner: Browser;

  beforeAll(async () => {
    server = await startTestServer();
    await good(server.api.post('/v1/customers', { name: 'Ada Example', email: 'ada@example.com' }));
    await server.api.post('/v1/customers', { nme: 'Ada Example' });
    // The top bar then has the switcher of accounts.
    await good(server.api.post('/v1/accounts', { name: 'Ouse Lettings' }));
    owner = await firstOwner(server);
  });
  afterAll(() => server.stop());

  test.each(pages)('fits WCAG 2.2 AA and its own policy at %s', async (path, ready) => {
    await expectFitsAllWindows(server, path, ready);
  });

  test.each(pagesOfPersons)('fits WCAG 2.2 AA and its own policy at %s when a person sees it', async (path, ready) => {
    await expectFitsAllWindows(server, path, ready, owner);
  });

  test.each([320, 1280])(
    'shows an event in each of its views in both themes when the window is %d px wide',
    async (width) => {
      await using open = await openDashboard(server, '/events?type=customer.created', { width });
      const { page, problems } = open;
      await page.getByRole('link', { name: 'customer.created' }).click();
      await page.getByRole('region', { name: 'Event' }).waitFor();
      await expectAccessibleInThemes(page, 'event');
      await page.getByRole('tab', { name: 'Compare versions' }).click();
      await page.getByRole('region', { name: 'In 2026-03-01' }).waitFor();
      await expectAccessibleInThemes(page, 'event-versions');
      await page.getByRole('button', { name: 'Second version' }).click();
      await page.getByRole('option', { name: '2025-09-01' }).waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+k');
      await page.getByRole('menuitem', { name: 'Events' }).waitFor();
      await expectAccessibleInThemes(page, 'palette');
      expect(problems).toEqual([]);
    },
  );

  test.each([320, 1280])(
    'shows a request with its faults in both themes when the window is %d px wide',
    async (width) => {
      await using open = await openDashboard(server, '/logs?status=4xx', { width });
      const { page, problems } = open;
      await page.getByRole('link', { name: '400 POST /v1/customers' }).click();
      await page.getByRole('region', { name: 'Response body' }).waitFor();
      await expectAccessibleInThemes(page, 'log');
      expect(problems).toEqual([]);
    },
  );

  test.each([320, 1280])(
    'lets a visitor sign in or use a link in both themes when the window is %d px wide',
    async (width) => {
      const session = { user: null };
      await using signIn = await openDashboard(server, '/events', { width, session });
      await signIn.page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await expectAccessibleInThemes(signIn.page, 'sign-in');
      await using link = await openDashboard(server, '/link', { width, session });
      await link.page.getByRole('heading', { name: 'This link cannot be used' }).waitFor();
      await expectAccessibleInThemes(link.page, 'link');
      expect([...signIn.problems, ...link.problems]).toEqual([]);
    },
  );
});

/** Opens a page once, and checks it in both themes and at both widths. */
async function expectFitsAllWindows(server: TestServer, path: string, ready: string, person?: Browser): Promise<void> {
  await using open = await openDashboard(server, path, { ...(person && { person }) });
  const { page, problems } = open;
  await page.getByText(ready).first().waitFor();
  for (const width of [1280, 320]) {
    await page.setViewportSize({ width, height: 900 });
    await expectAccessibleInThemes(page, path);
  }
  expect(problems).toEqual([]);
}
