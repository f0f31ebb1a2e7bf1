import { Type } from 'typebox';
import { defineResource } from '../../model/resource.ts';
import { described, named, nullable, oneOf } from '../../model/schemas/make.ts';
import { aboutAccount } from '../../model/traits/about-account.ts';
import { appendOnly } from '../../model/traits/append-only.ts';
import { nestedUnder } from '../../model/traits/nested-under.ts';
import { Attempt, type WebhookDeliveryRecord } from './requested-delivery.ts';
import { resend } from './resend.ts';

const Status = named(
  'DeliveryStatus',
  'The status of a delivery.',
  oneOf('pending', 'delivered', 'failed', 'canceled'),
);

/** SQL for the facts from which the view derives the status. */
const isQueued = `exists (
  select
  from webhook_queue queue
  where queue.account_id = webhook_deliveries_shown.account_id and queue.id = webhook_deliveries_shown.id
)`;
const hasAttempt = (outcome: 'delivered' | 'failed'): string => `exists (
  select
  from webhook_attempts attempt
  where attempt.account_id = webhook_deliveries_shown.account_id
    and attempt.delivery_id = webhook_deliveries_shown.id
    and attempt.outcome = '${outcome}'
)`;

/** One event for one endpoint. Only the committer makes deliveries, and only the dispatcher sends them. */
export const webhookDelivery = defineResource<WebhookDeliveryRecord>(
  {
    object: 'delivery',
    prefix: 'dlv',
    path: 'deliveries',
    table: 'webhook_deliveries_shown',
    docs: {
      description:
        'One event for one webhook endpoint, with every attempt. On an endpoint for connected accounts it has the event’s `account`. Send that in `Service-Context` to retrieve the event, list its deliveries, or resend it.',
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
            {
              created: 1795234027,
              status: 204,
              error: null,
              duration_ms: 31,
              response: null,
              api_version: '2026-11-01',
            },
          ],
        },
      },
    },
    fields: {
      event: { column: 'text', schema: Type.String(), description: 'The id of the event.' },
      webhook_endpoint: { column: 'text', schema: Type.String(), description: 'The id of the endpoint.' },
      type: { column: 'text', schema: Type.String(), description: 'The type of the event.' },
      status: {
        column: 'text',
        schema: Status,
        description:
          '`pending`: an attempt is due or in progress. `delivered`: the receiver responded with 2xx. `failed`: every attempt failed. `canceled`: the endpoint was disabled or deleted, or a resend of the event succeeded first.',
      },
      attempt_count: {
        column: 'bigint',
        schema: Type.Integer(),
        description: 'The number of attempts, without interrupted ones.',
      },
      next_attempt_at: {
        column: 'bigint',
        schema: nullable(Type.Integer()),
        description: 'When the next attempt is due, in seconds since the Unix epoch. Null if there is none.',
      },
      delivered_at: {
        column: 'bigint',
        schema: nullable(Type.Integer()),
        description: 'When it was delivered, in seconds since the Unix epoch. Null if it was not.',
      },
      event_account: { column: 'text', schema: nullable(Type.String()), shown: 'never' },
      attempts: { column: 'json', schema: Type.Array(Attempt), description: 'Every attempt, the oldest first.' },
    },
    filters: {
      status: {
        column: 'status',
        match: 'condition',
        conditions: {
          pending: isQueued,
          delivered: `not ${isQueued} and ${hasAttempt('delivered')}`,
          failed: `not ${isQueued} and ${hasAttempt('failed')} and not ${hasAttempt('delivered')}`,
          canceled: `not ${isQueued} and not ${hasAttempt('failed')} and not ${hasAttempt('delivered')}`,
        },
        schema: described(Status, 'Only deliveries with this status.'),
      },
      type: {
        column: 'type',
        match: 'exact',
        namesEvents: true,
        schema: Type.String({
          minLength: 1,
          maxLength: 100,
          pattern: '^[a-z0-9_.]+$',
          description: 'Only deliveries of events of this type: `reference.completed`.',
        }),
      },
    },
  },
  appendOnly(),
  aboutAccount({ path: 'events', column: 'event_account' }),
  nestedUnder({
    columns: { webhook_endpoints: 'webhook_endpoint', events: 'event' },
    // A delivery has the id of the endpoint, and the start of its receiver's answer.
    alsoNeeds: { events: ['webhook_endpoints.read'] },
    actions: { events: { resend } },
  }),
);
