import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newMasterKey } from '../../src/server/config.ts';
import { Authenticator, flags, type Changes } from '../support/authenticator.ts';
import { Browser, goodPassword, makeLink, signedIn, type SignedIn } from '../support/browser.ts';
import { TestClock } from '../support/clock.ts';
import { good, serverForTest, startTestServer, type ApiResponse, type TestServer } from '../support/server.ts';
import { setUpTotp } from '../support/session-ends.ts';

const challengeSeconds = 5 * 60;
const confirmedSeconds = 15 * 60;

let server: TestServer;
/** A second process of the same deployment. */
let second: TestServer;
const clock = new TestClock();

beforeAll(async () => {
  server = await startTestServer({ overrides: { clock } });
  second = await startTestServer({ overrides: { clock }, connection: server.connection });
});
afterAll(async () => {
  await second.stop();
  await server.stop();
});

let addresses = 1;

/** Returns a browser at an address without failures. */
function stranger(at: TestServer = server): Browser {
  return new Browser(at, { address: `127.0.3.${++addresses}` }).atLocalhost();
}

interface Owner extends SignedIn {
  device: Authenticator;
}

/** Returns a person with a passkey. */
async function withPasskey(at: TestServer = server, device = new Authenticator()): Promise<Owner> {
  const person = await signedIn(at, 'admin');
  await device.register(person.browser.atLocalhost());
  return { ...person, device };
}

function errorOf({ status, body }: ApiResponse): [number, string | undefined] {
  return [status, body.error?.code];
}

const failed = [401, 'sign_in_failed'];

/** Returns the settings of an identity provider. Such a server starts without calling it. */
function providerAt(issuer: string): Record<string, string> {
  return { TENURE_OIDC_ISSUER: issuer, TENURE_OIDC_CLIENT_ID: 'tenure', TENURE_OIDC_CLIENT_SECRET: 'a secret' };
}

