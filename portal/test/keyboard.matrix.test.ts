import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { good, startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { describeInBrowser } from '../../ui/test/support/browser.ts';
import { Keyboard } from '../../ui/test/support/keyboard.ts';
import { makeLink, openWithoutSession, ownProblems } from './support/portal.ts';
import { makeTenancy } from './support/renter.ts';

describeInBrowser('a renter without a mouse', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.stop());

  describe.each([1280, 320])('in a window of %d px', (width) => {
    test('opens the link, saves a phone number, gives notice and signs out', async () => {
      const customer = (await good(server.api.post('/v1/customers', { name: 'Ada Lovelace' }))).body.id;
      const tenancy = await makeTenancy(server, customer);
      const { token } = await makeLink(server, customer);
      await using open = await openWithoutSession(server, `#${token}`, { width, isWhole: true });
      const { page } = open;
      const keyboard = new Keyboard(page);
      await keyboard.use(page.getByRole('button', { name: 'Open my page' }));
      await page.getByRole('heading', { name: 'Hello, Ada' }).waitFor();
      const all = page.getByRole('navigation', { name: 'All pages' });
      await keyboard.use(all.getByRole('link', { name: 'My details' }));
      await page.getByRole('heading', { level: 1, name: 'My details' }).waitFor();
      await keyboard.expectSeen();
      await keyboard.tabTo(page.getByLabel('Phone'));
      await keyboard.type('07700 900123');
      await keyboard.press('Enter');
      await page.getByText('Saved.').waitFor();
      await keyboard.expectSeen();
      const back = width < 768 ? 'Back' : 'Pages';
      const overview = page.getByRole('navigation', { name: back }).getByRole('link', { name: 'All pages' });
      await keyboard.tabBackTo(overview);
      await keyboard.press('Enter');
      await keyboard.use(all.getByRole('link', { name: 'Give notice' }));
      await keyboard.tabTo(page.getByLabel('Your last day'));
      await page.getByLabel('Your last day').fill('2099-12-31');
      await keyboard.use(page.getByRole('button', { name: 'Continue' }));
      await keyboard.use(page.getByRole('button', { name: 'Go back' }));
      await keyboard.press('Enter');
      await keyboard.use(page.getByRole('button', { name: 'Give notice: my last day is 31 December 2099' }));
      await page.getByText('The last day is Thursday, 31 December 2099').waitFor();
      await keyboard.expectSeen();
      expect((await good(server.api.get(`/v1/tenancies/${tenancy}`))).body.notice.ends_on).toBe('2099-12-31');
      await keyboard.tabBackTo(page.getByRole('button', { name: 'Sign out' }));
      await keyboard.press('Enter');
      await page.getByRole('heading', { name: 'You have signed out' }).waitFor();
      await keyboard.expectSeen();
      expect(ownProblems(open)).toEqual([]);
    });
  });

  test('skips the pages beside when the first link is used', async () => {
    const customer = (await good(server.api.post('/v1/customers', { name: 'Grace Hopper' }))).body.id;
    const { token } = await makeLink(server, customer);
    await using open = await openWithoutSession(server, `#${token}`, { isWhole: true });
    const { page } = open;
    const keyboard = new Keyboard(page);
    await keyboard.use(page.getByRole('button', { name: 'Open my page' }));
    await page.getByRole('heading', { name: 'Hello, Grace' }).waitFor();
    await keyboard.tabBackTo(page.getByRole('link', { name: 'Skip to the page' }));
    await keyboard.press('Enter');
    await keyboard.tabTo(page.getByRole('navigation', { name: 'All pages' }).getByRole('link').first());
    expect(ownProblems(open)).toEqual([]);
  });
});
