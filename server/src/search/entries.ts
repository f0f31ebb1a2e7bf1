import { arrayLiteral } from '../db/array-literal.ts';
import { identifier } from '../db/identifier.ts';
import type { PoolClient } from '../db/pools.ts';
import { recordOfRow, sizedSelect, type StoredRow } from '../db/record-reader.ts';
import { oncePerKind } from '../model/once-per-kind.ts';
import type { StoredRecord } from '../model/record.ts';
import type { Resource } from '../model/resource.ts';
import { searchOf } from './texts.ts';
import { partsOf, startsOf } from './words.ts';

/** Returns the name under which the parts of an account's records of a kind are numbered. */
export function ownerOf({ prefix }: Resource, accountId: string): string {
  return `${accountId} ${prefix} `;
}

/** What the search knows of a record. */
export interface Entry {
  id: string;
  words: string;
  owner: string;
}

/**
 * Writes the entries that differ from the stored ones, and deletes those of records without texts.
 *
 * @returns the ids whose entry has changed, and those without one. Entries of other records may still show what these had.
 */
export async function writeEntries(
  client: PoolClient,
  accountId: string,
  ids: readonly string[],
  entries: readonly Entry[],
): Promise<string[]> {
  const { rows: stored } = await client.query<{ id: string; words: string }>({
    name: 'read_search_entries',
    text: 'select id, words from search_entries where account_id = $1 and id = any($2::text[])',
    values: [accountId, arrayLiteral(ids)],
  });
  const before = new Map(stored.map(({ id, words }) => [id, words]));
  const written = entries.filter(({ id, words }) => words !== '' && before.get(id) !== words);
  const kept = new Set(entries.filter(({ words }) => words !== '').map(({ id }) => id));
  const deleted = ids.filter((id) => before.has(id) && !kept.has(id));
  if (written.length > 0) {
    await client.query({
      name: 'write_search_entries',
      text: `
        insert into search_entries (account_id, id, words, starts, parts)
        select $1, input.id, input.words, input.starts, input.parts::integer[]
        from unnest($2::text[], $3::text[], $4::text[], $5::text[]) as input (id, words, starts, parts)
        on conflict (account_id, id) do update
        set words = excluded.words, starts = excluded.starts, parts = excluded.parts`,
      values: [
        accountId,
        arrayLiteral(written.map(({ id }) => id)),
        arrayLiteral(written.map(({ words }) => words)),
        arrayLiteral(written.map(({ words }) => startsOf(words))),
        arrayLiteral(written.map(({ owner, words }) => `{${partsOf(owner, words).join(',')}}`)),
      ],
    });
  }
  if (deleted.length > 0) {
    await client.query({
      name: 'delete_search_entries',
      text: 'delete from search_entries where account_id = $1 and id = any($2::text[])',
      values: [accountId, arrayLiteral(deleted)],
    });
  }
  return [...written.map(({ id }) => id), ...ids.filter((id) => !kept.has(id))];
}

/** Bytes of records that are in memory at once. One record can have a quarter of a megabyte, and 250 usual ones have half of that. */
const bytesAtOnce = 1024 * 1024;

/**
 * Reads the records that have something to search. Most references have nothing of their own, and cost only this look.
 *
 * @returns the records, and the ids of those that were too large to be read with these.
 */
export async function readWithTexts(
  client: PoolClient,
  accountId: string,
  resource: Resource,
  ids: readonly string[],
): Promise<{ records: StoredRecord[]; left: string[] }> {
  const { rows } = await client.query<StoredRow & { is_left: boolean }>({
    ...textfulStatement(resource),
    values: [accountId, arrayLiteral(ids)],
  });
  return {
    records: rows.filter((row) => !row.is_left).map((row) => recordOfRow(resource, row)),
    left: rows.filter((row) => row.is_left).map(({ id }) => id),
  };
}

const textfulStatement = oncePerKind((resource) => {
  const { members, linked = {} } = searchOf(resource);
  const own = new Set(members.map((member) => member.split('.', 1)[0]!));
  const some = [...own].map((name) =>
    resource.fields[name]?.column === 'json'
      ? `${identifier(name)} not in ('{}', '[]', 'null')`
      : `${identifier(name)} is not null`,
  );
  const condition = Object.keys(linked).length > 0 ? '' : ` and (${some.join(' or ')})`;
  return {
    name: `search_${resource.table}`,
    text: sizedSelect(resource, `account_id = $1 and id = any($2::text[])${condition}`, bytesAtOnce),
  };
});

/** Returns ids of records of a kind in their order, after an id of this kind or of none. */
export async function readNextIds(
  client: PoolClient,
  accountId: string,
  { table, prefix }: Resource,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>({
    name: `search_next_${table}`,
    text: `select id from ${table} where account_id = $1 and id > $2 and id >= $3 order by id limit $4`,
    values: [accountId, after, `${prefix}_`, limit],
  });
  return rows.map(({ id }) => id);
}

/** Ids of linking records that are in memory at once. One building can have a hundred thousand tenancies. */
const linkingAtOnce = 1_000;

/** Names cursors. A transaction can have several, because the links of one page lead on to others. */
let cursors = 0;

/** Yields the ids of the records that link to these, page by page. Runs in the transaction of the client. */
export async function* pagesThatLink(
  client: PoolClient,
  accountId: string,
  { table, fields }: Resource,
  link: string,
  ids: readonly string[],
): AsyncGenerator<string[]> {
  const isList = fields[link]?.column === 'text[]';
  const cursor = `search_${(cursors = (cursors + 1) % 1_000_000)}`;
  await client.query({
    text: `
      declare ${cursor} no scroll cursor for
      select id from ${table}
      where account_id = $1 and ${identifier(link)} ${isList ? '&& $2::text[]' : '= any($2::text[])'}
      order by id`,
    values: [accountId, arrayLiteral(ids)],
  });
  for (let more = true; more;) {
    const { rows } = await client.query<{ id: string }>({ text: `fetch ${linkingAtOnce} from ${cursor}` });
    if (rows.length > 0) yield rows.map(({ id }) => id);
    more = rows.length === linkingAtOnce;
  }
  await client.query({ text: `close ${cursor}` });
}