describe('a sign-in with a passkey', () => {
  test('needs no e-mail address, password or code when the passkey is registered', async () => {
    const { browser: first, email, device } = await withPasskey();
    await setUpTotp(first, clock);
    const browser = stranger();
    const { body } = await good(device.signIn(browser));
    expect(body.user).toMatchObject({ email, second_factor: 'totp', passkeys: 1 });
    expect((await browser.get('/v1/account')).status).toBe(200);
    const { rows } = await server.context.database.readers.query(
      `select factors from sessions where id = '${body.session.id}'`,
    );
    expect(rows).toEqual([{ factors: ['passkey'] }]);
    const [listed] = (await good(browser.get('/auth/passkeys'))).body.data;
    expect(listed).toMatchObject({ object: 'passkey', id: device.id, name: 'Laptop' });
    expect(listed.last_used_at).toBeGreaterThanOrEqual(listed.created);
  });

  test('works when another process made the challenge', async () => {
    const { device } = await withPasskey();
    const { options } = (await good(stranger(second).post('/auth/passkeys/sign_in/begin'))).body;
    const browser = stranger();
    await good(browser.post('/auth/passkeys/sign_in/finish', { passkey: device.assert(browser, options) }));
  });

  test.each<[string, (owner: Owner, other: Owner) => Changes | Promise<Changes>]>([
    ['a challenge of nobody', () => ({ challenge: Buffer.alloc(54, 7).toString('base64url') })],
    ['a challenge of another form', () => ({ challenge: 'abc' })],
    ['a challenge of a registration', async ({ browser }) => challengeOf(browser, 'begin')],
    ['a challenge of a confirmation', async ({ browser }) => challengeOf(browser, 'confirm/begin')],
    ['the origin of another site', () => ({ origin: 'http://localhost.example' })],
    ['the origin of another port', () => ({ origin: 'http://localhost:1' })],
    ['the hash of another host', () => ({ host: '127.0.0.1' })],
    ['no user verification', () => ({ flags: flags.present })],
    ['no presence', () => ({ flags: flags.verified })],
    ['a wrong signature', () => ({ isForged: true })],
    ['the type of a registration', () => ({ type: 'webauthn.create' })],
    ['no user', () => ({ userHandle: null })],
    ['an unknown user', () => ({ userHandle: `acct_${'0'.repeat(22)}.usr_${'0'.repeat(22)}` })],
    ['a user of another form', () => ({ userHandle: "acct_1'.usr_1" })],
    ['another user', (_, other) => ({ userHandle: other.device.userHandle })],
    ['a stolen id', (_, other) => ({ id: other.device.id })],
    ['a stolen id and its user', (_, other) => ({ id: other.device.id, userHandle: other.device.userHandle })],
  ])('gets the same error when it has %s', async (_, change) => {
    const owner = await withPasskey();
    const changes = await change(owner, await withPasskey());
    const browser = stranger();
    const refused = await owner.device.signIn(browser, changes);
    expect(errorOf(refused)).toEqual(failed);
    expect(refused.body.error.message).toMatch(/^The passkey was not accepted\./);
    expect(browser.token).toBeUndefined();
    await good(owner.device.signIn(browser));
  });

  test('is refused when five minutes have passed', async () => {
    clock.stop();
    const { device } = await withPasskey();
    const browser = stranger();
    const late = await beginSignIn(browser);
    const inTime = await beginSignIn(browser);
    clock.advanceSeconds(challengeSeconds - 10);
    await good(finishSignIn(browser, device.assert(browser, inTime)));
    clock.advanceSeconds(11);
    expect(errorOf(await finishSignIn(browser, device.assert(browser, late)))).toEqual(failed);
  });

  test('is refused when its challenge was answered before, in any process', async () => {
    const { device } = await withPasskey();
    const browser = stranger();
    const options = await beginSignIn(browser);
    const sent = device.assert(browser, options);
    await good(finishSignIn(browser, sent));
    for (const at of [server, second]) expect(errorOf(await finishSignIn(stranger(at), sent))).toEqual(failed);
    // A new signature does not help.
    expect(errorOf(await finishSignIn(stranger(), device.assert(browser, options)))).toEqual(failed);
  });

  test('works once when it is sent at once to two processes', async () => {
    const { device } = await withPasskey();
    const browser = stranger();
    const sent = device.assert(browser, await beginSignIn(browser));
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => finishSignIn(stranger(index % 2 === 0 ? server : second), sent)),
    );
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      200, 401, 401, 401, 401, 401,
    ]);
  });

  test('is refused when the counter does not rise', async () => {
    const { device } = await withPasskey(server, new Authenticator({ counter: 5 }));
    await good(device.signIn(stranger()));
    const { counter } = device;
    for (const back of [counter, counter - 1, 0]) {
      const refused = await device.signIn(stranger(), { counter: back });
      expect(errorOf(refused)).toEqual(failed);
    }
    await good(device.signIn(stranger()));
  });

  test('is refused when its passkey is removed, or its user is disabled or deleted', async () => {
    const boss = await signedIn(server, 'owner');
    const [removed, disabled, deleted] = [await withPasskey(), await withPasskey(), await withPasskey()];
    await good(removed.browser.post('/auth/passkeys/remove', { id: removed.device.id }));
    await good(boss.browser.post(`/v1/users/${disabled.id}`, { status: 'disabled' }));
    await good(boss.browser.delete(`/v1/users/${deleted.id}`));
    for (const { device } of [removed, disabled, deleted])
      expect(errorOf(await device.signIn(stranger()))).toEqual(failed);
  });

  test('leaves a log without bodies when it succeeds or fails', async () => {
    const { id, device, browser } = await withPasskey();
    await device.signIn(stranger(), { isForged: true });
    await good(device.signIn(stranger()));
    const { data } = (await good(browser.get(`/v1/logs?user=${id}`))).body;
    expect(data.map(({ path, status }: Record<string, unknown>) => [path, status])).toEqual([
      ['/auth/passkeys/sign_in/finish', 200],
      ['/auth/passkeys/sign_in/finish', 401],
      ['/auth/passkeys/finish', 200],
      ['/auth/passkeys/begin', 200],
    ]);
    for (const { request_body: sent, response_body: got } of data) expect([sent, got]).toEqual([null, null]);
  });

  test('ends at ten failures of an address, and begins store nothing', async () => {
    const { device } = await withPasskey();
    const browser = stranger();
    const before = await rowsOf();
    for (let time = 0; time < 20; time++) await beginSignIn(browser);
    expect(await rowsOf()).toEqual(before);
    const codes: (string | undefined)[] = [];
    for (let time = 0; time < 12; time++)
      codes.push(errorOf(await device.signIn(browser, { userHandle: 'a', isForged: true }))[1]);
    expect(codes).toEqual([...Array<string>(10).fill('sign_in_failed'), 'too_many_attempts', 'too_many_attempts']);
    const after = await rowsOf();
    expect(after).toEqual({ ...before, logs: before.logs! + 10, attempts: before.attempts! + 1 });
    // No other address is locked out.
    await good(device.signIn(stranger()));
  });

  test.each(['id', 'client_data', 'authenticator_data', 'signature', 'user_handle'])(
    'is refused as invalid when %s is too long or no base64url',
    async (member) => {
      const { device } = await withPasskey();
      const browser = stranger();
      const sent = device.assert(browser, await beginSignIn(browser));
      for (const text of ['A'.repeat(3_000), 'a+b=', ''])
        expect(errorOf(await finishSignIn(browser, { ...sent, [member]: text }))).toEqual([400, 'parameter_invalid']);
      expect(errorOf(await finishSignIn(browser, { ...sent, [member]: 'A'.repeat(9_000) }))[0]).toBe(413);
      await good(finishSignIn(browser, sent));
    },
  );

  test('is refused with the way out when the page has an IP address', async () => {
    const { browser } = await signedIn(server, 'owner');
    const port = new URL(server.url).port;
    for (const path of ['sign_in/begin', 'begin', 'confirm/begin']) {
      const refused = await browser.post(`/auth/passkeys/${path}`);
      expect(errorOf(refused)).toEqual([403, 'origin_forbidden']);
      expect(refused.body.error.message).toContain(`http://localhost:${port}/dashboard`);
    }
  });
});

