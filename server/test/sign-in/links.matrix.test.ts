import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashOfRecoveryCode, newTotpSecret, stepOfCode } from '../../src/sign-in/totp.ts';
import type { Reader } from '../../src/db/reader.ts';
import { good, serverForTest, startTestServer, type ApiResponse, type TestServer } from '../support/server.ts';
import { Browser, goodPassword, makeLink, signedIn, tokenOf, type SignedIn } from '../support/browser.ts';
import { TestClock } from '../support/clock.ts';
import { codeOf, setUpTotp } from '../support/session-ends.ts';

let server: TestServer;
/** A second process of the same deployment. */
let second: TestServer;
let owner: SignedIn;
const clock = new TestClock();

beforeAll(async () => {
  server = await startTestServer({ overrides: { clock } });
  second = await startTestServer({ overrides: { clock }, connection: server.connection });
  owner = await signedIn(server, 'owner');
});
afterAll(async () => {
  await second.stop();
  await server.stop();
});

const hour = 3600;
let invited = 0;

interface Made {
  token: string;
  /** Expires in this many seconds. */
  lifetime: number;
  body: object;
}

/** The links that a person can get, besides the first one. */
const kinds: Record<string, () => Promise<Made>> = {
  invitation: async () => ({ token: await invite(owner.browser), lifetime: 7 * 24 * hour, body: choice }),
  'reset link': async () => ({
    token: await reset((await signedIn(server, 'viewer')).id),
    lifetime: hour,
    body: choice,
  }),
  'sign-in link': async () => ({
    token: await makeLink(server, 'sign_in', (await signedIn(server, 'viewer')).id),
    lifetime: hour,
    body: {},
  }),
};
const choice = { password: 'battery horse correct' };

let addresses = 1;

/** Returns a browser at an address without failures. */
function stranger(at: TestServer): Browser {
  return new Browser(at, { address: `127.0.2.${++addresses}` });
}

async function invite(by: Browser, role = 'viewer', email = `invited${++invited}@example.com`): Promise<string> {
  return tokenOf((await good(by.post('/v1/invitations', { email, role }))).body.url);
}

async function reset(userId: string, by = owner.browser): Promise<string> {
  return tokenOf((await good(by.post('/auth/users/reset_link', { user: userId }))).body.url);
}

function use(token: string, body: object = choice, at: TestServer = server): Promise<ApiResponse> {
  return new Browser(at).post('/auth/links/use', { token, ...body });
}

async function expectVoid(token: string): Promise<void> {
  for (const path of ['read', 'use']) {
    const { status, body } = await new Browser(server).post(`/auth/links/${path}`, {
      token,
      ...(path === 'use' && choice),
    });
    expect([path, status, body.error?.code]).toEqual([path, 400, 'link_invalid']);
  }
}

describe.each(Object.keys(kinds))('a link of the kind %s', (kind) => {
  const make = (): Promise<Made> => kinds[kind]!();

  test('works once when it is used again', async () => {
    const { token, body } = await make();
    await good(use(token, body));
    await expectVoid(token);
  });

  test('works once when ten browsers use it at once in two processes', async () => {
    const { token, body } = await make();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => use(token, body, index % 2 === 0 ? server : second)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers)
      if (answer.status !== 200) expect(answer.body.error.code).toMatch(/^(link_invalid|parameter_invalid)$/);
  });

  test('works until its time is over', async () => {
    clock.stop();
    const { token, body, lifetime } = await make();
    const late = await make();
    clock.advanceSeconds(lifetime - 60);
    await good(use(token, body));
    clock.advanceSeconds(61);
    await expectVoid(late.token);
    owner = await signedIn(server, 'owner');
  });

  test('is void when it is altered', async () => {
    const { token, body } = await make();
    const flipped = token[0] === 'A' ? 'B' : 'A';
    for (const text of [
      flipped + token.slice(1),
      token.slice(1),
      `${token}A`,
      token.toUpperCase() === token ? token.toLowerCase() : token.toUpperCase(),
      `${token} `,
      '',
    ])
      await expectVoid(text);
    await good(use(token, body));
  });

  test('is not used up when it is read or used with a fault', async () => {
    const { token, body } = await make();
    for (let time = 0; time < 3; time++) await good(new Browser(server).post('/auth/links/read', { token }));
    const weak = await use(token, { password: 'short' });
    const code = kind === 'sign-in link' ? 'parameter_invalid' : 'password_weak';
    expect(weak.body.error).toMatchObject({ code, param: 'password' });
    await good(use(token, body));
  });
});

