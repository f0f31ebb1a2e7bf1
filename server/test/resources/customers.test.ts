import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../src/core/errors.ts';
import { withClient } from '../../src/db/pools.ts';
import { expectRefusal as expectRefused, invalid } from '../support/refusals.ts';
import { allOf } from '../support/paging.ts';
import { good, startTestServer, type Api, type ApiResponse, type TestServer } from '../support/server.ts';
import { expectShape } from '../support/shapes.ts';
import { addAccount } from '../support/tenants.ts';
import { laterThanNow } from '../support/later-than-now.ts';

/** A test name, the body, and the code and parameter of the error. */
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

describe('customer creation', () => {
  test('returns the whole customer when a customer is created', async () => {
    const madeNow = laterThanNow();
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
      created: madeNow,
      ...body,
      addresses: [house, wholeFlat],
      right_to_rent: null,
    });
    expect((await api.get(`/v1/customers/${customer.id}`)).body).toStrictEqual(customer);
  });

  test('requires only a name, and treats null as absent when a customer is created', async () => {
    const nulls = { email: null, phone: null, date_of_birth: null, addresses: null, metadata: null };
    const [withNulls, without] = [await created({ name: 'Ada', ...nulls }), await created({ name: 'Ada' })];
    expect({ ...withNulls, id: '', created: 0 }).toStrictEqual({ ...without, id: '', created: 0 });
    expect(without).toMatchObject({ email: null, phone: null, date_of_birth: null, addresses: [], metadata: {} });
  });

  test.each(['1990-12-31', '2024-02-29', '2000-02-29', '1900-01-01', '2023-04-30'])(
    'accepts date_of_birth %s because it is a calendar date',
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
  ])('refuses date_of_birth %j when it is not a calendar date', async (date) => {
    expectRefusal(
      await api.post('/v1/customers', { name: 'Ada', date_of_birth: date }),
      'parameter_invalid',
      'date_of_birth',
    );
    const response = await api.post('/v1/customers', { name: 'Ada', addresses: [flat, { ...flat, from: date }] });
    expectRefusal(response, 'parameter_invalid', 'addresses[1][from]');
  });

  test('accepts texts when they have the maximum length', async () => {
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
    ['an invalid e-mail address', { name: 'Ada', email: 'ada' }, 'parameter_invalid', 'email'],
    ['an empty e-mail address', { name: 'Ada', email: '' }, 'parameter_invalid', 'email'],
    ['two e-mail addresses', { name: 'Ada', email: 'a@example.com b@example.com' }, 'parameter_invalid', 'email'],
    [
      'an e-mail address of 256 characters',
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
  ])('refuses to create a customer when the body has %s', async (_case, body, code, param) => {
    expectRefusal(await api.post('/v1/customers', body), code, param);
  });
});

const at = (param: string, says: string | RegExp) => ({ ...invalid(param), says });
const soon = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const address = (member: object) => ({ addresses: [flat, { ...flat, ...member }] });

