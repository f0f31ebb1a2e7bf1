import { afterAll, beforeAll, expect, test } from 'vitest';
import { Browser, goodPassword, makeLink, signedIn } from '../../server/test/support/browser.ts';
import { good, startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { describeInBrowser, expectFocus } from '../../ui/test/support/browser.ts';
import { openDashboard } from './support/browser.ts';

describeInBrowser('the team', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.stop());

  test('grows from the printed link to a viewer who changes nothing', async () => {
    const token = await makeLink(server, 'first_owner');
    await good(server.api.post('/v1/customers', { name: 'Alan Turing' }));
    await using owner = await openDashboard(server, `/link#${token}`, { person: new Browser(server) });
    await owner.page.getByLabel('E-mail').fill('ada@example.com');
    expect(owner.page.url()).not.toContain('#');
    await owner.page.getByLabel('Password (optional)', { exact: true }).fill(goodPassword);
    await owner.page.getByRole('button', { name: 'Create owner and sign in' }).click();
    await owner.page.getByRole('link', { name: 'Team' }).click();
    await owner.page.getByRole('button', { name: 'Invite', exact: true }).click();
    await owner.page.getByLabel('E-mail').fill('grace@example.com');
    await owner.page.getByRole('button', { name: 'Make invitation' }).click();
    const link = new URL((await owner.page.getByRole('group', { name: 'Link' }).textContent())!.trim());
    await owner.page.getByRole('button', { name: 'Done' }).click();
    await expectFocus(owner.page.getByRole('button', { name: 'Invite', exact: true }));
    await owner.page.getByRole('row', { name: /grace@example\.com viewer pending/ }).waitFor();

    await using viewer = await openDashboard(server, `/link${link.hash}`, { person: new Browser(server) });
    await viewer.page.getByText('Viewer. May look, but decides and changes nothing.').waitFor();
    await viewer.page.getByRole('textbox', { name: 'Name', exact: true }).fill('Grace Hopper');
    await viewer.page.getByLabel('Password', { exact: true }).fill('a stitch in time saves');
    await viewer.page.getByRole('button', { name: 'Join and sign in' }).click();
    // The page of the owner shows the new member without a reload.
    await owner.page.getByRole('row', { name: /Grace Hopper grace@example\.com viewer active/ }).waitFor();
    await viewer.page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Events' }).click();
    await viewer.page.getByRole('link', { name: 'customer.created' }).first().click();
    await viewer.page.getByRole('region', { name: 'Data', exact: true }).waitFor();
    expect(await viewer.page.getByRole('region', { name: 'Deliveries' }).count()).toBe(0);
    expect(await viewer.page.getByRole('link', { name: 'Team' }).count()).toBe(0);
    await viewer.page.goto(`${server.url}/dashboard/team`);
    await viewer.page.getByText('Your role does not see the team').waitFor();
    expect(await viewer.page.getByRole('button', { name: 'Invite' }).isDisabled()).toBe(true);
    expect([...owner.problems, ...viewer.problems]).toEqual([]);
  });

  test('is told what to do, without codes and ids, when a password is wrong', async () => {
    await using open = await openDashboard(server, '/', { person: new Browser(server) });
    const { page } = open;
    await page.getByLabel('E-mail').fill('ada@example.com');
    await page.getByLabel('Password', { exact: true }).fill('a wrong password of mine');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('The e-mail address or the password is wrong.').waitFor();
    await page.getByText('an owner or admin of your team makes a link for a new one').waitFor();
    expect(await page.getByRole('main').innerText()).not.toMatch(/sign_in_failed|req_/);
  });

  test('names the keys of a member before the button that removes the member can be pressed', async () => {
    const { browser: owner } = await signedIn(server, 'owner');
    const { browser: developer, email } = await signedIn(server, 'developer');
    const key = { name: 'Night job', type: 'restricted', permissions: ['references.read'] };
    await good(developer.post('/v1/api_keys', key));
    await using open = await openDashboard(server, '/', { person: owner });
    const { page } = open;
    const held = Promise.withResolvers<void>();
    await page.route('**/v1/api_keys?**', async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.goto(`${server.url}/dashboard/team`);
    await page.getByRole('button', { name: `Actions for ${email}` }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    const dialog = page.getByRole('alertdialog', { name: `Remove ${email}?` });
    await dialog.waitFor();
    expect(await dialog.getByRole('button', { name: 'Remove member' }).count()).toBe(0);
    held.resolve();
    await dialog.getByRole('button', { name: 'Remove member' }).waitFor();
    expect(await dialog.innerText()).toContain('Night job');
    await expectFocus(dialog.getByRole('button', { name: 'Cancel' }));
  });
});
