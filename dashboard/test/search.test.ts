import { afterAll, beforeAll, expect, test } from 'vitest';
import { good, startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { describeInBrowser, expectAccessibleInThemes, type OpenPage } from '../../ui/test/support/browser.ts';
import { openDashboard, viewer } from './support/browser.ts';

const field = { name: 'A name, e-mail, home, your own reference, or a page' };

async function openPalette(page: OpenPage['page'], text: string): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('searchbox', field).fill(text);
}

describeInBrowser('the search of the palette', () => {
  let server: TestServer;
  let ada: string;

  beforeAll(async () => {
    server = await startTestServer();
    const persons = ['Ada Lovelace', 'Grace Hopper', '<b>Ada</b> & Söhne'];
    const made = persons.map((name, at) => ({ name, email: `person${at}@example.org` }));
    for (const person of made) await good(server.api.post('/v1/customers', person));
    ada = (await good(server.api.get('/v1/customers?email=person0@example.org'))).body.data[0].id;
    await good(server.api.post('/v1/references', { application: 'app_1', customer: ada }));
    const address = { line1: '12 Coppergate', city: 'York', postal_code: 'YO1 9NR', country: 'GB' };
    const building = await good(server.api.post('/v1/buildings', { name: 'Coppergate House', address }));
    await good(server.api.post('/v1/units', { building: building.body.id, name: 'Flat 2' }));
  });
  afterAll(() => server.stop());

  test('shows records by kind with title and subtitle, and opens one by the keyboard alone', async () => {
    await using open = await openDashboard(server, '/logs');
    const { page, problems } = open;
    await openPalette(page, 'lovelace');
    const customers = page.getByRole('group', { name: 'People' });
    await customers.getByRole('menuitem', { name: 'Ada Lovelace' }).waitFor();
    expect(await customers.getByRole('menuitem').allInnerTexts()).toEqual([
      expect.stringContaining('person0@example.org'),
    ]);
    const references = page.getByRole('group', { name: 'Checks' });
    expect(await references.getByRole('menuitem', { name: 'Ada Lovelace' }).innerText()).toContain('Not begun');
    expect(await page.getByRole('status').filter({ hasText: 'records found' }).innerText()).toBe('2 records found.');
    // The first record is chosen without a key.
    await customers.getByRole('menuitem', { name: 'Ada Lovelace' }).and(page.locator('[data-focused]')).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/dashboard/customers/${ada}`);
    await page.getByRole('heading', { name: 'Ada Lovelace', level: 1 }).waitFor();
    expect(problems).toEqual([]);
  });

  test('shows where a found record stands in the words of its page', async () => {
    const { body: zora } = await good(server.api.post('/v1/customers', { name: 'Zora Hurston' }));
    const { body: units } = await good(server.api.get('/v1/units'));
    const [unit] = units.data;
    await good(server.api.post('/v1/applications', { customers: [zora.id], unit: unit.id }));
    const rent = { amount: 95_000, currency: 'gbp', interval: 'month' };
    const terms = { unit: unit.id, customers: [zora.id], start_date: '2026-06-01', rent };
    await good(server.api.post('/v1/tenancies', terms));
    // A search finds a record once it is indexed.
    const count = async () => (await good(server.api.get('/v1/search?query=zora'))).body.data.length;
    await expect.poll(count, { timeout: 20_000 }).toBe(3);
    await using open = await openDashboard(server, '/logs');
    await openPalette(open.page, 'zora');
    const shown = async (kind: string): Promise<string> => {
      const found = open.page.getByRole('group', { name: kind }).getByRole('menuitem');
      return (await found.first().innerText()).replaceAll(/\s+/g, ' ');
    };
    await expect.poll(() => shown('Applications')).toContain('No checks yet, Flat 2');
    expect(await shown('Tenancies')).toContain('Draft, from 1 June 2026');
  });

  test('chooses the first record when the results of another text come', async () => {
    await using open = await openDashboard(server, '/logs');
    const { page, problems } = open;
    await openPalette(page, '');
    const searchbox = page.getByRole('searchbox', field);
    const chosen = (name: string) => page.getByRole('menuitem', { name }).and(page.locator('[data-focused]'));
    await searchbox.pressSequentially('lovelace');
    await chosen('Ada Lovelace').first().waitFor();
    // Both texts find the check, but only the second finds the address.
    await searchbox.press('ArrowDown');
    await page
      .getByRole('group', { name: 'Checks' })
      .getByRole('menuitem')
      .and(page.locator('[data-focused]'))
      .waitFor();
    await searchbox.press('Control+a');
    await searchbox.pressSequentially('ada');
    await page.getByText('3 records found.').waitFor();
    await page
      .getByRole('group', { name: 'People' })
      .getByRole('menuitem')
      .first()
      .and(page.locator('[data-focused]'))
      .waitFor();
    expect(problems).toEqual([]);
  });

  test('searches once when a word is typed, and says when a text is too short or nothing is found', async () => {
    await using open = await openDashboard(server, '/logs');
    const { page, problems } = open;
    const asked: string[] = [];
    page.on('request', (request) => request.url().includes('/v1/search') && asked.push(request.url()));
    await openPalette(page, 'h');
    await page.getByText('Type two characters to find records.').waitFor();
    // Without the page’s clock, a busy machine could pause between two keys.
    await page.clock.install();
    // Later than a busy machine has come by now, because the clock goes forward only.
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.getByRole('searchbox', field).pressSequentially('opper');
    await page.clock.resume();
    await page.getByRole('menuitem', { name: 'Grace Hopper' }).waitFor();
    expect(asked.map((url) => new URL(url).searchParams.get('query'))).toEqual(['hopper']);
    await page.getByRole('searchbox', field).fill('zzz');
    await page.getByText('0 records found.').waitFor();
    await expect.poll(() => page.getByText('Nothing found.').count()).toBe(1);
    expect(problems).toEqual([]);
  });

  test('shows texts of persons as texts, and no records to a person who may read none', async () => {
    await using open = await openDashboard(server, '/logs');
    await openPalette(open.page, '<b>ada');
    await open.page.getByRole('menuitem', { name: '<b>Ada</b> & Söhne' }).waitFor();
    expect(open.problems).toEqual([]);
    const user = viewer('accounts.read', 'events.read', 'logs.read');
    await using other = await openDashboard(server, '/logs', { session: { user } });
    await openPalette(other.page, 'hopper');
    await other.page.getByText('Nothing found.').waitFor();
    expect(await other.page.getByRole('group', { name: 'People' }).count()).toBe(0);
    expect(other.problems).toEqual([]);
  });

  test.each([320, 1280])(
    'fits WCAG 2.2 AA in both themes when records are found and the window is %d px wide',
    async (width) => {
      await using open = await openDashboard(server, '/logs', { width });
      const { page, problems } = open;
      await openPalette(page, 'o');
      await page.getByRole('searchbox', field).fill('person');
      await page.getByText('records found').waitFor();
      await expectAccessibleInThemes(page, 'palette-records');
      expect(problems).toEqual([]);
    },
  );
});
