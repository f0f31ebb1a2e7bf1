import { describe, expect, test } from 'vitest';
import { withClient, type Client } from '../../src/db/pools.ts';
import { readTreeTables, tablesOfCell, tablesWithoutKey } from '../../src/move-account/tables.ts';
import { createTestDatabase } from '../support/server.ts';

describe('the tables of a move', () => {
  test('are all tables, each in one group, when the schema is the present one', async () => {
    const { names, tables } = await inSchema(async (client) => ({
      names: await tableNames(client),
      tables: await readTreeTables(client),
    }));
    expect([...tables.map(({ name }) => name), ...tablesOfCell].toSorted()).toEqual(names);
    expect(tables.filter(({ moves }) => moves === 'in_gate').map(({ name }) => name)).toEqual([
      ...tablesWithoutKey,
      'webhook_queue',
    ]);
    expect(tables.find(({ name }) => name === 'file_parts')!.key.map(({ name }) => name)).toEqual([
      'account_id',
      'file',
      'ordinal',
    ]);
  });

  test.each([
    ['has no primary key', 'create table planted (account_id text not null, id text)'],
    [
      'has a primary key that does not begin with the account',
      'create table planted (id text primary key, account_id text)',
    ],
    ['has no account', 'create table planted (id text primary key)'],
  ])('refuse a new table when it %s', async (_, statement) => {
    const reading = inSchema(async (client) => {
      await client.query(statement);
      return readTreeTables(client);
    });
    await expect(reading).rejects.toThrow('The table planted is in no group');
  });
});

async function inSchema<Result>(read: (client: Client) => Promise<Result>): Promise<Result> {
  const { connection, drop } = await createTestDatabase();
  try {
    return await withClient(connection, read);
  } finally {
    await drop();
  }
}

async function tableNames(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(`
    select relname as name
    from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
    order by relname collate "C"`);
  return rows.map(({ name }) => name);
}
