import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { processesForTest } from '../../server/test/support/processes.ts';
import { allPermissions } from '../../server/test/support/permissions.ts';
import { receiverForTest } from '../../server/test/support/receiver.ts';
import { apiClient, good, startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { addAccount, addKey, type Tenant } from '../../server/test/support/tenants.ts';
import { catalogue } from '../src/catalogue.ts';
import { exampleOf } from '../src/commands/resource.ts';
import { recipes } from '../src/trigger/recipes.ts';
import { User } from './support/command.ts';

let server: TestServer;
beforeAll(async () => void (server = await startTestServer()));
afterAll(() => server.stop());

async function userWithAccount(): Promise<{ user: User; tenant: Tenant }> {
  const { accountId } = await addAccount(server);
  const tenant = await addKey(server, accountId, { permissions: allPermissions });
  return { user: new User({ url: server.url, secretKey: tenant.key }), tenant };
}

describe('trigger', () => {
  test('causes each event type, or says why it cannot', async () => {
    const { user, tenant } = await userWithAccount();
    for (const [type, recipe] of Object.entries(recipes)) {
      const { code, stdout, stderr } = await user.run(['trigger', type]);
      if (typeof recipe === 'string') {
        expect(stderr).toContain(recipe);
        expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
        continue;
      }
      expect(code, `${type}: ${stderr}`).toBe(0);
      // Duties of a whole process cancel a recovery. This server has none.
      if (type === 'recovery.canceled') continue;
      const { body } = await tenant.api.get(`/v1/events?type=${type}`);
      expect(body.count, type).toBeGreaterThan(0);
    }
    expect((await tenant.api.get('/v1/webhook_endpoints')).body.count).toBe(0);
    expect((await tenant.api.get('/v1/account')).body.name).toBe('Another');
  });

  test('begins a subscription on the day of the server when the sandbox clock is years ahead', async () => {
    const ahead = await startTestServer();
    onTestFinished(() => ahead.stop());
    for (let year = 0; year < 4; year++)
      await good(ahead.api.post('/v1/test_helpers/clock/advance', { seconds: 366 * 86_400 }));
    const user = new User({ url: ahead.url, secretKey: ahead.secretKey });
    expect(await user.run(['trigger', 'subscription.created'])).toMatchObject({ code: 0, stderr: '' });
  });

  test('takes fields and a number, refuses unknown types and live keys', async () => {
    const { user, tenant } = await userWithAccount();
    await user.run(['trigger', 'customer.created', '--override', 'name=Bea', '--count', '3']);
    const { body } = await tenant.api.get('/v1/customers');
    expect(body.data.map(({ name }: { name: string }) => name)).toEqual(['Bea', 'Bea', 'Bea']);
    const { stdout } = await user.run(['trigger', 'customer.created', '--json']);
    expect(JSON.parse(stdout)).toEqual({ type: 'customer.created', id: expect.stringMatching(/^cus_/) });
    expect(await user.run(['trigger', 'customer.create'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean "customer.created"?'),
    });
    const live = await user.run(['trigger', 'customer.created'], { env: { TENURE_API_KEY: 'sk_live_123' } });
    expect(live).toMatchObject({ code: 2, stderr: expect.stringContaining('in a sandbox only') });
  });
});

describe('tails', () => {
  test('show events as they happen, as JSON lines', async () => {
    const { user, tenant } = await userWithAccount();
    const running = user.start(['events', 'tail', '--events', 'customer.*']);
    await running.says(/Ready\./);
    await tenant.api.post('/v1/applications', {});
    await tenant.api.post('/v1/customers', { name: 'Ada' });
    await running.says(/customer\.created/);
    running.signal('SIGINT');
    const { code, stdout } = await running.end;
    expect(code).toBe(130);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { type: string }).type),
    ).toEqual(['customer.created']);
  });

  test('show requests of the wanted status as they happen', async () => {
    const { user, tenant } = await userWithAccount();
    await tenant.api.post('/v1/customers', {});
    const running = user.start(['logs', 'tail', '--status', '4xx', '--fields', 'status,error.code']);
    await running.says(/Ready\./);
    await tenant.api.post('/v1/customers', { name: 'Ada' });
    await tenant.api.post('/v1/customers', {});
    await running.says(/parameter_missing/);
    running.signal('SIGINT');
    const { code, stdout } = await running.end;
    expect({ code, stdout }).toEqual({ code: 130, stdout: '{"status":400,"error.code":"parameter_missing"}\n' });
  });
});

