import type { Client, DatabaseError } from 'pg';
import { firstIdAt, type IdPrefix } from '../core/ids.ts';

const weekMs = 7 * 24 * 3600 * 1000;

/** Eight weeks: a server that nobody restarts, and whose duties fail, still has two months to be noticed. */
const weeksAhead = 8;

const rowsInDefaultPartition = '23514';

const partitionedTables: { table: string; prefix: IdPrefix }[] = [
  { table: 'events', prefix: 'evt' },
  { table: 'request_logs', prefix: 'req' },
  { table: 'webhook_deliveries', prefix: 'dlv' },
  { table: 'webhook_attempts', prefix: 'dlv' },
];

/**
 * Makes the weekly partitions of this week and the next eight where they are missing. The caller holds a lock, so that no two
 * processes make the same one.
 */
export async function makePartitionsAhead(database: Client, nowMs: number): Promise<void> {
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
        await database.query(`create table ${name} partition of ${table} for values from ('${from}') to ('${to}')`);
      } catch (error) {
        // The default partition has rows of that week already, and goes on serving it.
        if ((error as DatabaseError).code !== rowsInDefaultPartition) throw error;
      }
    }
  }
}
