import { existsSync, readdirSync, statSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isSignedWith, receiverForTest, type Received, type Receiver } from '../../server/test/support/receiver.ts';
import { pdfOf } from '../../server/test/support/files.ts';
import { processesForTest } from '../../server/test/support/processes.ts';
import { apiClient, good, startTestServer, type Api, type TestServer } from '../../server/test/support/server.ts';
import { allPermissions } from '../../server/test/support/permissions.ts';
import { addAccount, addKey, type Tenant } from '../../server/test/support/tenants.ts';
import { versions } from '../../server/test/support/versions.ts';
import { User, type Running } from './support/command.ts';

let server: TestServer;
beforeAll(async () => void (server = await startTestServer()));
afterAll(() => server.stop());

/** A user with an account of their own, which has an event already. */
async function userWithAccount(version?: string): Promise<{ user: User; tenant: Tenant }> {
  const { accountId } = await addAccount(server, version);
  const tenant = await addKey(server, accountId, { permissions: allPermissions });
  await good(tenant.api.post('/v1/customers', { name: 'First' }));
  return { user: new User({ url: server.url, secretKey: tenant.key }), tenant };
}

/** Starts `listen`, and waits until it is ready. */
async function listening(user: User, receiver: Receiver, ...more: string[]): Promise<Running> {
  const running = user.start(['listen', '--forward-to', receiver.url, ...more]);
  await running.says(/Ready\./);
  return running;
}

