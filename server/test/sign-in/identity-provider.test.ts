import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { SignJWT, UnsecuredJWT, exportSPKI, generateKeyPair, type JWTPayload } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { request } from 'undici';
import { makeRootAccount } from '../../src/server/first-account.ts';
import { Authenticator } from '../support/authenticator.ts';
import { Browser, goodPassword, signedIn } from '../support/browser.ts';
import { TestClock } from '../support/clock.ts';
import { waitingForTables } from '../support/idempotency.ts';
import { clientId, clientSecret, signed, TestIdentityProvider, type Misconduct } from '../support/identity-provider.ts';
import { good, serverForTest, startTestServer, type ApiResponse, type TestServer } from '../support/server.ts';
import { codeOf, setUpTotp } from '../support/session-ends.ts';

type Claims = Record<string, unknown>;

let server: TestServer;
let provider: TestIdentityProvider;
const clock = new TestClock();

beforeAll(async () => {
  provider = await TestIdentityProvider.start();
  server = await startTestServer({ knowsPort: true, settings: provider.settings(), overrides: { clock } });
});
beforeEach(() => {
  provider.misconduct = {};
});
afterAll(async () => {
  await server.stop();
  await provider.stop();
});

let addresses = 1;
let persons = 0;

/** Returns a browser at an address without failures. */
function stranger(at: TestServer = server): Browser {
  return new Browser(at, { address: `127.0.4.${++addresses}` });
}

/** Returns the claims about a new person at the provider. */
function somePerson(email = `person${++persons}@example.com`): Claims {
  return { sub: `subject-${++persons}`, email, email_verified: true, name: 'Ada Lovelace' };
}

async function begin(browser: Browser, body: object = {}): Promise<string> {
  return (await good(browser.post('/auth/identity_provider/begin', body))).body.url;
}

function finish(browser: Browser, response: URLSearchParams | string): Promise<ApiResponse> {
  return browser.post('/auth/identity_provider/finish', { response: String(response) });
}

async function signIn(browser: Browser, claims: Claims): Promise<ApiResponse> {
  return finish(browser, provider.authorize(await begin(browser), claims));
}

function errorOf({ status, body }: ApiResponse): [number, string | undefined] {
  return [status, body.error?.code];
}

const failed = [401, 'sign_in_failed'];

/** Returns the factors of a session, as the database has them. */
async function factorsOf({ body }: ApiResponse): Promise<string[]> {
  const { rows } = await server.context.database.readers.query<{ factors: string[] }>(
    'select factors from sessions where id = $1',
    [body.session.id],
  );
  return rows[0]!.factors;
}

