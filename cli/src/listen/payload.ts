import { randomBytes } from 'node:crypto';

/** An event as the stream sends it. */
export interface StreamedEvent {
  id: string;
  type: string;
  created: number;
  data: { object: { id?: unknown } };
}

/** The members of a webhook's body, in their order. The stream adds the version, which a webhook has in a header. */
const members = ['id', 'object', 'created', 'type', 'data', 'request'];

/**
 * Returns the body of a webhook for an event, byte for byte as the server sends it. The server wrote the event with `JSON.stringify`, so
 * that parsing and writing it again changes no byte.
 */
export function bodyOf(event: StreamedEvent): Buffer {
  const whole = event as unknown as Record<string, unknown>;
  return Buffer.from(JSON.stringify(Object.fromEntries(members.map((name) => [name, whole[name]]))));
}

export interface Attempt {
  deliveryId: string;
  /** From 1. */
  number: number;
  signature: string;
}

/** Returns the headers of a webhook, in their order and case. */
export function headersOf(
  event: StreamedEvent,
  { deliveryId, number, signature }: Attempt,
  { version, userAgent }: { version: string; userAgent: string },
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': userAgent,
    'service-signature': signature,
    'service-version': version,
    'service-event-id': event.id,
    'service-delivery-id': deliveryId,
    'service-attempt': String(number),
  };
}

/** Makes an id that no delivery of the server has. */
export function localDeliveryId(): string {
  return `dlv_local${randomText(17)}`;
}

export function newSigningSecret(): string {
  return `whsec_${randomText(32)}`;
}

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function randomText(length: number): string {
  let text = '';
  // 248 is the largest multiple of 62 in a byte. Beyond it, some letters would be more likely.
  while (text.length < length) for (const byte of randomBytes(length)) if (byte < 248) text += letters[byte % 62];
  return text.slice(0, length);
}