async function secretOf(user: User): Promise<string> {
  const { code, stdout, stderr } = await user.run(['listen', '--print-secret']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.trim();
}

async function stopped(running: Running): Promise<void> {
  running.signal('SIGINT');
  expect(await running.end).toMatchObject({ code: 130 });
}

/** Headers that differ from delivery to delivery. Tests of the signature are apart. */
const differing = new Set(['host', 'service-delivery-id', 'service-signature']);

/** Events by id, without the members of a webhook that differ from delivery to delivery. */
function comparable(received: Received[]): Record<string, unknown> {
  return Object.fromEntries(
    received.map(({ raw, method, headers }) => {
      expect(headers['service-delivery-id']).toMatch(/^dlv_[0-9A-Za-z]{22}$/);
      const others = Object.entries(headers).filter(([name]) => !differing.has(name));
      return [
        String(headers['service-event-id']),
        { method, headers: Object.fromEntries(others), body: raw.toString('utf8') },
      ];
    }),
  );
}

describe('what is forwarded', () => {
  test.each(versions)('equals a delivery of the server byte for byte in %s', async (version) => {
    const { user, tenant } = await userWithAccount(version);
    const [real, local] = [await receiverForTest(), await receiverForTest()];
    const endpoint = (await good(tenant.api.post('/v1/webhook_endpoints', { url: real.url, enabled_events: ['*'] })))
      .body;
    expect(endpoint.api_version).toBe(version);
    await listening(user, local, '--use-endpoint', endpoint.id);
    const untilReceived = async (): Promise<void> => {
      const { body: list } = await tenant.api.get('/v1/events?limit=50');
      // The two first events came before the endpoint, or with it.
      for (const receiver of [local, real]) await receiver.count(list.data.length - 2);
    };
    await makeEveryEvent(tenant.api, endpoint.id, untilReceived);
    await untilReceived();
    const shown = comparable(local.received);
    expect(shown).toEqual(Object.fromEntries(Object.entries(comparable(real.received)).filter(([id]) => id in shown)));
    const types = new Set(local.received.map(({ body }) => body.type as string));
    expect(types.size).toBeGreaterThanOrEqual(20);
    for (const received of local.received) expect(isSignedWith(endpoint.signing_secret, received)).toBe(true);
    // The same names in the same order and case.
    expect(local.received[0]!.headers).toEqual(
      expect.objectContaining({ connection: 'keep-alive', 'service-version': version }),
    );
  });

  test('has the filter of --events, and refuses an unknown type', async () => {
    const { user, tenant } = await userWithAccount();
    const local = await receiverForTest();
    await listening(user, local, '--events', 'customer.*,reference.completed');
    const reference = await good(tenant.api.post('/v1/references', { application: 'app_1' }));
    await tenant.api.post(`/v1/references/${reference.body.id}`, { outcome: 'accept' });
    await tenant.api.post('/v1/customers', { name: 'Ada' });
    await local.count(2);
    expect(local.received.map(({ body }) => body.type as string).sort()).toEqual([
      'customer.created',
      'reference.completed',
    ]);
    const unknown = await user.run(['listen', '--forward-to', local.url, '--events', 'refrence.*']);
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean "reference.*"?') });
  });

  test('is signed with one secret for each profile and account, which only its owner can read', async () => {
    const { user, tenant } = await userWithAccount();
    const secret = await secretOf(user);
    expect(secret).toMatch(/^whsec_[0-9A-Za-z]{32}$/);
    expect(await secretOf(user)).toBe(secret);
    const folder = join(user.home, 'config/tenure/listen');
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    const local = await receiverForTest();
    const running = await listening(user, local);
    expect(running.stdout).toContain(secret);
    expect(running.stderr).not.toContain(secret);
    await tenant.api.post('/v1/customers', { name: 'Ada' });
    expect(isSignedWith(secret, (await local.count(1))[0]!)).toBe(true);
    const other = await userWithAccount();
    expect(await secretOf(other.user)).not.toBe(secret);
  });

  test('is signed with the secret of standard input, and never with one in the command', async () => {
    const { user, tenant } = await userWithAccount();
    const local = await receiverForTest();
    const running = user.start(['listen', '--forward-to', local.url, '--secret', '-'], { input: 'whsec_given\n' });
    await running.says(/Ready\./);
    await tenant.api.post('/v1/customers', { name: 'Ada' });
    expect(isSignedWith('whsec_given', (await local.count(1))[0]!)).toBe(true);
    expect(await user.run(['listen', '--forward-to', local.url, '--secret', 'whsec_given'])).toMatchObject({ code: 2 });
  });

  test('is reported as JSON on each line when --json is given', async () => {
    const { user, tenant } = await userWithAccount();
    const local = await receiverForTest(500, 200);
    const running = await listening(user, local, '--json');
    await tenant.api.post('/v1/customers', { name: 'Ada' });
    await local.count(2);
    await stopped(running);
    const lines = running.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toMatchObject([
      { object: 'listen', forward_to: local.url },
      { object: 'attempt', attempt: 1, status: 500, next_attempt_in_ms: 1000 },
      { object: 'attempt', attempt: 2, status: 200, next_attempt_in_ms: null },
    ]);
  });
});

function redirect(response: ServerResponse): void {
  response.writeHead(302, { location: '/elsewhere' }).end();
}

describe('failed attempts', () => {
  test('are repeated, and later events of the same record wait', async () => {
    const { user, tenant } = await userWithAccount();
    const local = await receiverForTest(redirect, 200);
    await listening(user, local);
    const { body: customer } = await tenant.api.post('/v1/customers', { name: 'Ada' });
    await tenant.api.post(`/v1/customers/${customer.id}`, { name: 'Bea' });
    // Another record does not wait.
    await local.count(1);
    await tenant.api.post('/v1/customers', { name: 'Other' });
    await local.count(4);
    const seen = local.received.map(
      ({ body, headers }) => `${body.data.object.name} ${String(headers['service-attempt'])}`,
    );
    expect(seen).toEqual(['Ada 1', 'Other 1', 'Ada 2', 'Bea 1']);
    const [first, , second] = local.received;
    expect(second!.headers['service-delivery-id']).toBe(first!.headers['service-delivery-id']);
    expect(second!.raw.equals(first!.raw)).toBe(true);
  });

  test('are at most eight at once', async () => {
    const { user, tenant } = await userWithAccount();
    let open = 0;
    let most = 0;
    const local = await receiverForTest((response) => {
      most = Math.max(most, ++open);
      setTimeout(() => {
        open--;
        response.writeHead(200).end();
      }, 150);
    });
    await listening(user, local);
    await Promise.all(
      Array.from({ length: 20 }, (_, number) => tenant.api.post('/v1/customers', { name: `${number}` })),
    );
    await local.count(20);
    expect(most).toBe(8);
  });
});

describe('a later start', () => {
  test('says how many events came since, and forwards them with the position that it names', async () => {
    const { user, tenant } = await userWithAccount();
    const local = await receiverForTest();
    const first = await listening(user, local);
    await tenant.api.post('/v1/customers', { name: 'Seen' });
    await local.count(1);
    await first.says(/customer\.created/);
    await stopped(first);
    for (const name of ['One', 'Two', 'Three']) await tenant.api.post('/v1/customers', { name });
    const second = await listening(user, local);
    expect(second.stderr).toContain('3 events have come since the last run');
    const [, position = ''] = /--since (evt_\w+)\./.exec(second.stderr) ?? [];
    await stopped(second);
    await tenant.api.post('/v1/customers', { name: 'Four' });
    const third = await listening(user, local, '--resume');
    await local.count(2);
    await stopped(third);
    expect(local.received.map(({ body }) => body.data.object.name as string)).toEqual(['Seen', 'Four']);
    const fourth = await listening(user, local, '--since', position);
    await local.count(6);
    await stopped(fourth);
    const names = local.received.slice(2).map(({ body }) => body.data.object.name as string);
    expect(names.toSorted()).toEqual(['Four', 'One', 'Three', 'Two']);
  });

  test('begins before the earliest event that was not done with', async () => {
    const { user, tenant } = await userWithAccount();
    const names: string[] = [];
    const local = await receiverForTest((response) => {
      const { name } = local.received.at(-1)!.body.data.object as { name: string };
      names.push(name);
      response.writeHead(name === 'Bad' && names.filter((each) => each === 'Bad').length === 1 ? 500 : 200).end();
    });
    const first = await listening(user, local);
    for (const name of ['Bad', 'Good']) await tenant.api.post('/v1/customers', { name });
    await local.count(2);
    await stopped(first);
    const second = await listening(user, local, '--resume');
    expect(second.stderr).toContain('2 events have come');
    await local.count(4);
    expect(names.slice(2).sort()).toEqual(['Bad', 'Good']);
  });

  test('begins after an event or a time with --since', async () => {
    const { user, tenant } = await userWithAccount();
    const { body } = await tenant.api.get('/v1/events?limit=1');
    for (const name of ['One', 'Two']) await tenant.api.post('/v1/customers', { name });
    const local = await receiverForTest();
    await stopped(await listeningUntil(user, local, 2, '--since', String(body.data[0].id)));
    expect(local.received.map((each) => each.body.data.object.name as string).sort()).toEqual(['One', 'Two']);
    const all = await receiverForTest();
    await stopped(await listeningUntil(user, all, 3, '--since', '1h'));
    expect(all.received.map((each) => each.body.data.object.name as string).sort()).toEqual(['First', 'One', 'Two']);
  });
});

async function listeningUntil(user: User, receiver: Receiver, count: number, ...more: string[]): Promise<Running> {
  const running = await listening(user, receiver, ...more);
  await receiver.count(count);
  return running;
}

describe('interruptions', () => {
  test('lose no event and repeat none when the server is killed and the command is suspended', async () => {
    const processes = await processesForTest();
    const deployment = await processes.start({});
    const api = apiClient(deployment.url, processes.secretKey);
    await good(api.post('/v1/customers', { name: 'first' }));
    const user = new User({ url: deployment.url, secretKey: processes.secretKey });
    const local = await receiverForTest((response) => void setTimeout(() => response.writeHead(200).end(), 20));
    const running = await listening(user, local, '--events', 'customer.created');
    const made: string[] = [];
    const makeSome = async (count: number): Promise<void> => {
      for (let number = 0; number < count; number++) {
        made.push((await good(api.post('/v1/customers', { name: `customer ${made.length}` }))).body.id as string);
      }
    };
    await makeSome(10);
    running.signal('SIGSTOP');
    await makeSome(10);
    await delay(1_500);
    running.signal('SIGCONT');
    await makeSome(5);
    await deployment.kill();
    await deployment.start();
    await makeSome(10);
    running.signal('SIGSTOP');
    await deployment.kill();
    await deployment.start();
    await makeSome(5);
    running.signal('SIGCONT');
    await makeSome(5);
    await local.count(made.length);
    await delay(300);
    const forwarded = local.received.map(({ body }) => body.data.object.id as string);
    expect(forwarded.toSorted()).toEqual(made.toSorted());
    await stopped(running);
  });
});

test('ends with 4 when the key may not read events', async () => {
  const { user, tenant } = await userWithAccount();
  const made = await good(tenant.api.post('/v1/api_keys', { type: 'restricted', permissions: ['accounts.read'] }));
  const { code, stderr } = await user.run(['listen', '--forward-to', 'http://127.0.0.1:9'], {
    env: { TENURE_API_KEY: made.body.secret },
  });
  expect(code).toBe(4);
  expect(stderr).toContain('events.read');
});

test('lets the server deliver when --as-endpoint is given', async () => {
  // Only a whole process advances recoveries.
  const processes = await processesForTest();
  const { url } = await processes.start({});
  const tenant = { api: apiClient(url, processes.secretKey) };
  const user = new User({ url, secretKey: processes.secretKey });
  const local = await receiverForTest();
  const first = await listening(user, local, '--as-endpoint', '--events', 'customer.*');
  const [, secret = ''] = /(whsec_\w+)/.exec(first.stdout) ?? [];
  await tenant.api.post('/v1/customers', { name: 'One' });
  const [received] = await local.count(1);
  expect(received!.headers['service-delivery-id']).not.toMatch(/local/);
  expect(isSignedWith(secret, received!)).toBe(true);
  await first.says(/customer\.created .* delivered after 1 attempt/);
  await stopped(first);
  await tenant.api.post('/v1/customers', { name: 'Two' });
  await listening(user, local, '--as-endpoint', '--events', 'customer.*');
  await local.count(2);
  expect(local.received.map(({ body }) => body.data.object.name as string)).toContain('Two');
  expect((await tenant.api.get('/v1/webhook_endpoints')).body.count).toBe(1);
});

/**
 * Makes most types of events. The rendering of the others is compared in `payload.test.ts`.
 *
 * @param untilReceived waits until all events so far were received. An erasure changes those that were not.
 */
async function makeEveryEvent(api: Api, endpointId: string, untilReceived: () => Promise<void>): Promise<void> {
  const post = async (path: string, body?: unknown): Promise<{ id: string }> =>
    (await good(api.post(path, body))).body as { id: string };
  const odd = { metadata: { '2': 'b', '1': 'a', __proto__x: '"\\', e: '\u2028 £ 🏠 \u0000'.replace('\u0000', '') } };
  const reference = await post('/v1/references', { application: 'app_1', ...odd });
  await post(`/v1/references/${reference.id}`, { metadata: { '10': 'c' } });
  await post(`/v1/references/${reference.id}`, { outcome: 'accept' });
  const canceled = await post('/v1/references', { application: 'app_1' });
  await post(`/v1/references/${canceled.id}/cancel`);
  await untilReceived();
  await post(`/v1/references/${canceled.id}/erase`);
  for (const [path, body, change] of [
    [
      '/v1/applications',
      { unit: 'flat_1', rent: { amount: 1, currency: 'gbp', interval: 'month' } },
      { unit: 'flat_2' },
    ],
    ['/v1/customers', { name: 'Ada \\ "Lovelace"' }, { phone: '1' }],
    [
      '/v1/webhook_endpoints',
      { url: 'http://127.0.0.1:9/', enabled_events: ['api_key.created'] },
      { description: 'x' },
    ],
  ] as const) {
    const { id } = await post(path, body);
    await post(`${path}/${id}`, change);
    await untilReceived();
    await good(api.delete(`${path}/${id}`));
  }
  const form = new FormData();
  form.append('purpose', 'reference_report');
  form.append('file', new Blob([new Uint8Array(pdfOf('x'))]), 'a.pdf');
  const file = await post('/v1/files', form);
  await post(`/v1/files/${file.id}`, odd);
  await good(api.delete(`/v1/files/${file.id}`));
  const key = await post('/v1/api_keys', { type: 'secret' });
  const rolled = await post(`/v1/api_keys/${key.id}/roll`, { expires_in: 60 });
  await good(api.delete(`/v1/api_keys/${rolled.id}`));
  await post('/v1/account', { name: 'Renamed' });
  await post(`/v1/webhook_endpoints/${endpointId}/ping`);
  await post(`/v1/webhook_endpoints/${endpointId}/recover`, { since: Math.floor(Date.now() / 1000) - 60 });
}

test('keeps nothing but private files', async () => {
  const { user } = await userWithAccount();
  await secretOf(user);
  expect(statSync(join(user.home, 'config/tenure/listen')).mode & 0o777).toBe(0o700);
  expect(existsSync(join(user.home, 'config/tenure/config.json'))).toBe(false);
});