describe('customer texts that cannot be used', () => {
  const blank = 'is blank: send a visible text';

  test.each([
    ['a required member', { name: ' ' }, /send a visible text\.$/],
    ['a required member of an item', { name: 'Ada', ...address({ city: ' ' }) }, /send a visible text\.$/],
    ['an optional member', { name: 'Ada', phone: ' ' }, /send a visible text, or leave the member out\.$/],
    ['an optional member of an item', { name: 'Ada', ...address({ line2: ' ' }) }, /or leave the member out\.$/],
  ])('says whether a blank text can be left out when it is sent for %s', async (_case, body, says) => {
    expect((await api.post('/v1/customers', body)).body.error.message).toMatch(says);
  });

  test('says that a blank name can be left out when a customer is updated', async () => {
    const { body } = await good(api.post('/v1/customers', { name: 'Ada' }));
    const refused = await api.post(`/v1/customers/${body.id}`, { name: ' ' });
    expect(refused.body.error.message).toContain('or leave the member out');
  });

  test.each<[string, object, ReturnType<typeof at>]>([
    ['a blank name', { name: '   ' }, at('name', `\`name\` ${blank}`)],
    ['an invisible name', { name: '\u00a0\u200b\u2060\u3164' }, at('name', blank)],
    ['a line break in a name', { name: 'Ada\nLovelace' }, at('name', 'has the character U+000A, a control character')],
    ['a tab at the end of a name', { name: 'Ada\t' }, at('name', 'U+0009')],
    ['a C1 control character in a name', { name: 'Ada\u0085' }, at('name', 'U+0085')],
    ['a line separator in a name', { name: 'Ada\u2028Lovelace' }, at('name', 'U+2028')],
    [
      'a name with a change of direction',
      { name: 'Ada \u202eecalevoL' },
      at('name', 'U+202E, which changes the direction of text'),
    ],
    ['a direction isolate in a name', { name: '\u2066Ada\u2069' }, at('name', 'U+2066')],
    ['a direction mark in a phone', { phone: '\u200e+44 1904' }, at('phone', 'U+200E')],
    ['a blank phone', { phone: ' ' }, at('phone', blank)],
    ['a blank line of an address', address({ line1: ' ' }), at('addresses[1][line1]', blank)],
    [
      'a second line of an address with a line break',
      address({ line2: 'a\r\nb' }),
      at('addresses[1][line2]', 'U+000D'),
    ],
    ['a blank city', address({ city: '\u2003' }), at('addresses[1][city]', blank)],
    ['a blank postal code', address({ postal_code: '\ufeff' }), at('addresses[1][postal_code]', blank)],
    ['an unknown country', address({ country: 'XX' }), at('addresses[1][country]', 'ISO 3166-1')],
    ['UK as a country', address({ country: 'UK' }), at('addresses[1][country]', 'the United Kingdom is GB')],
    [
      'an address that ends before it begins',
      address({ from: '2024-02-01', to: '2024-01-31' }),
      at('addresses[1][to]', 'before `from`, 2024-02-01'),
    ],
    [
      'an e-mail address without a dot in its domain',
      { email: 'ada@localhost' },
      at('email', 'with a dot in its domain'),
    ],
    ['an e-mail address that ends with a dot', { email: 'ada@example.org.' }, at('email', 'dots at an end')],
    [
      'an e-mail address with a control character',
      { email: 'a\u0007da@example.org' },
      at('email', 'control characters'),
    ],
    ['a birthday in the future', { date_of_birth: soon(2) }, at('date_of_birth', 'a day from 1900-01-01 to today')],
    ['a birthday before 1900', { date_of_birth: '1899-12-31' }, at('date_of_birth', 'from 1900-01-01')],
  ])('refuses to create or change a customer when the body has %s', async (_case, body, refusal) => {
    const before = await created({ name: 'Ada' });
    const count = (await api.get('/v1/customers')).body.count;
    expectRefused(await api.post('/v1/customers', { name: 'Ada', ...body }), refusal);
    expectRefused(await api.post(`/v1/customers/${before.id}`, body), refusal);
    expect((await api.get(`/v1/customers/${before.id}`)).body).toStrictEqual(before);
    expect((await api.get('/v1/customers')).body.count).toBe(count);
  });

  test('accepts names of all scripts and dates up to today when a customer is created', async () => {
    const names = ['José', 'Łukasz Żółć', '李小龍', "O'Brien", 'محمد علي', 'דוד', 'علی\u200cرضا', 'നന്\u200dമ'];
    for (const name of names) expect((await created({ name })).name).toBe(name);
    const today = soon(0);
    const stay = { ...wholeFlat, from: today, to: today };
    expect(await created({ name: 'Ada', date_of_birth: today, addresses: [stay] })).toMatchObject({
      addresses: [stay],
    });
    expect(await created({ name: 'Ada', date_of_birth: '1900-01-01' })).toMatchObject({ date_of_birth: '1900-01-01' });
  });

  test('keeps invalid stored values of an older customer when an update sends other members', async () => {
    const { id } = await created({ name: 'Ada', addresses: [flat] });
    const old = {
      name: ' ',
      email: 'Ada@localhost',
      phone: '\u202e1',
      date_of_birth: '2999-01-01',
      addresses: [{ ...wholeFlat, line1: ' ', country: 'XX', from: '2024-02-01', to: '2024-01-31' }],
    };
    await server.context.database.readers.query(
      `update customers set name = $2, email = $3, phone = $4, date_of_birth = $5, addresses = $6 where id = $1`,
      [id, old.name, old.email, old.phone, old.date_of_birth, JSON.stringify(old.addresses)],
    );
    const changed = await good(api.post(`/v1/customers/${id}`, { metadata: { a: 'b' } }));
    expect(changed.body).toMatchObject({ ...old, metadata: { a: 'b' } });
    expect((await good(api.get(`/v1/customers/${id}`))).body).toStrictEqual(changed.body);
    expect((await good(api.get('/v1/customers?email=ada@localhost'))).body.data).toStrictEqual([changed.body]);
  });
});

