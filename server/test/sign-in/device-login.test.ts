import pino from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newMasterKey } from '../../src/server/config.ts';
import { purgeSignIns } from '../../src/maintenance/purge-sign-ins.ts';
import type { Role } from '../../src/model/callers/roles.ts';
import { goodPassword, signedIn, type Browser, type SignedIn } from '../support/browser.ts';
import { TestClock } from '../support/clock.ts';
import { Device } from '../support/device.ts';
import { everyCell } from '../support/every-cell.ts';
import {
  apiClient,
  good,
  serverForTest,
  startTestServer,
  type ApiResponse,
  type TestServer,
} from '../support/server.ts';
import { addAccount, firstAccountId } from '../support/tenants.ts';

const daySeconds = 24 * 3600;

let server: TestServer;
/** A second process of the same deployment. */
let second: TestServer;
let developer: SignedIn;
const clock = new TestClock();
/** What the servers print. */
let printed = '';

beforeAll(async () => {
  const log = pino({ level: 'trace' }, { write: (line: string) => void (printed += line) });
  const overrides = { clock };
  server = await startTestServer({ overrides, changeContext: (context) => ({ ...context, log }) });
  second = await startTestServer({ overrides, connection: server.connection });
  developer = await signedIn(server, 'developer');
});
afterAll(async () => {
  await second.stop();
  await server.stop();
});

/** Begins a sign-in, approves it, and picks up the key. */
async function signInDevice(
  { browser }: SignedIn,
  access: 'full' | 'read_only' = 'full',
  machine = 'laptop',
): Promise<ApiResponse['body']> {
  const device = new Device(server);
  const { device_code: deviceCode, user_code: userCode } = await device.begin(machine);
  await good(decide(browser, userCode, 'approve', access));
  return (await good(device.pickUp(deviceCode))).body;
}

function decide(
  browser: Browser,
  userCode: string,
  decision: 'approve' | 'deny',
  access: 'full' | 'read_only' = 'full',
): Promise<ApiResponse> {
  return browser.post('/auth/device/decide', {
    user_code: userCode,
    decision,
    ...(decision === 'approve' && { access }),
  });
}

function faultIn({ status, body }: ApiResponse): unknown[] {
  return [status, body.error?.code, body.error?.param];
}

const unknownDeviceCode = [400, 'parameter_invalid', 'device_code'];
const unknownUserCode = [400, 'parameter_invalid', 'user_code'];

async function rowsOf(table: string): Promise<number> {
  const { rows } = await server.context.database.readers.query<{ count: number }>(
    `select count(*)::integer as count from ${table}`,
  );
  return rows[0]!.count;
}

