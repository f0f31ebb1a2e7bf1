import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ErrorCode } from '../src/core/errors.ts';
import { createFrom, defineResource, nullable, updateFrom, type StoredRecord } from '../src/core/resource.ts';
import { resources } from '../src/resources/index.ts';
import { allOf } from './support/paging.ts';
import { createTestDatabase, startTestServer, type Api, type ApiResponse, type TestServer } from './support/server.ts';
import { expectShape } from './support/shapes.ts';
import { addAccount, addKey, firstAccountId } from './support/tenants.ts';

/** What is wrong, the body, and the code and parameter of the answer. */
type RefusedBody = [string, object, ErrorCode, string];

let server: TestServer;
let api: Api;

beforeAll(async () => {
  server = await startTestServer();
  api = server.api;
});
afterAll(() => server.stop());

const flat = { line1: '1 High Street', city: 'Leeds', postal_code: 'LS1 4AP', country: 'GB' };
const wholeFlat = { ...flat, line2: null, from: null, to: null };
const house = { ...flat, line1: 'Rose Cottage', line2: 'Mill Lane', from: '2019-02-28', to: '2024-02-29' };

describe('create', () => {
  test('answers the whole customer', async () => {
    const body = {
      name: 'Łukasz O’Neill',
      email: 'lukasz@example.com',
      phone: '+48 22 694 70 00',
      date_of_birth: '1990-12-31',
      addresses: [house, flat],
      metadata: { crm: '17' },
    };
    const customer = await created(body);
    expect(customer).toStrictEqual({
      id: expect.stringMatching(/^cus_[0-9A-Za-z]{22}$/),
      object: 'customer',
      created: expect.closeTo(Date.now() / 1000, -1),
      ...body,
      addresses: [house, wholeFlat],
    });
    expect((await api.get(`/v1/customers/${customer.id}`)).body).toStrictEqual(customer);
  });

  test('needs a name only, and takes null for what is absent', async () => {
    const nulls = { email: null, phone: null, date_of_birth: null, addresses: null, metadata: null };
    const [withNulls, without] = [await created({ name: 'Ada', ...nulls }), await created({ name: 'Ada' })];
    expect({ ...withNulls, id: '', created: 0 }).toStrictEqual({ ...without, id: '', created: 0 });
    expect(without).toMatchObject({ email: null, phone: null, date_of_birth: null, addresses: [], metadata: {} });
  });

  test.each(['1990-12-31', '2024-02-29', '2000-02-29', '1900-01-01', '2023-04-30'])(
    'takes the date %s',
    async (date) => {
      expect((await created({ name: 'Ada', date_of_birth: date })).date_of_birth).toBe(date);
    },
  );

  test.each([
    '1990-02-30',
    '2023-02-29',
    '1900-02-29',
    '2023-04-31',
    '2023-13-01',
    '2023-00-10',
    '2023-01-00',
    '2023-1-1',
    '31-12-1990',
    '1990-12-31T00:00:00Z',
    ' 1990-12-31',
    '1990-12-31\n',
    '',
  ])('refuses %j, which is no date of the calendar', async (date) => {
    expectRefusal(
      await api.post('/v1/customers', { name: 'Ada', date_of_birth: date }),
      'parameter_invalid',
      'date_of_birth',
    );
    const response = await api.post('/v1/customers', { name: 'Ada', addresses: [flat, { ...flat, from: date }] });
    expectRefusal(response, 'parameter_invalid', 'addresses[1][from]');
  });

  test('takes texts as long as they may be', async () => {
    const longest = 'x'.repeat(500);
    const address = { ...flat, line1: longest, line2: longest, city: longest, postal_code: longest };
    const body = {
      name: longest,
      phone: longest,
      email: `${'x'.repeat(243)}@example.com`,
      addresses: Array.from({ length: 50 }, () => address),
    };
    expect(await created(body)).toMatchObject(body);
  });

  test.each<RefusedBody>([
    ['no name', {}, 'parameter_missing', 'name'],
    ['null as the name', { name: null }, 'parameter_invalid', 'name'],
    ['an empty name', { name: '' }, 'parameter_invalid', 'name'],
    ['a name of 501 characters', { name: 'x'.repeat(501) }, 'parameter_invalid', 'name'],
    ['a number as the name', { name: 1 }, 'parameter_invalid', 'name'],
    ['no e-mail address', { name: 'Ada', email: 'ada' }, 'parameter_invalid', 'email'],
    ['an empty e-mail address', { name: 'Ada', email: '' }, 'parameter_invalid', 'email'],
    ['two e-mail addresses', { name: 'Ada', email: 'a@example.com b@example.com' }, 'parameter_invalid', 'email'],
    [
      'an e-mail address of 256',
      { name: 'Ada', email: `${'x'.repeat(244)}@example.com` },
      'parameter_invalid',
      'email',
    ],
    ['an empty phone', { name: 'Ada', phone: '' }, 'parameter_invalid', 'phone'],
    ['a number as the date', { name: 'Ada', date_of_birth: 19901231 }, 'parameter_invalid', 'date_of_birth'],
    ['one address without its list', { name: 'Ada', addresses: flat }, 'parameter_invalid', 'addresses'],
    [
      '51 addresses',
      { name: 'Ada', addresses: Array.from({ length: 51 }, () => flat) },
      'parameter_invalid',
      'addresses',
    ],
    ['null as an address', { name: 'Ada', addresses: [null] }, 'parameter_invalid', 'addresses[0]'],
    [
      'a country in words',
      { name: 'Ada', addresses: [{ ...flat, country: 'UK ' }] },
      'parameter_invalid',
      'addresses[0][country]',
    ],
    [
      'a country in small letters',
      { name: 'Ada', addresses: [{ ...flat, country: 'gb' }] },
      'parameter_invalid',
      'addresses[0][country]',
    ],
    [
      'null as a city',
      { name: 'Ada', addresses: [{ ...flat, city: null }] },
      'parameter_invalid',
      'addresses[0][city]',
    ],
    ...(['line1', 'city', 'postal_code', 'country'] as const).map((name): RefusedBody => {
      const { [name]: _, ...rest } = flat;
      return [
        `an address without ${name}`,
        { name: 'Ada', addresses: [flat, rest] },
        'parameter_missing',
        `addresses[1][${name}]`,
      ];
    }),
    ['a misspelt member', { name: 'Ada', e_mail: 'a@example.com' }, 'parameter_unknown', 'e_mail'],
    [
      'a misspelt part of an address',
      { name: 'Ada', addresses: [{ ...flat, zip: '1' }] },
      'parameter_unknown',
      'addresses[0][zip]',
    ],
    ["the server's own id", { name: 'Ada', id: 'cus_1' }, 'parameter_unknown', 'id'],
  ])('refuses %s', async (_case, body, code, param) => {
    expectRefusal(await api.post('/v1/customers', body), code, param);
  });
});

