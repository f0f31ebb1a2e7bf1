import { fieldOf, type ColumnType } from '../../model/record.ts';
import { oncePerKind } from '../../model/once-per-kind.ts';
import type { Resource } from '../../model/resource.ts';
import { storesFile } from '../../model/traits/stores-file.ts';
import { arrayLiteral } from '../../db/array-literal.ts';
import { identifier } from '../../db/identifier.ts';
import { columnsOf } from '../../db/record-reader.ts';
import type { BatchEntry, KnownRecordWrite, RecordWrite } from '../batch-entry.ts';
import type { Guard } from '../write-request.ts';
import { type Statement, type Cell, statementOf, parameters } from './statement.ts';

/**
 * Locks the records that the batch guards and those that it updates, and updates the latter. Refuses the entries whose records have changed
 * since they were read. Rows are locked in one order, independent of the batch's.
 */
export function guardAndUpdateRecords(batch: readonly BatchEntry[]): (Statement | null)[] {
  const guards = new Map(byResource(batch, (entry) => entry.guards));
  const updates = new Map(byResource(batch, (entry) => entry.updates));
  return inTableOrder(new Set([...guards.keys(), ...updates.keys()])).flatMap((resource) => [
    guardRecords(resource, guards.get(resource) ?? []),
    updateRecords(resource, updates.get(resource) ?? []),
  ]);
}

/** Holds guarded records as they are until the commit. Several batches may guard one record at the same time. */
function guardRecords(resource: Resource, guards: OfEntry<Guard>[]): Statement | null {
  return statementOf(
    `guard_${resource.table}`,
    `
      with input as materialized (
        select * from unnest($1::integer[], $2::bigint[], $3::text[], $4::text[])
          as input (entry, expected_revision, account_id, id)
      ),
      held as materialized (
        select input.entry, record.account_id, record.id
        from input
        join ${resource.table} record
          on record.account_id = input.account_id
          and record.id = input.id
          and record.revision = input.expected_revision
        order by record.account_id, record.id
        for share of record
      )
      select reject_batch_entries('stale_record', array(
        select distinct entry
        from input
        left join held using (entry, account_id, id)
        where held.id is null
      ))`,
    guards.map(({ entry, write: { record } }) => [entry, record.revision, record.account_id, record.id]),
  );
}

function updateRecords(resource: Resource, changes: OfEntry<KnownRecordWrite>[]): Statement | null {
  return statementOf(
    `update_${resource.table}`,
    textOfUpdate(resource),
    changes.map(({ entry, write }) => [
      entry,
      write.before.revision,
      ...cellsOf(resource, write, updatedColumnsOf(resource)),
    ]),
  );
}

const textOfUpdate = oncePerKind((resource) => {
  const columns = updatedColumnsOf(resource);
  const fields = columns.filter((name) => name in resource.fields);
  const types = ['integer', 'bigint', ...columns.map((name) => arrayTypeOf(resource, name))];
  return `
      with input as materialized (
        select * from unnest(${parameters(types)}) as input (entry, expected_revision, ${columns.map(identifier).join(', ')})
      ),
      held as materialized (
        select record.account_id, record.id
        from input
        join ${resource.table} record
          on record.account_id = input.account_id
          and record.id = input.id
          and record.revision = input.expected_revision
        order by record.account_id, record.id
        for update of record
      ),
      changed as (
        update ${resource.table} record
        set revision = input.revision, ${fields.map((name) => `${identifier(name)} = ${fromInput(resource, name)}`).join(', ')}
        from input
        join held using (account_id, id)
        where record.account_id = held.account_id and record.id = held.id
      )
      select reject_batch_entries('stale_record', array(
        select distinct entry
        from input
        left join held using (account_id, id)
        where held.id is null
      ))`;
});

/** Deletes records that have not changed since they were read. */
export function deleteRecords(batch: readonly BatchEntry[]): (Statement | null)[] {
  return byResource(batch, ({ deletes }) => deletes).map(([resource, deletions]) =>
    statementOf(
      `delete_${resource.table}`,
      `
      with input as materialized (
        select * from unnest($1::integer[], $2::bigint[], $3::text[], $4::text[])
          as input (entry, expected_revision, account_id, id)
      ),
      gone as (
        delete from ${resource.table} record
        using input
        where record.account_id = input.account_id
          and record.id = input.id
          and record.revision = input.expected_revision
        returning record.account_id, record.id
      )${storesFile.has(resource) ? deletionOfParts : ''}
      select reject_batch_entries('stale_record', array(
        select entry
        from input
        left join gone using (account_id, id)
        where gone.id is null
      ))`,
      deletions.map(({ entry, write }) => [entry, write.before.revision, write.record.account_id, write.record.id]),
    ),
  );
}

