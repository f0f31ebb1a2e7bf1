import type { BatchEntry } from '../batch-entry.ts';
import { activityRows } from './activity.ts';
import { arraysOf, type Statement, type Cell, statementOf } from './statement.ts';
import { fieldOf } from '../../model/record.ts';
import type { Resource } from '../../model/resource.ts';
import { limited, limitedByLink, outsideLimit } from '../../model/traits/limited.ts';

/**
 * Adds one row for each count that the batch changes, however many entries change it. It also adds the rows of the activity, because a
 * statement more would cost each small batch.
 */
export function appendCounts(batch: readonly BatchEntry[]): Statement | null {
  const sums = new Map<string, { row: string[]; delta: number }>();
  for (const { accountId, counts } of batch) {
    for (const { object, dimension, value, delta } of counts) {
      const row = [accountId, object, dimension, value];
      const key = row.join(' ');
      const sum = sums.get(key);
      if (sum) sum.delta += delta;
      else sums.set(key, { row, delta });
    }
  }
  const counts = [...sums.values()].filter(({ delta }) => delta !== 0).map(({ row, delta }) => [...row, delta]);
  const activity = activityRows(batch);
  if (counts.length + activity.length === 0) return null;
  return {
    name: 'append_counts',
    text: `
      with activity as (
        insert into activity_deltas (account_id, start, requests_2xx, requests_4xx, requests_5xx, events)
        select * from unnest($6::text[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[])
      )
      insert into count_deltas (account_id, object, dimension, value, delta)
      select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[])`,
    values: [...arraysOf(counts, 5), ...arraysOf(activity, 6)],
  };
}

/**
 * Rejects the entries that would exceed a limit of a kind; they decide again. Batches that add to the same count take turns, in all
 * processes. A transaction lock on what is counted is taken before the count is read. It has its own statement, because a statement sees
 * only what was committed before it began. Locks are taken in one order, so that two batches never wait for each other. A batch without
 * such a kind has no extra cost.
 */
export function holdLimits(batch: readonly BatchEntry[]): (Statement | null)[] {
  const created = new Map<string, number>();
  const ofAccounts: Cell[][] = [];
  const ofLinks = new Map<Resource, Cell[][]>();
  const ordinalOf = (counted: string): number => {
    const ordinal = (created.get(counted) ?? 0) + 1;
    created.set(counted, ordinal);
    return ordinal;
  };
  batch.forEach(({ accountId, inserts }, entry) => {
    for (const { resource, record } of inserts) {
      const { object } = resource;
      const most = limited.of(resource);
      const outside = outsideLimit.of(resource);
      if (most !== undefined) {
        const ordinal = ordinalOf(`${accountId} ${object}`);
        ofAccounts.push([entry, accountId, object, ordinal, most, outside?.column ?? null, outside?.value ?? null]);
      }
      const byLink = limitedByLink.of(resource);
      const value = byLink ? (fieldOf(record, byLink.link) as string | null) : null;
      if (!byLink || value === null) continue;
      const rows = ofLinks.get(resource) ?? [];
      ofLinks.set(resource, rows);
      rows.push([entry, accountId, value, ordinalOf(`${accountId} ${object} ${value}`), byLink.most]);
    }
  });
  return [
    lockCounts([...created.keys()]),
    verifyCountsOfAccounts(ofAccounts),
    ...Array.from(ofLinks, ([resource, rows]) => verifyCountsOfLinks(resource, rows)),
  ];
}

function lockCounts(counted: readonly string[]): Statement | null {
  return statementOf(
    'lock_counts',
    `
    select pg_advisory_xact_lock(lock)
    from (
      select distinct hashtextextended('count ' || kind, 0) as lock
      from unnest($1::text[]) as input (kind)
      order by lock
    ) locks`,
    counted.map((kind) => [kind]),
  );
}

function verifyCountsOfAccounts(rows: Cell[][]): Statement | null {
  return statementOf(
    'verify_counts',
    `
    with input as materialized (
      select *
      from unnest($1::integer[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::text[], $7::text[])
        as input (entry, account_id, object, ordinal, most, outside_column, outside_value)
    ),
    counted as materialized (
      select account_id, object, sum(case dimension when '' then delta else -delta end) as count
      from count_deltas
      where (account_id, object, dimension, value) in (
        select account_id, object, '', '' from input
        union all
        select account_id, object, outside_column, outside_value from input
      )
      group by account_id, object
    )
    select reject_batch_entries('stale_record', array(
      select distinct entry
      from input
      left join counted using (account_id, object)
      where coalesce(counted.count, 0) + ordinal > most
    ))`,
    rows,
  );
}

function verifyCountsOfLinks(resource: Resource, rows: Cell[][]): Statement | null {
  return statementOf(
    `verify_counts_of_${resource.table}`,
    `
    select reject_batch_entries('stale_record', array(
      select distinct entry
      from unnest($1::integer[], $2::text[], $3::text[], $4::bigint[], $5::bigint[])
        as input (entry, account_id, linked, ordinal, most)
      where ordinal + (
        select count(*)
        from ${resource.table} known
        where known.account_id = input.account_id and known.${limitedByLink.of(resource)!.link} = input.linked
      ) > most
    ))`,
    rows,
  );
}
