import { afterAll, beforeAll, expect, test } from 'vitest';
import { signedIn, type SignedIn } from '../../server/test/support/browser.ts';
import { TestClock } from '../../server/test/support/clock.ts';
import { serverForTest, startTestServer, type TestServer } from '../../server/test/support/server.ts';
import { User } from './support/command.ts';
import { addBrowser, decide, startLogin, storedBy } from './support/device-login.ts';

let server: TestServer;
let owner: SignedIn;
const clock = new TestClock();
beforeAll(async () => {
  server = await startTestServer({ overrides: { clock } });
  owner = await signedIn(server, 'owner');
});
afterAll(() => server.stop());

test('ends with 130 and stores nothing when it is interrupted', async () => {
  const user = new User();
  const { running } = await startLogin(user, server.url, ['--no-input']);
  running.signal('SIGINT');
  expect(await running.end).toMatchObject({ code: 130, stderr: expect.stringContaining('No key was stored') });
});

test('ends with 4 when the code expires', async () => {
  const user = new User();
  const { running } = await startLogin(user, server.url, ['--no-input']);
  clock.advanceSeconds(601);
  expect(await running.end).toMatchObject({ code: 4, stderr: expect.stringContaining('The code has expired') });
});

test('opens no browser when it has --no-input, and prints the page when there is none', async () => {
  const user = new User();
  const browser = addBrowser(user);
  const silent = await startLogin(user, server.url, ['--no-input']);
  expect(silent.running.stderr).not.toContain('Your browser');
  const without = await startLogin(new User(), server.url);
  expect(without.running.stderr).toContain('/dashboard/cli#');
  expect(browser.opened()).toBe(null);
});

test('replaces the key of its profile, and revokes the earlier one', async () => {
  const user = new User();
  const first = await startLogin(user, server.url, ['--no-input']);
  await decide(owner.browser, first.userCode, { decision: 'approve', access: 'full' });
  expect((await first.running.end).code).toBe(0);
  const earlier = storedBy(user).profiles.default!.api_key;
  const again = await startLogin(user, server.url, ['--no-input']);
  await decide(owner.browser, again.userCode, { decision: 'approve', access: 'read_only' });
  const { code, stderr } = await again.running.end;
  expect(code, stderr).toBe(0);
  expect(stderr).toContain('The key may only read its records');
  expect((await user.run(['whoami'])).code).toBe(0);
  expect((await user.run(['customers', 'create', '--name', 'Ada'])).code).toBe(4);
  const env = { TENURE_API_KEY: earlier, TENURE_BASE_URL: server.url };
  expect((await user.run(['whoami'], { env })).code).toBe(4);
  // A key that only reads revokes itself, too.
  expect(await user.run(['logout'])).toMatchObject({ code: 0, stderr: expect.stringContaining('revoked its API key') });
});

test('removes the profile and names its key when the server is away at the end', async () => {
  const user = new User();
  const away = await startTestServer({ connection: server.connection, overrides: { clock } });
  const { running, userCode } = await startLogin(user, away.url, ['--no-input']);
  await decide(owner.browser.copy(away), userCode, { decision: 'approve', access: 'full' });
  expect((await running.end).code).toBe(0);
  await away.stop();
  const { code, stderr } = await user.run(['logout']);
  expect(code).toBe(6);
  expect(stderr).toMatch(/Removed the profile "default", but its API key key_\w+ was not revoked/);
  expect(storedBy(user).profiles).toEqual({});
});

test('is refused with the reason when the server has no sign-in, or cannot be reached', async () => {
  const empty = await serverForTest();
  const refused = await new User().run(['login', '--base-url', empty.url]);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('npm run login-link') });
  const nowhere = await new User().run(['login', '--base-url', 'http://127.0.0.1:9']);
  expect(nowhere).toMatchObject({ code: 6, stderr: expect.stringContaining('cannot be reached') });
  const wrong = await new User().run(['login', '--base-url', 'no address']);
  expect(wrong.code).toBe(2);
});
