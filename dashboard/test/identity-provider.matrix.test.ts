import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Browser, signedIn } from '../../server/test/support/browser.ts';
import { TestClock } from '../../server/test/support/clock.ts';
import { good, serverForTest, type TestServer } from '../../server/test/support/server.ts';
import { setUpTotp, codeOf } from '../../server/test/support/session-ends.ts';
import { describeInBrowser, expectAccessible, type OpenPage } from '../../ui/test/support/browser.ts';
import { openDashboard } from './support/browser.ts';

const clientId = 'tenure';
const clientSecret = 'a secret: 100% safe & sound';

describeInBrowser('a person with an identity at the company', () => {
  test('joins by an invitation, confirms, and unlinks the identity when a password is set', async () => {
    const server = await serverWithProvider();
    const owner = await signedIn(server, 'owner');
    await good(owner.browser.post('/v1/invitations', { email: 'grace@example.com', role: 'developer' }));
    await using open = await openDashboard(server, '/logs?status=4xx', { person: new Browser(server) });
    const { page } = open;
    await page.getByRole('button', { name: 'Sign in with Acme' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Sign in with Acme' }).click();
    await signInAtProvider(page, 'grace');

    // The page where the person began, without a trace of the provider in its address.
    await page.getByRole('heading', { name: 'Logs', exact: true }).waitFor();
    expect(page.url()).toBe(`${server.url}/dashboard/logs?status=4xx`);

    await page.goto('/dashboard/settings/me');
    await page.getByText('It is your only way to sign in.').waitFor();
    expect(await page.getByRole('button', { name: 'Unlink' }).isDisabled()).toBe(true);
    await expectAccessible(page);

    // A sensitive action asks for a new sign-in, in a window of its own.
    await server.context.database.readers.query('update sessions set confirmed_at = 0');
    await page.getByLabel('New password', { exact: true }).fill('a stitch in time saves nine');
    await page.getByRole('button', { name: 'Set password' }).click();
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await dialog.getByRole('button', { name: 'Sign in with Acme' }).waitFor();
    await expectAccessible(page);
    const [window] = await Promise.all([
      page.context().waitForEvent('page'),
      dialog.getByRole('button', { name: 'Sign in with Acme' }).click(),
    ]);
    await window.getByText('Sign in once more to confirm that it is you').waitFor();
    await expectAccessible(window);
    await window.getByRole('button', { name: 'Sign in with Acme' }).click();
    await signInAtProvider(window, 'grace', { isFirst: false });
    await window.getByText('Close this window').waitFor();
    await window.close();
    await page.evaluate(() => dispatchEvent(new Event('focus')));
    await page.getByText('Your password was changed').waitFor();

    await page.getByRole('button', { name: 'Unlink' }).click();
    await page.getByRole('button', { name: 'Unlink', exact: true }).last().click();
    await page.getByText('The identity was unlinked').waitFor();
    await page.getByText('None is linked').waitFor();
    expect(problemsOf(open, server)).toEqual([]);
  });

  test('gives the code of the own app, or is told what to do when the company knows no member', async () => {
    const clock = new TestClock();
    const server = await serverWithProvider(clock);
    const ada = await signedIn(server, 'owner', { changed: { email: 'ada@example.com' } });
    const { secret } = await setUpTotp(ada.browser, clock);
    clock.advanceSeconds(30);
    await using open = await openDashboard(server, '', { person: new Browser(server) });
    const { page } = open;
    await page.getByRole('button', { name: 'Sign in with Acme' }).click();
    await signInAtProvider(page, 'ada');
    await page.getByRole('heading', { name: 'Enter your code' }).waitFor();
    await expectAccessible(page);
    await page.getByLabel('Code').fill('000000');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('The e-mail address, the password or the code is wrong').waitFor();
    await page.getByLabel('Code').fill(codeOf(secret, clock.nowMs()));
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('button', { name: 'Menu of ada@example.com' }).waitFor();

    await using other = await openDashboard(server, '', { person: new Browser(server) });
    await other.page.getByRole('button', { name: 'Sign in with Acme' }).click();
    await signInAtProvider(other.page, 'eve');
    await other.page.getByText('Acme knows you, but you are no active member of this team').waitFor();
    await expectAccessible(other.page);
    await other.page.getByRole('button', { name: 'Sign in by another way' }).click();
    await other.page.getByLabel('E-mail').waitFor();
  });
});

/** Starts a server, and a provider of another project that knows any name with any password. */
async function serverWithProvider(clock = new TestClock()): Promise<TestServer> {
  // The provider advises against its settings for tests.
  for (const method of ['info', 'warn'] as const) {
    const muted = vi.spyOn(console, method).mockImplementation(() => {});
    onTestFinished(() => muted.mockRestore());
  }
  const http = createServer().listen(0, '127.0.0.1');
  await once(http, 'listening');
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const server = await serverForTest({
    knowsPort: true,
    overrides: { clock },
    settings: {
      TENURE_OIDC_ISSUER: issuer,
      TENURE_OIDC_CLIENT_ID: clientId,
      TENURE_OIDC_CLIENT_SECRET: clientSecret,
      TENURE_OIDC_NAME: 'Acme',
    },
  });
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [`${server.url}/dashboard/identity-provider`],
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'one', use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['a key of this test'] },
    pkce: { required: () => true },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@example.com`, email_verified: true, name: id }),
    }),
  });
  http.on('request', provider.callback());
  return server;
}

/** Signs in at the pages of the provider, and consents. It asks for consent once. */
async function signInAtProvider(page: Page, name: string, { isFirst = true } = {}): Promise<void> {
  await page.locator('input[name=login]').fill(name);
  await page.locator('input[name=password]').fill('any');
  await page.locator('button[type=submit]').click();
  if (isFirst) await page.getByRole('button', { name: 'Continue' }).click();
}

/** Chromium writes an error of its own for each refused request. The pages of the provider are its own matter. */
function problemsOf({ problems }: OpenPage, { url }: TestServer): string[] {
  const { port } = new URL(url);
  return problems.filter((problem) => !/status of 40[0-9]/.test(problem) && problem.includes(`:${port}`));
}