describe('a password or a link', () => {
  test('needs the passkey when it is the only second factor', async () => {
    const { id, email, device } = await withPasskey();
    const token = await makeLink(server, 'sign_in', id);
    expect((await good(stranger().post('/auth/links/read', { token }))).body).toMatchObject({
      code_required: false,
      passkey_required: true,
    });
    for (const [path, body] of [
      ['sign_in', { email, password: goodPassword }],
      ['links/use', { token }],
    ] as const) {
      const { status, body: answer } = await stranger().post(`/auth/${path}`, body);
      expect([status, answer.error?.code, answer.error?.param]).toEqual([401, 'second_factor_required', 'passkey']);
    }
    expect((await good(device.signIn(stranger()))).body.user.second_factor).toBe('passkey');
  });
});

describe('a confirmation by passkey', () => {
  test('counts when the passkey belongs to the person', async () => {
    const { browser, device } = await withPasskey();
    clock.advanceSeconds(confirmedSeconds);
    expect(errorOf(await browser.post('/auth/totp/begin'))).toEqual([403, 'reauthentication_required']);
    const before = browser.token;
    await good(device.confirm(browser));
    expect(browser.token).not.toBe(before);
    await good(browser.post('/auth/totp/begin'));
  });

  test('is refused when its challenge is of a sign-in, of another session or was answered', async () => {
    const { browser, device } = await withPasskey();
    const elsewhere = stranger();
    await good(device.signIn(elsewhere));
    for (const changes of [await challengeOf(browser, 'sign_in/begin'), await challengeOf(elsewhere, 'confirm/begin')])
      expect(errorOf(await device.confirm(browser, changes))).toEqual(failed);
    const { options } = (await good(browser.post('/auth/passkeys/confirm/begin'))).body;
    const passkey = device.assert(browser, options);
    await good(browser.post('/auth/confirm', { passkey }));
    expect(errorOf(await browser.post('/auth/confirm', { passkey }))).toEqual(failed);
  });

  test('is refused when the passkey belongs to another person, or a password comes with it', async () => {
    const { browser, device } = await withPasskey();
    const other = await withPasskey();
    expect(errorOf(await other.device.confirm(browser))).toEqual(failed);
    const { options } = (await good(browser.post('/auth/passkeys/confirm/begin'))).body;
    const both = { passkey: device.assert(browser, options), password: goodPassword };
    expect(errorOf(await browser.post('/auth/confirm', both))).toEqual([400, 'parameters_exclusive']);
  });
});

