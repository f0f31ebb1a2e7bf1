import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Agency, type Made } from '../letting/agency.ts';
import { good, startTestServer, type ApiResponse, type TestServer } from '../support/server.ts';
import { stopMonotonicClock } from '../support/still-clock.ts';
import { addKey } from '../support/tenants.ts';
import { expectInvalid, open, postTo, Renter, tokenIn } from './renter.ts';

let server: TestServer;
/** A second process of the same deployment. */
let second: TestServer;
let agency: Agency;
let ada: Made;
/** How far the tests have moved the clock, in milliseconds. */
let aheadMs = 0;
const clock = { nowMs: () => Date.now() + aheadMs };

const minuteMs = 60_000;

beforeAll(async () => {
  server = await startTestServer({ overrides: { clock } });
  second = await startTestServer({ connection: server.connection, overrides: { clock } });
  agency = await Agency.on(server);
  ada = await agency.make('customers', { name: 'Ada Lovelace', email: 'ada@example.com' });
});
afterAll(async () => {
  await second.stop();
  await server.stop();
});

const sessionOf = (more: object = {}): Promise<Made> => agency.make('portal_sessions', { customer: ada.id, ...more });

describe('POST /v1/portal_sessions', () => {
  test('shows the link once, with the token behind the #', async () => {
    const session = await sessionOf({ return_url: 'https://example.com/tenants', metadata: { order: '1' } });
    expect(session).toMatchObject({
      object: 'portal_session',
      customer: ada.id,
      features: ['details', 'documents', 'applications', 'money', 'notice', 'pets'],
      return_url: 'https://example.com/tenants',
      status: 'pending',
      opened_at: null,
      ended_at: null,
      email_status: null,
      metadata: { order: '1' },
    });
    expect(new URL(session.url)).toMatchObject({ pathname: '/portal', search: '' });
    expect(tokenIn(session)).toMatch(/^[0-9A-Za-z]{32}$/);
    expect(await agency.get('portal_sessions', session.id)).toEqual({ ...session, url: undefined });
    const { body: list } = await good(agency.api.get(`/v1/portal_sessions?customer=${ada.id}`));
    expect(JSON.stringify(list)).not.toContain(tokenIn(session));
  });

  test.each([
    ['a foreign customer', { customer: 'cus_0VbZq9aK00mT3cUuP8sXw4' }, 'customer'],
    ['an id of another system', { customer: 'tenant_1' }, 'customer'],
    ['an unknown feature', { features: ['keys'] }, 'features[0]'],
    ['no feature', { features: [] }, 'features'],
    ['a link for less than five minutes', { expires_in: 299 }, 'expires_in'],
    ['a link for more than a week', { expires_in: 604_801 }, 'expires_in'],
    ['a script as the way back', { return_url: 'javascript:alert(1)' }, 'return_url'],
    ['http as the way back', { return_url: 'http://example.com/' }, 'return_url'],
  ])('refuses %s', async (_, body, param) => {
    const answer = await agency.api.post('/v1/portal_sessions', { customer: ada.id, ...body });
    expect(answer).toMatchObject({ status: 400, body: { error: { param } } });
  });

  test('refuses the permission for an agent key', async () => {
    const answer = await agency.api.post('/v1/api_keys', {
      type: 'agent',
      name: 'Helper',
      permissions: ['portal_sessions.write'],
    });
    expect(answer).toMatchObject({ status: 400, body: { error: { param: 'permissions' } } });
  });

  test('needs the permission to write sessions', async () => {
    const { api } = await addKey(server, agency.accountId, { permissions: ['portal_sessions.read'] });
    expect((await api.post('/v1/portal_sessions', { customer: ada.id })).status).toBe(403);
  });

  test('sends the link by e-mail, and never shows its token elsewhere', async () => {
    const session = await sessionOf({ send_email: true });
    expect(session.email_status).toBe('kept');
    const { body } = await good(agency.api.get('/v1/test_helpers/emails'));
    expect(body.data[0]).toMatchObject({
      kind: 'portal_session',
      about: session.id,
      to: 'ada@example.com',
      link: session.url,
    });
    for (const path of ['/v1/events?limit=50', '/v1/logs?limit=50'])
      expect(JSON.stringify((await good(agency.api.get(path))).body), path).not.toContain(tokenIn(session));
  });

  test.each([
    [undefined, 'details, documents, applications, tenancies and payments'],
    [['documents'], 'documents'],
    [['pets', 'applications'], 'applications and tenancies'],
  ])('names in the e-mail what the link opens when its features are %j', async (features, text) => {
    await sessionOf({ send_email: true, ...(features && { features }) });
    const { body } = await good(agency.api.get('/v1/test_helpers/emails'));
    expect(body.data[0].text).toContain(`There you see your ${text}.`);
  });

  test.each(['agent', 'restricted'])(
    'hides the e-mail of a sandbox from a key that makes no sessions: %s',
    async (type) => {
      await sessionOf({ send_email: true });
      const { body } = await good(
        agency.api.post('/v1/api_keys', { type, name: 'Helper', permissions: ['file_contents.read'] }),
      );
      const emails = await fetch(`${server.url}/v1/test_helpers/emails`, {
        headers: { authorization: `Bearer ${body.secret}` },
      });
      expect(await emails.json()).toMatchObject({ count: 0, data: [] });
    },
  );

  test('refuses an e-mail to a person without an address', async () => {
    const { id: customer } = await agency.make('customers', { name: 'Grace' });
    const answer = await agency.api.post('/v1/portal_sessions', { customer, send_email: true });
    expect(answer).toMatchObject({ status: 400, body: { error: { param: 'send_email' } } });
  });
});

