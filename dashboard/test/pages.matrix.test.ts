import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { firstOwner, member, type Browser } from '../../server/test/support/browser.ts';
import { apiClient, good, startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { versions } from '../../server/test/support/versions.ts';
import { describeInBrowser, expectAccessibleInThemes, hasShell } from '../../ui/test/support/browser.ts';
import { openDashboard } from './support/browser.ts';
import { makeFullOffice, type FullOffice } from './support/office.ts';

/** The pages, each with a text that appears when it is ready. A page of your own belongs here, full and empty. */
const pages: [path: string, ready: string][] = [
  ['/', 'First steps'],
  ['/logs', '/v1/customers'],
  ['/logs?path=/nowhere', 'No logs match'],
  ['/logs?view=groups', 'logs that fit are grouped'],
  ['/events', 'customer.created'],
  ['/events?type=file.created', 'No events match'],
  ['/webhooks', 'No webhook endpoints yet'],
  ['/workflows', 'No workflows yet'],
  ['/workflows/new', 'Begin with'],
  ['/api-keys', 'Create a key'],
  ['/api-keys/new', 'Webhook endpoints'],
  ['/api-keys#version', 'The first version'],
  ['/api-keys/upgrade', 'Nothing to upgrade'],
  ['/emails', 'No e-mails yet'],
  ['/accounts', 'Ouse Lettings'],
  ['/settings', 'Retention'],
  ['/nowhere', 'There is no such page'],
];

/** The pages that only a person may see, each with a text of the page. */
const pagesOfPersons: [path: string, ready: string][] = [
  ['/team', 'No invitations yet'],
  ['/approvals', 'No approval requests yet'],
  ['/settings/me', 'this one'],
  ['/cli', 'enter the code that it shows'],
];

/** Faults of a page, each with what a check says of it and the element that has it. */
const faults: [fault: string, found: string, tag: string, style: { color?: string; width?: string }][] = [
  ['a dark text on the dark theme', 'color-contrast', 'p', { color: '#222' }],
  ['a light text on the light theme', 'color-contrast', 'p', { color: '#ddd' }],
  ['a part that is wider than a phone', 'The page scrolls sideways.', 'div', { width: '400px' }],
  ['a field without a label', 'label: <input>', 'input', {}],
];

describeInBrowser('every page', () => {
  let server: TestServer;
  let owner: Browser;
  let guarantor: string;

  beforeAll(async () => {
    server = await startTestServer();
    const { body } = await good(server.api.post('/v1/customers', { name: 'Ada Example', email: 'ada@example.com' }));
    const { body: application } = await good(server.api.post('/v1/applications', { customers: ['tenant_1'] }));
    const proposal = { application: application.id, customer: body.id };
    guarantor = (await good(server.api.post('/v1/guarantors', proposal))).body.id;
    await server.api.post('/v1/customers', { nme: 'Ada Example' });
    // The top bar then has the switcher of accounts.
    await good(server.api.post('/v1/accounts', { name: 'Ouse Lettings' }));
    owner = await firstOwner(server);
  });
  afterAll(() => server.stop());

  test.each(pages)('fits WCAG 2.2 AA and its own policy at %s', async (path, ready) => {
    await expectFitsAllWindows(server, path, ready);
  });

  test.each(pagesOfPersons)('fits WCAG 2.2 AA and its own policy at %s when a person sees it', async (path, ready) => {
    await expectFitsAllWindows(server, path, ready, owner);
  });

  test.each(faults)('is refused when it has %s', async (_, found, tag, style) => {
    await using open = await openDashboard(server, '/nowhere');
    const { page } = open;
    await page.getByText('There is no such page').waitFor();
    await page.evaluate(
      ([name, looks]) => {
        const part = Object.assign(document.createElement(name), { textContent: 'Planted' });
        Object.assign(part.style, looks);
        document.querySelector('main')!.append(part);
      },
      [tag, style] as const,
    );
    await expect(expectAccessibleAtWidths(page)).rejects.toMatchObject({ actual: [expect.stringContaining(found)] });
  });

  test.each([320, 1280])(
    'shows an event in each of its views in both themes when the window is %d px wide',
    async (width) => {
      await using open = await openDashboard(server, '/events?type=customer.created', { width });
      const { page, problems } = open;
      await page.getByRole('link', { name: 'customer.created' }).click();
      await page.getByRole('region', { name: 'Event' }).waitFor();
      await expectAccessibleInThemes(page, 'event');
      await page.getByRole('tab', { name: 'Compare versions' }).click();
      await page.getByRole('region', { name: `In ${versions[1]}` }).waitFor();
      await expectAccessibleInThemes(page, 'event-versions');
      await page.getByRole('button', { name: 'Second version' }).click();
      await page.getByRole('option', { name: '2025-09-01' }).waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+k');
      await page.getByRole('menuitem', { name: 'Events' }).waitFor();
      await expectAccessibleInThemes(page, 'palette');
      expect(problems).toEqual([]);
    },
  );

  test('fits WCAG 2.2 AA and its own policy at a record without a page of its own', async () => {
    await expectFitsAllWindows(server, `/records/${guarantor}`, 'proposed');
  });

  test.each([320, 1280])(
    'shows a request with its faults in both themes when the window is %d px wide',
    async (width) => {
      await using open = await openDashboard(server, '/logs?status=4xx', { width });
      const { page, problems } = open;
      await page.getByRole('link', { name: '400 POST /v1/customers' }).click();
      await page.getByRole('region', { name: 'Response body' }).waitFor();
      await expectAccessibleInThemes(page, 'log');
      expect(problems).toEqual([]);
    },
  );

  test.each([320, 1280])(
    'lets a visitor sign in or use a link in both themes when the window is %d px wide',
    async (width) => {
      const session = { user: null };
      await using signIn = await openDashboard(server, '/events', { width, session });
      await signIn.page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await expectAccessibleInThemes(signIn.page, 'sign-in');
      await using link = await openDashboard(server, '/link', { width, session });
      await link.page.getByRole('heading', { name: 'This link cannot be used' }).waitFor();
      await expectAccessibleInThemes(link.page, 'link');
      expect([...signIn.problems, ...link.problems]).toEqual([]);
    },
  );
});

/** The pages of the office, each with a text that appears when it is ready. */
const pagesOfOffice: [name: string, path: (office: FullOffice) => string, ready: string, isWhole?: boolean][] = [
  ['what is stuck', () => '/?view=stuck', 'Not begun'],
  ['what was done', () => '/?view=done', 'Done this week'],
  ['applications', () => '/applications', 'Micklegate House'],
  ['no applications', () => '/applications?status=withdrawn', 'No applications match'],
  ['a new application', () => '/applications/new', 'Who makes the checks'],
  ['an application', ({ application }) => `/applications/${application}`, 'took an application'],
  ['a refused application', ({ refused }) => `/applications/${refused}`, 'We earn more now.'],
  ['checks', () => '/references', 'Your office'],
  ['no checks', () => '/references?status=canceled', 'No checks match'],
  ['a check by hand', ({ byHand }) => `/references/${byHand}`, 'ordered a check by hand'],
  ['a finished check', ({ finished }) => `/references/${finished}`, 'ordered a check by hand', true],
  ['people', () => '/customers', 'Ada Lovelace'],
  ['no people', () => '/customers?email=none@example.org', 'No people match'],
  ['a person', ({ ada }) => `/customers/${ada}`, 'added this person'],
  ['what the law keeps', () => '/retention-holds', 'Nothing is kept'],
  ['homes', () => '/units', 'Fishergate Court'],
  ['no homes', () => '/units?status=reserved', 'No properties match'],
  ['a home', ({ home }) => `/units/${home}`, 'added this home'],
  ['the board of homes', () => '/units/board', 'Micklegate House'],
  ['the calendar of homes', () => '/units/calendar', 'Micklegate House'],
  ['a month of no tenancy', () => '/units/calendar?month=2024-02', '29 February 2024'],
  ['buildings', () => '/buildings', 'Fishergate Court'],
  ['a building', ({ building }) => `/buildings/${building}`, '22 Fishergate'],
  ['tenancies', () => '/tenancies', 'Marek Nowak'],
  ['no tenancies', () => '/tenancies?status=canceled', 'No tenancies match'],
  ['a tenancy', ({ tenancy }) => `/tenancies/${tenancy}`, 'drafted a tenancy'],
  ['arrears', () => '/arrears', 'Marek Nowak'],
  ['payments', () => '/payments', 'RENT 5'],
  ['no payments', () => '/payments?status=canceled', 'No payments match'],
  ['a payment', ({ payment }) => `/payments/${payment}`, 'noted a payment'],
  ['regular charges', () => '/subscriptions', 'Marek Nowak'],
  ['no regular charges', () => '/subscriptions?status=ended', 'No regular charges match'],
  ['a regular charge', ({ charge }) => `/subscriptions/${charge}`, 'set up a regular charge'],
  ['bills', () => '/invoices', 'Marek Nowak'],
  ['no bills', () => '/invoices?status=void', 'No bills match'],
  ['a bill', ({ bill }) => `/invoices/${bill}`, 'issued the bill'],
  ['deposits', () => '/deposits', 'Marek Nowak'],
  ['no deposits', () => '/deposits?status=disputed', 'No deposits match'],
  ['a deposit', ({ deposit }) => `/deposits/${deposit}`, 'asked for a deposit'],
  ['files', () => '/files', 'report.pdf'],
  ['no files', () => '/files?purpose=identity_document', 'No files match'],
  ['a file', ({ file }) => `/files/${file}`, 'Contents', true],
];

/** The dialogs of the office, each with its page, its button and its title. */
const dialogsOfOffice: [title: string, path: (office: FullOffice) => string, button: string, isWhole?: boolean][] = [
  ['Decide on the application', ({ application }) => `/applications/${application}`, 'Decide'],
  ['Propose a guarantor', ({ application }) => `/applications/${application}`, 'Propose a guarantor'],
  ['Answer the review', ({ refused }) => `/applications/${refused}`, 'Answer the review'],
  ['Enter the outcome', ({ byHand }) => `/references/${byHand}`, 'Enter the outcome'],
  ['Attach a report', ({ byHand }) => `/references/${byHand}`, 'Attach a report'],
  ['Who makes the check of', ({ byHand }) => `/references/${byHand}`, 'Choose a service'],
  ['Send to the landlord', ({ finished }) => `/references/${finished}`, 'Send to the landlord', true],
  ['Add a person', () => '/customers', 'Add a person'],
  ['Add a file', () => '/files', 'Add a file'],
];

describeInBrowser('the pages of approvals', () => {
  let server: TestServer;
  let owner: Browser;
  let ids: { cancel: string; made: string };

  beforeAll(async () => {
    server = await startTestServer();
    owner = await firstOwner(server);
    const permissions = ['references.write', 'customers.write'];
    const key = { type: 'agent', name: 'Letting assistant', permissions, approvals: 'all_writes' };
    const agent = apiClient(server.url, (await good(server.api.post('/v1/api_keys', key))).body.secret);
    const reference = (await good(server.api.post('/v1/references', { application: 'app_1' }))).body.id;
    const held = async (path: string, body?: object): Promise<string> =>
      (await agent.post(path, body, { 'service-reason': 'The applicant has withdrawn.' })).body.error.approval_request;
    ids = {
      cancel: await held(`/v1/references/${reference}/cancel`),
      made: await held('/v1/customers', { name: 'Ada Lovelace', email: 'ada@example.com' }),
    };
    await good(server.api.post(`/v1/references/${reference}`, { metadata: { branch: 'leeds' } }));
  });
  afterAll(() => server.stop());

  test.each([
    ['requests', () => '/approvals', 'Letting assistant'],
    ['no requests that match', () => '/approvals?status=expired', 'No approval requests match'],
    ['a request about a record that has changed', () => `/approvals/${ids.cancel}`, 'It has changed since'],
    ['a request that makes a record', () => `/approvals/${ids.made}`, 'ada@example.com'],
  ])('fit WCAG 2.2 AA and their own policy with %s', async (_, path, ready) => {
    await expectFitsAllWindows(server, path(), ready, owner);
  });

  test.each([320, 1280])('fit WCAG 2.2 AA when a request is missing and the window is %d px wide', async (width) => {
    await using open = await openDashboard(server, '/approvals/apr_0000000000000000000000', { person: owner, width });
    await open.page.getByText('There is no approval_request').waitFor();
    await expectAccessibleInThemes(open.page, 'approval-missing');
  });

  test('fit WCAG 2.2 AA and their own policy in the dialog of a decision', async () => {
    await using open = await openDashboard(server, `/approvals/${ids.cancel}`, { person: owner, width: 320 });
    const { page, problems } = open;
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('dialog', { name: 'Approve the request?' }).waitFor();
    await expectAccessibleInThemes(page, 'dialog approve');
    expect(problems).toEqual([]);
  });
});

describeInBrowser('every page of the office', () => {
  let server: TestServer;
  let operator: Browser;
  let office: FullOffice;

  beforeAll(async () => {
    server = await startTestServer();
    office = await makeFullOffice(server);
    operator = await member(server, await firstOwner(server), 'operator', 'mary@example.com');
  });
  afterAll(() => server.stop());

  test.each(pagesOfOffice)('fits WCAG 2.2 AA and its own policy when it shows %s', async (_, path, ready, isWhole) => {
    await expectFitsAllWindows(server, path(office), ready, operator, isWhole);
  });

  test.skipIf(!hasShell)('fails its test when it shows a PDF in a browser that has no viewer', async () => {
    const open = await openDashboard(server, `/files/${office.file}`, { person: operator });
    const shown = open.page.waitForResponse((one) => one.headers()['content-type'] === 'application/pdf');
    await open.page.reload();
    await shown;
    await expect(open[Symbol.asyncDispose]()).rejects.toThrow('The page shows a PDF. Open it with `isWhole`.');
  });

  test.each(dialogsOfOffice)(
    'fits WCAG 2.2 AA and its own policy in the dialog "%s"',
    async (title, path, button, isWhole = false) => {
      await using open = await openDashboard(server, path(office), { person: operator, width: 320, isWhole });
      const { page, problems } = open;
      // A page that still loads can move its button from under a mouse.
      await page.getByRole('button', { name: button }).first().press('Enter');
      await page.getByRole('dialog', { name: title }).waitFor();
      await expectAccessibleInThemes(page, `dialog ${title}`);
      expect(problems).toEqual([]);
    },
  );
});

/** Opens a page once, and checks it in both themes and at both widths. */
async function expectFitsAllWindows(
  server: TestServer,
  path: string,
  ready: string,
  person?: Browser,
  isWhole = false,
): Promise<void> {
  await using open = await openDashboard(server, path, { ...(person && { person }), isWhole });
  const { page, problems } = open;
  await page.getByText(ready).first().waitFor();
  await expectAccessibleAtWidths(page, path);
  expect(problems).toEqual([]);
}

async function expectAccessibleAtWidths(page: Page, picture?: string): Promise<void> {
  for (const width of [1280, 320]) {
    await page.setViewportSize({ width, height: 900 });
    await expectAccessibleInThemes(page, picture);
  }
}
