import type { ClaimedEvent } from './claim.ts';

/**
 * The bytes that are sent for an event: exactly `id`, `object`, `created`, `type`, `data` and `request`.
 * They are the same at every attempt.
 */
export function renderDelivery(eventId: string, { created, type, data, request }: ClaimedEvent): Buffer {
  const head = `{"id":"${eventId}","object":"event","created":${created},"type":"${type}"`;
  return Buffer.from(`${head},"data":${data},"request":${request}}`);
}
