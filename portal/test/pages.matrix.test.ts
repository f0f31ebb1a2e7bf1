import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { good, startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { describeInBrowser, expectAccessibleInThemes } from '../../ui/test/support/browser.ts';
import { makeLink, openPortal, openWithoutSession, ownProblems, type PortalOptions } from './support/portal.ts';
import { makeRenter, nameAgent, type Renter } from './support/renter.ts';

/** The pages, each with a text of the full page and one of the empty page. */
const pages: [path: string, full: string, empty: string][] = [
  ['/', '£950 is overdue', 'Hello, Grace'],
  ['/application', 'George Byron', 'There is no application yet'],
  ['/documents', 'passport.pdf', 'You have sent nothing yet'],
  ['/details', '1 Old Street', 'There is no address yet'],
  ['/home', 'Mary Shelley', 'There is no tenancy yet'],
  ['/rent', 'Standing order', 'There are no payments yet'],
  ['/deposit', 'The oven was left dirty', 'There is no deposit'],
  ['/pets', 'Is the cat neutered?', 'There is no tenancy yet'],
  ['/notice', 'Your last day', 'There is no tenancy yet'],
];

describeInBrowser('every page of the portal', () => {
  let server: TestServer;
  let ada: Renter;
  let grace: string;

  beforeAll(async () => {
    server = await startTestServer();
    await nameAgent(server);
    ada = await makeRenter(server);
    grace = (await good(server.api.post('/v1/customers', { name: 'Grace Hopper' }))).body.id;
  });
  afterAll(() => server.stop());

  async function expectFits(path: string, ready: string, picture: string, options: PortalOptions): Promise<void> {
    await using open = await openPortal(server, path, options);
    await open.page.getByText(ready).first().waitFor();
    await expectAccessibleAtWidths(open.page, picture);
    expect(ownProblems(open)).toEqual([]);
  }

  test.each(pages)('fits WCAG 2.2 AA and its policy when it is full: %s', async (path, full) => {
    await expectFits(path, full, `portal-full${path}`, { customer: ada.customer });
  });

  test.each(pages)('fits WCAG 2.2 AA and its policy when it is empty: %s', async (path, _, empty) => {
    await expectFits(path, empty, `portal-empty${path}`, { customer: grace });
  });

  test.each(pages)('fits WCAG 2.2 AA and its policy when its data cannot be loaded: %s', async (path) => {
    // Only the person is known. The address of all else is cut off.
    const isLocal = path === '/' || path === '/details';
    await expectFits(path, isLocal ? 'Ada' : 'You seem to be offline', `portal-error${path}`, {
      customer: ada.customer,
      prepare: async (page) => {
        await page.route(/\/v1\/portal\/(?!me)/, (route) => route.abort());
      },
    });
  });

  test.each([
    ['can be read', '#5b2a86', '#5b2a86'],
    ['cannot be read', '#ffdd00', ''],
  ])('fits WCAG 2.2 AA and its policy when the account has a logo and its colour %s', async (_, colour, used) => {
    const rewrite = (json: unknown): unknown => withBrand(json, colour);
    await using open = await openPortal(server, '/', { customer: ada.customer, rewrite });
    const { page } = open;
    await page.getByText('£950 is overdue').waitFor();
    const logo = page.locator('header img');
    await expect.poll(() => logo.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBeGreaterThan(0);
    const set = await page.evaluate(() => document.documentElement.style.getPropertyValue('--accent-fill'));
    expect(set).toBe(used);
    await expectAccessibleAtWidths(page, `portal-colour-${colour}`);
    expect(ownProblems(open)).toEqual([]);
  });

  test('fits WCAG 2.2 AA and its policy when a step is open', async () => {
    await using open = await openPortal(server, '/notice', { customer: ada.customer });
    const { page } = open;
    await page.getByLabel('Your last day').fill('2099-12-31');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Your last day will be Thursday, 31 December 2099' }).waitFor();
    await expectAccessibleAtWidths(page, 'portal-notice-step');
    await page.goto('/portal/details');
    await page.getByRole('button', { name: 'Add an address' }).click();
    await page.getByRole('button', { name: 'Save' }).last().click();
    await page.getByText('Type the town or city.').waitFor();
    await expectAccessibleAtWidths(page, 'portal-address');
    await page.goto(`/portal/rent/${ada.tenancy}`);
    await page.getByText('Payment received').waitFor();
    await expectAccessibleAtWidths(page, 'portal-statement');
    expect(ownProblems(open)).toEqual([]);
  });

  test('fits WCAG 2.2 AA and its policy when there is no session, no such page, or a link', async () => {
    await using ended = await openWithoutSession(server, '/rent');
    await ended.page.getByRole('heading', { name: 'Your visit has ended' }).waitFor();
    await expectAccessibleAtWidths(ended.page, 'portal-ended');
    const { token } = await makeLink(server, ada.customer);
    await using link = await openWithoutSession(server, `#${token}`);
    await link.page.getByRole('button', { name: 'Open my page' }).waitFor();
    await expectAccessibleAtWidths(link.page, 'portal-link');
    await using missing = await openPortal(server, '/nowhere', { customer: ada.customer });
    await missing.page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    await expectAccessibleAtWidths(missing.page, 'portal-missing');
    expect([ended, link, missing].flatMap(ownProblems)).toEqual([]);
  });
});

/** A picture of one point. */
const logoBytes = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Gives the account a logo and a colour. */
function withBrand(json: unknown, colour: string): unknown {
  const { account } = json as { account?: object };
  if (account === undefined) return json;
  const logo = { content_type: 'image/png', data: logoBytes };
  return { ...(json as object), account: { ...account, logo, brand_color: colour } };
}

async function expectAccessibleAtWidths(page: Page, picture: string): Promise<void> {
  for (const width of [1280, 320]) {
    await page.setViewportSize({ width, height: 900 });
    await expectAccessibleInThemes(page, picture);
  }
}