describe('a first owner', () => {
  test('is alone when another process makes one by another link in the middle', async () => {
    let inTheMiddle: (() => Promise<unknown>) | null = null;
    const first = await serverForTest();
    const other = await serverForTest({
      connection: first.connection,
      changeContext: (context) => ({
        ...context,
        strangersReader: beforeQuery(context.strangersReader, 'find_first_owner_links'),
      }),
    });
    const earlier = await makeLink(first, 'first_owner');
    inTheMiddle = () => use(earlier, { email: 'ada@example.com' }, first);
    const late = await use(await makeLink(other, 'first_owner'), { email: 'eve@example.com' }, other);
    expect(late.body.error?.code).toBe('link_invalid');
    const { rows } = await first.context.database.readers.query('select email from users');
    expect(rows).toEqual([{ email: 'ada@example.com' }]);

    function beforeQuery(reader: Reader, name: string): Reader {
      const query = reader.query.bind(reader);
      reader.query = async (statement) => {
        const act = statement.name === name ? inTheMiddle : null;
        if (act) {
          inTheMiddle = null;
          await act();
        }
        return query(statement);
      };
      return reader;
    }
  });
});

describe('an invitation', () => {
  test.each(['disabled', 'deleted', 'lowered'])('is void when its inviter is %s', async (how) => {
    const inviter = await signedIn(server, 'admin');
    const token = await invite(inviter.browser, 'admin');
    const path = `/v1/users/${inviter.id}`;
    if (how === 'deleted') await good(owner.browser.delete(path));
    else await good(owner.browser.post(path, how === 'disabled' ? { status: 'disabled' } : { role: 'viewer' }));
    await expectVoid(token);
    const { data } = (await good(owner.browser.get('/v1/invitations?limit=1'))).body;
    expect(data[0].status).toBe('revoked');
  });

  test.each([
    ['disabled', { status: 'disabled' }, { status: 'active' }],
    ['lowered', { role: 'viewer' }, { role: 'admin' }],
  ])('stays void when its inviter was %s and has its rights again', async (_, change, undone) => {
    const inviter = await signedIn(server, 'admin');
    const token = await invite(inviter.browser, 'admin');
    const { id } = (await good(inviter.browser.get('/v1/invitations?limit=1'))).body.data[0];
    await good(owner.browser.post(`/v1/users/${inviter.id}`, change));
    await good(owner.browser.post(`/v1/users/${inviter.id}`, undone));
    await expectVoid(token);
    expect((await good(owner.browser.get(`/v1/invitations/${id}`))).body.status).toBe('revoked');
    const { data } = (await good(owner.browser.get(`/v1/events?object_id=${id}&type=invitation.revoked`))).body;
    expect(data).toHaveLength(1);
  });

  test.each([
    ['by the same process', () => server],
    ['by another process', () => second],
  ])('stays void when its inviter is lowered %s at the same moment', async (_, lowering) => {
    for (let round = 0; round < 5; round++) {
      const { browser: other } = await signedIn(lowering(), 'owner');
      const inviter = await signedIn(server, 'admin');
      const inviting = Array.from({ length: 5 }, () =>
        inviter.browser.post('/v1/invitations', { email: `invited${++invited}@example.com`, role: 'admin' }),
      );
      const change = other.post(`/v1/users/${inviter.id}`, { role: 'viewer' });
      const made = (await Promise.all(inviting)).filter(({ status }) => status === 200);
      await good(change);
      await good(other.post(`/v1/users/${inviter.id}`, { role: 'admin' }));
      const { data } = (await good(other.get('/v1/invitations?limit=50'))).body;
      for (const { body } of made)
        expect(data).toContainEqual(expect.objectContaining({ id: body.id, status: 'revoked' }));
      if (made.length > 0) await expectVoid(tokenOf(made.at(-1)!.body.url));
    }
  });

  test('goes on when its inviter gets another role that may give the role', async () => {
    const inviter = await signedIn(server, 'owner');
    const token = await invite(inviter.browser, 'viewer');
    await good(owner.browser.post(`/v1/users/${inviter.id}`, { role: 'admin', name: 'Ada' }));
    const body = { token, password: goodPassword };
    expect((await good(stranger(server).post('/auth/links/use', body))).body.user.role).toBe('viewer');
  });

  test('is void when it is revoked, or a newer one is made', async () => {
    const email = 'wanted@example.com';
    const first = await invite(owner.browser, 'viewer', email);
    const newer = await invite(owner.browser, 'viewer', email.toUpperCase());
    await expectVoid(first);
    const { data } = (await good(owner.browser.get('/v1/invitations?limit=1'))).body;
    await good(owner.browser.delete(`/v1/invitations/${data[0].id}`));
    await expectVoid(newer);
  });

  test('is not ended by a newer one when its role is above that of the inviter', async () => {
    const admin = await signedIn(server, 'admin');
    const email = 'partner@example.com';
    const token = await invite(owner.browser, 'owner', email);
    const refused = await admin.browser.post('/v1/invitations', { email, role: 'viewer' });
    expect(refused.body.error?.code).toBe('permission_denied');
    expect((await good(use(token))).body.user.role).toBe('owner');
  });

  test('ends an earlier one when the clock of the sandbox was moved', async () => {
    const moved = await serverForTest();
    const { browser } = await signedIn(moved, 'owner');
    const email = 'later@example.com';
    const first = (await good(browser.post('/v1/invitations', { email, role: 'viewer' }))).body;
    await good(moved.api.post('/v1/test_helpers/clock/advance', { seconds: 8 * 24 * hour }));
    await good(browser.post('/v1/invitations', { email, role: 'viewer' }));
    expect((await good(browser.get(`/v1/invitations/${first.id}`))).body.status).toBe('revoked');
  });

  test('expires by the time of the world, as its link does, when the clock of the sandbox was moved', async () => {
    const moved = await serverForTest();
    const { browser } = await signedIn(moved, 'owner');
    await good(moved.api.post('/v1/test_helpers/clock/advance', { seconds: 14 * 24 * hour }));
    const made = (await good(browser.post('/v1/invitations', { email: 'late@example.com', role: 'viewer' }))).body;
    expect(made.status).toBe('pending');
    const { data } = (await good(browser.get('/v1/events?type=invitation.created'))).body;
    expect(data[0].data.object).toMatchObject({ id: made.id, status: 'pending' });
    expect((await good(browser.get('/v1/invitations'))).body.data[0]).toMatchObject({ id: made.id, status: 'pending' });
    await good(browser.delete(`/v1/invitations/${made.id}`));
    const token = tokenOf(made.url);
    expect((await stranger(moved).post('/auth/links/use', { token, ...choice })).body.error.code).toBe('link_invalid');
  });

  test('makes no second user when its address has one', async () => {
    const { email } = await signedIn(server, 'viewer');
    const refused = await use(await invite(owner.browser, 'admin', email.toUpperCase()));
    expect([refused.status, refused.body.error.param]).toEqual([400, 'email']);
  });
});

