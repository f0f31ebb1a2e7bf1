import { bodyToMake, madeOtherwise, routesOfKeys } from '../support/routes.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawRequest } from '../support/raw-http.ts';
import { good, startTestServer, type Api, type ApiResponse, type TestServer } from '../support/server.ts';
import { expectReferenceIn } from '../support/shapes.ts';
import { addAccount, addKey, firstAccountId } from '../support/tenants.ts';
import { inVersion, latestVersion, versions, words } from '../support/versions.ts';

type Body = ApiResponse['body'];

let server: TestServer;
let api: Api;

beforeAll(async () => {
  server = await startTestServer();
  api = server.api;
});
afterAll(() => server.stop());

describe.each(versions)('names of version %s', (version) => {
  const { file, total, notTotal, request } = words[version]!;
  const header = inVersion(version);

  test("uses the version's names in every response about a record when the request is in this version", async () => {
    const made = await good(api.post('/v1/references', { application: 'app_1' }, header));
    expectReferenceIn(version, made.body, null);
    const path = `/v1/references/${made.body.id}`;
    const filed = await good(api.post(path, { [file]: 'file_1' }, header));
    expectReferenceIn(version, filed.body, 'file_1');
    const read = await good(api.get(path, header));
    expect(read.text).toBe(filed.text);
    expectReferenceIn(version, (await good(api.post(`${path}/cancel`, undefined, header))).body, 'file_1');
    for (const other of versions)
      expectReferenceIn(other, (await good(api.get(path, inVersion(other)))).body, 'file_1');
  });

  test("uses the version's names in every list and its items when the request is in this version", async () => {
    const { id } = await makeReference('file_1');
    const endpoint = await good(api.post('/v1/webhook_endpoints', { url: 'http://127.0.0.1:9/', ...onlyPings }));
    const ping = await good(api.post(`/v1/webhook_endpoints/${endpoint.body.id}/ping`));
    const tenancies = await make('tenancies');
    const paths = listPaths({ webhook_endpoints: endpoint.body.id, events: ping.body.event, tenancies });
    expect(paths.length).toBeGreaterThanOrEqual(10);
    for (const path of paths) {
      const { body } = await good(api.get(path, header));
      const newest = await good(api.get(path, inVersion(latestVersion)));
      expect(body, path).toHaveProperty(total);
      expect(body, path).not.toHaveProperty(notTotal);
      expect([body.object, body.has_more, body[total]]).toEqual(['list', newest.body.has_more, newest.body.count]);
      expect(body.data.length).toBe(newest.body.data.length);
    }
    const { data } = (await good(api.get('/v1/references', header))).body;
    for (const item of data) expectReferenceIn(version, item, item[file]);
    expect(data.find((item: Body) => item.id === id)[file]).toBe('file_1');
  });

  test("uses the version's names in events, their record and previous attributes when the request is in this version", async () => {
    const { id } = await makeReference('file_1');
    const last = await good(api.post(`/v1/references/${id}`, { reference_pdf: 'file_2' }));
    const [event, ...earlier] = (await good(api.get(`/v1/events?object_id=${id}`, header))).body.data;
    expectReferenceIn(version, event.data.object, 'file_2');
    expect(event.data.previous_attributes).toStrictEqual({ [file]: 'file_1', earlier_reports: [] });
    expect(event.api_version).toBe(version);
    const requestId = last.headers.get('request-id');
    if (request === 'id') expect(event.request).toBe(requestId);
    else expect(event.request).toMatchObject({ id: requestId, actor: { type: 'api_key' } });
    for (const { data, api_version } of earlier) {
      expectReferenceIn(version, data.object, data.object[file]);
      expect(api_version).toBe(version);
    }
    const retrieved = await good(api.get(`/v1/events/${event.id}`, header));
    expect(retrieved.body).toStrictEqual(event);
  });

  test("uses the version's names in events when the server caused them", async () => {
    const { accountId } = await addAccount(server);
    await server.context.database.readers.query('update accounts set api_version = null where id = $1', [accountId]);
    const { api: own } = await addKey(server, accountId);
    const [event] = (await good(own.get('/v1/events', header))).body.data;
    expect(event.type).toBe('account.updated');
    if (request === 'id') expect(event.request).toBeNull();
    else expect(event.request).toMatchObject({ id: null, actor: { type: 'system' } });
  });

  test("keeps the client's metadata keys when they look like another version's names", async () => {
    const metadata =
      '{"reference_pdf":"a","pdf":"b","count":"c","total_count":"d","object":"reference","__proto__":"e","request":"f","data":"g"}';
    for (const [path, body] of [
      ['references', `{"application":"app_1","metadata":${metadata}}`],
      ['customers', `{"name":"Ada","metadata":${metadata}}`],
    ]) {
      const made = await good(api.post(`/v1/${path}`, body, header));
      expect(made.text).toContain(`"metadata":${metadata}`);
      expect((await good(api.get(`/v1/${path}/${made.body.id}`, header))).text).toContain(`"metadata":${metadata}`);
      expect((await good(api.get(`/v1/${path}?limit=1`, header))).text).toContain(`"metadata":${metadata}`);
      const cleared = await good(api.post(`/v1/${path}/${made.body.id}`, { metadata: null }, header));
      expect(cleared.body.metadata).toEqual({});
      const events = await good(api.get(`/v1/events?object_id=${made.body.id}`, header));
      // First as the record of that time, and then as its previous attributes.
      expect(events.text).toContain(`"previous_attributes":{"metadata":${metadata}}`);
      expect(events.text.split(`"metadata":${metadata}`)).toHaveLength(3);
    }
    const customer = await good(api.post('/v1/customers', `{"name":"Ada","metadata":${metadata}}`));
    const { id } = (await good(api.post('/v1/references', { application: 'app_1', customer: customer.body.id }))).body;
    const expanded = await good(api.get(`/v1/references/${id}?expand=customer`, header));
    expect(expanded.text).toContain(`"customer":${customer.text}`);
  });

  test('shows the account when the request named one', async () => {
    const context = { ...header, 'service-context': await firstAccountId(server) };
    const account = context['service-context'];
    const made = await good(api.post('/v1/references', { application: 'app_1' }, context));
    const { id } = made.body;
    const listed = (await good(api.get('/v1/references?limit=1', context))).body;
    const [event] = (await good(api.get(`/v1/events?object_id=${id}`, context))).body.data;
    for (const answer of [made.body, (await good(api.get(`/v1/references/${id}`, context))).body, listed.data[0]]) {
      const { account: named, ...reference } = answer;
      expect(named).toBe(account);
      expectReferenceIn(version, reference, null);
    }
    expect(listed).toHaveProperty(total);
    expectReferenceIn(version, event.data.object, null);
  });

  test('sends Service-Version when it responds in any way', async () => {
    const key = { ...header, 'idempotency-key': `in ${version}` };
    const { accountId } = await addAccount(server);
    const { api: reader } = await addKey(server, accountId, { permissions: ['references.read'] });
    const answers: [number, Promise<ApiResponse>][] = [
      [200, api.get('/v1/references', header)],
      [200, api.post('/v1/references', { application: 'app_1' }, key)],
      [400, api.post('/v1/references', {}, header)],
      [400, api.get('/v1/references?nothing=1', header)],
      [400, api.post('/v1/references', '{', header)],
      [403, reader.post('/v1/references', { application: 'app_1' }, header)],
      [404, api.get('/v1/references/ref_1', header)],
      [404, api.get('/v1/nothing', header)],
      [405, api.delete('/v1/references', header)],
      [415, api.post('/v1/references', '{}', { ...header, 'content-type': 'text/plain' })],
      [400, api.get('/v1/references', { ...header, 'service-context': 'me' })],
      [400, rawRequest(server, 'GET /v1/references/%zz', { headers: [`Service-Version: ${version}`] })],
    ];
    for (const [status, answering] of answers) {
      const { headers, status: answered, text } = await answering;
      expect([answered, headers.get('service-version')], text).toEqual([status, version]);
    }
    const replayed = await api.post('/v1/references', { application: 'app_1' }, key);
    expect(replayed.headers.get('idempotent-replayed')).toBe('true');
    expect(replayed.headers.get('service-version')).toBe(version);
    // Without a known key, the response has no version.
    const unknown = await rawRequest(server, 'GET /v1/references', {
      key: null,
      headers: [`Service-Version: ${version}`],
    });
    expect([unknown.status, unknown.headers.get('service-version')]).toEqual([401, latestVersion]);
  });
});

