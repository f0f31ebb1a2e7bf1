import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newMasterKey } from '../../src/server/config.ts';
import type { Passkey } from '../../src/resources/people/user.ts';
import { roles, type Role } from '../../src/model/callers/roles.ts';
import { Browser, goodPassword, signedIn, tokenOf, type SignedIn } from '../support/browser.ts';
import { openStream } from '../support/event-stream.ts';
import { good, serverForTest, startTestServer, type ApiResponse, type TestServer } from '../support/server.ts';
import { addAccount } from '../support/tenants.ts';
import { waitMs } from '../support/wait.ts';

/*
 * No role grants itself or others more than it has. A model of one line says which roles may handle which.
 */

/** Owners handle all roles, admins all but owners, and no other role handles any. */
const handled: Record<Role, readonly Role[]> = {
  owner: roles,
  admin: ['admin', 'developer', 'operator', 'viewer'],
  developer: [],
  operator: [],
  viewer: [],
};

const pairs = roles.flatMap((own) => roles.map((other): [Role, Role] => [own, other]));

let server: TestServer;
let people: Map<Role, SignedIn>;

beforeAll(async () => {
  server = await startTestServer();
  people = new Map();
  for (const role of roles) people.set(role, await signedIn(server, role));
  // The last owner has a rule of its own.
  await signedIn(server, 'owner');
});
afterAll(() => server.stop());

function browserOf(role: Role): Browser {
  return people.get(role)!.browser;
}

/** Returns all rights that there are: of users, invitations, links and keys. */
async function rights(): Promise<unknown> {
  const { rows } = await server.context.database.readers.query(`
    select 'user' as kind, id, role || status || credentials_revision as rights from users
    union all select 'invitation', id, role || coalesce(revoked_at::text, '') from invitations
    union all select 'link', id, purpose from one_time_links
    union all select 'key', id, permissions::text || coalesce(revoked_at::text, '') from api_keys
    order by 1, 2`);
  return rows;
}

/** Sends a request again until the limit of the browser has room. There are more permissions than requests in a second. */
async function patiently(asking: () => Promise<ApiResponse>): Promise<ApiResponse> {
  for (;;) {
    const answer = await asking();
    if (answer.status !== 429) return answer;
    await delay(1000 * Number(answer.headers.get('retry-after')));
  }
}

/** Fails unless a request is refused for the lack of rights, and changes none. */
async function expectRefused(asking: () => Promise<ApiResponse>): Promise<void> {
  const before = await rights();
  const { status, body, text } = await asking();
  expect([status, body?.error?.code], text).toEqual([403, 'permission_denied']);
  expect(await rights()).toEqual(before);
}

describe('a member', () => {
  test.each(pairs)('with the role %s does not take the role %s when it is above', async (own, wanted) => {
    if (roles.indexOf(wanted) >= roles.indexOf(own)) return;
    const { browser, id } = people.get(own)!;
    await expectRefused(() => browser.post(`/v1/users/${id}`, { role: wanted }));
  });

  test.each(roles)('with the role %s sets no right of its own when it changes its profile', async (role) => {
    const { browser } = people.get(role)!;
    const before = await rights();
    for (const more of [
      { role: 'owner' },
      { permissions: ['users.write'] },
      { status: 'active' },
      { account: 'acct_1' },
    ]) {
      const { status, body } = await browser.post('/auth/me', { name: 'Ada', ...more });
      expect([status, body.error.code]).toEqual([400, 'parameter_unknown']);
    }
    expect(await rights()).toEqual(before);
  });

  test.each(pairs)(
    'with the role %s changes, ends or removes a member with the role %s only if it may',
    async (own, other) => {
      const browser = browserOf(own);
      const isAllowed = handled[own].includes(other);
      const actions = (id: string): (() => Promise<ApiResponse>)[] => [
        () => browser.post('/auth/users/reset_link', { user: id }),
        () => browser.post('/auth/users/end_sessions', { user: id }),
        () => browser.post(`/v1/users/${id}`, { status: 'disabled' }),
        () => browser.delete(`/v1/users/${id}`),
      ];
      const { id } = await signedIn(server, other);
      for (const action of actions(id)) await (isAllowed ? good(action()) : expectRefused(action));
    },
  );

  test.each(pairs)('with the role %s gives the role %s only if it may', async (own, given) => {
    const browser = browserOf(own);
    const isAllowed = handled[own].includes(given);
    const { id } = await signedIn(server, 'viewer');
    const giving = (): Promise<ApiResponse> => browser.post(`/v1/users/${id}`, { role: given });
    if (isAllowed) expect((await good(giving())).body.role).toBe(given);
    else await expectRefused(giving);
    const inviting = (): Promise<ApiResponse> =>
      browser.post('/v1/invitations', { email: `by.${own}.as.${given}@example.com`, role: given });
    if (!isAllowed) return expectRefused(inviting);
    // The invited person gets this role, and cannot ask for another one.
    const token = tokenOf((await good(inviting())).body.url);
    const use = { token, password: goodPassword };
    const more = await new Browser(server).post('/auth/links/use', { ...use, role: 'owner' });
    expect([more.status, more.body.error.code]).toEqual([400, 'parameter_unknown']);
    expect((await good(new Browser(server).post('/auth/links/use', use))).body.user.role).toBe(given);
  });
});

