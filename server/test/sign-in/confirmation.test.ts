import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newMasterKey } from '../../src/server/config.ts';
import { user as users } from '../../src/resources/people/user.ts';
import { good, serverForTest, startTestServer, type ApiResponse, type TestServer } from '../support/server.ts';
import { Browser, goodPassword, signedIn, type SignedIn } from '../support/browser.ts';
import { TestClock } from '../support/clock.ts';
import { everyCell, tablesOf } from '../support/every-cell.ts';
import { codeOf, setUpTotp } from '../support/session-ends.ts';

/** The seconds in which a confirmation counts. */
const confirmedSeconds = 15 * 60;

interface Change {
  /** Sends the request. Its target is made before the confirmation is over. */
  (server: TestServer, person: SignedIn, clock: TestClock): Promise<() => Promise<ApiResponse>>;
}

/** Each dangerous change that a person makes. */
const changes: Record<string, Change> = {
  'the own e-mail address':
    async (_, { browser, id }) =>
    () =>
      browser.post('/auth/me', { email: `${id}@example.org` }),
  'the own password':
    async (_, { browser }) =>
    () =>
      browser.post('/auth/me', { password: 'battery horse correct' }),
  'the begin of an authenticator app':
    async (_, { browser }) =>
    () =>
      browser.post('/auth/totp/begin'),
  'the removal of an authenticator app':
    async (_, { browser }) =>
    () =>
      browser.post('/auth/totp/remove'),
  'the recovery codes': async (_, { browser }, clock) => {
    await setUpTotp(browser, clock);
    return () => browser.post('/auth/recovery_codes');
  },
  'a role': async (server, { browser }) => {
    const { id } = await signedIn(server, 'viewer');
    return () => browser.post(`/v1/users/${id}`, { role: 'developer' });
  },
  'a status': async (server, { browser }) => {
    const { id } = await signedIn(server, 'viewer');
    return () => browser.post(`/v1/users/${id}`, { status: 'disabled' });
  },
  'the removal of a member': async (server, { browser }) => {
    const { id } = await signedIn(server, 'viewer');
    return () => browser.delete(`/v1/users/${id}`);
  },
  'the sessions of a member': async (server, { browser }) => {
    const { id } = await signedIn(server, 'viewer');
    return () => browser.post('/auth/users/end_sessions', { user: id });
  },
  'a reset link': async (server, { browser }) => {
    const { id } = await signedIn(server, 'viewer');
    return () => browser.post('/auth/users/reset_link', { user: id });
  },
  'an invitation':
    async (_, { browser, id }) =>
    () =>
      browser.post('/v1/invitations', { email: `${id}@example.net`, role: 'viewer' }),
  'the end of an invitation': async (_, { browser, id }) => {
    const made = await good(browser.post('/v1/invitations', { email: `${id}@example.net`, role: 'viewer' }));
    return () => browser.delete(`/v1/invitations/${made.body.id}`);
  },
  'a live key':
    async (_, { browser }) =>
    () =>
      browser.post('/v1/api_keys', { type: 'secret' }),
  'a rolled live key': async (_, { browser }) => {
    const made = await good(browser.post('/v1/api_keys', { type: 'restricted', permissions: ['references.read'] }));
    return () => browser.post(`/v1/api_keys/${made.body.id}/roll`);
  },
  'a revoked live key': async (_, { browser }) => {
    const made = await good(browser.post('/v1/api_keys', { type: 'restricted', permissions: ['references.read'] }));
    return () => browser.delete(`/v1/api_keys/${made.body.id}`);
  },
  'a webhook endpoint':
    async (_, { browser }) =>
    () =>
      browser.post('/v1/webhook_endpoints', { url: 'https://hooks.example.com/' }),
  'the URL of a webhook endpoint': async (_, { browser }) => {
    const made = await good(browser.post('/v1/webhook_endpoints', { url: 'https://hooks.example.com/' }));
    return () => browser.post(`/v1/webhook_endpoints/${made.body.id}`, { url: 'https://elsewhere.example.com/' });
  },
  'the removal of a webhook endpoint': async (_, { browser }) => {
    const made = await good(browser.post('/v1/webhook_endpoints', { url: 'https://hooks.example.com/' }));
    return () => browser.delete(`/v1/webhook_endpoints/${made.body.id}`);
  },
  'a rolled signing secret': async (_, { browser }) => {
    const made = await good(browser.post('/v1/webhook_endpoints', { url: 'https://hooks.example.com/' }));
    return () => browser.post(`/v1/webhook_endpoints/${made.body.id}/roll_secret`);
  },
  'the credentials of a provider':
    async (_, { browser }) =>
    () =>
      browser.post('/v1/account', { provider_credentials: { provider_a: null } }),
  'the bank account on invoices':
    async (_, { browser }) =>
    () =>
      browser.post('/v1/account', { letterhead: null }),
  'the rule about second factors':
    async (_, { browser }) =>
    () =>
      browser.post('/v1/account', { require_second_factor: true }),
  'the erasure of a customer': async (_, { browser }) => {
    const made = await good(browser.post('/v1/customers', { name: 'Ada' }));
    return () => browser.delete(`/v1/customers/${made.body.id}`);
  },
  'the erasure of a reference': async (_, { browser }) => {
    const made = await good(browser.post('/v1/references', { application: 'app_1', customer: 'crm_1' }));
    return () => browser.post(`/v1/references/${made.body.id}/erase`);
  },
  'a workflow that calls a URL':
    async (_, { browser }) =>
    () =>
      browser.post('/v1/workflows', workflowWith(callsUrl)),
  'the URL of a workflow': async (_, { browser }) => {
    const made = await good(browser.post('/v1/workflows', workflowWith(callsUrl)));
    const steps = [{ ...callsUrl, url: 'https://elsewhere.example.com/' }];
    return () => browser.post(`/v1/workflows/${made.body.id}`, { steps });
  },
  'the trigger of a workflow that calls a URL': async (_, { browser }) => {
    const made = await good(browser.post('/v1/workflows', workflowWith(callsUrl)));
    return () => browser.post(`/v1/workflows/${made.body.id}`, { trigger: { type: 'customer.*' } });
  },
  'a workflow that erases':
    async (_, { browser }) =>
    () =>
      browser.post('/v1/workflows', workflowWith(erases)),
  'the steps of a workflow that erases': async (_, { browser }) => {
    const made = await good(browser.post('/v1/workflows', workflowWith({ id: 'wait', action: 'wait', seconds: 60 })));
    return () => browser.post(`/v1/workflows/${made.body.id}`, { steps: [erases] });
  },
};

