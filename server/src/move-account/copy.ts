import { arrayLiteral } from '../db/array-literal.ts';
import { onlyRow } from '../db/only-row.ts';
import type { Client } from '../db/pools.ts';
import { asMove } from './guards.ts';
import { namesOf, type Column, type TreeTable } from './tables.ts';

/** Rows of a page, and the bytes of their long columns. A larger row is a page of its own. */
const pageRows = 1_000;
const pageBytes = 8 * 1024 * 1024;

/** A row as texts, in the order of its table's columns. */
type TextRow = (string | null)[];

/** The keys of changed rows, by table. Each key has the texts of its columns. */
export type ChangedKeys = Map<string, string[][]>;

/** Writes texts of values in the same way in both databases. */
export const sameTexts = `set datestyle = 'ISO, YMD'; set bytea_output = 'hex'; set timezone = 'UTC'; set extra_float_digits = 1`;

/**
 * Copies all rows of the tables to the target. The caller has begun a transaction at the source, whose snapshot all pages share.
 *
 * @returns the number of rows.
 */
export async function copyAll(
  source: Client,
  target: Client,
  tables: readonly TreeTable[],
  accountIds: readonly string[],
): Promise<number> {
  let copied = 0;
  for (const table of tables) {
    for (const accountId of accountIds) {
      for (let after: string[] | null = null, more = true; more;) {
        const rows = await readPage(source, table, accountId, after);
        if (rows.length > 0) {
          await asOne(target, () => insertRows(target, table, rows));
          after = keyOf(table, rows.at(-1)!);
        }
        more = rows.length > 0 && table.key.length > 1;
        copied += rows.length;
      }
    }
  }
  return copied;
}

