import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PoolClient } from '../../src/db/pools.ts';
import { SearchIndex } from '../../src/search/search-index.ts';
import { Agency, startLetting, type Made } from '../letting/agency.ts';
import { expectRefusal, refusals } from '../support/refusals.ts';
import { good, type TestServer } from '../support/server.ts';

/** More than are compared before the last step, and more than the index may find. */
const many = 10_000;

let server: TestServer;
let agency: Agency;
let tenancy: string;

beforeAll(async () => {
  server = await startLetting();
  agency = await Agency.on(server);
  const { id: customer } = await agency.make('customers', { name: 'Ada' });
  tenancy = (await agency.signed((await agency.unit()).id, { customers: [customer] })).id;
  // The old ones have a word that the newest ones lack.
  await server.context.database.readers.query(
    `insert into customers (account_id, id, created, revision, name, addresses, metadata)
     select $1, 'cus_' || lpad(number::text, 22, '0'), number, 1,
       'Person p' || number || case when number <= $2 - 4500 then ' frequent' else '' end || case when number <= 1500 then ' early' else '' end || case number when 17 then ' rare' else '' end,
       '[]', '{}'
     from generate_series(1, $2::integer) number`,
    [agency.accountId, many],
  );
});
afterAll(() => server.stop());

async function titlesFor(query: string): Promise<string[]> {
  const { body } = await good(agency.api.get(`/v1/search?query=${encodeURIComponent(query)}`));
  return body.data.map(({ title }: Made) => title);
}

test('indexes a person before the tenancies that show the person when an account is new to the index', async () => {
  const { readers } = server.context.database;
  const first = titlesFor('person');
  let isIndexed = false;
  while (!isIndexed) {
    const { rows } = await readers.query<{ tenancies: number; customers: number }>(
      `select count(*) filter (where id = $2) as tenancies, count(*) filter (where id ~ '^cus_') as customers
       from search_entries where account_id = $1`,
      [agency.accountId, tenancy],
    );
    isIndexed = rows[0]!.tenancies === 1;
    if (isIndexed) expect(rows[0]!.customers).toBe(many + 1);
  }
  await first;
});

test('finds frequent and rare words when there are thousands of records', async () => {
  expect((await titlesFor('person'))[0]).toBe(`Person p${many}`);
  expect(await titlesFor('rare')).toEqual(['Person p17 frequent early rare']);
  expect(await titlesFor('rare p17 person')).toEqual(['Person p17 frequent early rare']);
  expect(await titlesFor('p4321')).toEqual(['Person p4321 frequent']);
  // The index finds more than a thousand, and the newest four thousand have none.
  const early = Array.from({ length: 20 }, (_, at) => `Person p${1_500 - at} frequent early`);
  expect(await titlesFor('early')).toEqual(early);
  // The index finds too many in the end.
  const frequent = await titlesFor('frequent');
  expect(frequent).toEqual(Array.from({ length: 20 }, (_, at) => `Person p${many - 4_500 - at} frequent`));
});

test('follows every home and application of a building, a thousand ids at a time, when its address changes', async () => {
  const { database, readRecord, resources } = server.context;
  const unit = await agency.unit();
  const application = await agency.make('applications', { unit: unit.id });
  const copies = 2_100;
  for (const [table, id, members] of [
    ['units', unit.id, `'id', 'unit_' || lpad(number::text, 22, '0')`],
    [
      'applications',
      application.id,
      `'id', 'app_' || lpad(number::text, 22, '0'), 'unit', 'unit_' || lpad(number::text, 22, '0')`,
    ],
  ])
    await database.readers.query(
      `insert into ${table}
       select (jsonb_populate_record(copied, jsonb_build_object(${members}))).*
       from ${table} copied, generate_series(1, ${copies}) number
       where account_id = $1 and id = $2`,
      [agency.accountId, id],
    );
  let most = 0;
  const pool = new Proxy(database.searchers, {
    get: (target, name) =>
      name === 'connect'
        ? async () => connectionThatCounts(await target.connect(), (count) => (most = Math.max(most, count)))
        : memberOf(target, name),
  });
  const index = new SearchIndex({ pool, readRecord, resources, isBusy: () => false });
  const address = { line1: '1 Zeppelin Row', city: 'York', postal_code: 'YO1 9NR', country: 'GB' };
  await good(agency.api.post(`/v1/buildings/${unit.building}`, { address }));
  // The server itself may have indexed the change already.
  await index.renew(agency.accountId, [unit.building]);
  const { rows } = await database.readers.query<{ kind: string; count: number }>(
    `select left(id, 4) as kind, count(*)::integer as count
     from search_entries where account_id = $1 and words like '%zeppelin%' group by 1 order by 1`,
    [agency.accountId],
  );
  expect(rows).toEqual([
    { kind: 'app_', count: copies + 1 },
    { kind: 'unit', count: copies + 1 },
  ]);
  expect(most).toBe(1_000);
});

/** Returns a connection that reports the number of rows of each result. */
function connectionThatCounts(client: PoolClient, report: (rows: number) => void): PoolClient {
  return new Proxy(client, {
    get: (target, name) =>
      name === 'query'
        ? async (statement: string, values?: unknown[]) => {
            const result = await target.query(statement, values);
            report(result.rows.length);
            return result;
          }
        : memberOf(target, name),
  });
}

/** Returns a member of an object. Its methods run on the object itself. */
function memberOf(target: object, name: string | symbol): unknown {
  const member: unknown = Reflect.get(target, name, target);
  return typeof member === 'function' ? member.bind(target) : member;
}

test('stops a search with 503 when it takes more than a second', async () => {
  const real = await startLetting({ realFreshness: true });
  const { searchers, readers } = real.context.database;
  const { api } = await Agency.on(real);
  const locker = await readers.connect();
  try {
    await locker.query('begin');
    await locker.query('lock table search_entries in access exclusive mode');
    const answer = await api.get('/v1/search?query=person');
    expectRefusal(answer, { ...refusals.overloaded, says: 'more than a second' });
    expect([answer.headers.get('retry-after'), answer.headers.get('service-should-retry')]).toEqual(['1', 'true']);
  } finally {
    await locker.query('rollback');
    locker.release();
  }
  await good(api.get('/v1/search?query=person'));
  expect(searchers.totalCount).toBeLessThanOrEqual(3);
  await real.stop();
});
