import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { serverForTest, startTestServer, type TestServer } from '../../support/server.ts';

/* How the server sends the portal. It shares the code of the dashboard, which `dashboard.test.ts` tests in full. */

const html = '<!doctype html><script type="module" src="./assets/index-1a2b.js"></script>';

let bundle: string;
let server: TestServer;

beforeAll(async () => {
  bundle = await mkdtemp(join(tmpdir(), 'tenure-portal-'));
  await mkdir(join(bundle, 'assets'));
  await writeFile(join(bundle, 'assets/index-1a2b.js'), 'plain');
  await writeFile(join(bundle, 'index.html'), html);
  server = await startTestServer({ changeContext: (context) => ({ ...context, portalDir: bundle }) });
});
afterAll(async () => {
  await server.stop();
  await rm(bundle, { recursive: true });
});

test.each(['/portal', '/portal/', '/portal/rent', '/portal/rent/ten_1'])(
  'sends the page with a strict policy when the path is %s',
  async (path) => {
    const answer = await fetch(server.url + path);
    expect([answer.status, await answer.text()]).toEqual([200, html.replace('./', '/portal/')]);
    const policy = answer.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'");
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
  },
);

test('sends the files of the build, and no others', async () => {
  const file = await fetch(`${server.url}/portal/assets/index-1a2b.js`);
  expect([file.status, file.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
  expect((await fetch(`${server.url}/portal/assets/none.js`)).status).toBe(404);
});

test('is there when the dashboard is off', async () => {
  const alone = await serverForTest({
    settings: { TENURE_DASHBOARD: 'off' },
    changeContext: (context) => ({ ...context, portalDir: bundle }),
  });
  expect((await fetch(`${alone.url}/portal`)).status).toBe(200);
});

test('says what to do when it is not built', async () => {
  const empty = await mkdtemp(join(tmpdir(), 'tenure-portal-'));
  onTestFinished(() => rm(empty, { recursive: true }));
  const unbuilt = await serverForTest({ changeContext: (context) => ({ ...context, portalDir: empty }) });
  const answer = await fetch(`${unbuilt.url}/portal`);
  expect(answer.status).toBe(503);
  const page = await answer.text();
  expect(page).toContain('The portal is not built');
  expect(page).toContain('npm run build');
});
