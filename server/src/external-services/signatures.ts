import { createHmac, timingSafeEqual } from 'node:crypto';

/** Tells whether a signature is the HMAC-SHA256 of these parts in lower-case hex. Every wrong one takes the same time. */
export function isHmacOf(signature: string, secret: string, ...parts: readonly (string | Uint8Array)[]): boolean {
  if (secret === '' || !/^[0-9a-f]{64}$/.test(signature)) return false;
  const hmac = createHmac('sha256', secret);
  for (const part of parts) hmac.update(part);
  return timingSafeEqual(Buffer.from(signature, 'hex'), hmac.digest());
}

/** Returns the value of a header that came exactly once, or an empty text. */
export function headerOf(headers: Readonly<Record<string, string | string[] | undefined>>, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}

/** Returns a text member of a callback's JSON, or null if there is none. */
export function memberOf(body: Uint8Array, name: string): string | null {
  try {
    const value = (JSON.parse(Buffer.from(body).toString('utf8')) as Record<string, unknown> | null)?.[name];
    return typeof value === 'string' && value !== '' ? value : null;
  } catch {
    return null;
  }
}
