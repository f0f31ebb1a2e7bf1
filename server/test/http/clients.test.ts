import { routesOfKeys } from '../support/routes.ts';
import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { formOf, pdfOf } from '../support/files.ts';
import { converse, rawRequest, statusesIn } from '../support/raw-http.ts';
import { expectRefusal, refusals, unknown } from '../support/refusals.ts';
import { good, startTestServer, type Api, type TestServer } from '../support/server.ts';

/* What HTTP clients do without being asked: HEAD, OPTIONS, trailing slashes, compression, Expect. */

let server: TestServer;
let api: Api;
let ids: Record<string, string>;

beforeAll(async () => {
  server = await startTestServer();
  api = server.api;
  const application = (await good(api.post('/v1/applications', {}))).body.id;
  const customer = (await good(api.post('/v1/customers', { name: 'Łukasz Żółć' }))).body.id;
  const reference = (await good(api.post('/v1/references', { application, customer }))).body.id;
  ids = { application, customer, reference };
});
afterAll(() => server.stop());

const pages = [
  '/docs',
  '/docs/scalar.js',
  '/docs/errors',
  '/docs/errors/internal',
  '/docs/docs.css',
  '/docs/search.js',
  '/docs/search.json',
  '/docs/guides',
  '/docs/guides/records',
  '/docs/guides/records.md',
  '/llms.txt',
  '/openapi.json',
  '/healthz',
  '/readyz',
];

/** Returns the headers that are the same for every response to the same request. */
function lastingHeaders({ headers }: { headers: Headers }): Record<string, string> {
  const passing = new Set(['request-id', 'date', 'keep-alive', 'connection']);
  return Object.fromEntries([...headers].filter(([name]) => !passing.has(name)));
}

describe('HEAD requests', () => {
  test.each(pages)('returns the status and headers of GET without a body when HEAD requests %s', async (path) => {
    const [got, head] = [
      await rawRequest(server, `GET ${path}`, { key: null }),
      await rawRequest(server, `HEAD ${path}`, { key: null }),
    ];
    expect([head.status, head.text]).toEqual([200, '']);
    expect(lastingHeaders(head)).toEqual(lastingHeaders(got));
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(0);
  });

  test('returns the status and headers of GET without a body when HEAD requests any GET route of the API', async () => {
    const reads = routesOfKeys(server.context).filter(
      ({ method, path }) => method === 'GET' && !path.endsWith('/stream'),
    );
    expect(reads.length).toBeGreaterThan(10);
    for (const { path } of reads) {
      const url = path.replace(':id', path.startsWith('/v1/references') ? ids.reference! : 'unknown');
      const [got, head] = [await rawRequest(server, `GET ${url}`), await rawRequest(server, `HEAD ${url}`)];
      expect([head.status, head.text], url).toEqual([got.status, '']);
      // Errors name their request in the same number of bytes. An account's preview shows the time.
      expect(Object.keys(lastingHeaders(head)), url).toEqual(Object.keys(lastingHeaders(got)));
      expect(head.headers.get('content-type'), url).toBe(got.headers.get('content-type'));
    }
  });

  test('returns the length of the GET response when HEAD requests a list', async () => {
    const path = `/v1/references?expand[0]=data.customer`;
    const got = await good(api.get(path));
    const head = await rawRequest(server, `HEAD ${path}`);
    expect(Number(head.headers.get('content-length'))).toBe(Buffer.byteLength(got.text));
  });

  test('returns length and ETag without the bytes when HEAD requests the contents of a file', async () => {
    const bytes = pdfOf('Report');
    const { id } = (await good(api.post('/v1/files', formOf({}, bytes)))).body;
    const head = await rawRequest(server, `HEAD /v1/files/${id}/contents`);
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers.get('content-length')).toBe(String(bytes.length));
    expect(lastingHeaders(head)).toEqual(lastingHeaders(await rawRequest(server, `GET /v1/files/${id}/contents`)));
  });

  test('refuses HEAD when it requests the stream, because that response has no end', async () => {
    const head = await rawRequest(server, 'HEAD /v1/events/stream');
    expect([head.status, head.text, head.headers.get('allow')]).toEqual([405, '', 'GET']);
  });

  test('refuses HEAD like GET when there is no key', async () => {
    const head = await rawRequest(server, `HEAD /v1/references/${ids.reference}`, { key: null });
    expect([head.status, head.text]).toEqual([401, '']);
  });
});

describe('OPTIONS requests', () => {
  test.each([...pages, '/metrics'])('lists the methods when OPTIONS requests the page %s', async (path) => {
    const answer = await rawRequest(server, `OPTIONS ${path}`, { key: null });
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(answer.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    expect(answer.headers.get('request-id')).toMatch(/^req_/);
  });

  test('lists the methods of a page with variable parts when another method requests it', async () => {
    const path = '/provider_callbacks/provider_a/acct_1';
    const options = await rawRequest(server, `OPTIONS ${path}`, { key: null });
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'POST, OPTIONS']);
    const get = await rawRequest(server, `GET ${path}`, { key: null });
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
  });

  test('requires a key and returns 405 when OPTIONS requests an API route', async () => {
    expectRefusal(await rawRequest(server, 'OPTIONS /v1/references', { key: null }), refusals.keyMissing);
    const answer = await rawRequest(server, 'OPTIONS /v1/references');
    expectRefusal(answer, refusals.methodNotAllowed);
    expect(answer.headers.get('allow')).toBe('GET, HEAD, POST');
  });
});

