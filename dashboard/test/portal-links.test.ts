import { afterAll, beforeAll, expect, test } from 'vitest';
import { firstOwner, tokenOf, type Browser } from '../../server/test/support/browser.ts';
import { good, startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { describeInBrowser, expectAccessibleInThemes } from '../../ui/test/support/browser.ts';
import { openWithoutSession } from '../../portal/test/support/portal.ts';
import { openDashboard } from './support/browser.ts';

describeInBrowser('a link to the own page of a person', () => {
  let server: TestServer;
  let owner: Browser;

  beforeAll(async () => {
    server = await startTestServer({ knowsPort: true });
    owner = await firstOwner(server);
  });
  afterAll(() => server.stop());

  test('is sent by e-mail, opens the page once, and ends when the office ends it', async () => {
    const ada = { name: 'Ada Lovelace', email: 'ada@example.com' };
    const { body: person } = await good(server.api.post('/v1/customers', ada));
    await using open = await openDashboard(server, `/customers/${person.id}`, { person: owner, width: 390 });
    const { page, problems } = open;
    const section = page.getByRole('region', { name: 'Own page' });
    await section.getByText('Ada Lovelace can see applications').waitFor();
    await section.getByRole('button', { name: 'Send a link' }).click();
    const dialog = page.getByRole('dialog', { name: 'Send a link' });
    expect(await dialog.getByRole('checkbox', { name: 'Send it to ada@example.com' }).isChecked()).toBe(true);
    await expectAccessibleInThemes(page, 'portal-link-dialog');
    await dialog.getByRole('button', { name: 'Make the link' }).click();
    const shown = page.getByRole('dialog', { name: 'Link to the own page' });
    const url = /http\S+\/portal#\w{32}/.exec(await shown.innerText())![0];
    await shown.getByRole('button', { name: 'Done' }).click();
    await section.getByText('Not opened yet').waitFor();
    const { body: emails } = await good(server.api.get('/v1/test_helpers/emails?to=ada@example.com'));
    expect(emails.data).toMatchObject([{ kind: 'portal_session', link: url }]);

    await using phone = await openWithoutSession(server, `#${tokenOf(url)}`);
    await phone.page.getByRole('button', { name: 'Open my page' }).click();
    await phone.page.getByRole('heading', { name: 'Hello, Ada' }).waitFor();

    await page.reload();
    await section.getByText('Open', { exact: true }).waitFor();
    await expectAccessibleInThemes(page, 'portal-links');
    await section.getByRole('button', { name: 'End now' }).click();
    await section.getByText('Ended', { exact: true }).waitFor();
    await phone.page.reload();
    await phone.page.getByRole('heading', { name: 'Your visit has ended' }).waitFor();
    expect(problems).toEqual([]);
  });

  test('is handed over by hand when the person has no e-mail address', async () => {
    const { body: person } = await good(server.api.post('/v1/customers', { name: 'George Byron' }));
    await using open = await openDashboard(server, `/customers/${person.id}`, { person: owner });
    const { page } = open;
    await page.getByRole('region', { name: 'Own page' }).getByRole('button', { name: 'Send a link' }).click();
    const dialog = page.getByRole('dialog', { name: 'Send a link' });
    await dialog.getByText('George Byron has no e-mail address here').waitFor();
    await dialog.getByRole('button', { name: 'Make the link' }).click();
    await page.getByText('Hand this link over yourself').waitFor();
  });
});