describe('a registration', () => {
  test('asks for a discoverable passkey with user verification, and excludes the known ones', async () => {
    const { browser, id, device } = await withPasskey();
    const { options } = (await good(browser.post('/auth/passkeys/begin'))).body;
    expect(options).toMatchObject({
      rp: { id: 'localhost', name: 'Tenure' },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: [{ id: device.id, transports: ['internal', 'hybrid'] }],
    });
    const handle = Buffer.from(options.user.id, 'base64url').toString();
    expect(handle).toContain(id);
    expect(handle.length).toBeLessThanOrEqual(64);
  });

  test.each(['registered', 'removed'])('ends the other sessions when a passkey is %s', async (what) => {
    const { browser, device } = await withPasskey();
    const other = stranger();
    await good(device.signIn(other));
    if (what === 'registered') await new Authenticator().register(browser, 'Telephone');
    else await good(browser.post('/auth/passkeys/remove', { id: device.id }));
    expect(errorOf(await other.get('/v1/account'))).toEqual([401, 'session_expired']);
    await good(browser.get('/v1/account'));
  });

  test('needs a confirmation of the last 15 minutes when it begins, ends or is undone', async () => {
    const { browser, device } = await withPasskey();
    const { options } = (await good(browser.post('/auth/passkeys/begin'))).body;
    const passkey = new Authenticator().attest(browser, options);
    clock.advanceSeconds(confirmedSeconds);
    for (const [path, body] of [
      ['begin', {}],
      ['finish', { name: 'Telephone', passkey }],
      ['remove', { id: device.id }],
    ] as const)
      expect(errorOf(await browser.post(`/auth/passkeys/${path}`, body))).toEqual([403, 'reauthentication_required']);
    expect((await good(browser.get('/auth/passkeys'))).body.count).toBe(1);
  });

  test.each<[string, (owner: Owner) => Changes | Promise<Changes>]>([
    ['a challenge of a sign-in', ({ browser }) => challengeOf(browser, 'sign_in/begin')],
    ['a challenge of another person', async () => challengeOf((await withPasskey()).browser, 'begin')],
    ['the origin of another site', () => ({ origin: 'https://localhost' })],
    ['the hash of another host', () => ({ host: 'example.com' })],
    ['no user verification', () => ({ flags: flags.present | flags.hasKey })],
    ['no key', () => ({ flags: flags.present | flags.verified })],
    ['the type of a sign-in', () => ({ type: 'webauthn.get' })],
    ['the id of a known passkey', ({ device }) => ({ id: device.id })],
  ])('is refused when it has %s', async (_, change) => {
    const owner = await withPasskey();
    const { options } = (await good(owner.browser.post('/auth/passkeys/begin'))).body;
    const passkey = new Authenticator().attest(owner.browser, options, await change(owner));
    const refused = await owner.browser.post('/auth/passkeys/finish', { name: 'Telephone', passkey });
    expect([...errorOf(refused), refused.body.error?.param]).toEqual([400, 'parameter_invalid', 'passkey']);
    expect((await good(owner.browser.get('/auth/passkeys'))).body.count).toBe(1);
  });

  test('is refused when its challenge has expired or was answered', async () => {
    const { browser } = await signedIn(server, 'viewer');
    browser.atLocalhost();
    const { options } = (await good(browser.post('/auth/passkeys/begin'))).body;
    const late = (await good(browser.post('/auth/passkeys/begin'))).body.options;
    const finish = (with_: typeof options): Promise<ApiResponse> =>
      browser.post('/auth/passkeys/finish', {
        name: 'Laptop',
        passkey: new Authenticator().attest(browser, with_),
      });
    await good(finish(options));
    expect(errorOf(await finish(options))).toEqual([400, 'parameter_invalid']);
    clock.advanceSeconds(challengeSeconds + 1);
    expect(errorOf(await finish(late))).toEqual([400, 'parameter_invalid']);
  });

  test('reads no certificate when the device sends a statement of its maker', async () => {
    const { browser } = await signedIn(server, 'viewer');
    browser.atLocalhost();
    const { options } = (await good(browser.post('/auth/passkeys/begin'))).body;
    const device = new Authenticator();
    const passkey = device.attest(browser, options);
    const bytes = Buffer.from(passkey.attestation, 'base64url');
    // The name of the format is the second text of the map.
    const attestation = Buffer.from(bytes.toString('latin1').replace('dnone', 'fpacked'), 'latin1').toString(
      'base64url',
    );
    expect(attestation).not.toBe(passkey.attestation);
    // The statement is empty, so that a check of the format would fail.
    await good(browser.post('/auth/passkeys/finish', { name: 'Key', passkey: { ...passkey, attestation } }));
  });

  test('is refused when the person has ten passkeys', async () => {
    const { browser } = await signedIn(server, 'viewer');
    browser.atLocalhost();
    // The last one began before there were ten.
    const { options } = (await good(browser.post('/auth/passkeys/begin'))).body;
    for (let count = 1; count <= 10; count++) await new Authenticator().register(browser, `Key ${count}`);
    const passkey = new Authenticator().attest(browser, options);
    for (const answer of [
      await browser.post('/auth/passkeys/begin'),
      await browser.post('/auth/passkeys/finish', { name: 'Key 11', passkey }),
    ])
      expect(errorOf(answer)).toEqual([400, 'limit_reached']);
    expect((await good(browser.get('/auth/passkeys'))).body.count).toBe(10);
  });

  test('is refused when its name or its bytes are too long', async () => {
    const { browser } = await signedIn(server, 'viewer');
    browser.atLocalhost();
    const { options } = (await good(browser.post('/auth/passkeys/begin'))).body;
    const passkey = new Authenticator().attest(browser, options);
    for (const body of [
      { name: 'a'.repeat(501), passkey },
      { name: 'two\nlines', passkey },
      { name: 'Key', passkey: { ...passkey, attestation: 'A'.repeat(4_097) } },
      { name: 'Key', passkey: { ...passkey, transports: Array(9).fill('usb') } },
      { name: 'Key', passkey: { ...passkey, transports: ['u'.repeat(33)] } },
    ])
      expect(errorOf(await browser.post('/auth/passkeys/finish', body))).toEqual([400, 'parameter_invalid']);
  });
});

