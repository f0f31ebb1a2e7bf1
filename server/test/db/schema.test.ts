import { describe, expect, test } from 'vitest';
import { withClient, type Client, type DatabaseError } from '../../src/db/pools.ts';
import { resources } from '../../src/resources/index.ts';
import { createTestDatabase } from '../support/server.ts';

test('equals sql/schema.sql when the migrations have run; `npm run schema` writes it', async () => {
  await expect(await inSchema(describeSchema)).toMatchFileSnapshot('../../sql/schema.sql');
});

/** Filters with few values. An index would hardly shorten the search, but would slow down each write. */
const filtersWithFewValues = [
  'approval_requests.type',
  'payment_imports.status',
  'request_logs.method',
  'request_logs.source',
  'subscriptions.type',
  'tenant_references.type',
];

/** Filters of a table that has few rows in an account. */
const filtersOfFewRows = ['users.role', 'users.status', 'workflows.status'];

/** A filter of a view. Its lists are below an endpoint, with the index `webhook_deliveries_type`, or below an event, which has few deliveries. */
const filtersOfViews = ['webhook_deliveries_shown.type'];

test('has an index for each filter of a list', async () => {
  const indexed = await inSchema(indexedColumns);
  const unindexed = resources.flatMap(({ table, filters = {} }) =>
    Object.values(filters)
      .flatMap(({ column, words, match }) =>
        [column, ...(words ? [words.column] : [])].map((each) => ({ column: each, match })),
      )
      .filter(({ column, match }) => {
        const index = match === 'contains' ? `${table} gin ${column}` : `${table} btree account_id, ${column}`;
        // A condition is about other tables, or has an index with the same condition.
        return match !== 'condition' && !indexed.has(index);
      })
      .map(({ column }) => `${table}.${column}`),
  );
  expect(unindexed.toSorted()).toEqual([...filtersWithFewValues, ...filtersOfFewRows, ...filtersOfViews].toSorted());
});

test('compares the texts of all indexes by their bytes, so that the locale of a database changes no order', async () => {
  expect(await inSchema(indexesWithLocale)).toEqual([]);
});

/** Tables of the whole deployment, and what simulated services remember, as services elsewhere would. */
const tablesWithoutAccount = ['deployment', 'schema_migrations', 'simulated_charges', 'simulated_orders'];

describe('logical replication of one account', () => {
  test('copies updates and deletes of every table when it publishes the rows of one account', async () => {
    const { published, others, refusals } = await inSchema(publishOneAccount);
    expect(published.length).toBeGreaterThan(40);
    expect(others).toEqual(tablesWithoutAccount);
    expect(refusals, 'give the table a primary key that begins with the account').toEqual([]);
  });

  test('reports a new table when its replica identity is missing or lacks the account', async () => {
    const { refusals } = await inSchema(async (client) => {
      await client.query('create table without_key (account_id text not null)');
      await client.query('create table other_key (account_id text not null, id text primary key)');
      return publishOneAccount(client);
    });
    expect(refusals).toEqual([
      'other_key: Column used in the publication WHERE expression is not part of the replica identity.',
      'without_key: Column used in the publication WHERE expression is not part of the replica identity.',
    ]);
  });

  test('reaches every table when none is unlogged', async () => {
    expect(await inSchema(unloggedTables)).toEqual([]);
  });
});

/**
 * Publishes the rows of one account, as a move of the account does. PostgreSQL itself then refuses deletes from tables without a fitting
 * replica identity. It checks each partition, before it looks for rows.
 */
async function publishOneAccount(
  client: Client,
): Promise<{ published: string[]; others: string[]; refusals: string[] }> {
  const { rows } = await client.query<{ name: string; has_account: boolean }>(`
    select relname as name,
      exists (select from pg_attribute where attrelid = pg_class.oid and attname = 'account_id') or relname = 'accounts' as has_account
    from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
    order by relname`);
  const published = rows.filter((row) => row.has_account).map(({ name }) => name);
  const filters = published.map((name) => `${name} where (${accountColumnOf(name)} = 'acct_1')`);
  await client.query(
    `create publication one_account for table ${filters.join(', ')} with (publish_via_partition_root = true)`,
  );
  const refusals: string[] = [];
  for (const name of published) {
    await client
      .query(`delete from ${name} where ${accountColumnOf(name)} = 'acct_1'`)
      .catch((error: DatabaseError) => {
        refusals.push(`${name}: ${error.detail ?? error.message}`);
      });
  }
  return { published, others: rows.filter((row) => !row.has_account).map(({ name }) => name), refusals };
}

/** Returns the tables that neither a standby nor a copy would have. */
async function unloggedTables(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(`
    select oid::regclass::text as name
    from pg_class
    where relkind in ('r', 'p', 'S') and relpersistence <> 'p' and relnamespace = 'public'::regnamespace`);
  return rows.map(({ name }) => name);
}

