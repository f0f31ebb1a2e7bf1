import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { resources } from '../../src/resources/index.ts';
import { Agency, rent, startDay, startLetting, type Made } from '../letting/agency.ts';
import { allPermissions } from '../support/permissions.ts';
import { expectRefusal, invalid, missing, refusals } from '../support/refusals.ts';
import { good, type Api, type ApiResponse, type TestServer } from '../support/server.ts';
import { addKey } from '../support/tenants.ts';
import { waitMs } from '../support/wait.ts';

let server: TestServer;
let agency: Agency;

beforeAll(async () => {
  server = await startLetting();
});
afterAll(() => server.stop());
beforeEach(async () => {
  agency = await Agency.on(server);
});

/** Searches, and returns the response. */
async function search(query: string, types?: string, api: Api = agency.api): Promise<ApiResponse['body']> {
  const parameters = new URLSearchParams({ query, ...(types !== undefined && { types }) });
  return (await good(api.get(`/v1/search?${parameters.toString()}`))).body;
}

/** Searches, and returns the ids of the results. */
async function idsFor(query: string, types?: string, api?: Api): Promise<string[]> {
  return (await search(query, types, api)).data.map(({ id }: Made) => id);
}

interface Let {
  customer: Made;
  unit: Made;
  application: Made;
  reference: Made;
  tenancy: Made;
  invoice: Made;
}

/** Makes a record of each kind about one let. */
async function aLet(): Promise<Let> {
  const customer = await agency.make('customers', {
    name: 'Ada Lovelace',
    email: 'ada@example.org',
    phone: '+44 1904 555 0123',
    addresses: [{ line1: '7 Saint James’s Square', city: 'London', postal_code: 'SW1Y 4JU', country: 'GB' }],
    metadata: { crm: '88213' },
  });
  const unit = await agency.unit({ name: 'Flat 2' });
  const application = await agency.application({ customers: [customer.id], unit: unit.id });
  const reference = await agency.make('references', { application: application.id, customer: customer.id });
  const tenancy = await agency.make('tenancies', {
    unit: unit.id,
    customers: [customer.id],
    start_date: startDay,
    rent,
    type: 'company',
  });
  const lines = [{ type: 'utility', description: 'Water', amount: 4_000 }];
  await agency.move('tenancies', tenancy.id, 'sign', { signed_on: startDay });
  const invoice = await agency.make('invoices', { tenancy: tenancy.id, lines, due_on: startDay, finalize: true });
  return { customer, unit, application, reference, tenancy, invoice };
}

describe('a search', () => {
  test('shows a record as a GET does when the request names an older version', async () => {
    const { id } = (await aLet()).reference;
    const headers = { 'service-version': '2025-09-01' };
    const { data } = (await good(agency.api.get('/v1/search?query=lovelace&types=reference', headers))).body;
    expect(data).toHaveLength(1);
    expect(data[0].record).toHaveProperty('pdf');
    expect(data[0].record).toEqual((await good(agency.api.get(`/v1/references/${id}`, headers))).body);
  });

  test('finds each kind of record by its own texts and by those of linked records, when words are a part of them', async () => {
    const made = await aLet();
    const all = [made.invoice, made.tenancy, made.reference, made.application, made.customer].map(({ id }) => id);
    expect(await idsFor('lovelace')).toEqual(all);
    expect(await idsFor('ADA LOVE')).toEqual(all);
    expect(await idsFor('example.org')).toEqual(all);
    expect(await idsFor('9045550123')).toEqual(all);
    expect(await idsFor('saint sw1y')).toEqual([made.reference.id, made.customer.id]);
    expect(await idsFor('88213')).toEqual([made.reference.id, made.customer.id]);
    expect(await idsFor('coppergate 2 flat')).toEqual(
      [made.invoice, made.tenancy, made.reference, made.application, made.unit].map(({ id }) => id),
    );
    expect(await idsFor(String(made.invoice.number))).toEqual([made.invoice.id]);
    expect(await idsFor('lovelace coppergate', 'tenancy,application')).toEqual([made.tenancy.id, made.application.id]);
    expect(await idsFor('lovelace turing')).toEqual([]);
  });

  test('shows title, subtitle, the members that matched and the whole record', async () => {
    const made = await aLet();
    const { object, query, has_more, indexed_until, data } = await search('Lovelace');
    expect({ object, query, has_more }).toEqual({ object: 'search_result', query: 'Lovelace', has_more: false });
    expect(indexed_until).toBeGreaterThan(1_700_000_000);
    expect(data.map(({ type, title, subtitle, matched }: Made) => [type, title, subtitle, matched])).toEqual([
      ['invoice', made.invoice.number, 'Ada Lovelace, open, due 2027-01-04', ['tenancy']],
      ['tenancy', 'Ada Lovelace', 'Flat 2, Coppergate, signed, from 2027-01-04', ['customers.name']],
      ['reference', 'Ada Lovelace', 'pending', ['customer']],
      ['application', 'Ada Lovelace', 'open, Flat 2, Coppergate', ['customers.name']],
      ['customer', 'Ada Lovelace', 'ada@example.org', ['name']],
    ]);
    for (const { record } of data as { record: Made }[]) {
      const kind = resources.find(({ object: name }) => name === record.object)!;
      expect(record).toEqual(await agency.get(kind.path, record.id));
    }
    const [unit] = (await search('flat', 'unit')).data;
    expect([unit.title, unit.subtitle]).toEqual(['Flat 2, Coppergate', '12 Coppergate, York, YO1 9NR']);
  });
});

