import { expect } from 'vitest';
import type { TestServer } from './server.ts';

/** Returns the tables with this text in any column of any row. Searches bytes as hexadecimal. */
export async function tablesWith({ context }: TestServer, text: string): Promise<string[]> {
  const { readers } = context.database;
  const { rows: tables } = await readers.query<{ name: string }>(`
    select oid::regclass::text as name
    from pg_class
    where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace
    order by name`);
  expect(tables.length).toBeGreaterThan(10);
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await readers.query(`select from ${name} row where strpos(row::text, $1) > 0 limit 1`, [text]);
    if (rows.length > 0) found.push(name);
  }
  return found;
}
