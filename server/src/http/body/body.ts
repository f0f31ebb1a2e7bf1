import { setMember, type Json, type JsonObject } from '../../core/json-diff.ts';
import { ApiError } from '../../core/errors.ts';
import { parseJsonObject } from './json.ts';
import type { ReceivedRequest, UploadRoute } from '../request.ts';
import { bodyBytesMax } from './body-bytes.ts';
import { bodyTooLarge, receiveBytes } from './incoming-bytes.ts';
import { headerOf, onlyHeaderOf } from '../headers.ts';

const formType = 'multipart/form-data';

const keptOfUnreadableMax = 4 * 1024;

/** The encodings that leave a body as it is, by their headers. */
const plainEncodings = [
  ['Content-Encoding', 'identity'],
  ['Transfer-Encoding', 'chunked'],
] as const;

/**
 * Refuses a body of a type that is not read before any of it is. One whose length is not told is judged when it has arrived, because
 * an empty body counts as `{}` whatever its type; only a form goes to whoever reads forms, who finds an empty one empty.
 *
 * @throws {ApiError} `request_invalid`, `content_type_unsupported` or `body_too_large`.
 */
export function checkBodyHeaders(request: ReceivedRequest): void {
  const { headers } = request.incoming;
  request.contentType = onlyHeaderOf(request.incoming, 'Content-Type') ?? '';
  // We judge the type ourselves, knowing whether there is a body; the framework shall not do it before.
  headers['content-type'] = 'application/json';
  const length = Number(headers['content-length'] ?? 0);
  const isChunkedForm =
    headers['transfer-encoding'] !== undefined && uploadOf(request) !== null && mediaTypeOf(request) === formType;
  if (length === 0 && !isChunkedForm) return;
  checkContentType(request);
  if (uploadOf(request)) headers['content-type'] = formType;
  else if (length > bodyBytesMax) throw bodyTooLarge();
}

/** Reads the body. Its text is kept for the log, also when it is refused. */
export async function readBody(request: ReceivedRequest): Promise<object> {
  const bytes = await receiveBytes(request.incoming.raw, request.bodyBytes).catch((error: unknown) => {
    // A body without a length is found too large while it arrives, but its type is what is wrong with it first.
    if (error instanceof ApiError) checkContentType(request);
    throw error;
  });
  request.bodyBytes?.arrived(bytes.length);
  if (bytes.length === 0) return {};
  checkContentType(request);
  try {
    const { text, value } = parseJsonObject(bytes);
    const secrets = secretMembersOf(request).filter((name) => Object.hasOwn(value, name));
    request.bodyText = secrets.length === 0 ? text : JSON.stringify(withoutSecrets(value as JsonObject, secrets));
    return value;
  } catch (error) {
    // What is no JSON is kept as far as it helps to find out why, unless there may be a secret in it.
    const isKept = secretMembersOf(request).length === 0;
    request.bodyText = isKept ? storable(bytes.subarray(0, keptOfUnreadableMax).toString('utf8')) : null;
    throw error;
  }
}

function secretMembersOf({ route }: ReceivedRequest): readonly string[] {
  return route?.secretMembers ?? [];
}

function withoutSecrets(body: JsonObject, names: readonly string[]): JsonObject {
  return { ...body, ...Object.fromEntries(names.map((name) => [name, redacted(body[name]!)])) };
}

/** The same value with every text in it made unreadable, so that its shape can still be looked at. */
function redacted(value: Json): Json {
  if (Array.isArray(value)) return value.map(redacted);
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? '[redacted]' : value;
  const shape: JsonObject = {};
  for (const [name, member] of Object.entries(value)) setMember(shape, name, redacted(member));
  return shape;
}

function checkContentType(request: ReceivedRequest): void {
  const { incoming, contentType } = request;
  for (const [name, plain] of plainEncodings) {
    const encoding = headerOf(incoming, name.toLowerCase());
    if (encoding === undefined || encoding.toLowerCase() === plain) continue;
    throw new ApiError(
      'content_type_unsupported',
      `\`${name}: ${encoding.slice(0, 40)}\` is not read. Send the body as it is.`,
    );
  }
  const wanted = uploadOf(request) ? formType : 'application/json';
  if (mediaTypeOf(request) === wanted) return;
  throw new ApiError(
    'content_type_unsupported',
    contentType === ''
      ? `The body has no \`Content-Type\`. Send it as \`${wanted}\`.`
      : `\`Content-Type: ${contentType.slice(0, 80)}\` is not read. Send the body as \`${wanted}\`.`,
  );
}

/** The `Content-Type` without its parameters (RFC 9110, 8.3.1). */
function mediaTypeOf({ contentType }: ReceivedRequest): string {
  return contentType.trim().split(/\s*;/, 1)[0]!.toLowerCase();
}

/** What the route takes a file for; null if its body is JSON. */
export function uploadOf({ route }: ReceivedRequest): UploadRoute | null {
  return route?.upload ?? null;
}

/** PostgreSQL stores no NUL; whoever reads the log of a refused body sees a replacement character. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}
