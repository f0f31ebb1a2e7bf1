import { ApiError, invalidParameter } from '../../core/errors.ts';
import { LinkedId } from '../../model/fields.ts';
import type { StoredRecord } from '../../model/record.ts';
import type { Action, RequestedDelivery } from '../../model/resource.ts';
import { closedObject } from '../../model/schemas.ts';
import { requireEnabled, type WebhookEndpointRecord } from './record.ts';
import { newDelivery } from './requested-delivery.ts';

/** Sends an event once more to an endpoint: what an engineer does who has mended a receiver. */
export const resend: Action = {
  summary: 'Resend an event',
  description:
    'Sends the event to this webhook endpoint once more, whatever it is subscribed to and whatever became of it before. The answer is a new delivery, which is tried once. If it succeeds, an earlier one that is still being retried ends (`canceled`); if not, that one goes on as it was. An event of a connected account is resent with its account in `Service-Context`, and only to an endpoint for connected accounts. The key also needs `events.read`.',
  example: { webhook_endpoint: 'we_0VbZqxC200fW8gYmUo2Jd5' },
  refusals: ['status_transition_invalid', 'resource_missing'],
  // Whoever says where events go can read them there.
  permissions: ['webhook_endpoints.write', 'events.read'],
  body: closedObject({ webhook_endpoint: { ...LinkedId, description: 'The id of the endpoint.' } }),
  names: { webhook_endpoint: 'webhook_endpoints' },
  decide(event, caller, _input, named) {
    const endpoint = named.webhook_endpoint as WebhookEndpointRecord;
    requireTogether(event as EventRecord, endpoint);
    requireEnabled(endpoint);
    if (event.created < caller.retainedFromSeconds) {
      throw new ApiError(
        'status_transition_invalid',
        `The event ${event.id} is older than this deployment keeps events, so it cannot be sent any more.`,
      );
    }
    const delivery: RequestedDelivery = {
      id: caller.makeId('dlv'),
      eventId: event.id,
      type: (event as EventRecord).type,
      eventAccountId: event.account_id,
      accountId: endpoint.account_id,
      endpointId: endpoint.id,
      enablement: endpoint.enablement,
      isResend: true,
    };
    return { after: event, deliveries: [delivery], answer: newDelivery(delivery, caller.nowSeconds) };
  },
};

type EventRecord = StoredRecord & { type: string; data: { object: { id: string } } };

/** An endpoint gets its own account's events, or those of connected accounts, and never the others; but always its own pings. */
function requireTogether(event: EventRecord, endpoint: WebhookEndpointRecord): void {
  const isOfConnected = event.account_id !== endpoint.account_id;
  const isOwnPing = event.type === 'webhook_endpoint.pinged' && event.data.object.id === endpoint.id;
  if (isOfConnected === endpoint.connected || isOwnPing) return;
  throw invalidParameter(
    'webhook_endpoint',
    endpoint.connected
      ? `\`webhook_endpoint\` is for the events of connected accounts, and this event is the account’s own.`
      : `\`webhook_endpoint\` is for its account’s own events, and this event is a connected account’s. Choose an endpoint with \`connected\`.`,
  );
}