describe('email filter', () => {
  test('ignores case when customers are filtered by email, and returns the address as it was sent', async () => {
    const { api: own } = await addAccount(server);
    const emails = ['Grace.Hopper@Navy.Example.MIL', 'grace.hopper@navy.example.mil', 'grace-hopper@navy.example.mil'];
    for (const email of emails) await good(own.post('/v1/customers', { name: 'Grace', email }));
    for (const email of [emails[0]!, emails[1]!, 'GRACE.HOPPER@NAVY.EXAMPLE.MIL']) {
      const { body } = await good(own.get(`/v1/customers?email=${email}`));
      expect([body.count, body.data.map((one: { email: string }) => one.email)]).toEqual([2, [emails[1], emails[0]]]);
    }
    expect((await good(own.get('/v1/customers?email=hopper@navy.example.mil'))).body.count).toBe(0);
    const accented = 'Émile@example.org';
    await good(own.post('/v1/customers', { name: 'Émile', email: accented }));
    expect((await good(own.get(`/v1/customers?email=${encodeURIComponent(accented)}`))).body.count).toBe(1);
  });

  test('uses an index when customers are filtered by email', async () => {
    const plan = await withClient(server.connection, async (client) => {
      // PostgreSQL would scan a table this small.
      await client.query('set enable_seqscan = off');
      const { rows } = await client.query<Record<string, string>>(
        `explain select id from customers
         where account_id = 'acct_1' and deleted_at is null and lower(email) = lower($1 collate "C")
         order by id desc limit 21`,
        ['ada@example.org'],
      );
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    });
    expect(plan).toMatch(/Index.* using customers_email_caseless/);
  });
});

describe('customer updates', () => {
  test('changes the members that are sent, clears null ones and keeps the rest when a customer is updated', async () => {
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

  test('replaces the whole list when addresses are updated, and shows the old list in the event', async () => {
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

  test('writes no event when an update only spells out absent parts of an address', async () => {
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
    ['the date 30 February', { date_of_birth: '1990-02-30' }, 'parameter_invalid', 'date_of_birth'],
    ['an incomplete address', { addresses: [{ line1: '1 High Street' }] }, 'parameter_missing', 'addresses[0][city]'],
    ['a misspelt member', { nmae: 'Ada' }, 'parameter_unknown', 'nmae'],
  ])('refuses to update a customer when the body has %s', async (_case, body, code, param) => {
    const before = await created({ name: 'Ada' });
    expectRefusal(await api.post(`/v1/customers/${before.id}`, body), code, param);
    expect((await api.get(`/v1/customers/${before.id}`)).body).toStrictEqual(before);
  });

  test('returns 404 when the customer is unknown or belongs to another account', async () => {
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

async function created(body: object): Promise<ApiResponse['body']> {
  const response = await api.post('/v1/customers', body);
  expect(response.status, response.text).toBe(200);
  expectShape('customer', response.body);
  return response.body;
}

/** Returns all events about a record, oldest first. */
async function eventsAbout(id: string): Promise<ApiResponse['body'][]> {
  return (await allOf(api, '/v1/events', { object_id: id })).toReversed();
}

function expectRefusal(response: ApiResponse, code: ErrorCode, param: string): void {
  const { status, body, text } = response;
  expect([status, body?.error?.code, body?.error?.param], text).toEqual([400, code, param]);
}
