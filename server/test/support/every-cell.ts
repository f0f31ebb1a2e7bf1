import type { TestServer } from './server.ts';

/** Returns the names of all tables. */
export async function tablesOf({ context }: TestServer): Promise<string[]> {
  const { rows } = await context.database.readers.query<{ name: string }>(`
    select oid::regclass::text as name
    from pg_class
    where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace
    order by name`);
  return rows.map(({ name }) => name);
}

/** Returns the text of all rows. */
export async function everyCell(server: TestServer): Promise<string> {
  const texts: string[] = [];
  for (const name of await tablesOf(server)) {
    const { rows } = await server.context.database.readers.query<{ text: string }>(
      `select t::text as text from ${name} t`,
    );
    texts.push(...rows.map(({ text }) => text));
  }
  return texts.join('\n');
}
