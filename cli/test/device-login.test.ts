import { hostname } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signedIn, type SignedIn } from '../../server/test/support/browser.ts';
import { startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { User } from './support/command.ts';
import { addBrowser, decide, startLogin, storedBy } from './support/device-login.ts';

let server: TestServer;
let owner: SignedIn;
beforeAll(async () => {
  server = await startTestServer();
  owner = await signedIn(server, 'owner');
});
afterAll(() => server.stop());

test('signs in by a code that a person approves, and revokes the key at the end', async () => {
  const user = new User();
  const browser = addBrowser(user);
  const { running, userCode } = await startLogin(user, server.url, ['--profile', 'work']);
  expect(running.stderr).toContain(`Machine:   ${hostname()}, at the address 127.0.0.1`);
  await expect.poll(() => browser.opened()).toMatch(new RegExp(`/dashboard/cli#${userCode}$`));
  await decide(owner.browser, userCode, { decision: 'approve', access: 'full' });
  const { code, stderr } = await running.end;
  expect(code, stderr).toBe(0);
  expect(stderr).toMatch(/Signed in to .* \(acct_\w+\)\. The key may read and change its records, until \d{4}-/);
  const key = storedBy(user).profiles.work!.api_key;
  expect(key).toMatch(/^rk_test_/);
  expect(stderr).not.toContain(key);
  // The first profile is the default one.
  expect(await user.json(['whoami', '--json'])).toMatchObject({ profile: 'work', base_url: server.url });
  const listed = (await user.json(['api_keys', 'list', '--json'])) as { data: { name: string }[] };
  expect(listed.data.map(({ name }) => name)).toContain(`CLI on ${hostname()}`);
  expect(await user.run(['logout'])).toMatchObject({ code: 0, stderr: expect.stringContaining('revoked its API key') });
  expect(storedBy(user).profiles).toEqual({});
  expect((await user.run(['whoami'], { env: { TENURE_API_KEY: key, TENURE_BASE_URL: server.url } })).code).toBe(4);
});

test('stores nothing when a person denies it', async () => {
  const user = new User();
  const { running, userCode } = await startLogin(user, server.url, ['--no-input']);
  await decide(owner.browser, userCode, { decision: 'deny' });
  expect(await running.end).toMatchObject({ code: 4, stderr: expect.stringContaining('was denied in the dashboard') });
  expect((await user.run(['whoami'])).code).toBe(4);
});
