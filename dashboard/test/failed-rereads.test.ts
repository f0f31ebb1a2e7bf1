import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { firstOwner, type Browser } from '../../server/test/support/browser.ts';
import { formOf } from '../../server/test/support/files.ts';
import { good, startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { describeInBrowser, expectAccessibleInThemes } from '../../ui/test/support/browser.ts';
import { openDashboard } from './support/browser.ts';
import { makeOffice, orderCheck } from './support/office.ts';

/* What a page shows when its data can no longer be read. */

const name = 'Zebedee Brown';
const notice = 'This page could not be read again.';

describeInBrowser('a page that is read again', () => {
  let server: TestServer;
  let owner: Browser;

  beforeAll(async () => {
    server = await startTestServer();
    owner = await firstOwner(server);
  });
  afterAll(() => server.stop());

  async function makeCustomer(): Promise<string> {
    return (await good(server.api.post('/v1/customers', { name }))).body.id;
  }

  test('hides the name and the actions when an erasure has removed its record', async () => {
    const office = await makeOffice(server);
    const check = await orderCheck(server, office, 'accept', null);
    const { id: file } = (await good(server.api.post('/v1/files', formOf({}, undefined, `${name}.pdf`)))).body;
    await good(server.api.post(`/v1/references/${check}`, { outcome: 'accept', reference_pdf: file }));
    await using open = await openDashboard(server, `/files/${file}`, { person: owner, isWhole: true });
    const { page } = open;
    await page.getByRole('heading', { name }).waitFor();
    await good(server.api.delete(`/v1/customers/${office.ada}`));
    const alert = page.getByRole('alert').filter({ hasText: 'resource_missing' });
    await readAgainUntil(page, () => alert.isVisible());
    expect(await page.getByRole('main').innerText()).not.toContain(name);
    await expect.poll(() => page.title()).toBe('File – Tenure');
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
    expect(await page.getByText(notice).count()).toBe(0);
  });

  test.each([
    [403, 'permission_denied'],
    [410, 'resource_gone'],
  ])('hides the record when it gets the status %i', async (status, code) => {
    await using open = await openDashboard(server, `/customers/${await makeCustomer()}`, { person: owner });
    const { page } = open;
    await page.getByRole('heading', { name }).waitFor();
    const answers = await plant(page, '**/v1/customers/cus_*', { status, code });
    const alert = page.getByRole('alert').filter({ hasText: code });
    await readAgainUntil(page, () => alert.isVisible());
    expect(await page.getByRole('main').innerText()).not.toContain(name);
    await expect.poll(() => page.title()).toBe('Person – Tenure');
    expect(await page.getByRole('button', { name: 'Change' }).count()).toBe(0);
    answers.fault = null;
    await alert.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name }).waitFor();
  });

  test.each([390, 1280])(
    'keeps the record and says how old it is when the server is busy, %i pixels wide',
    async (width) => {
      await using open = await openDashboard(server, `/customers/${await makeCustomer()}`, { person: owner, width });
      const { page } = open;
      await page.getByRole('heading', { name }).waitFor();
      const answers = await plant(page, '**/v1/customers/cus_*', { status: 503, code: 'overloaded' });
      const status = page.getByRole('status').filter({ hasText: notice });
      await readAgainUntil(page, () => status.isVisible());
      expect(await status.innerText()).toMatch(/It shows what was there at \d\d:\d\d\./);
      expect(await page.getByRole('heading', { name }).count()).toBe(1);
      await page.getByRole('button', { name: 'Change' }).waitFor();
      await expectAccessibleInThemes(page, 'old-data');
      answers.fault = null;
      await status.getByRole('button', { name: 'Try again' }).click();
      await expect.poll(() => page.getByText(notice).count()).toBe(0);
      await page.getByRole('heading', { name }).waitFor();
    },
  );

  test('offers no export of a list when the person may no longer read it', async () => {
    await makeCustomer();
    await using open = await openDashboard(server, '/customers', { person: owner });
    const { page } = open;
    const actions = page.getByRole('button', { name: /Export|Download|Print/ });
    await actions.first().waitFor();
    await plant(page, '**/v1/customers?**', { status: 403, code: 'permission_denied' });
    await readAgainUntil(page, () => page.getByRole('alert').filter({ hasText: 'permission_denied' }).isVisible());
    expect(await actions.count()).toBe(0);
  });

  test('shows no earlier results of a search when the person may no longer search', async () => {
    await makeCustomer();
    await using open = await openDashboard(server, '/', { person: owner });
    const { page } = open;
    await page.getByRole('button', { name: 'Find a person or a page' }).click();
    const palette = page.getByRole('dialog', { name: 'Go to' });
    await palette.getByRole('searchbox').fill('zebe');
    const hit = palette.getByRole('menuitem', { name: new RegExp(name) });
    await hit.first().waitFor();
    const answers = await plant(page, '**/v1/search?**', { status: 403, code: 'permission_denied' });
    await palette.getByRole('searchbox').fill('zebed');
    await palette.getByText('Planted.').waitFor();
    // The next search waits for its response, and shows nothing meanwhile.
    const { promise, resolve } = Promise.withResolvers<void>();
    answers.until = promise;
    await palette.getByRole('searchbox').fill('zebede');
    await palette.getByText('Searching records').waitFor();
    await expect.poll(() => answers.waiting).toBe(1);
    expect(await hit.count()).toBe(0);
    resolve();
  });
});

interface Answers {
  /** The error of each response. Null lets the server answer. */
  fault: { status: number; code: string } | null;
  /** Each request waits for it. */
  until: Promise<void>;
  /** How many requests wait. */
  waiting: number;
}

/** Answers requests of a page with an error that the SDK does not repeat. */
async function plant(page: Page, url: string, fault: NonNullable<Answers['fault']>): Promise<Answers> {
  const answers: Answers = { fault, until: Promise.resolve(), waiting: 0 };
  await page.route(url, async (route) => {
    answers.waiting++;
    await answers.until;
    answers.waiting--;
    if (answers.fault === null) return route.fallback();
    const { status, code } = answers.fault;
    const error = { type: 'api_error', code, message: 'Planted.' };
    return route.fulfill({ status, headers: { 'service-should-retry': 'false' }, json: { error } });
  });
  return answers;
}

/** Shows the tab of a page anew, which makes the page read again, until something is so. Data of the last five seconds stay. */
async function readAgainUntil(page: Page, isSo: () => Promise<boolean>): Promise<void> {
  await expect
    .poll(() => page.evaluate(() => void window.dispatchEvent(new Event('visibilitychange'))).then(isSo))
    .toBe(true);
}
