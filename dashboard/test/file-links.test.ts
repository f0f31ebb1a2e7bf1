import { afterAll, beforeAll, expect, test } from 'vitest';
import { firstOwner, type Browser } from '../../server/test/support/browser.ts';
import { good, startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { describeInBrowser, expectAccessibleInThemes } from '../../ui/test/support/browser.ts';
import { openDashboard } from './support/browser.ts';
import { makeFullOffice, type FullOffice } from './support/office.ts';

describeInBrowser('a link to a file', () => {
  let server: TestServer;
  let owner: Browser;
  let office: FullOffice;

  beforeAll(async () => {
    server = await startTestServer({ knowsPort: true });
    office = await makeFullOffice(server);
    owner = await firstOwner(server);
  });
  afterAll(() => server.stop());

  test('opens the file for a person without an account until the office ends the link', async () => {
    await using open = await openDashboard(server, `/files/${office.file}`, {
      person: owner,
      width: 390,
      isWhole: true,
    });
    const { page, problems } = open;
    const links = page.getByRole('region', { name: 'Links' });
    await links.getByRole('button', { name: 'Share by a link' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name of the reader' }).fill('Mr Okafor');
    await expectAccessibleInThemes(page, 'share-dialog');
    await dialog.getByRole('button', { name: 'Make the link' }).click();
    const shown = page.getByRole('dialog', { name: 'Link to the file' });
    await shown.getByRole('button', { name: 'Copy the link' }).click();
    await shown.getByRole('button', { name: 'Copied' }).waitFor();
    const url = /http\S+\/links#\w{32}/.exec(await shown.innerText())![0];
    await shown.getByRole('button', { name: 'Done' }).click();
    await links.getByText('Mr Okafor').first().waitFor();
    await links.getByText('Never opened.').waitFor();

    await using stranger = await openDashboard(server, '/nowhere', {
      session: { user: null },
      width: 390,
      isWhole: true,
    });
    const phone = stranger.page;
    await phone.goto(url);
    await phone.getByRole('heading', { name: 'A document was shared with you' }).waitFor();
    await expectAccessibleInThemes(phone, 'link-cover');
    await phone.getByRole('button', { name: 'Open the document' }).click();
    await phone.getByRole('heading', { name: 'Questions?' }).waitFor();
    expect(phone.url()).not.toContain('#');
    await expectAccessibleInThemes(phone, 'link-summary');
    const [download] = await Promise.all([
      phone.waitForEvent('download'),
      phone.getByRole('button', { name: /^Download the/ }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/\.pdf$/);

    await page.reload();
    await links.getByText('Opened once').waitFor();
    await links.getByRole('button', { name: 'End the link for Mr Okafor' }).click();
    await links.getByText('Ended by the office').waitFor();
    await phone.goto(url);
    await phone.getByRole('button', { name: 'Open the document' }).click();
    await phone.getByRole('heading', { name: 'This link opens nothing' }).waitFor();
    await phone.getByText('This is a test. Nothing here is real.').waitFor();
    await expectAccessibleInThemes(phone, 'link-closed');
    const { body } = await good(server.api.get(`/v1/file_links?file=${office.file}`));
    expect(body.data[0]).toMatchObject({ open_count: 1, status: 'revoked' });
    expect(problems).toEqual([]);
  });

  test('keeps the button of its dialog in place when the account is read late', async () => {
    await using open = await openDashboard(server, '/files', { person: owner, isWhole: true });
    const { page } = open;
    const held = Promise.withResolvers<void>();
    await page.route('**/v1/account', async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.goto(`${server.url}/dashboard/files/${office.file}`);
    await page.getByRole('button', { name: 'Share by a link' }).press('Enter');
    const button = page.getByRole('dialog').getByRole('button', { name: 'Make the link' });
    await button.waitFor();
    const place = await button.boundingBox();
    held.resolve();
    // The page behind the dialog shows its times when it knows the time zone of the account.
    await page.locator('main time').first().waitFor({ state: 'attached' });
    expect(await button.boundingBox()).toEqual(place);
  });

  test('is made, followed and ended on the page of the check when a report is sent to the landlord', async () => {
    await using open = await openDashboard(server, `/references/${office.finished}`, {
      person: owner,
      width: 390,
      isWhole: true,
    });
    const { page, problems } = open;
    const links = page.getByRole('region', { name: 'For the landlord' });
    const dialog = page.getByRole('dialog', { name: 'Send to the landlord' });
    const send = links.getByRole('button', { name: 'Send to the landlord' });
    // What loads above the button can move it away from the mouse.
    const isOpen = async (): Promise<boolean> => {
      if (!(await dialog.isVisible())) await send.click({ timeout: 2_000 }).catch(() => {});
      return dialog.isVisible();
    };
    await expect.poll(isOpen).toBe(true);
    await dialog.getByText('names no phone number').waitFor();
    await dialog.getByRole('textbox', { name: 'Name of the landlord' }).fill('Mrs Eze');
    await dialog.getByRole('button', { name: 'Make the link' }).click();
    const shown = page.getByRole('dialog', { name: 'Link to the report' });
    const url = /http\S+\/links#\w{32}/.exec(await shown.innerText())![0];
    await shown.getByRole('button', { name: 'Done' }).click();
    await using stranger = await openDashboard(server, '/nowhere', {
      session: { user: null },
      width: 390,
      isWhole: true,
    });
    await stranger.page.goto(url);
    await stranger.page.getByRole('button', { name: 'Open the document' }).click();
    await stranger.page.getByRole('heading', { name: 'Check of Grace Hopper' }).waitFor();
    const link = links.getByRole('listitem').filter({ hasText: 'Mrs Eze' });
    // The page tells it without a reload.
    await link.getByText('Opened once').waitFor();
    await link.getByRole('button', { name: 'End the link for Mrs Eze' }).click();
    await link.getByText('Ended by the office').waitFor();
    await page.goto(`${server.url}/dashboard/customers/${office.grace}`);
    const history = page.getByRole('list', { name: 'History' });
    await history.getByText('made a link to the report for Mrs Eze.').waitFor();
    await history.getByText('The report was opened by the link for Mrs Eze.').waitFor();
    await history.getByText('ended the link to the report for Mrs Eze.').waitFor();
    expect(problems).toEqual([]);
  });
});
