import { setImmediate as nextTurn } from 'node:timers/promises';
import { firstIdAt } from '../core/ids.ts';
import type { StoredRecord } from '../model/record.ts';
import type { Filter, Resource } from '../model/resource.ts';
import { outsideLimit } from '../model/traits/limited.ts';
import { ownAccount } from '../model/traits/own-account.ts';
import { bytesIn, columnsIf, listedColumnsOf, recordOfRow, type StoredRow } from './record-reader.ts';
import { identifier } from './identifier.ts';
import type { Reader, ReadStatement } from './reader.ts';
import { onlyRow } from './only-row.ts';

/** Records that a list leaves out, and does not count: those whose column begins with one of these texts. */
export interface Without {
  column: string;
  beginnings: readonly string[];
}

export interface ListQuery {
  accountId: string;
  /** A second account whose records are listed too: the one whose key acts for the other. */
  alsoAccountId?: string;
  filters: { filter: Filter; value: string }[];
  without?: Without | null;
  /** Bounds of `created`, in seconds. */
  created: { gt?: number; gte?: number; lt?: number; lte?: number };
  limit: number;
  offset: number;
  /** The page after (older than) or before (newer than) the record with this id. */
  cursor: { direction: 'after' | 'before'; id: string } | null;
}

export interface ListPage {
  /** Newest first. Null if one of them is too large for `part: 'small'`. */
  records: StoredRecord[] | null;
  /** The upper bound of the page's size in bytes, if the page was not read. */
  bytes: number;
  /** The number of all records that match the filters, on any page. */
  count: number;
  /** Tells whether more records follow in the direction of paging. */
  hasMore: boolean;
}

/** The number of records on a page, unless the request names another. */
export const limitDefault = 20;

/** Nearly all records are smaller, in bytes. A page of 50 such records has less than a megabyte, and takes one statement. */
const smallBytesMax = 16 * 1024;

/**
 * Reads a page of an account's records and their exact count, both from the same snapshot.
 *
 * @param part with `small`, a page that has a larger record is not read, and only its size is returned. With `all`, every page is read.
 */
export async function readList(
  reader: Reader,
  resource: Resource,
  query: ListQuery,
  part: 'small' | 'all',
): Promise<ListPage> {
  const rowBytesMax = part === 'small' ? smallBytesMax : 2 ** 31 - 1;
  const rows = await reader.query<StoredRow & { count: number; large_bytes: number | null }>(
    listStatement(resource, query, rowBytesMax),
  );
  const found = rows.filter((row) => row.id !== null);
  const bytes = found.reduce((sum, row) => sum + (row.large_bytes ?? smallBytesMax), 0);
  const page = { count: onlyRow(rows).count, bytes, hasMore: found.length > query.limit };
  if (found.some((row) => row.large_bytes !== null)) return { ...page, records: null };
  // Drop each row once it is a record: both have all of its text. Between two large ones, other requests have their turn.
  rows.length = 0;
  const records: StoredRecord[] = [];
  while (records.length < query.limit && found.length > 0) {
    records.push(recordOfRow(resource, found.shift()!));
    if (part === 'all') await nextTurn();
  }
  if (query.cursor?.direction === 'before') records.reverse();
  return { ...page, records };
}

/** Reads how many records of this kind an account has that count towards the limit of the kind. */
export async function readCount(reader: Reader, resource: Resource, accountId: string): Promise<number> {
  const outside = outsideLimit.of(resource);
  const rows = await reader.query<{ count: number }>({
    name: 'read_count',
    text: `
      select coalesce(sum(case dimension when '' then delta else -delta end), 0)::bigint as count
      from count_deltas
      where account_id = $1 and object = $2 and (dimension, value) in (('', ''), ($3, $4))`,
    values: [accountId, resource.object, outside?.column ?? '', outside?.value ?? ''],
  });
  return onlyRow(rows).count;
}

/**
 * Makes the statement of a list. Ids sort by creation time, so the order, the cursors and the time filters are ranges of one index. The
 * index for a search in arrays has no order, and neither has a join. So the statement then finds all matches first. Otherwise PostgreSQL would scan the account's
 * records in their order until it has enough.
 */
