import { TOTP, Secret } from 'otpauth';
import { Authenticator } from './authenticator.ts';
import { good, type TestServer } from './server.ts';
import { goodPassword, makeLink, type SignedIn } from './browser.ts';

/** A way in which the token of a session ends. */
export interface SessionEnd {
  name: string;
  /** The person acts in a browser that it is signed in with. An owner may act on the person. */
  act(server: TestServer, person: SignedIn, owner: SignedIn): Promise<void>;
  /** Other sessions of the person end, too. */
  endsOthers?: true;
}

/** All ways in which a token ends before its time. */
export const sessionEnds: readonly SessionEnd[] = [
  {
    name: 'signs in again',
    async act(_, { browser, email }) {
      await good(browser.post('/auth/sign_in', { email, password: goodPassword }));
    },
  },
  {
    name: 'signs in as another person',
    async act(_, { browser }, owner) {
      await good(browser.post('/auth/sign_in', { email: owner.email, password: goodPassword }));
    },
  },
  {
    name: 'uses a link',
    async act(server, { browser, id }) {
      await good(browser.post('/auth/links/use', { token: await makeLink(server, 'sign_in', id) }));
    },
  },
  {
    name: 'confirms',
    async act(_, { browser }) {
      await good(browser.post('/auth/confirm', { password: goodPassword }));
    },
  },
  {
    name: 'changes the password',
    endsOthers: true,
    async act(_, { browser }) {
      await good(browser.post('/auth/me', { password: 'battery horse correct' }));
    },
  },
  {
    name: 'resets the password elsewhere',
    endsOthers: true,
    async act(server, { browser, id }) {
      const token = await makeLink(server, 'password_reset', id);
      const elsewhere = browser.copy();
      elsewhere.cookies.clear();
      await good(elsewhere.post('/auth/links/use', { token, password: 'battery horse correct' }));
    },
  },
  {
    name: 'sets up an authenticator app',
    endsOthers: true,
    async act(_, { browser }) {
      await setUpTotp(browser);
    },
  },
  {
    name: 'removes the authenticator app',
    endsOthers: true,
    async act(_, { browser }) {
      await good(browser.post('/auth/totp/remove'));
    },
  },
  {
    name: 'adds a passkey',
    endsOthers: true,
    async act(_, { browser }) {
      await new Authenticator().register(browser.atLocalhost());
    },
  },
  {
    name: 'signs out',
    async act(_, { browser }) {
      await good(browser.post('/auth/sign_out'));
    },
  },
  {
    name: 'ends the sessions of the other browsers',
    async act(_, { browser, email }) {
      const other = browser.copy();
      other.cookies.clear();
      await good(other.post('/auth/sign_in', { email, password: goodPassword }));
      await good(other.post('/auth/sessions/end', { others: true }));
    },
  },
  {
    name: 'gets another role',
    endsOthers: true,
    async act(_, { id }, owner) {
      await good(owner.browser.post(`/v1/users/${id}`, { role: 'viewer' }));
    },
  },
  {
    name: 'is disabled',
    endsOthers: true,
    async act(_, { id }, owner) {
      await good(owner.browser.post(`/v1/users/${id}`, { status: 'disabled' }));
    },
  },
  {
    name: 'is deleted',
    endsOthers: true,
    async act(_, { id }, owner) {
      await good(owner.browser.delete(`/v1/users/${id}`));
    },
  },
  {
    name: 'has the sessions ended by an owner',
    endsOthers: true,
    async act(_, { id }, owner) {
      await good(owner.browser.post('/auth/users/end_sessions', { user: id }));
    },
  },
];

/** Sets up an authenticator app. Returns its secret, the code that this used, and the recovery codes. */
export async function setUpTotp(
  browser: SignedIn['browser'],
  clock: { nowMs(): number } = { nowMs: Date.now },
): Promise<{ secret: string; code: string; codes: string[] }> {
  const { secret } = (await good(browser.post('/auth/totp/begin'))).body;
  const code = codeOf(secret, clock.nowMs());
  const { codes } = (await good(browser.post('/auth/totp/finish', { code }))).body;
  return { secret, code, codes };
}

/** Returns the code of an authenticator app at a time. */
export function codeOf(secret: string, atMs = Date.now()): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: atMs });
}
