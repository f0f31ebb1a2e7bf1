import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Browser, firstOwner, goodPassword, makeLink, member, tokenOf } from '../support/browser.ts';
import { good, serverForTest, startTestServer, type ApiResponse, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: Browser;

beforeAll(async () => {
  server = await startTestServer();
  owner = await firstOwner(server);
});
afterAll(() => server.stop());

describe('the first owner', () => {
  test('becomes a user and is signed in when the link is used', async () => {
    const session = (await owner.get('/auth/session')).body;
    expect(session).toMatchObject({
      object: 'session',
      mode: 'sandbox',
      retention_days: server.context.config.retentionDays,
      has_users: true,
      user: { email: 'ada@example.com', name: null, role: 'owner', second_factor: 'none' },
      session: { has_password: true },
    });
    expect(session.user.permissions).toContain('users.write');
  });

  test('is only made once when links are used again, or at the same time', async () => {
    const other = await serverForTest();
    const tokens = [await makeLink(other, 'first_owner'), await makeLink(other, 'first_owner')];
    const used = await Promise.all(
      [...tokens, ...tokens].map((token, index) =>
        new Browser(other).post('/auth/links/use', { token, email: `person${index}@example.com` }),
      ),
    );
    expect(used.filter(({ status }) => status === 200)).toHaveLength(1);
    const { rows } = await other.context.database.readers.query('select role from users');
    expect(rows).toEqual([{ role: 'owner' }]);
  });
});

describe('an invited person', () => {
  test('makes the event user.created when the invitation is accepted', async () => {
    const other = await serverForTest();
    const inviter = await firstOwner(other);
    await member(other, inviter, 'viewer', 'grace@example.com');
    // Each response of a test is held against the API docs.
    const { data } = (await inviter.get('/v1/events?type=user.created')).body;
    expect(data.map(({ data: { object } }: { data: { object: { email: string } } }) => object.email)).toEqual([
      'grace@example.com',
      'ada@example.com',
    ]);
  });
});

describe('a session', () => {
  test('tells the whole seconds of a moved clock when time passes between two readings', async () => {
    let nowMs = Date.now();
    const moved = await serverForTest({ overrides: { clock: { nowMs: () => nowMs++ } } });
    await good(moved.api.post('/v1/test_helpers/clock/advance', { seconds: 3600 }));
    expect((await new Browser(moved).get('/auth/session')).body.clock.ahead_seconds).toBe(3600);
  });
});

describe('a sign-in', () => {
  test('begins a session when the password is right', async () => {
    const browser = new Browser(server);
    const signedIn = await browser.post('/auth/sign_in', { email: 'ADA@example.com', password: goodPassword });
    expect(signedIn.status, signedIn.text).toBe(200);
    expect(signedIn.body.user.email).toBe('ada@example.com');
    expect((await browser.get('/v1/account')).status).toBe(200);
  });

  test('begins beside a stranger with many networks that tries passwords', async () => {
    const proxied = await serverForTest({ settings: { TENURE_TRUSTED_PROXIES: '127.0.0.1' } });
    await firstOwner(proxied);
    const tryFrom = (address: string, email: string, password: string): Promise<ApiResponse> =>
      new Browser(proxied).post('/auth/sign_in', { email, password }, { 'x-forwarded-for': address });
    const tries = Array.from({ length: 40 }, (_, index) =>
      tryFrom(`2001:db8:0:${index}::1`, `person${index}@example.com`, 'a wrong long password'),
    );
    // Some are refused only when as many wait as may.
    const isFull = Promise.any(tries.map(async (each) => expect((await each).status).toBe(503)));
    await isFull;
    const signedIns = Array.from({ length: 3 }, (_, index) =>
      tryFrom(`198.51.100.${index}`, 'ada@example.com', goodPassword),
    );
    expect((await Promise.all(signedIns)).map(({ status }) => status)).toEqual([200, 200, 200]);
    await Promise.all(tries);
  });

  test('gets the same error when the address is unknown, the password is wrong or the user is disabled', async () => {
    const disabled = await member(server, owner, 'viewer', 'disabled@example.com');
    const { id } = (await disabled.get('/auth/session')).body.user;
    expect((await owner.post(`/v1/users/${id}`, { status: 'disabled' })).status).toBe(200);
    const attempts = [
      { email: 'stranger@example.com', password: goodPassword },
      { email: 'ada@example.com', password: 'not the right one' },
      { email: 'disabled@example.com', password: goodPassword },
    ];
    for (const attempt of attempts) {
      const { status, body } = await new Browser(server).post('/auth/sign_in', attempt);
      expect({ status, code: body.error.code, message: body.error.message }).toEqual({
        status: 401,
        code: 'sign_in_failed',
        message: 'The e-mail address, the password or the code is wrong.',
      });
    }
    expect((await disabled.get('/v1/account')).status).toBe(401);
  });

  test('leaves a log without a user when the address is unknown', async () => {
    const other = await serverForTest();
    await new Browser(other).post('/auth/sign_in', { email: 'stranger@example.com', password: goodPassword });
    const [log] = (await other.api.get('/v1/logs')).body.data;
    expect(log).toMatchObject({
      path: '/auth/sign_in',
      status: 401,
      user_id: null,
      user_email: null,
      source: 'dashboard',
    });
    expect(JSON.stringify(log)).not.toContain('nobody');
  });

  test.each(['ada@example.com', 'stranger@example.com'])(
    'leaves no log when too many attempts have failed: %s',
    async (email) => {
      const other = await serverForTest();
      await firstOwner(other);
      const attempt = (): Promise<number> =>
        new Browser(other).post('/auth/sign_in', { email, password: 'not the right one' }).then(({ status }) => status);
      const statuses: number[] = [];
      for (let count = 0; count < 13; count++) statuses.push(await attempt());
      expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429, 429]);
      expect((await other.api.get('/v1/logs?path=/auth/sign_in')).body.count).toBe(10);
    },
  );

  test('has no route when the dashboard is off', async () => {
    const other = await serverForTest({ settings: { TENURE_DASHBOARD: 'off' } });
    expect((await new Browser(other).get('/auth/session')).status).toBe(404);
    expect((await new Browser(other).get('/dashboard')).status).toBe(404);
  });

  test('leaves a log without bodies when it succeeds or fails', async () => {
    const other = await serverForTest();
    const browser = await firstOwner(other);
    await browser.post('/auth/sign_in', { email: 'ada@example.com', password: 'not the right one' });
    const { data } = (await browser.get('/v1/logs')).body;
    expect(data.map(({ path, status, error }: Record<string, unknown>) => ({ path, status, error }))).toEqual([
      { path: '/auth/sign_in', status: 401, error: { type: 'authentication_error', code: 'sign_in_failed' } },
      { path: '/auth/links/use', status: 200, error: null },
    ]);
    for (const log of data)
      expect(log).toMatchObject({
        user_email: 'ada@example.com',
        source: 'dashboard',
        key_id: null,
        request_body: null,
        response_body: null,
      });
  });
});