const callsUrl = { id: 'call', action: 'http', url: 'https://hooks.example.com/' };
const erases = { id: 'erase', action: 'api', path: '/v1/references/{{event.data.object.metadata.reference}}/erase' };

function workflowWith(step: object): object {
  return {
    name: 'Test',
    trigger: { type: 'customer.created' },
    steps: [step],
    permissions: ['references.write', 'files.write'],
  };
}

describe('a dangerous change', () => {
  let server: TestServer;
  const clock = new TestClock();

  beforeAll(async () => {
    server = await startTestServer({
      overrides: { clock },
      // Live mode has the strictest rules.
      settings: {
        TENURE_MODE: 'live',
        TENURE_ROLE: 'api',
        DATABASE_URL: 'postgres://given.by.the.test/',
        TENURE_MASTER_KEY: newMasterKey(),
      },
    });
  });
  afterAll(() => server.stop());

  test.each(Object.keys(changes))('needs a confirmation of the last 15 minutes when it is: %s', async (name) => {
    // The account requires a second factor, which has no code in these tests.
    const passkeys = [
      { id: 'a', public_key: 'a', counter: 0, transports: [], name: 'a', created: 0, last_used_at: null },
    ];
    const person = await signedIn(server, 'owner', { changed: { passkeys } });
    const change = await changes[name]!(server, person, clock);
    clock.advanceSeconds(confirmedSeconds);
    const before = await everythingButLogs(server);
    const refused = await change();
    expect([refused.status, refused.body.error?.code]).toEqual([403, 'reauthentication_required']);
    expect(await everythingButLogs(server)).toEqual(before);
    await good(person.browser.post('/auth/confirm', { password: goodPassword }));
    const done = await change();
    expect(done.status, done.text).toBe(200);
  });

  test('shows a signing secret only after a confirmation', async () => {
    const passkeys = [
      { id: 'a', public_key: 'a', counter: 0, transports: [], name: 'a', created: 0, last_used_at: null },
    ];
    const { browser } = await signedIn(server, 'owner', { changed: { passkeys } });
    const { id, signing_secret: secret } = (
      await good(
        browser.post('/v1/webhook_endpoints', { url: 'https://hooks.example.com/' }, { 'idempotency-key': 'one' }),
      )
    ).body;
    const path = `/v1/webhook_endpoints/${id}`;
    expect((await good(browser.get(path))).body.signing_secret).toBe(secret);
    clock.advanceSeconds(confirmedSeconds);
    expect((await good(browser.get(path))).text).not.toContain(secret);
    expect((await good(browser.get('/v1/webhook_endpoints'))).text).not.toContain(secret);
    // Another person repeats the request.
    const other = await signedIn(server, 'owner', { changed: { passkeys } });
    const repeated = await other.browser.post(
      '/v1/webhook_endpoints',
      { url: 'https://hooks.example.com/' },
      { 'idempotency-key': 'one' },
    );
    expect([repeated.status, repeated.body.error?.code]).toEqual([403, 'permission_denied']);
  });

  test.each<[string, (person: SignedIn) => Promise<(headers: Record<string, string>) => Promise<ApiResponse>>]>([
    [
      'a live key',
      async ({ browser }) =>
        (headers) =>
          browser.post('/v1/api_keys', { type: 'secret' }, headers),
    ],
    [
      'an invitation',
      async ({ browser, id }) =>
        (headers) =>
          browser.post('/v1/invitations', { email: `${id}@example.net`, role: 'viewer' }, headers),
    ],
    [
      'a signing secret',
      async ({ browser }) => {
        const made = await good(browser.post('/v1/webhook_endpoints', { url: 'https://hooks.example.com/' }));
        return (headers) => browser.post(`/v1/webhook_endpoints/${made.body.id}/roll_secret`, {}, headers);
      },
    ],
    [
      'the signing secret of a workflow',
      async ({ browser }) =>
        (headers) =>
          browser.post('/v1/workflows', workflowWith(callsUrl), headers),
    ],
  ])('is asked for again when a request with %s is repeated', async (_, prepare) => {
    const passkeys = [
      { id: 'a', public_key: 'a', counter: 0, transports: [], name: 'a', created: 0, last_used_at: null },
    ];
    const person = await signedIn(server, 'owner', { changed: { passkeys } });
    const send = await prepare(person);
    // The log of the first request tells an old session this key.
    const headers = { 'idempotency-key': `repeated by ${person.id}` };
    const first = await good(send(headers));
    clock.advanceSeconds(confirmedSeconds);
    const refused = await send(headers);
    expect([refused.status, refused.body.error?.code]).toEqual([403, 'reauthentication_required']);
    await good(person.browser.post('/auth/confirm', { password: goodPassword }));
    expect((await good(send(headers))).body).toEqual(first.body);
  });

  test('is not needed when a person changes a workflow without such steps, or only its name', async () => {
    const passkeys = [
      { id: 'a', public_key: 'a', counter: 0, transports: [], name: 'a', created: 0, last_used_at: null },
    ];
    const { browser } = await signedIn(server, 'owner', { changed: { passkeys } });
    const calling = (await good(browser.post('/v1/workflows', workflowWith(callsUrl)))).body;
    clock.advanceSeconds(confirmedSeconds);
    await good(browser.post('/v1/workflows', workflowWith({ id: 'wait', action: 'wait', seconds: 60 })));
    await good(browser.post(`/v1/workflows/${calling.id}`, { name: 'Other' }));
  });

  test('is refused when a required second factor is missing', async () => {
    const { browser } = await signedIn(server, 'owner');
    const { id } = await signedIn(server, 'viewer');
    for (const path of ['/auth/users/reset_link', '/auth/users/end_sessions', `/v1/users/${id}`]) {
      const refused = await browser.post(path, path.startsWith('/auth') ? { user: id } : { name: 'A' });
      expect([path, refused.body.error?.code]).toEqual([path, 'second_factor_setup_required']);
    }
    const { secret } = await setUpTotp(browser, clock);
    expect(codeOf(secret, clock.nowMs())).toMatch(/^\d{6}$/);
    await good(browser.get('/v1/users'));
  });

  test('is needed to end other sessions, and not for the own one, when an account requires a second factor', async () => {
    const { browser, id } = await signedIn(server, 'owner');
    const elsewhere = new Browser(server);
    const credentials = { email: `${id.slice(4).toLowerCase()}@example.com`, password: goodPassword };
    await good(elsewhere.post('/auth/sign_in', credentials));
    const { data } = (await good(browser.get('/auth/sessions'))).body;
    const other = data.find(({ current }: { current: boolean }) => !current);
    const own = data.find(({ current }: { current: boolean }) => current);
    for (const [path, body] of [
      ['/auth/sessions/end', { id: other.id }],
      ['/auth/sessions/end', { others: true }],
      ['/auth/sessions/end', { id: own.id, others: true }],
      // Each of these ends the other sessions, too.
      ['/auth/me', { password: 'battery horse correct' }],
      ['/auth/me', { email: `new-${credentials.email}` }],
    ] as const) {
      const refused = await browser.post(path, body);
      expect([path, refused.status, refused.body.error?.code]).toEqual([path, 403, 'second_factor_setup_required']);
    }
    await good(browser.post('/auth/me', { name: 'Ada' }));
    await good(elsewhere.get('/auth/sessions'));
    await browser.post('/auth/sessions/end', { id: own.id });
    expect((await browser.get('/auth/sessions')).status).toBe(401);
  });

  test('leaves a log when it is refused', async () => {
    const passkeys = [
      { id: 'a', public_key: 'a', counter: 0, transports: [], name: 'a', created: 0, last_used_at: null },
    ];
    const admin = await signedIn(server, 'admin', { changed: { passkeys } });
    const boss = await signedIn(server, 'owner', { changed: { passkeys } });
    for (const path of ['/auth/users/reset_link', '/auth/users/end_sessions'])
      expect((await admin.browser.post(path, { user: boss.id })).body.error.code).toBe('permission_denied');
    const { data } = (await good(boss.browser.get(`/v1/logs?user=${admin.id}`))).body;
    expect(data.map(({ path, status }: { path: string; status: number }) => [path, status])).toEqual([
      ['/auth/users/end_sessions', 403],
      ['/auth/users/reset_link', 403],
    ]);
  });
});

