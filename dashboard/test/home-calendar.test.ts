import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Tenancy } from 'tenure';
import { good, startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { daysIn, emptyDaysIn, monthAfter, monthIn, spansOf } from '../src/pages/homes/calendar-month.ts';
import { describeInBrowser } from '../../ui/test/support/browser.ts';
import { openDashboard, viewer } from './support/browser.ts';
import { makeLet, makeOffice } from './support/office.ts';

const homesCount = 2_000;

/** A person that reads what belongs to homes. */
const person = viewer('accounts.read', 'units.read', 'buildings.read', 'tenancies.read', 'customers.read');

/** A tenancy with what the calendar reads. */
const letAs = (status: string, start: string, end: string | null, notice?: { by: string; ends_on: string }) =>
  ({ status, start_date: start, end_date: end, notice: notice ?? null }) as Tenancy;

const shown = (tenancies: Tenancy[], month = '2027-06') =>
  spansOf(tenancies, month).map(({ use, from, to, isStart, isEnd }) => [use, from, to, isStart, isEnd]);

describe('the month of a home', () => {
  test('has the days of each tenancy, and the empty days between them', () => {
    const tenancies = [
      letAs('signed', '2027-06-20', null),
      letAs('notice', '2026-01-01', '2027-06-12', { by: 'tenant', ends_on: '2027-06-12' }),
      letAs('ended', '2025-01-01', '2025-12-31'),
    ];
    expect(shown(tenancies)).toEqual([
      ['notice', 1, 12, false, true],
      ['empty', 13, 19, false, false],
      ['agreed', 20, 30, true, false],
    ]);
    expect(emptyDaysIn(spansOf(tenancies, '2027-06'))).toBe(7);
  });

  test('is let after the day of a notice when the landlord gave it', () => {
    const tenancy = letAs('notice', '2026-01-01', null, { by: 'landlord', ends_on: '2027-06-12' });
    expect(shown([tenancy])).toEqual([['notice', 1, 30, false, false]]);
    expect(shown([tenancy], '2027-07')).toEqual([['notice', 1, 31, false, false]]);
  });

  test('is empty when only a draft or a canceled tenancy names the home', () => {
    const tenancies = [letAs('draft', '2027-06-01', null), letAs('canceled', '2027-06-01', null)];
    expect(shown(tenancies)).toEqual([['empty', 1, 30, false, false]]);
  });

  test('covers no day twice when tenancies overlap', () => {
    const tenancies = [
      letAs('active', '2027-06-01', '2027-06-20'),
      letAs('active', '2027-06-10', '2027-06-15'),
      letAs('active', '2027-06-20', null),
    ];
    expect(shown(tenancies)).toEqual([
      ['let', 1, 20, true, true],
      ['let', 21, 30, true, false],
    ]);
  });

  test('knows the days of each month when it is read, moved and counted', () => {
    expect([daysIn('2024-02'), daysIn('2027-02'), daysIn('2027-12')]).toEqual([29, 28, 31]);
    expect([monthAfter('2027-12', 1), monthAfter('2027-01', -1)]).toEqual(['2028-01', '2026-12']);
    expect(['2027-13', '2027-6', 'now', undefined].map(monthIn)).toEqual([null, null, null, null]);
    expect(monthIn('2027-06')).toBe('2027-06');
  });
});

describeInBrowser('the calendar of homes', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.stop());

  test('shows who lives where by month, and moves by buttons and by the keyboard', async () => {
    await makeOffice(server);
    const { home, tenancy } = await makeLet(server);
    const { body: unit } = await good(server.api.get(`/v1/units/${home}`));
    await using open = await openDashboard(server, '/units', { session: { user: person } });
    const { page, problems } = open;
    await page.getByRole('navigation', { name: 'Properties' }).getByRole('link', { name: 'Calendar' }).click();
    await page.getByText(/^2 homes, \d+ empty days in /).waitFor();
    await page.goto(`${server.url}/dashboard/units/calendar?month=2026-06`);
    await page.getByText('2 homes, 30 empty days in June 2026').waitFor();
    const days = page.getByRole('list', { name: `${unit.name} in June 2026` });
    const bar = days.getByRole('link', { name: /^Marek Nowak\d*, .*, from 1 June 2026, without an end$/ });
    await bar.waitFor();
    await page.getByText(/^Empty, 1\s?–\s?30 June 2026$/).waitFor();

    await page.getByRole('button', { name: 'Previous month' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('2 homes, 62 empty days in May 2026').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 2, name: 'June 2026' }).waitFor();
    await page.getByLabel('Find in the calendar').fill('nowak');
    await page.getByText('1 home, 0 empty days in June 2026').waitFor();
    await page.getByRole('button', { name: 'Today' }).click();
    await page.waitForURL((url) => !url.search.includes('month'));
    await page.goBack();
    await page.getByRole('heading', { level: 2, name: 'June 2026' }).waitFor();
    await bar.press('Enter');
    await page.waitForURL(`**/tenancies/${tenancy}`);
    expect(problems).toEqual([]);
  });

  test('has few elements while thousands of homes scroll by, and keeps the focus', async () => {
    const { body: one } = await good(server.api.get('/v1/units?limit=1&expand[]=data.building'));
    const homes = Array.from({ length: homesCount }, (_, at) => ({
      ...one.data[0],
      id: `unit_${String(at).padStart(22, '0')}`,
      name: `Flat ${at}`,
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
    await page.goto(`${server.url}/dashboard/units/calendar?month=2027-02`);
    await page.getByText('2,000 homes, 56,000 empty days in February 2027').waitFor();
    const list = page.getByRole('list', { name: 'Homes in February 2027' });
    const rows = list.locator('[aria-setsize]');
    expect(await rows.count()).toBeLessThan(60);
    const first = list.getByRole('link', { name: 'Flat 0,' });
    await first.focus();
    await list.evaluate((element) => element.parentElement!.scrollTo(0, element.scrollHeight));
    await list.getByRole('link', { name: 'Flat 1999,' }).waitFor();
    expect(await rows.last().getAttribute('aria-posinset')).toBe('2000');
    expect(await first.evaluate((link) => link === document.activeElement)).toBe(true);
    expect(await rows.count()).toBeLessThan(60);
    expect(problems).toEqual([]);
  });
});
