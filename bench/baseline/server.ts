import { createHash, randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { and, arrayOverlaps, count, desc, eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import Fastify, { type FastifyRequest } from 'fastify';
import { Pool } from 'pg';
import { startDelivering } from './deliver.ts';
import { remembered } from './remembered.ts';
import { apiKeys, endpoints, events, idempotencyKeys, references, requestLogs } from './schema.ts';

/*
 * The baseline: what a good engineer would build in a day. It is a web framework, an ORM and a job queue on the same PostgreSQL. A request
 * is one transaction of prepared statements, one after the other. A delivery is a job. It promises less than the product: it has no
 * versions, permissions, filters or previous attributes. A request waits for a key that is in use.
 */

const { DATABASE_URL: connectionString = '', ROLE: role } = process.env;
const database = drizzle(new Pool({ connectionString, max: 16 }));
const app = Fastify();

const accountOfKey = remembered((hash: string) =>
  database.select().from(apiKeys).where(eq(apiKeys.hash, hash)).prepare('read_key').execute(),
);

async function authenticate({ headers }: FastifyRequest): Promise<string> {
  const [key] = await accountOfKey(hashOf(headers.authorization?.replace('Bearer ', '') ?? ''));
  if (!key) throw Object.assign(new Error('This API key is not known.'), { statusCode: 401 });
  return key.account;
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

function newId(prefix: string): string {
  return `${prefix}_${Date.now().toString(16).padStart(12, '0')}${randomBytes(8).toString('hex')}`;
}

const id = { type: 'string', pattern: '^[a-zA-Z0-9_]+$', maxLength: 255 };
const metadata = { type: 'object', additionalProperties: { type: 'string' } };
const linked = { application: id, customer: id, type: { enum: ['customer'] } };
const properties = { ...linked, automatic_reference: { type: 'object' }, metadata };
const body = { type: 'object', required: ['application'], additionalProperties: false, properties };
type CreateBody = { application: string; customer?: string; automatic_reference?: object; metadata?: object };

app.post<{ Body: CreateBody }>('/v1/references', { schema: { body } }, async (request, reply) => {
  const account = await authenticate(request);
  const created = Math.floor(Date.now() / 1000);
  const { application, customer = null, automatic_reference = null } = request.body;
  const unset = { outcome: null, completed_at: null, decision: null, reference_pdf: null, earlier_reports: [] };
  const given = { application, customer, automatic_reference, metadata: request.body.metadata ?? {} };
  const reference = { id: newId('ref'), created, type: 'customer', status: 'pending', ...given, ...unset };
  const answer = answerOf(reference);
  const stored = JSON.stringify(answer);
  const requestBody = JSON.stringify(request.body);
  const event = { id: newId('evt'), created, type: 'reference.created', data: { object: answer } };
  const key = request.headers['idempotency-key'] as string | undefined;
  const replayed = await database.transaction(async (transaction) => {
    if (key !== undefined) {
      const values = { account, key, fingerprint: hashOf(requestBody), answer: stored, created };
      const claim = transaction.insert(idempotencyKeys).values(values).onConflictDoNothing().returning();
      const claimed = await claim.prepare('claim_key').execute();
      const own = and(eq(idempotencyKeys.account, account), eq(idempotencyKeys.key, key));
      if (claimed.length === 0)
        return transaction.select().from(idempotencyKeys).where(own).prepare('read_stored').execute();
    }
    const referenceRow = { account, ...reference };
    await transaction.insert(references).values(referenceRow).prepare('insert_reference').execute();
    const eventRow = { account, object_id: reference.id, ...event };
    await transaction.insert(events).values(eventRow).prepare('insert_event').execute();
    const logged = { id: newId('req'), account, created, method: 'POST', path: request.url, status: 200 };
    const logRow = { ...logged, request_body: requestBody, response_body: stored };
    await transaction.insert(requestLogs).values(logRow).prepare('insert_log').execute();
    const text = JSON.stringify({ object: 'event', ...event });
    await transaction
      .select({
        job: sql`graphile_worker.add_job('deliver', json_build_object('endpoint', ${endpoints.id}, 'event', ${event.id}::text, 'body', ${text}::text))`,
      })
      .from(endpoints)
      .where(and(eq(endpoints.account, account), arrayOverlaps(endpoints.events, ['*', 'reference.created'])))
      .prepare('add_jobs')
      .execute();
    return [];
  });
  if (replayed[0] && replayed[0].fingerprint !== hashOf(requestBody))
    return reply.code(400).send({ error: { type: 'idempotency_error' } });
  return reply.type('application/json').send(replayed[0]?.answer ?? stored);
});

const readOne = database
  .select()
  .from(references)
  .where(and(eq(references.id, sql.placeholder('id')), eq(references.account, sql.placeholder('account'))))
  .prepare('read_reference');

app.get<{ Params: { id: string } }>('/v1/references/:id', async (request, reply) => {
  const account = await authenticate(request);
  const [row] = await readOne.execute({ account, id: request.params.id });
  if (!row) return reply.code(404).send({ error: { type: 'invalid_request_error' } });
  return answerOf(row);
});

const ofAccount = eq(references.account, sql.placeholder('account'));
const newest = database.select().from(references).where(ofAccount).orderBy(desc(references.id));
const readPage = newest.limit(sql.placeholder('limit')).prepare('read_page');
const readCount = database.select({ all: count() }).from(references).where(ofAccount).prepare('read_count');

app.get<{ Querystring: { limit?: string } }>('/v1/references', async (request) => {
  const account = await authenticate(request);
  const limit = Number(request.query.limit ?? 20);
  const [rows, [counted]] = await Promise.all([
    readPage.execute({ account, limit: limit + 1 }),
    readCount.execute({ account }),
  ]);
  return {
    object: 'list',
    has_more: rows.length > limit,
    count: counted!.all,
    data: rows.slice(0, limit).map(answerOf),
  };
});

function answerOf({ id: recordId, ...row }: Record<string, unknown>): object {
  return { id: recordId, object: 'reference', ...row, account: undefined };
}

const runner = role === 'api' ? null : await startDelivering(database, connectionString);
process.on('SIGTERM', () => void (runner?.stop() ?? Promise.resolve()).then(() => process.exit(0)));
await app.listen({ host: '127.0.0.1', port: 0 });
process.send!({ port: (app.server.address() as AddressInfo).port });
