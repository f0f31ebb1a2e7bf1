import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type Api, type ApiResponse, type TestServer } from '../../support/server.ts';
import { expectShape } from '../../support/shapes.ts';
import { StillClock } from '../../support/still-clock.ts';
import { addAccount, firstAccountId } from '../../support/tenants.ts';

type Item = ApiResponse['body'];
type Query = Record<string, string | number>;

/** One filter with a value, and the records it must find. */
interface Filtering {
  query: Query;
  finds: (item: Item) => boolean;
}

interface List {
  path: string;
  shape: 'reference' | 'customer' | 'event';
  /** All records, newest first, known without the list. */
  items: Item[];
  /** At least one value of each filter. Filters with different names have some record in common. */
  filters: Filtering[];
  /** Ids that could be in the list, but are not. */
  strangeIds: string[];
}

const clock = new StillClock();
let server: TestServer;
let api: Api;

const references: List = {
  path: '/v1/references',
  shape: 'reference',
  items: [],
  filters: [
    { query: { application: 'app_1' }, finds: ({ application }) => application === 'app_1' },
    { query: { customer: 'cus_1' }, finds: ({ customer }) => customer === 'cus_1' },
    { query: { status: 'processing' }, finds: ({ status }) => status === 'processing' },
    { query: { outcome: 'accept' }, finds: ({ outcome }) => outcome === 'accept' },
    { query: { type: 'customer' }, finds: () => true },
  ],
  strangeIds: ['cus_0000000000000000000000', 'ref_1', '', 'ref_000000000000000000000%'],
};

const customers: List = {
  path: '/v1/customers',
  shape: 'customer',
  items: [],
  filters: [{ query: { email: 'ada+1@example.com' }, finds: ({ email }) => email === 'ada+1@example.com' }],
  strangeIds: ['ref_0000000000000000000000'],
};

const events: List = {
  path: '/v1/events',
  shape: 'event',
  items: [],
  filters: [
    { query: { related_object: 'app_1' }, finds: ({ data }) => data.object.application === 'app_1' },
    { query: { type: 'reference.updated' }, finds: ({ type }) => type === 'reference.updated' },
    { query: { type: 'reference.c*' }, finds: ({ type }) => type.startsWith('reference.c') },
    { query: { type: '*' }, finds: () => true },
  ],
  strangeIds: ['ref_0000000000000000000000'],
};

const lists = [references, customers, events];

/** The time between two records, so that some share a second and some begin one. */
const stepMs = 400;
const referenceCount = 45;
const customerCount = 23;

beforeAll(async () => {
  server = await startTestServer({ overrides: { clock } });
  api = server.api;
  for (let index = 0; index < referenceCount; index++) {
    clock.advanceMs(stepMs);
    references.items.unshift(await makeReference(index));
  }
  for (let index = 0; index < customerCount; index++) {
    clock.advanceMs(stepMs);
    const email = index % 4 === 0 ? null : `ada+${index % 4}@example.com`;
    customers.items.unshift((await api.post('/v1/customers', { name: `Ada ${index}`, email })).body);
  }
  events.items = await storedEvents();
  const subject = references.items.find((item) => item.application === 'app_1' && item.status === 'complete').id;
  events.filters.unshift({ query: { object_id: subject }, finds: ({ data }) => data.object.id === subject });
});
afterAll(() => server.stop());