describe('the removal of a passkey', () => {
  test('gets 404 when the person has no such passkey', async () => {
    const { browser } = await withPasskey();
    const other = await withPasskey();
    const refused = await browser.post('/auth/passkeys/remove', { id: other.device.id });
    expect(errorOf(refused)).toEqual([404, 'resource_missing']);
    await good(other.device.signIn(stranger()));
  });

  test('is refused when the account requires a second factor and there is no other', async () => {
    const live = await serverForTest({
      overrides: { clock },
      settings: {
        TENURE_MODE: 'live',
        TENURE_ROLE: 'api',
        DATABASE_URL: 'postgres://given.by.the.test/',
        TENURE_MASTER_KEY: newMasterKey(),
      },
    });
    const { browser } = await signedIn(live, 'owner');
    browser.atLocalhost();
    expect(errorOf(await browser.get('/v1/account'))).toEqual([403, 'second_factor_setup_required']);
    const [one, other] = [new Authenticator(), new Authenticator()];
    await one.register(browser);
    await good(browser.get('/v1/account'));
    const remove = ({ id }: Authenticator): Promise<ApiResponse> => browser.post('/auth/passkeys/remove', { id });
    expect(errorOf(await remove(one))).toEqual([400, 'status_transition_invalid']);
    await other.register(browser);
    await good(remove(one));
    expect(errorOf(await remove(other))).toEqual([400, 'status_transition_invalid']);
    await setUpTotp(browser, clock);
    await good(remove(other));
    await good(browser.get('/v1/account'));
  });
});