describe('a sign-in of the command line', () => {
  test('gets a key of 90 days when a person compares and approves', async () => {
    const device = new Device(server);
    const begun = await device.begin('ada’s laptop');
    expect(begun).toEqual({
      object: 'device_login',
      device_code: expect.stringMatching(/^[0-9A-Za-z]{43}$/),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_url: `${server.context.config.publicUrl}/dashboard/cli`,
      expires_in: 600,
      interval: 2,
      ip_address: device.address,
    });
    expect((await good(device.pickUp(begun.device_code))).body).toEqual({ object: 'device_login', status: 'pending' });
    // A person may type the code in another form.
    const userCode = begun.user_code.replace('-', ' ').toLowerCase();
    const read = await good(developer.browser.post('/auth/device/read', { user_code: userCode }));
    expect(read.body).toMatchObject({ machine: 'ada’s laptop', ip_address: device.address });
    expect(read.text).not.toContain(begun.device_code);
    const approved = await good(decide(developer.browser, begun.user_code, 'approve'));
    expect(approved.body).toMatchObject({ status: 'approved', key: expect.stringMatching(/^key_/) });

    const { body } = await good(device.pickUp(begun.device_code));
    const accountId = await firstAccountId(server);
    expect(body).toMatchObject({ status: 'approved', key: { id: approved.body.key }, account: { id: accountId } });
    const { data } = (await good(apiClient(server.url, body.api_key).get('/v1/api_keys'))).body;
    const key = data.find(({ id }: { id: string }) => id === body.key.id);
    expect(key).toMatchObject({
      type: 'restricted',
      name: 'CLI on ada’s laptop',
      created_by: developer.id,
      expires_at: expect.toSatisfy((at: number) => Math.abs(at - clock.nowMs() / 1000 - 90 * daySeconds) < 60),
    });
    const events = (await good(server.api.get('/v1/events?type=api_key.created'))).body.data;
    expect(events[0]).toMatchObject({
      data: { object: { id: key.id } },
      request: { actor: { type: 'user', id: developer.id } },
    });
  });

  test('has what the role may do and a key may hold when the access is full', async () => {
    const { key, api_key: secret } = await signInDevice(developer);
    expect(key.permissions).toEqual(expect.arrayContaining(['references.write', 'api_keys.write', 'logs.read']));
    expect(key.permissions.join()).not.toMatch(/users|invitations/);
    const api = apiClient(server.url, secret);
    await good(api.post('/v1/customers', { name: 'Ada' }));
    expect(faultIn(await api.get('/v1/users'))[1]).toBe('person_required');
  });

  test('changes nothing when the access is to read only', async () => {
    const { key, api_key: secret } = await signInDevice(developer, 'read_only');
    expect(key.permissions.filter((one: string) => !one.endsWith('.read'))).toEqual([]);
    const api = apiClient(server.url, secret);
    await good(api.get('/v1/customers'));
    for (const [path, body] of [
      ['/v1/customers', { name: 'Ada' }],
      ['/v1/api_keys', { type: 'restricted', permissions: ['customers.read'] }],
      [`/v1/api_keys/${key.id}/roll`, {}],
      ['/v1/account', { name: 'Mine' }],
    ] as const)
      expect(faultIn(await api.post(path, body)).slice(0, 2)).toEqual([403, 'permission_denied']);
  });

  test('gets no key when a person denies it', async () => {
    const device = new Device(server);
    const { device_code: deviceCode, user_code: userCode } = await device.begin();
    const keys = await rowsOf('api_keys');
    expect((await good(decide(developer.browser, userCode, 'deny'))).body).toMatchObject({ key: null });
    expect((await good(device.pickUp(deviceCode))).body).toEqual({ object: 'device_login', status: 'denied' });
    expect(faultIn(await decide(developer.browser, userCode, 'approve'))).toEqual(unknownUserCode);
    expect(await rowsOf('api_keys')).toBe(keys);
  });

  test('gets one key when two browsers approve it at once in two processes', async () => {
    const device = new Device(server);
    const { device_code: deviceCode, user_code: userCode } = await device.begin();
    const keys = await rowsOf('api_keys');
    const owner = await signedIn(server, 'owner');
    const answers = await Promise.all([
      decide(developer.browser, userCode, 'approve'),
      decide(owner.browser.copy(second), userCode, 'approve', 'read_only'),
    ]);
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 400]);
    expect(await rowsOf('api_keys')).toBe(keys + 1);
    const winner = answers.find(({ status }) => status === 200)!;
    expect((await good(device.pickUp(deviceCode))).body.key.id).toBe(winner.body.key);
  });

  test('gives its key once when ten programs pick it up at once in two processes', async () => {
    const { device_code: deviceCode, user_code: userCode } = await new Device(server).begin();
    await good(decide(developer.browser, userCode, 'approve'));
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => new Device(index % 2 === 0 ? server : second).pickUp(deviceCode)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers) if (answer.status !== 200) expect(faultIn(answer)).toEqual(unknownDeviceCode);
    expect(faultIn(await new Device(server).pickUp(deviceCode))).toEqual(unknownDeviceCode);
  });

  test('gives its key when the process that took the approval is gone', async () => {
    const gone = await startTestServer({ overrides: { clock }, connection: server.connection });
    const { device_code: deviceCode, user_code: userCode } = await new Device(gone).begin();
    await good(decide(developer.browser.copy(gone), userCode, 'approve'));
    await gone.stop();
    const { body } = await good(new Device(second).pickUp(deviceCode));
    await good(apiClient(second.url, body.api_key).get('/v1/account'));
  });

  test('keeps its codes and its key out of logs, of the output and of all tables in clear', async () => {
    const device = new Device(server);
    const begun = await device.begin();
    await good(developer.browser.post('/auth/device/read', { user_code: begun.user_code }));
    await good(decide(developer.browser, begun.user_code, 'approve'));
    const waiting = await everyCell(server);
    const picked = await good(device.pickUp(begun.device_code));
    expect(picked.headers.get('cache-control')).toBe('no-store');
    const stored = await everyCell(server);
    const letters = begun.user_code.replace('-', '');
    for (const secret of [picked.body.api_key, begun.device_code, begun.user_code, letters])
      for (const text of [waiting, stored, printed]) expect(text).not.toContain(secret);
    expect(printed).toContain('/auth/device/token');
    expect(await rowsOf(`device_logins where key_id = '${picked.body.key.id}'`)).toBe(0);
  });
});