describe('a member', () => {
  test('is found by the verified address in any case, and then by the identity', async () => {
    const { id, email, browser } = await signedIn(server, 'developer');
    const claims = somePerson(email.toUpperCase());
    const first = await good(signIn(stranger(), claims));
    expect(first.body.user).toMatchObject({ id, email, identity: { issuer: provider.issuer } });
    expect(await factorsOf(first)).toEqual(['identity_provider']);
    // The address may change at the provider, or be lost.
    for (const changed of [{ email: 'other@example.com' }, { email: undefined }, { email_verified: false }]) {
      const again = await good(signIn(stranger(), { ...claims, ...changed }));
      expect([again.body.user.id, again.body.user.email]).toEqual([id, email]);
      expect(again.body.user.identity).toEqual(first.body.user.identity);
    }
    // The sign-ins end no other session.
    await good(browser.get('/v1/account'));
  });

  test('gets a new token and ends the old one when the browser has a session', async () => {
    const { email, browser } = await signedIn(server, 'viewer');
    const thief = browser.copy();
    await good(signIn(browser, somePerson(email)));
    expect(browser.token).not.toBe(thief.token);
    await good(browser.get('/v1/account'));
    // The process may use the session from its cache for a moment.
    await expect.poll(async () => errorOf(await thief.get('/v1/account'))).toEqual([401, 'session_expired']);
  });

  test('is told to try again when its identity is linked to another member at this moment', async () => {
    const { writers } = server.context.database;
    let [lost, won]: (ApiResponse | undefined)[] = [];
    // A sign-in that is late finds the identity with the other member. Then two further members try.
    for (let round = 0; round < 20 && !lost; round++) {
      const members = [await signedIn(server, 'developer'), await signedIn(server, 'developer')];
      const claims = members.map(({ email }) => ({ ...somePerson(email), sub: `subject of round ${round}` }));
      const browsers = [stranger(), stranger()];
      const answers = await Promise.all(
        browsers.map(async (browser, index) => provider.authorize(await begin(browser), claims[index]!)),
      );
      const client = await writers.connect();
      await client.query('begin; lock table users in share mode');
      const finished = Promise.all(browsers.map((browser, index) => finish(browser, answers[index]!)));
      await expect.poll(() => waitingForTables(server)).toBe(1);
      // The other sign-in has about as far to go.
      await delay(500);
      await client.query('commit');
      client.release();
      const ended = await finished;
      lost = ended.find(({ status }) => status !== 200);
      won = ended.find(({ status }) => status === 200);
    }
    expect(won!.status).toBe(200);
    expect(errorOf(lost!)).toEqual([503, 'unavailable']);
    expect(lost!.body.error.message).toMatch(/^Another request has just used the same e-mail address or identity\. /);
    expect(lost!.headers.get('retry-after')).toBe('1');
  });

  test('leaves a log without bodies when it signs in or is refused', async () => {
    const { id, email, browser } = await signedIn(server, 'developer');
    const claims = somePerson(email);
    await good(signIn(stranger(), claims));
    await signIn(stranger(), { ...claims, sub: 'another' });
    const { data } = (await good(browser.get(`/v1/logs?user=${id}`))).body;
    expect(data.map(({ path, status }: Record<string, unknown>) => [path, status])).toEqual([
      ['/auth/identity_provider/finish', 401],
      ['/auth/identity_provider/finish', 200],
    ]);
    for (const { request_body: sent, response_body: got } of data) expect([sent, got]).toEqual([null, null]);
    const { data: events } = (await good(browser.get(`/v1/events?object_id=${id}`))).body;
    expect(events[0]).toMatchObject({ type: 'user.updated', request: { actor: { type: 'user', id } } });
    expect(JSON.stringify(events)).not.toContain(claims.sub);
  });

  test('returns to the page where it began when the path is one of the dashboard', async () => {
    const { email } = await signedIn(server, 'viewer');
    const claims = somePerson(email);
    const browser = stranger();
    const response = provider.authorize(await begin(browser, { return_to: '/logs?status=4xx&view=paths' }), claims);
    expect((await good(finish(browser, response))).body.return_to).toBe('/logs?status=4xx&view=paths');
    expect((await good(signIn(stranger(), claims))).body.return_to).toBe('/');
  });

  test.each(['//evil.example', '/\\evil.example', 'https://evil.example', 'evil', '/ /evil', '/\n/evil', '/a\\b', ''])(
    'begins no sign-in when the path to return to is %j',
    async (path) => {
      const refused = await stranger().post('/auth/identity_provider/begin', { return_to: path });
      expect(errorOf(refused)).toEqual([400, 'parameter_invalid']);
    },
  );

  test('is refused when another identity has its address, until it unlinks the first', async () => {
    const { id, email, browser } = await signedIn(server, 'admin');
    const claims = somePerson(email);
    await good(signIn(stranger(), claims));
    const refused = await signIn(stranger(), { ...claims, sub: 'another' });
    expect(errorOf(refused)).toEqual(failed);
    expect(refused.body.error.message).toMatch(/^The member with your e-mail address has another identity/);
    expect((await good(signIn(stranger(), claims))).body.user.id).toBe(id);
    await good(browser.post('/auth/identity_provider/unlink'));
    expect((await good(signIn(stranger(), { ...claims, sub: 'another' }))).body.user.id).toBe(id);
    expect(errorOf(await signIn(stranger(), claims))).toEqual(failed);
  });

  test('is refused when it is disabled, and is a stranger when it is deleted', async () => {
    const boss = await signedIn(server, 'owner');
    const [disabled, deleted] = [await signedIn(server, 'viewer'), await signedIn(server, 'viewer')];
    const claims = [somePerson(disabled.email), somePerson(deleted.email)];
    for (const each of claims) await good(signIn(stranger(), each));
    await good(boss.browser.post(`/v1/users/${disabled.id}`, { status: 'disabled' }));
    await good(boss.browser.delete(`/v1/users/${deleted.id}`));
    for (const each of claims) await expectNoMember(each);
    // The identity is free for a new member.
    await good(boss.browser.post('/v1/invitations', { email: deleted.email, role: 'operator' }));
    expect((await good(signIn(stranger(), claims[1]!))).body.user).toMatchObject({ role: 'operator' });
  });

  test('cannot take the address of another person when a provider proves addresses', async () => {
    const { browser } = await signedIn(server, 'viewer');
    const refused = await browser.post('/auth/me', { email: 'boss@example.com' });
    expect([...errorOf(refused), refused.body.error.param]).toEqual([400, 'status_transition_invalid', 'email']);
    await good(browser.post('/auth/me', { name: 'Ada' }));
  });
});

