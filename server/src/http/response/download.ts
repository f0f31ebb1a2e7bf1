import type { FastifyReply } from 'fastify';
import { startingWith } from '../../core/iterables.ts';
import { PacedBody } from './paced-body.ts';
import type { StoredRecord } from '../../model/record.ts';
import type { Resource } from '../../model/resource.ts';
import type { HttpContext } from '../context.ts';
import { anyBytes, type OpenContents } from '../route.ts';
import { recordMissing } from './errors.ts';

/** Bytes that are sent at a time. */
const partBytes = 256 * 1024;

/** The facts in a record with a file. */
export interface StoredFile {
  filename: string;
  content_type: string;
  size: number;
  sha256: string;
}

/**
 * Opens the file of a record. Reads its first part before the response, so that an unreadable or deleted file gets a regular error.
 *
 * @throws {ApiError} `resource_missing` if the file is deleted.
 */
export async function openFile(
  { fileStore }: Pick<HttpContext, 'fileStore'>,
  resource: Resource,
  record: StoredRecord & StoredFile,
): Promise<OpenContents> {
  const { account_id: accountId, id, filename, content_type: contentType, size, sha256 } = record;
  const parts = fileStore.read(accountId, id);
  const first = await parts.next();
  if (first.done) throw recordMissing(resource, id);
  return { filename, contentType, size, sha256, bytes: startingWith(first.value, parts) };
}

/**
 * Sends a file part by part, as it is read. A third party may have made it, so browsers must isolate it from this origin. They download it, and
 * never show it as a page.
 *
 * @param isHead tells that only the headers are requested. Then the file is not read.
 * @param asBytes tells that the client accepts `anyBytes` only.
 */
export function sendContents(
  reply: FastifyReply,
  contents: OpenContents,
  { isHead, asBytes, stalledMs }: { isHead: boolean; asBytes: boolean; stalledMs: number },
): FastifyReply {
  const { filename, contentType, size, sha256, bytes } = contents;
  return reply
    .header('content-type', asBytes ? anyBytes : contentType)
    .header('content-length', size)
    .header('content-disposition', attachment(nameWithEnding(filename, contentType)))
    .header('etag', `"${sha256}"`)
    .header('cache-control', 'private, no-store')
    .header('x-content-type-options', 'nosniff')
    .header('content-security-policy', "default-src 'none'; sandbox")
    .send(isHead ? '' : new PacedBody(whole(partsOf(bytes), size), stalledMs, () => reply.raw.destroy()));
}

/**
 * Sends a file to a page of the dashboard. The page shows a PDF in a frame, and a picture as a picture. The browser’s viewer of PDFs works in no
 * sandbox.
 */
export function sendFramed(reply: FastifyReply, contents: OpenContents, stalledMs: number): FastifyReply {
  const { contentType, size, bytes } = contents;
  return reply
    .header('content-type', contentType)
    .header('content-length', size)
    .header('content-disposition', 'inline')
    .header('cache-control', 'private, no-store')
    .header('x-content-type-options', 'nosniff')
    .header('cross-origin-resource-policy', 'same-origin')
    .header('content-security-policy', "frame-ancestors 'self'")
    .send(new PacedBody(whole(partsOf(bytes), size), stalledMs, () => reply.raw.destroy()));
}

async function* partsOf(bytes: OpenContents['bytes']): AsyncGenerator<Buffer> {
  if (!Buffer.isBuffer(bytes)) return yield* bytes;
  for (let at = 0; at < bytes.length; at += partBytes) yield bytes.subarray(at, at + partBytes);
}

/** Aborts the response if the file is deleted meanwhile, so that no client takes a part for the whole file. */
async function* whole(bytes: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  let sent = 0;
  for await (const part of bytes) {
    sent += part.length;
    yield part;
  }
  if (sent < size) throw new Error(`The file ended after ${sent} of ${size} bytes: it was deleted.`);
}

/** The ending that a download gets, and those that it keeps. By the type that the server has found out. */
const endings: Record<string, { added: string; kept: RegExp }> = {
  'application/pdf': { added: '.pdf', kept: /\.pdf$/i },
  'image/jpeg': { added: '.jpg', kept: /\.jpe?g$/i },
  'image/png': { added: '.png', kept: /\.png$/i },
};

/**
 * Returns a name that opens in the right program: a picture that came as `letter.pdf` becomes `letter.pdf.png`. The sender chose the name. A
 * PDF that came as `letter.html` would open as a page, and can have scripts for that.
 */
function nameWithEnding(filename: string, contentType: string): string {
  const ending = endings[contentType];
  return !ending || ending.kept.test(filename) ? filename : filename + ending.added;
}

/** Returns the `Content-Disposition` (RFC 6266), with the full name and an ASCII one for older clients. */
function attachment(filename: string): string {
  const ascii = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(filename).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