describe('a key', () => {
  test.each(roles)('that a %s makes has no permission that its role lacks', async (role) => {
    const browser = browserOf(role);
    const own = new Set((await good(browser.get('/auth/session'))).body.user.permissions as string[]);
    const makesKeys = own.has('api_keys.write');
    for (const permission of server.context.permissions) {
      const making = (): Promise<ApiResponse> =>
        patiently(() => browser.post('/v1/api_keys', { type: 'restricted', permissions: [permission] }));
      if (makesKeys && own.has(permission)) expect((await good(making())).body.permissions).toEqual([permission]);
      else await expectRefused(making);
    }
    for (const permission of ['users.read', 'users.write', 'invitations.write']) {
      const answer = await patiently(() =>
        browser.post('/v1/api_keys', { type: 'restricted', permissions: [permission] }),
      );
      expect([400, 403]).toContain(answer.status);
    }
    if (!makesKeys) return;
    const whole = (await good(patiently(() => browser.post('/v1/api_keys', { type: 'secret' })))).body
      .permissions as string[];
    expect(whole.filter((permission) => !own.has(permission))).toEqual([]);
  });

  test('is neither made, rolled nor revoked by a developer in live mode when it can change the account', async () => {
    const live = await startTestServer({
      settings: {
        TENURE_MODE: 'live',
        TENURE_ROLE: 'api',
        DATABASE_URL: 'postgres://given.by.the.test/',
        TENURE_MASTER_KEY: newMasterKey(),
      },
    });
    try {
      // Live mode requires a second factor.
      const changed = { passkeys: [{ id: 'a' } as Passkey] };
      const { browser } = await signedIn(live, 'developer', { changed });
      const boss = await signedIn(live, 'owner', { changed });
      const { id } = (await good(boss.browser.post('/v1/api_keys', { type: 'secret' }))).body;
      for (const refused of [
        await browser.post('/v1/api_keys', { type: 'secret' }),
        await browser.post('/v1/api_keys', { type: 'restricted', permissions: ['accounts.write'] }),
        await browser.post(`/v1/api_keys/${id}/roll`),
        await browser.delete(`/v1/api_keys/${id}`),
        await browser.post('/v1/account', { require_second_factor: false }),
        await browser.post('/v1/accounts', { name: 'Mine' }),
      ])
        expect([refused.status, refused.body.error?.code], refused.text).toEqual([403, 'permission_denied']);
      await good(browser.post('/v1/api_keys', { type: 'restricted', permissions: ['references.write'] }));
    } finally {
      await live.stop();
    }
  });

  test('shuts no member out by the rule about second factors', async () => {
    const refused = await server.api.post('/v1/account', { require_second_factor: true });
    expect([refused.status, refused.body.error?.code]).toEqual([403, 'person_required']);
    expect(refused.body.error.message).toContain('an admin of the account changes it in the dashboard');
    // The rule as it is changes nothing.
    await good(server.api.post('/v1/account', { name: 'Northern', require_second_factor: null }));
  });

  test('manages no team when it has all permissions and a cookie of an owner beside it', async () => {
    const { id } = await signedIn(server, 'viewer');
    const { browser } = people.get('owner')!;
    const both = browser.copy();
    both.headers = { authorization: `Bearer ${server.secretKey}` };
    const before = await rights();
    for (const refused of [
      await both.post(`/v1/users/${id}`, { role: 'owner' }),
      await both.post('/v1/invitations', { email: 'mallory@example.com', role: 'owner' }),
      await both.delete(`/v1/users/${id}`),
    ])
      expect([refused.status, refused.body.error.code]).toEqual([403, 'person_required']);
    expect(await rights()).toEqual(before);
  });
});