/** Fails unless the person gets the error of a stranger, which is the same for all addresses. */
async function expectNoMember(claims: Claims): Promise<void> {
  const browser = stranger();
  const refused = await signIn(browser, claims);
  expect(errorOf(refused)).toEqual(failed);
  expect(refused.body.error.message).toBe(
    'Acme Login knows you, but you are no active member of this team. Ask an owner or an admin for an invitation to the address that you have there.',
  );
  expect(browser.token).toBeUndefined();
}

/** Invites the person of these claims. Returns the id of the invitation. */
async function invite(by: Browser, { email }: Claims): Promise<string> {
  return (await good(by.post('/v1/invitations', { email, role: 'viewer' }))).body.id;
}

describe('an invited person', () => {
  test('becomes a member without a password when the address is the invited one', async () => {
    const { browser: inviter } = await signedIn(server, 'owner');
    const claims = somePerson('Grace@Example.com');
    const invited = await good(inviter.post('/v1/invitations', { email: 'grace@example.com', role: 'operator' }));
    const joined = await good(signIn(stranger(), claims));
    expect(joined.body.user).toMatchObject({ email: 'grace@example.com', name: 'Ada Lovelace', role: 'operator' });
    expect(joined.body.session.has_password).toBe(false);
    const { data } = (await good(inviter.get('/v1/invitations'))).body;
    expect(data.find(({ id }: { id: string }) => id === invited.body.id).status).toBe('accepted');
    const { data: events } = (await good(inviter.get(`/v1/events?object_id=${invited.body.id}`))).body;
    expect(events[0]).toMatchObject({ type: 'invitation.accepted', request: { actor: { id: joined.body.user.id } } });
    // The link of the invitation is used, too.
    const token = new URL(invited.body.url).hash.slice(1);
    expect(errorOf(await stranger().post('/auth/links/use', { token, password: goodPassword }))[1]).toBe(
      'link_invalid',
    );
    expect((await good(signIn(stranger(), claims))).body.user.id).toBe(joined.body.user.id);
  });

  test('is a stranger when the invitation has expired, is revoked, or its inviter is gone', async () => {
    const boss = await signedIn(server, 'owner');
    const inviter = await signedIn(server, 'admin');
    const [expired, revoked, orphaned] = [somePerson(), somePerson(), somePerson()];
    await invite(inviter.browser, orphaned);
    await good(boss.browser.delete(`/v1/users/${inviter.id}`));
    await good(boss.browser.delete(`/v1/invitations/${await invite(boss.browser, revoked)}`));
    for (const claims of [revoked, orphaned]) await expectNoMember(claims);
    await invite(boss.browser, expired);
    clock.advanceSeconds(7 * 24 * 3600);
    await expectNoMember(expired);
  });

  test('chooses the account by the link of its invitation when two accounts have invited the person', async () => {
    const { browser: inviter } = await signedIn(server, 'owner');
    const { accountId } = await makeRootAccount(server.context, { name: 'Another tree', owner: null });
    const { browser: other } = await signedIn(server, 'owner', { accountId });
    const claims = somePerson();
    const invited = await good(inviter.post('/v1/invitations', { email: claims.email, role: 'viewer' }));
    const second = await invite(other, claims);
    const refused = await signIn(stranger(), claims);
    expect(errorOf(refused)).toEqual(failed);
    expect(refused.body.error.message).toMatch(/^Several accounts have invited you\. /);
    const token = new URL(invited.body.url).hash.slice(1);
    const joined = await good(stranger().post('/auth/links/use', { token, password: goodPassword }));
    expect((await good(signIn(stranger(), claims))).body.user.id).toBe(joined.body.user.id);
    expect((await good(other.get(`/v1/invitations/${second}`))).body.status).toBe('pending');
  });

  test('becomes one member when two sign-ins end at once', async () => {
    const { browser: inviter } = await signedIn(server, 'owner');
    const claims = somePerson();
    await good(inviter.post('/v1/invitations', { email: claims.email, role: 'viewer' }));
    const browsers = [stranger(), stranger(), stranger()];
    const responses = await Promise.all(
      browsers.map(async (browser) => provider.authorize(await begin(browser), claims)),
    );
    const answers = await Promise.all(browsers.map((browser, index) => finish(browser, responses[index]!)));
    // A sign-in after the first finds the member.
    const joined = answers.filter(({ status }) => status === 200).map(({ body }) => body.user.id);
    expect(new Set(joined).size).toBe(1);
    const { data } = (await good(inviter.get('/v1/users'))).body;
    expect(data.filter(({ email }: { email: string }) => email === claims.email)).toHaveLength(1);
  });
});

