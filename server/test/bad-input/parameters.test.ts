import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawRequest } from '../support/raw-http.ts';
import { expectRefusal, invalid, missing, refusals, unknown } from '../support/refusals.ts';
import { startTestServer, type Api, type ApiResponse, type TestServer } from '../support/server.ts';

let server: TestServer;
let api: Api;

beforeAll(async () => {
  server = await startTestServer();
  api = server.api;
});
afterAll(() => server.stop());

interface ListOperation {
  operationId: string;
  parameters: { in?: string; name?: string }[];
  'x-for-persons'?: true;
}

describe('query', () => {
  const lists = ['/v1/references', '/v1/customers', '/v1/events'];

  test.each(lists)('refuses parameters named like members of every object: %s', async (path) => {
    for (const name of [
      '__proto__',
      'constructor',
      'toString',
      'hasOwnProperty',
      '__proto__[x]',
      'created[__proto__]',
      'constructor.name',
    ]) {
      expectRefusal(await api.get(`${path}?${name}=1`), unknown(name));
    }
  });

  test('refuses an empty parameter name and ignores empty pairs', async () => {
    expectRefusal(await api.get('/v1/references?=1'), unknown(''));
    for (const query of ['', '&', '&&&', 'limit=5&', '&limit=5'])
      expect((await api.get(`/v1/references?${query}`)).status).toBe(200);
  });

  test('refuses a repeated parameter in any spelling', async () => {
    expectRefusal(await api.get('/v1/references?limit=5&limit=5'), invalid('limit'));
    expectRefusal(await api.get('/v1/references?limit=5&l%69mit=6'), invalid('limit'));
    expectRefusal(await api.get('/v1/references?created[gt]=1&created%5Bgt%5D=1'), invalid('created[gt]'));
    expectRefusal(await api.get('/v1/references?limit[]=5'), unknown('limit[]'));
  });

  test('suggests `expand` when a response has linked records', async () => {
    for (const name of ['expan', 'Expand', 'exapnd'])
      expectRefusal(await api.get(`/v1/references?${name}=data.customer`), {
        ...unknown(name),
        says: 'Did you mean `expand`?',
      });
    const created = await api.post('/v1/references?expnd=customer', { application: 'app_1' });
    expectRefusal(created, { ...unknown('expnd'), says: 'Did you mean `expand`?' });
    expect((await api.get('/v1/buildings?expan=name')).body.error.message).toBe('There is no parameter `expan` here.');
  });

  test.each([
    '/v1/files/file_1/contents?',
    '/v1/invoices/in_1/pdf?',
    '/v1/retention_holds/hold_1/contents?file=file_1&',
  ])('refuses `expand` of a download: %s', async (path) => {
    expectRefusal(await api.get(`${path}expand=customer`), { ...invalid('expand'), says: 'no linked records' });
  });

  test('refuses an empty value of each filter of each list', async () => {
    const { paths } = (await api.get('/openapi.json')).body as { paths: Record<string, { get?: ListOperation }> };
    const routes = Object.entries(paths).filter(
      ([path, { get }]) => get?.operationId.endsWith('_list') && !get['x-for-persons'] && !path.includes('{'),
    );
    expect(routes.length).toBeGreaterThan(20);
    for (const [path, { get }] of routes) {
      // An error lists 20 parameters at most.
      const names = get!.parameters.flatMap(({ in: place, name }) =>
        place === 'query' && name !== 'expand' && !name!.includes('[') ? [name!] : [],
      );
      if (names.length === 0) continue;
      const { status, body } = await api.get(`${path}?${names.map((name) => `${name}=`).join('&')}`);
      expect([path, status]).toEqual([path, 400]);
      const refused = body.error.errors.map(({ param }: { param: string }) => param);
      expect([path, refused.toSorted()]).toEqual([path, names.toSorted()]);
    }
  });

  test('accepts brackets and spaces with or without encoding', async () => {
    expect((await api.get('/v1/references?created%5Bgt%5D=1&created[lt]=2')).status).toBe(200);
    expectRefusal(await api.get('/v1/references?status=a+b'), invalid('status'));
  });

  test('accepts the bounds of each number and refuses other spellings', async () => {
    const good = ['limit=1', 'limit=50', 'offset=0', 'offset=1000000'];
    const times = ['gt', 'gte', 'lt', 'lte'].flatMap((bound) => [
      `created[${bound}]=0`,
      `created[${bound}]=9999999999`,
    ]);
    for (const query of [...good, ...times]) expect((await api.get(`/v1/references?${query}`)).status, query).toBe(200);
    const numbers = [
      '-1',
      '1.0',
      '1e2',
      '0x1',
      '9'.repeat(15),
      '9'.repeat(16),
      '9'.repeat(400),
      'NaN',
      'Infinity',
      '%C2%B2',
      '%D9%A1',
      '1_0',
      '%201',
    ];
    for (const name of ['limit', 'offset', ...['gt', 'gte', 'lt', 'lte'].map((bound) => `created[${bound}]`)]) {
      for (const number of numbers) expectRefusal(await api.get(`/v1/references?${name}=${number}`), invalid(name));
    }
  });

  test('refuses a NUL or control character in a filter, or finds nothing', async () => {
    const names = {
      '/v1/references': ['application', 'customer', 'status', 'starting_after', 'ending_before'],
      '/v1/customers': ['email', 'starting_after'],
      '/v1/events': ['type', 'object_id', 'related_object', 'ending_before'],
    };
    for (const [path, filters] of Object.entries(names)) {
      for (const name of filters) {
        for (const value of [
          '%00',
          'a%00b',
          'a%00@b.c',
          'a@b.c%00',
          'ref_%00',
          '%01@b',
          '%7F@b',
          '*%00',
          '%0A',
          '%E2%80%A8@b',
          '%F0%9F%98%80@b',
        ]) {
          const answer = await api.get(`${path}?${name}=${value}`);
          if (answer.status === 200) expect(answer.body).toMatchObject({ count: 0, data: [] });
          else expectRefusal(answer, invalid(name));
        }
      }
    }
  });

  test('accepts an event type with a star at its end, and a star alone', async () => {
    await api.post('/v1/references', { application: 'app_1' });
    await api.post('/v1/customers', { name: 'Ada' });
    const all = (await api.get('/v1/events')).body.count;
    // Repeats over each connection of the server, so that a statement meets one that another request has prepared.
    for (let round = 0; round < 10; round++) {
      const counts = await Promise.all(
        ['*', 'reference.*', 'r*', 'reference.created', 'guarantor.*', '*'].map(async (type) => {
          const answer = await api.get(`/v1/events?type=${type}`);
          expect(answer.status, `${type}: ${answer.text}`).toBe(200);
          return answer.body.count;
        }),
      );
      const references = (await api.get('/v1/events?type=reference.created')).body.count;
      expect(counts).toEqual([all, references, references, references, 0, all]);
    }
  });

  test('accepts every combination of filters', async () => {
    const id = server.context.ids.make('ref');
    const parts = ['application=app_1', 'customer=cus_1', 'status=pending', 'outcome=accept', 'type=customer'];
    const ends = [
      '',
      'created[gt]=1',
      'created[gte]=1',
      'created[lt]=1',
      'created[lte]=1',
      `starting_after=${id}`,
      `ending_before=${id}`,
    ];
    for (let round = 0; round < 2; round++) {
      for (let choice = 0; choice < 2 ** parts.length; choice++) {
        const chosen = parts.filter((_, index) => choice & (2 ** index));
        const answers = await Promise.all(
          ends.map((end) => api.get(`/v1/references?${[...chosen, end].filter(Boolean).join('&')}`)),
        );
        answers.forEach((answer, index) =>
          expect(answer.status, `${chosen.join('&')} ${ends[index]}: ${answer.text}`).toBe(200),
        );
      }
    }
  });
});

