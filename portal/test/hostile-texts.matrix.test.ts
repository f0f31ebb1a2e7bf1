import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { describeInBrowser } from '../../ui/test/support/browser.ts';
import { expectHarmless, hostile, texts } from '../../ui/test/support/hostile-texts.ts';
import { openPortal } from './support/portal.ts';
import { makeRenter, nameAgent, type Renter } from './support/renter.ts';

/** Every page, with a part that appears when it is ready. */
const pages: [path: string, ready: string][] = [
  ['/', 'nav[aria-label="All pages"] a'],
  ['/application', '[aria-label="Your checks"] li'],
  ['/documents', '[aria-label="What you have sent"] li'],
  ['/details', '[aria-label="Your addresses"] li'],
  ['/home', 'dl'],
  ['/rent', '[aria-label="Payments"] li'],
  ['/deposit', '[aria-label="What the landlord asks for"] li'],
  ['/pets', 'dl'],
  ['/notice', 'form'],
];

describeInBrowser('a page of the portal whose records have hostile texts', () => {
  let server: TestServer;
  let ada: Renter;

  beforeAll(async () => {
    server = await startTestServer();
    await nameAgent(server);
    ada = await makeRenter(server);
  });
  afterAll(() => server.stop());

  test.each(pages)('shows them as texts and runs none at %s when the window is narrow', async (path, ready) => {
    await using open = await openPortal(server, path, { customer: ada.customer, width: 320, rewrite: hostile });
    const { page } = open;
    await page.locator(ready).first().waitFor();
    await expectHarmless(open);
    const shown = (await page.evaluate(() => document.body.textContent)) ?? '';
    expect(texts.some((text) => shown.includes(text))).toBe(true);
  });
});