describe('a stranger', () => {
  test.each([
    ['an address', { email: 'ada\u0000@example.com' }],
    ['a subject', { sub: 'ada\u0000' }],
  ])('is refused when the token has %s with a control character', async (_, claims) => {
    expect(errorOf(await signIn(stranger(), { ...somePerson(), ...claims }))).toEqual(failed);
  });

  test('learns what to do and nothing about members when it is refused', async () => {
    await expectNoMember(somePerson());
    const { browser } = await signedIn(server, 'owner');
    const { data } = (await good(browser.get('/v1/logs?path=/auth/identity_provider/finish'))).body;
    expect(data[0]).toMatchObject({ status: 401, user_email: null, request_body: null });
  });

  test.each([false, undefined, null, 'true', 1])(
    'gets one error for every address when the provider calls it verified: %j',
    async (isVerified) => {
      const { email } = await signedIn(server, 'viewer');
      for (const address of [email, 'stranger@example.com']) {
        const refused = await signIn(stranger(), { ...somePerson(address), email_verified: isVerified });
        expect(errorOf(refused)).toEqual(failed);
        expect(refused.body.error.message).toMatch(/^Acme Login did not confirm your e-mail address/);
      }
    },
  );

  test('is limited to ten attempts in 15 minutes, but may cancel as often as it likes', async () => {
    const canceling = stranger();
    for (let time = 0; time < 12; time++) {
      const { searchParams } = new URL(await begin(canceling));
      const denied = new URLSearchParams({
        error: 'access_denied',
        error_description: '<b>Call 0900</b>',
        state: searchParams.get('state')!,
        iss: provider.issuer,
      });
      const refused = await finish(canceling, denied);
      expect(errorOf(refused)).toEqual(failed);
      expect(refused.text).not.toContain('Call 0900');
    }
    const browser = stranger();
    const codes: (string | undefined)[] = [];
    for (let time = 0; time < 11; time++) codes.push(errorOf(await signIn(browser, somePerson()))[1]);
    expect(codes).toEqual([...Array<string>(10).fill('sign_in_failed'), 'too_many_attempts']);
  });
});