/** Runs `work` in a transaction of the move. */
export async function asOne(client: Client, work: () => Promise<void>): Promise<void> {
  await client.query('begin');
  try {
    await client.query(asMove);
    await work();
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

/** Takes noted keys of changed rows, each once. They are noted again if the caller's transaction is rolled back. */
export async function takeChanges(
  source: Client,
  accountIds: readonly string[],
  limit: number | null,
): Promise<{ changed: ChangedKeys; hasMore: boolean }> {
  const { rows } = await source.query<{ relation: string; key: string[]; taken: number }>(
    `with page as (select ctid from account_move_changes where account_id = any($1) limit $2),
     taken as (delete from account_move_changes where ctid = any(array(select ctid from page)) returning relation, key)
     select distinct relation, key, (select count(*) from taken)::integer as taken from taken`,
    [accountIds, limit],
  );
  const changed: ChangedKeys = new Map();
  for (const { relation, key } of rows) {
    const keys = changed.get(relation);
    if (keys) keys.push(key);
    else changed.set(relation, [key]);
  }
  return { changed, hasMore: rows[0]?.taken === limit };
}

/** Makes the rows with these keys the same at the target as at the source. Both callers' transactions are open. */
export async function copyChanged(
  source: Client,
  target: Client,
  tables: readonly TreeTable[],
  changed: ChangedKeys,
): Promise<void> {
  for (const table of tables) {
    const keys = changed.get(table.name) ?? [];
    // All of them are deleted first. Otherwise a row could break a unique index that its predecessor has left.
    for (const some of inPages(keys)) {
      await target.query(
        `delete from ${table.name} stored using ${keysOf(table)} where ${isKey(table)}`,
        keyColumns(some),
      );
    }
    for (const some of inPages(keys, changedAtOnce(table))) {
      const { rows } = await source.query<{ texts: TextRow }>(
        `select ${textsOf(table.columns)} as texts from ${table.name} stored join ${keysOf(table)} on ${isKey(table)}`,
        keyColumns(some),
      );
      await insertRows(
        target,
        table,
        rows.map(({ texts }) => texts),
      );
    }
  }
}

/** Reads all rows of a table without pages. The table is small. */
export async function readWhole(client: Client, table: TreeTable, accountIds: readonly string[]): Promise<TextRow[]> {
  const { rows } = await client.query<{ texts: TextRow }>(
    `select ${textsOf(table.columns)} as texts from ${table.name} stored where stored.account_id = any($1)`,
    [accountIds],
  );
  return rows.map(({ texts }) => texts);
}

/** Inserts rows. The caller's transaction is one of the move. */
export async function insertRows(target: Client, table: TreeTable, rows: readonly TextRow[]): Promise<void> {
  for (const some of inPages(rows)) {
    const casts = table.columns.map(({ type }, index) => `c${index}::${type}`);
    const inputs = table.columns.map((_, index) => `$${index + 1}::text[]`);
    const names = table.columns.map((_, index) => `c${index}`);
    await target.query(
      `insert into ${table.name} (${namesOf(table.columns)}) select ${casts.join(', ')} from unnest(${inputs.join(', ')}) as input (${names.join(', ')})`,
      table.columns.map((_, index) => arrayLiteral(some.map((row) => row[index]!))),
    );
  }
}

/** The number of rows, and a sum of the hashes of their texts. */
export interface Digest {
  rows: string;
  hash: string;
}

/** Computes the digest of all rows of the accounts in a table. */
export async function digestOf(client: Client, table: TreeTable, accountIds: readonly string[]): Promise<Digest> {
  const { rows } = await client.query<Digest>(
    `select ${digest(table)} from ${table.name} stored where stored.account_id = any($1)`,
    [accountIds],
  );
  return onlyRow(rows);
}

/** Computes the digest of the rows with these keys. */
export async function digestOfKeys(client: Client, table: TreeTable, keys: readonly string[][]): Promise<Digest> {
  let count = 0n;
  let hash = 0n;
  for (const some of inPages(keys)) {
    const { rows } = await client.query<Digest>(
      `select ${digest(table)} from ${table.name} stored join ${keysOf(table)} on ${isKey(table)}`,
      keyColumns(some),
    );
    const found = onlyRow(rows);
    count += BigInt(found.rows);
    hash += BigInt(found.hash);
  }
  return { rows: String(count), hash: String(hash) };
}

export function isSame(one: Digest, other: Digest): boolean {
  return one.rows === other.rows && one.hash === other.hash;
}

/** Deletes all rows of the accounts. The caller's transaction is one of the move. */
export async function deleteAll(client: Client, table: TreeTable, accountIds: readonly string[]): Promise<void> {
  await client.query(`delete from ${table.name} where account_id = any($1)`, [accountIds]);
}

/** Reads the next rows of an account in the order of the key. Bounds their bytes. */
async function readPage(
  client: Client,
  table: TreeTable,
  accountId: string,
  after: readonly string[] | null,
): Promise<TextRow[]> {
  const rest = table.key.slice(1);
  const order = rest.length > 0 ? namesOf(rest) : 'account_id';
  const beyond =
    after && `and (${namesOf(rest)}) > (${rest.map(({ type }, index) => `$${index + 2}::${type}`).join(', ')})`;
  const { rows } = await client.query<{ texts: TextRow }>(
    `select ${textsOf(table.columns)} as texts
     from (
       select *, sum(page_bytes) over (order by ${order} rows unbounded preceding) as bytes_so_far
       from (
         select *, ${sizeOf(table.columns)} as page_bytes
         from ${table.name}
         where account_id = $1 ${beyond ?? ''}
         order by ${order}
         limit ${pageRows}
       ) found
     ) stored
     where bytes_so_far <= ${pageBytes} or bytes_so_far = page_bytes
     order by ${order}`,
    [accountId, ...(after?.slice(1) ?? [])],
  );
  return rows.map(({ texts }) => texts);
}

/** The size of a long text is known without reading it. */
function sizeOf(columns: readonly Column[]): string {
  const long = columns.filter(({ type }) => type === 'text' || type === 'bytea');
  return ['0::bigint', ...long.map(({ name }) => `coalesce(octet_length("${name}"), 0)`)].join(' + ');
}

function textsOf(columns: readonly Column[]): string {
  return `array[${columns.map(({ name }) => `stored."${name}"::text`).join(', ')}]`;
}

function digest({ columns }: TreeTable): string {
  return `count(*)::text as rows, coalesce(sum(hashtextextended(${textsOf(columns)}::text, 0)), 0)::text as hash`;
}

function keyOf({ columns, key }: TreeTable, row: TextRow): string[] {
  return key.map(({ name }) => row[columns.findIndex((column) => column.name === name)]!);
}

function keysOf({ key }: TreeTable): string {
  const inputs = key.map((_, index) => `$${index + 1}::text[]`);
  return `unnest(${inputs.join(', ')}) as wanted (${key.map((_, index) => `k${index}`).join(', ')})`;
}

function isKey({ key }: TreeTable): string {
  return key.map(({ name, type }, index) => `stored."${name}" = wanted.k${index}::${type}`).join(' and ');
}

function keyColumns(keys: readonly string[][]): string[] {
  return keys[0]!.map((_, index) => arrayLiteral(keys.map((key) => key[index]!)));
}

function inPages<Item>(items: readonly Item[], size = pageRows): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, page) =>
    items.slice(page * size, (page + 1) * size),
  );
}

/** Returns how many changed rows are read at once. A part of a file can have a megabyte. */
function changedAtOnce({ columns }: TreeTable): number {
  return columns.some(({ type }) => type === 'bytea') ? 20 : 200;
}