test('keeps versions apart when requests of all versions run at the same time', async () => {
  const { api: own } = await addAccount(server);
  const { id } = (await good(own.post('/v1/references', { application: 'app_1' }))).body;
  const burst = Array.from({ length: 45 }, async (_, index) => {
    const version = versions[index % versions.length]!;
    const { file } = words[version]!;
    const [changed, listed, events] = await Promise.all([
      good(own.post(`/v1/references/${id}`, { [file]: `file_${index}` }, inVersion(version))),
      good(own.get('/v1/references', inVersion(version))),
      good(own.get('/v1/events?limit=2', inVersion(version))),
    ]);
    for (const { headers } of [changed, listed, events]) expect(headers.get('service-version')).toBe(version);
    expectReferenceIn(version, changed.body, `file_${index}`);
    expect(listed.body[words[version]!.total]).toBe(1);
    expectReferenceIn(version, listed.body.data[0], listed.body.data[0][file]);
    for (const { data, request } of events.body.data) {
      expectReferenceIn(version, data.object, data.object[file]);
      expect(typeof request).toBe(words[version]!.request === 'id' ? 'string' : 'object');
    }
  });
  await Promise.all(burst);
});

const onlyPings = { enabled_events: ['webhook_endpoint.pinged'] };

async function makeReference(file: string): Promise<Body> {
  const { body } = await good(api.post('/v1/references', { application: 'app_1' }));
  return (await good(api.post(`/v1/references/${body.id}`, { reference_pdf: file }))).body;
}

/** Makes a record with all records that it must link to. Returns its id. */
async function make(kind: string): Promise<string> {
  const imported = await madeOtherwise(kind, make, server.api);
  if (imported !== null) return imported;
  const body = await bodyToMake(kind, make, server.api.post);
  return (await good(server.api.post(`/v1/${kind}`, body))).body.id;
}

/** Returns the paths of all lists. */
function listPaths(ids: Record<string, string>): string[] {
  return routesOfKeys(server.context)
    .filter(({ path, method, expandable }) => method === 'GET' && (expandable?.isList || path === '/v1/api_versions'))
    .map(({ path }) => path.replace(':id', ids[path.split('/')[2]!] ?? ''));
}