describe('update', () => {
  test('changes what is sent, clears what is null, and leaves the rest', async () => {
    const whole = { name: 'Ada', email: 'ada@example.com', phone: '1', date_of_birth: '1990-12-31', addresses: [flat] };
    const before = await created({ ...whole, metadata: { kept: '1' } });
    const path = `/v1/customers/${before.id}`;

    const named = (await api.post(path, { name: 'Ada Byron' })).body;
    expect(named).toStrictEqual({ ...before, name: 'Ada Byron' });
    const cleared = (await api.post(path, { email: null, phone: null, date_of_birth: null, addresses: null })).body;
    expect(cleared).toStrictEqual({ ...named, email: null, phone: null, date_of_birth: null, addresses: [] });
    expect((await api.get(path)).body).toStrictEqual(cleared);
    expectShape('customer', cleared);

    expect((await eventsAbout(before.id)).map(({ type, data }) => [type, data])).toStrictEqual([
      ['customer.created', { object: before, previous_attributes: null }],
      ['customer.updated', { object: named, previous_attributes: { name: 'Ada' } }],
      [
        'customer.updated',
        {
          object: cleared,
          previous_attributes: {
            email: 'ada@example.com',
            phone: '1',
            date_of_birth: '1990-12-31',
            addresses: [wholeFlat],
          },
        },
      ],
    ]);
  });

  test('replaces addresses whole, and tells the whole list that was there before', async () => {
    const { id } = await created({ name: 'Ada', addresses: [house, flat] });
    const moved = { ...house, to: '2024-03-01' };
    expect((await api.post(`/v1/customers/${id}`, { addresses: [moved, flat] })).body.addresses).toStrictEqual([
      moved,
      wholeFlat,
    ]);
    expect((await api.post(`/v1/customers/${id}`, { addresses: [flat, moved] })).body.addresses).toStrictEqual([
      wholeFlat,
      moved,
    ]);
    expect((await api.post(`/v1/customers/${id}`, { addresses: [] })).body.addresses).toStrictEqual([]);
    expect((await eventsAbout(id)).map(({ data }) => data.previous_attributes)).toStrictEqual([
      null,
      { addresses: [house, wholeFlat] },
      { addresses: [moved, wholeFlat] },
      { addresses: [wholeFlat, moved] },
    ]);
  });

  test('that changes nothing leaves no event: spelt out or left out, an absent part of an address is the same', async () => {
    const before = await created({ name: 'Ada', addresses: [flat], metadata: { a: '1' } });
    const { to, from, line2, ...rest } = wholeFlat;
    for (const body of [
      {},
      { name: 'Ada' },
      { email: null },
      { addresses: [wholeFlat] },
      { addresses: [{ to, from, line2, ...rest }] },
      { metadata: { a: '1' } },
    ]) {
      const { status, body: after } = await api.post(`/v1/customers/${before.id}`, body);
      expect([status, after]).toStrictEqual([200, before]);
    }
    expect(await eventsAbout(before.id)).toHaveLength(1);
  });

  test.each<RefusedBody>([
    ['null as the name', { name: null }, 'parameter_invalid', 'name'],
    ['30 February', { date_of_birth: '1990-02-30' }, 'parameter_invalid', 'date_of_birth'],
    ['an incomplete address', { addresses: [{ line1: '1 High Street' }] }, 'parameter_missing', 'addresses[0][city]'],
    ['a misspelt member', { nmae: 'Ada' }, 'parameter_unknown', 'nmae'],
  ])('refuses %s', async (_case, body, code, param) => {
    const before = await created({ name: 'Ada' });
    expectRefusal(await api.post(`/v1/customers/${before.id}`, body), code, param);
    expect((await api.get(`/v1/customers/${before.id}`)).body).toStrictEqual(before);
  });

  test('of an unknown or a foreign customer is 404', async () => {
    const { id } = await created({ name: 'Ada' });
    const { api: other } = await addAccount(server);
    for (const path of [
      `/v1/customers/${id}`,
      '/v1/customers/cus_0000000000000000000000',
      '/v1/customers/ref_0000000000000000000000',
    ]) {
      for (const response of [await other.get(path), await other.post(path, { name: 'Eve' })]) {
        expect([response.status, response.body.error.code]).toEqual([404, 'resource_missing']);
      }
    }
    expect((await api.get(`/v1/customers/${id}`)).body.name).toBe('Ada');
  });
});