describe('the last passkey of a person without a password', () => {
  test('stays until the person sets a password', async () => {
    const person = await signedIn(server, 'viewer', { changed: { password_hash: null } });
    const browser = person.browser.atLocalhost();
    const [one, other] = [new Authenticator(), new Authenticator()];
    for (const device of [one, other]) await device.register(browser);
    const remove = ({ id }: Authenticator): Promise<ApiResponse> => browser.post('/auth/passkeys/remove', { id });
    await good(remove(one));
    expect(errorOf(await remove(other))).toEqual([400, 'status_transition_invalid']);
    await good(other.signIn(stranger()));
    await good(browser.post('/auth/me', { password: 'battery horse correct' }));
    await good(remove(other));
  });

  test.each([
    ['stays when the server has no provider for the identity', {}, 400],
    ['stays when the identity is of another provider', providerAt('https://other.example.com'), 400],
    ['is removed when the identity is of the provider', providerAt('https://login.example.com'), 200],
  ])('%s', async (_, settings, status) => {
    const at = await serverForTest({ settings, overrides: { clock } });
    const identity = { identity_issuer: 'https://login.example.com', identity_subject: 'ada', identity_linked_at: 1 };
    const person = await signedIn(at, 'viewer', { changed: { password_hash: null, ...identity } });
    const browser = person.browser.atLocalhost();
    const device = new Authenticator();
    await device.register(browser);
    expect((await browser.post('/auth/passkeys/remove', { id: device.id })).status).toBe(status);
  });
});

describe('a confirmation with a passkey', () => {
  test('is refused with a log of its own when the person has no passkey', async () => {
    const { browser, id } = await signedIn(server, 'admin');
    const answer = await browser.atLocalhost().post('/auth/passkeys/confirm/begin');
    expect(errorOf(answer)).toEqual([400, 'status_transition_invalid']);
    expect(answer.body.error.message).toContain('You have no passkey');
    const { data } = (await good(browser.get(`/v1/logs?user=${id}`))).body;
    expect(data.map(({ path, status }: { path: string; status: number }) => [path, status])).toEqual([
      ['/auth/passkeys/confirm/begin', 400],
    ]);
  });
});

describe('the removal of an authenticator app', () => {
  test('is refused when the account requires a second factor and there is no passkey', async () => {
    const { browser } = await signedIn(await serverForTest({ overrides: { clock } }), 'owner');
    browser.atLocalhost();
    await setUpTotp(browser, clock);
    await good(browser.post('/v1/account', { require_second_factor: true }));
    const remove = (): Promise<ApiResponse> => browser.post('/auth/totp/remove');
    expect(errorOf(await remove())).toEqual([400, 'status_transition_invalid']);
    await new Authenticator().register(browser);
    await good(remove());
    expect((await good(browser.get('/auth/session'))).body.user.second_factor).toBe('passkey');
    await good(browser.get('/v1/account'));
  });

  test('succeeds when the account requires no second factor', async () => {
    const { browser } = await signedIn(server, 'admin');
    await setUpTotp(browser, clock);
    await good(browser.post('/auth/totp/remove'));
    expect((await good(browser.get('/auth/session'))).body.user.second_factor).toBe('none');
  });
});

async function beginSignIn(browser: Browser): Promise<{ challenge: string }> {
  return (await good(browser.post('/auth/passkeys/sign_in/begin'))).body.options;
}

function finishSignIn(browser: Browser, passkey: object): Promise<ApiResponse> {
  return browser.post('/auth/passkeys/sign_in/finish', { passkey });
}

async function challengeOf(browser: Browser, path: string): Promise<{ challenge: string }> {
  return { challenge: (await good(browser.post(`/auth/passkeys/${path}`))).body.options.challenge };
}

/** Returns how many rows a stranger could make. */
async function rowsOf(): Promise<Record<string, number>> {
  const { rows } = await server.context.database.readers.query<Record<string, number>>(`
    select
      (select count(*)::integer from request_logs) as logs,
      (select count(*)::integer from used_challenges) as challenges,
      (select count(*)::integer from sign_in_attempts) as attempts`);
  return rows[0]!;
}
