import { setTimeout as delay } from 'node:timers/promises';
import { toSeconds } from '../core/clock.ts';
import { firstIdAt, timeOfId, type Id } from '../core/ids.ts';
import type { Resource } from '../model/resource.ts';
import { removableBeforeMs } from '../core/retention.ts';
import { retentionLockKey, withLockIfFree } from '../db/advisory-locks.ts';
import { hasMoved } from '../db/away.ts';
import { processIdOf, withClient, type Client, type Connection, type Pool } from '../db/pools.ts';
import { partitionedTables, readPartitions, weekMs, type Partition } from '../db/partitions.ts';
import { onlyRow } from '../db/only-row.ts';
import { withTableLock, type TableWait } from '../db/table-lock.ts';
import { findKnown } from '../core/arrays.ts';

/*
 * Drops history after its retention, in partitions of one week. Only erasure still writes to such a partition, and it changes no counted
 * value. So the rows are counted first, without locks that others would wait for. Then one short transaction locks and drops the partition,
 * and removes its counts.
 */

/** Deliveries go before the attempts that give their result, and before their events. */
const inOrder = ['webhook_deliveries', 'webhook_attempts', 'events', 'request_logs'].map((name) =>
  findKnown(partitionedTables, ({ table }) => table === name),
);

/** The next round tries again, so it gives up soon. */
const wait: TableWait = { timeoutMs: 200, pauseMs: 2_000, triesMax: 5 };

/** Rows a statement. It takes some hundredths of a second; then the job rests, so that others have their turn. */
const rowsAtOnce = 1_000;
const restFactor = 4;

/** The age of what is removed, and the resources that counted it. */
export interface Retention {
  nowMs: number;
  retentionDays: number;
  resources: readonly Resource[];
}

/**
 * Removes events, logs, deliveries and attempts that are older than the retention and one day. It drops partitions whose whole range is
 * older. From the default partitions it deletes older rows, some at a time. A week stays while a delivery with its event or with an id of
 * the week is pending. It also stays while one of its logs is the stored response of an idempotency key. One process does it at a time;
 * another process's call does nothing.
 *
 * @throws {TableBusyError} if a partition is in use at every try. Nothing is lost.
 */
