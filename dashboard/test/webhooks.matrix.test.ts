import { afterAll, beforeAll, expect, test } from 'vitest';
import { isSignedWith, receiverForTest, startReceiver, type Receiver } from '../../server/test/support/receiver.ts';
import { good, startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { untilRecovered } from '../../server/test/webhooks/recoveries.ts';
import { describeInBrowser, expectAccessibleInThemes } from '../../ui/test/support/browser.ts';
import { openDashboard } from './support/browser.ts';

describeInBrowser('the pages of webhooks', () => {
  let server: TestServer;
  let empty: TestServer;
  let receiver: Receiver;
  let id: string;

  beforeAll(async () => {
    receiver = await startReceiver(204, (response) => response.writeHead(500).end('<b>locked</b> '.repeat(50)));
    [server, empty] = await Promise.all([startTestServer(), startTestServer()]);
    const endpoint = { url: receiver.url, description: 'Letting back office', enabled_events: ['*'] };
    id = (await good(server.api.post('/v1/webhook_endpoints', endpoint))).body.id;
    const disabled = { url: `https://example.org/${'long/'.repeat(40)}`, status: 'disabled' };
    await good(server.api.post('/v1/webhook_endpoints', disabled));
    await good(server.api.post('/v1/customers', { name: 'Ada Example', email: 'ada@example.com' }));
  });
  afterAll(() => Promise.all([server.stop(), empty.stop(), receiver.stop()]));

  test.each([320, 1280])(
    'fit WCAG 2.2 AA and the policy in both themes when the window is %d px wide',
    async (width) => {
      await receiver.count(2);
      await using nothing = await openDashboard(empty, '/webhooks', { width });
      await nothing.page.getByText('No webhook endpoints yet').waitFor();
      await expectAccessibleInThemes(nothing.page);

      await using open = await openDashboard(server, '/webhooks', { width });
      const { page, problems } = open;
      await page.getByRole('img', { name: /attempts delivered and [1-9]\d* failed/ }).waitFor();
      await expectAccessibleInThemes(page);
      await page.getByRole('button', { name: 'Create endpoint' }).click();
      await page.getByText('All events, also of types that come later').click();
      await expectAccessibleInThemes(page, 'webhook-create');
      await page.keyboard.press('Escape');

      await page.getByRole('link', { name: receiver.url }).click();
      await page.getByRole('figure').waitFor();
      await page
        .getByRole('button', { name: /^Attempts of dlv_/ })
        .first()
        .click();
      await page.getByText('The receiver answered 500').first().waitFor();
      await expectAccessibleInThemes(page, 'webhook');
      await page.getByRole('button', { name: 'Reveal' }).click();
      await page.getByText(/^whsec_\w+$/).waitFor();
      await expectAccessibleInThemes(page);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: /^Recover/ }).click();
      await page.getByRole('dialog', { name: `Recover ${id}` }).waitFor();
      await expectAccessibleInThemes(page, 'webhook-recover');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: /^Delete/ }).click();
      await page.getByRole('alertdialog').waitFor();
      await expectAccessibleInThemes(page, 'webhook-delete');
      expect([...problems, ...nothing.problems]).toEqual([]);
    },
  );

  test.each([320, 1280])(
    'show errors and refusals accessibly in both themes when the window is %d px wide',
    async (width) => {
      await using missing = await openDashboard(server, '/webhooks/we_none', { width });
      await missing.page.getByRole('alert').getByText('resource_missing').waitFor();
      await expectAccessibleInThemes(missing.page, 'webhook-missing');
      const session = { user: viewer };
      await using reading = await openDashboard(server, `/webhooks/${id}`, { width, session });
      await reading.page.getByText('Your role (viewer) may not see logs.').waitFor();
      await expectAccessibleInThemes(reading.page, 'webhook-viewer');
      expect(reading.problems).toEqual([]);
    },
  );
});

