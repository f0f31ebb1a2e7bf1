import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { Browser, firstOwner, goodPassword, makeLink } from '../../server/test/support/browser.ts';
import { TestClock } from '../../server/test/support/clock.ts';
import { good, serverForTest, type TestServer } from '../../server/test/support/server.ts';
import { describeInBrowser, expectAccessible, type OpenPage } from '../../ui/test/support/browser.ts';
import { openDashboard } from './support/browser.ts';

const confirmedSeconds = 15 * 60;

describeInBrowser('a person with a passkey', () => {
  test('adds it, signs in and confirms with it, and removes it', async () => {
    const clock = new TestClock();
    const server = atLocalhost(await serverForTest({ overrides: { clock } }));
    await using open = await openDashboard(server, '/settings/me', { person: await firstOwner(server) });
    const { page } = open;
    await addDevice(page);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    const name = page.getByRole('textbox', { name: 'Name', exact: true }).last();
    await expect.poll(() => name.inputValue()).toMatch(/^Chrome on /);
    await expectAccessible(page);
    await name.fill('Blue key');
    await page.getByRole('button', { name: 'Continue' }).click();
    const row = page.getByRole('table', { name: 'Passkeys' }).getByRole('row', { name: /Blue key/ });
    await row.waitFor();
    await expect.poll(() => row.textContent()).toContain('never');
    await expectAccessible(page);

    // The device has one already.
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('This device has one of your passkeys already').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();

    await page.getByRole('button', { name: 'Menu of ada@example.com' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
    await expectAccessible(page);
    // The password alone no longer signs in.
    await page.getByLabel('E-mail').fill('ada@example.com');
    await page.getByLabel('Password', { exact: true }).fill(goodPassword);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('Sign in with your passkey.').waitFor();
    expect(await page.getByLabel('Code').count()).toBe(0);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await expect.poll(() => row.textContent()).not.toContain('never');

    clock.advanceSeconds(confirmedSeconds);
    await page.getByRole('button', { name: 'Remove Blue key' }).click();
    await page.getByRole('button', { name: 'Remove passkey' }).click();
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await dialog.getByRole('button', { name: 'Use a passkey' }).waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('The passkey was removed').waitFor();
    await expect.poll(() => row.count()).toBe(0);
    expect(problemsOf(open)).toEqual([]);
  });

  test('is told what to do when the browser has no passkey, or a link does not pass it', async () => {
    const server = atLocalhost(await serverForTest());
    const person = await firstOwner(server);
    const { id } = (await person.get('/auth/session')).body.user;
    await using open = await openDashboard(server, '/settings/me', { person });
    const { page } = open;
    await addDevice(page);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('The passkey was added').waitFor();

    const link = `/link#${await makeLink(server, 'password_reset', id)}`;
    await using reset = await openDashboard(server, link, { person: new Browser(server) });
    await addDevice(reset.page);
    await reset.page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await reset.page.getByText('The browser used no passkey').waitFor();
    await expectAccessible(reset.page);
  });
});

describeInBrowser('the required set-up of a second factor', () => {
  test('ends with a passkey, and shows the page, when the person adds one', async () => {
    const server = atLocalhost(await serverForTest());
    const person = await firstOwner(server);
    await good(person.post('/v1/account', { require_second_factor: true }));
    await using open = await openDashboard(server, '/events', { person });
    const { page, problems } = open;
    await addDevice(page);
    await page.getByRole('heading', { name: 'Set up a second factor' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('table', { name: 'Events' }).waitFor();
    const session = await page.evaluate(async () => {
      const response = await fetch('/auth/session', { headers: { 'service-client': 'dashboard' } });
      return response.json();
    });
    expect(session.user).toMatchObject({ second_factor: 'passkey', passkeys: 1 });
    expect(problems).toEqual([]);
  });
});

describeInBrowser('a page at an IP address', () => {
  test('leads to localhost when passkeys do not work there', async () => {
    const server = await serverForTest();
    const person = await firstOwner(server);
    await using open = await openDashboard(server, '/settings/me', { person });
    const there = `${atLocalhost(server).url}/dashboard/settings/me`;
    const link = open.page.getByRole('link', { name: atLocalhost(server).url });
    expect(await link.getAttribute('href')).toBe(there);
    await open.page.getByText('You sign in there once more').waitFor();
    expect(await open.page.getByRole('button', { name: 'Add a passkey' }).count()).toBe(0);
    await link.click();
    await open.page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();

    await using visitor = await openDashboard(server, '', { person: new Browser(server) });
    await visitor.page.getByRole('link', { name: atLocalhost(server).url }).waitFor();
    expect(await visitor.page.getByRole('button', { name: 'Sign in with a passkey' }).count()).toBe(0);
    expect(visitor.problems).toEqual([]);
  });
});

/** Returns the server by its host name, because passkeys know no IP addresses. */
function atLocalhost(server: TestServer): TestServer {
  return { ...server, url: server.url.replace('127.0.0.1', 'localhost') };
}

/** Gives the browser a device that keeps passkeys and verifies the person without asking. */
async function addDevice(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/** Chromium writes an error of its own for each refused request. */
function problemsOf({ problems }: OpenPage): string[] {
  return problems.filter((problem) => !/status of 40[0-9]/.test(problem));
}