describe('names that every object has', () => {
  const names = [...new Set(['__proto__', 'prototype', ...Object.getOwnPropertyNames(Object.prototype)])];
  const untouched = Object.getOwnPropertyDescriptors(Object.prototype);

  test.each(names)('refuses the parameter %s at any depth', async (name) => {
    const value = '{"polluted":"yes"}';
    expectRefusal(await api.post('/v1/references', `{"application":"app_1","${name}":${value}}`), unknown(name));
    expectRefusal(
      await api.post('/v1/references', `{"application":"app_1","automatic_reference":{"${name}":${value}}}`),
      unknown(`automatic_reference[${name}]`),
    );
    expectRefusal(await api.post('/v1/references', `{"${name}":"app_1"}`), missing('application'));
    const address = `{"line1":"1 High St","city":"York","postal_code":"YO1","country":"GB","${name}":${value}}`;
    expectRefusal(
      await api.post('/v1/customers', `{"name":"Ada","addresses":[${address}]}`),
      unknown(`addresses[0][${name}]`),
    );
    for (const path of ['/v1/references', '/v1/customers', '/v1/events', '/v1/logs', '/v1/references/ref_1'])
      expectRefusal(await api.get(`${path}?${name}=1`), unknown(name));
  });

  test.each(names)('refuses %s as a path of expand, an id and a version', async (name) => {
    const { id } = (await api.post('/v1/references', { application: 'app_1', customer: 'cus_1' })).body;
    for (const path of [name, `customer.${name}`, `${name}.${name}`])
      expectRefusal(await api.get(`/v1/references/${id}?expand=${path}`), invalid('expand'));
    expectRefusal(await api.get(`/v1/references?expand[]=data.${name}`), invalid('expand'));
    expectRefusal(await api.get(`/v1/references/${name}`), refusals.idUnknown);
    expectRefusal(await api.post(`/v1/references/${id}/${name}`), refusals.routeUnknown);
    expectRefusal(await api.get(`/v1/${name}`), refusals.routeUnknown);
    expectRefusal(await api.get('/v1/references', { 'service-version': name }), refusals.version);
    expectRefusal(await api.get('/v1/references', { 'service-context': name }), refusals.accountMalformed);
  });

  test('ignores headers with such names, and accepts the names as Idempotency-Keys', async () => {
    const headers = names.map((name) => `${name}: polluted`);
    expect((await rawRequest(server, 'GET /v1/references', { headers })).status).toBe(200);
    for (const name of names) {
      const key = { 'idempotency-key': name };
      const first = await api.post('/v1/references', { application: 'app_1' }, key);
      const again = await api.post('/v1/references', { application: 'app_1' }, key);
      expect([again.text, again.headers.get('original-request')]).toEqual([
        first.text,
        first.headers.get('request-id'),
      ]);
    }
    const keys = (await api.get('/v1/events?type=reference.created&limit=50')).body.data.map(
      ({ request }: { request: { idempotency_key: string | null } }) => request.idempotency_key,
    );
    expect(keys).toEqual(expect.arrayContaining(names));
  });

  test('keeps such names as keys of metadata in responses, lists, events and changes', async () => {
    const entries = names.map((name, index): [string, string] => [name, `value ${index}`]);
    const body = `{"application":"app_1","metadata":${objectText(entries)}}`;
    const created = await api.post('/v1/references', body);
    expect(ownEntries(created.body.metadata)).toEqual(entries);
    const { id } = created.body;
    expect(ownEntries((await api.get(`/v1/references/${id}`)).body.metadata)).toEqual(entries);

    const changed = entries.map(([name, value]): [string, string] => [name, value.toUpperCase()]);
    const updated = await api.post(`/v1/references/${id}`, `{"metadata":${objectText(changed)}}`);
    expect(ownEntries(updated.body.metadata)).toEqual(changed);
    const [update, creation] = (await api.get(`/v1/events?object_id=${id}`)).body.data;
    expect(ownEntries(creation.data.object.metadata)).toEqual(entries);
    expect(ownEntries(update.data.object.metadata)).toEqual(changed);
    expect(ownEntries(update.data.previous_attributes.metadata)).toEqual(entries);

    // A new key is null before the change, and a removed key has its old value.
    const replaced = await api.post(`/v1/references/${id}`, '{"metadata":{"__proto__":"","extra":"1"}}');
    expect(ownEntries(replaced.body.metadata)).toEqual([...changed.slice(1), ['extra', '1']]);
    const [latest] = (await api.get(`/v1/events?object_id=${id}`)).body.data;
    expect(ownEntries(latest.data.previous_attributes.metadata)).toEqual([changed[0], ['extra', null]]);
  });

  test('leaves Object.prototype unchanged', async () => {
    await api.post(
      '/v1/references',
      '{"application":"app_1","metadata":{"__proto__":"x"},"__proto__":{"polluted":"yes"}}',
    );
    expect(Object.getOwnPropertyDescriptors(Object.prototype)).toEqual(untouched);
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  });

  test('treats two bodies that differ only in __proto__ as different requests', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const first = await api.post('/v1/references', withProto('a'), headers);
    expect((await api.post('/v1/references', withProto('a'), headers)).text).toBe(first.text);
    expectRefusal(await api.post('/v1/references', withProto('b'), headers), refusals.idempotencyReused);
  });
});

