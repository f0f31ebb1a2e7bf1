import { afterAll, beforeAll, expect, test } from 'vitest';
import { request } from 'undici';
import { routesOf } from '../../src/http/routes/resources.ts';
import { signedIn, type SignedIn } from '../support/browser.ts';
import { bodies, inParallel, nameOf } from '../support/routes.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/*
 * A page of another site makes the browser of an owner send each POST and DELETE, with the owner's cookie. Nothing may change.
 */

let server: TestServer;
let owner: SignedIn;
let cookie: string;

beforeAll(async () => {
  server = await startTestServer();
  owner = await signedIn(server, 'owner');
  cookie = [...owner.browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
});
afterAll(() => server.stop());

const authPaths = [
  'sign_in',
  'sign_out',
  'links/read',
  'links/use',
  'confirm',
  'me',
  'sessions/end',
  'totp/begin',
  'totp/finish',
  'totp/remove',
  'recovery_codes',
  'passkeys/sign_in/begin',
  'passkeys/sign_in/finish',
  'passkeys/confirm/begin',
  'passkeys/begin',
  'passkeys/finish',
  'passkeys/remove',
  'identity_provider/begin',
  'identity_provider/finish',
  'identity_provider/unlink',
  'users/reset_link',
  'users/end_sessions',
  'device/read',
  'device/decide',
];

/** Paths of the command line, which no browser may use. */
const programPaths = ['device/begin', 'device/token', 'device/end'];

const json = { 'content-type': 'application/json' };
const client = { 'service-client': 'dashboard' };

/** What another page can make a browser send, and more: the headers of a preflight that nothing answers. */
function forgeries(): Record<string, Record<string, string>> {
  const { host, port, origin } = new URL(server.url);
  const evil = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
  const sibling = { origin: `http://127.0.0.1:${Number(port) - 1}`, 'sec-fetch-site': 'same-site' };
  return {
    'a form': { ...evil, 'content-type': 'application/x-www-form-urlencoded' },
    'a form with files': { ...evil, 'content-type': 'multipart/form-data; boundary=x' },
    'fetch without CORS': { ...evil, 'sec-fetch-mode': 'no-cors', 'content-type': 'text/plain' },
    'fetch with CORS': { ...evil, ...json, ...client, 'sec-fetch-mode': 'cors' },
    'fetch of its own origin': { ...evil, ...json, ...client, 'sec-fetch-mode': 'same-origin' },
    'a beacon of text': { ...evil, 'content-type': 'text/plain;charset=UTF-8' },
    'a sandboxed frame': { ...json, ...client, origin: 'null' },
    'a sandboxed form': { origin: 'null', 'content-type': 'text/plain' },
    'a sibling port': { ...sibling, ...json, ...client },
    'a sibling port without fetch metadata': { ...json, ...client, origin: sibling.origin },
    'https at this port': { ...json, ...client, origin: origin.replace('http:', 'https:') },
    'another name of this machine': { ...json, ...client, origin: `http://localhost:${port}` },
    'no origin': { ...json, ...client },
    'an origin with a suffix': { ...json, ...client, origin: `${origin}.evil.example` },
    'a name that leads here (DNS rebinding)': {
      ...json,
      ...client,
      host: `evil.example:${port}`,
      origin: `http://evil.example:${port}`,
      'sec-fetch-site': 'same-origin',
    },
    'a loopback name with another port': { ...json, ...client, host: '127.0.0.1:1', origin: 'http://127.0.0.1:1' },
    'a host with a user': { ...json, ...client, host: `127.0.0.1.evil.example:${port}`, origin: `http://${host}` },
    'our own origin without the client header': { ...json, origin, 'sec-fetch-site': 'same-origin' },
    'our own origin with another client': { ...json, origin, 'service-client': 'Dashboard' },
  };
}

test('changes nothing when another page sends any POST or DELETE with the cookie', async () => {
  const { id } = (await server.api.post('/v1/customers', { name: 'Ada' })).body;
  const routes = [
    ...routesOf(server.context)
      .filter(({ method }) => method !== 'GET')
      .map((route) => ({
        method: route.method,
        path: route.path.replace(':id', route.path.includes('/users/') ? owner.id : id),
        body: bodies[nameOf(route)] instanceof FormData ? {} : (bodies[nameOf(route)] ?? {}),
      })),
    ...[...authPaths, ...programPaths].map((path) => ({ method: 'POST', path: `/auth/${path}`, body: {} })),
  ];
  const before = await everythingThereIs();
  const sent = routes.flatMap((route) =>
    Object.entries(forgeries()).map(([name, headers]) => ({ ...route, name, headers })),
  );
  await inParallel(sent, 16, async ({ method, path, body, name, headers }) => {
    const answer = await request(server.url + path, {
      method: method as 'POST' | 'DELETE',
      headers: { cookie, ...headers },
      ...(method === 'POST' && { body: JSON.stringify(body) }),
    });
    const { error } = (await answer.body.json()) as { error: { code: string } };
    const about = `${method} ${path} by ${name}`;
    const isOfProgram = programPaths.some((own) => path === `/auth/${own}`);
    const isFromPage = headers['service-client'] === 'dashboard' || isOfProgram;
    const isForm = path.startsWith('/auth') && headers['content-type'] !== json['content-type'];
    const code = isForm ? 'content_type_unsupported' : isFromPage ? 'origin_forbidden' : 'api_key_missing';
    expect([about, error.code]).toEqual([about, code]);
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });
  expect(await everythingThereIs()).toEqual(before);
  expect(sent.length).toBeGreaterThan(700);
  process.stdout.write(`forgery: ${sent.length} requests refused\n`);
});

test('changes nothing when another page asks first whether it may send', async () => {
  for (const path of ['/v1/customers', '/v1/users', '/auth/sign_in', '/auth/session']) {
    const answer = await request(server.url + path, {
      method: 'OPTIONS',
      headers: {
        cookie,
        origin: 'https://evil.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'service-client, content-type',
      },
    });
    await answer.body.dump();
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  }
});

/** Returns the number of rows and a hash of every table. */
async function everythingThereIs(): Promise<Record<string, unknown>> {
  const { readers } = server.context.database;
  const { rows: tables } = await readers.query<{ name: string }>(`
    select oid::regclass::text as name
    from pg_class
    where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace
    order by name`);
  const found: Record<string, unknown> = {};
  for (const { name } of tables) {
    const { rows } = await readers.query(`select count(*), sum(hashtextextended(t::text, 0)) as hash from ${name} t`);
    found[name] = rows[0];
  }
  return found;
}