describe('a second factor', () => {
  test('is asked for when the person has one and the provider tells of none', async () => {
    clock.stop();
    const { email, browser: own } = await signedIn(server, 'admin');
    const { secret } = await setUpTotp(own, clock);
    clock.advanceSeconds(30);
    const claims = { ...somePerson(email), amr: ['pwd'] };
    const browser = stranger();
    const asked = await signIn(browser, claims);
    expect(errorOf(asked)).toEqual([401, 'second_factor_required']);
    expect(browser.token).toBeUndefined();
    const wrong = await browser.post('/auth/identity_provider/finish', { code: '000000' });
    expect(errorOf(wrong)).toEqual(failed);
    // A code without the proof of the provider is nothing.
    const code = codeOf(secret, clock.nowMs());
    expect(errorOf(await stranger().post('/auth/identity_provider/finish', { code }))).toEqual(failed);
    const proof = new Map(browser.cookies);
    const done = await good(browser.post('/auth/identity_provider/finish', { code }));
    expect(await factorsOf(done)).toEqual(['identity_provider', 'totp']);
    // The proof counts once.
    clock.advanceSeconds(30);
    for (const [name, value] of proof) browser.cookies.set(name, value);
    const again = { code: codeOf(secret, clock.nowMs()) };
    expect(errorOf(await browser.post('/auth/identity_provider/finish', again))).toEqual(failed);
  });

  test('ends with ten wrong codes, and with five minutes', async () => {
    const { email, browser: own } = await signedIn(server, 'admin');
    const { secret } = await setUpTotp(own, clock);
    clock.advanceSeconds(30);
    const guesser = stranger();
    const late = stranger();
    for (const browser of [guesser, late]) await signIn(browser, somePersonAs(email));
    const codes: (string | undefined)[] = [];
    for (let time = 0; time < 11; time++)
      codes.push(errorOf(await guesser.post('/auth/identity_provider/finish', { code: '000000' }))[1]);
    expect(codes.at(-1)).toBe('too_many_attempts');
    clock.advanceSeconds(5 * 60);
    const code = codeOf(secret, clock.nowMs());
    expect(errorOf(await late.post('/auth/identity_provider/finish', { code }))).toEqual(failed);
  });

  test.each([
    ['amr', { amr: ['pwd', 'mfa'] }, true],
    ['acr of REFEDS', { acr: 'https://refeds.org/profile/mfa' }, true],
    ['amr of one factor', { amr: ['pwd'] }, false],
    ['amr as a text', { amr: 'mfa' }, false],
    ['an unknown acr', { acr: 'not-mfa' }, false],
  ])('counts as proved, or not, when the token has %s', async (_, more, isEnough) => {
    const { email, browser: own } = await signedIn(server, 'admin');
    await setUpTotp(own, clock);
    const answer = await signIn(stranger(), { ...somePersonAs(email), ...more });
    expect(answer.status).toBe(isEnough ? 200 : 401);
    if (isEnough) expect(await factorsOf(answer)).toEqual(['identity_provider', 'identity_provider_mfa']);
  });

  test('is set up first when the account requires one, unless the provider tells of one', async () => {
    const strict = await serverForTest({ knowsPort: true, settings: provider.settings() });
    const { email } = await signedIn(strict, 'viewer');
    const boss = await signedIn(strict, 'owner');
    await good(boss.browser.post('/v1/account', { require_second_factor: true }));
    const claims = somePerson(email);
    const weak = stranger(strict);
    const weakAnswer = await good(signIn(weak, claims));
    expect(weakAnswer.body.second_factor_setup_required).toBe(true);
    expect(errorOf(await weak.get('/v1/account'))).toEqual([403, 'second_factor_setup_required']);
    const strong = stranger(strict);
    await good(signIn(strong, { ...claims, amr: ['mfa'] }));
    await good(strong.get('/v1/account'));
    // The other session does not profit, and does not end this one.
    expect(errorOf(await weak.get('/v1/account'))).toEqual([403, 'second_factor_setup_required']);
    const unlinked = await weak.post('/auth/identity_provider/unlink');
    expect(errorOf(unlinked)).toEqual([403, 'second_factor_setup_required']);
  });

  test('is the passkey when the person has no app', async () => {
    const { email, browser: own } = await signedIn(server, 'admin');
    await new Authenticator().register(own.atLocalhost());
    const browser = stranger();
    const asked = await signIn(browser, somePerson(email));
    expect([...errorOf(asked), asked.body.error.param]).toEqual([401, 'second_factor_required', 'passkey']);
  });
});

/** Returns the claims of one subject for an address. */
function somePersonAs(email: string): Claims {
  return { ...somePerson(email), sub: `subject of ${email}` };
}

describe('a confirmation', () => {
  test('is as old as the proof of the provider', async () => {
    const { email, browser: own } = await signedIn(server, 'owner');
    const claims = somePerson(email);
    const now = Math.floor(clock.nowMs() / 1000);
    const old = stranger();
    await good(signIn(old, { ...claims, auth_time: now - 16 * 60 }));
    expect(errorOf(await old.post('/auth/totp/begin'))).toEqual([403, 'reauthentication_required']);
    const fresh = new URL(await begin(old, { fresh: true }));
    expect(Object.fromEntries(fresh.searchParams)).toMatchObject({ prompt: 'login', max_age: '0' });
    await good(finish(old, provider.authorize(fresh.href, { ...claims, auth_time: now })));
    await good(old.post('/auth/totp/begin'));
    // A time of the future does not prolong it.
    const early = await good(signIn(stranger(), { ...claims, auth_time: now + 24 * 3600 }));
    expect(early.body.session.confirmed_until).toBeLessThanOrEqual(Math.ceil(clock.nowMs() / 1000) + 15 * 60);
    await good(own.get('/v1/account'));
  });
});

describe('a sign-in at a provider without times of proofs', () => {
  test('confirms nothing unless the provider was asked for a new proof', async () => {
    const { email } = await signedIn(server, 'owner');
    const claims = somePerson(email);
    const browser = stranger();
    const first = await good(signIn(browser, claims));
    expect(first.body.session.confirmed_until).toBeNull();
    expect(errorOf(await browser.post('/auth/totp/begin'))).toEqual([403, 'reauthentication_required']);
    await good(finish(browser, provider.authorize(await begin(browser, { fresh: true }), claims)));
    await good(browser.post('/auth/totp/begin'));
    // A provider where the person is still signed in asks for nothing.
    clock.advanceSeconds(16 * 60);
    await good(signIn(browser, claims));
    expect(errorOf(await browser.post('/auth/totp/begin'))).toEqual([403, 'reauthentication_required']);
  });
});

