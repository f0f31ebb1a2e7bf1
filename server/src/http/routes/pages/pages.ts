import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { pagePolicy } from '../../docs/layout.ts';
import { headerOf } from '../../headers.ts';

/** Adds a page that needs no key. HEAD gets the same status and headers. */
export function addPage(
  app: FastifyInstance,
  path: string,
  handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
): void {
  app.route({ method: ['GET', 'HEAD'], url: path, config: { public: true }, handler });
}

/** Adds a page whose text never changes while the server runs. The text is made at its first use. */
export function addLastingPage(
  app: FastifyInstance,
  path: string,
  type: string,
  text: () => string | Promise<string>,
): void {
  const content = once(async () => shelved(Buffer.from(await text())));
  const zipped = once(async () => promisify(gzip)((await content()).body));
  addPage(app, path, async (request, reply) => {
    const { body, etag } = await content();
    reply.header('content-security-policy', pagePolicy).header('x-content-type-options', 'nosniff');
    return sendUnlessKnown(request, reply, type, { zipped, unzipped: async () => body, etag });
  });
}

/** Adds a picture that never changes while the server runs. Its format is compressed already. */
export function addPicture(app: FastifyInstance, path: string, bytes: Buffer): void {
  const { body, etag } = shelved(bytes);
  addPage(app, path, async (request, reply) => {
    reply.header('content-security-policy', pagePolicy).header('x-content-type-options', 'nosniff');
    return sendUnlessKnown(request, reply, 'image/webp', { zipped: null, unzipped: async () => body, etag });
  });
}

export const htmlType = 'text/html; charset=utf-8';
export const scriptType = 'text/javascript; charset=utf-8';

/** A body that is sent unchanged each time, with its entity tag for caches. All connections share its bytes: a text would be copied for each. */
export interface Shelved {
  body: Buffer;
  etag: string;
}

export function shelved(body: Buffer): Shelved {
  // The tag is weak, because it is the same with and without compression (RFC 9110, 8.8.3).
  return { body, etag: `W/"${hash('sha256', body, 'base64url').slice(0, 22)}"` };
}

/** Sends a body, or 304 if the client has it already (RFC 9110, 13.1.2). Compresses it if the client accepts that and it is worth it. */
export async function sendUnlessKnown(
  request: FastifyRequest,
  reply: FastifyReply,
  type: string,
  content: { zipped: (() => Promise<Buffer>) | null; unzipped(): Promise<Buffer>; etag: string },
): Promise<FastifyReply> {
  // Clients cache it, but revalidate each time, so that an upgrade of the server takes effect at once.
  reply.header('etag', content.etag).header('cache-control', 'no-cache');
  if (content.zipped) reply.header('vary', 'accept-encoding');
  if (isKnown(request, content.etag)) return reply.code(304).send();
  reply.type(type);
  if (!content.zipped || acceptedCoding(request, ['gzip']) === null) return reply.send(await content.unzipped());
  return reply.header('content-encoding', 'gzip').send(await content.zipped());
}

function isKnown(request: FastifyRequest, etag: string): boolean {
  return (headerOf(request, 'if-none-match') ?? '').includes(etag);
}

/**
 * Returns the first of these codings that the client accepts, or null. The client names a coding or `*`, with a weight above 0 (RFC 9110,
 * 12.5.3).
 */
export function acceptedCoding<Coding extends string>(
  request: FastifyRequest,
  codings: readonly Coding[],
): Coding | null {
  const accepted = (headerOf(request, 'accept-encoding') ?? '').toLowerCase().split(',');
  const weights = new Map(
    accepted.map((text) => {
      const [coding, weight] = text.split(';').map((part) => part.trim());
      return [coding, weight?.startsWith('q=') ? Number(weight.slice(2)) : 1];
    }),
  );
  return codings.find((coding) => (weights.get(coding) ?? weights.get('*') ?? 0) > 0) ?? null;
}

/** Makes each value once, at its first use. A failed attempt is repeated at the next use. */
export function once<Value, Key = void>(make: (key: Key) => Promise<Value>): (key: Key) => Promise<Value> {
  const made = new Map<Key, Promise<Value>>();
  return (key) => {
    const known = made.get(key);
    if (known) return known;
    const making = make(key);
    made.set(key, making);
    making.catch(() => made.delete(key));
    return making;
  };
}
