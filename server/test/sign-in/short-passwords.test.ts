import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeLoginLink } from '../../src/server/first-account.ts';
import { Authenticator } from '../support/authenticator.ts';
import { Browser, goodPassword, signedIn, tokenOf, type SignedIn } from '../support/browser.ts';
import { good, startTestServer, type ApiResponse, type TestServer } from '../support/server.ts';
import { setUpTotp } from '../support/session-ends.ts';

/** Long enough beside a second factor, and too short without one. */
const shortPassword = 'qwzmvbxk';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

function errorOf({ status, body }: ApiResponse): [number, string | undefined] {
  return [status, body.error?.code];
}

describe('a password that is too short without a second factor', () => {
  test('keeps the app when its person removes it, until a longer password replaces it', async () => {
    const { browser } = await signedIn(server, 'viewer');
    await setUpTotp(browser);
    await good(browser.post('/auth/me', { password: shortPassword }));
    const refused = await browser.post('/auth/totp/remove');
    expect(errorOf(refused)).toEqual([400, 'status_transition_invalid']);
    expect(refused.body.error.message).toContain('15 characters');
    await good(browser.post('/auth/me', { password: 'battery horse correct' }));
    await good(browser.post('/auth/totp/remove'));
  });

  test('keeps the last factor when the person has removed one of two kinds', async () => {
    const { browser } = await signedIn(server, 'viewer');
    const device = new Authenticator();
    await device.register(browser.atLocalhost());
    await setUpTotp(browser);
    await good(browser.post('/auth/me', { password: shortPassword }));
    await good(browser.post('/auth/totp/remove'));
    const remove = (): Promise<ApiResponse> => browser.post('/auth/passkeys/remove', { id: device.id });
    expect(errorOf(await remove())).toEqual([400, 'status_transition_invalid']);
    await good(browser.post('/auth/me', { password: goodPassword }));
    await good(remove());
  });

  test('keeps the app when a link has set the password', async () => {
    const boss = await signedIn(server, 'owner');
    const { browser, id } = await signedIn(server, 'viewer');
    const { codes } = await setUpTotp(browser);
    const { url } = (await good(boss.browser.post('/auth/users/reset_link', { user: id }))).body;
    const found = new Browser(server);
    const sent = { token: tokenOf(url), password: shortPassword, code: codes[0] };
    await good(found.post('/auth/links/use', sent));
    await good(found.post('/auth/confirm', { password: shortPassword }));
    expect(errorOf(await found.post('/auth/totp/remove'))).toEqual([400, 'status_transition_invalid']);
  });

  test('ends when an operator removes the second factors', async () => {
    const short = await signedIn(server, 'viewer');
    await setUpTotp(short.browser);
    await good(short.browser.post('/auth/me', { password: shortPassword }));
    const long = await signedIn(server, 'viewer');
    await setUpTotp(long.browser);
    const links: string[] = [];
    for (const { email } of [short, long])
      links.push(await makeLoginLink(server.context, { accountId: null, email, resetsSecondFactor: true }));
    const signIn = ({ email }: SignedIn, password: string): Promise<ApiResponse> =>
      new Browser(server).post('/auth/sign_in', { email, password });
    expect(errorOf(await signIn(short, shortPassword))).toEqual([401, 'sign_in_failed']);
    await good(signIn(long, goodPassword));
    const found = new Browser(server);
    const { body } = await good(found.post('/auth/links/use', { token: tokenOf(links[0]!) }));
    expect(body.session.has_password).toBe(false);
    await good(found.post('/auth/me', { password: goodPassword }));
    await good(signIn(short, goodPassword));
  });
});