describe('a reset link', () => {
  test.each(['role', 'status', 'password', 'maker'])('is void when the %s changes after it was made', async (what) => {
    const maker = await signedIn(server, 'admin');
    const person = await signedIn(server, 'developer');
    const token = await reset(person.id, maker.browser);
    const changes: Record<string, () => Promise<unknown>> = {
      role: () => good(owner.browser.post(`/v1/users/${person.id}`, { role: 'owner' })),
      status: async () => {
        await good(owner.browser.post(`/v1/users/${person.id}`, { status: 'disabled' }));
        await good(owner.browser.post(`/v1/users/${person.id}`, { status: 'active' }));
      },
      password: () => good(person.browser.post('/auth/me', choice)),
      maker: () => good(owner.browser.post(`/v1/users/${maker.id}`, { role: 'viewer' })),
    };
    await changes[what]!();
    await expectVoid(token);
  });

  test('does not pass the second factor', async () => {
    const person = await signedIn(server, 'viewer');
    clock.stop();
    const { secret } = await setUpTotp(person.browser, clock);
    const token = await reset(person.id);
    expect((await use(token)).body.error.code).toBe('second_factor_required');
    clock.advanceSeconds(30);
    await good(use(token, { ...choice, code: codeOf(secret, clock.nowMs()) }));
  });
});

