import { Secret, TOTP } from 'otpauth';
import { Agent, fetch as fetchFrom } from 'undici';
import { expect } from 'vitest';
import { oldestAccountId } from '../../src/sign-in/users.ts';
import { newLink } from '../../src/sign-in/links.ts';
import { Passwords } from '../../src/sign-in/passwords.ts';
import { newSession, realSecondsOf } from '../../src/sign-in/sessions.ts';
import { newRecord } from '../../src/model/change.ts';
import { session } from '../../src/resources/people/session.ts';
import { user, type UserRecord } from '../../src/resources/people/user.ts';
import type { LinkPurpose } from '../../src/resources/people/one-time-link.ts';
import type { Role } from '../../src/model/callers/roles.ts';
import type { Id } from '../../src/core/ids.ts';
import type { ApiResponse, TestServer } from './server.ts';

/** A password that no rule refuses. */
export const goodPassword = 'correct horse battery';

/** A browser with a page of the dashboard. It keeps cookies, and sends the headers of such a page. */
export class Browser {
  url: string;
  readonly cookies = new Map<string, string>();
  /** Headers to send besides, or in place of the usual ones. */
  headers: Record<string, string> = {};
  readonly #agent: Agent | undefined;

  /** @param address that the requests come from, such as `127.0.0.2`. */
  constructor({ url }: { url: string }, { address }: { address?: string } = {}) {
    this.url = url;
    if (address !== undefined) this.#agent = new Agent({ localAddress: address, connect: { family: 4 } });
  }

  /** Returns a browser with the same cookies, at this process of the deployment or another one. */
  copy({ url }: { url: string } = this): Browser {
    const copied = new Browser({ url });
    for (const [name, value] of this.cookies) copied.cookies.set(cookieNameAt(url, name), value);
    return copied;
  }

  /** Opens the same server by its host name, because passkeys know no IP addresses. The cookies stay. */
  atLocalhost(): this {
    this.url = this.url.replace('127.0.0.1', 'localhost');
    return this;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<ApiResponse> {
    return this.send('GET', path, undefined, headers);
  }

  post(path: string, body: unknown = {}, headers: Record<string, string> = {}): Promise<ApiResponse> {
    return this.send('POST', path, body, headers);
  }

  delete(path: string, headers: Record<string, string> = {}): Promise<ApiResponse> {
    return this.send('DELETE', path, undefined, headers);
  }

  async send(method: string, path: string, body: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetchFrom(this.url + path, {
      method,
      ...(this.#agent && { dispatcher: this.#agent }),
      headers: {
        'service-client': 'dashboard',
        ...(cookie !== '' && { cookie }),
        ...(method !== 'GET' && { origin: this.url }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...this.headers,
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    for (const set of response.headers.getSetCookie()) this.#keep(set);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return {
      status: response.status,
      headers: new Headers([...response.headers]),
      text,
      body: isJson && text !== '' ? JSON.parse(text) : null,
    };
  }

  #keep(set: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
    if (/max-age=0/i.test(set)) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }

  /** The token of the session's cookie. */
  get token(): string | undefined {
    return [...this.cookies].find(([name]) => !/_(browser|identity)$/.test(name))?.[1];
  }
}

/** Returns the code that an authenticator app shows. */
export function codeOf(secret: string, nowMs: number): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: nowMs });
}

/** Returns the name that a cookie has at another port of this machine. */
function cookieNameAt(url: string, name: string): string {
  return name.replace(/^tenure_\d+/, `tenure_${new URL(url).port}`);
}

/** A user that a test has written. */
export interface SignedIn {
  browser: Browser;
  id: Id<'usr'>;
  email: string;
}

let hashOfGoodPassword: Promise<string> | null = null;

/**
 * Writes a user with a session, without a request. All such users share one hash of the good password, so they cost no time.
 *
 * @param options.accountId by default the first account.
 */
export async function signedIn(
  server: TestServer,
  role: Role,
  options: { accountId?: string; changed?: Partial<UserRecord> } = {},
): Promise<SignedIn> {
  const { context } = server;
  const { ids, randomBytes, config } = context;
  hashOfGoodPassword ??= new Passwords(randomBytes).hash(goodPassword, null);
  const accountId = options.accountId ?? (await oldestAccountId(context.reader))!;
  const id = ids.make('usr');
  const record: UserRecord = {
    ...newRecord(id, accountId),
    email: `${id.slice(4).toLowerCase()}@example.com`,
    name: null,
    role,
    status: 'active',
    password_hash: await hashOfGoodPassword,
    password_is_short: false,
    totp_secret: null,
    totp_pending: null,
    totp_step: null,
    recovery_codes: [],
    passkeys: [],
    identity_issuer: null,
    identity_subject: null,
    identity_linked_at: null,
    credentials_revision: 1,
    last_signed_in_at: null,
    ...options.changed,
  };
  const made = newSession({ ids, mode: config.mode, realSeconds: realSecondsOf(context), randomBytes }, record, {
    factors: ['password'],
    ipAddress: null,
    userAgent: null,
  });
  await context.committer.commitAsSystem({
    accountId,
    locks: [],
    decide: async () => ({
      changes: [
        { resource: user, before: null, after: record },
        { resource: session, before: null, after: made.record },
      ],
    }),
  });
  const browser = new Browser(server);
  browser.cookies.set(`tenure_${new URL(server.url).port}`, made.token);
  return { browser, id, email: record.email };
}

/** Makes a one-time link, as the server's commands do. Returns its token. */
export async function makeLink(
  { context }: TestServer,
  purpose: LinkPurpose,
  userId: Id | null = null,
): Promise<string> {
  const accountId = (await oldestAccountId(context.reader))!;
  const of = userId === null ? null : await context.readRecord(user, accountId, userId);
  const { url, change } = newLink(
    { ...context, realSeconds: realSecondsOf(context) },
    { accountId, purpose, user: of, madeBy: null },
  );
  await context.committer.commitAsSystem({ accountId, locks: [], decide: async () => ({ changes: [change] }) });
  return tokenOf(url);
}

/** Returns the token in the URL of a link. */
export function tokenOf(url: string): string {
  return new URL(url).hash.slice(1);
}

/** Makes the first owner of a server, and returns the browser in which that person is signed in. */
export async function firstOwner(server: TestServer, email = 'ada@example.com'): Promise<Browser> {
  const browser = new Browser(server);
  const used = await browser.post('/auth/links/use', {
    token: await makeLink(server, 'first_owner'),
    email,
    password: goodPassword,
  });
  expect(used.status, used.text).toBe(200);
  return browser;
}

/** Invites a person by the browser of another, and returns the browser in which the invited person is signed in. */
export async function member(server: TestServer, inviter: Browser, role: Role, email: string): Promise<Browser> {
  const invited = await inviter.post('/v1/invitations', { email, role });
  expect(invited.status, invited.text).toBe(200);
  const browser = new Browser(server);
  const used = await browser.post('/auth/links/use', { token: tokenOf(invited.body.url), password: goodPassword });
  expect(used.status, used.text).toBe(200);
  return browser;
}
