import type { Client } from 'pg';
import { makePartitionsAhead } from '../server/src/db/partitions.ts';
import { startDeployment, type Deployment } from './deployment.ts';

/** The references, events and logs of an account of each size. A smaller large account only shows that the suites run. */
export const sizes = {
  small: 1_000,
  middle: 100_000,
  large: Number(process.env.TENURE_BENCH_RECORDS ?? 1_000_000),
};
export type Size = keyof typeof sizes;

/** Milliseconds between two records. The large account then has about 300 days of them, and a recent time has the same few in all. */
export const spacingMs = 26_000;

const weekMs = 7 * 24 * 3600 * 1000;

/** A database that no other suite empties, because so many rows take a minute. The parent account can access all others. */
export interface Grown {
  deployment: Deployment;
  accounts: Record<Size, string>;
}

let made: Promise<Grown & { nowMs: number }> | null = null;
const filled: Partial<Record<Size, Promise<void>>> = {};

/** Returns the database with its accounts up to this size. Larger ones are empty, unless they were asked for before. */
export async function grownTo(size: Size): Promise<Grown> {
  made ??= make();
  const { nowMs, ...grown } = await made;
  const { database } = grown.deployment;
  for (const [step, count] of Object.entries(sizes) as [Size, number][]) {
    if (count > sizes[size]) continue;
    await (filled[step] ??= withoutIndexes(database, () => fill(database, grown.accounts[step], count, nowMs)));
  }
  await database.query('vacuum analyze tenant_references, events, request_logs, count_deltas');
  await database.query('checkpoint');
  return grown;
}

export async function stopGrown(): Promise<void> {
  const stopping = made;
  made = null;
  await (await stopping)?.deployment.stop();
}

async function make(): Promise<Grown & { nowMs: number }> {
  // Longer than the records reach back, so that none is dropped meanwhile.
  const deployment = await startDeployment(null, { TENURE_RETENTION_DAYS: '395' });
  const { database, accountId } = deployment;
  const nowMs = Date.now();
  for (let ms = nowMs - sizes.large * spacingMs; ms < nowMs; ms += 8 * weekMs) await makePartitionsAhead(database, ms);
  const accounts = {
    small: await branch(database, accountId, 1),
    middle: await branch(database, accountId, 2),
    large: await branch(database, accountId, 3),
  };
  return { deployment, accounts, nowMs };
}

/** Makes a connected account. Its id comes after that of its parent. People belong to the account with the first id. */
async function branch(database: Client, parent: string, number: number): Promise<string> {
  const { rows } = await database.query<{ id: string }>(
    `insert into accounts (account_id, id, created, revision, name, linked_records, parent, api_version)
     select id, id, created, 1, 'Branch', 'open', $1, api_version
     from (select left($1, 15) || lpad($2, 12, 'z') as id, created, api_version from accounts where id = $1) made
     returning id`,
    [parent, String(number)],
  );
  return rows[0]!.id;
}

/**
 * Drops the tables' indexes during the writes, except the primary keys, in whose order rows are written. Sorting at the end takes less time
 * than finding each place.
 */
