import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeLoginLink } from '../../src/server/first-account.ts';
import { Authenticator } from '../support/authenticator.ts';
import { Browser, goodPassword, signedIn, tokenOf, type SignedIn } from '../support/browser.ts';
import { good, startTestServer, type ApiResponse, type TestServer } from '../support/server.ts';
import { setUpTotp } from '../support/session-ends.ts';

/** Long enough beside a second factor, and too short without one. */
const shortPassword = 'qwzmvbxk';
const longPassword = 'battery horse correct';

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
    await good(browser.post('/auth/me', { password: longPassword }));
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

/** Stores a wrong length of the password, as an older process leaves it. */
async function misjudge({ id }: SignedIn, isShort: boolean): Promise<void> {
  await server.context.database.writers.query('update users set password_is_short = $1 where id = $2', [isShort, id]);
}

async function storedOf({ id }: SignedIn): Promise<{ password_is_short: boolean; credentials_revision: string }> {
  const { rows } = await server.context.database.readers.query<{
    password_is_short: boolean;
    credentials_revision: string;
  }>('select password_is_short, credentials_revision from users where id = $1', [id]);
  return rows[0]!;
}

/** Returns a person with an app, with this password, and with the wrong length of it. */
async function misjudged(password: string): Promise<SignedIn & { codes: string[] }> {
  const person = await signedIn(server, 'viewer');
  const { codes } = await setUpTotp(person.browser);
  await good(person.browser.post('/auth/me', { password }));
  await misjudge(person, password === longPassword);
  return { ...person, codes };
}

describe('a stored length that an older process left wrong', () => {
  test('is corrected by a sign-in when the password is short, and then keeps the app', async () => {
    const person = await misjudged(shortPassword);
    const before = await storedOf(person);
    const found = new Browser(server);
    const [code] = person.codes;
    await good(found.post('/auth/sign_in', { email: person.email, password: shortPassword, code }));
    expect(await storedOf(person)).toEqual({ ...before, password_is_short: true });
    expect(errorOf(await found.post('/auth/totp/remove'))).toEqual([400, 'status_transition_invalid']);
    // The other session goes on.
    await good(person.browser.get('/v1/account'));
  });

  test('is corrected by a sign-in when the password is long, and then lets the app go', async () => {
    const person = await misjudged(longPassword);
    expect(errorOf(await person.browser.post('/auth/totp/remove'))).toEqual([400, 'status_transition_invalid']);
    const found = new Browser(server);
    const [code] = person.codes;
    await good(found.post('/auth/sign_in', { email: person.email, password: longPassword, code }));
    await good(found.post('/auth/totp/remove'));
  });

  test('is corrected by a confirmation when the person has only a passkey beside the password', async () => {
    const person = await signedIn(server, 'viewer');
    const browser = person.browser.atLocalhost();
    const device = new Authenticator();
    await device.register(browser);
    await good(browser.post('/auth/me', { password: shortPassword }));
    await misjudge(person, false);
    await good(browser.post('/auth/confirm', { password: shortPassword }));
    const removed = await browser.post('/auth/passkeys/remove', { id: device.id });
    expect(errorOf(removed)).toEqual([400, 'status_transition_invalid']);
  });

  test('is not corrected when the password or the code is wrong', async () => {
    const person = await misjudged(shortPassword);
    const send = (body: object): Promise<ApiResponse> =>
      new Browser(server).post('/auth/sign_in', { email: person.email, ...body });
    await send({ password: longPassword, code: person.codes[0] });
    await send({ password: shortPassword, code: 'wrong' });
    await person.browser.post('/auth/confirm', { password: 'aaaaaaaa' });
    expect((await storedOf(person)).password_is_short).toBe(false);
  });

  test('still lets the person sign in when a short password is the only factor', async () => {
    const hash = await server.context.passwords.hash(shortPassword, null);
    const person = await signedIn(server, 'viewer', { changed: { password_hash: hash } });
    const signIn = (): Promise<ApiResponse> =>
      new Browser(server).post('/auth/sign_in', { email: person.email, password: shortPassword });
    await good(signIn());
    expect((await storedOf(person)).password_is_short).toBe(true);
    await good(signIn());
  });
});
