import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { Browser, codeOf, firstOwner, goodPassword, member } from '../../server/test/support/browser.ts';
import { TestClock } from '../../server/test/support/clock.ts';
import { good, serverForTest } from '../../server/test/support/server.ts';
import { describeInBrowser, expectAccessible, expectFocus } from '../../ui/test/support/browser.ts';
import { openDashboard } from './support/browser.ts';

const newPassword = 'a stitch in time saves nine';

describeInBrowser('a person', () => {
  test('sets up an authenticator app, and signs in with a code and with a recovery code', async () => {
    const clock = new TestClock();
    const server = await serverForTest({ overrides: { clock } });
    // A code counts for a minute, in which a busy machine may not send it.
    clock.stop();
    await using open = await openDashboard(server, '/settings/me', { person: await firstOwner(server) });
    const { page } = open;
    await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
    await page.getByRole('img', { name: 'QR code for an authenticator app' }).waitFor();
    await expectAccessible(page);
    const secret = (await page.getByRole('dialog').locator('code').textContent())!.replaceAll(' ', '');
    await page.getByRole('textbox', { name: 'Code' }).fill('000000');
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByText('The code is wrong or too old').waitFor();
    await page.getByRole('textbox', { name: 'Code' }).fill(codeOf(secret, clock.nowMs()));
    await page.getByRole('button', { name: 'Turn on' }).click();
    const codes = (await page.getByRole('group', { name: 'Recovery codes' }).textContent())!.trim().split('\n');
    expect(codes).toHaveLength(10);
    await expectAccessible(page);
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as a file' }).click();
    expect((await saving).suggestedFilename()).toBe('tenure-recovery-codes.txt');
    await page.getByRole('button', { name: 'I have kept them' }).click();
    await page.getByText('Recovery codes left').waitFor();
    expect(await page.content()).not.toContain(codes[0]);

    // The next step, because each code counts once.
    clock.advanceSeconds(30);
    await signOut(page);
    await signIn(page, goodPassword);
    await expectAccessible(page);
    await page.getByLabel('Code').fill(codeOf(secret, clock.nowMs()));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await signOut(page);
    await signIn(page, goodPassword);
    await page.getByLabel('Code').fill(codes[0]!.toLowerCase());
    await page.getByRole('button', { name: 'Sign in' }).click();
    const left = page.getByText('Recovery codes left').locator('xpath=following-sibling::dd[1]');
    await expect.poll(() => left.textContent()).toMatch(/^9/);
    // Chromium writes an error of its own for each refused request.
    expect(open.problems.filter((problem) => !/status of 40[01]/.test(problem))).toEqual([]);
  });

  test('ends all other sessions when the password changes', async () => {
    const server = await serverForTest();
    await using open = await openDashboard(server, '/settings/me', { person: await firstOwner(server) });
    const other = new Browser(server);
    await other.post('/auth/sign_in', { email: 'ada@example.com', password: goodPassword });
    await open.page.getByLabel('New password', { exact: true }).fill('ada@example.com');
    await open.page.getByRole('button', { name: 'Change password' }).click();
    await open.page.getByText('The password is little more than your name').waitFor();
    await open.page.getByLabel('New password', { exact: true }).fill(newPassword);
    await open.page.getByRole('button', { name: 'Change password' }).click();
    await open.page.getByText('Your password was changed').waitFor();
    await expect.poll(async () => (await other.get('/auth/session')).body.user).toBeNull();
    await open.page.getByRole('button', { name: 'Save' }).waitFor();
    await expect.poll(() => open.page.getByRole('table', { name: 'Sessions' }).getByRole('row').count()).toBe(2);
  });

  test('signs in over the page when the session has ended, and loses nothing typed', async () => {
    const server = await serverForTest();
    const owner = await firstOwner(server);
    await using open = await openDashboard(server, '/settings/me', { person: owner });
    const { page } = open;
    await page.getByRole('textbox', { name: 'Name' }).fill('Ada, Countess of Lovelace');
    // After a sign-out, a read of the page could learn of it first. Then the dialog would cover the button.
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign in to continue' });
    await dialog.waitFor();
    await owner.post('/auth/sign_out');
    await dialog.getByLabel('Password', { exact: true }).fill(goodPassword);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Saved.').waitFor();
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Ada, Countess of Lovelace');
    await page.getByRole('button', { name: 'Menu of ada@example.com' }).getByText('Ada, Countess').waitFor();
  });

  test('sends nothing in the name of another person when that one signs in over the page', async () => {
    const server = await serverForTest();
    const owner = await firstOwner(server);
    const grace = await member(server, owner, 'admin', 'grace@example.com');
    await using open = await openDashboard(server, '/settings/me', { person: owner });
    const { page } = open;
    await page.getByRole('textbox', { name: 'Name' }).fill('Ada, Countess of Lovelace');
    // After a sign-out, a read of the page could learn of it first. Then the dialog would cover the button.
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign in to continue' });
    await dialog.waitFor();
    await owner.post('/auth/sign_out');
    await dialog.getByLabel('E-mail').fill('grace@example.com');
    await dialog.getByLabel('Password', { exact: true }).fill(goodPassword);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Menu of grace@example.com' }).waitFor();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('alert').first().waitFor();
    expect(await page.getByText('Saved.').count()).toBe(0);
    expect((await grace.get('/auth/session')).body.user).toMatchObject({ email: 'grace@example.com', name: null });
  });

  test('sends nothing in the name of another person when that one signs in by another window', async () => {
    const server = await serverForTest();
    const owner = await firstOwner(server);
    const grace = await member(server, owner, 'admin', 'grace@example.com');
    await using open = await openDashboard(server, '/settings/me', { person: owner });
    const { page } = open;
    await page.getByRole('textbox', { name: 'Name' }).fill('Ada, Countess of Lovelace');
    const context = page.context();
    await context.clearCookies();
    const other = await context.newPage();
    await other.goto(page.url());
    await other.getByLabel('E-mail').fill('grace@example.com');
    await other.getByLabel('Password', { exact: true }).fill(goodPassword);
    await other.getByRole('button', { name: 'Sign in', exact: true }).click();
    await other.getByRole('textbox', { name: 'Name' }).waitFor();
    await page.getByRole('button', { name: 'Menu of grace@example.com' }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('');
    expect((await grace.get('/auth/session')).body.user).toMatchObject({ name: null });
    // A second window of the same person stays.
    await other.getByRole('textbox', { name: 'Name' }).fill('Grace');
    await page.reload();
    await page.getByRole('button', { name: 'Menu of grace@example.com' }).waitFor();
    await other.getByRole('button', { name: 'Save' }).click();
    await other.getByText('Saved.').waitFor();
  });

  test('sees an invitation as open by real time when the clock of the sandbox was moved', async () => {
    const server = await serverForTest();
    const owner = await firstOwner(server);
    await good(server.api.post('/v1/test_helpers/clock/advance', { seconds: 14 * 86_400 }));
    await using open = await openDashboard(server, '/team', { person: owner });
    const { page } = open;
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await page.getByLabel('E-mail').fill('late@example.com');
    await page.getByRole('button', { name: 'Make invitation' }).click();
    const dialog = page.getByRole('dialog', { name: 'Invitation for late@example.com' });
    await dialog.getByText(/works until .* \(real time\)/).waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    const row = page.getByRole('row', { name: /late@example\.com viewer pending/ });
    await row.getByText(/\(real time\)/).waitFor();
    await row.getByRole('button', { name: 'Revoke the invitation of late@example.com' }).click();
    await page.getByRole('button', { name: 'Revoke invitation' }).click();
    await page.getByRole('row', { name: /late@example\.com viewer revoked/ }).waitFor();
  });

  test('confirms a sensitive action with the password when the sign-in is 16 minutes old', async () => {
    let aheadMs = 0;
    const server = await serverForTest({ overrides: { clock: { nowMs: () => Date.now() + aheadMs } } });
    const owner = await firstOwner(server);
    const grace = await member(server, owner, 'viewer', 'grace@example.com');
    await using open = await openDashboard(server, '/team', { person: owner });
    const { page } = open;
    aheadMs = 16 * 60_000;
    await chooseDeveloper(page);
    await page.getByRole('button', { name: 'Change role' }).click();
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await dialog.getByLabel('Password', { exact: true }).fill('not the right one');
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await dialog.getByText('is wrong').waitFor();
    await dialog.getByLabel('Password', { exact: true }).fill(goodPassword);
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('grace@example.com is developer now.').waitFor();
    await page.getByRole('row', { name: /grace@example\.com developer active/ }).waitFor();
    expect((await grace.get('/v1/account')).status).toBe(401);

    await page.getByRole('button', { name: 'Actions for grace@example.com' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    const removal = page.getByRole('alertdialog', { name: 'Remove grace@example.com?' });
    await expectFocus(removal.getByRole('button', { name: 'Cancel' }));
    await removal.getByRole('button', { name: 'Remove member' }).click();
    await page.getByText('grace@example.com is removed and signed out.').waitFor();
  });

  test('changes nothing in the name of another person when that one confirms over the page', async () => {
    let aheadMs = 0;
    const server = await serverForTest({ overrides: { clock: { nowMs: () => Date.now() + aheadMs } } });
    const owner = await firstOwner(server);
    const grace = await member(server, owner, 'viewer', 'grace@example.com');
    const eve = await member(server, owner, 'owner', 'eve@example.com');
    await using open = await openDashboard(server, '/team', { person: owner });
    const { page } = open;
    await chooseDeveloper(page);
    // As in another tab of the same browser.
    const cookies = [...eve.cookies].map(([name, value]) => ({ name, value, url: server.url }));
    await page.context().addCookies(cookies);
    aheadMs = 16 * 60_000;
    await page.getByRole('button', { name: 'Change role' }).click();
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await dialog.getByLabel('Password', { exact: true }).fill(goodPassword);
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('button', { name: 'Menu of eve@example.com' }).waitFor();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('alert').first().waitFor();
    expect((await grace.get('/auth/session')).body.user).toMatchObject({ role: 'viewer' });
  });

  test('sees the set-up of a second factor alone when the account requires one', async () => {
    const clock = new TestClock();
    const server = await serverForTest({ overrides: { clock } });
    clock.stop();
    const owner = await firstOwner(server);
    const required = await owner.post('/v1/account', { require_second_factor: true });
    expect(required.status, required.text).toBe(200);
    await using open = await openDashboard(server, '/events', { person: owner });
    const { page } = open;
    await page.getByRole('heading', { name: 'Set up a second factor' }).waitFor();
    expect(await page.getByRole('navigation').count()).toBe(0);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Set up an app' }).click();
    const secret = (await page.locator('main code').textContent())!.replaceAll(' ', '');
    await page.getByLabel('Code', { exact: true }).fill(codeOf(secret, clock.nowMs()));
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByRole('button', { name: 'I have kept them' }).click();
    await page.getByRole('table', { name: 'Events' }).waitFor();
    expect(open.problems).toEqual([]);
  });
});

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Menu of ada@example.com' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
}

async function signIn(page: Page, password: string): Promise<void> {
  await page.getByLabel('E-mail').fill('ada@example.com');
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('Code').waitFor();
}

/** Chooses another role for the viewer, and sends nothing yet. */
async function chooseDeveloper(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Actions for grace@example.com' }).click();
  await page.getByRole('menuitem', { name: 'Change role' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Viewer.*Role$/ })
    .click();
  await page.getByRole('option', { name: 'Developer' }).click();
}
