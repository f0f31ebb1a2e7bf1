import { parseJson } from '../core/json.ts';
import type { StoredRecord } from '../model/record.ts';
import { oncePerKind } from '../model/once-per-kind.ts';
import type { Resource } from '../model/resource.ts';
import { appendOnly } from '../model/traits/append-only.ts';
import { identifier } from './identifier.ts';
import { coalesce, noResult } from './batch-loader.ts';
import type { Reader } from './reader.ts';

/** Reads one record of an account, or null. */
export type RecordReader = <R extends StoredRecord>(
  resource: Resource<R>,
  accountId: string,
  id: string,
) => Promise<R | null>;

interface Wanted {
  accountId: string;
  id: string;
}

type Read = StoredRecord | null | typeof noResult;

/** Bytes per query. Two queries run at once, and their results stay in memory until the requests resume. */
const bytesTogetherMax = 4 * 1024 * 1024;

/** Up to so many records never exceed `bytesTogetherMax`, so their sizes are not queried. */
const unsizedMax = 16;

/** The size that most records stay below, in bytes. */
const bytesOfMost = 1_000;

/** Reads records by id. One query serves many requests, which almost triples the throughput. */
export function recordReader(reader: Reader): RecordReader {
  const ofResource = new Map<Resource, (wanted: Wanted) => Promise<StoredRecord | null>>();
  return <R extends StoredRecord>(resource: Resource<R>, accountId: string, id: string) => {
    let read = ofResource.get(resource);
    if (!read) {
      read = coalesce((wanted: Wanted[]) => readRecords(reader, resource, wanted));
      ofResource.set(resource, read);
    }
    // The table of a kind of record has rows of its type only.
    return read({ accountId, id }) as Promise<R | null>;
  };
}

/**
 * Returns a reader that reads each record once. So all parts of a decision see one state of it. None waits for a record that another has
 * read.
 */
export function readingOnce(readRecord: RecordReader): RecordReader {
  const reads = new Map<string, Promise<StoredRecord | null>>();
  return <R extends StoredRecord>(resource: Resource<R>, accountId: string, id: string) => {
    const name = `${accountId} ${id}`;
    const read = reads.get(name) ?? readRecord(resource, accountId, id);
    reads.set(name, read);
    // An id belongs to one kind of record.
    return read as Promise<R | null>;
  };
}

/** Reads records up to `bytesTogetherMax`, the smallest first, and at least one. The others go into a later query. */
async function readRecords(reader: Reader, resource: Resource, wanted: Wanted[]): Promise<Read[]> {
  const rows = await reader.query<StoredRow & { is_left?: boolean }>({
    ...(wanted.length <= unsizedMax ? readStatement(resource) : readSizedStatement(resource)),
    values: [wanted.map(({ accountId }) => accountId), wanted.map(({ id }) => id)],
  });
  const found = new Map(rows.map((row) => [`${row.account_id} ${row.id}`, row]));
  let bytes = 0;
  return wanted.map(({ accountId, id }) => {
    const row = found.get(`${accountId} ${id}`);
    if (!row) return null;
    // Each of two hundred questions can ask for the same large record, and gets an object of its own.
    if (row.is_left || bytes > bytesTogetherMax) return noResult;
    const record = measured(recordOfRow(resource, row), row);
    bytes += bytesOf(record);
    return record;
  });
}

const isWanted = '(account_id, id) in (select * from unnest($1::text[], $2::text[]))';

const readStatement = oncePerKind((resource) => ({
  name: `read_${resource.table}`,
  text: `select ${columnsOf(resource).map(identifier).join(', ')} from ${resource.table} where ${isWanted}`,
}));

const readSizedStatement = oncePerKind((resource) => ({
  name: `read_sized_${resource.table}`,
  text: sizedSelect(resource, isWanted, bytesTogetherMax),
}));

/**
 * Returns SQL for records with a condition. It selects the smallest first, up to so many bytes and at least one. The others have `is_left`,
 * and their long texts are null.
 */
export function sizedSelect(resource: Resource, condition: string, bytesMax: number): string {
  return `
      select is_left, ${columnsIf('not is_left', resource)}
      from (
        select *, bytes_so_far > ${bytesMax} and bytes_so_far > bytes as is_left
        from (
          select *, sum(bytes) over (order by bytes rows unbounded preceding) as bytes_so_far
          from (
            select ${columnsOf(resource).map(identifier).join(', ')}, ${bytesIn(resource)} as bytes
            from ${resource.table}
            where ${condition}
          ) found
        ) summed
      ) page`;
}

function measured(record: StoredRecord, row: StoredRow): StoredRecord {
  let bytes = 0;
  for (const name in row) {
    const value = row[name];
    if (typeof value === 'string') bytes += Buffer.byteLength(value);
  }
  if (bytes > bytesOfMost) sizes.set(record, bytes);
  return record;
}

/** Sizes in bytes of records that were read by id, for those larger than most. */
const sizes = new WeakMap<StoredRecord, number>();

/** Returns the upper bound of a record's memory in bytes. The record was read by id. */
export function bytesOf(record: StoredRecord): number {
  return sizes.get(record) ?? bytesOfMost;
}

/** A row from the driver: columns by name. */
export type StoredRow = StoredRecord & { [column: string]: unknown };

/** Returns a resource's columns. The columns that all resources share come first. */
export const columnsOf = oncePerKind((resource): readonly string[] => {
  const kept = Object.keys(resource.fields).filter((name) => resource.fields[name]?.column !== null);
  return ['account_id', 'id', 'created', ...(appendOnly.has(resource) ? [] : ['revision']), ...kept];
});

/** Returns the columns that lists read. */
export const listedColumnsOf = oncePerKind((resource): readonly string[] =>
  columnsOf(resource).filter((name) => !resource.fields[name]?.unlisted),
);

/** Returns SQL for the size of a row's long texts among these columns, in bytes. PostgreSQL knows it without reading them. */
export function bytesIn(resource: Resource, columns: readonly string[] = columnsOf(resource)): string {
  const long = longColumnsOf(resource).filter((name) => columns.includes(name));
  return ['0', ...long.map((name) => `coalesce(octet_length(${identifier(name)}), 0)`)].join(' + ');
}

/** Returns SQL for columns of a resource. Long texts are null unless `condition` holds. */
export function columnsIf(condition: string, resource: Resource, columns = columnsOf(resource)): string {
  const long = new Set(longColumnsOf(resource));
  return columns
    .map((name) => [long.has(name), identifier(name)] as const)
    .map(([isLong, name]) => (isLong ? `case when ${condition} then ${name} end as ${name}` : name))
    .join(', ');
}

/** Returns the columns without a bound on their length in the schema. */
const longColumnsOf = oncePerKind(({ fields }): readonly string[] => {
  const long = Object.entries(fields).filter(
    ([, { column, schema }]) =>
      column === 'json' || (column === 'text' && !/"(?:maxLength|enum|const|pattern)":/.test(JSON.stringify(schema))),
  );
  return long.map(([name]) => name);
});

/** Converts a row to its record. */
export function recordOfRow(resource: Resource, row: StoredRow): StoredRecord {
  const record: StoredRow = { ...row };
  for (const name in resource.fields) {
    const value = row[name];
    if (resource.fields[name]?.column === 'json' && typeof value === 'string') record[name] = parseJson(value);
  }
  return record;
}
