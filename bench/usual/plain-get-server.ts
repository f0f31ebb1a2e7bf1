import Fastify from 'fastify';
import { Pool } from 'pg';
import type { AddressInfo } from 'node:net';

/* A common way to read: a query for each request, on a pool of eight. It checks no key, which favors it. */

const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 8 });
const accountId = process.env.ACCOUNT_ID!;

interface ReferenceRow {
  id: string;
  created: string;
  application: string | null;
  automatic_reference: string | null;
  completed_at: string | null;
  customer: string | null;
  outcome: string | null;
  decision: string | null;
  reference_pdf: string | null;
  earlier_reports: string[];
  status: string;
  type: string;
  metadata: string;
}

const app = Fastify();
app.get<{ Params: { id: string } }>('/v1/references/:id', async ({ params }, reply) => {
  const { rows } = await pool.query<ReferenceRow>({
    name: 'read_reference',
    text: `
      select id, created, application, automatic_reference, completed_at, customer, outcome, decision, reference_pdf, earlier_reports,
        status, type, metadata
      from tenant_references
      where account_id = $1 and id = $2`,
    values: [accountId, params.id],
  });
  const row = rows[0];
  if (!row) return reply.code(404).send({ error: { type: 'not_found' } });
  return {
    id: row.id,
    object: 'reference',
    created: Number(row.created),
    application: row.application,
    automatic_reference: row.automatic_reference === null ? null : JSON.parse(row.automatic_reference),
    completed_at: row.completed_at === null ? null : Number(row.completed_at),
    customer: row.customer,
    outcome: row.outcome,
    decision: row.decision === null ? null : JSON.parse(row.decision),
    reference_pdf: row.reference_pdf,
    earlier_reports: row.earlier_reports,
    status: row.status,
    type: row.type,
    metadata: JSON.parse(row.metadata),
  };
});
await app.listen({ host: '127.0.0.1', port: 0 });
process.send!({ port: (app.server.address() as AddressInfo).port });
