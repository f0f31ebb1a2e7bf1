import { identifier } from '../db/identifier.ts';
import type { Client } from '../db/pools.ts';

/* Which rows move with a tree. The schema says it: a table whose primary key begins with the account has rows of trees. */

/** Tables of the whole cell. The simulated services remember orders and charges, as services elsewhere do. */
export const tablesOfCell: readonly string[] = [
  'account_move_changes',
  'account_moves',
  'deployment',
  'schema_migrations',
  'simulated_charges',
  'simulated_orders',
];

/** Tables without a primary key. No change of a row can be noted, so they are copied as a whole while the gate is closed. They are small. */
export const tablesWithoutKey: readonly string[] = ['activity_deltas', 'count_deltas'];

/** The queue of deliveries. Its rows enter the target's queue anew, without their claims. */
export const deliveryQueue = 'webhook_queue';

/** A column, and its type as PostgreSQL writes it. */
export interface Column {
  name: string;
  type: string;
}

/** A table with rows of trees. */
export interface TreeTable {
  name: string;
  columns: readonly Column[];
  /** The columns of the primary key, beginning with the account. Empty if the table has none. */
  key: readonly Column[];
  /** How its rows get to the target: copied while the source is open, or in the gate. */
  moves: 'while_open' | 'in_gate';
}

/** A table has rows of trees, but the move cannot handle it. */
export class UnknownTableError extends Error {}

/**
 * Reads the tables with rows of trees, in the order of their names.
 *
 * @throws {UnknownTableError} for a table that is neither one of the cell nor one that begins with the account.
 */
export async function readTreeTables(client: Client): Promise<TreeTable[]> {
  const { rows } = await client.query<{ name: string; columns: Column[]; key: string[] }>(`
    select class.relname as name,
      (
        select json_agg(json_build_object('name', attname, 'type', format_type(atttypid, atttypmod)) order by attnum)
        from pg_attribute
        where attrelid = class.oid and attnum > 0 and not attisdropped
      ) as columns,
      array(
        select attname::text
        from pg_index
        cross join unnest(indkey::smallint[]) with ordinality as part (attnum, place)
        join pg_attribute on pg_attribute.attrelid = indrelid and pg_attribute.attnum = part.attnum
        where indrelid = class.oid and indisprimary
        order by place
      ) as key
    from pg_class class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
    order by class.relname`);
  return rows.filter(({ name }) => !tablesOfCell.includes(name)).map(treeTableOf);
}

function treeTableOf({ name, columns, key }: { name: string; columns: Column[]; key: string[] }): TreeTable {
  const hasNoKey = tablesWithoutKey.includes(name);
  const begins = hasNoKey ? columns.some((column) => column.name === 'account_id') : key[0] === 'account_id';
  if (!begins)
    throw new UnknownTableError(
      `The table ${name} is in no group of \`server/src/move-account/tables.ts\`, and its primary key does not begin with the account. A move cannot tell which of its rows belong to a tree.`,
    );
  return {
    name,
    columns,
    key: key.map((part) => columns.find((column) => column.name === part)!),
    moves: hasNoKey || name === deliveryQueue ? 'in_gate' : 'while_open',
  };
}

/** Returns the names of the columns, for a list of them in a statement. */
export function namesOf(columns: readonly Column[]): string {
  return columns.map((column) => identifier(column.name)).join(', ');
}
