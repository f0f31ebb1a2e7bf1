import { afterAll, beforeAll, expect, test } from 'vitest';
import { good, startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { describeInBrowser, openDashboard } from './support/browser.ts';

describeInBrowser('the home page', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.stop());

  test('has the first steps until they are done, and creates a sample reference', async () => {
    await using open = await openDashboard(server, '/');
    const { page, problems } = open;
    const steps = page.getByRole('region', { name: 'First steps' }).getByRole('listitem');
    await steps.filter({ hasText: 'Create a reference' }).waitFor();
    expect(await steps.count()).toBe(5);
    expect(await steps.filter({ hasText: /Create a reference\s+done/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Create a sample reference' }).click();
    await steps.filter({ hasText: /Create a reference\s+done/ }).waitFor();
    const { body } = await good(server.api.get('/v1/references'));
    expect(body.data).toEqual([expect.objectContaining({ metadata: { sample: 'true' }, status: 'pending' })]);
    await page.getByRole('button', { name: 'Hide these steps' }).click();
    await page.reload();
    await page.getByRole('region', { name: 'Last 24 hours' }).waitFor();
    expect(await page.getByText('First steps').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('names a key that expires soon, and shows the requests of the hour beside the chart', async () => {
    const soon = Math.floor(Date.now() / 1000) + 3 * 86_400;
    const key = { type: 'restricted', name: 'Nightly import', permissions: ['references.read'], expires_at: soon };
    await good(server.api.post('/v1/api_keys', key));
    await server.api.post('/v1/customers', { nme: 'Ada' });
    await using open = await openDashboard(server, '/');
    const { page, problems } = open;
    const attention = page.getByRole('region', { name: 'Needs attention' });
    await attention
      .getByRole('listitem')
      .filter({ hasText: /expires\s*Nightly import/ })
      .waitFor();
    const requests = page.getByRole('article', { name: 'Requests' });
    await requests.getByText('As a table').click();
    const hours = requests.getByRole('table').getByRole('row');
    expect(await hours.count()).toBe(1 + 24);
    expect(await requests.getByRole('definition').nth(1).innerText()).toBe('1');
    expect(problems).toEqual([]);
  });

  test('lets a viewer see what needs attention, but create nothing', async () => {
    const user = {
      id: 'usr_2',
      email: 'grace@example.com',
      name: null,
      role: 'viewer' as const,
      second_factor: 'none' as const,
      recovery_codes_left: 0,
      passkeys: 0,
      identity: null,
      permissions: ['accounts.read', 'events.read', 'references.read'],
      account: { id: 'acct_1', name: 'My account' },
    };
    await using open = await openDashboard(server, '/', { session: { user } });
    const { page, problems } = open;
    await page.getByText('Nothing right now.').waitFor();
    expect(await page.getByRole('button', { name: 'Create a sample reference' }).isDisabled()).toBe(true);
    await page.getByText('Your role (viewer) lacks references.write').waitFor();
    expect(await page.getByRole('region', { name: 'Last 24 hours' }).count()).toBe(0);
    expect(problems).toEqual([]);
  });
});
