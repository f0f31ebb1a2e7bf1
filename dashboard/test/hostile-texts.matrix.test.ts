import { afterAll, beforeAll, expect, test } from 'vitest';
import { Browser, firstOwner, makeLink } from '../../server/test/support/browser.ts';
import { Device } from '../../server/test/support/device.ts';
import { scriptStrings } from '../../server/test/support/script-strings.ts';
import { good, startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { describeInBrowser } from '../../ui/test/support/browser.ts';
import { expectHarmless, hostile, texts } from '../../ui/test/support/hostile-texts.ts';
import { openDashboard } from './support/browser.ts';
import { makeFullOffice, type FullOffice } from './support/office.ts';

/** Every page that shows texts of records, each with the part that appears last. */
type HostilePage = [
  name: string,
  path: () => string,
  ready: string,
  options?: { isVisitor?: boolean; isWhole?: boolean },
];

describeInBrowser('a page whose records have hostile texts', () => {
  let server: TestServer;
  let owner: Browser;
  const ids: Record<'account' | 'endpoint' | 'event' | 'key' | 'log' | 'code' | 'link', string> = Object.create(null);
  let office: FullOffice;
  const seen = new Set<string>();

  beforeAll(async () => {
    server = await startTestServer({ settings: { TENURE_LATEST_VERSION: '2026-03-01' } });
    owner = await firstOwner(server);
    const endpoint = {
      url: 'http://127.0.0.1:9/',
      description: 'Back office',
      enabled_events: ['*'],
      metadata: { a: 'b' },
    };
    ids.endpoint = (await good(server.api.post('/v1/webhook_endpoints', endpoint))).body.id;
    const customer = { name: 'Ada Example', email: 'ada@example.com', metadata: { a: 'b' } };
    const { id } = (await good(server.api.post('/v1/customers', customer, { 'idempotency-key': 'first' }))).body;
    await good(server.api.post('/v1/customers', customer, { 'idempotency-key': 'first' }));
    await good(server.api.post(`/v1/customers/${id}`, { name: 'Grace Example' }));
    await server.api.post('/v1/customers', { nme: 'Ada Example' });
    ids.account = (await good(server.api.post('/v1/accounts', { name: 'Ouse Lettings' }))).body.id;
    const key = { name: 'Nightly report', type: 'restricted', permissions: ['events.read'] };
    ids.key = (await good(server.api.post('/v1/api_keys', key))).body.id;
    await good(owner.post('/v1/invitations', { email: 'grace@example.com', role: 'viewer' }));
    ids.event = (await good(server.api.get('/v1/events?type=customer.updated'))).body.data[0].id;
    ids.log = (await good(server.api.get('/v1/logs?idempotency_key=first'))).body.data[1].id;
    office = await makeFullOffice(server);
    ids.code = (await new Device(server).begin('laptop')).user_code;
    ids.link = await makeLink(server, 'sign_in', (await owner.get('/auth/session')).body.user.id);
  });
  afterAll(() => server.stop());

  const pages: HostilePage[] = [
    ['home', () => '/', 'text=Newest API version'],
    ['logs', () => '/logs', 'table'],
    ['groups of logs', () => '/logs?view=groups', 'table'],
    ['a filter of the address', () => `/logs?path=${encodeURIComponent(scriptStrings[1]!)}`, 'text=/No logs match/'],
    ['a request', () => `/logs/${ids.log}`, '[aria-label="Replays"] p'],
    ['events', () => '/events', 'table'],
    ['an event', () => `/events/${ids.event}`, '[aria-label="Deliveries"] article'],
    ['a record without a page of its own', () => `/records/${office.guarantor}`, '[aria-label="Data"]'],
    ['webhook endpoints', () => '/webhooks', 'table'],
    ['a webhook endpoint', () => `/webhooks/${ids.endpoint}`, '[aria-label="Deliveries"] article'],
    ['API keys', () => '/api-keys', 'table'],
    ['an API key', () => `/api-keys/${ids.key}`, 'text=What it did'],
    ['the upgrade', () => '/api-keys/upgrade', '[aria-label="Your events"] table'],
    ['connected accounts', () => '/accounts', 'table'],
    ['a connected account', () => `/customers?account=${ids.account}`, 'text=You act as'],
    ['the team', () => '/team', '[aria-label="Invitations"] table'],
    ['settings', () => '/settings', 'text=Retention'],
    ['the profile', () => '/settings/me', '[aria-label="Sessions"] table'],
    ['applications', () => '/applications', 'table'],
    ['a new application', () => '/applications/new', 'text=/By hand/'],
    ['an application', () => `/applications/${office.application}`, '[aria-label="History"] li'],
    ['a refused application', () => `/applications/${office.refused}`, '[aria-label="History"] li'],
    ['checks', () => '/references', 'table'],
    ['a check', () => `/references/${office.finished}`, '[aria-label="History"] li', { isWhole: true }],
    ['people', () => '/customers', 'table'],
    ['a person', () => `/customers/${office.ada}`, '[aria-label="History"] li'],
    ['homes', () => '/units', 'table'],
    ['the board of homes', () => '/units/board', '[aria-label="Empty"] li'],
    ['a home', () => `/units/${office.home}`, '[aria-label="History"] li'],
    ['a building', () => `/buildings/${office.building}`, '[aria-label="Homes"] table'],
    ['tenancies', () => '/tenancies', 'table'],
    ['a tenancy', () => `/tenancies/${office.tenancy}`, '[aria-label="History"] li'],
    ['arrears', () => '/arrears', 'table'],
    ['payments', () => '/payments', 'table'],
    ['a payment', () => `/payments/${office.payment}`, '[aria-label="History"] li'],
    ['regular charges', () => '/subscriptions', 'table'],
    ['a regular charge', () => `/subscriptions/${office.charge}`, '[aria-label="History"] li'],
    ['bills', () => '/invoices', 'table'],
    ['a bill', () => `/invoices/${office.bill}`, '[aria-label="History"] li'],
    ['deposits', () => '/deposits', 'table'],
    ['a deposit', () => `/deposits/${office.deposit}`, '[aria-label="History"] li'],
    ['files', () => '/files', 'table'],
    ['a file', () => `/files/${office.file}`, 'iframe', { isWhole: true }],
    ['an error', () => '/events/evt_none', '[role=alert]'],
    ['a sign-in of the command line', () => `/cli#${ids.code}`, 'text=Code'],
    ['a one-time link', () => `/link#${ids.link}`, 'text=E-mail', { isVisitor: true }],
  ];

  test.each(pages)(
    'shows them as texts and runs none on the page of %s',
    async (_, path, ready, { isVisitor, isWhole = false } = {}) => {
      const person = isVisitor ? new Browser(server) : owner;
      await using open = await openDashboard(server, path(), { person, width: 320, isWhole, rewrite: hostile });
      const { page } = open;
      await page.locator(ready).first().waitFor();
      await expectHarmless(open);
      const shown = (await page.evaluate(() => document.body.textContent)) ?? '';
      const found = texts.filter((text) => shown.includes(text) || shown.includes(JSON.stringify(text).slice(1, -1)));
      expect(found.length).toBeGreaterThan(0);
      for (const text of found) seen.add(text);
    },
  );

  test('has shown every text after all pages were opened', () => {
    expect(texts.filter((text) => !seen.has(text))).toEqual([]);
  });
});
