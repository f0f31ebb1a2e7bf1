import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Passwords } from '../../src/sign-in/passwords.ts';
import { serverForTest, startTestServer, good, type TestServer } from '../support/server.ts';
import { Browser, goodPassword, signedIn, type SignedIn } from '../support/browser.ts';
import { addAccount } from '../support/tenants.ts';
import { sessionEnds } from '../support/session-ends.ts';

let server: TestServer;
let owner: SignedIn;

beforeAll(async () => {
  server = await startTestServer();
  owner = await signedIn(server, 'owner');
});
afterAll(() => server.stop());

describe('an old token', () => {
  test.each(sessionEnds)('is refused when its person $name', async ({ act, endsOthers }) => {
    const person = await signedIn(server, 'developer');
    const other = new Browser(server);
    await good(other.post('/auth/sign_in', { email: person.email, password: goodPassword }));
    const thief = person.browser.copy();
    await good(thief.get('/v1/account'));
    await act(server, person, owner);
    await expectEnded(thief);
    if (endsOthers) await expectEnded(other);
  });

  test.each(['role', 'status', 'password', 'token'])(
    'gets no new token when its %s changes while a slow change runs',
    async (what) => {
      let meanwhile = nothing;
      const raced = await serverForTest({
        changeContext(context) {
          const passwords = new Passwords(context.randomBytes);
          const slow = passwords.hash.bind(passwords);
          passwords.hash = async (...parameters) => (await meanwhile(), slow(...parameters));
          return { ...context, passwords };
        },
      });
      const boss = await signedIn(raced, 'owner');
      const person = await signedIn(raced, 'developer');
      const thief = person.browser.copy();
      const changes: Record<string, () => Promise<unknown>> = {
        role: () => good(boss.browser.post(`/v1/users/${person.id}`, { role: 'admin' })),
        status: async () => {
          await good(boss.browser.post(`/v1/users/${person.id}`, { status: 'disabled' }));
          await good(boss.browser.post(`/v1/users/${person.id}`, { status: 'active' }));
        },
        password: () => good(person.browser.post('/auth/me', { password: 'battery horse correct' })),
        token: () => good(person.browser.post('/auth/confirm', { password: goodPassword })),
      };
      meanwhile = () => {
        meanwhile = nothing;
        return changes[what]!();
      };
      const late = await thief.post('/auth/me', { password: 'the new one of the thief' });
      expect([late.status, late.body.error?.code]).toEqual([401, 'session_expired']);
      await expectEnded(thief);
    },
  );
});

describe('the cookie', () => {
  test('is replaced when it was set before the sign-in', async () => {
    const { email } = await signedIn(server, 'viewer');
    const browser = new Browser(server);
    const name = `tenure_${new URL(server.url).port}`;
    const planted = 'A'.repeat(43);
    browser.cookies.set(name, planted);
    await good(browser.post('/auth/sign_in', { email, password: goodPassword }));
    expect(browser.cookies.get(name)).not.toBe(planted);
    const victim = new Browser(server);
    victim.cookies.set(name, planted);
    expect((await victim.get('/auth/session')).body.user).toBeNull();
  });

  test('is ignored when two of its name have different values', async () => {
    const { browser } = await signedIn(server, 'viewer');
    const attacker = await signedIn(server, 'viewer');
    const name = `tenure_${new URL(server.url).port}`;
    for (const order of [
      [browser.token, attacker.browser.token],
      [attacker.browser.token, browser.token],
      ['', browser.token],
    ]) {
      const cookie = order.map((token) => `${name}=${token}`).join('; ');
      const answer = await new Browser(server).get('/v1/account', { cookie });
      expect([answer.status, answer.body.error.code]).toEqual([401, 'session_expired']);
    }
    await good(new Browser(server).get('/v1/account', { cookie: `${name}=${browser.token}; other=1` }));
  });

  test.each(['', 'x', 'A'.repeat(42), 'A'.repeat(44), `${'A'.repeat(42)}.`, '%41'.repeat(43), '"'])(
    'is refused when its value is %s',
    async (value) => {
      const browser = new Browser(server);
      browser.cookies.set(`tenure_${new URL(server.url).port}`, value);
      expect((await browser.get('/v1/account')).body.error.code).toBe('session_expired');
    },
  );

  test('is for no script and no other site when a session begins', async () => {
    const { email } = await signedIn(server, 'viewer');
    const signIn = await good(new Browser(server).post('/auth/sign_in', { email, password: goodPassword }));
    const cookies = signIn.headers.getSetCookie();
    expect(cookies).toHaveLength(2);
    for (const cookie of cookies)
      expect(cookie).toMatch(/^tenure_\d+(_browser)?=[\w.-]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/);
    expect(signIn.text).not.toContain(/=([^;]+)/.exec(cookies[0]!)![1]);
  });
});

describe('a session of another', () => {
  test('is neither shown nor ended when a person names it', async () => {
    const { accountId } = await addAccount(server);
    const foreign = await signedIn(server, 'owner', { accountId });
    const colleague = await signedIn(server, 'viewer');
    const person = await signedIn(server, 'owner');
    for (const { browser } of [foreign, colleague]) {
      const [own] = (await good(browser.get('/auth/sessions'))).body.data;
      const listed = (await good(person.browser.post('/auth/sessions/end', { id: own.id }))).body;
      expect(listed.data.map(({ id }: { id: string }) => id)).not.toContain(own.id);
      expect(listed.count).toBe(1);
      await good(browser.get('/v1/account'));
    }
    for (const path of ['/auth/users/end_sessions', '/auth/users/reset_link']) {
      const refused = await person.browser.post(path, { user: foreign.id });
      expect([refused.status, refused.body.error.code]).toEqual([404, 'resource_missing']);
    }
    await good(foreign.browser.get('/v1/account'));
  });

  test('belongs to a connected account when its user does', async () => {
    const { body: connected } = await good(server.api.post('/v1/accounts', { name: 'Connected' }));
    const { browser, email } = await signedIn(server, 'owner', { accountId: connected.id });
    expect((await good(browser.get('/v1/account'))).body.id).toBe(connected.id);
    const again = new Browser(server);
    await good(again.post('/auth/sign_in', { email, password: goodPassword }));
    expect((await good(again.get('/v1/account'))).body.id).toBe(connected.id);
    const above = await again.get('/v1/account', { 'service-context': owner.id.replace('usr', 'acct') });
    expect(above.body.error.code).toBe('account_invalid');
  });
});

async function nothing(): Promise<unknown> {
  return null;
}

async function expectEnded(browser: Browser): Promise<void> {
  // A process may use a cached session for 20 ms here.
  await new Promise((resolve) => setTimeout(resolve, 25));
  const answers = [await browser.get('/v1/account'), await browser.get('/auth/sessions')];
  expect(answers.map(({ status, body }) => [status, body.error?.code])).toEqual(
    answers.map(() => [401, 'session_expired']),
  );
  expect((await browser.get('/auth/session')).body.user).toBeNull();
}