describe('an unlinked identity', () => {
  test('ends the other sessions, and needs a confirmation', async () => {
    const { email, browser } = await signedIn(server, 'viewer');
    const other = stranger();
    await good(signIn(other, somePerson(email)));
    const unlinked = await good(browser.post('/auth/identity_provider/unlink'));
    expect(unlinked.body.user.identity).toBeNull();
    expect(errorOf(await other.get('/v1/account'))).toEqual([401, 'session_expired']);
    expect(errorOf(await browser.post('/auth/identity_provider/unlink'))).toEqual([400, 'status_transition_invalid']);
    await good(signIn(other, somePerson(email)));
    clock.advanceSeconds(15 * 60);
    expect(errorOf(await browser.post('/auth/identity_provider/unlink'))).toEqual([403, 'reauthentication_required']);
  });

  test('stays when it is the only way to sign in', async () => {
    const { browser: inviter } = await signedIn(server, 'owner');
    const claims = somePerson();
    await good(inviter.post('/v1/invitations', { email: claims.email, role: 'viewer' }));
    const browser = stranger();
    await good(finish(browser, provider.authorize(await begin(browser, { fresh: true }), claims)));
    expect(errorOf(await browser.post('/auth/identity_provider/unlink'))).toEqual([400, 'status_transition_invalid']);
    await good(browser.post('/auth/me', { password: 'battery horse correct' }));
    await good(browser.post('/auth/identity_provider/unlink'));
  });
});

/** Changes some claims of each token. */
function claiming(changed: Claims): Misconduct {
  return { claims: (claims) => ({ ...claims, ...changed }) };
}

describe('a token', () => {
  const now = Math.floor(Date.now() / 1000);
  test.each<[string, Misconduct]>([
    ['another issuer', claiming({ iss: 'https://evil.example' })],
    ['no issuer', claiming({ iss: undefined })],
    ['another audience', claiming({ aud: 'another-client' })],
    ['several audiences and another party', claiming({ aud: [clientId, 'other'], azp: 'other' })],
    ['the nonce of another sign-in', claiming({ nonce: 'A'.repeat(43) })],
    ['no nonce', claiming({ nonce: undefined })],
    ['expired', claiming({ exp: now - 60, iat: now - 600 })],
    ['no end', claiming({ exp: undefined })],
    ['no time of issue', claiming({ iat: undefined })],
    ['a start in the future', claiming({ nbf: now + 3600 })],
    ['no subject', claiming({ sub: undefined })],
    ['an empty subject', claiming({ sub: '' })],
    ['a subject that is too long', claiming({ sub: 's'.repeat(256) })],
    ['no signature (alg none)', { sign: async (claims) => new UnsecuredJWT(claims).encode() }],
    ['the public key as a secret (HS256)', { sign: byPublicKey }],
    ['the secret of the client as a key (HS256)', { sign: async (claims) => bySecret(claims, clientSecret) }],
    ['the signature of another key', { sign: byAnotherKey('one') }],
    ['an unknown key', { sign: byAnotherKey('two') }],
    ['other claims than it signs', { sign: tampered }],
    ['no token', { sign: () => null }],
    ['another subject at the endpoint for claims', { ...claiming({ email: undefined }), userInfo: { sub: 'other' } }],
  ])('is refused when it has %s', async (_, misconduct) => {
    const { email } = await signedIn(server, 'owner');
    const description = { id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'] };
    provider.misconduct = { description, ...misconduct };
    // The server reads the description of the provider once an hour.
    clock.advanceSeconds(3600);
    const browser = stranger();
    const claims = somePerson(email);
    expect(errorOf(await signIn(browser, claims))).toEqual(failed);
    expect(browser.token).toBeUndefined();
    provider.misconduct = {};
    await good(signIn(browser, claims));
  });

  test('may leave the address to the endpoint for claims', async () => {
    const { email, id } = await signedIn(server, 'owner');
    const claims = somePerson(email);
    provider.misconduct = {
      claims: ({ sub, iss, aud, iat, exp, nonce }) => ({ sub, iss, aud, iat, exp, nonce }),
      userInfo: claims,
    } as Misconduct;
    expect((await good(signIn(stranger(), claims))).body.user.id).toBe(id);
  });
});

async function byPublicKey(claims: JWTPayload, { keys }: TestIdentityProvider): Promise<string> {
  return bySecret(claims, await exportSPKI(keys.publicKey));
}

function bySecret(claims: JWTPayload, secret: string): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'one' }).sign(new TextEncoder().encode(secret));
}

function byAnotherKey(kid: string) {
  return async (claims: JWTPayload): Promise<string> => {
    const { privateKey } = await generateKeyPair('RS256');
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(privateKey);
  };
}

