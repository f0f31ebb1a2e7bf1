import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { resources } from '../../src/resources/index.ts';
import { readWithTexts } from '../../src/search/entries.ts';
import { SearchIndex } from '../../src/search/search-index.ts';
import { Agency, rent, startDay, startLetting, type Made } from '../letting/agency.ts';
import { good, type TestServer } from '../support/server.ts';

let server: TestServer;
let agency: Agency;

beforeAll(async () => {
  server = await startLetting();
});
afterAll(() => server.stop());
beforeEach(async () => {
  agency = await Agency.on(server);
});

/** Returns the body of a person with a fifth of a megabyte. */
function large(name: string): object {
  const text = 'ā'.repeat(480);
  const address = { line1: text, line2: text, city: text, postal_code: text, country: 'GB' };
  return { name, addresses: Array.from({ length: 50 }, () => address) };
}

test('indexes all records, and reads a megabyte of them at once, when they are large', async () => {
  const made: Made[] = [];
  for (let number = 1; number <= 8; number++) made.push(await agency.make('customers', large(`Ada person${number}`)));
  const ids = made.map(({ id }) => id);
  const kind = resources.find(({ path }) => path === 'customers')!;
  const client = await server.context.database.searchers.connect();
  const { records, left } = await readWithTexts(client, agency.accountId, kind, ids).finally(() => client.release());
  expect(records.length).toBeGreaterThan(2);
  expect(records.length).toBeLessThan(7);
  expect([...records.map(({ id }) => id), ...left].toSorted()).toEqual(ids.toSorted());
  const { body } = await good(agency.api.get('/v1/search?query=ada'));
  expect(body.data.map(({ id }: Made) => id).toSorted()).toEqual(ids.toSorted());
});

test('reads a person once for a page of entries when many tenancies have this person', async () => {
  const { id: customer } = await agency.make('customers', large('Ada Lovelace'));
  const { id: unit } = await agency.unit();
  const body = { unit, customers: [customer], start_date: startDay, rent };
  const tenancies = await Promise.all(Array.from({ length: 60 }, () => agency.make('tenancies', body)));
  const ids = tenancies.map(({ id }) => id);
  const read: string[] = [];
  const { database, readRecord } = server.context;
  const index = new SearchIndex({
    pool: database.searchers,
    readRecord: (kind, accountId, id) => {
      read.push(id);
      return readRecord(kind, accountId, id);
    },
    resources,
    isBusy: () => false,
  });
  await index.renew(agency.accountId, ids);
  expect(read.filter((id) => id === customer).length).toBeLessThan(4);
  const { body: found } = await good(agency.api.get('/v1/search?query=lovelace%20coppergate&types=tenancy'));
  expect(found.data).toHaveLength(20);
});