function listStatement(resource: Resource, query: ListQuery, rowBytesMax: number): ReadStatement {
  const values: (string | number)[] = [query.accountId];
  const parameter = (value: string | number): string => `$${values.push(value)}`;

  // An account's records, or the accounts that belong to it.
  const ownedBy = ownAccount.of(resource)?.column ?? 'account_id';
  const matches = [
    query.alsoAccountId === undefined ? `${ownedBy} = $1` : `${ownedBy} in ($1, ${parameter(query.alsoAccountId)})`,
  ];
  if (resource.delete === 'erases') matches.push('deleted_at is null');
  for (const { filter, value } of query.filters) {
    matches.push(...conditionsOf(filter, value, parameter));
  }
  if (query.without) matches.push(...exclusionsOf(query.without.column, query.without, parameter));
  for (const bound of ['gt', 'gte', 'lt', 'lte'] as const) {
    const { sign, firstSecondOf } = timeBounds[bound];
    const seconds = query.created[bound];
    if (seconds === undefined) continue;
    matches.push(`id ${sign} ${parameter(firstIdAt(resource.prefix, firstSecondOf(seconds) * 1000))}`);
  }
  const backwards = query.cursor?.direction === 'before';
  const order = backwards ? 'id' : 'id desc';
  const cursor = query.cursor ? `and id ${backwards ? '>' : '<'} ${parameter(query.cursor.id)}` : '';
  // Both numbers are in the text, so that one plan can serve all calls of a prepared statement. With parameters, PostgreSQL would plan each
  // call anew, which takes longer than the list. It still does so if accounts differ much in size.
  const slice = `${cursor} order by ${order} limit ${query.limit + 1} offset ${query.offset}`;
  const listed = listedColumnsOf(resource);
  const columns = `${listed.map(identifier).join(', ')}, ${bytesIn(resource, listed)} as bytes`;
  const max = parameter(rowBytesMax);
  const shown = `case when bytes > ${max} then bytes end as large_bytes, ${columnsIf(`bytes <= ${max}`, resource, listed)}`;
  const isSearch = query.filters.some(({ filter: { match } }) => match === 'contains' || match === 'condition');
  const text = isSearch
    ? `
    with found as materialized (
      select id from ${resource.table} where ${matches.join(' and ')}
    )
    select count, page.*
    from (select count(*) from found) counted
    left join (
      select ${shown}
      from (
        select ${columns}
        from ${resource.table}
        where ${ownedBy} = $1 and id in (select id from found where true ${slice})
        -- So that sizes are computed once.
        offset 0
      ) sized
    ) page on true
    order by ${order}`
    : `
    select count, page.*
    from (select ${countExpression(resource, query, matches, parameter)} as count) counted
    left join (
      select ${shown}
      from (select ${columns} from ${resource.table} where ${matches.join(' and ')} ${slice}) sized
    ) page on true
    order by ${order}`;
  const common =
    query.alsoAccountId === undefined &&
    query.filters.length <= 1 &&
    query.filters.every(({ filter: { match } }) => match === 'exact' || match === 'caseless') &&
    Object.keys(query.created).length === 0 &&
    query.offset === 0 &&
    query.limit === limitDefault;
  return { ...(common && { name: nameOf(text) }), text, values };
}

/**
 * Names of prepared statements. Each connection keeps its own. Filters have thousands of combinations, and a client could try them all. So
 * only lists of the default length with at most one filter are prepared. If a filter matches a range or a list, the best plan depends on
 * its value.
 */
const statementNames = new Map<string, string>();

function nameOf(text: string): string {
  let name = statementNames.get(text);
  if (name === undefined) {
    name = `list_${statementNames.size}`;
    statementNames.set(text, name);
  }
  return name;
}