async function withoutIndexes(database: Client, write: () => Promise<void>): Promise<void> {
  const { rows } = await database.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
     from pg_index
     where indrelid = any(array['tenant_references', 'events', 'request_logs']::regclass[]) and not indisprimary`,
  );
  for (const { name } of rows) await database.query(`drop index ${name}`);
  await write();
  await database.query(`set maintenance_work_mem = '256MB'`);
  // As PostgreSQL returns it, the definition of a partitioned table's index would not create it on the partitions.
  for (const { definition } of rows) await database.query(definition.replace(' ON ONLY ', ' ON '));
  await database.query('reset maintenance_work_mem');
}

/** Two references for each application and customer; most have ended. One event for each, of a mix of types. */
async function fill(database: Client, account: string, count: number, nowMs: number): Promise<void> {
  await database.query(
    `insert into tenant_references
       (account_id, id, created, revision, application, customer, status, outcome, completed_at, type, metadata)
     select $1, 'ref_' || ${base62('ms', 8)} || lpad(number::text, 14, '0'), ms / 1000, 1,
       'app_crm_' || number / 2, 'cus_crm_' || number / 2, status,
       case when status = 'complete' then (array['accept', 'accept', 'consider', 'high_risk'])[number / 10 % 4 + 1] end,
       case when status = 'complete' then ms / 1000 end, 'customer', '{}'
     from (
       select number, $3::bigint - ($2 - number) * ${spacingMs}::bigint as ms,
         (array['complete', 'complete', 'complete', 'complete', 'complete', 'complete', 'pending', 'processing', 'canceled', 'complete'])[number % 10 + 1] as status
       from generate_series(1, $2::bigint) number
     ) made`,
    [account, count, nowMs],
  );
  await database.query(
    `insert into events
       (account_id, id, created, type, object_id, mentions, data, request, actor_type, actor_id, epoch, transaction_id,
        ordinal)
     select $1, 'evt_' || substr(id, 5), created,
       (array['reference.created', 'reference.updated', 'reference.completed', 'customer.created', 'customer.updated'])[number % 5 + 1],
       id, array[id, application, customer],
       json_build_object('object', json_build_object('id', id, 'object', 'reference', 'created', created, 'application', application,
         'automatic_reference', null, 'completed_at', completed_at, 'customer', customer, 'outcome', outcome, 'reference_pdf', null,
         'status', status, 'type', type, 'metadata', json_build_object()), 'previous_attributes', null)::text,
       '{"id":null,"idempotency_key":null,"from_dashboard":false,"customer_portal":false,"actor":null}',
       case when number % 1000 = 0 then 'user' when number % 3 = 0 then 'agent' else 'api_key' end,
       case when number % 1000 = 0 then 'usr_bench' else 'key_bench_' || number % 3 end, 1, '1', 0
     from (select *, row_number() over () as number from tenant_references where account_id = $1) made`,
    [account],
  );
  await database.query(
    `insert into request_logs
       (account_id, id, created, method, url, path, status, duration_ms, key_id, key_type, source, api_version, idempotency_key,
        replayed, request_body, response_body, error_code, events, mentions)
     select $1, 'req_' || substr(id, 5), created, 'POST', path, path, status, 12, 'key_bench_' || number % 3, 'secret', 'api',
       '2026-11-01', id, false, '{"outcome":"accept"}', '{"id":"' || id || '","object":"reference"}',
       case status when 400 then 'parameter_invalid' when 404 then 'resource_missing' when 503 then 'unavailable' end, '{}', '{}'
     from (
       select *, '/v1/references/' || id as path,
         case when number % 500 = 0 then 503 when number % 50 = 0 then 404 when number % 20 = 0 then 400 else 200 end as status
       from (select id, created, row_number() over () as number from tenant_references where account_id = $1) numbered
     ) made`,
    [account],
  );
  for (const [object, table, dimensions] of [
    ['reference', 'tenant_references', ['status', 'outcome', 'type']],
    ['event', 'events', ['type', 'actor_type', 'actor_id']],
    ['log', 'request_logs', ['method', 'status', 'source', 'key_id', 'error_code']],
  ] as const) {
    await database.query(
      `insert into count_deltas (account_id, object, dimension, value, delta)
       select $1, '${object}', dimension, value, count(*)
       from ${table} made,
         lateral (values ('', '') ${dimensions.map((name) => `, ('${name}', made.${name}::text)`).join('')}) counted (dimension, value)
       where account_id = $1 and value is not null
       group by dimension, value`,
      [account],
    );
  }
}

/** Returns SQL for the digits of a number, as in ids. */
function base62(number: string, width: number): string {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const places = Array.from({ length: width }, (_, place) => 62n ** BigInt(width - 1 - place));
  return places.map((place) => `substr('${digits}', (${number} / ${place} % 62)::integer + 1, 1)`).join(' || ');
}