describe('the words of a query', () => {
  test('are literal when they have wildcards, backslashes or quotes', async () => {
    const named = await agency.make('customers', { name: '100% \\o/ _under_ "quoted"' });
    await agency.make('customers', { name: '1000 xox aunderb quoted' });
    for (const query of ['100%', '\\o/', '_under', '"quoted"', '% \\ _', '0%']) {
      expect([query, await idsFor(query)]).toEqual([query, query === '0%' ? [] : [named.id]]);
    }
    for (const query of ['%%', '__', '\\\\', '.*', '(a|b)', "' or 1=1 --"])
      expect([query, await idsFor(query)]).toEqual([query, []]);
  });

  test('ignore case and accents when texts have letters of other languages', async () => {
    const names: Record<string, string[]> = {
      'Işıl Çağlar İNCE': ['isil', 'IŞIL', 'caglar ince', 'ışıl'],
      'Jürgen Weiß-Müller': ['weiss', 'WEIẞ', 'muller', 'müll', 'jü'],
      'محمّد الأحمد': ['محمد', 'الاحمد', 'مح'],
      田中太郎: ['田中', '太郎', '中太', '田中太'],
      김철수: ['철수', '김철'],
      'Łukasz Øster Đorđe': ['lukasz oster dorde', 'ŁU'],
      Αχιλλεύς: ['αχιλλευσ', 'ΑΧΙΛΛΕΥΣ'],
    };
    for (const [name, queries] of Object.entries(names)) {
      const { id } = await agency.make('customers', { name });
      for (const query of queries) expect([query, await idsFor(query, 'customer')]).toEqual([query, [id]]);
    }
  });

  test('match the beginnings of words when they have one or two characters', async () => {
    const { id } = await agency.make('customers', { name: 'Jo O’Brien-Smith' });
    await agency.make('customers', { name: 'Major Tom' });
    for (const query of ['jo', 'br', 'sm', 'j sm', 'o b']) expect([query, await idsFor(query)]).toEqual([query, [id]]);
    for (const query of ['ri', 'ith x', 'en']) expect([query, await idsFor(query)]).toEqual([query, []]);
  });

  test('must all be there when there are 50 of them, or when they have 500 characters', async () => {
    const words = Array.from({ length: 50 }, (_, at) => `w${at}x`);
    const { id } = await agency.make('customers', { name: words.join(' '), metadata: { note: 'y'.repeat(500) } });
    expect(await idsFor(words.toReversed().join(' '))).toEqual([id]);
    expect(await idsFor(`${words.join(' ')} w50x`)).toEqual([]);
    expect(await idsFor('y'.repeat(500))).toEqual([id]);
    expect(await idsFor('yz'.repeat(250))).toEqual([]);
  });

  test('are refused when too few characters, too many or an unknown kind are sent', async () => {
    const { api } = agency;
    expectRefusal(await api.get('/v1/search'), missing('query'));
    for (const query of ['a', '%20%20', 'a%20', 'a%20a', '%CC%81%CC%81', 'x'.repeat(501)])
      expectRefusal(await api.get(`/v1/search?query=${query}`), invalid('query'));
    for (const types of ['people', 'customer,', 'customer,event', ''])
      expectRefusal(await api.get(`/v1/search?query=ada&types=${types}`), invalid('types'));
  });

  test('find a record by its id, or by the beginning of the id, when the kind is searched', async () => {
    const { customer, tenancy } = await aLet();
    const [first] = (await search(customer.id)).data;
    expect([first.id, first.matched]).toEqual([customer.id, ['id']]);
    expect(await idsFor(tenancy.id.slice(0, 12))).toEqual([tenancy.id]);
    expect(await idsFor(customer.id, 'unit')).toEqual([]);
  });
});