describe('the rule about second factors', () => {
  test.each(roles)('is only changed by owners and admins when the role is %s', async (role) => {
    const browser = browserOf(role);
    const mayChange = role === 'owner' || role === 'admin';
    const changed = await browser.post('/v1/account', { require_second_factor: false });
    expect([changed.status, changed.body.error?.code]).toEqual(
      mayChange ? [200, undefined] : [403, 'permission_denied'],
    );
    if (mayChange) await good(browser.post('/v1/account', { require_second_factor: null }));
    // A sandbox lets developers change the rest.
    if (role === 'developer') await good(browser.post('/v1/account', { name: 'Northern' }));
  });

  test('ends the stream of a person without one when the account begins to require it', async () => {
    const other = await serverForTest();
    const boss = await signedIn(other, 'owner', { changed: { passkeys: [{ id: 'a' } as Passkey] } });
    const { browser } = await signedIn(other, 'viewer');
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const stream = await openStream(other.url, null, { headers: { cookie, 'service-client': 'dashboard' } });
    await good(boss.browser.post('/v1/account', { require_second_factor: true }));
    expect(await stream.endWithin(waitMs)).toBe('ended');
    const refused = await browser.get('/v1/customers');
    expect([refused.status, refused.body.error.code]).toEqual([403, 'second_factor_setup_required']);
  });
});

describe('a connected account', () => {
  test.each(roles)('gives a %s no right beyond its role', async (role) => {
    const connected = (await good(browserOf('owner').post('/v1/accounts', { name: 'Child' }))).body.id;
    const browser = browserOf(role);
    const there = { 'service-context': connected };
    const own = new Set((await good(browser.get('/auth/session'))).body.user.permissions as string[]);
    const actions: [string, () => Promise<ApiResponse>][] = [
      ['accounts.write', () => browser.post('/v1/account', { name: 'Renamed' }, there)],
      ['api_keys.write', () => browser.post('/v1/api_keys', { type: 'secret' }, there)],
      ['webhook_endpoints.write', () => browser.post('/v1/webhook_endpoints', { url: 'http://127.0.0.1:1/' }, there)],
      ['customers.write', () => browser.post('/v1/customers', { name: 'Ada' }, there)],
    ];
    for (const [permission, act] of actions) await (own.has(permission) ? good(act()) : expectRefused(act));
  });

  test('leads its own owner neither to its parent nor to a stranger', async () => {
    const parent = (await good(browserOf('owner').get('/v1/account'))).body.id;
    const child = (await good(browserOf('owner').post('/v1/accounts', { name: 'Child' }))).body.id;
    const foreign = (await addAccount(server)).accountId;
    const { browser } = await signedIn(server, 'owner', { accountId: child });
    const before = await rights();
    for (const context of [parent, foreign])
      for (const refused of [
        await browser.get('/v1/customers', { 'service-context': context }),
        await browser.post('/v1/api_keys', { type: 'secret' }, { 'service-context': context }),
        await browser.post(`/v1/users/${people.get('viewer')!.id}`, { role: 'owner' }, { 'service-context': context }),
      ])
        expect([refused.status, refused.body.error.code]).toEqual([403, 'account_invalid']);
    expect(await rights()).toEqual(before);
    const foreignMember = await browser.post(`/v1/users/${people.get('viewer')!.id}`, { role: 'owner' });
    expect(foreignMember.status).toBe(404);
  });
});