describe('a code', () => {
  test.each(['totp', 'recovery code'])('works once when it is used at once in two processes: %s', async (kind) => {
    const person = await signedIn(server, 'viewer');
    clock.stop();
    const { secret, codes } = await setUpTotp(person.browser, clock);
    clock.advanceSeconds(30);
    const code = kind === 'totp' ? codeOf(secret, clock.nowMs()) : codes[0]!.toLowerCase().replaceAll('-', ' ');
    const signIn = (at: TestServer): Promise<ApiResponse> =>
      stranger(at).post('/auth/sign_in', { email: person.email, password: goodPassword, code });
    const answers = await Promise.all([server, second, server, second].map(signIn));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(3);
    expect((await signIn(server)).body.error.code).toBe('sign_in_failed');
    if (kind === 'totp') return;
    const { user } = (await good(person.browser.get('/auth/session'))).body;
    expect(user.recovery_codes_left).toBe(9);
  });

  test('of the set-up does not sign in, and neither do old recovery codes after new ones', async () => {
    const person = await signedIn(server, 'viewer');
    const { code: used, codes } = await setUpTotp(person.browser, clock);
    const signIn = (code: string): Promise<ApiResponse> =>
      stranger(server).post('/auth/sign_in', { email: person.email, password: goodPassword, code });
    expect((await signIn(used)).status).toBe(401);
    const renewed = (await good(person.browser.post('/auth/recovery_codes'))).body.codes;
    expect((await signIn(codes[0]!)).status).toBe(401);
    await good(signIn(renewed[0]));
  });
});

describe('TOTP', () => {
  // RFC 6238, appendix B, for SHA-1: the last six of the eight digits.
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
  const vectors: [number, string][] = [
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
    [20000000000, '353130'],
  ];

  test.each(vectors)('accepts the code of RFC 6238 when the time is %i', (seconds, code) => {
    const step = Math.floor(seconds / 30);
    expect(stepOfCode(secret, code, seconds * 1000, null)).toBe(step);
    expect(stepOfCode(secret, code, seconds * 1000, step - 1)).toBe(step);
    // Used once, or a later one was.
    expect(stepOfCode(secret, code, seconds * 1000, step)).toBeNull();
    expect(stepOfCode(secret, code, seconds * 1000, step + 1)).toBeNull();
  });

  test.each([
    [-60, false],
    [-31, false],
    [-30, true],
    [29, true],
    [30, true],
    [59, true],
    [60, false],
  ])('judges a code when the clock differs by %i s', (seconds, isAccepted) => {
    const begin = 41152263 * 30;
    const code = codeOf(secret, begin * 1000);
    expect(stepOfCode(secret, code, (begin + seconds) * 1000, null)).toBe(isAccepted ? 41152263 : null);
  });

  test.each(['', '28708', '2870820', '28708２', '287 082', '-87082', '0x1234', '1e5'])(
    'refuses a code when its form is wrong: %j',
    (code) => expect(stepOfCode(secret, code, 59_000, null)).toBeNull(),
  );

  test('has a secret of 160 bits, and recovery codes without regard to case and spaces', () => {
    expect(newTotpSecret((length) => new Uint8Array(length).fill(255))).toMatch(/^[A-Z2-7]{32}$/);
    expect(hashOfRecoveryCode('abcd-EFGH ijkl')).toBe(hashOfRecoveryCode('ABCDEFGHIJKL'));
  });
});