describe('the index', () => {
  test('follows when a record changes, moves away or is deleted', async () => {
    const { customer, unit, tenancy, reference, application, invoice } = await aLet();
    await good(agency.api.post(`/v1/customers/${customer.id}`, { name: 'Ada Byron' }));
    expect(await idsFor('lovelace')).toEqual([]);
    const named = [invoice, tenancy, reference, application, customer].map(({ id }) => id);
    expect(await idsFor('byron')).toEqual(named);
    await good(agency.api.post(`/v1/buildings/${unit.building}`, { name: 'Stonegate House' }));
    expect(await idsFor('stonegate')).toEqual([invoice, tenancy, reference, application, unit].map(({ id }) => id));
    await good(agency.api.post(`/v1/references/${reference.id}`, { metadata: { desk: 'seven' } }));
    expect(await idsFor('seven')).toEqual([reference.id]);
    await good(agency.api.post(`/v1/references/${reference.id}`, { metadata: { desk: '' } }));
    expect(await idsFor('seven')).toEqual([]);
    const free = await agency.make('units', { building: unit.building, name: 'Attic' });
    expect(await idsFor('attic')).toEqual([free.id]);
    await good(agency.api.delete(`/v1/units/${free.id}`));
    expect(await idsFor('attic')).toEqual([]);
  });

  test('forgets a person in all records when the person is erased', async () => {
    const customer = await agency.make('customers', { name: 'Ada Lovelace', email: 'ada@example.org' });
    const other = await agency.make('customers', { name: 'Grace Hopper' });
    const application = await agency.application({ customers: [customer.id, other.id] });
    await agency.make('references', {
      application: application.id,
      customer: customer.id,
      metadata: { of: 'lovelace' },
    });
    expect(await idsFor('lovelace')).toHaveLength(3);
    await good(agency.api.delete(`/v1/customers/${customer.id}`));
    // The response to the deletion comes when nothing of the person is left.
    const { rows } = await server.context.database.readers.query(
      `select from search_entries where account_id = $1 and words ~ 'lovelace|ada@'`,
      [agency.accountId],
    );
    expect(rows).toEqual([]);
    for (const query of ['lovelace', 'ada', customer.id, '[erased]'])
      expect([query, await idsFor(query)]).toEqual([query, []]);
    expect(await idsFor('hopper')).toContain(application.id);
  });

  test('forgets an erased person in other records when the person had no entry yet', async () => {
    const customer = await agency.make('customers', { name: 'Ada Lovelace' });
    const other = await agency.make('customers', { name: 'Grace Hopper' });
    const application = await agency.application({ customers: [customer.id, other.id] });
    expect(await idsFor('lovelace')).toEqual([application.id, customer.id]);
    const { readers } = server.context.database;
    const which = [agency.accountId, customer.id];
    await readers.query('delete from search_entries where account_id = $1 and id = $2', which);
    await good(agency.api.delete(`/v1/customers/${customer.id}`));
    const { rows } = await readers.query('select words from search_entries where account_id = $1 order by id', [
      agency.accountId,
    ]);
    expect(rows).toEqual([{ words: 'grace hopper' }, { words: 'grace hopper' }]);
  });

  test('finds what was there before the first search, and all of many records, the newest first', async () => {
    await search('nothing');
    const names = Array.from({ length: 45 }, (_, at) => `Twin ${at}`);
    for (const name of names) await agency.make('customers', { name });
    await server.context.database.readers.query('delete from search_positions where account_id = $1', [
      agency.accountId,
    ]);
    await server.context.database.readers.query('delete from search_entries where account_id = $1', [agency.accountId]);
    const { data, has_more } = await search('twin');
    expect([data.map(({ title }: Made) => title), has_more]).toEqual([names.toReversed().slice(0, 20), true]);
    expect((await search('twin 44')).has_more).toBe(false);
  });

  test('shows records with the query as a phrase first when more recent ones have its words', async () => {
    const home = await agency.unit({ name: 'Flat 4' });
    const homes: Made[] = [];
    for (const name of ['Flat A, 4th floor', 'Flat B, house 41', '4 Flat Row', 'Flat 41', 'Flat 40'])
      homes.unshift(await agency.unit({ name }));
    expect(await idsFor('flat 4', 'unit')).toEqual([home, ...homes].map(({ id }) => id));
    const row = homes[2]!;
    const others = homes.filter((each) => each !== row);
    expect(await idsFor('4 FLAT', 'unit')).toEqual([row, ...others, home].map(({ id }) => id));
    const application = await agency.application({ unit: home.id });
    const further: Made[] = [];
    for (let at = 0; at < 21; at++) further.push(await agency.application({ unit: homes[1]!.id }));
    const reference = await agency.make('references', { application: application.id });
    await agency.make('references', { application: further[0]!.id });
    const { data, has_more } = await search('flat 4', 'application,reference');
    expect(data.slice(0, 2).map(({ id }: Made) => id)).toEqual([reference.id, application.id]);
    expect(has_more).toBe(true);
  });

  test('follows other accounts when the entries of one account cannot be written', async () => {
    const { database, searchIndex } = server.context;
    const other = await Agency.on(server);
    await database.readers.query(`
      create function refuse_entry() returns trigger language plpgsql as 'begin raise exception ''planted''; end';
      create trigger refuse_entry before insert on search_entries for each row
      when (new.account_id = '${agency.accountId}') execute function refuse_entry()`);
    try {
      await agency.make('customers', { name: 'Ada' });
      const { id } = await other.make('customers', { name: 'Grace' });
      const signal = AbortSignal.timeout(waitMs);
      await expect(searchIndex.advance(signal)).rejects.toThrow('planted');
      await expect(searchIndex.advance(signal)).rejects.toThrow('planted');
      const { rows } = await database.readers.query('select id from search_entries where account_id = $1', [
        other.accountId,
      ]);
      expect(rows).toEqual([{ id }]);
    } finally {
      await database.readers.query('drop function refuse_entry cascade');
    }
    await searchIndex.advance(AbortSignal.timeout(waitMs));
    expect(await idsFor('ada')).toHaveLength(1);
  });

  test('says until when it is complete when it may use no time', async () => {
    await good(agency.api.post('/v1/customers', { name: 'Ada' }));
    const { searchIndex } = server.context;
    const nowSeconds = Math.floor(Date.parse(`${startDay}T13:00:00Z`) / 1000);
    const late = () => searchIndex.catchUp(agency.accountId, { budgetMs: 0, nowSeconds });
    expect(await late()).toEqual({ indexedUntil: null });
    await searchIndex.catchUp(agency.accountId, { budgetMs: 20_000, nowSeconds });
    const made = await agency.make('customers', { name: 'Grace' });
    expect(await late()).toEqual({ indexedUntil: made.created - 1 });
    await searchIndex.catchUp(agency.accountId, { budgetMs: 20_000, nowSeconds });
    expect(await late()).toEqual({ indexedUntil: nowSeconds });
  });
});