/** Converts time filters to ranges of ids. A second begins with its first id, and ends before the first id of the next second. */
const timeBounds = {
  gt: { sign: '>=', firstSecondOf: (seconds: number) => seconds + 1 },
  gte: { sign: '>=', firstSecondOf: (seconds: number) => seconds },
  lt: { sign: '<', firstSecondOf: (seconds: number) => seconds },
  lte: { sign: '<', firstSecondOf: (seconds: number) => seconds + 1 },
};

const signs = { gt: '>', gte: '>=', lt: '<', lte: '<=' };

function conditionsOf(
  { column, match, conditions = {} }: Filter,
  value: string,
  parameter: (value: string) => string,
): string[] {
  switch (match) {
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return [`${column} ${signs[match]} ${parameter(value)}`];
    case 'exact':
      return [`${column} = ${parameter(value)}`];
    case 'caseless':
      // The column's collation lowers ASCII letters in every database.
      return [`lower(${column}) = lower(${parameter(value)} collate "C")`];
    case 'status':
      return value.endsWith('xx')
        ? [`${column} >= ${parameter(`${value[0]}00`)}`, `${column} <= ${parameter(`${value[0]}99`)}`]
        : [`${column} = ${parameter(value)}`];
    case 'condition':
      return [conditions[value]!];
    case 'contains':
      return [`${column} @> array[${parameter(value)}]`];
    case 'prefix':
      return value.endsWith('*')
        ? beginsWith(column, value.slice(0, -1), parameter)
        : [`${column} = ${parameter(value)}`];
  }
}

/** Returns the conditions of the records that are not left out. */
function exclusionsOf(column: string, { beginnings }: Without, parameter: (value: string) => string): string[] {
  return beginnings.map((beginning) => `not starts_with(${column}, ${parameter(beginning)})`);
}

/** Uses a range, not `like`: a range takes the prefix literally, and uses an index even in a prepared statement. */
function beginsWith(column: string, prefix: string, parameter: (value: string) => string): string[] {
  if (prefix === '') return [];
  const last = prefix.length - 1;
  const end = prefix.slice(0, last) + String.fromCharCode(prefix.charCodeAt(last) + 1);
  return [`${column} >= ${parameter(prefix)}`, `${column} < ${parameter(end)}`];
}

/** Sums stored counts where they exist. Otherwise counts the matches on their index. */
function countExpression(
  resource: Resource,
  query: ListQuery,
  matches: string[],
  parameter: (value: string) => string,
): string {
  const [only, ...others] = query.filters;
  // An account counts towards the account that made it. The first account made itself.
  const isCounted =
    !ownAccount.has(resource) && (!only || (others.length === 0 && resource.counted?.includes(only.filter.column)));
  if (!isCounted || Object.keys(query.created).length > 0) {
    return `(select count(*) from ${resource.table} where ${matches.join(' and ')})`;
  }
  const { without } = query;
  // Every record has a value of the column that leaves some out. So the counts by this column are all there are.
  const dimension = only?.filter.column ?? without?.column ?? '';
  const conditions = [
    'account_id = $1',
    `object = ${parameter(resource.object)}`,
    `dimension = ${parameter(dimension)}`,
  ];
  if (only) conditions.push(...conditionsOf({ ...only.filter, column: 'value' }, only.value, parameter));
  const isByColumn = dimension === without?.column;
  if (without && isByColumn) conditions.push(...exclusionsOf('value', without, parameter));
  const counted = `coalesce((select sum(delta) from count_deltas where ${conditions.join(' and ')}), 0)::bigint`;
  return without && only && !isByColumn ? `${counted} - ${leftOut(resource, only, without, parameter)}` : counted;
}

/** Counts the matches that a list leaves out. They are few, because only changes by hand make them. */
function leftOut(
  resource: Resource,
  { filter, value }: ListQuery['filters'][number],
  { column, beginnings }: Without,
  parameter: (value: string) => string,
): string {
  const ranges = beginnings.map((beginning) => `(${beginsWith(column, beginning, parameter).join(' and ')})`);
  const conditions = ['account_id = $1', ...conditionsOf(filter, value, parameter), `(${ranges.join(' or ')})`];
  return `(select count(*) from ${resource.table} where ${conditions.join(' and ')})`;
}
