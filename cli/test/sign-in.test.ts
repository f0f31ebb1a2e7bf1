import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { User } from './support/command.ts';

let server: TestServer;
beforeAll(async () => void (server = await startTestServer()));
afterAll(() => server.stop());

/** Signs a user in, whose environment has no key. */
async function signedIn(args: string[] = []): Promise<User> {
  const user = new User();
  const { code, stderr } = await user.run(['login', '--api-key', '-', '--base-url', server.url, ...args], {
    input: `${server.secretKey}\n`,
  });
  expect(code, stderr).toBe(0);
  expect(stderr).toContain('Signed in to');
  expect(stderr).not.toContain(server.secretKey);
  return user;
}

test('keeps the key in a file that only its owner can read', async () => {
  const user = await signedIn();
  const folder = join(user.home, 'config/tenure');
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, 'config.json')).mode & 0o777).toBe(0o600);
  const account = (await server.api.get('/v1/account')).body as { id: string };
  const shown = await user.run(['whoami', '--json']);
  expect(JSON.parse(shown.stdout)).toMatchObject({
    account: account.id,
    mode: 'sandbox',
    base_url: server.url,
    profile: 'default',
  });
  expect(shown.stdout + shown.stderr).not.toContain(server.secretKey);
});

test.each(['config.json', '.'])('refuses the key when others can read %s', async (name) => {
  const user = await signedIn();
  chmodSync(join(user.home, 'config/tenure', name), 0o755);
  const { code, stderr } = await user.run(['whoami']);
  expect(code).toBe(2);
  expect(stderr).toContain('has the mode 755');
  expect(stderr).toContain('Run: chmod');
  expect(stderr).not.toContain(server.secretKey);
});

test('quotes nothing of the file when it is not valid', async () => {
  const user = await signedIn();
  const path = join(user.home, 'config/tenure/config.json');
  writeFileSync(path, `${readFileSync(path, 'utf8')},`);
  const { code, stderr } = await user.run(['whoami']);
  expect(code).toBe(2);
  expect(stderr).not.toContain(server.secretKey);
});

test('keeps nothing when the server refuses the key', async () => {
  const user = new User();
  const { code } = await user.run(['login', '--api-key', '-', '--base-url', server.url], { input: 'sk_test_wrong' });
  expect(code).toBe(4);
  expect((await user.run(['whoami'])).code).toBe(4);
});

test('takes a flag before the environment, and the environment before the file', async () => {
  const user = await signedIn(['--profile', 'work']);
  const key = (await server.api.post('/v1/api_keys', { type: 'restricted', permissions: ['accounts.read'] })).body as {
    secret: string;
  };
  const nowhere = 'http://127.0.0.1:9';
  expect((await user.run(['whoami'])).code).toBe(0);
  const elsewhere = { TENURE_BASE_URL: nowhere, TENURE_API_KEY: server.secretKey };
  expect((await user.run(['whoami'], { env: elsewhere })).code).toBe(6);
  expect((await user.run(['whoami', '--base-url', server.url], { env: elsewhere })).code).toBe(0);
  const env = { TENURE_API_KEY: key.secret ?? '' };
  if (key.secret)
    expect(await user.json(['whoami'], { env })).toMatchObject({ key: expect.stringMatching(/^rk_test_/) });
  expect(await user.json(['whoami', '--profile', 'work'], { env })).toMatchObject({
    key: expect.stringMatching(/^sk_test_/),
  });
  const unknown = await user.run(['whoami', '--profile', 'wrok']);
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean "work"?') });
});

test('lists, chooses and removes profiles', async () => {
  const user = await signedIn(['--profile', 'one']);
  await user.run(['login', '--api-key', '-', '--base-url', server.url, '--profile', 'two'], {
    input: server.secretKey,
  });
  const { stdout } = await user.run(['profiles', '--use', 'two']);
  expect(JSON.parse(stdout)).toMatchObject([
    { profile: 'one', default: false },
    { profile: 'two', default: true },
  ]);
  expect(stdout).not.toContain(server.secretKey);
  expect((await user.run(['logout'])).code).toBe(0);
  expect(await user.json(['whoami'])).toMatchObject({ profile: 'one' });
});

test('sends the key of a profile to no other server', async () => {
  const user = await signedIn([]);
  const requests: string[] = [];
  const other = createServer((request, response) => {
    requests.push(request.url!);
    response.end();
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  for (const run of [
    user.run(['whoami', '--base-url', url]),
    user.run(['whoami', '--profile', 'default', '--base-url', url]),
    user.run(['whoami'], { env: { TENURE_BASE_URL: url } }),
  ]) {
    const { code, stderr } = await run;
    expect(code).toBe(4);
    expect(stderr).toContain(`is for ${server.url}, so it was not sent to ${url}`);
    expect(stderr).toContain(`tenure login --base-url ${url} --profile <name>`);
  }
  expect(requests).toEqual([]);
  // The same server, written in another way.
  expect((await user.run(['whoami', '--base-url', `${server.url}/`])).code).toBe(0);
});