test('keeps secrets out of records, events, logs, stored responses and the output of the server', async () => {
  const clock = new TestClock();
  const server = await serverForTest({ overrides: { clock } });
  const { browser, id, email } = await signedIn(server, 'owner');
  const secrets = [goodPassword, browser.token!];
  const invited = await good(
    browser.post('/v1/invitations', { email: 'new@example.com', role: 'viewer' }, { 'idempotency-key': 'one' }),
  );
  const replayed = await browser.post(
    '/v1/invitations',
    { email: 'new@example.com', role: 'viewer' },
    { 'idempotency-key': 'one' },
  );
  expect(replayed.body.url).toBe(invited.body.url);
  secrets.push(new URL(invited.body.url).hash.slice(1));
  const reset = await good(browser.post('/auth/users/reset_link', { user: id }));
  secrets.push(new URL(reset.body.url).hash.slice(1));
  const { secret, codes } = await setUpTotp(browser, clock);
  secrets.push(secret, browser.token!, ...codes, ...codes.map((code) => code.replaceAll('-', '')));
  const changed = await good(browser.post('/auth/me', { password: 'battery horse correct' }));
  expect(changed.text).not.toContain(browser.token);
  secrets.push('battery horse correct', browser.token!);
  await browser.post('/auth/sign_in', { email, password: 'a typo of the password' });
  secrets.push('a typo of the password');
  const { password_hash: hash } = (await server.context.readRecord(users, await accountOf(server), id))!;

  const shown: string[] = [];
  for (const path of ['users', 'invitations', 'events', 'logs', `users/${id}`, `invitations/${invited.body.id}`])
    shown.push((await good(browser.get(`/v1/${path}`))).text);
  expect(shown.join('')).toContain('new@example.com');
  for (const text of [...secrets, hash!, 'token_hash', 'password_hash', 'recovery_codes'])
    expect(shown.join('')).not.toContain(text);
  const stored = await everyCell(server);
  expect(stored).toContain('new@example.com');
  for (const text of secrets) expect(stored, text.slice(0, 4)).not.toContain(text);
});

async function accountOf(server: TestServer): Promise<string> {
  const { rows } = await server.context.database.readers.query<{ id: string }>('select id from accounts limit 1');
  return rows[0]!.id;
}

/** Returns a hash of every table, except those that a refused request may write: logs, and the times of uses. */
async function everythingButLogs(server: TestServer): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const name of await tablesOf(server)) {
    if (['request_logs', 'count_deltas', 'activity_deltas'].includes(name)) continue;
    const { rows } = await server.context.database.readers.query(
      `select count(*), sum(hashtextextended(t::text, 0)) as hash from ${name} t`,
    );
    found[name] = rows[0];
  }
  return found;
}