describe('metadata', () => {
  test('accepts 50 pairs of metadata and refuses 51', async () => {
    expect((await create(pairs(50))).body.metadata).toEqual(pairs(50));
    expectRefusal(await create(pairs(51)), { ...invalid('metadata'), says: '50' });
  });

  test('leaves a record unchanged when its metadata would exceed 50 pairs', async () => {
    const path = `/v1/references/${(await create(pairs(50))).body.id}`;
    const { error } = (await api.post(path, { metadata: { more: 'x' } })).body;
    expect(error).toMatchObject({ code: 'parameter_invalid', param: 'metadata' });
    expect((await api.get(path)).body.metadata).toEqual(pairs(50));
    const swapped = await api.post(path, { metadata: { 'key 0': '', more: 'x' } });
    expect(Object.keys(swapped.body.metadata)).toHaveLength(50);
  });

  test('limits a key of metadata to 40 characters, not bytes', async () => {
    const longest = ['k'.repeat(40), 'é'.repeat(40), '😀'.repeat(40)];
    for (const key of longest) {
      expect((await create({ [key]: 'x' })).body.metadata).toEqual({ [key]: 'x' });
      const answer = await create({ [`${key}k`]: 'x' });
      expect([answer.status, answer.body.error.code]).toEqual([400, 'parameter_invalid']);
      expect(answer.body.error.param).toMatch(/^metadata/);
    }
    expect((await create({ '': 'x' })).body.error).toMatchObject({
      code: 'parameter_invalid',
      param: expect.stringMatching(/^metadata/),
    });
  });

  test('explains the rules for keys when it refuses a key of metadata', async () => {
    for (const key of ['a[b]', '[', ']', 'x'.repeat(41), '']) {
      const answer = await create({ [key]: 'x' });
      expect([answer.status, answer.body.error.code, answer.body.error.param.slice(0, 8)]).toEqual([
        400,
        'parameter_invalid',
        'metadata',
      ]);
      expect(answer.body.error.message).toMatch(/Use 1 to 40 characters without brackets/);
    }
  });

  test('limits a value of metadata to 500 characters, not bytes', async () => {
    for (const character of ['v', 'é', '😀', '\n', '"']) {
      const longest = character.repeat(500);
      expect((await create({ a: longest })).body.metadata).toEqual({ a: longest });
      expectRefusal(await create({ a: `${longest}v` }), { ...invalid('metadata[a]'), says: '500' });
    }
  });

  test.each([0, 1.5, -1e300, true, false, null, [], {}, ['x'], { a: 'x' }].map((value) => [JSON.stringify(value)]))(
    'refuses a value of metadata that is not a string: %s',
    async (value) => {
      expectRefusal(
        await api.post('/v1/references', `{"application":"app_1","metadata":{"a":${value}}}`),
        invalid('metadata[a]'),
      );
    },
  );

  test('drops a pair when its value is empty, and clears metadata when it is null', async () => {
    const created = await create({ a: '1', b: '' });
    expect(created.body.metadata).toEqual({ a: '1' });
    const path = `/v1/references/${created.body.id}`;
    expect((await api.post(path, { metadata: { b: '2' } })).body.metadata).toEqual({ a: '1', b: '2' });
    expect((await api.post(path, { metadata: {} })).body.metadata).toEqual({ a: '1', b: '2' });
    expect((await api.post(path, { metadata: null })).body.metadata).toEqual({});
    expect((await create(null)).body.metadata).toEqual({});
  });

  test('refuses a number instead of a text, at any size', async () => {
    for (const number of ['1e999', '-1e999', '9'.repeat(400), '1e-999', `0.${'1'.repeat(400)}`]) {
      expectRefusal(await api.post('/v1/references', `{"application":${number}}`), invalid('application'));
    }
  });
});

function withProto(value: string): string {
  return `{"application":"app_1","metadata":{"__proto__":"${value}"}}`;
}

function pairs(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`key ${index}`, 'x']));
}

function objectText(entries: [string, string][]): string {
  return `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`;
}

/** Shows what `toEqual` does not: whether a key is the object's own. */
function ownEntries(object: object): [string, unknown][] {
  return Object.entries(object);
}

async function create(metadata: unknown): Promise<ApiResponse> {
  return api.post('/v1/references', { application: 'app_1', metadata });
}