async function tampered(claims: JWTPayload, from: TestIdentityProvider): Promise<string> {
  const [head, , signature] = (await signed({ ...claims, sub: 'innocent' }, from)).split('.');
  return [head, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.');
}

describe('a response', () => {
  test.each<[string, (response: URLSearchParams) => void]>([
    ['another state', (response) => response.set('state', 'A'.repeat(43))],
    ['no state', (response) => response.delete('state')],
    ['two states', (response) => response.append('state', response.get('state')!)],
    ['another issuer', (response) => response.set('iss', 'https://evil.example')],
    ['no issuer, which the provider promises', (response) => response.delete('iss')],
    ['another code', (response) => response.set('code', 'guessed')],
    ['no code', (response) => response.delete('code')],
    ['a token in its place', (response) => response.set('response', 'eyJhbGciOiJub25lIn0.e30.')],
  ])('is refused when it has %s', async (_, change) => {
    const { email } = await signedIn(server, 'owner');
    const browser = stranger();
    const response = provider.authorize(await begin(browser), somePerson(email));
    change(response);
    expect(errorOf(await finish(browser, response))).toEqual(failed);
    expect(browser.token).toBeUndefined();
  });

  test('is refused when it belongs to another browser, or the cookie is missing, changed or ten minutes old', async () => {
    const { email } = await signedIn(server, 'owner');
    const [attacker, victim, late] = [stranger(), stranger(), stranger()];
    const response = provider.authorize(await begin(attacker), somePerson(email));
    // A link with the attacker's response does not sign the victim in as the attacker.
    expect(errorOf(await finish(victim, response))).toEqual(failed);
    const inVictim = new URL(await begin(victim));
    expect(errorOf(await finish(victim, response))).toEqual(failed);
    // A code of another sign-in does not fit the verifier, even with the right state.
    await begin(victim);
    const mixed = new URLSearchParams({
      code: response.get('code')!,
      state: inVictim.searchParams.get('state')!,
      iss: provider.issuer,
    });
    expect(errorOf(await finish(victim, mixed))).toEqual(failed);
    const lateResponse = provider.authorize(await begin(late), somePerson(email));
    const [name, value] = [...late.cookies].find(([each]) => each.endsWith('_identity'))!;
    late.cookies.set(name, value.slice(0, -6) + 'AAAAAA');
    expect(errorOf(await finish(late, lateResponse))).toEqual(failed);
    late.cookies.set(name, value);
    clock.advanceSeconds(10 * 60);
    expect(errorOf(await finish(late, lateResponse))).toEqual(failed);
  });

  test('counts once when it is sent again, or at once, although the provider takes the code again', async () => {
    const { email } = await signedIn(server, 'owner');
    provider.misconduct = { acceptsAgain: true };
    const browser = stranger();
    const response = provider.authorize(await begin(browser), somePerson(email));
    const cookies = new Map(browser.cookies);
    const copies = Array.from({ length: 4 }, () => {
      const copy = stranger();
      for (const [name, value] of cookies) copy.cookies.set(name, value);
      return copy;
    });
    const answers = await Promise.all(copies.map((copy) => finish(copy, response)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const [name, value] of cookies) browser.cookies.set(name, value);
    expect(errorOf(await finish(browser, response))).toEqual(failed);
  });

  test('carries no verifier, and its cookie is for no script and no other site', async () => {
    const browser = stranger();
    const begun = await good(browser.post('/auth/identity_provider/begin'));
    const [cookie, ...others] = begun.headers.getSetCookie();
    expect(others).toEqual([]);
    expect(cookie).toMatch(/^tenure_\d+_identity=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Strict$/);
    const { searchParams } = new URL(begun.body.url);
    expect([...searchParams.keys()].toSorted()).toEqual([
      'client_id',
      'code_challenge',
      'code_challenge_method',
      'nonce',
      'redirect_uri',
      'response_type',
      'scope',
      'state',
    ]);
    expect(searchParams.get('redirect_uri')).toBe(`${server.url}/dashboard/identity-provider`);
    const other = new URL(await begin(stranger())).searchParams;
    for (const name of ['state', 'nonce', 'code_challenge']) expect(other.get(name)).not.toBe(searchParams.get(name));
  });
});

describe('a page at another address', () => {
  test('begins no sign-in, because the provider sends the browser back to the public address', async () => {
    const refused = await stranger().atLocalhost().post('/auth/identity_provider/begin');
    expect(errorOf(refused)).toEqual([403, 'origin_forbidden']);
    expect(refused.body.error.message).toContain(`${server.url}/dashboard`);
  });

  test('gets a cookie of its host only when it has https', async () => {
    const settings = { ...provider.settings(), TENURE_PUBLIC_URL: 'https://lettings.example/tenure' };
    const secure = await serverForTest({ settings });
    const begun = await request(`${secure.url}/auth/identity_provider/begin`, {
      method: 'POST',
      headers: { host: 'lettings.example', origin: 'https://lettings.example', 'service-client': 'dashboard' },
    });
    const { url } = (await begun.body.json()) as { url: string };
    expect(begun.headers['set-cookie']).toMatch(
      /^__Host-tenure_identity=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Strict; Secure$/,
    );
    expect(new URL(url).searchParams.get('redirect_uri')).toBe(
      'https://lettings.example/tenure/dashboard/identity-provider',
    );
  });
});

/** More than a server reads of a provider, in characters. */
const padding = 'a'.repeat(600 * 1024);

describe('a provider', () => {
  const unavailable = [503, 'identity_provider_unavailable'];

  test('may be away when the server starts, and is asked again later', async () => {
    clock.stop();
    const away = await TestIdentityProvider.start();
    await away.stop();
    const at = await serverForTest({ knowsPort: true, settings: away.settings(), overrides: { clock } });
    const { email } = await signedIn(at, 'owner');
    const browser = stranger(at);
    expect((await good(browser.get('/auth/session'))).body.identity_provider).toEqual({ name: 'Acme Login' });
    expect(errorOf(await browser.post('/auth/identity_provider/begin'))).toEqual(unavailable);
    await good(browser.post('/auth/sign_in', { email, password: goodPassword }));
    const back = await TestIdentityProvider.start(Number(new URL(away.issuer).port));
    try {
      // A failure counts for some seconds, so that clicks do not flood a provider in trouble.
      expect(errorOf(await browser.post('/auth/identity_provider/begin'))).toEqual(unavailable);
      clock.advanceSeconds(6);
      const response = back.authorize(await begin(browser), somePerson(email));
      await good(finish(browser, response));
    } finally {
      await back.stop();
    }
  });

  test.each<[string, Misconduct]>([
    ['names another issuer', { description: { issuer: 'https://evil.example' } }],
    ['has an address without https', { description: { authorization_endpoint: 'http://192.0.2.1/authorize' } }],
    ['has a script as address', { description: { authorization_endpoint: 'javascript:alert(1)' } }],
    ['names itself with one more slash', { description: { slash: true } }],
    ['sends a description without measure', { description: { padding } }],
    ['leads elsewhere', { respond: { '/.well-known/openid-configuration': elsewhere } }],
    ['sends no JSON', { respond: { '/.well-known/openid-configuration': (response) => response.end('<html>') } }],
  ])('begins nothing when it %s', async (_, misconduct) => {
    provider.misconduct = misconduct.description?.slash
      ? { description: { issuer: `${provider.issuer}/` } }
      : misconduct;
    clock.advanceSeconds(3600);
    expect(errorOf(await stranger().post('/auth/identity_provider/begin'))).toEqual(unavailable);
    provider.misconduct = {};
    clock.advanceSeconds(3600);
    await begin(stranger());
  });

  test.each<[string, Misconduct]>([
    ['sends a token without measure', claiming({ padding })],
    ['leads the secret elsewhere', { respond: { '/token': elsewhere } }],
    ['breaks the connection', { respond: { '/token': (response) => response.destroy() } }],
    ['has no keys', { respond: { '/jwks': (response) => response.writeHead(500).end() } }],
  ])('signs no person in when it %s', async (_, misconduct) => {
    const { email } = await signedIn(server, 'owner');
    clock.advanceSeconds(3600);
    const browser = stranger();
    const response = provider.authorize(await begin(browser), somePerson(email));
    provider.misconduct = misconduct;
    const { status } = await finish(browser, response);
    expect([401, 503]).toContain(status);
    expect(browser.token).toBeUndefined();
  });

  test('is unknown to a server without its settings', async () => {
    const plain = await serverForTest();
    expect((await good(new Browser(plain).get('/auth/session'))).body.identity_provider).toBeNull();
    for (const path of ['begin', 'finish'])
      expect(errorOf(await new Browser(plain).post(`/auth/identity_provider/${path}`))).toEqual([
        404,
        'resource_missing',
      ]);
  });
});

function elsewhere(response: ServerResponse): void {
  response.writeHead(307, { location: `${provider.issuer}/elsewhere` }).end();
}