describe('a code', () => {
  test('is refused alike when it is unknown, used, expired or of another form', async () => {
    clock.stop();
    const device = new Device(server);
    const used = await device.begin();
    await good(decide(developer.browser, used.user_code, 'approve'));
    await good(device.pickUp(used.device_code));
    const late = await device.begin();
    const approved = await device.begin();
    clock.advanceSeconds(590);
    await good(decide(developer.browser, approved.user_code, 'approve'));
    clock.advanceSeconds(11);
    // The command still has a minute after an approval at the last moment.
    await good(device.pickUp(approved.device_code));
    expect(faultIn(await decide(developer.browser, late.user_code, 'approve'))).toEqual(unknownUserCode);
    const texts = new Set<string>();
    const first = late.device_code[0] === 'A' ? 'B' : 'A';
    for (const code of [used.device_code, late.device_code, first + late.device_code.slice(1), 'A', "'"]) {
      const answer = await device.pickUp(code);
      expect(faultIn(answer)).toEqual(unknownDeviceCode);
      texts.add(answer.body.error.message);
    }
    expect(texts.size).toBe(1);
  });

  test('gives nothing when it is that of another device', async () => {
    const [mine, other] = [new Device(server), new Device(server)];
    const [own, foreign] = [await mine.begin(), await other.begin('other')];
    await good(decide(developer.browser, foreign.user_code, 'approve'));
    expect((await good(mine.pickUp(own.device_code))).body.status).toBe('pending');
    // The two codes of a sign-in do not stand for each other.
    expect(faultIn(await mine.pickUp(foreign.user_code))).toEqual(unknownDeviceCode);
    expect(faultIn(await decide(developer.browser, foreign.device_code.slice(0, 40), 'approve'))).toEqual(
      unknownUserCode,
    );
  });

  test('stops a person after five wrong ones, and no other person', async () => {
    const guesser = await signedIn(server, 'developer');
    const device = new Device(server);
    const { user_code: userCode, device_code: deviceCode } = await device.begin();
    const guess = (code: string): Promise<ApiResponse> =>
      guesser.browser.post('/auth/device/read', { user_code: code });
    for (const [index, letter] of ['B', 'C', 'D', 'F', 'G'].entries()) {
      expect(faultIn(await guess(letter.repeat(8)))).toEqual(unknownUserCode);
      // A right code takes back only its own attempt.
      if (index === 3) await good(guess(userCode));
    }
    const refused = await guess(userCode);
    expect(faultIn(refused).slice(0, 2)).toEqual([429, 'too_many_attempts']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800);
    expect(faultIn(await decide(guesser.browser, userCode, 'approve'))[0]).toBe(429);
    await good(decide(developer.browser, userCode, 'approve'));
    await good(device.pickUp(deviceCode));
  });
});

