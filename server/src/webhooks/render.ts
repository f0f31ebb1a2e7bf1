import type { ClaimedEvent } from './claim.ts';

/**
 * The bytes that are sent for an event: exactly `id`, `object`, `created`, `type`, `data` and `request`, and `account` where
 * the endpoint is for connected accounts. They are the same at every attempt.
 */
export function renderDelivery(
  eventId: string,
  { created, type, data, request }: ClaimedEvent,
  accountId: string | null,
): Buffer {
  const head = `{"id":"${eventId}","object":"event","created":${created},"type":"${type}"`;
  const account = accountId === null ? '' : `,"account":"${accountId}"`;
  return Buffer.from(`${head},"data":${data},"request":${request}${account}}`);
}
