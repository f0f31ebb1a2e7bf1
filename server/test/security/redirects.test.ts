import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routesOf } from '../../src/http/routes/resources.ts';
import { converse } from '../support/raw-http.ts';
import { inParallel } from '../support/routes.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/*
 * A link to this server must not lead elsewhere (CWE-601). Each page is asked for with paths, parameters and headers of another host. A
 * location is judged as a browser would resolve it.
 */

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const pages = [
  '/',
  '/dashboard',
  '/dashboard/go/ref_1',
  '/dashboard/link',
  '/dashboard/identity-provider',
  '/docs',
  '/docs/guides',
  '/docs/errors/internal',
  '/openapi.json',
  '/llms.txt',
  '/healthz',
  '/metrics',
  '/auth/session',
  '/go/ref_1',
  '/unknown',
];

const evil = 'evil.example';

/** Spellings of another host. */
const hosts = [
  `https://${evil}`,
  `//${evil}`,
  `///${evil}`,
  `/\\${evil}`,
  `\\\\${evil}`,
  `/%09/${evil}`,
  `%2f%2f${evil}`,
  `%5c%5c${evil}`,
  `/%2e%2e//${evil}`,
  `https:${evil}`,
  `javascript:alert(1)`,
  `data:text/html,x`,
  `%0d%0aLocation:%20https://${evil}`,
  `@${evil}`,
];

const parameters = ['next', 'return', 'return_to', 'redirect', 'redirect_uri', 'url', 'continue', 'dest', 'iss'];

/** Headers by which a proxy, or an attacker, names another host. */
const headers = [
  [`X-Forwarded-Host: ${evil}`],
  [`X-Forwarded-Proto: javascript`, `X-Forwarded-Host: ${evil}`],
  [`Forwarded: host=${evil};proto=https`],
  [`X-Original-URL: //${evil}`, `X-Rewrite-URL: //${evil}`],
  [`Referer: https://${evil}/`],
];

/** Targets of a request line that lead to a page, or nearly. */
function targets(): string[] {
  return pages.flatMap((page) => [
    ...[page, `${page}/`, `${page}//`, `${page}/.`, `/.${page}//`].flatMap((path) => [
      path,
      ...parameters.map((name) => `${path}?${name}=https://${evil}`),
    ]),
    ...hosts.flatMap((host) => [
      `/${host}${page}/`,
      `${host.startsWith('/') ? '' : '/'}${host}${page}//`,
      `${page}/${host}`,
      `${page}/${host}//`,
      `${page}//?next=${host}`,
      `${page}?return_to=${host}`,
    ]),
    `http://${evil}${page}`,
    `http://${evil}${page}/`,
  ]);
}

/** Returns where a browser goes that has sent this target, or null if it stays. */
function destinationOf(target: string, response: string): string | null {
  const head = response.split('\r\n\r\n', 1)[0]!;
  const [, location] = /^(?:location|refresh|content-location): *(.*)$/im.exec(head) ?? [];
  if (location === undefined) return null;
  // A browser that sends an absolute target asks a proxy for another host.
  const base = target.startsWith('/') ? `http://localhost${target.replace(/^\/+/, '/')}` : target;
  return new URL(location.trim(), base).origin;
}

/** Returns the answers that lead to another origin. */
async function leadingAway(requests: { target: string; more: readonly string[] }[]): Promise<string[]> {
  const found: string[] = [];
  let redirects = 0;
  await inParallel(requests, 16, async ({ target, more }) => {
    const lines = [`GET ${target} HTTP/1.1`, 'Host: localhost', ...more, 'Connection: close', '', ''];
    const response = await converse(server, lines.join('\r\n'));
    const destination = destinationOf(target, response);
    if (destination === null) return;
    redirects++;
    const own = target.startsWith('/') ? 'http://localhost' : new URL(target).origin;
    if (destination !== own) found.push(`${target} ${more.join()} leads to ${destination}`);
  });
  // Some pages do redirect. Otherwise the requests would have tested nothing.
  expect(redirects).toBeGreaterThan(0);
  return found;
}

/** Returns where a page leads with this location. */
function judged(location: string): string | null {
  return destinationOf('/docs/', `HTTP/1.1 308 x\r\nLocation: ${location}\r\n\r\n`);
}

describe('no page leads to another site', () => {
  test('when its path or a parameter names one', async () => {
    const requests = targets().map((target) => ({ target, more: [] }));
    expect(requests.length).toBeGreaterThan(1_500);
    expect(await leadingAway(requests)).toEqual([]);
  });

  test('when a header names one', async () => {
    const requests = pages.flatMap((page) =>
      headers.flatMap((more) => [page, `${page}/`].map((target) => ({ target, more }))),
    );
    expect(await leadingAway(requests)).toEqual([]);
  });

  test('when the location of a test response is judged', () => {
    for (const away of [`//${evil}`, `/\\${evil}`, `https://${evil}/docs`])
      expect(judged(away)).not.toContain('localhost');
    for (const own of ['/dashboard', '../docs', 'docs?next=//x']) expect(judged(own)).toBe('http://localhost');
  });
});

test('answers no POST or DELETE with a location, so that no form leads elsewhere', async () => {
  const paths = routesOf(server.context)
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path }) => `${method} ${path.replace(':id', `%2f%2f${evil}`)}?next=//${evil}`);
  const auth = ['sign_in', 'sign_out', 'links/use', 'identity_provider/begin', 'identity_provider/finish'];
  const requests = [...paths, ...auth.map((path) => `POST /auth/${path}?return_to=//${evil}`)];
  await inParallel(requests, 8, async (line) => {
    const sent = [`${line} HTTP/1.1`, 'Host: localhost', 'Content-Length: 0', 'Connection: close', '', ''];
    expect([line, destinationOf('/', await converse(server, sent.join('\r\n')))]).toEqual([line, null]);
  });
  expect(requests.length).toBeGreaterThan(30);
});