describe('rights', () => {
  test('leave out every kind that a key cannot read, and what only that kind would tell', async () => {
    const made = await aLet();
    const kinds = {
      references: made.reference,
      applications: made.application,
      units: made.unit,
      tenancies: made.tenancy,
      invoices: made.invoice,
      customers: made.customer,
    };
    for (const [path, { id }] of Object.entries(kinds)) {
      const { api } = await addKey(server, agency.accountId, { permissions: [`${path}.read`] });
      const all = await Promise.all(
        ['lovelace', 'coppergate', 'flat', '88213', id].map((query) => idsFor(query, undefined, api)),
      );
      const found = new Set(all.flat());
      expect([path, [...found]]).toEqual([path, [id]]);
      // A key that reads no persons learns of none by a search.
      const byName = await search('lovelace', undefined, api);
      expect([path, byName.data.length]).toEqual([path, path === 'customers' ? 1 : 0]);
      const [byId] = (await search(id, undefined, api)).data;
      expect(`${byId.title} ${byId.subtitle}`.includes('Lovelace')).toBe(path === 'customers');
    }
    const { api } = await addKey(server, agency.accountId, { permissions: ['references.read', 'customers.read'] });
    expect(await idsFor('lovelace', undefined, api)).toEqual([made.reference.id, made.customer.id]);
    expect(await idsFor('coppergate', undefined, api)).toEqual([]);
  });

  test('refuse a key that can read no searched kind', async () => {
    const permissions = allPermissions.filter((permission) => /^(events|files|buildings)\./.test(permission));
    const { api } = await addKey(server, agency.accountId, { permissions });
    expectRefusal(await api.get('/v1/search?query=ada'), { ...refusals.permission, says: 'customers.read' });
    const { api: units } = await addKey(server, agency.accountId, { permissions: ['units.read'] });
    expect(await idsFor('ada', 'customer', units)).toEqual([]);
  });

  test('keep to the account that is acted upon', async () => {
    const other = await Agency.on(server);
    await other.make('customers', { name: 'Ada Lovelace' });
    expect(await idsFor('lovelace')).toEqual([]);
    const connected = await agency.make('accounts', { name: 'Branch' });
    const there = { 'service-context': connected.id };
    const { body: made } = await good(agency.api.post('/v1/customers', { name: 'Ada Branch' }, there));
    const { body } = await good(agency.api.get('/v1/search?query=branch', there));
    expect(body.data.map(({ id }: Made) => id)).toEqual([made.id]);
    expect([body.account, body.data[0].record.account]).toEqual([connected.id, connected.id]);
    expect(await idsFor('branch')).toEqual([]);
    expectRefusal(
      await agency.api.get('/v1/search?query=ada', { 'service-context': other.accountId }),
      refusals.accountUnknown,
    );
  });
});
