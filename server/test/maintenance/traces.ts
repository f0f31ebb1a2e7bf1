import type { Client } from '../../src/db/pools.ts';
import type { TestServer } from '../support/server.ts';

/** Returns each table with a row that contains a text. It finds what a dump of the database would show. */
export function occurrencesOf({ context }: TestServer, text: string): Promise<string[]> {
  return occurrencesIn(context.database.readers, text);
}

/** Does the same as `occurrencesOf`, by any connection. */
export async function occurrencesIn(readers: Pick<Client, 'query'>, text: string): Promise<string[]> {
  const { rows: tables } = await readers.query<{ name: string }>(`
    select format('%I.%I', schemaname, tablename) as name
    from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema')
    order by 1`);
  const found: string[] = [];
  for (const { name } of tables) {
    // A row shows bytes in hex.
    const { rows } = await readers.query<{ found: boolean }>(
      `select exists (
         select from ${name} as record where strpos(record::text, $1) > 0 or strpos(record::text, $2) > 0
       ) as found`,
      [text, Buffer.from(text).toString('hex')],
    );
    if (rows[0]!.found) found.push(name);
  }
  return found;
}

/** Returns those of these texts that are in the write-ahead log. */
export async function walHas({ context }: TestServer, texts: readonly string[]): Promise<string[]> {
  const { rows } = await context.database.readers.query<{ text: string }>(
    `select distinct text
     from pg_ls_waldir() as segment, unnest($1::text[]) as text
     where position(convert_to(text, 'UTF8') in pg_read_binary_file('pg_wal/' || segment.name, 0, segment.size, true)) > 0
     order by text`,
    [texts],
  );
  return rows.map(({ text }) => text);
}

/** Gives a test a function that makes checkpoints, after which the log before them is gone. */
export async function removeOldWal(
  { context }: TestServer,
  run: (checkpoint: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const { readers } = context.database;
  // Otherwise a checkpoint renames old segments and keeps their bytes.
  await readers.query('alter system set wal_recycle = off');
  await readers.query('select pg_reload_conf()');
  try {
    await run(async () => {
      // The next change of a page writes it whole into the log, with its dead rows.
      await readers.query('vacuum');
      // The first removes what is older than the one before it.
      for (let time = 0; time < 2; time++) {
        await readers.query('select pg_switch_wal()');
        await readers.query('checkpoint');
      }
    });
  } finally {
    await readers.query('alter system reset wal_recycle');
    await readers.query('select pg_reload_conf()');
  }
}
