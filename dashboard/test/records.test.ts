import { operations } from '../../sdk/src/generated/operations.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resources } from '../../server/src/resources/index.ts';
import { firstOwner, type Browser } from '../../server/test/support/browser.ts';
import { good, startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { describeInBrowser } from '../../ui/test/support/browser.ts';
import { openDashboard } from './support/browser.ts';

const paths = new Set<string>(
  Object.values(operations).flatMap((each) => ('retrieve' in each ? [each.retrieve.path] : [])),
);
/** The prefixes of all records that the API returns by their ids. */
const prefixes = resources.filter(({ path }) => paths.has(`/v1/${path}/{id}`)).map(({ prefix }) => prefix);

describeInBrowser('the palette', () => {
  let server: TestServer;
  let owner: Browser;

  beforeAll(async () => {
    server = await startTestServer();
    owner = await firstOwner(server);
  });
  afterAll(() => server.stop());

  test('opens a record by its id when its kind has no page of its own', async () => {
    const { body: customer } = await good(server.api.post('/v1/customers', { name: 'Ada Example' }));
    const { body: application } = await good(server.api.post('/v1/applications', { customers: ['case_7'] }));
    const proposal = { application: application.id, customer: customer.id };
    const guarantor = (await good(server.api.post('/v1/guarantors', proposal))).body;
    const connected = (await good(server.api.post('/v1/accounts', { name: 'Ouse Lettings' }))).body;
    await using open = await openDashboard(server, `/go/${guarantor.id}`, { person: owner });
    const { page, problems } = open;
    await page.getByRole('heading', { name: new RegExp(`Guarantor ${guarantor.id}`) }).waitFor();
    await page.getByRole('region', { name: 'Data' }).getByText(`"${customer.id}"`).waitFor();
    await page.getByRole('link', { name: 'Events', exact: true }).last().click();
    await page.getByText('1 of 1 events').waitFor();
    await page.keyboard.press('Control+k');
    const field = page.getByRole('dialog', { name: 'Go to' }).getByRole('searchbox');
    // Deliveries belong to the pages of their endpoints.
    await field.fill('dlv_0123');
    await page.getByText('Nothing found.').waitFor();
    const { account } = (await owner.get('/auth/session')).body.user;
    await field.fill(account.id);
    await page.getByRole('menuitem', { name: `Go to ${account.id}` }).click();
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await page.goto(`${server.url}/dashboard/go/${connected.id}`);
    await page.getByText('You act as Ouse Lettings').waitFor();
    expect(problems).toEqual([]);
  });

  test('offers the record of every id when the API returns such records', async () => {
    await using open = await openDashboard(server, '/', { person: owner });
    const { page } = open;
    await page.getByRole('button', { name: 'Find a person or a page' }).click();
    expect(prefixes).toContain('ref');
    for (const prefix of prefixes) {
      await page.getByRole('dialog', { name: 'Go to' }).getByRole('searchbox').fill(`${prefix}_1`);
      await page.getByRole('menuitem', { name: `Go to ${prefix}_1` }).waitFor();
    }
  });

  test('does what it is asked for by a word', async () => {
    await using open = await openDashboard(server, '/', { person: owner });
    const { page, problems } = open;
    const take = async (word: string, name: string): Promise<void> => {
      await page.getByRole('button', { name: 'Find a person or a page' }).click();
      await page.getByRole('dialog', { name: 'Go to' }).getByRole('searchbox').fill(word);
      await page.getByRole('menuitem', { name }).click();
    };
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await take('upgrade', 'API version');
    await page.getByRole('heading', { name: 'API version' }).waitFor();
    await take('invite', 'Invite a person');
    await page.getByRole('dialog', { name: 'Invite a person' }).getByRole('button', { name: 'Cancel' }).click();
    await page.waitForURL((url) => url.pathname === '/dashboard/team' && url.hash === '');
    await take('create', 'Create a webhook endpoint');
    await page.getByRole('dialog', { name: 'Create a webhook endpoint' }).getByLabel('URL').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await take('clock', 'Move the clock');
    await page.getByRole('dialog', { name: 'Move the clock forward' }).getByRole('button', { name: 'Cancel' }).click();
    await take('sign out', 'Sign out');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(problems).toEqual([]);
  });
});
