import { expect, test } from 'vitest';
import { withClient, type Client } from '../../src/db/pools.ts';
import { createTestDatabase } from '../support/server.ts';

test('equals sql/schema.sql when the migrations have run; `npm run schema` writes it', async () => {
  const { connection, drop } = await createTestDatabase();
  const schema = await withClient(connection, describeSchema);
  await drop();
  await expect(schema).toMatchFileSnapshot('../../sql/schema.sql');
});

/** Returns the schema as SQL for review: tables with columns and constraints, indexes, functions. Partitions are left out. */
async function describeSchema(client: Client): Promise<string> {
  const parts = ['-- Generated from the migrations by `npm run schema`. Not run by anything.'];
  for (const { name, partitioned } of await tables(client)) {
    const lines = [...(await columns(client, name)), ...(await constraints(client, name))];
    parts.push(`create table ${name} (\n  ${lines.join(',\n  ')}\n)${partitioned ? ` ${partitioned}` : ''};`);
    const definitions = await indexes(client, name);
    if (definitions.length > 0) parts.push(definitions.join('\n'));
  }
  parts.push(...(await functions(client)));
  return `${parts.join('\n\n')}\n`;
}

async function tables(client: Client): Promise<{ name: string; partitioned: string | null }[]> {
  const { rows } = await client.query<{ name: string; partitioned: string | null }>(`
    select relname as name, 'partition by ' || lower(pg_get_partkeydef(oid)) as partitioned
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
    order by proname`);
  return rows.map(({ text }) => text);
}
