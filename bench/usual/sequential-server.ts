import Fastify from 'fastify';
import { Pool } from 'pg';
import { randomBytes } from 'node:crypto';
import { IdMaker } from '../../server/src/core/ids.ts';
import type { AddressInfo } from 'node:net';
import { cutAtIds, type Sample, type SampleId } from '../sample.ts';

/*
 * A common way to write: each request is its own transaction, with one awaited statement after the other. It writes the same rows as the
 * product, with prepared statements. It checks no API key and claims no idempotency key, which favors it.
 */

const sample = JSON.parse(process.env.SAMPLE!) as Sample;
const accountId = process.env.ACCOUNT_ID!;
const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 16 });
const ids = new IdMaker({ nowMs: () => Date.now() }, randomBytes);

type Ids = Record<SampleId, string>;
type Cell = (ids: Ids, nowMs: number) => string | number | null;

const inserts = sample.tables.map(({ table, rows }) => {
  const columns = Object.keys(rows[0]!).filter((column) => column !== 'transaction_id');
  let parameter = 0;
  const tuples = rows.map(() => {
    const parameters = columns.map(() => `$${++parameter}`);
    return `(${[...parameters, ...(table === 'events' ? ['pg_current_xact_id()'] : [])].join(', ')})`;
  });
  const names = [...columns, ...(table === 'events' ? ['transaction_id'] : [])];
  return {
    name: `insert_${table}`,
    text: `insert into ${table} (${names.join(', ')}) values ${tuples.join(', ')}`,
    cells: rows.flatMap((row) => columns.map((column) => cellOf(column, row[column]!))),
  };
});

const answer = templateOf(sample.answer);

function cellOf(column: string, value: string | null): Cell {
  if (value === null) return () => null;
  if (column.endsWith('_at_ms')) return (_ids, nowMs) => nowMs;
  return templateOf(value);
}

function templateOf(text: string): (ids: Ids) => string {
  const pieces = cutAtIds(text, sample.ids);
  if (pieces.every((piece) => typeof piece === 'string')) return () => text;
  return (values) => pieces.map((piece) => (typeof piece === 'string' ? piece : values[piece.id])).join('');
}

async function writeAll(values: Ids): Promise<void> {
  const nowMs = Date.now();
  const client = await pool.connect();
  try {
    await client.query('begin');
    for (const { name, text, cells } of inserts) {
      await client.query({ name, text, values: cells.map((cell) => cell(values, nowMs)) });
    }
    const endpoints = await client.query<{ id: string }>({
      name: 'read_endpoints',
      text: `select id from webhook_endpoints
        where account_id = $1 and status = 'enabled' and enabled_events && array['*', 'reference.created', 'reference.*']`,
      values: [accountId],
    });
    const deliveries = endpoints.rows.map(({ id }) => ({ id: ids.make('dlv'), endpoint: id }));
    const created = Math.floor(nowMs / 1000);
    await client.query({
      name: 'insert_deliveries',
      text: `insert into webhook_deliveries (account_id, id, created, event, webhook_endpoint, type)
        values ${tuplesOf(deliveries.length, 6)}`,
      values: deliveries.flatMap(({ id, endpoint }) => [
        accountId,
        id,
        created,
        values.eventId,
        endpoint,
        'reference.created',
      ]),
    });
    await client.query({
      name: 'insert_queue',
      text: `insert into webhook_queue (account_id, id, event, webhook_endpoint, due_at_ms)
        values ${tuplesOf(deliveries.length, 5)}`,
      values: deliveries.flatMap(({ id, endpoint }) => [accountId, id, values.eventId, endpoint, nowMs]),
    });
    await client.query('commit');
  } finally {
    client.release();
  }
}

function tuplesOf(rows: number, columns: number): string {
  const tuple = (row: number): string =>
    `(${Array.from({ length: columns }, (_, column) => `$${row * columns + column + 1}`).join(', ')})`;
  return Array.from({ length: rows }, (_, row) => tuple(row)).join(', ');
}

const id = { type: 'string', pattern: '^[a-zA-Z0-9_]+$', maxLength: 255 };
const body = {
  type: 'object',
  required: ['application'],
  additionalProperties: false,
  properties: {
    application: id,
    customer: id,
    type: { enum: ['customer'] },
    automatic_reference: {
      type: 'object',
      properties: { enabled: { type: 'boolean' }, provider: { type: 'string' } },
    },
    metadata: { type: 'object', additionalProperties: { type: 'string' } },
  },
};

const app = Fastify();
app.post('/v1/references', { schema: { body } }, async (request, reply) => {
  const values: Ids = {
    referenceId: ids.make('ref'),
    eventId: ids.make('evt'),
    requestId: ids.make('req'),
    idempotencyKey: request.headers['idempotency-key'] as string,
  };
  await writeAll(values);
  return reply.type('application/json; charset=utf-8').send(answer(values));
});
await app.listen({ host: '127.0.0.1', port: 0 });
process.send!({ port: (app.server.address() as AddressInfo).port });
