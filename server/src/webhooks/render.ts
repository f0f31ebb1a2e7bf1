import type { ClaimedEvent } from './claim.ts';

/**
 * The bytes that are sent for an event: exactly `id`, `object`, `created`, `type`, `data` and `request`, and `account` if it is
 * a connected account's. They are the same at every attempt.
 */
export function renderDelivery(
  eventId: string,
  { created, type, data, request }: ClaimedEvent,
  connectedAccountId: string | null,
): Buffer {
  const head = `{"id":"${eventId}","object":"event","created":${created},"type":"${type}"`;
  const account = connectedAccountId === null ? '' : `,"account":"${connectedAccountId}"`;
  return Buffer.from(`${head},"data":${data},"request":${request}${account}}`);
}
