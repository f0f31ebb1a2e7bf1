import { Type, type Static } from 'typebox';
import { toSeconds } from '../../core/clock.ts';
import { timeOfId } from '../../core/ids.ts';
import { closedObject, defineResource, nullable, oneOf } from '../../core/resource.ts';
import type { DirectDelivery, StoredRecord } from '../../core/resource.ts';

const Attempt = closedObject({
  created: Type.Integer(),
  /** What the receiver answered, or null and why it did not. */
  status: nullable(Type.Integer()),
  error: nullable(Type.String()),
  duration_ms: Type.Integer(),
  /** The beginning of the answer's body. */
  response: nullable(Type.String()),
  api_version: Type.String(),
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
  appendOnly: true,
  listedUnder: { webhook_endpoints: 'webhook_endpoint', events: 'event' },
  fields: {
    event: { column: 'text', schema: Type.String() },
    webhook_endpoint: { column: 'text', schema: Type.String() },
    type: { column: 'text', schema: Type.String() },
    status: { column: 'text', schema: oneOf('pending', 'delivered', 'failed', 'canceled') },
    attempt_count: { column: 'bigint', schema: Type.Integer() },
    next_attempt_at: { column: 'bigint', schema: nullable(Type.Integer()) },
    delivered_at: { column: 'bigint', schema: nullable(Type.Integer()) },
    attempts: { column: 'json', schema: Type.Array(Attempt) },
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