describe.each(lists)('list $path', (list) => {
  const { path } = list;

  test('returns the newest 20 records, newest first, and the count of all when no parameter is sent', async () => {
    const { status, body } = await api.get(path);
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['count', 'data', 'has_more', 'object']);
    expect(body).toMatchObject({ object: 'list', count: list.items.length, has_more: true });
    expect(idsOf(body.data)).toEqual(idsOf(list.items).slice(0, 20));
    for (const item of body.data) expectShape(list.shape, item);
  });

  test('shows each record as its own path does when records are listed', async () => {
    const { body } = await api.get(`${path}?limit=50`);
    for (const item of body.data) expect((await api.get(`${path}/${item.id}`)).body).toStrictEqual(item);
  });

  test('accepts a limit from 1 to 50 and refuses any other when records are listed', async () => {
    for (const limit of [1, 2, 19, 20, 21, 22, 23, 24, 44, 45, 46, 49, 50])
      await expectPage(list, { limit }, list.items);
    for (const limit of ['0', '51', '-1', '', '1.5', '1e1', 'ten', '%201', '99999999999999999999']) {
      expectRefusal(await api.get(`${path}?limit=${limit}`), 'parameter_invalid', 'limit');
    }
  });

  test('skips as many records as offset says, and keeps the count when offset is beyond the end', async () => {
    const total = list.items.length;
    for (const offset of [0, 1, total - 21, total - 20, total - 19, total - 1, total, total + 1, 1_000_000]) {
      await expectPage(list, { offset }, list.items);
      await expectPage(list, { offset, limit: 3 }, list.items);
    }
    for (const offset of ['-1', '1000001', '', 'one', '0.5']) {
      expectRefusal(await api.get(`${path}?offset=${offset}`), 'parameter_invalid', 'offset');
    }
  });

  test('returns the records after a cursor and has_more when starting_after is sent', async () => {
    const ids = idsOf(list.items);
    for (const at of [0, 1, 10, ids.length - 4, ids.length - 3, ids.length - 2, ids.length - 1]) {
      for (const limit of [1, 3, 50]) {
        const { body } = await api.get(`${path}?starting_after=${ids[at]}&limit=${limit}`);
        const older = ids.slice(at + 1);
        expect([at, limit, idsOf(body.data)]).toEqual([at, limit, older.slice(0, limit)]);
        expect([at, limit, body.has_more, body.count]).toEqual([at, limit, older.length > limit, ids.length]);
      }
    }
  });

  test('returns the records before a cursor and has_more when ending_before is sent', async () => {
    const ids = idsOf(list.items);
    for (const at of [0, 1, 2, 3, 4, 10, ids.length - 1]) {
      for (const limit of [1, 3, 50]) {
        const { body } = await api.get(`${path}?ending_before=${ids[at]}&limit=${limit}`);
        const newer = ids.slice(0, at);
        // The nearest ones, newest first like any page.
        expect([at, limit, idsOf(body.data)]).toEqual([at, limit, newer.slice(Math.max(0, at - limit))]);
        expect([at, limit, body.has_more, body.count]).toEqual([at, limit, newer.length > limit, ids.length]);
      }
    }
  });

  test('applies its filters to every page when a list is paged by cursor', async () => {
    const { query, finds } = list.filters[0]!;
    const ids = idsOf(list.items.filter(finds));
    for (const [at, id] of ids.entries()) {
      const after = (await api.get(url(path, { ...query, starting_after: id, limit: 2 }))).body;
      expect([idsOf(after.data), after.has_more]).toEqual([ids.slice(at + 1, at + 3), at + 3 < ids.length]);
      const before = (await api.get(url(path, { ...query, ending_before: id, limit: 2 }))).body;
      expect([idsOf(before.data), before.has_more]).toEqual([ids.slice(Math.max(0, at - 2), at), at > 2]);
      expect([after.count, before.count]).toEqual([ids.length, ids.length]);
    }
  });

  test('refuses parameters when they contradict each other or are unknown', async () => {
    const id = list.items[3].id;
    const both = await api.get(`${path}?starting_after=${id}&ending_before=${id}`);
    expectRefusal(both, 'parameters_exclusive', undefined);
    for (const cursor of ['starting_after', 'ending_before']) {
      expectRefusal(await api.get(`${path}?${cursor}=${id}&offset=0`), 'parameters_exclusive', undefined);
      for (const strange of list.strangeIds) {
        expectRefusal(await api.get(url(path, { [cursor]: strange })), 'parameter_invalid', cursor);
      }
    }
    expectRefusal(await api.get(`${path}?limt=3`), 'parameter_unknown', 'limt');
    expectRefusal(await api.get(`${path}?limit=3&limit=3`), 'parameter_invalid', 'limit');
  });

  test('bounds creation times exactly to the second when created is filtered', async () => {
    const seconds = list.items.map(({ created }) => created as number);
    const middle = seconds[Math.floor(seconds.length / 2)]!;
    const around = [Math.min(...seconds), middle, Math.max(...seconds)].flatMap((second) => [
      second - 1,
      second,
      second + 1,
    ]);
    for (const second of around) {
      for (const bound of bounds(second)) await expectFound(list, [bound]);
    }
    for (const from of [middle - 3, middle]) {
      const until = middle + 2;
      for (const lower of bounds(from).slice(0, 2)) {
        for (const upper of bounds(until).slice(2)) await expectFound(list, [lower, upper]);
      }
    }
    await expectFound(list, bounds(middle));
  });

  test('accepts times from 0 to 9,999,999,999 when created is filtered', async () => {
    for (const bound of ['gt', 'gte', 'lt', 'lte']) {
      const count = bound.startsWith('g') ? [list.items.length, 0] : [0, list.items.length];
      for (const [index, second] of [0, 9_999_999_999].entries()) {
        expect((await api.get(`${path}?created[${bound}]=${second}`)).body.count).toBe(count[index]);
      }
      for (const wrong of ['-1', '10000000000', '1.5', 'now', '']) {
        expectRefusal(await api.get(`${path}?created[${bound}]=${wrong}`), 'parameter_invalid', `created[${bound}]`);
      }
    }
    expectRefusal(await api.get(`${path}?created=1`), 'parameter_unknown', 'created');
    expectRefusal(await api.get(`${path}?created[eq]=1`), 'parameter_unknown', 'created[eq]');
  });

  test('returns exactly the records that match all filters when filters are combined', async () => {
    const { found, one } = firstOfEach(list);
    expect(found).toBeDefined();
    const [after] = bounds(found.created - 2);
    const [, , , until] = bounds(found.created + 1);
    for (const combination of combinationsOf([...one, after, until])) await expectFound(list, combination);
    for (const other of list.filters) await expectFound(list, [other, after]);
  });

  test('returns an empty list when the account has no records', async () => {
    const { api: other } = await addAccount(server);
    for (const query of ['', '?limit=1', '?offset=5', `?starting_after=${list.items[0].id}`, '?created[gt]=0']) {
      expect((await other.get(path + query)).body).toStrictEqual({
        object: 'list',
        count: 0,
        has_more: false,
        data: [],
      });
    }
  });
});

