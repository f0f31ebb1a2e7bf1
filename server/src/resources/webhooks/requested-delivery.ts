import type { Static } from 'typebox';
import { Type } from 'typebox';
import { toSeconds } from '../../core/clock.ts';
import { timeOfId } from '../../core/ids.ts';
import type { StoredRecord } from '../../model/record.ts';
import type { RequestedDelivery } from '../../model/resource.ts';
import { closedObject, named, nullable } from '../../model/schemas/make.ts';

export const Attempt = named(
  'DeliveryAttempt',
  'An attempt to deliver an event.',
  closedObject({
    created: Type.Integer({ description: 'When it began, in seconds since the Unix epoch.' }),
    status: nullable(
      Type.Integer({ description: 'The HTTP status of the receiver’s response. Null if there was none.' }),
    ),
    error: nullable(
      Type.String({
        description:
          'Why there was no response: `address_forbidden`, `connection_closed`, `connection_refused`, `host_unresolved`, `interrupted`, `response_invalid`, `timeout`, `tls_failed`, `unreachable` or `failed`. With `interrupted`, the server was stopped, and the attempt does not count. Null if there was a response.',
      }),
    ),
    duration_ms: Type.Integer({ description: 'The duration of the attempt, in milliseconds.' }),
    response: nullable(
      Type.String({ description: 'The beginning of the response’s body, up to 1 kB. Null if there was none.' }),
    ),
    api_version: Type.String({ description: 'The version of the delivered body.' }),
  }),
);

export type WebhookDeliveryRecord = StoredRecord & {
  event: string;
  webhook_endpoint: string;
  type: string;
  status: 'pending' | 'delivered' | 'failed' | 'canceled';
  attempt_count: number;
  next_attempt_at: number | null;
  delivered_at: number | null;
  attempts: Static<typeof Attempt>[];
  /** The event's account, if it is not the endpoint's. */
  event_account: string | null;
};

/** Returns the new delivery of a request. It is due at once. */
export function newDelivery(requested: RequestedDelivery, nowSeconds: number): WebhookDeliveryRecord {
  return {
    id: requested.id,
    account_id: requested.accountId,
    created: toSeconds(timeOfId(requested.id)),
    revision: 1,
    event: requested.eventId,
    webhook_endpoint: requested.endpointId,
    type: requested.type,
    status: 'pending',
    attempt_count: 0,
    next_attempt_at: nowSeconds,
    delivered_at: null,
    attempts: [],
    event_account: requested.eventAccountId === requested.accountId ? null : requested.eventAccountId,
  };
}