describeInBrowser('people', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.stop());

  async function makeEndpoint(url: string): Promise<{ id: string; signing_secret: string }> {
    const { body } = await good(server.api.post('/v1/webhook_endpoints', { url, enabled_events: ['customer.*'] }));
    return body;
  }

  test('create an endpoint, and keep what was typed when its URL is refused', async () => {
    const receiver = await receiverForTest();
    await using open = await openDashboard(server, '/webhooks');
    const { page } = open;
    await page.getByText('No webhook endpoints yet').waitFor();
    await page.getByText('npx tenure listen --forward-to http://localhost:3000/webhooks').waitFor();
    await page.getByRole('button', { name: 'Create endpoint' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create a webhook endpoint' });
    const url = dialog.getByRole('textbox', { name: 'URL' });
    await url.fill('ftp://example.org');
    await dialog.getByRole('textbox', { name: 'Description' }).fill('Back office');
    await dialog.getByText('All events, also of types that come later').click();
    await dialog.getByText('reference.*').click();
    await dialog.getByLabel('Find an event').fill('customer.cr');
    await expect.poll(() => dialog.getByRole('group', { name: /\.\*$/ }).count()).toBe(1);
    await dialog.getByText('customer.created').click();
    await dialog.getByRole('button', { name: 'Create endpoint' }).click();
    await dialog.getByText('The URL must begin with').waitFor();
    await url.fill(receiver.url);
    await expect.poll(() => dialog.getByText('The URL must begin with').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Create endpoint' }).click();
    const created = page.getByRole('dialog', { name: 'Endpoint created' });
    const secret = await created.getByText(/^whsec_\w+$/).innerText();
    await created.getByRole('button', { name: 'Go to the endpoint' }).click();
    await page.getByRole('heading', { name: receiver.url }).waitFor();
    await page.getByText('customer.created', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Ping' }).first().click();
    const [ping] = await receiver.count(1);
    expect(isSignedWith(secret, ping!)).toBe(true);
    expect(ping!.body.data.object).toMatchObject({ description: 'Back office', enabled_events: ['customer.created'] });
    await expect.poll(() => page.getByText(secret).count()).toBe(0);
  });

  test('show the secret after a confirmation, and only while its dialog is open', async () => {
    const endpoint = await makeEndpoint('http://127.0.0.1:9/');
    await using open = await openDashboard(server, '/webhooks');
    const { page } = open;
    let isConfirmed = false;
    await page.route(`**/v1/webhook_endpoints/${endpoint.id}`, async (route) => {
      const headers = { ...route.request().headers(), authorization: `Bearer ${server.secretKey}` };
      const response = await route.fetch({ headers });
      const { signing_secret: secret, ...rest } = await response.json();
      await route.fulfill({ response, json: isConfirmed ? { ...rest, signing_secret: secret } : rest });
    });
    await page.route('**/auth/confirm', async (route) => {
      isConfirmed = true;
      const session = await page.evaluate(async () => (await fetch('/auth/session')).json() as Promise<unknown>);
      await route.fulfill({ json: session });
    });
    await page.getByRole('link', { name: 'http://127.0.0.1:9/' }).click();
    await page.getByRole('button', { name: 'Reveal' }).click();
    const confirm = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await confirm.getByLabel('Password', { exact: true }).fill('correct horse battery');
    await confirm.getByRole('button', { name: 'Confirm' }).click();
    const dialog = page.getByRole('dialog', { name: 'Signing secret' });
    await dialog.getByText(endpoint.signing_secret).waitFor();
    await dialog.getByRole('button', { name: 'Hide' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(endpoint.signing_secret);
  });

  test('begin on Cancel and name the endpoint when a person would roll its secret or delete it', async () => {
    const endpoint = await makeEndpoint('http://127.0.0.1:9/');
    await using open = await openDashboard(server, `/webhooks/${endpoint.id}`);
    const { page, problems } = open;
    const choose = async (name: RegExp): Promise<void> => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name }).click();
    };
    await choose(/^Roll/);
    const roll = page.getByRole('alertdialog', { name: `Roll the secret of ${endpoint.id}?` });
    await roll.getByText('The old secret is void at once.').waitFor();
    await page.keyboard.press('Enter');
    await roll.waitFor({ state: 'detached' });
    await choose(/^Roll/);
    await roll.getByRole('button', { name: 'Roll secret' }).click();
    const rolled = page.getByRole('dialog', { name: 'New signing secret' });
    const secret = await rolled.getByText(/^whsec_\w+$/).innerText();
    expect(secret).not.toBe(endpoint.signing_secret);
    await rolled.getByRole('button', { name: 'Done' }).click();
    const now = await good(server.api.get(`/v1/webhook_endpoints/${endpoint.id}`));
    expect(now.body.signing_secret).toBe(secret);
    await choose(/^Delete/);
    await page.getByRole('button', { name: 'Delete endpoint' }).click();
    await page.waitForURL('**/dashboard/webhooks');
    expect((await server.api.get(`/v1/webhook_endpoints/${endpoint.id}`)).status).toBe(404);
    expect(problems).toEqual([]);
  });

  test('recover what an endpoint missed while it was disabled', async () => {
    const receiver = await receiverForTest(204);
    const endpoint = await makeEndpoint(receiver.url);
    await using open = await openDashboard(server, `/webhooks/${endpoint.id}`);
    const { page } = open;
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Disable…' }).click();
    await page.getByRole('button', { name: 'Disable endpoint' }).click();
    const enable = page.getByRole('button', { name: 'Enable' });
    await enable.waitFor();
    const missed = await good(server.api.post('/v1/customers', { name: 'Ada Example', email: 'ada@example.com' }));
    await enable.click();
    await enable.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Recover missed events…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Recover', exact: true }).click();
    await page
      .getByRole('table', { name: 'Recoveries' })
      .getByRole('row', { name: /pending/ })
      .waitFor();
    await untilRecovered(server, server.api, endpoint.id);
    const row = page.getByRole('table', { name: 'Recoveries' }).getByRole('row', { name: /completed/ });
    await row.getByRole('cell', { name: '1', exact: true }).waitFor();
    const [received] = await receiver.count(1);
    expect(received!.body.data.object.id).toBe(missed.body.id);
    const deliveries = page.getByRole('region', { name: 'Deliveries' });
    await deliveries
      .getByRole('article', { name: /^Delivery dlv_/ })
      .getByText('delivered')
      .waitFor();
    await page.getByRole('region', { name: 'Last 24 hours' }).getByText('1 delivered, 0 failed').waitFor();
  });

  test('refuse every change with a reason when the role may only read', async () => {
    const endpoint = await makeEndpoint('http://127.0.0.1:9/');
    await using open = await openDashboard(server, `/webhooks/${endpoint.id}`, { session: { user: viewer } });
    const { page } = open;
    await page.getByRole('heading', { name: 'Deliveries', exact: true }).waitFor();
    for (const name of ['Ping', 'Edit', 'Reveal']) {
      const button = page.getByRole('button', { name }).first();
      expect(await button.isDisabled(), name).toBe(true);
      expect(await page.getByTitle('Your role (viewer) may not change webhook endpoints').count()).toBeGreaterThan(0);
    }
    await page.getByRole('button', { name: 'More actions' }).click();
    const entries = page.getByRole('menuitem');
    await expect.poll(() => entries.count()).toBe(4);
    for (const entry of await entries.all()) expect(await entry.getAttribute('aria-disabled')).toBe('true');
  });
});

/** A person that may only read endpoints. */
const viewer = {
  id: 'usr_1',
  email: 'ada@example.com',
  name: null,
  role: 'viewer' as const,
  second_factor: 'none' as const,
  recovery_codes_left: 0,
  passkeys: 0,
  identity: null,
  permissions: ['webhook_endpoints.read'],
  account: { id: 'acct_1', name: 'My account' },
};
