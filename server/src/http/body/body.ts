import type { JsonObject } from '../../core/json-diff.ts';
import { ApiError } from '../../core/errors.ts';
import { maskSecrets } from '../../core/secrets/mask-secrets.ts';
import { parseJsonObject } from './json.ts';
import type { ReceivedRequest, UploadRoute } from '../request.ts';
import { bodyBytesMax } from './body-bytes.ts';
import { bodyTooLarge, receiveBytes } from './incoming-bytes.ts';
import { headerOf, onlyHeaderOf } from '../headers.ts';
import type { SecretMembers } from '../../core/secrets/secret-members.ts';

const formType = 'multipart/form-data';

const keptOfUnreadableMax = 4 * 1024;

/** The encodings that do not change a body, by their headers. */
const plainEncodings = [
  ['Content-Encoding', 'identity'],
  ['Transfer-Encoding', 'chunked'],
] as const;

/**
 * Refuses a body of an unsupported type before reading it. A body of unknown length is checked after its arrival, because an empty body of
 * any type counts as `{}`. Only a form goes to the reader of forms, which detects an empty one itself.
 *
 * @throws {ApiError} `request_invalid`, `content_type_unsupported` or `body_too_large`.
 */
export function checkBodyHeaders(request: ReceivedRequest): void {
  const { headers } = request.incoming;
  request.contentType = onlyHeaderOf(request.incoming, 'Content-Type') ?? '';
  // Prevent the framework from checking the type. We check it ourselves, when we know whether there is a body.
  headers['content-type'] = 'application/json';
  const length = Number(headers['content-length'] ?? 0);
  const isChunkedForm =
    headers['transfer-encoding'] !== undefined && uploadOf(request) !== null && mediaTypeOf(request) === formType;
  if (length === 0 && !isChunkedForm) return;
  checkContentType(request);
  if (uploadOf(request)) headers['content-type'] = formType;
  else if (length > bodyBytesMax) throw bodyTooLarge();
}

/** Reads the body. Keeps its text for the log, even if the body is refused. */
export async function readBody(request: ReceivedRequest, secretMembers: SecretMembers): Promise<JsonObject> {
  const bytes = await receiveBytes(request.incoming.raw, request.bodyBytes).catch((error: unknown) => {
    // A body of unknown length may become too large while it arrives. The error of its type comes first.
    if (error instanceof ApiError) checkContentType(request);
    throw error;
  });
  request.bodyBytes?.arrived(bytes.length);
  if (bytes.length === 0) return {};
  checkContentType(request);
  try {
    const { text, value } = parseJsonObject(bytes);
    const redacted = secretMembers.redact(value);
    request.bodyText = maskSecrets(redacted === value ? text : JSON.stringify(redacted));
    return value;
  } catch (error) {
    // Keep the beginning of invalid JSON for diagnosis, unless it may contain a secret.
    const kept = bytes.subarray(0, keptOfUnreadableMax).toString('utf8');
    const isKept = secretMembersOf(request).length === 0 && !secretMembers.mayBeIn(kept);
    request.bodyText = isKept ? maskSecrets(storable(kept)) : null;
    throw error;
  }
}

function secretMembersOf({ route }: ReceivedRequest): readonly string[] {
  return route?.secretMembers ?? [];
}

function checkContentType(request: ReceivedRequest): void {
  const { incoming, contentType } = request;
  for (const [name, plain] of plainEncodings) {
    const encoding = headerOf(incoming, name.toLowerCase());
    if (encoding === undefined || encoding.toLowerCase() === plain) continue;
    throw new ApiError(
      'content_type_unsupported',
      `\`${name}: ${encoding.slice(0, 40)}\` is not supported. Send the body without this encoding.`,
    );
  }
  const wanted = uploadOf(request) ? formType : 'application/json';
  if (mediaTypeOf(request) === wanted) return;
  throw new ApiError(
    'content_type_unsupported',
    contentType === ''
      ? `The body has no \`Content-Type\`. Send it as \`${wanted}\`.`
      : `\`Content-Type: ${contentType.slice(0, 80)}\` is not supported. Send the body as \`${wanted}\`.`,
  );
}

/** Returns the `Content-Type` without its parameters (RFC 9110, 8.3.1). */
function mediaTypeOf({ contentType }: ReceivedRequest): string {
  const [mediaType = ''] = contentType.trim().split(/\s*;/, 1);
  return mediaType.toLowerCase();
}

/** Returns the upload of the route, or null if its body is JSON. */
export function uploadOf({ route }: ReceivedRequest): UploadRoute | null {
  return route?.upload ?? null;
}

/** Replaces NUL characters, which PostgreSQL does not store. The log of a refused body shows replacement characters. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}