/** The account of an account's own row is its id. */
function accountColumnOf(table: string): string {
  return table === 'accounts' ? 'id' : 'account_id';
}

async function inSchema<Result>(read: (client: Client) => Promise<Result>): Promise<Result> {
  const { connection, drop } = await createTestDatabase();
  const result = await withClient(connection, read);
  await drop();
  return result;
}

/** Describes each index by its table, its kind and its first columns: two of a `btree`, else one. An index on `lower(email)` is one on `email`. */
async function indexedColumns(client: Client): Promise<Set<string>> {
  const { rows } = await client.query<{ line: string }>(`
    select concat_ws(' ', indrelid::regclass, amname, concat_ws(', ',
      substring(pg_get_indexdef(indexrelid, 1, true) from '\\w+'),
      case amname when 'btree' then substring(pg_get_indexdef(indexrelid, 2, true) from '^(?:lower\\()?(\\w+)') end
    )) as line
    from pg_index
    join pg_class on pg_class.oid = indexrelid
    join pg_am on pg_am.oid = relam
    where relnamespace = 'public'::regnamespace`);
  return new Set(rows.map(({ line }) => line));
}

/** Returns the indexes with a column whose collation is not `C`. */
async function indexesWithLocale(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(`
    select distinct indexrelid::regclass::text as name
    from pg_index
    join pg_class on pg_class.oid = indexrelid
    cross join unnest(indcollation::oid[]) as used
    where relnamespace = 'public'::regnamespace and used not in (0, '"C"'::regcollation)
    order by name`);
  return rows.map(({ name }) => name);
}

/** Returns the schema as SQL for review: tables with columns and constraints, indexes, functions. Partitions are left out. */
async function describeSchema(client: Client): Promise<string> {
  const parts = ['-- Generated from the migrations by `npm run schema`. Not run by anything.'];
  for (const { name, partitioned, isIdentityFull } of await tables(client)) {
    const lines = [...(await columns(client, name)), ...(await constraints(client, name))];
    parts.push(`create table ${name} (\n  ${lines.join(',\n  ')}\n)${partitioned ? ` ${partitioned}` : ''};`);
    if (isIdentityFull) parts.push(`alter table ${name} replica identity full;`);
    const definitions = await indexes(client, name);
    if (definitions.length > 0) parts.push(definitions.join('\n'));
  }
  parts.push(...(await functions(client)));
  return `${parts.join('\n\n')}\n`;
}

interface Table {
  name: string;
  partitioned: string | null;
  isIdentityFull: boolean;
}

async function tables(client: Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(`
    select relname as name, 'partition by ' || lower(pg_get_partkeydef(oid)) as partitioned,
      relreplident = 'f' as "isIdentityFull"
    from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
    order by relname`);
  return rows;
}

async function columns(client: Client, table: string): Promise<string[]> {
  const { rows } = await client.query<{ line: string }>(
    `
    select concat_ws(' ',
      attname,
      format_type(atttypid, atttypmod),
      case when collname = 'C' then 'collate "C"' end,
      case when attnotnull then 'not null' end,
      'default ' || pg_get_expr(adbin, adrelid)
    ) as line
    from pg_attribute
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
    left join pg_collation on pg_collation.oid = attcollation and attcollation <> 0
    where attrelid = $1::regclass and attnum > 0 and not attisdropped
    order by attnum`,
    [table],
  );
  return rows.map(({ line }) => line);
}

async function constraints(client: Client, table: string): Promise<string[]> {
  const { rows } = await client.query<{ line: string }>(
    `
    select 'constraint ' || conname || ' ' || pg_get_constraintdef(oid) as line
    from pg_constraint
    where conrelid = $1::regclass and contype in ('p', 'u', 'c')
    order by contype desc, conname`,
    [table],
  );
  return rows.map(({ line }) => line);
}

async function indexes(client: Client, table: string): Promise<string[]> {
  const { rows } = await client.query<{ line: string }>(
    `
    select pg_get_indexdef(indexrelid) || ';' as line
    from pg_index
    where indrelid = $1::regclass and not indisprimary
    order by indexrelid::regclass::text`,
    [table],
  );
  return rows.map(({ line }) => line);
}

async function functions(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ text: string }>(`
    select pg_get_functiondef(oid) || ';' as text
    from pg_proc
    where pronamespace = 'public'::regnamespace
      -- Those of an extension differ between the releases of PostgreSQL.
      and not exists (select from pg_depend where classid = 'pg_proc'::regclass and objid = pg_proc.oid and deptype = 'e')
    order by proname`);
  return rows.map(({ text }) => text);
}