describe('a session', () => {
  test('acts as its user when it changes a record', async () => {
    const created = await owner.post('/v1/customers', { name: 'Grace' });
    expect(created.status, created.text).toBe(200);
    const { id } = (await owner.get('/auth/session')).body.user;
    const [event] = (await owner.get(`/v1/events?object_id=${created.body.id}`)).body.data;
    expect(event.request).toMatchObject({
      from_dashboard: true,
      actor: { type: 'user', id, name: 'ada@example.com', key_id: null, key_type: null },
    });
    const log = (await owner.get(`/v1/logs/${event.request.id}`)).body;
    expect(log).toMatchObject({ user_email: 'ada@example.com', user_id: id, source: 'dashboard', key_id: null });
    expect((await owner.get(`/v1/logs?user=${id}`)).body.data[0].id).toBe(log.id);
  });

  test('ends when the person signs out', async () => {
    const browser = await member(server, owner, 'viewer', 'leaving@example.com');
    const { cookies } = browser;
    const kept = new Map(cookies);
    const out = await browser.post('/auth/sign_out');
    expect(out.status, out.text).toBe(200);
    for (const [name, value] of kept) cookies.set(name, value);
    expect((await browser.get('/v1/account')).body.error.code).toBe('session_expired');
    expect((await browser.get('/auth/session')).body.user).toBeNull();
  });

  test.each(['role', 'status'] as const)('ends within the response when the %s of its user changes', async (name) => {
    const browser = await member(server, owner, 'viewer', `${name}@example.com`);
    const { id } = (await browser.get('/auth/session')).body.user;
    expect((await browser.get('/v1/account')).status).toBe(200);
    const change = name === 'role' ? { role: 'operator' } : { status: 'disabled' };
    expect((await owner.post(`/v1/users/${id}`, change)).status).toBe(200);
    expect((await browser.get('/v1/account')).body.error.code).toBe('session_expired');
  });

  test('is refused when the request does not come from our own pages', async () => {
    const attempts: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: server.url.replace(/\d+$/, '1') },
    ];
    for (const headers of attempts) {
      const { status, body } = await owner.post('/v1/customers', { name: 'Mallory' }, headers);
      expect({ headers, status, code: body.error.code }).toEqual({ headers, status: 403, code: 'origin_forbidden' });
    }
    const withoutClient = await owner.post('/v1/customers', { name: 'Mallory' }, { 'service-client': 'other' });
    expect(withoutClient.body.error.code).toBe('api_key_missing');
    expect((await owner.get('/v1/customers')).text).not.toContain('Mallory');
  });
});