describe('reference filters', () => {
  test.each([
    ...['app_0', 'app_1', 'app_2', 'app_9', 'app'].map((value) => ['application', value] as const),
    ...['cus_0', 'cus_1', 'cus_9'].map((value) => ['customer', value] as const),
    ...['pending', 'processing', 'complete', 'canceled'].map((value) => ['status', value] as const),
    ...['accept', 'consider', 'high_risk'].map((value) => ['outcome', value] as const),
    ['type', 'customer'] as const,
  ])('finds references when they are filtered by %s=%s', async (name, value) => {
    await expectFound(references, [{ query: { [name]: value }, finds: (item) => item[name] === value }]);
  });

  test.each([
    ['an unknown status', 'status', 'done'],
    ['an empty status', 'status', ''],
    ['an unknown outcome', 'outcome', 'null'],
    ['an unknown type', 'type', 'guarantor'],
    ['a malformed id', 'application', 'app-1'],
    ['an empty id', 'application', ''],
    ['a wildcard', 'customer', 'cus%'],
    ['an id of 256 characters', 'customer', 'x'.repeat(256)],
  ])('refuses a reference filter when its value is %s', async (_case, name, value) => {
    expectRefusal(await api.get(url('/v1/references', { [name]: value })), 'parameter_invalid', name);
  });
});

describe('lists of two accounts', () => {
  test("returns only the caller's own records when any filter is used", async () => {
    const { api: mine } = await addAccount(server);
    const { api: theirs } = await addAccount(server);
    const reference = { application: 'app_shared', customer: 'cus_shared' };
    const made: Record<'reference' | 'customer', string[]> = { reference: [], customer: [] };
    for (const by of [mine, theirs, theirs]) {
      made.reference.push((await by.post('/v1/references', reference)).body.id);
      made.customer.push((await by.post('/v1/customers', { name: 'Ada', email: 'shared@example.com' })).body.id);
    }
    for (const [path, kind] of [
      ['/v1/references', 'reference'],
      ['/v1/references?application=app_shared', 'reference'],
      ['/v1/references?application=app_shared&customer=cus_shared&status=pending', 'reference'],
      ['/v1/references?status=pending', 'reference'],
      ['/v1/references?created[gt]=0', 'reference'],
      ['/v1/customers', 'customer'],
      ['/v1/customers?email=shared%40example.com', 'customer'],
    ] as const) {
      const [own, ...others] = made[kind];
      const [atMine, atTheirs] = [(await mine.get(path)).body, (await theirs.get(path)).body];
      expect([path, atMine.count, idsOf(atMine.data)]).toEqual([path, 1, [own]]);
      expect([path, atTheirs.count, idsOf(atTheirs.data)]).toEqual([path, 2, others.toReversed()]);
    }
    for (const query of ['', '?type=*', '?type=reference.*', '?related_object=cus_shared', '?created[gt]=0']) {
      const subjects = (await mine.get(`/v1/events${query}`)).body;
      const own = [made.reference[0], made.customer[0]];
      for (const { data } of subjects.data) expect(own).toContain(data.object.id);
      expect(subjects.count).toBe(subjects.data.length);
      expect(subjects.count).toBeGreaterThan(0);
    }
  });

  test("uses another account's id as a cursor by its time alone when it is sent", async () => {
    const { api: mine } = await addAccount(server);
    const own = [];
    for (let index = 0; index < 2; index++)
      own.unshift((await mine.post('/v1/references', { application: 'app_1' })).body.id);
    const foreign = references.items[0].id;
    expect(idsOf((await mine.get(`/v1/references?ending_before=${foreign}`)).body.data)).toEqual(own);
    expect((await mine.get(`/v1/references?starting_after=${foreign}`)).body.data).toEqual([]);
  });
});