export async function dropOldHistory(
  database: { connection: Connection; readers: Pool },
  retention: Retention,
  signal: AbortSignal,
): Promise<void> {
  await withClient(database.connection, async (client) => {
    // A stop of the server must not wait for the count, which may take long.
    const cancel = (): void =>
      void database.readers.query('select pg_cancel_backend($1)', [processIdOf(client)]).catch(() => {});
    signal.addEventListener('abort', cancel, { once: true });
    try {
      await withLockIfFree(client, retentionLockKey, async () => {
        await dropWeeks(client, retention, signal);
        await deleteRows(client, retention, signal);
      });
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  });
}

async function dropWeeks(client: Client, retention: Retention, signal: AbortSignal): Promise<void> {
  const beforeMs = removableBeforeMs(retention.nowMs, retention.retentionDays);
  const removable = (await readPartitions(client)).filter(({ to }) => timeOfId(to) <= beforeMs);
  const weeks = Map.groupBy(removable, ({ to }) => timeOfId(to));
  for (const [endMs, partitions] of [...weeks].toSorted(([left], [right]) => left - right)) {
    const fromMs = Math.min(...partitions.map(({ from }) => timeOfId(from)));
    if (await hasPending(client, fromMs, endMs)) continue;
    for (const table of inOrder) {
      const partition = partitions.find((each) => each.table === table.table);
      if (partition && !signal.aborted) await dropPartition(client, partition, retention.resources, signal);
    }
  }
}

/**
 * Tells whether deliveries, recoveries or keys still need a week's history. New deliveries and recoveries of such old events are rejected,
 * and admitted recoveries are checked here. So a week without pending deliveries stays without them. A key outlives its log's retention
 * only if its own request moved the clock of a sandbox.
 */
async function hasPending(client: Client, fromMs: number, toMs: number): Promise<boolean> {
  const { rows } = await client.query<{ pending: boolean }>(
    `select exists (
       select from webhook_queue where id >= $1 and id < $2 or event >= $3 and event < $4
     ) or exists (
       select from recoveries where status = 'pending' and since < $5 and not ${hasMoved('recoveries.account_id')}
     ) or exists (
       select from idempotency_keys
       where request_id >= $6 and request_id < $7 and not ${hasMoved('idempotency_keys.account_id')}
     ) as pending`,
    [
      firstIdAt('dlv', fromMs),
      firstIdAt('dlv', toMs),
      firstIdAt('evt', fromMs),
      firstIdAt('evt', toMs),
      toSeconds(toMs),
      firstIdAt('req', fromMs),
      firstIdAt('req', toMs),
    ],
  );
  return onlyRow(rows).pending;
}

async function dropPartition(
  client: Client,
  { table, name }: Partition,
  resources: readonly Resource[],
  signal: AbortSignal,
): Promise<void> {
  const counted = countedOf(table, resources);
  await client.query('drop table if exists pg_temp.dropped');
  await client.query(
    'create temporary table dropped (account_id text, object text, dimension text, value text, delta bigint)',
  );
  // Nothing is written for an account that has moved away, and nothing reads its counts.
  // The insert gets its transaction's id with the first row, after the count. Until then it does not delay the stream of events.
  await client.query(
    `insert into pg_temp.dropped
     select account_id, object, dimension, value, -count(*)
     from ${name}, ${counted}
     where not ${hasMoved(`${name}.account_id`)}
     group by account_id, object, dimension, value`,
  );
  await withTableLock(
    client,
    `The partition ${name} is past its retention, and could not be dropped`,
    wait,
    async () => {
      await client.query(
        `insert into count_deltas (account_id, object, dimension, value, delta)
         select account_id, object, dimension, value, delta from pg_temp.dropped`,
      );
      await client.query(`drop table ${name}`);
    },
    signal,
  );
}

/** Holds for a row of the logs' default partition that no key needs. */
const isNoStoredResponse = `
             and not exists (
               select
               from idempotency_keys stored
               where stored.account_id = request_logs_default.account_id and stored.request_id = request_logs_default.id
             )`;

/** Deletes old rows of the default partitions, which hold rows that had no partition. */
async function deleteRows(client: Client, retention: Retention, signal: AbortSignal): Promise<void> {
  const removableMs = removableBeforeMs(retention.nowMs, retention.retentionDays);
  const beforeMs = Math.min(removableMs, await oldestPendingWeekMs(client));
  for (const { table, idColumn, prefix } of inOrder) {
    const counted = countedOf(table, retention.resources);
    let last: { account_id: string; id: string } | undefined = { account_id: '', id: '' };
    while (last && !signal.aborted) {
      const startedMs = performance.now();
      const { rows }: { rows: { account_id: string; id: string }[] } = await client.query(
        `with slice as materialized (
           select account_id, ${idColumn} as id
           from ${table}_default
           where (account_id, ${idColumn}) > ($1, $2) and ${idColumn} < $3 ${table === 'request_logs' ? isNoStoredResponse : ''}
           order by account_id, ${idColumn}
           limit ${rowsAtOnce}
         ),
         gone as (
           delete from ${table}_default history
           using slice
           where history.account_id = slice.account_id and history.${idColumn} = slice.id
           returning history.*
         ),
         counted as (
           insert into count_deltas (account_id, object, dimension, value, delta)
           select account_id, object, dimension, value, -count(*)
           from gone, ${counted}
           group by account_id, object, dimension, value
         )
         select account_id, id from slice order by account_id desc, id desc limit 1`,
        [last.account_id, last.id, firstIdAt(prefix, beforeMs)],
      );
      last = rows[0];
      if (last) await delay((performance.now() - startedMs) * restFactor, undefined, { signal }).catch(() => {});
    }
  }
}

/** Returns the start of the oldest week with a pending delivery, its event, or the begin of a recovery. */
async function oldestPendingWeekMs(client: Client): Promise<number> {
  const { rows } = await client.query<{ delivery: Id | null; event: Id | null; since: number | null }>(
    `select min(id) as delivery, min(event) as event,
       (
         select min(since) from recoveries where status = 'pending' and not ${hasMoved('recoveries.account_id')}
       ) as since
     from webhook_queue`,
  );
  const { delivery, event, since } = onlyRow(rows);
  const pendingMs = [delivery, event].map((id) => (id === null ? Infinity : timeOfId(id)));
  return Math.floor(Math.min(...pendingMs, since === null ? Infinity : since * 1000) / weekMs) * weekMs;
}

/** Returns SQL that gives a row for each count that includes a row of the table. It gives none for uncounted values. */
function countedOf(table: string, resources: readonly Resource[]): string {
  const resource = resources.find((each) => each.table === table);
  const values = (resource?.counted ?? []).map((column) => `('${column}', ${column}::text)`);
  const all = resource ? [`('', '')`, ...values] : [`('', null)`];
  return `lateral (
    select '${resource?.object ?? ''}' as object, dimension, value
    from (values ${all.join(', ')}) of_row (dimension, value)
    where value is not null
  ) counts`;
}
