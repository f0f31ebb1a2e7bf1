import { onlyRow } from '../db/only-row.ts';
import { isOfDeployment } from '../db/deployment.ts';
import type { Encryption } from '../core/secrets/encryption.ts';
import { DatabaseError, type Client } from '../db/pools.ts';
import { tablesOfCell, type TreeTable } from './tables.ts';

/** A move cannot begin, or cannot go on. Its message says why, and what to do. Nothing was changed. */
export class MoveRefusedError extends Error {}

/** A known value of an index that is unique in a whole cell. */
interface UniqueIndex {
  table: string;
  index: string;
  /** Its columns in SQL. */
  terms: string[];
  /** Its condition in SQL. */
  predicate: string | null;
}

/** Reads what identifies the database of a cell. The check of its master key is random, and never changes. */
export async function readIdentity(client: Client): Promise<string> {
  return (await readCell(client, 'target')).identity;
}

/** Reads the ids of a tree of accounts, the root first. Returns none if the account does not exist. */
export async function readTree(client: Client, root: string): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `with recursive tree as (
       select account_id as id, 0 as depth from accounts where account_id = $1
       union all
       select below.account_id, tree.depth + 1 from tree join accounts below on below.parent = tree.id
     )
     select id from tree order by depth, id`,
    [root],
  );
  return rows.map(({ id }) => id);
}

/** @throws {MoveRefusedError} if source and target are the same database. */
export async function requireTwoCells(source: Client, target: Client): Promise<void> {
  const [here, there] = [await readCell(source, 'source'), await readCell(target, 'target')];
  if (here.identity === there.identity)
    throw new MoveRefusedError('Source and target are the same database. Set --to to the database of the other cell.');
}

/**
 * Checks that both cells can take part: their releases, their keys and clocks, and the target's epoch.
 *
 * @throws {MoveRefusedError}
 */
export async function requireFittingCells(source: Client, target: Client, encryption: Encryption): Promise<void> {
  const [here, there] = [await readCell(source, 'source'), await readCell(target, 'target')];
  if (here.migrations !== there.migrations || here.queue_migrations !== there.queue_migrations)
    throw new MoveRefusedError(
      'The two cells have different migrations. Start the same release of Tenure in both, and run the command of that release.',
    );
  if (!isOfDeployment(encryption, here.master_key_check))
    throw new MoveRefusedError('The master key is not the one of the source. Set TENURE_MASTER_KEY to that one.');
  if (!isOfDeployment(encryption, there.master_key_check))
    throw new MoveRefusedError(
      'The target has another master key, so it could not decrypt the secrets of the tree. A tree moves only between cells with the same master key.',
    );
  if (here.mode !== there.mode)
    throw new MoveRefusedError(`The source is in ${here.mode} mode, and the target in ${there.mode} mode.`);
  if (here.clock_ahead_ms !== there.clock_ahead_ms)
    throw new MoveRefusedError('The clocks of the two sandboxes differ. Advance the clock of the one that is behind.');
  if (here.latest_api_version !== there.latest_api_version)
    throw new MoveRefusedError(
      `The source serves API versions up to ${here.latest_api_version}, and the target up to ${there.latest_api_version}. Run \`npm run release-version\` in the one that is behind.`,
    );
  if (there.event_epoch <= here.event_epoch)
    throw new MoveRefusedError(
      `The target's event epoch is ${there.event_epoch}, and must be greater than the source's, ${here.event_epoch}. Otherwise new events could come before old ones. Stop all processes of the target, run \`npm run move-account -- --raise-epoch ${here.event_epoch + 1}\` with the settings of the target, and start them again.`,
    );
}

async function readCell(client: Client, name: string) {
  try {
    const { rows } = await client.query<{
      identity: string;
      migrations: string;
      queue_migrations: number;
      master_key_check: Buffer;
      mode: string | null;
      clock_ahead_ms: number;
      latest_api_version: string;
      event_epoch: number;
    }>(
      `select
         encode(sha256(master_key_check), 'hex') as identity,
         (select string_agg(version || ' ' || checksum, ' ' order by version) from schema_migrations) as migrations,
         (select max(id) from graphile_worker.migrations) as queue_migrations,
         master_key_check, mode, clock_ahead_ms, latest_api_version, event_epoch
       from deployment`,
    );
    return onlyRow(rows);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    throw new MoveRefusedError(`The ${name} is no cell of this release: ${error.message}. Start its processes once.`, {
      cause: error,
    });
  }
}

