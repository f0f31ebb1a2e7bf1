import type { FastifyReply } from 'fastify';
import { PacedBody } from './paced-body.ts';
import type { OpenContents } from '../route.ts';

/**
 * Answers a file part by part, as it is read. Somebody else made it, so a browser shall keep it apart from everything of this address:
 * it is downloaded, never shown as a page, whatever is in it.
 *
 * @param isHead whether only its headers are wanted: then none of it is read.
 */
export function sendContents(
  reply: FastifyReply,
  contents: OpenContents,
  { isHead, stalledMs }: { isHead: boolean; stalledMs: number },
): FastifyReply {
  const { filename, contentType, size, sha256, bytes } = contents;
  return reply
    .header('content-type', contentType)
    .header('content-length', size)
    .header('content-disposition', attachment(filename))
    .header('etag', `"${sha256}"`)
    .header('cache-control', 'private, no-store')
    .header('x-content-type-options', 'nosniff')
    .header('content-security-policy', "default-src 'none'; sandbox")
    .send(isHead ? '' : new PacedBody(whole(bytes, size), stalledMs, () => reply.raw.destroy()));
}

/** A file that is deleted while it is sent breaks off, so that nobody takes a part of it for the whole. */
async function* whole(bytes: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  let sent = 0;
  for await (const part of bytes) {
    sent += part.length;
    yield part;
  }
  if (sent < size) throw new Error(`The file ended after ${sent} of ${size} bytes: it was deleted.`);
}

/** RFC 6266: the name in full, and in ASCII for those who read no other. */
function attachment(filename: string): string {
  const ascii = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(filename).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