describe('trailing slashes', () => {
  test.each([
    ['/docs/', '/docs'],
    ['/docs///', '/docs'],
    ['/docs/errors/', '/docs/errors'],
    ['/docs/errors/internal/', '/docs/errors/internal'],
    ['/docs/guides/records/', '/docs/guides/records'],
    ['/llms.txt/', '/llms.txt'],
    ['/openapi.json/?version=2026-03-01', '/openapi.json?version=2026-03-01'],
    ['/healthz/', '/healthz'],
  ])('redirects the page %s to %s when it has a trailing slash, also behind a proxy', async (path, page) => {
    for (const method of ['GET', 'HEAD']) {
      const answer = await rawRequest(server, `${method} ${path}`, { key: null });
      expect([answer.status, answer.text]).toEqual([308, '']);
      const location = answer.headers.get('location')!;
      expect(new URL(location, `http://host${path}`).href).toBe(`http://host${page}`);
      expect(new URL(location, `http://host/behind/a/proxy${path}`).href).toBe(`http://host/behind/a/proxy${page}`);
    }
    expect((await fetch(server.url + path)).status).toBe(200);
  });

  test.each(['//elsewhere.example/docs/', '/docs%2F', '/nothing/'])(
    'does not redirect %s when it has a slash at the end',
    async (path) => {
      const answer = await rawRequest(server, `GET ${path}`, { key: null });
      expectRefusal(answer, refusals.routeUnknown);
      expect(answer.headers.get('location')).toBeNull();
    },
  );

  test.each([
    ['GET', '/v1/references/', '/v1/references'],
    ['POST', '/v1/references/', '/v1/references'],
    ['DELETE', '/v1/customers/', '/v1/customers'],
    ['GET', '/v1/references//', '/v1/references'],
    ['GET', '/v1/account/', '/v1/account'],
    ['POST', '/v1/references/ref_1/cancel/', '/v1/references/ref_1/cancel'],
  ])('returns 404 for %s %s and suggests %s when the API path has a trailing slash', async (method, path, meant) => {
    const answer = await rawRequest(server, `${method} ${path}`);
    expectRefusal(answer, { ...refusals.routeUnknown, says: `\`${meant}\`` });
    expect(answer.body.error.message).toContain('slash');
  });

  test.each(['POST /v1/references//cancel', 'GET /v1/files//contents', 'POST /v1/test_helpers/references//advance'])(
    'returns 404 when a slash is in the place of an id: %s',
    async (line) => {
      expectRefusal(await rawRequest(server, line), refusals.routeUnknown);
    },
  );
});

function askDocument(encoding: string): Promise<Response> {
  return fetch(`${server.url}/openapi.json`, { headers: { 'accept-encoding': encoding } });
}

/** Returns the bytes on the wire. `fetch` would decompress them. */
async function wireBytes(encoding: string): Promise<{ head: string; body: Buffer }> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.write(
    `GET /openapi.json HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: ${encoding}\r\nConnection: close\r\n\r\n`,
  );
  await new Promise((resolve) => socket.once('close', resolve));
  const bytes = Buffer.concat(chunks);
  const end = bytes.indexOf('\r\n\r\n');
  return { head: bytes.subarray(0, end).toString().toLowerCase(), body: bytes.subarray(end + 4) };
}

describe('the OpenAPI document', () => {
  test('compresses the document with the ETag of the plain one when the client accepts gzip', async () => {
    const plain = await (await askDocument('identity')).text();
    const { head, body } = await wireBytes('br;q=1, gzip;q=0.5');
    expect(head).toContain('content-encoding: gzip');
    expect(head).toContain('vary: accept-encoding');
    expect(head).toContain(`content-length: ${body.length}`);
    expect(body.length).toBeLessThan(plain.length / 4);
    expect(gunzipSync(body).toString()).toBe(plain);
    const again = await fetch(`${server.url}/openapi.json`, {
      headers: { 'if-none-match': (await askDocument('identity')).headers.get('etag')! },
    });
    expect([again.status, again.headers.get('vary')]).toEqual([304, 'accept-encoding']);
  });

  test.each(['identity', 'gzip;q=0', 'br'])(
    'returns the plain document when the client accepts %s',
    async (encoding) => {
      const answer = await askDocument(encoding);
      expect(answer.headers.get('content-encoding')).toBeNull();
      expect(answer.headers.get('vary')).toBe('accept-encoding');
      expect(((await answer.json()) as { openapi: string }).openapi).toMatch(/^3\.1/);
    },
  );
});