describe('doctor', () => {
  test('finds a disabled endpoint, an old version and a missing permission', async () => {
    const { accountId } = await addAccount(server, '2026-03-01');
    const tenant = await addKey(server, accountId, { permissions: allPermissions });
    const user = new User({ url: server.url, secretKey: tenant.key });
    const endpoint = await good(tenant.api.post('/v1/webhook_endpoints', { url: 'http://127.0.0.1:9/' }));
    await good(tenant.api.post(`/v1/webhook_endpoints/${endpoint.body.id}`, { status: 'disabled' }));
    const { code, stdout } = await user.run(['doctor', '--json']);
    const checks = JSON.parse(stdout) as { check: string; status: string; text: string }[];
    expect(code).toBe(0);
    expect(checks.filter(({ status }) => status === 'warning').map(({ check }) => check)).toEqual([
      'version',
      'endpoint',
    ]);
    expect(checks.find(({ check }) => check === 'server')!.status).toBe('ok');
    expect(stdout).not.toContain(tenant.key);
    const weak = await addKey(server, accountId, { permissions: ['accounts.read'] });
    const told = await user.run(['doctor'], { env: { TENURE_API_KEY: weak.key } });
    expect(told.stdout).toContain('events.read is missing');
  });

  test('ends with 6 when there is no server, and with 4 when the key is wrong', async () => {
    const { user } = await userWithAccount();
    expect(await user.run(['doctor'], { env: { TENURE_BASE_URL: 'http://127.0.0.1:9' } })).toMatchObject({
      code: 6,
      stdout: expect.stringContaining('cannot be reached'),
    });
    expect(await user.run(['doctor'], { env: { TENURE_API_KEY: 'sk_test_wrong' } })).toMatchObject({ code: 4 });
  });
});

test.each([
  [['ref'], ['references', 'referencing_providers']],
  [
    ['references', 're'],
    ['retrieve', 'retry'],
  ],
  [['webhook-endpoints', 'rec'], ['recover']],
  [['references', 'create', '--appl'], ['--application']],
  [['references', 'list', '--js'], ['--json']],
])('completes the words %j', async (words, expected) => {
  const { stdout } = await new User().run(['complete', '--', ...words]);
  expect(stdout.trim().split('\n')).toEqual(expected);
});

test('prints a completion script that the shell accepts', async () => {
  const user = new User();
  const { stdout } = await user.run(['completion', 'bash']);
  const path = join(user.home, 'completion.sh');
  writeFileSync(path, stdout);
  const { execFileSync } = await import('node:child_process');
  execFileSync('bash', ['-n', path]);
});

test('waits for a recovery when --wait is given', async () => {
  const processes = await processesForTest();
  const { url } = await processes.start({});
  const api = apiClient(url, processes.secretKey);
  const receiver = await receiverForTest();
  const endpoint = (
    await good(api.post('/v1/webhook_endpoints', { url: receiver.url, enabled_events: ['customer.*'] }))
  ).body as { id: string };
  await good(api.post(`/v1/webhook_endpoints/${endpoint.id}`, { status: 'disabled' }));
  await good(api.post('/v1/customers', { name: 'Ada' }));
  await good(api.post(`/v1/webhook_endpoints/${endpoint.id}`, { status: 'enabled' }));
  const user = new User({ url, secretKey: processes.secretKey });
  const recovery = await user.json(['webhook_endpoints', 'recover', endpoint.id, '--since', '2h', '--wait']);
  expect(recovery).toMatchObject({ object: 'recovery', status: 'completed', resent: 1 });
});

const examples = Object.entries(catalogue().resources).flatMap(([resource, verbs]) =>
  Object.entries(verbs).map(([name, verb]) => exampleOf(resource, name, verb)),
);

test('takes the example of each command', async () => {
  expect(examples.length).toBeGreaterThan(150);
  const user = new User(server);
  writeFileSync(join(user.home, 'report.pdf'), '%PDF-1.7');
  for (const example of examples) {
    const { execFileSync } = await import('node:child_process');
    const words = execFileSync('sh', ['-c', `for word in ${example}; do printf '%s\\n' "$word"; done`], {
      encoding: 'utf8',
    });
    const args = words
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((word) => word.replace(/_…$/, '_1').replace('report.pdf', join(user.home, 'report.pdf')));
    const { code, stdout, stderr } = await user.run([...args, '--curl']);
    expect({ code, stderr }, example).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('curl ');
  }
});