describe('invitations', () => {
  test('make a member when the link is used, once', async () => {
    const invited = (await owner.post('/v1/invitations', { email: 'new@example.com', role: 'developer' })).body;
    expect(invited).toMatchObject({ object: 'invitation', status: 'pending', role: 'developer' });
    const token = tokenOf(invited.url);
    const read = (await new Browser(server).post('/auth/links/read', { token })).body;
    expect(read).toMatchObject({ purpose: 'invitation', email: 'new@example.com', role: 'developer' });
    const used = await new Browser(server).post('/auth/links/use', { token, password: goodPassword });
    expect(used.body.user).toMatchObject({ email: 'new@example.com', role: 'developer' });
    const again = await new Browser(server).post('/auth/links/use', { token, password: goodPassword });
    expect(again.body.error.code).toBe('link_invalid');
    expect((await owner.get(`/v1/invitations/${invited.id}`)).body.status).toBe('accepted');
  });

  test('are revoked when a newer one of the same address is made', async () => {
    const first = (await owner.post('/v1/invitations', { email: 'twice@example.com', role: 'viewer' })).body;
    const second = (await owner.post('/v1/invitations', { email: 'TWICE@example.com', role: 'viewer' })).body;
    expect((await owner.get(`/v1/invitations/${first.id}`)).body.status).toBe('revoked');
    const refused = await new Browser(server).post('/auth/links/read', { token: tokenOf(first.url) });
    expect(refused.body.error.code).toBe('link_invalid');
    expect((await new Browser(server).post('/auth/links/read', { token: tokenOf(second.url) })).status).toBe(200);
  });

  test('are refused when a key asks', async () => {
    const { status, body } = await server.api.post('/v1/invitations', { email: 'x@example.com', role: 'viewer' });
    expect({ status, code: body.error.code }).toEqual({ status: 403, code: 'person_required' });
    expect((await server.api.get('/v1/users')).body.error.code).toBe('person_required');
  });

  test('are refused when the role is above the own one', async () => {
    const admin = await member(server, owner, 'admin', 'admin@example.com');
    const refused = await admin.post('/v1/invitations', { email: 'boss@example.com', role: 'owner' });
    expect(refused.body.error.code).toBe('permission_denied');
    const viewer = await member(server, owner, 'viewer', 'viewer@example.com');
    expect((await viewer.post('/v1/invitations', { email: 'a@example.com', role: 'viewer' })).status).toBe(403);
    expect((await viewer.post('/v1/customers', { name: 'No' })).body.error.code).toBe('permission_denied');
    expect((await viewer.get('/v1/customers')).status).toBe(200);
  });
});

describe('the last owner', () => {
  test('keeps the role when it would be lowered, disabled or deleted, also by two owners at once', async () => {
    const other = await serverForTest();
    const first = await firstOwner(other);
    const { id } = (await first.get('/auth/session')).body.user;
    for (const change of [{ role: 'admin' }, { status: 'disabled' }])
      expect((await first.post(`/v1/users/${id}`, change)).body.error.code).toBe('status_transition_invalid');
    expect((await first.delete(`/v1/users/${id}`)).body.error.code).toBe('status_transition_invalid');
    const second = await member(other, first, 'owner', 'second@example.com');
    const { id: secondId } = (await second.get('/auth/session')).body.user;
    await Promise.all([
      first.post(`/v1/users/${secondId}`, { role: 'viewer' }),
      second.post(`/v1/users/${id}`, { role: 'viewer' }),
    ]);
    const { rows } = await other.context.database.readers.query<{ count: number }>(
      `select count(*) from users where role = 'owner'`,
    );
    expect(rows[0]!.count).toBe(1);
  });
});