/** Deletes a file's bytes with it. */
const deletionOfParts = `,
      parts as (
        delete from file_parts part
        using gone
        where part.account_id = gone.account_id and part.file = gone.id
      )`;

export function insertRecords(batch: readonly BatchEntry[]): (Statement | null)[] {
  return byResource(batch, ({ inserts }) => inserts).map(([resource, changes]) =>
    statementOf(
      `insert_${resource.table}`,
      textOfInsert(resource),
      changes.map(({ write }) => cellsOf(resource, write, writtenColumnsOf(resource))),
    ),
  );
}

const textOfInsert = oncePerKind((resource) => {
  const columns = writtenColumnsOf(resource);
  return `
      with input as (
        select * from unnest(${parameters(columns.map((name) => arrayTypeOf(resource, name)))}) as input (${columns.map(identifier).join(', ')})
      )${storesFile.has(resource) ? endOfUploads : ''}
      insert into ${resource.table} (${columns.map(identifier).join(', ')})
      select ${columns.map((name) => fromInput(resource, name)).join(', ')}
      from input`;
});

/** Removes the uploads that became files, and keeps their bytes. */
const endOfUploads = `,
      uploaded as (
        delete from file_uploads upload
        using input
        where upload.account_id = input.account_id and upload.file = input.id
      )`;

/** What an entry of a batch does to a record, with the entry's index. */
interface OfEntry<Write> {
  entry: number;
  write: Write;
}

function byResource<Write extends { resource: Resource }>(
  batch: readonly BatchEntry[],
  writesOf: (entry: BatchEntry) => readonly Write[],
): [Resource, OfEntry<Write>[]][] {
  const grouped = new Map<Resource, OfEntry<Write>[]>();
  batch.forEach((entryOfBatch, entry) => {
    for (const write of writesOf(entryOfBatch)) {
      const group = grouped.get(write.resource);
      if (group) group.push({ entry, write });
      else grouped.set(write.resource, [{ entry, write }]);
    }
  });
  return inTableOrder(grouped.keys()).map((resource) => [resource, grouped.get(resource)!]);
}

/** Every batch locks and writes tables in the same order, so that two batches seldom wait for each other. */
function inTableOrder(resources: Iterable<Resource>): Resource[] {
  return [...resources].sort((left, right) => (left.table < right.table ? -1 : 1));
}

/** Returns the columns that the committer writes, without those that a job maintains. */
const writtenColumnsOf = oncePerKind((resource): readonly string[] =>
  columnsOf(resource).filter((name) => !resource.fields[name]?.maintainedBy),
);

/** Returns the columns that an update writes: not those that never change. */
const updatedColumnsOf = oncePerKind((resource): readonly string[] =>
  writtenColumnsOf(resource).filter((name) => !resource.fields[name]?.fixed),
);

function cellsOf(resource: Resource, { record }: RecordWrite, columns: readonly string[]): Cell[] {
  return columns.map((name) => cellOf(resource.fields[name]?.column, fieldOf(record, name)));
}

function cellOf(type: ColumnType | null | undefined, value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (type === 'json') return JSON.stringify(value);
  if (type === 'text[]') return arrayLiteral(value as string[]);
  if (type === 'encrypted') return (value as Buffer).toString('hex');
  return value as Cell;
}

function arrayTypeOf(resource: Resource, column: string): string {
  if (column === 'created' || column === 'revision') return 'bigint';
  const type = resource.fields[column]?.column;
  return type === 'bigint' || type === 'integer' || type === 'boolean' ? type : 'text';
}

/** Casts a column from its input. A nested array travels as text, because `unnest` would flatten it. Bytes travel as hex. */
function fromInput(resource: Resource, column: string): string {
  const input = `input.${identifier(column)}`;
  switch (resource.fields[column]?.column) {
    case 'text[]':
      return `${input}::text[]`;
    case 'date':
      return `${input}::date`;
    case 'encrypted':
      return `decode(${input}, 'hex')`;
    default:
      return input;
  }
}