describe('the begin of a sign-in', () => {
  test('is refused beyond ten of an address, and leaves no more rows', async () => {
    const device = new Device(server);
    const [logins, logs] = [await rowsOf('device_logins'), await rowsOf('request_logs')];
    const answers = await Promise.all(Array.from({ length: 30 }, () => device.post('begin', { machine: 'a' })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    for (const answer of answers)
      if (answer.status !== 200) expect(faultIn(answer).slice(0, 2)).toEqual([429, 'too_many_attempts']);
    expect(await rowsOf('device_logins')).toBe(logins + 10);
    expect(await rowsOf('request_logs')).toBe(logs);
    await new Device(server).begin();
  });

  test('is possible again and again when each sign-in is approved', async () => {
    const device = new Device(server);
    for (let time = 0; time < 12; time++) {
      const { user_code: userCode } = await device.begin();
      await good(decide(developer.browser, userCode, 'approve', 'read_only'));
    }
  });

  test.each([
    [{}, 'parameter_missing'],
    [{ machine: '' }, 'parameter_invalid'],
    [{ machine: 'a'.repeat(101) }, 'parameter_invalid'],
    [{ machine: 'two\nlines' }, 'parameter_invalid'],
    [{ machine: 'a\u202eb' }, 'parameter_invalid'],
    [{ machine: 'a', admin: true }, 'parameter_unknown'],
  ])('is refused when its body is %j', async (body, code) => {
    const before = await rowsOf('device_logins');
    expect(faultIn(await new Device(server).post('begin', body)).slice(0, 2)).toEqual([400, code]);
    expect(await rowsOf('device_logins')).toBe(before);
  });

  test.each<Record<string, string>>([
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'service-client': 'dashboard' },
    { cookie: 'tenure=a' },
  ])('is refused with all other steps when a browser sends %j', async (headers) => {
    const device = new Device(server);
    const before = await rowsOf('device_logins');
    const steps = { begin: { machine: 'a' }, token: { device_code: 'a' }, end: {} };
    for (const [step, body] of Object.entries(steps)) {
      const answer = await device.post(step, body, headers);
      expect(faultIn(answer).slice(0, 2)).toEqual([403, 'origin_forbidden']);
    }
    expect(await rowsOf('device_logins')).toBe(before);
  });

  test('says why there is none when the deployment has no dashboard, or no person yet', async () => {
    const empty = await serverForTest();
    const noPerson = await new Device(empty).post('begin', { machine: 'a' });
    expect(faultIn(noPerson).slice(0, 2)).toEqual([404, 'resource_missing']);
    expect(noPerson.body.error.message).toContain('npm run login-link');
    const headless = await serverForTest({
      settings: { TENURE_DASHBOARD: 'off' },
      connection: server.connection,
    });
    const noDashboard = await new Device(headless).post('begin', { machine: 'a' });
    expect(faultIn(noDashboard).slice(0, 2)).toEqual([404, 'resource_missing']);
    expect(noDashboard.body.error.message).toContain('has no dashboard');
  });
});

describe('a person', () => {
  test.each<Role>(['operator', 'viewer'])('is refused when the role is %s', async (role) => {
    const { browser } = await signedIn(server, role);
    const { user_code: userCode } = await new Device(server).begin();
    const keys = await rowsOf('api_keys');
    for (const answer of [
      await browser.post('/auth/device/read', { user_code: userCode }),
      await decide(browser, userCode, 'approve', 'read_only'),
      await decide(browser, userCode, 'deny'),
    ]) {
      expect(faultIn(answer).slice(0, 2)).toEqual([403, 'permission_denied']);
      expect(answer.body.error.message).toContain('api_keys.write');
    }
    expect(await rowsOf('api_keys')).toBe(keys);
  });

  test('gives the key of the own account only when it belongs to another account', async () => {
    const { accountId } = await addAccount(server);
    const stranger = await signedIn(server, 'owner', { accountId });
    const device = new Device(server);
    const { device_code: deviceCode, user_code: userCode } = await device.begin();
    // A header that names another account changes nothing.
    const first = await firstAccountId(server);
    await good(
      stranger.browser.post(
        '/auth/device/decide',
        { user_code: userCode, decision: 'approve', access: 'full' },
        { 'service-context': first },
      ),
    );
    const { body } = await good(device.pickUp(deviceCode));
    expect(body.account).toEqual({ id: accountId, name: 'Another' });
    const api = apiClient(server.url, body.api_key);
    expect((await good(api.get('/v1/account'))).body.id).toBe(accountId);
    expect((await api.get('/v1/account', { 'service-context': first })).status).toBe(403);
    // The key has its events in that account. The oldest account has only the sign-in.
    const own = (await good(api.get('/v1/events?type=api_key.created'))).body;
    expect(own.data.map(({ data }: { data: { object: { id: string } } }) => data.object.id)).toEqual([body.key.id]);
    expect((await good(server.api.get('/v1/events'))).text).not.toContain(body.key.id);
  });

  test('decides nothing when the session has ended', async () => {
    const { browser } = await signedIn(server, 'developer');
    const stolen = browser.copy();
    await good(browser.post('/auth/sign_out'));
    const { user_code: userCode } = await new Device(server).begin();
    expect(faultIn(await decide(stolen, userCode, 'approve')).slice(0, 2)).toEqual([401, 'session_expired']);
  });

  test('confirms the identity first when the mode is live', async () => {
    const live = new TestClock();
    const deployment = await serverForTest({
      overrides: { clock: live },
      settings: {
        TENURE_MODE: 'live',
        TENURE_ROLE: 'api',
        DATABASE_URL: 'postgres://given.by.the.test/',
        TENURE_MASTER_KEY: newMasterKey(),
      },
    });
    // The account requires a second factor, which has no code in this test.
    const passkeys = [
      { id: 'a', public_key: 'a', counter: 0, transports: [], name: 'a', created: 0, last_used_at: null },
    ];
    const { browser } = await signedIn(deployment, 'owner', { changed: { passkeys } });
    live.advanceSeconds(15 * 60);
    const device = new Device(deployment);
    const { device_code: deviceCode, user_code: userCode } = await device.begin();
    await good(browser.post('/auth/device/read', { user_code: userCode }));
    // The attempts of these requests do not count.
    for (let time = 0; time < 6; time++)
      expect(faultIn(await decide(browser, userCode, 'approve'))[1]).toBe('reauthentication_required');
    await good(browser.post('/auth/confirm', { password: goodPassword }));
    await good(decide(browser, userCode, 'approve'));
    expect((await good(device.pickUp(deviceCode))).body.api_key).toMatch(/^rk_live_/);
    // A person without the required factor only sets one up.
    const { browser: without } = await signedIn(deployment, 'owner');
    const other = await device.begin();
    expect(faultIn(await decide(without, other.user_code, 'approve'))[1]).toBe('second_factor_setup_required');
  });
});

describe('the end of a key', () => {
  test.each(['full', 'read_only'] as const)('is asked for by the key itself when its access is %s', async (access) => {
    const { api_key: secret, key } = await signInDevice(developer, access);
    const device = new Device(server);
    const headers = { authorization: `Bearer ${secret}` };
    expect((await good(device.post('end', {}, headers))).body).toEqual({
      object: 'api_key',
      id: key.id,
      status: 'revoked',
    });
    expect(faultIn(await apiClient(second.url, secret).get('/v1/account')).slice(0, 2)).toEqual([
      401,
      'api_key_expired',
    ]);
    expect((await device.post('end', {}, headers)).status).toBe(401);
    const events = (await good(server.api.get('/v1/events?type=api_key.revoked'))).body.data;
    expect(events[0]).toMatchObject({
      data: { object: { id: key.id } },
      request: { actor: { type: 'api_key', id: key.id } },
    });
  });

  test('is refused when the key has another origin', async () => {
    const { secret } = (
      await good(
        server.api.post('/v1/api_keys', { type: 'restricted', name: 'CLI on laptop', permissions: ['customers.read'] }),
      )
    ).body;
    for (const key of [secret, server.secretKey]) {
      const answer = await new Device(server).post('end', {}, { authorization: `Bearer ${key}` });
      expect(faultIn(answer).slice(0, 2)).toEqual([403, 'permission_denied']);
      await good(apiClient(server.url, key).get('/v1/customers'));
    }
    expect((await new Device(server).post('end')).status).toBe(401);
  });
});

test('removes expired sign-ins with their sealed keys after an hour', async () => {
  const deployment = await serverForTest();
  const { browser } = await signedIn(deployment, 'owner');
  const { readers } = deployment.context.database;
  const count = async (): Promise<number> => (await readers.query('select 1 from device_logins')).rows.length;
  const device = new Device(deployment);
  await device.begin();
  await good(decide(browser, (await device.begin()).user_code, 'approve'));
  const nowSeconds = Math.floor(Date.now() / 1000);
  await purgeSignIns(readers, nowSeconds + 3600);
  expect(await count()).toBe(2);
  await purgeSignIns(readers, nowSeconds + 3600 + 601);
  expect(await count()).toBe(0);
});
