import { Type, type Static } from 'typebox';
import { toSeconds } from '../../core/clock.ts';
import { timeOfId } from '../../core/ids.ts';
import { closedObject, defineResource, nullable, oneOf } from '../../core/resource.ts';
import type { DirectDelivery, StoredRecord } from '../../core/resource.ts';

const Attempt = closedObject({
  created: Type.Integer({ description: 'When it began, in seconds since the Unix epoch.' }),
  status: nullable(Type.Integer({ description: 'The HTTP status that the receiver answered; null if it did not.' })),
  error: nullable(
    Type.String({
      description:
        'Why there was no answer: `address_forbidden`, `connection_closed`, `connection_refused`, `host_unresolved`, `interrupted` (this service was stopped; it does not count), `response_invalid`, `timeout`, `tls_failed`, `unreachable` or `failed`. Null if there was one.',
    }),
  ),
  duration_ms: Type.Integer({ description: 'How long it took, in milliseconds.' }),
  response: nullable(
    Type.String({ description: 'The beginning of the answer’s body, up to 1 kB; null if there was none.' }),
  ),
  api_version: Type.String({ description: 'The version of the body that was sent.' }),
});

type WebhookDeliveryRecord = StoredRecord & {
  event: string;
  webhook_endpoint: string;
  type: string;
  status: 'pending' | 'delivered' | 'failed' | 'canceled';
  attempt_count: number;
  next_attempt_at: number | null;
  delivered_at: number | null;
  attempts: Static<typeof Attempt>[];
};

/** An event's way to an endpoint. The committer makes deliveries and the dispatcher carries them out; nobody else can. */
export const webhookDelivery = defineResource<WebhookDeliveryRecord>({
  object: 'delivery',
  prefix: 'dlv',
  path: 'deliveries',
  table: 'webhook_deliveries_shown',
  description: 'The way of one event to one webhook endpoint, with every attempt.',
  example: {
    record: {
      event: 'evt_0VbZr1fe01dQ7fXkTn4Lb6',
      webhook_endpoint: 'we_0VbZqxC200fW8gYmUo2Jd5',
      type: 'reference.created',
      status: 'delivered',
      attempt_count: 1,
      next_attempt_at: null,
      delivered_at: 1795234027,
      attempts: [
        { created: 1795234027, status: 204, error: null, duration_ms: 31, response: null, api_version: '2026-11-01' },
      ],
    },
  },
  appendOnly: true,
  listedUnder: { webhook_endpoints: 'webhook_endpoint', events: 'event' },
  fields: {
    event: { column: 'text', schema: Type.String(), description: 'The id of the event.' },
    webhook_endpoint: { column: 'text', schema: Type.String(), description: 'The id of the endpoint.' },
    type: { column: 'text', schema: Type.String(), description: 'The type of the event.' },
    status: {
      column: 'text',
      schema: oneOf('pending', 'delivered', 'failed', 'canceled'),
      description:
        '`pending`: an attempt is due or under way. `delivered`: the receiver answered 2xx. `failed`: every attempt failed. `canceled`: the endpoint was disabled or deleted.',
    },
    attempt_count: {
      column: 'bigint',
      schema: Type.Integer(),
      description: 'How many attempts were made; interrupted ones do not count.',
    },
    next_attempt_at: {
      column: 'bigint',
      schema: nullable(Type.Integer()),
      description: 'When the next attempt is due, in seconds since the Unix epoch; null if there will be none.',
    },
    delivered_at: {
      column: 'bigint',
      schema: nullable(Type.Integer()),
      description: 'When the receiver took it, in seconds since the Unix epoch; null if it has not.',
    },
    attempts: { column: 'json', schema: Type.Array(Attempt), description: 'Every attempt, the oldest first.' },
  },
});

/** A delivery as it is at first: due at once. */
export function newDelivery(
  endpoint: StoredRecord,
  { id, eventId }: DirectDelivery,
  type: string,
  nowSeconds: number,
): WebhookDeliveryRecord {
  return {
    id,
    account_id: endpoint.account_id,
    created: toSeconds(timeOfId(id)),
    revision: 1,
    event: eventId,
    webhook_endpoint: endpoint.id,
    type,
    status: 'pending',
    attempt_count: 0,
    next_attempt_at: nowSeconds,
    delivered_at: null,
    attempts: [],
  };
}
