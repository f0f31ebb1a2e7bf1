import { bigint, integer, jsonb, pgSchema, text } from 'drizzle-orm/pg-core';

const schema = pgSchema('baseline');
const time = () => bigint({ mode: 'number' });
const word = () => text().notNull();
const record = () => ({ id: text().primaryKey(), account: word(), created: time().notNull() });

export const apiKeys = schema.table('api_keys', { hash: word(), account: word() });
export const endpoints = schema.table('endpoints', {
  ...record(),
  url: word(),
  secret: word(),
  events: text().array(),
});
export const references = schema.table('tenant_references', {
  ...record(),
  application: word(),
  customer: text(),
  type: word(),
  status: word(),
  outcome: text(),
  completed_at: time(),
  decision: jsonb(),
  reference_pdf: text(),
  earlier_reports: text().array(),
  automatic_reference: jsonb(),
  metadata: jsonb().notNull(),
});
export const events = schema.table('events', { ...record(), type: word(), object_id: word(), data: jsonb().notNull() });
const exchanged = () => ({ status: integer().notNull(), request_body: word(), response_body: word() });
export const requestLogs = schema.table('request_logs', { ...record(), method: word(), path: word(), ...exchanged() });
const stored = () => ({ fingerprint: word(), answer: word(), created: time().notNull() });
export const idempotencyKeys = schema.table('idempotency_keys', { account: word(), key: word(), ...stored() });
const outcome = () => ({ status: integer().notNull(), duration_ms: integer().notNull(), created: time().notNull() });
export const attempts = schema.table('attempts', { event: word(), endpoint: word(), ...outcome() });
