import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Agency, startLetting, type Made } from '../letting/agency.ts';
import { expectRefusal, invalid, refusals } from '../support/refusals.ts';
import { good, type Api, type ApiResponse, type TestServer } from '../support/server.ts';
import { addKey } from '../support/tenants.ts';

let server: TestServer;
let agency: Agency;

beforeAll(async () => {
  server = await startLetting();
});
afterAll(() => server.stop());
beforeEach(async () => {
  agency = await Agency.on(server);
});

function search(query: string, api: Api = agency.api, more = ''): Promise<ApiResponse> {
  return api.get(`/v1/search?query=${encodeURIComponent(query)}${more}`);
}

async function idsFor(query: string, api: Api = agency.api): Promise<string[]> {
  return (await good(search(query, api))).body.data.map(({ id }: Made) => id);
}

describe('a hostile query', () => {
  test('is refused, or finds nothing, when it has SQL, patterns, control characters or odd encodings', async () => {
    const person = await agency.make('customers', {
      name: "Robert'); drop table customers;--",
      email: 'a@example.org',
    });
    expect(await idsFor("robert'); drop")).toEqual([person.id]);
    const none = [
      "' or ''='",
      '$1 $2',
      '{"a":1}',
      '{1,2,NULL}',
      '\\x00 \\u0000',
      '..%2f..%2fetc',
      'cus_%',
      'cus__',
      `cus_${'z'.repeat(480)}`,
      'a'.repeat(500),
      '\u202E\u200B\uFEFFxyz',
      '🙂🙂🙂',
      '\t\n xq \r',
    ];
    for (const query of none) expect([query, (await good(search(query))).body.data]).toEqual([query, []]);
    for (const raw of ['%00%00', 'a%00b', '%FF%FE', '%ED%A0%80ab', 'x'.repeat(10_000), '%F0%9F%99%82'.repeat(501)]) {
      const answer = await agency.api.get(`/v1/search?query=${raw}`);
      expect([raw.slice(0, 20), answer.status]).toEqual([raw.slice(0, 20), 400]);
    }
    expectRefusal(await agency.api.get('/v1/search?query=ada&query=bob'), invalid('query'));
  });

  test('finds a text with control characters, joined letters and direction marks when it is typed plainly', async () => {
    const metadata = { note: 'line\u2028one\u00A0two\tthree', mark: 'ﬁne ①②③ Ｗｉｄｅ', zero: 'in\u200Bvisible' };
    const { id } = await agency.make('customers', { name: 'नमस्ते กรุงเทพ Ωmega', metadata });
    for (const query of ['one two three', 'fine', '123', 'wide', 'invisible', 'ωμ', 'ωmega', 'กรุง', 'नमस'])
      expect([query, await idsFor(query)]).toEqual([query, query === 'ωμ' ? [] : [id]]);
  });
});

describe('rights', () => {
  test('hide the number of persons when a key cannot read them', async () => {
    for (let at = 0; at < 25; at++) await agency.make('customers', { name: `Ada ${at}` });
    const unit = await agency.unit({ name: 'Ada Court' });
    expect((await good(search('ada'))).body).toMatchObject({ has_more: true });
    const { api } = await addKey(server, agency.accountId, { permissions: ['units.read', 'buildings.read'] });
    const { body } = await good(search('ada', api));
    expect([body.data.map(({ id }: Made) => id), body.has_more]).toEqual([[unit.id], false]);
    expect((await good(search('ada', api, '&types=customer'))).body).toMatchObject({ data: [], has_more: false });
  });

  test('hide a person in a tenancy, its reference and its expanded record when a key cannot read persons', async () => {
    const person = await agency.make('customers', { name: 'Ada Lovelace', email: 'ada@example.org' });
    await agency.signed((await agency.unit()).id, { customers: [person.id] });
    await agency.make('references', { application: 'app_1', customer: person.id });
    const permissions = ['tenancies.read', 'references.read', 'units.read', 'buildings.read'];
    const { api } = await addKey(server, agency.accountId, { permissions });
    for (const query of ['lovelace', 'ada@', 'coppergate lovelace', 'ad'])
      expect([query, (await good(search(query, api))).body.data]).toEqual([query, []]);
    const answer = await good(search('coppergate', api));
    expect(answer.body.data.map(({ type }: Made) => type)).toEqual(['tenancy', 'unit']);
    expect(/lovelace|ada@/i.test(answer.text)).toBe(false);
    expectRefusal(await search('coppergate', api, '&expand=customers'), invalid('expand'));
  });

  test('end when the key is revoked', async () => {
    await agency.make('customers', { name: 'Ada' });
    const { api, keyId } = await addKey(server, agency.accountId, {
      permissions: ['customers.read', 'api_keys.write'],
    });
    expect(await idsFor('ada', api)).toHaveLength(1);
    await good(api.delete(`/v1/api_keys/${keyId}`));
    expectRefusal(await search('ada', api), refusals.keyExpired);
  });
});

describe('erasure', () => {
  test('leaves no text of a person in any entry when a search and changes run beside it', async () => {
    const person = await agency.make('customers', { name: 'Zaphod Beeblebrox', email: 'zaphod@example.org' });
    const unit = await agency.unit();
    const application = await agency.application({ customers: [person.id], unit: unit.id });
    const reference = await agency.make('references', {
      application: application.id,
      customer: person.id,
      metadata: { note: 'beeblebrox' },
    });
    await agency.make('tenancies', {
      unit: unit.id,
      customers: [person.id],
      start_date: '2027-02-01',
      rent: { amount: 1, currency: 'gbp', interval: 'month' },
    });
    expect(await idsFor('beeblebrox')).toHaveLength(4);
    const beside = Array.from({ length: 20 }, (_, at) => [
      search('beeblebrox'),
      agency.api.post(`/v1/units/${unit.id}`, { name: `Flat ${at}` }),
      agency.api.post(`/v1/references/${reference.id}`, { metadata: { note: `beeblebrox ${at}` } }),
    ]).flat();
    const [deleted] = await Promise.all([agency.api.delete(`/v1/customers/${person.id}`), ...beside]);
    expect(deleted.status).toBe(200);
    expect(await idsFor('flat')).not.toEqual([]);
    const { rows } = await server.context.database.readers.query(
      `select id, words from search_entries where account_id = $1 and (words || starts) ~ 'beeble|zaphod'`,
      [agency.accountId],
    );
    expect(rows).toEqual([]);
    expect([await idsFor('beeblebrox'), await idsFor('zaphod')]).toEqual([[], []]);
  });
});
