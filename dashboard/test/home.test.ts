import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ActivityPoint } from 'tenure';
import { receiverForTest } from '../../server/test/support/receiver.ts';
import { good, startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { describeInBrowser } from '../../ui/test/support/browser.ts';
import { openDashboard, viewer } from './support/browser.ts';

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
    await expect.poll(() => steps.count()).toBe(5);
    expect(await steps.filter({ hasText: /Create a reference\s+done/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Create a sample reference' }).click();
    await page.getByRole('heading', { name: /^Check of Ada Sample/ }).waitFor();
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Home' }).click();
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
      .getByRole('link')
      .click();
    await page.getByRole('heading', { name: 'Nightly import' }).waitFor();
    await page.goBack();
    const requests = page.getByRole('article', { name: 'Requests' });
    await requests.getByText('As a table').click();
    const hours = requests.getByRole('table').getByRole('row');
    await expect.poll(() => hours.count()).toBe(1 + 24);
    await expect.poll(() => requests.getByRole('definition').nth(1).innerText()).toBe('1');
    expect(problems).toEqual([]);
  });

  test('lists endpoints that fail or are disabled, and no key that was rolled', async () => {
    const receiver = await receiverForTest(204, 500);
    const endpoint = { url: receiver.url, enabled_events: ['customer.created'] };
    const failing = (await good(server.api.post('/v1/webhook_endpoints', endpoint))).body.id;
    const disabled = { url: 'https://example.org/hook', status: 'disabled' };
    await good(server.api.post('/v1/webhook_endpoints', disabled));
    for (const count of [1, 2]) {
      await good(server.api.post('/v1/customers', { name: 'Ada Example', email: 'ada@example.com' }));
      await receiver.count(count);
    }
    const failedAttempts = async (): Promise<number> => {
      const { body } = await good(server.api.get(`/v1/activity?interval=hour&webhook_endpoint=${failing}`));
      return body.data.reduce((sum: number, { attempts }: ActivityPoint) => sum + attempts.failed, 0);
    };
    // A retry may follow before the next look.
    await expect.poll(failedAttempts).toBeGreaterThan(0);
    const key = { type: 'restricted', name: 'Rolled import', permissions: ['references.read'] };
    const { id } = (await good(server.api.post('/v1/api_keys', key))).body;
    await good(server.api.post(`/v1/api_keys/${id}/roll`, { expires_in: 86_400 }));
    await using open = await openDashboard(server, '/');
    const { page, problems } = open;
    const concerns = page.getByRole('region', { name: 'Needs attention' }).getByRole('listitem');
    await concerns.filter({ hasText: /disabled\s*https:\/\/example\.org\/hook\s*It gets no events/ }).waitFor();
    expect(await concerns.filter({ hasText: 'Rolled import' }).count()).toBe(0);
    await concerns
      .filter({ hasText: /^failing/ })
      .getByRole('link', { name: receiver.url })
      .click();
    await page.getByRole('heading', { name: failing }).waitFor();
    expect(problems).toEqual([]);
  });

  test('lets a viewer see what needs attention, but create nothing', async () => {
    const user = viewer('accounts.read', 'events.read', 'references.read');
    await using open = await openDashboard(server, '/', { session: { user } });
    const { page, problems } = open;
    await page.getByText('Nothing right now.').waitFor();
    expect(await page.getByRole('button', { name: 'Create a sample reference' }).isDisabled()).toBe(true);
    await page.getByText('Your role (viewer) may not change checks').waitFor();
    expect(await page.getByRole('region', { name: 'Last 24 hours' }).count()).toBe(0);
    expect(problems).toEqual([]);
  });
});
