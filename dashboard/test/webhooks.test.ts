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

  test('resend a delivery once when the second click of a double click comes after the new row', async () => {
    const receiver = await receiverForTest(204);
    const endpoint = await makeEndpoint(receiver.url);
    for (const name of ['Ada Example', 'Grace Example']) await good(server.api.post('/v1/customers', { name }));
    await receiver.count(2);
    await using open = await openDashboard(server, `/webhooks/${endpoint.id}`);
    const { page } = open;
    await page.getByText('2 of 2 deliveries').waitFor();
    const resend = page.getByRole('button', { name: 'Resend' }).first();
    await resend.scrollIntoViewIfNeeded();
    const { x, y, width, height } = (await resend.boundingBox())!;
    const click = (): Promise<void> => page.mouse.click(x + width / 2, y + height / 2);
    // A busy machine must not make a slow click of the second one.
    await page.evaluate(() => Object.defineProperty(performance, 'now', { value: () => 60_000, configurable: true }));
    await click();
    await page.getByText('3 of 3 deliveries').waitFor();
    // The button of the new row stands there now.
    await click();
    await page.evaluate(() => delete (performance as { now?: unknown }).now);
    await page.getByRole('button', { name: 'Ping' }).click();
    await receiver.count(4);
    const resent = receiver.received.filter(({ body }) => body.type === 'customer.created');
    expect(resent).toHaveLength(3);
  });
});