describe('a kind of record', () => {
  type Deposit = StoredRecord & { holder: string; note: string | null };
  const Text = Type.String({ maxLength: 20 });

  /** All that a new kind of record costs: this, a line in the list of kinds, and its table. */
  const deposit = defineResource<Deposit>({
    object: 'deposit',
    prefix: 'cus',
    path: 'deposits',
    table: 'deposits',
    metadata: true,
    fields: {
      holder: { column: 'text', schema: Text },
      note: { column: 'text', schema: nullable(Text) },
    },
    links: { holder: 'customers' },
    create: createFrom({ holder: Text, note: Type.Optional(nullable(Text)) }, ({ holder, note }) => ({
      holder,
      note: note ?? null,
    })),
    update: updateFrom({ note: Type.Optional(nullable(Text)) }, (current, { note }) => ({
      after: { ...current, note: note === undefined ? current.note : note },
    })),
    verbs: { released: 'It was given back.' },
    actions: { release: { decide: (current) => ({ after: { ...current, note: 'released' }, verb: 'released' }) } },
  });
  const table = `
    create table deposits (
      account_id text collate "C", id text collate "C", created bigint, revision bigint,
      holder text, note text, metadata text, primary key (account_id, id)
    )`;

  test('costs one definition: operations, permissions, lists, events and idempotency come with it', async () => {
    const database = await createTestDatabase();
    const own = await startTestServer({
      connection: database.connection,
      changeContext: (context) => ({ ...context, resources: [...resources, deposit] }),
    });
    try {
      await own.context.database.readers.query(table);
      const accountId = await firstAccountId(own);
      const { api: holding } = await addKey(own, accountId, { permissions: ['deposits.write', 'events.read'] });

      const key = { 'idempotency-key': 'one' };
      const made = await holding.post('/v1/deposits', { holder: 'cus_1', metadata: { scheme: 'x' } }, key);
      expect(made.body).toMatchObject({ object: 'deposit', holder: 'cus_1', note: null, metadata: { scheme: 'x' } });
      expect((await holding.post('/v1/deposits', { holder: 'cus_1', metadata: { scheme: 'x' } }, key)).text).toBe(
        made.text,
      );
      const path = `/v1/deposits/${made.body.id}`;
      expect((await holding.post(path, { note: 'half' })).body.note).toBe('half');
      expect((await holding.post(`${path}/release`)).body.note).toBe('released');
      expect((await holding.get('/v1/deposits?created[gt]=0')).body).toMatchObject({ count: 1, has_more: false });
      expectRefusal(await holding.post('/v1/deposits', { note: 'x' }), 'parameter_missing', 'holder');
      expect((await own.api.get(path)).body.error).toMatchObject({ code: 'permission_denied' });
      expect((await own.api.get(path)).body.error.message).toContain('`deposits.read`');
      const { data } = (await holding.get('/v1/events?related_object=cus_1')).body;
      expect(data.map(({ type }: { type: string }) => type)).toEqual([
        'deposit.released',
        'deposit.updated',
        'deposit.updated',
        'deposit.created',
      ]);
    } finally {
      await own.stop();
      await database.drop();
    }
  });
});

async function created(body: object): Promise<ApiResponse['body']> {
  const response = await api.post('/v1/customers', body);
  expect(response.status, response.text).toBe(200);
  expectShape('customer', response.body);
  return response.body;
}

/** All events of one record, the oldest first. */
async function eventsAbout(id: string): Promise<ApiResponse['body'][]> {
  return (await allOf(api, '/v1/events', { object_id: id })).toReversed();
}

function expectRefusal(response: ApiResponse, code: ErrorCode, param: string): void {
  const { status, body, text } = response;
  expect([status, body?.error?.code, body?.error?.param], text).toEqual([400, code, param]);
}
