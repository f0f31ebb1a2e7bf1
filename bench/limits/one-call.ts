import type { Client } from 'pg';
import { cutAtIds, type Sample, type SampleId, type SampleRow } from '../sample.ts';

/**
 * The limit of one transaction a request: a function that writes all rows of one POST in a single call. That includes deliveries, selected
 * from the endpoints. A version with Node cannot be faster, because this one has no Node in it.
 *
 * The long texts are always those of the sample: they are not parsed, and their length is right. Indexed values are new in every call, and
 * rise as the product's ids do.
 */
export async function createOneCallFunction(database: Client, sample: Sample): Promise<void> {
  const [idempotency, ...others] = sample.tables;
  await database.query('create sequence if not exists bench_numbers');
  await database.query('alter sequence bench_numbers restart');
  await database.query(`
    create or replace function bench_post_reference() returns void language plpgsql as $function$
    declare
      id_end text := '${sample.timeDigits}' || lpad(nextval('bench_numbers')::text, 14, '0');
      reference_id text := 'ref_' || id_end;
      event_id text := 'evt_' || id_end;
      request_id text := 'req_' || id_end;
      idempotency_key text := gen_random_uuid()::text;
      now_ms bigint := (extract(epoch from clock_timestamp()) * 1000)::bigint;
    begin
      ${[idempotency!, ...others].map(({ table, rows }) => insertOf(table, rows, sample)).join('\n')}
      with wanted as materialized (
        select
          endpoint.account_id,
          'dlv_' || left(id_end, 8) || right(id_end, 9) || right(endpoint.id, 5) as id,
          endpoint.id as webhook_endpoint
        from webhook_endpoints endpoint
        where endpoint.account_id = '${sample.tables[0]!.rows[0]!.account_id}'
          and endpoint.status = 'enabled'
          and endpoint.enabled_events && array['*', 'reference.created', 'reference.*']
      ),
      recorded as (
        insert into webhook_deliveries (account_id, id, created, event, webhook_endpoint, type)
        select account_id, id, now_ms / 1000, event_id, webhook_endpoint, 'reference.created'
        from wanted
      )
      insert into webhook_queue (account_id, id, event, webhook_endpoint, due_at_ms)
      select account_id, id, event_id, webhook_endpoint, now_ms
      from wanted;
    end
    $function$`);
}

function insertOf(table: string, rows: SampleRow[], sample: Sample): string {
  const columns = Object.keys(rows[0]!).filter((column) => rows.some((row) => row[column] !== null));
  const values = rows.map(
    (row) => `(${columns.map((column) => expressionOf(column, row[column]!, sample)).join(', ')})`,
  );
  return `insert into ${table} (${columns.join(', ')}) values ${values.join(', ')};`;
}

const variables: Record<SampleId, string> = {
  referenceId: 'reference_id',
  eventId: 'event_id',
  requestId: 'request_id',
  idempotencyKey: 'idempotency_key',
};

const payloads = new Set(['data', 'request', 'request_body', 'response_body']);

function expressionOf(column: string, value: string | null, sample: Sample): string {
  if (value === null) return 'null';
  if (column === 'transaction_id') return 'pg_current_xact_id()';
  if (column.endsWith('_at_ms')) return 'now_ms';
  if (payloads.has(column)) return literal(value);
  const pieces = cutAtIds(value, sample.ids);
  if (pieces.every((piece) => typeof piece === 'string')) return literal(value);
  const text = pieces.map((piece) => (typeof piece === 'string' ? literal(piece) : variables[piece.id])).join(' || ');
  return value.startsWith('{') ? `(${text})::text[]` : text;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
