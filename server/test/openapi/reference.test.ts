import { hash } from 'node:crypto';
import { Script } from 'node:vm';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newMasterKey } from '../../src/server/config.ts';
import { apiVersions } from '../../src/versions/index.ts';
import { receiverForTest } from '../support/receiver.ts';
import { serverForTest, startTestServer, type TestServer } from '../support/server.ts';
import { latestVersion, versions } from '../support/versions.ts';
import { nextVersion } from '../versions/next-version.ts';
import { closedDocument } from '../support/closed-document.ts';
import { endpointFor } from '../webhooks/scenario.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ settings: { TENURE_PUBLIC_URL: 'https://api.example.org/tenure/' } });
});
afterAll(() => server.stop());

describe('served API documents', () => {
  test.each(versions)('serves the document of %s when there is no key', async (version) => {
    const answer = await fetch(`${server.url}/openapi.json?version=${version}`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    const document = (await answer.json()) as Document;
    expect([document.openapi, document.info.version]).toEqual(['3.1.1', version]);
    expect(document.servers).toEqual([{ url: 'https://api.example.org/tenure' }]);
    expect(Object.keys(document.paths)).toContain('/v1/references/{id}/cancel');
  });

  test('serves the latest document when no version is named', async () => {
    const [named, unnamed] = await Promise.all(
      [`?version=${latestVersion}`, ''].map(async (query) =>
        (await fetch(`${server.url}/openapi.json${query}`)).text(),
      ),
    );
    expect(unnamed).toBe(named);
  });

  test('serves the document of the portal when there is no key', async () => {
    const answer = await fetch(`${server.url}/openapi/portal.json`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    const document = (await answer.json()) as Document;
    expect(document.servers).toEqual([{ url: 'https://api.example.org/tenure' }]);
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining(['/v1/portal/open', '/v1/portal/me', '/v1/portal/tenancies/{id}/give_notice']),
    );
    expect(await (await fetch(`${server.url}/docs`)).text()).toContain('"url":"openapi/portal.json"');
  });

  test('returns 304 when the client already has the document', async () => {
    const first = await fetch(`${server.url}/openapi.json`);
    const etag = first.headers.get('etag')!;
    expect(first.headers.get('cache-control')).toBe('no-cache');
    const again = await fetch(`${server.url}/openapi.json`, { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const other = await fetch(`${server.url}/openapi.json?version=2025-09-01`, { headers: { 'if-none-match': etag } });
    expect(other.status).toBe(200);
  });

  test.each([
    ['an unknown version', 'version=2026-11-02', 'api_version_invalid', 'version'],
    ['an unknown parameter', 'versoin=2026-11-01', 'parameter_unknown', 'versoin'],
    ['an expansion', 'expand=x', 'parameter_unknown', 'expand'],
    ['two versions', 'version=2026-11-01&version=2026-03-01', 'parameter_invalid', 'version'],
  ])('refuses a document when the query has %s', async (_case, query, code, param) => {
    const answer = await fetch(`${server.url}/openapi.json?${query}`);
    expect(answer.status).toBe(400);
    expect(((await answer.json()) as { error: object }).error).toMatchObject({ code, param });
  });

  test('generates a document again when the first try failed', async () => {
    let fails = false;
    const own = await serverForTest({
      changeContext: (context) =>
        Object.defineProperty({ ...context }, 'productVersion', {
          enumerable: true,
          get() {
            if (!fails) return context.productVersion;
            fails = false;
            throw new Error('Planted.');
          },
        }),
    });
    fails = true;
    const statuses = [];
    for (let time = 0; time < 2; time++) statuses.push((await fetch(`${own.url}/openapi.json`)).status);
    expect(statuses).toEqual([500, 200]);
  });

  test('serves no document when a version is dormant', async () => {
    const settings = { DATABASE_URL: 'postgres://given.by.the.test/', TENURE_MASTER_KEY: newMasterKey() };
    const { connection } = await serverForTest({ settings });
    const own = await serverForTest({
      connection,
      settings,
      overrides: { versions: [nextVersion, ...apiVersions] },
    });
    expect((await fetch(`${own.url}/openapi.json?version=${nextVersion.date}`)).status).toBe(400);
    expect(await (await fetch(`${own.url}/openapi.json`)).json()).toMatchObject({ info: { version: latestVersion } });
    expect(await (await fetch(`${own.url}/docs`)).text()).not.toContain(nextVersion.date);
  });
});

describe('the API docs page', () => {
  test('shows the documents of all versions, latest first, when there is no key', async () => {
    const answer = await fetch(`${server.url}/docs`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const html = await answer.text();
    const sources = [...html.matchAll(/"url":"(openapi\.json\?version=[^"]+)"/g)].map(([, url]) => url!);
    expect(sources).toEqual(versions.map((version) => `openapi.json?version=${version}`));
    for (const source of sources) expect((await fetch(new URL(source, `${server.url}/docs`))).status).toBe(200);
  });

  test('loads nothing from other hosts, and may not, when it is opened', async () => {
    const answer = await fetch(`${server.url}/docs`);
    const html = await answer.text();
    expect(html).not.toMatch(/(https?:)?\/\//);
    expect(html).toContain('"withDefaultFonts":false,"telemetry":false');
    const policy = answer.headers.get('content-security-policy')!;
    expect(policy).toMatch(/^default-src 'none';/);
    const [, script] = /<script>(.*?)<\/script>/s.exec(html)!;
    expect(policy).toContain(`script-src 'self' 'sha256-${hash('sha256', script!, 'base64')}'`);
    expect(policy).toContain(`connect-src 'self'`);
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval/);
  });

  test('serves its own script, compressed or not, when the page loads it', async () => {
    const plain = await fetch(`${server.url}/docs/scalar.js`, { headers: { 'accept-encoding': 'identity' } });
    const zipped = await fetch(`${server.url}/docs/scalar.js`, { headers: { 'accept-encoding': 'gzip' } });
    expect([plain.headers.get('content-encoding'), zipped.headers.get('content-encoding')]).toEqual([null, 'gzip']);
    const source = await plain.text();
    expect(await zipped.text()).toBe(source);
    expect(source.length).toBeGreaterThan(1_000_000);
    expect(() => new Script(source)).not.toThrow();
  });

  test.each([
    ['gzip;q=0', null],
    ['gzip; q=0.0, identity', null],
    ['gzip;q=0, *', null],
    ['br, *;q=0', null],
    ['br', null],
    ['deflate, gzip;q=0.5', 'gzip'],
    ['GZIP', 'gzip'],
    ['br, *', 'gzip'],
  ])('serves the script in the right encoding when the client accepts %s', async (accepted, encoding) => {
    const headers = { 'accept-encoding': accepted };
    const answer = await fetch(`${server.url}/docs/scalar.js`, { headers });
    expect([answer.headers.get('content-encoding'), answer.headers.get('vary')]).toEqual([encoding, 'accept-encoding']);
    expect(await answer.text()).toContain('createApiReference');
    const etag = answer.headers.get('etag')!;
    const again = await fetch(`${server.url}/docs/scalar.js`, { headers: { ...headers, 'if-none-match': etag } });
    expect([again.status, again.headers.get('content-encoding'), await again.text()]).toEqual([304, null, '']);
  });

  test('does not decompress the script when the client already has it', async () => {
    const etag = (await fetch(`${server.url}/docs/scalar.js`)).headers.get('etag')!;
    const processorMsOf = async (accepted: string): Promise<number> => {
      const before = process.cpuUsage();
      for (let time = 0; time < 40; time++) {
        const headers = { 'accept-encoding': accepted, 'if-none-match': etag };
        expect((await fetch(`${server.url}/docs/scalar.js`, { headers })).status).toBe(304);
      }
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    };
    await processorMsOf('gzip');
    // The smallest of three, because other work of this process counts too.
    const [gzip, identity]: [number[], number[]] = [[], []];
    for (let turn = 0; turn < 3; turn++) {
      identity.push(await processorMsOf('identity'));
      gzip.push(await processorMsOf('gzip'));
    }
    expect(Math.min(...identity)).toBeLessThan(4 * Math.min(...gzip));
  });

  test('links to the error pages and back when it is rendered', async () => {
    const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as Document;
    expect(document.info.description).toContain('(https://api.example.org/tenure/docs/errors)');
    for (const path of ['/docs/errors', '/docs/errors/parameter_missing']) {
      const html = await (await fetch(server.url + path)).text();
      const [, href] = /<a href="([^"]*)">API docs<\/a>/.exec(html)!;
      expect(new URL(href!, `https://api.example.org/tenure${path}`).href).toBe('https://api.example.org/tenure/docs');
    }
  });
});

test.each(versions)("sends a webhook as its document says when the endpoint's version is %s", async (version) => {
  const document = (await (await fetch(`${server.url}/openapi.json?version=${version}`)).json()) as Document;
  const ajv = new Ajv2020({ strict: false, formats: { date: true } });
  ajv.addSchema({ $id: 'document', components: document.components });
  ajv.addSchema({ $id: 'closed', components: closedDocument(document, 'delivered').components });
  const receiver = await receiverForTest();
  const { api } = server;
  await endpointFor(api, receiver.url, { enabled_events: ['reference.*', 'customer.*'], api_version: version });
  const { id } = (await api.post('/v1/references', { application: 'app_1', automatic_reference: {} })).body;
  await api.post(`/v1/references/${id}`, { reference_pdf: 'file_1', outcome: 'accept' });
  await api.post('/v1/customers', { name: 'Ada' });
  const received = await receiver.count(4);
  const types = ['customer.created', 'reference.completed', 'reference.created', 'reference.updated'];
  expect(received.map(({ body }): string => body.type).sort()).toEqual(types);
  for (const { body, headers } of received) {
    const { parameters, requestBody } = document.webhooks[body.type]!.post;
    const { schema } = requestBody.content['application/json'];
    const faultsIn = (value: object, of: 'document' | 'closed'): unknown => {
      const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', `"${of}#/`)) as object);
      return validate(value) ? [] : validate.errors;
    };
    expect(faultsIn(body, 'closed'), JSON.stringify(body)).toEqual([]);
    // A later release may add a member.
    expect(faultsIn({ ...body, planted: 1 }, 'document')).toEqual([]);
    expect(faultsIn({ ...body, planted: 1 }, 'closed')).not.toEqual([]);
    expect(faultsIn({ ...body, api_version: version }, 'closed')).not.toEqual([]);
    for (const { $ref } of parameters) {
      const header = document.components.parameters[$ref.split('/').at(-1)!]!;
      expect(headers[header.name.toLowerCase()]).toMatch(new RegExp(header.schema.pattern ?? ''));
    }
  }
});

interface Document {
  openapi: string;
  info: { version: string; description: string };
  servers: object[];
  paths: object;
  webhooks: Record<
    string,
    { post: { parameters: { $ref: string }[]; requestBody: { content: { 'application/json': { schema: object } } } } }
  >;
  components: Record<string, Record<string, object>> & {
    parameters: Record<string, { name: string; schema: { pattern?: string } }>;
  };
}
