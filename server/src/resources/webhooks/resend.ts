import { ApiError, invalidParameter } from '../../core/errors.ts';
import { LinkedId } from '../../model/schemas/fields.ts';
import type { StoredRecord } from '../../model/record.ts';
import type { Action, RequestedDelivery } from '../../model/resource.ts';
import { closedObject } from '../../model/schemas/make.ts';
import { requireEnabled, type WebhookEndpointRecord } from './endpoint-record.ts';
import { newDelivery } from './requested-delivery.ts';

/** Sends an event to an endpoint again, for example after its receiver was repaired. */
export const resend: Action<EventRecord> = {
  summary: 'Resend an event',
  description:
    'Sends the event to this webhook endpoint again. It does not matter whether the endpoint has subscribed to it, or whether an earlier delivery succeeded. The response is a new delivery, which is tried once. If it succeeds, an earlier delivery that is still being retried ends (`canceled`). If it fails, the earlier one continues. To resend an event of a connected account, send that account in `Service-Context`, and use an endpoint for connected accounts. Your key also needs `events.read`.',
  example: { webhook_endpoint: 'we_0VbZqxC200fW8gYmUo2Jd5' },
  refusals: ['status_transition_invalid', 'resource_missing'],
  // A key that chooses the endpoint of an event can read it there.
  permissions: ['webhook_endpoints.write', 'events.read'],
  body: closedObject({ webhook_endpoint: { ...LinkedId, description: 'The id of the endpoint.' } }),
  names: { webhook_endpoint: 'webhook_endpoints' },
  decide(event, caller, _input, { webhook_endpoint: endpoint }: { webhook_endpoint: WebhookEndpointRecord }) {
    requireTogether(event, endpoint);
    requireEnabled(endpoint);
    if (event.created < caller.retainedFromSeconds) {
      throw new ApiError(
        'status_transition_invalid',
        `The event ${event.id} is older than the retention time of this deployment, so it cannot be resent.`,
      );
    }
    const delivery: RequestedDelivery = {
      id: caller.makeId('dlv'),
      eventId: event.id,
      type: event.type,
      eventAccountId: event.account_id,
      accountId: endpoint.account_id,
      endpointId: endpoint.id,
      enablement: endpoint.enablement,
      isResend: true,
    };
    return { after: event, deliveries: [delivery], response: newDelivery(delivery, caller.nowSeconds) };
  },
};

type EventRecord = StoredRecord & { type: string; data: { object: { id: string } } };

/**
 * Checks that the endpoint may receive the event. It gets events of its own account, or of connected ones, never both. Its own pings always
 * pass.
 */
function requireTogether(event: EventRecord, endpoint: WebhookEndpointRecord): void {
  const isOfConnected = event.account_id !== endpoint.account_id;
  const isOwnPing = event.type === 'webhook_endpoint.pinged' && event.data.object.id === endpoint.id;
  if (isOfConnected === endpoint.connected || isOwnPing) return;
  throw invalidParameter(
    'webhook_endpoint',
    endpoint.connected
      ? `\`webhook_endpoint\` is for the events of connected accounts, and this event is the account’s own. Choose an endpoint without \`connected\`.`
      : `\`webhook_endpoint\` is for its account’s own events, and this event is a connected account’s. Choose an endpoint with \`connected\`.`,
  );
}
