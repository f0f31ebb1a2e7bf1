import { afterAll, beforeAll, expect, test } from 'vitest';
import { good, startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { describeInBrowser } from '../../ui/test/support/browser.ts';
import { openDashboard, viewer } from './support/browser.ts';
import { makeLet, makeOffice } from './support/office.ts';

const homesCount = 2_000;

/** A person that reads what belongs to homes. */
const person = viewer('accounts.read', 'units.read', 'buildings.read', 'tenancies.read', 'applications.read');

describeInBrowser('the board of homes', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.stop());

  test('shows each home where it stands, and finds one by its tenant', async () => {
    await makeOffice(server);
    const { home } = await makeLet(server);
    await using open = await openDashboard(server, '/units', { session: { user: person } });
    const { page, problems } = open;
    await page.getByRole('navigation', { name: 'Properties' }).getByRole('link', { name: 'Board' }).click();
    const empty = page.getByRole('region', { name: 'Empty' });
    await empty.getByText('£1,295 a month').waitFor();
    await page.getByText('2 of 2 homes').waitFor();
    await page.getByLabel('Find on the board').fill('nowak');
    await page.getByText('1 of 2 homes').waitFor();
    await empty.getByText('None.').waitFor();
    const { body } = await good(server.api.get(`/v1/units/${home}`));
    const title = { occupied: 'Let', let_agreed: 'Let agreed' }[body.status as 'occupied' | 'let_agreed'];
    await page.getByRole('region', { name: title, exact: true }).getByText('Marek Nowak').waitFor();
    await page.getByRole('link', { name: body.name }).click();
    await page.getByRole('heading', { level: 1, name: body.name }).waitFor();
    expect(problems).toEqual([]);
  });

  test('has few elements while thousands of homes scroll by, and keeps the focus', async () => {
    const { body: one } = await good(server.api.get('/v1/units?limit=1&expand[]=data.building'));
    const homes = Array.from({ length: homesCount }, (_, at) => ({
      ...one.data[0],
      id: `unit_${String(at).padStart(22, '0')}`,
      name: `Flat ${at}`,
      status: 'available',
      tenancy: null,
    }));
    await using open = await openDashboard(server, '/me', { session: { user: person } });
    const { page, problems } = open;
    await page.route('**/v1/units?**', (route) => {
      const after = new URL(route.request().url()).searchParams.get('starting_after');
      const from = after === null ? 0 : homes.findIndex(({ id }) => id === after) + 1;
      const data = homes.slice(from, from + 50);
      return route.fulfill({ json: { ...one, data, count: homesCount, has_more: from + 50 < homesCount } });
    });
    await page.goto(`${server.url}/dashboard/units/board`);
    const list = page.getByRole('list', { name: 'Empty' });
    await page.getByText('2,000 of 2,000 homes').waitFor();
    expect(await list.getByRole('listitem').count()).toBeLessThan(60);
    const first = list.getByRole('link', { name: 'Flat 0,' });
    await first.focus();
    await list.evaluate((element) => element.parentElement!.scrollTo(0, element.scrollHeight));
    await list.getByRole('link', { name: 'Flat 1999,' }).waitFor();
    expect(await list.getByRole('listitem').last().getAttribute('aria-posinset')).toBe('2000');
    expect(await first.evaluate((link) => link === document.activeElement)).toBe(true);
    expect(await list.getByRole('listitem').count()).toBeLessThan(60);
    await page.keyboard.press('Tab');
    await page.getByLabel('Find on the board').fill('flat 777,');
    await page.getByText('1 of 2,000 homes').waitFor();
    expect(problems).toEqual([]);
  });
});