/** References with every state, outcome and link, in each combination that the filters need. */
async function makeReference(index: number): Promise<Item> {
  const { body } = await api.post('/v1/references', {
    application: `app_${index % 3}`,
    customer: index % 4 === 0 ? null : `cus_${index % 2}`,
  });
  const path = `/v1/references/${body.id}`;
  const outcome = ['accept', 'consider', 'high_risk'][Math.floor(index / 5) % 3];
  switch (index % 5) {
    case 0:
      return body;
    case 1:
      return (await api.post(path, { status: 'processing', outcome: 'accept' })).body;
    case 2:
      return (await api.post(path, { status: 'processing' })).body;
    case 3:
      return (await api.post(path, { outcome })).body;
    default:
      return (await api.post(`${path}/cancel`)).body;
  }
}

/** Reads the stored events with SQL of its own. */
async function storedEvents(): Promise<Item[]> {
  const { rows } = await server.context.database.readers.query(
    'select id, created, type, data from events where account_id = $1 order by id desc',
    [await firstAccountId(server)],
  );
  return rows.map((row) => ({ ...row, data: JSON.parse(row.data) }));
}

/** The four bounds of creation at one second. */
function bounds(second: number): [Filtering, Filtering, Filtering, Filtering] {
  return [
    { query: { 'created[gt]': second }, finds: ({ created }) => created > second },
    { query: { 'created[gte]': second }, finds: ({ created }) => created >= second },
    { query: { 'created[lt]': second }, finds: ({ created }) => created < second },
    { query: { 'created[lte]': second }, finds: ({ created }) => created <= second },
  ];
}

/** Returns one filter of each name, and a record that all of them find. */
function firstOfEach({ items, filters }: List): { one: Filtering[]; found: Item } {
  const one = new Map<string, Filtering>();
  for (const filter of filters) for (const name in filter.query) if (!one.has(name)) one.set(name, filter);
  return { one: [...one.values()], found: items.find((item) => [...one.values()].every(({ finds }) => finds(item))) };
}

/** Checks that the first page under these filters has the expected records and their count. */
async function expectFound(list: List, filtering: Filtering[]): Promise<void> {
  const query: Query = Object.assign({}, ...filtering.map((filter) => filter.query));
  const found = list.items.filter((item) => filtering.every(({ finds }) => finds(item)));
  await expectPage(list, query, found);
  await expectPage(list, { ...query, offset: 1, limit: 2 }, found);
}

async function expectPage({ path }: List, query: Query, matching: Item[]): Promise<void> {
  const { status, body, text } = await api.get(url(path, query));
  expect([query, status], text).toEqual([query, 200]);
  const [offset, limit] = [Number(query.offset ?? 0), Number(query.limit ?? 20)];
  expect({ query, ids: idsOf(body.data), count: body.count, has_more: body.has_more }).toEqual({
    query,
    ids: idsOf(matching).slice(offset, offset + limit),
    count: matching.length,
    has_more: matching.length > offset + limit,
  });
}

/** Returns every subset of the items, including the empty one. */
function combinationsOf<T>(all: T[]): T[][] {
  return all.reduce<T[][]>((chosen, one) => [...chosen, ...chosen.map((others) => [...others, one])], [[]]);
}

function idsOf(items: Item[]): string[] {
  return items.map(({ id }) => id);
}

function url(path: string, query: Query): string {
  const pairs = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  return `${path}?${new URLSearchParams(pairs).toString()}`;
}

function expectRefusal(response: ApiResponse, code: string, param: string | undefined): void {
  expect({ status: response.status, code: response.body?.error?.code }, response.text).toEqual({ status: 400, code });
  if (param !== undefined) expect(response.body.error.param).toBe(param);
}
