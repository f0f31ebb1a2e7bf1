import { DatabaseError, type Client } from './pools.ts';
import { withTableLock, type TableWait } from './table-lock.ts';
import { firstIdAt, type Id, type IdPrefix } from '../core/ids.ts';

/** Every partition has the ids of one week, counted from the Unix epoch. In milliseconds. */
export const weekMs = 7 * 24 * 3600 * 1000;

/** Weeks of partitions made in advance. If duties fail on a server that is never restarted, operators have two months to notice. */
const weeksAhead = 8;

/**
 * A new partition locks the whole table. A dump or a report reads it for minutes, and must not stop all writers. A usual statement ends in
 * time.
 */
const usualWait: TableWait = { timeoutMs: 1_500, pauseMs: 2_000, triesMax: 5 };

const rowsInDefaultPartition = '23514';

/** A table with limited retention. The id tells the age of a row. */
export interface PartitionedTable {
  table: string;
  idColumn: string;
  prefix: IdPrefix;
}

export const partitionedTables: readonly PartitionedTable[] = [
  { table: 'events', idColumn: 'id', prefix: 'evt' },
  { table: 'request_logs', idColumn: 'id', prefix: 'req' },
  { table: 'webhook_deliveries', idColumn: 'id', prefix: 'dlv' },
  { table: 'webhook_attempts', idColumn: 'delivery_id', prefix: 'dlv' },
];

/**
 * Makes the missing partitions of this week and the next eight. The caller holds a lock, so that no two processes make the same
 * partition.
 *
 * @throws {TableBusyError} if a table is in use for long. Rows of a week without a partition go to the default partition.
 */
export async function makePartitionsAhead(database: Client, nowMs: number, wait: TableWait = usualWait): Promise<void> {
  const { rows } = await database.query<{ name: string }>(
    `select child.relname as name
     from pg_inherits
     join pg_class child on child.oid = inhrelid
     join pg_class parent on parent.oid = inhparent
     where parent.relname = any($1)`,
    [partitionedTables.map(({ table }) => table)],
  );
  const existing = new Set(rows.map((row) => row.name));
  const thisWeek = Math.floor(nowMs / weekMs);
  for (const { table, prefix } of partitionedTables) {
    for (let week = thisWeek; week <= thisWeek + weeksAhead; week++) {
      const name = `${table}_${new Date(week * weekMs).toISOString().slice(0, 10).replaceAll('-', '')}`;
      if (existing.has(name)) continue;
      const from = firstIdAt(prefix, week * weekMs);
      const to = firstIdAt(prefix, (week + 1) * weekMs);
      try {
        await withTableLock(database, `The partition ${name} could not be made`, wait, async () => {
          await database.query(`create table ${name} partition of ${table} for values from ('${from}') to ('${to}')`);
        });
      } catch (error) {
        // The default partition already has rows of that week, and continues to hold them.
        const isHeld = error instanceof DatabaseError && error.code === rowsInDefaultPartition;
        if (!isHeld) throw error;
      }
    }
  }
}

/** A weekly partition. It has the ids from `from` on and below `to`. */
export interface Partition {
  table: string;
  name: string;
  from: Id;
  to: Id;
}

/** Reads the weekly partitions of all partitioned tables. Leaves out default partitions, which have no range. */
export async function readPartitions(database: Client): Promise<Partition[]> {
  const { rows } = await database.query<{ table: string; name: string; bounds: string }>(
    `select parent.relname as table, child.relname as name, pg_get_expr(child.relpartbound, 0) as bounds
     from pg_inherits
     join pg_class child on child.oid = inhrelid
     join pg_class parent on parent.oid = inhparent
     where inhparent = any($1::regclass[])
     order by child.relname`,
    [partitionedTables.map(({ table }) => table)],
  );
  return rows.flatMap(({ table, name, bounds }) => {
    const [, prefix, from, to] = /^FOR VALUES FROM \('([a-z]+)_(\w+)'\) TO \('\1_(\w+)'\)$/.exec(bounds) ?? [];
    return prefix && from && to ? [{ table, name, from: `${prefix}_${from}`, to: `${prefix}_${to}` }] : [];
  });
}