const read = (token: unknown): Promise<ApiResponse> => postTo(server.url, 'link', { token });

describe('POST /v1/portal/link', () => {
  test('names the agent, and nothing of the person, and spends nothing', async () => {
    const session = await sessionOf();
    for (let reading = 0; reading < 2; reading++) {
      const { body } = await good(read(tokenIn(session)));
      expect(body).toMatchObject({ object: 'portal_link', expires_at: session.expires_at });
      expect(Object.keys(body.account)).toContain('brand_color');
      expect(JSON.stringify(body)).not.toMatch(/Ada|cus_|psn_/);
    }
    expect(await agency.historyOf(session.id)).toEqual(['portal_session.created']);
    await good(open(server.url, tokenIn(session)));
    expectInvalid(await read(tokenIn(session)));
  });

  test('refuses a link that was ended, and texts that are none', async () => {
    const session = await sessionOf();
    await agency.move('portal_sessions', session.id, 'end');
    for (const token of [tokenIn(session), 'x', '']) expectInvalid(await read(token));
    expect((await read(7)).body.error.param).toBe('token');
  });
});

describe('POST /v1/portal/open', () => {
  test('gives a token, and makes an event without an actor and a log without bodies', async () => {
    const session = await sessionOf();
    const answer = await good(open(server.url, tokenIn(session)));
    expect(answer.body).toMatchObject({ object: 'portal_access', id: session.id, return_url: null });
    expect(answer.body.session_token).toMatch(/^pst_[0-9A-Za-z]{32}$/);
    expect(answer.body.expires_at - answer.body.opened_at).toBe(8 * 3600);
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(await agency.get('portal_sessions', session.id)).toMatchObject({ status: 'active' });
    const requestId = answer.headers.get('request-id');
    const { body: events } = await good(
      agency.api.get(`/v1/events?object_id=${session.id}&type=portal_session.opened`),
    );
    expect(events.data[0].request).toEqual({
      id: requestId,
      idempotency_key: null,
      from_dashboard: false,
      customer_portal: true,
      actor: null,
    });
    expect(await agency.get('logs', requestId!)).toMatchObject({
      source: 'portal',
      portal_session: session.id,
      key_id: null,
      request_body: null,
      response_body: null,
    });
    const { body: logs } = await good(agency.api.get(`/v1/logs?portal_session=${session.id}`));
    expect(logs.data.map(({ id }: Made) => id)).toEqual([requestId]);
  });

  test('opens a link once', async () => {
    const session = await sessionOf();
    await good(open(server.url, tokenIn(session)));
    expectInvalid(await open(server.url, tokenIn(session)));
    expectInvalid(await open(second.url, tokenIn(session)));
  });

  test('opens a link once when two processes try at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const session = await sessionOf();
      const answers = await Promise.all([server, second, server, second].map(({ url }) => open(url, tokenIn(session))));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 401)).toHaveLength(3);
      expect(await agency.historyOf(session.id)).toEqual([
        'portal_session.created',
        'portal_session.updated',
        'portal_session.opened',
      ]);
    }
  });

  test('refuses an altered token, and texts that are none', async () => {
    const token = tokenIn(await sessionOf());
    const altered = (token.startsWith('0') ? '1' : '0') + token.slice(1);
    for (const wrong of [altered, token.slice(1), `${token}0`, '', ' ']) expectInvalid(await open(server.url, wrong));
    for (const wrong of [null, 7, ['x'], undefined])
      expect((await open(server.url, wrong)).body.error.param).toBe('token');
    await good(open(server.url, token));
  });

  test('refuses a link that has expired', async () => {
    const session = await sessionOf({ expires_in: 300 });
    aheadMs += 5 * minuteMs;
    expectInvalid(await open(server.url, tokenIn(session)));
    expect(await agency.get('portal_sessions', session.id)).toMatchObject({ status: 'ended', ended_at: null });
  });

  test('refuses the link of an ended session', async () => {
    const session = await sessionOf();
    expect(await agency.move('portal_sessions', session.id, 'end')).toMatchObject({ status: 'ended' });
    expectInvalid(await open(server.url, tokenIn(session)));
  });

  test('refuses the link of an erased person', async () => {
    const { id: customer } = await agency.make('customers', { name: 'Grace' });
    const session = await agency.make('portal_sessions', { customer });
    await good(agency.api.delete(`/v1/customers/${customer}`));
    expectInvalid(await open(server.url, tokenIn(session)));
  });

  test('gives our own page a cookie that no script reads', async () => {
    const session = await sessionOf();
    const headers = { 'service-client': 'portal', origin: server.url };
    const answer = await good(open(server.url, tokenIn(session), headers));
    expect(answer.body.session_token).toBeUndefined();
    const set = answer.headers.get('set-cookie')!;
    expect(set).toMatch(
      /^tenure_portal_\d+=pst_[0-9A-Za-z]{32}; Path=\/v1\/portal; Max-Age=28800; HttpOnly; SameSite=Strict$/,
    );
    const cookie = set.split(';', 1)[0]!;
    const me = (more: Record<string, string>): Promise<Response> =>
      fetch(`${server.url}/v1/portal/me`, { headers: { cookie, ...more } });
    expect((await me({ 'service-client': 'portal' })).status).toBe(200);
    expect((await me({})).status).toBe(401);
    expect((await me({ 'service-client': 'dashboard' })).status).toBe(401);
    expect((await me({ 'service-client': 'portal', origin: 'https://evil.example' })).status).toBe(403);
    expect((await me({ 'service-client': 'portal', 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    // The API and the dashboard do not know the cookie.
    const account = await fetch(`${server.url}/v1/account`, { headers: { cookie, 'service-client': 'dashboard' } });
    expect(account.status).toBe(401);
  });

  test('refuses a cookie to the page of another site', async () => {
    const session = await sessionOf();
    const headers = { 'service-client': 'portal', origin: 'https://evil.example' };
    expect((await open(server.url, tokenIn(session), headers)).body.error.code).toBe('origin_forbidden');
    await good(open(server.url, tokenIn(session)));
  });

  test('has a secure cookie with a prefix at https', async () => {
    const behind = await startTestServer({
      connection: server.connection,
      settings: { TENURE_PUBLIC_URL: 'https://lets.example' },
      overrides: { clock },
    });
    try {
      const session = await sessionOf();
      const answer = await fetchAs(behind.url, 'lets.example', tokenIn(session));
      expect(answer).toMatch(
        /^__Secure-tenure_portal=pst_[0-9A-Za-z]{32}; Path=\/v1\/portal; .*SameSite=Strict; Secure$/,
      );
    } finally {
      await behind.stop();
    }
  });
});

describe('an opened session', () => {
  test('lasts an hour after its last request', async () => {
    const renter = await Renter.of(agency, server, ada.id);
    for (let times = 0; times < 3; times++) {
      await good(renter.get('me'));
      aheadMs += 55 * minuteMs;
      await good(renter.get('me'));
      await writeUses(renter);
    }
    aheadMs += 62 * minuteMs;
    expectInvalid(await renter.get('me'));
    expect(await agency.get('portal_sessions', renter.sessionId)).toMatchObject({ status: 'ended' });
  });

  test('lasts eight hours at most', async () => {
    const renter = await Renter.of(agency, server, ada.id);
    for (let hours = 0; hours < 9; hours++) {
      aheadMs += 53 * minuteMs;
      await good(renter.get('me'));
      await writeUses(renter);
    }
    // Three minutes are left.
    aheadMs += 4 * minuteMs;
    expectInvalid(await renter.get('me'));
  });

  test('ends when the person ends it', async () => {
    const renter = await Renter.of(agency, server, ada.id);
    expect((await good(renter.post('end'))).body).toEqual({
      object: 'portal_access',
      id: renter.sessionId,
      ended: true,
    });
    await expect.poll(async () => (await renter.get('me')).status).toBe(401);
    await expect.poll(async () => (await renter.at(second).get('me')).status).toBe(401);
    expect((await agency.historyOf(renter.sessionId)).at(-1)).toBe('portal_session.ended');
  });

  test('ends in every process when the address changes to which its link was sent', async () => {
    const person = await agency.make('customers', { name: 'Grace Hopper', email: 'wrong@example.com' });
    const renter = await Renter.of(agency, server, person.id, { send_email: true });
    const unopened = await agency.make('portal_sessions', { customer: person.id, send_email: true });
    await good(agency.api.post(`/v1/customers/${person.id}`, { email: 'grace@example.com' }));
    for (const id of [renter.sessionId, unopened.id]) {
      expect((await good(agency.api.get(`/v1/portal_sessions/${id}`))).body.status).toBe('ended');
      expect((await agency.historyOf(id)).at(-1)).toBe('portal_session.ended');
    }
    expectInvalid(await open(second.url, tokenIn(unopened)));
    await expect.poll(async () => (await renter.get('me')).status).toBe(401);
    await expect.poll(async () => (await renter.at(second).get('me')).status).toBe(401);
  });

  test('is void when another process made it while the address changed to which its link was sent', async () => {
    const person = await agency.make('customers', { name: 'Grace Hopper', email: 'wrong@example.com' });
    const renter = await Renter.of(agency, server, person.id, { send_email: true });
    const unopened = await agency.make('portal_sessions', { customer: person.id, send_email: true });
    // The change has not seen these sessions.
    await server.context.database.readers.query('update customers set email = $1 where id = $2', [
      'grace@example.com',
      person.id,
    ]);
    expectInvalid(await open(second.url, tokenIn(unopened)));
    await expect.poll(async () => (await renter.get('me')).status).toBe(401);
    await expect.poll(async () => (await renter.at(second).get('me')).status).toBe(401);
  });

  test('goes on when another member of the person changes, or its link was handed over', async () => {
    const person = await agency.make('customers', { name: 'Grace Hopper', email: 'grace@example.com' });
    const sent = await Renter.of(agency, server, person.id, { send_email: true });
    const handedOver = await Renter.of(agency, server, person.id);
    await good(agency.api.post(`/v1/customers/${person.id}`, { email: 'grace@example.com', phone: '01904 555 0123' }));
    expect((await good(agency.api.get(`/v1/portal_sessions/${sent.sessionId}`))).body.status).toBe('active');
    await good(agency.api.post(`/v1/customers/${person.id}`, { email: 'hopper@example.com' }));
    expect((await good(agency.api.get(`/v1/portal_sessions/${handedOver.sessionId}`))).body.status).toBe('active');
  });

  test('opens no other route, and no key opens the portal', async () => {
    const renter = await Renter.of(agency, server, ada.id);
    for (const path of ['/v1/customers', `/v1/customers/${ada.id}`, '/v1/portal_sessions', '/v1/account']) {
      const answer = await fetch(server.url + path, { headers: { authorization: `Bearer ${renter.token}` } });
      expect(answer.status, path).toBe(401);
    }
    expectInvalid(await agency.api.get('/v1/portal/me'));
    expectInvalid(await agency.api.get('/v1/portal/unknown'));
    expect((await renter.get('unknown')).body.error.code).toBe('route_unknown');
    expect((await renter.send('DELETE', 'me')).body.error.code).toBe('method_not_allowed');
  });

  test('sends five requests a second', async () => {
    const renter = await Renter.of(agency, server, ada.id);
    stopMonotonicClock();
    const answers = await Promise.all(Array.from({ length: 12 }, () => renter.sendOnce('GET', 'me')));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(7);
    expect(refused[0]!.headers.get('retry-after')).toBe('1');
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
  });
});

describe('the end of a session', () => {
  test.each([
    ['by a key', (renter: Renter) => agency.api.post(`/v1/portal_sessions/${renter.sessionId}/end`)],
    ['by the erasure of the person', (renter: Renter) => agency.api.delete(`/v1/customers/${renter.customerId}`)],
  ])('counts in each process, %s', async (_, act) => {
    const { id: customer } = await agency.make('customers', { name: 'Grace' });
    const renters = [await Renter.of(agency, server, customer), await Renter.of(agency, server, customer)];
    const [ending, other] = renters as [Renter, Renter];
    await good(ending.at(second).get('me'));
    await good(act(ending));
    await expect.poll(async () => (await ending.get('me')).status).toBe(401);
    await expect.poll(async () => (await ending.at(second).get('me')).status).toBe(401);
    expect(await agency.get('portal_sessions', ending.sessionId)).toMatchObject({ status: 'ended' });
    const isErased = (await agency.get('customers', customer)).deleted === true;
    expect((await other.get('me')).status).toBe(isErased ? 401 : 200);
    expect((await agency.historyOf(ending.sessionId)).at(-1)).toBe('portal_session.ended');
  });

  test('changes nothing when it comes again', async () => {
    const session = await sessionOf();
    const first = await agency.move('portal_sessions', session.id, 'end');
    expect(await agency.move('portal_sessions', session.id, 'end')).toEqual(first);
  });
});

/** Writes the last uses, as a duty does each minute, and reads the session anew. */
async function writeUses({ token }: Renter): Promise<void> {
  const { portalUses, portalRing, database } = server.context;
  await portalUses.write(database.writers);
  expect(await portalRing.getAnew(token)).not.toBeNull();
}

/** Opens a link with the `Host` of another name. Returns the cookie. */
async function fetchAs(url: string, host: string, token: string): Promise<string | undefined> {
  const { request } = await import('node:http');
  return new Promise((resolve, reject) => {
    const sent = request(
      `${url}/v1/portal/open`,
      {
        method: 'POST',
        headers: {
          host,
          origin: `https://${host}`,
          'service-client': 'portal',
          'content-type': 'application/json',
        },
      },
      (response) => {
        response.resume();
        resolve(response.headers['set-cookie']?.[0]);
      },
    );
    sent.on('error', reject);
    sent.end(JSON.stringify({ token }));
  });
}
