import { afterAll, beforeAll, expect, test } from 'vitest';
import { receiverForTest } from '../../server/test/support/receiver.ts';
import { good, startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { versions } from '../../server/test/support/versions.ts';
import { describeInBrowser } from '../../ui/test/support/browser.ts';
import { openDashboard } from './support/browser.ts';
import { pressUntil } from './support/hand.ts';

describeInBrowser('the pages of events', () => {
  let server: TestServer;
  let customer: string;

  beforeAll(async () => {
    server = await startTestServer();
    customer = await makeCustomer('Ada Example');
    await good(server.api.post(`/v1/customers/${customer}`, { name: 'Ada Lovelace' }));
  });
  afterAll(() => server.stop());

  async function makeCustomer(name: string): Promise<string> {
    const { body } = await good(server.api.post('/v1/customers', { name, email: 'ada@example.com' }));
    return body.id as string;
  }

  test('list what the filters of the URL leave, and a row leads to its event', async () => {
    await using open = await openDashboard(server, '/events?type=customer.*');
    const { page, problems } = open;
    const rows = page.getByRole('table', { name: 'Events' }).getByRole('row');
    await rows.nth(2).waitFor();
    expect(await rows.allInnerTexts()).toEqual([
      expect.stringMatching(/^Type\s+Object\s+Actor\s+Time$/),
      expect.stringContaining('customer.updated'),
      expect.stringContaining('customer.created'),
    ]);
    await page.getByText('2 of 2 events').waitFor();
    await page.getByRole('combobox', { name: 'Type' }).fill('customer.crea');
    await page.getByRole('option', { name: 'customer.created' }).click();
    await page.getByText('1 of 1 events').waitFor();
    expect(new URL(page.url()).search).toBe('?type=customer.created');
    await page.getByLabel('Until').fill('2026-01-01T09:00');
    await page.keyboard.press('Enter');
    await page.getByText('No events match').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).first().click();
    await page.waitForURL((url) => url.search === '');
    await page.getByRole('link', { name: 'customer.updated' }).click();
    await page.getByRole('heading', { name: 'customer.updated' }).waitFor();
    expect(page.url()).toMatch(/\/dashboard\/events\/evt_\w+$/);
    const change = page.getByRole('row', { name: /^name/ });
    expect(await change.innerText()).toMatch(/name\s+"Ada Example"\s+"Ada Lovelace"/);
    expect(problems).toEqual([]);
  });

  test('compare an event in two versions, and copy its id', async () => {
    await using open = await openDashboard(server, '/events?type=customer.created');
    const { page, problems } = open;
    await page.getByRole('link', { name: 'customer.created' }).click();
    await page.getByRole('tab', { name: 'Compare versions' }).click();
    await page.getByRole('region', { name: `In ${versions[1]}` }).waitFor();
    await page.getByRole('button', { name: 'Second version' }).click();
    await page.getByRole('option', { name: '2025-09-01' }).click();
    await page.getByRole('region', { name: 'In 2025-09-01' }).waitFor();
    await page.keyboard.press('c');
    const id = new URL(page.url()).pathname.split('/').at(-1);
    await page.getByText(`Copied ${id}`).waitFor();
    expect(problems).toEqual([]);
  });

  test('show nothing of the former event while another one loads', async () => {
    const { body } = await good(server.api.get('/v1/events?type=customer.*'));
    const [updated, created] = body.data as { id: string }[];
    await using open = await openDashboard(server, `/events/${updated!.id}`);
    const { page } = open;
    await page.getByRole('region', { name: 'Data' }).waitFor();
    const gate = Promise.withResolvers<void>();
    await page.route(`**/v1/events/${created!.id}*`, async (route) => {
      await gate.promise;
      await route.fallback();
    });
    await page.keyboard.press('Control+k');
    await page
      .getByRole('searchbox', { name: 'A name, e-mail, home, your own reference, or a page' })
      .fill(created!.id);
    await page.getByRole('menuitem', { name: `Go to ${created!.id}` }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/events/${created!.id}`);
    await page.getByRole('heading', { name: created!.id }).waitFor();
    expect(await page.getByRole('region', { name: 'Data' }).count()).toBe(0);
    gate.resolve();
    await page.getByRole('heading', { name: 'customer.created' }).waitFor();
  });

  test('keep new events behind a button until it is pressed', async () => {
    await using open = await openDashboard(server, '/events?type=customer.*');
    const { page, problems } = open;
    const streaming = page.waitForResponse((response) => response.url().includes('/events/stream'));
    await page.getByText('2 of 2 events').waitFor();
    await streaming;
    await makeCustomer('Charles Example');
    await page.getByRole('button', { name: '1 new' }).click();
    await page.getByText('3 of 3 events').waitFor();
    await expect.poll(() => page.getByRole('link', { name: 'customer.created' }).count()).toBe(2);
    expect(problems).toEqual([]);
  });

  test('are counted by the same stream when the names of the keys come after it', async () => {
    await using open = await openDashboard(server, '/');
    const { page } = open;
    const gate = Promise.withResolvers<void>();
    await page.route('**/v1/api_keys?*', async (route) => {
      await gate.promise;
      await route.fallback();
    });
    const streams: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/events/stream')) streams.push(request.url());
    });
    const streaming = page.waitForResponse((response) => response.url().includes('/events/stream'));
    await page.goto(`${server.url}/dashboard/events?type=customer.*`);
    await streaming;
    gate.resolve();
    const end = server.secretKey.slice(-4);
    await page.getByRole('combobox', { name: 'Actor' }).fill(end);
    await page.getByRole('option', { name: new RegExp(`…${end}$`) }).waitFor();
    expect(streams).toHaveLength(1);
  });

  test('are reached by keyboard alone', async () => {
    await using open = await openDashboard(server, '/');
    const { page, problems } = open;
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await pressUntil(page, 'ge', page.getByRole('table', { name: 'Events' }));
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    const id = await page.locator('[data-copy-id]').getAttribute('data-copy-id');
    await page.keyboard.press('Control+k');
    await page.getByRole('searchbox', { name: 'A name, e-mail, home, your own reference, or a page' }).fill(id!);
    await page.getByRole('menuitem', { name: `Go to ${id}` }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/events/${id}`);
    expect(problems).toEqual([]);
  });

  test('send an event to an endpoint that has not subscribed to it', async () => {
    const receiver = await receiverForTest(204);
    const endpoint = { url: receiver.url, enabled_events: ['file.deleted'] };
    await good(server.api.post('/v1/webhook_endpoints', endpoint));
    await using open = await openDashboard(server, '/events?type=customer.updated');
    const { page, problems } = open;
    await page.getByRole('link', { name: 'customer.updated' }).click();
    await page.getByText('No endpoint got this event').waitFor();
    await page.getByRole('button', { name: 'Resend to an endpoint…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Resend customer.updated' });
    await dialog.getByRole('button', { name: 'Resend', exact: true }).click();
    await page.getByText('The receiver answered 204 No Content.').waitFor();
    expect(receiver.received[0]!.body.type).toBe('customer.updated');
    expect(problems).toEqual([]);
  });

  test('say what is missing when there is no such event', async () => {
    await using open = await openDashboard(server, '/events/evt_none');
    const { page } = open;
    await page.getByRole('alert').getByText('resource_missing').waitFor();
  });

  test('ask to sign in again when the session has ended, and then show what was asked for', async () => {
    await using open = await openDashboard(server, '/');
    const { page } = open;
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    let hasEnded = true;
    await page.route('**/v1/events?**', async (route) => {
      if (!hasEnded) return route.fallback();
      const error = { type: 'authentication_error', code: 'session_expired', message: 'Sign in again.' };
      return route.fulfill({ status: 401, json: { error } });
    });
    await page.route('**/auth/sign_in', async (route) => {
      hasEnded = false;
      const session = await page.evaluate(async () => (await fetch('/auth/session')).json() as Promise<unknown>);
      return route.fulfill({ json: session });
    });
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Events' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign in to continue' });
    await dialog.getByLabel('Password', { exact: true }).fill('correct horse battery');
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('table', { name: 'Events' }).waitFor();
    await dialog.waitFor({ state: 'detached' });
  });

  test('tell changed members from what each object inherits', async () => {
    const names = ['constructor', 'toString', '__proto__', 'hasOwnProperty'];
    const metadataOf = (value: string): string =>
      `{"metadata":{${names.map((name) => `"${name}":"${value}"`).join()}}}`;
    const id = await makeCustomer('Grace Example');
    await good(server.api.post(`/v1/customers/${id}`, metadataOf('kept')));
    await good(server.api.post(`/v1/customers/${id}`, metadataOf('')));
    const { body } = await good(server.api.get(`/v1/events?object_id=${id}&type=customer.updated`));
    const [removed] = body.data as { id: string }[];
    await using open = await openDashboard(server, `/events/${removed!.id}`);
    const rows = open.page.getByRole('table', { name: 'Changed members' }).getByRole('row');
    await rows.nth(names.length).waitFor();
    const changes = (await rows.allInnerTexts()).slice(1).toSorted();
    expect(changes).toEqual(names.map((name) => `metadata.${name}\t"kept"\t–`).toSorted());
    await open.page.goto(`${server.url}/dashboard/go/constructor_1`);
    await open.page.getByText('There is no such page').waitFor();
    expect(open.problems).toEqual([]);
  });
});
