import { afterAll, beforeAll, expect, test } from 'vitest';
import { receiverForTest } from '../../server/test/support/receiver.ts';
import { good, startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { describeInBrowser } from '../../ui/test/support/browser.ts';
import { openDashboard } from './support/browser.ts';

describeInBrowser('the pages of webhooks', () => {
  let server: TestServer;

  beforeAll(async () => {
    // A retry would come while a slow machine still opens the page.
    server = await startTestServer({ settings: { TENURE_RETRY_SCHEDULE: 'none' } });
  });
  afterAll(() => server.stop());

  async function makeEndpoint(url: string): Promise<{ id: string; signing_secret: string }> {
    const { body } = await good(server.api.post('/v1/webhook_endpoints', { url, enabled_events: ['customer.*'] }));
    return body;
  }

  test('tell why a delivery failed, and resend it when the receiver works again', async () => {
    const receiver = await receiverForTest((response) => response.writeHead(500).end('<b>locked</b>'), 204);
    const endpoint = await makeEndpoint(receiver.url);
    await good(server.api.post('/v1/customers', { name: 'Ada Example', email: 'ada@example.com' }));
    await receiver.count(1);
    await using open = await openDashboard(server, `/webhooks/${endpoint.id}?type=customer.created`);
    const { page, problems } = open;
    await page.getByText('1 of 1 deliveries').waitFor();
    await page.getByRole('button', { name: /^Attempts of dlv_/ }).click();
    const attempts = page.getByRole('list', { name: /^Attempts of dlv_/ });
    await attempts.getByText('The receiver answered 500 Internal Server Error.').waitFor();
    await attempts.getByText('<b>locked</b>').waitFor();
    await page.getByRole('region', { name: 'Last 24 hours' }).getByText('0 delivered, 1 failed').waitFor();
    await page.getByRole('button', { name: 'Resend' }).click();
    await page.getByText('2 of 2 deliveries').waitFor();
    const newest = page.getByRole('article', { name: /^Delivery dlv_/ }).first();
    await newest.getByText('delivered').waitFor();
    expect(receiver.received.map(({ body }) => body.id)).toEqual(Array(2).fill(receiver.received[0]!.body.id));
    expect(problems).toEqual([]);
  });
});