describe('the expand parameter', () => {
  test.each([
    'expand=application,customer',
    'expand[]=application&expand[]=customer',
    'expand[0]=application&expand[1]=customer',
    'expand%5B0%5D=application&expand%5B1%5D=customer',
    'expand[1]=customer&expand[0]=application',
  ])('reads expand in GET and POST when it is written %s', async (query) => {
    const path = `/v1/references/${ids.reference}?${query}`;
    for (const { body } of [await good(api.get(path)), await good(api.post(path, { metadata: { seen: 'yes' } }))]) {
      expect(body).toMatchObject({ application: { id: ids.application }, customer: { id: ids.customer } });
    }
  });

  test('reads expand with an index when a list also has bounds of creation times', async () => {
    const { body } = await good(api.get('/v1/references?created[gte]=0&expand[0]=data.customer'));
    expect(body.data[0].customer).toMatchObject({ id: ids.customer, object: 'customer' });
  });

  test.each(['expand[x]', 'expand[-1]', 'expand[0][a]', 'expand[0', 'expand0', 'expand[1000]', 'created[0]'])(
    'refuses the parameter %s when it is sent',
    async (name) => {
      const answer = await api.get(`/v1/references?${name}=data.customer`);
      expectRefusal(answer, unknown(name));
    },
  );
});

const body = '{"application":"app_1"}';
function headOf(lines: string[], path = '/v1/references'): string {
  return [`POST ${path} HTTP/1.1`, 'Host: localhost', 'Expect: 100-continue', ...lines, '', ''].join('\r\n');
}
const json = 'Content-Type: application/json';

/** Opens a connection whose client sends on command and shows what has arrived. */
function conversation() {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let seen = '';
  socket.on('data', (chunk: Buffer) => (seen += chunk.toString('latin1')));
  return {
    send: (text: string) => void socket.write(text),
    statuses: () => statusesIn(seen),
    async until(statuses: string[]) {
      await expect.poll(() => statusesIn(seen)).toEqual(statuses);
    },
  };
}

describe('Expect: 100-continue', () => {
  test('asks for the body when the request is accepted', async () => {
    const { send, until } = conversation();
    const key = `Authorization: Bearer ${server.secretKey}`;
    send(headOf([key, json, `Content-Length: ${body.length}`]));
    await until(['100']);
    send(body);
    await until(['100', '200']);
  });

  test.each([
    ['401', () => [json, 'Content-Length: 23']],
    ['413', () => [`Authorization: Bearer ${server.secretKey}`, json, 'Content-Length: 300000']],
    ['415', () => [`Authorization: Bearer ${server.secretKey}`, 'Content-Type: text/plain', 'Content-Length: 23']],
  ])('responds with %s before it asks for the body when the request is refused', async (status, lines) => {
    const { send, until } = conversation();
    send(headOf(lines()));
    await until([status]);
  });

  test('closes the connection with a header that says so when the request is refused', async () => {
    const answers = await converse(server, headOf([json, `Content-Length: ${body.length}`]));
    expect(statusesIn(answers)).toEqual(['401']);
    expect(answers).toMatch(/^connection: close\r$/im);
  });

  test('serves the request when the client sends its body without waiting', async () => {
    const key = `Authorization: Bearer ${server.secretKey}`;
    const { send, until } = conversation();
    send(headOf([key, json, `Content-Length: ${body.length}`]) + body);
    await until(['100', '200']);
  });

  test('asks a referencing service for its callback, and a client for its file, when they expect it', async () => {
    const { send, statuses } = conversation();
    send(headOf([`Content-Length: 2`], '/provider_callbacks/provider_a/acct_1'));
    await expect.poll(statuses).toEqual(['100']);
    const upload = conversation();
    const form = ['Content-Type: multipart/form-data; boundary=x', 'Content-Length: 1000'];
    upload.send(headOf([`Authorization: Bearer ${server.secretKey}`, ...form], '/v1/files'));
    await expect.poll(upload.statuses).toEqual(['100']);
  });
});

describe('requests that a client sends without waiting for responses', () => {
  test('sees each change in the next response when changes and reads alternate', async () => {
    const path = `/v1/customers/${(await good(api.post('/v1/customers', { name: 'Ada' }))).body.id}`;
    const names = Array.from({ length: 10 }, (_, index) => `Ada ${index}`);
    const head = (line: string): string =>
      `${line} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.secretKey}\r\n`;
    const requests = names.flatMap((name) => {
      const change = JSON.stringify({ name });
      const its = `Content-Type: application/json\r\nContent-Length: ${change.length}\r\n\r\n${change}`;
      return [`${head(`POST ${path}`)}${its}`, `${head(`GET ${path}`)}\r\n`];
    });
    const last = `${head(`GET ${path}`)}Connection: close\r\n\r\n`;
    const text = await converse(server, requests.join('') + last);
    expect(statusesIn(text)).toEqual(Array(21).fill('200'));
    const shown = Array.from(text.matchAll(/"name":"(Ada \d)"/g), ([, name]) => name);
    expect(shown).toEqual([...names.flatMap((name) => [name, name]), 'Ada 9']);
  });
});