/**
 * Checks that the tables are the same in both cells, and that nothing of the tree is in the target.
 *
 * @throws {MoveRefusedError}
 */
export async function requireRoom(
  source: Client,
  target: Client,
  parts: { tables: readonly TreeTable[]; targetTables: readonly TreeTable[]; accountIds: readonly string[] },
): Promise<void> {
  const { tables, targetTables, accountIds } = parts;
  if (JSON.stringify(tables) !== JSON.stringify(targetTables))
    throw new MoveRefusedError('The tables of the two cells differ, although their migrations are the same.');
  for (const { name } of tables) {
    const { rows } = await target.query(`select account_id from ${name} where account_id = any($1) limit 1`, [
      accountIds,
    ]);
    if (rows.length > 0)
      throw new MoveRefusedError(
        `The target already has rows of the tree, in ${name}. If the tree was there before, forget it there first: \`npm run move-account -- ${accountIds[0]} --forget\`.`,
      );
  }
  await requireNoConflict(source, target, accountIds);
}

/** Checks the values that are unique in a cell, such as the e-mail address of a person. */
async function requireNoConflict(source: Client, target: Client, accountIds: readonly string[]): Promise<void> {
  for (const { table, index, terms, predicate } of await readUniqueIndexes(source)) {
    const values = `array[${terms.map((term) => `(${term})::text`).join(', ')}]::text`;
    const where = predicate ?? 'true';
    const { rows } = await source.query<{ value: string }>(
      `select ${values} as value from ${table} where account_id = any($1) and (${where})`,
      [accountIds],
    );
    if (rows.length === 0) continue;
    const { rows: taken } = await target.query<{ value: string }>(
      `select ${values} as value from ${table} where ${values} = any($1) and (${where}) and account_id is not null limit 3`,
      [rows.map(({ value }) => value)],
    );
    const known = taken.filter(({ value }) => !value.includes('NULL'));
    if (known.length === 0) continue;
    const which = index === 'users_by_email' ? `: ${known.map(({ value }) => value).join(', ')}` : '';
    throw new MoveRefusedError(
      `Values that are unique in a cell are taken in the target, in the index ${index}${which}. Change them in one of the cells.${index === 'users_by_email' ? ' An e-mail address can have one user in a cell: remove the person from one of the teams first.' : ''}`,
    );
  }
}

async function readUniqueIndexes(client: Client): Promise<UniqueIndex[]> {
  const { rows } = await client.query<UniqueIndex>(
    `select indrelid::regclass::text as table, indexrelid::regclass::text as index,
       array(select pg_get_indexdef(indexrelid, place, true) from generate_series(1, indnkeyatts) as place) as terms,
       pg_get_expr(indpred, indrelid) as predicate
     from pg_index
     join pg_class on pg_class.oid = indrelid
     where relnamespace = 'public'::regnamespace and indisunique and relkind in ('r', 'p') and not relispartition
       and relname <> all($1)`,
    [tablesOfCell],
  );
  return rows.filter(({ terms }) => !terms.includes('account_id'));
}

/**
 * Refuses a tree with orders at the simulated services, which know no accounts. Their orders cannot move.
 *
 * @throws {MoveRefusedError}
 */
export async function requireNoSimulation(source: Client, accountIds: readonly string[]): Promise<void> {
  const { rows } = await source.query<{ mode: string; orders: number; charges: number }>(
    `select mode,
       (
         select count(*)::integer
         from tenant_references
         where account_id = any($1) and (
           provider_order is not null and status in ('pending', 'processing')
           or report_order is not null and report_order::jsonb ->> 'due_at_ms' is not null
           or earlier_orders is not null and earlier_orders::jsonb ->> 'due_at_ms' is not null
         )
       ) as orders,
       (
         select count(*)::integer
         from payments
         where account_id = any($1) and gateway_order is not null and status = 'pending'
       ) as charges
     from deployment`,
    [accountIds],
  );
  const { mode, orders, charges } = onlyRow(rows);
  if (mode !== 'sandbox' || orders + charges === 0) return;
  throw new MoveRefusedError(
    `${orders} references and ${charges} payments of the tree wait for simulated services. The orders at simulated services do not move. Cancel them, or let them end.`,
  );
}
