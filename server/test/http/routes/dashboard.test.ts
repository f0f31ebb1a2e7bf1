import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../../src/server/config.ts';
import { buildApp } from '../../../src/http/app.ts';
import { rawRequest } from '../../support/raw-http.ts';
import { serverForTest, startTestServer, type TestServer } from '../../support/server.ts';

/* How the server sends the dashboard. `dashboard/test` shows it in a browser. */

const html = '<!doctype html><script type="module" src="./assets/index-1a2b.js"></script>';

let bundle: string;
let server: TestServer;

beforeAll(async () => {
  bundle = await mkdtemp(join(tmpdir(), 'tenure-dashboard-'));
  await mkdir(join(bundle, 'assets'));
  const files = {
    'index-1a2b.js': 'plain',
    'index-1a2b.js.br': 'brotli',
    'index-1a2b.js.gz': 'gzip',
    'mark.svg': '<svg/>',
  };
  for (const [name, contents] of Object.entries(files)) await writeFile(join(bundle, 'assets', name), contents);
  await writeFile(join(bundle, 'index.html'), html);
  await writeFile(join(bundle, '.built'), 'hash');
  server = await startTestServer({ changeContext: (context) => ({ ...context, dashboardDir: bundle }) });
});
afterAll(async () => {
  await server.stop();
  await rm(bundle, { recursive: true });
});

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(server.url + path, { headers, redirect: 'manual' });

describe('the page', () => {
  test.each(['/dashboard', '/dashboard/', '/dashboard/events', '/dashboard/events/evt_1?type=a', '/dashboard/x/y.js'])(
    'is sent for every path below /dashboard, and is revalidated, when the path is %s',
    async (path) => {
      const answer = await get(path);
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-cache']);
      expect(await answer.text()).toBe(html.replace('./', '/dashboard/'));
      const known = await get(path, { 'if-none-match': answer.headers.get('etag')! });
      expect(known.status).toBe(304);
    },
  );

  test('leads to its files through a proxy when the public URL has a path', async () => {
    const proxied = await serverForTest({
      settings: { TENURE_PUBLIC_URL: 'https://example.org/tenure/' },
      changeContext: (context) => ({ ...context, dashboardDir: bundle }),
    });
    const answer = await fetch(`${proxied.url}/dashboard/events`);
    expect(await answer.text()).toBe(html.replace('./', '/tenure/dashboard/'));
    expect(answer.headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains');
    const start = await fetch(proxied.url, { redirect: 'manual' });
    expect([start.status, start.headers.get('location')]).toEqual([302, '/tenure/dashboard']);
  });

  test('is the destination of the start page', async () => {
    const answer = await get('/');
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/dashboard']);
  });

  test('is only read: other methods get 405', async () => {
    const answer = await fetch(`${server.url}/dashboard/events`, { method: 'DELETE' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });
});

describe('its files', () => {
  test.each([
    ['br', 'gzip, deflate, br', 'brotli'],
    ['gzip', 'gzip, br;q=0', 'gzip'],
    [null, 'identity', 'plain'],
  ])('are sent for ever and in the coding %s when the client accepts %s', async (coding, accepted, contents) => {
    const { status, headers, text } = await rawRequest(server, 'GET /dashboard/assets/index-1a2b.js', {
      headers: [`Accept-Encoding: ${accepted}`],
    });
    expect([status, text]).toEqual([200, contents]);
    expect(headers.get('content-encoding')).toBe(coding);
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(headers.get('vary')).toBe('accept-encoding');
  });

  test('are images, too', async () => {
    const answer = await get('/dashboard/assets/mark.svg');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  });

  test.each(['none.js', '../index.html', '..%2findex.html', '.built', '%2e%2e/.built', 'index-1a2b.js.br', ''])(
    'are only those of the build: %s is 404',
    async (name) => {
      expect((await rawRequest(server, `GET /dashboard/assets/${name}`)).status).toBe(404);
    },
  );
});

test.each(['/dashboard', '/dashboard/events', '/dashboard/assets/mark.svg', '/dashboard/assets/none.js'])(
  'forbids foreign contents, frames, scripts from text, and features of the browser, when the path is %s',
  async (path) => {
    const { headers } = await get(path);
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    );
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(headers.get('strict-transport-security')).toBeNull();
    const allowed = headers
      .get('permissions-policy')!
      .split(', ')
      .filter((feature) => !feature.endsWith('=()'));
    expect(allowed).toEqual([
      'clipboard-write=(self)',
      'publickey-credentials-create=(self)',
      'publickey-credentials-get=(self)',
    ]);
  },
);

describe('without a build', () => {
  test('the page says why, and what to do', async () => {
    const empty = await mkdtemp(join(tmpdir(), 'tenure-dashboard-'));
    onTestFinished(() => rm(empty, { recursive: true }));
    const start = (): Promise<TestServer> =>
      serverForTest({ changeContext: (context) => ({ ...context, dashboardDir: empty }) });
    const [status, page] = await pageOf(await start());
    expect(status).toBe(503);
    expect(page).toContain('Nothing was built yet.');
    expect(page).toContain('npm run build');
    await writeFile(join(empty, '.failure'), 'main.tsx: <b> is missing');
    const [, failed] = await pageOf(await start());
    expect(failed).toContain('main.tsx: &lt;b&gt; is missing');
  });

  test.each([
    ['the setting is off', { TENURE_DASHBOARD: 'off' }],
    ['the server is a worker', { TENURE_ROLE: 'worker', DATABASE_URL: 'postgres://x' }],
  ])('there is no page when %s', async (_, settings) => {
    // The database of the test is another one than that of the settings.
    const config = readConfig({ TENURE_MASTER_KEY: Buffer.alloc(32).toString('base64'), ...settings });
    const app = buildApp({ ...server.context, config });
    onTestFinished(() => app.close());
    for (const url of ['/', '/dashboard', '/dashboard/assets/mark.svg']) {
      const answer = await app.inject({ url, headers: { host: 'localhost' } });
      expect(answer.statusCode).not.toBeLessThan(400);
    }
  });
});

async function pageOf({ url }: TestServer): Promise<[number, string]> {
  const answer = await fetch(`${url}/dashboard`);
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  return [answer.status, await answer.text()];
}
