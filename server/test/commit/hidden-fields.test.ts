import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ColumnType, Fields, StoredRecord } from '../../src/model/record.ts';
import { createFrom, defineResource, type Action } from '../../src/model/resource.ts';
import { nullable } from '../../src/model/schemas/make.ts';
import { resources } from '../../src/resources/index.ts';
import { createTestDatabase, good, startTestServer, type TestServer } from '../support/server.ts';
import { firstAccountId } from '../support/tenants.ts';

/* A change that no response shows is stored, for every type of column. The kind of this test has a hidden field of each type. */

const hidden: readonly [name: string, column: ColumnType, value: unknown][] = [
  ['a_text', 'text', 'key 7'],
  ['a_bigint', 'bigint', 1_795_212_000_000],
  ['an_integer', 'integer', 3],
  ['a_boolean', 'boolean', true],
  ['some_texts', 'text[]', ['a', 'b']],
  ['a_json', 'json', { tries: [1] }],
  ['a_secret', 'encrypted', Buffer.from('sealed')],
  ['a_derived', 'bigint', 5],
];

const fields: Fields = {
  name: { column: 'text', schema: Type.String() },
  ...Object.fromEntries(
    hidden.map(([name, column]) => [
      name,
      name === 'a_derived'
        ? { column, schema: nullable(Type.Integer()), derive: () => null }
        : { column, schema: nullable(Type.String()), shown: column === 'encrypted' ? 'as_secret' : 'never' },
    ]),
  ),
};

type Lockbox = StoredRecord & { [name: string]: unknown };

/** An action for each hidden field, which sets this field and nothing else. */
const actions = Object.fromEntries(
  hidden.map(([name, , value]): [string, Action<Lockbox>] => [
    `set_${name}`,
    { summary: `Set ${name}`, decide: (current) => ({ after: { ...current, [name]: value } }) },
  ]),
);

const lockbox = defineResource<Lockbox>({
  object: 'lockbox',
  prefix: 'lbx',
  path: 'lockboxes',
  table: 'lockboxes',
  fields,
  // The response to a creation must show the secret.
  create: createFrom({ name: Type.String() }, ({ name }, caller) => ({
    ...Object.fromEntries(hidden.map(([field]) => [field, null])),
    name,
    a_secret: caller.makeSecret('first'),
  })),
  actions,
});

const columnTypes: Partial<Record<ColumnType, string>> = { json: 'text', encrypted: 'bytea' };
const table = `
  create table lockboxes (
    account_id text collate "C" not null,
    id text collate "C" not null,
    created bigint not null,
    revision bigint not null,
    name text not null,
    ${hidden.map(([name, column]) => `${name} ${columnTypes[column] ?? column}`).join(', ')},
    primary key (account_id, id)
  )`;

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let server: TestServer;

beforeAll(async () => {
  database = await createTestDatabase();
  const kinds = [...resources, lockbox];
  server = await startTestServer({ connection: database.connection, overrides: { resources: kinds } });
  await server.context.database.readers.query(table);
});
afterAll(async () => {
  await server.stop();
  await database.drop();
});

describe('changes of hidden fields', () => {
  test.each(hidden)(
    'stores the hidden field %s of type %s when an action changes nothing else',
    async (name, _, value) => {
      const { api, context } = server;
      const { id } = (await good(api.post('/v1/lockboxes', { name: 'Front door' }))).body;
      const accountId = await firstAccountId(server);
      const stored = () => context.readRecord(lockbox, accountId, id);
      expect(await stored()).toMatchObject({ revision: 1 });

      await good(api.post(`/v1/lockboxes/${id}/set_${name}`));
      expect(await stored()).toMatchObject({ revision: 2, [name]: value });

      // The same value again is no change.
      await good(api.post(`/v1/lockboxes/${id}/set_${name}`));
      expect(await stored()).toMatchObject({ revision: 2, [name]: value });
      const { body: events } = await good(api.get(`/v1/events?object_id=${id}`));
      expect(events.data.map(({ type }: { type: string }) => type)).toEqual(['lockbox.created']);
    },
  );
});
