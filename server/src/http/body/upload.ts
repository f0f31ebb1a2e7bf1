import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { isObject, setMember, type JsonObject } from '../../core/json-diff.ts';
import { ApiError, invalidParameter } from '../../core/errors.ts';
import { formats } from '../../core/formats.ts';
import { startingWith } from '../../core/iterables.ts';
import { maskSecrets } from '../../core/secrets/mask-secrets.ts';
import type { Contents, FileType } from '../../model/traits/stores-file.ts';
import { uploadBytes } from './body-bytes.ts';
import { BodyBrokenOffError, GrowingBytes, onTooManyChunks } from './incoming-bytes.ts';
import type { ApiRequest, PendingUpload, UploadRoute } from '../request.ts';
import type { HttpContext } from '../context.ts';

/** The size of a stored part in bytes. Only one part of a file is in memory. */
const partBytes = 64 * 1024;

/** The largest text field, in bytes. */
const textBytesMax = 8 * 1024;

/** Nearly all text fields are smaller, in bytes. */
const firstTextBytes = 128;

/** The size of a form without the file, in bytes: all fields, their headers and boundaries. */
const overheadBytesMax = 256 * 1024;

const fieldsMax = 100;

/** Bytes. RFC 2046 allows 70 characters. */
const boundaryBytesMax = 200;

/** A kilobyte at each end shows the type of a file. */
const tellingBytes = 1024;

/** The name of the field with the file. */
export const fileField = 'file';

/** The facts of an uploaded file. */
interface FileFacts {
  filename: string;
  size: number;
  sha256: string;
  content_type: string;
}

/**
 * Reads a form (RFC 7578) and returns it as a body. The body has the form's fields, with `metadata[key]` in `metadata`. Under `file` it has
 * the facts of the file. Stores the bytes of a document as they arrive. A picture is made again first, so that its metadata is never stored.
 * The file of an import is kept for its decision.
 *
 * @throws {ApiError} `body_invalid` or `body_too_large`. `parameter_invalid` for a file of the wrong type or with active content.
 * @throws {ApiError} `rate_limit` or `overloaded` without room for a picture.
 */
export async function readUpload(
  context: HttpContext,
  request: ApiRequest,
  { contents, prefix }: UploadRoute,
  form: IncomingMessage,
): Promise<JsonObject> {
  const upload =
    prefix === null ? null : { accountId: request.accountId, id: context.ids.make(prefix), inDoubt: false };
  request.upload = upload;
  // A picture waits in memory for its check, even if its client disconnects. Clients that come and go must not fill the memory.
  request.bodyBytes?.workBegins();
  try {
    const body = await readForm(request.contentType, contents, form, (file, filename) => {
      requireFilename(filename);
      return upload
        ? storeFile(context, request, upload, contents, file, filename)
        : holdFile(request, contents, file, filename);
    });
    // An import that waits for its turn has its file in memory, and nothing else.
    if (request.file) request.bodyBytes?.arrived(request.file.bytes.buffer.byteLength);
    // The log has the name, size and hash of a file, never the bytes.
    request.bodyText = maskSecrets(JSON.stringify(context.secretMembers.redact(body)));
    return body;
  } catch (error) {
    await discardUpload(context, request);
    throw error;
  }
}

/** Removes bytes that will not become a file. If that fails, they are removed later. */
export async function discardUpload({ fileStore, log }: HttpContext, request: ApiRequest): Promise<void> {
  const { upload } = request;
  if (!upload) return;
  request.upload = null;
  await fileStore.discard(upload.accountId, upload.id, upload.inDoubt).catch((error: unknown) => {
    log.warn({ request: request.id, err: error }, 'an upload that was refused could not be removed yet');
  });
}

async function readForm(
  contentType: string,
  contents: Contents,
  request: IncomingMessage,
  store: (file: AsyncIterable<Buffer>, filename: string) => Promise<FileFacts>,
): Promise<JsonObject> {
  const body: JsonObject = {};
  const parts: Readable[] = [];
  const readings: Promise<void>[] = [];
  const boundary = boundaryOf(contentType);
  const form = openForm(boundary, contents);
  const endForm = (): void => void form.end();
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  await new Promise<void>((resolve, reject) => {
    let [bytes, delimiters] = [0, 0];
    form.on('file', (name, part, filename) => {
      const reading = readPart(body, name, part, filename, store);
      parts.push(part);
      // Its reader gets the error.
      part.on('error', () => {});
      readings.push(reading);
      reading.catch(reject);
    });
    form.on('partsLimit', () => reject(tooManyFields()));
    form.on('finish', () => void Promise.all(readings).then(() => resolve(), reject));
    form.on('error', () => {
      if (bytes > 0) reject(invalidForm('The body is not complete `multipart/form-data` (RFC 7578).'));
      // As everywhere, an empty body has no members.
      else resolve();
    });
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > contents.bytesMax + overheadBytesMax) reject(fileTooLarge(contents));
      // The parser makes objects for each field of a chunk before it can stop. A chunk of boundaries has thousands.
      delimiters += countIn(chunk, delimiter, fieldsMax + 2);
      if (delimiters > fieldsMax + 1) return reject(tooManyFields());
      if (form.write(chunk)) return;
      request.pause();
      form.once('drain', () => request.resume());
    });
    request.on('end', endForm);
    onTooManyChunks(request, reject);
    const breakOff = (cause?: unknown): void => {
      if (!request.readableEnded) reject(new BodyBrokenOffError(cause));
    };
    request.on('error', breakOff).on('close', breakOff);
    if (request.destroyed) breakOff();
  }).catch(async (error: unknown) => {
    // Read and discard the rest, so that the client gets the response and can reuse the connection.
    request.off('end', endForm).removeAllListeners('data').resume();
    // Stop all writes before the response.
    for (const part of parts) part.destroy(new Error('The form was refused.'));
    await Promise.allSettled(readings);
    throw error;
  });
  return body;
}

/** Returns the boundary of a form's `Content-Type`. It has ASCII characters only, so that the parser and the count find the same bytes. */
function boundaryOf(contentType: string): string {
  const [, quoted, plain] = /;\s*boundary=(?:"([ !#-[\]-~]+)"|([!#-:<-[\]-~]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined || boundary.length > boundaryBytesMax)
    throw invalidForm('The `Content-Type` of the form has no valid `boundary`. Let your HTTP client set this header.');
  return boundary;
}

/** Counts how often a text is in the bytes, up to `max`. */
function countIn(bytes: Buffer, text: Buffer, max: number): number {
  let count = 0;
  for (let at = bytes.indexOf(text); at >= 0 && count < max; at = bytes.indexOf(text, at + text.length)) count++;
  return count;
}

function openForm(boundary: string, contents: Contents): InstanceType<typeof Busboy> {
  return new Busboy({
    headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
    // Read fields as bytes too, because Busboy does not refuse invalid UTF-8.
    isPartAFile: () => true,
    limits: { parts: fieldsMax, fileSize: contents.bytesMax + 1, headerPairs: 20, headerSize: 4 * 1024 },
  });
}

async function readPart(
  body: JsonObject,
  name: string | undefined,
  part: Readable,
  filename: string | undefined,
  store: (file: AsyncIterable<Buffer>, filename: string) => Promise<FileFacts>,
): Promise<void> {
  if (name === undefined || name === '') throw invalidForm('A field of the form has no name. Name every field.');
  if (name === 'metadata') throw metadataInOne();
  if (!isStorable(name))
    throw invalidForm('A field of the form has a NUL or an unpaired surrogate in its name. Remove it.');
  const [, key] = /^metadata\[([^[\]]*)\]$/.exec(name) ?? [];
  const target = key === undefined ? body : metadataOf(body);
  const member = key ?? name;
  if (Object.hasOwn(target, member)) {
    throw invalidParameter(shorten(name), `\`${shorten(name)}\` was sent twice. Send it once.`);
  }
  // Reserve the member before its value arrives.
  setMember(target, member, null);
  setMember(
    target,
    member,
    name === fileField ? { ...(await store(part, filename ?? '')) } : await readText(name, part),
  );
}

/** Checks a decoded name. Names can have their own encoding (RFC 8187), and with it forbidden characters. The rules are those of JSON. */
function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

function metadataOf(body: JsonObject): JsonObject {
  const known = Object.hasOwn(body, 'metadata') ? body.metadata : undefined;
  if (isObject(known)) return known;
  const pairs: JsonObject = {};
  body.metadata = pairs;
  return pairs;
}

function metadataInOne(): ApiError {
  return invalidParameter('metadata', 'Send each pair of `metadata` in a field of its own, such as `metadata[order]`.');
}

async function readText(name: string, part: AsyncIterable<Buffer>): Promise<string> {
  const bytes = new GrowingBytes(firstTextBytes, textBytesMax, () =>
    invalidParameter(shorten(name), `\`${shorten(name)}\` has more than ${textBytesMax / 1024} kB. Shorten it.`),
  );
  for await (const chunk of part) bytes.add(chunk);
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.release());
    if (isStorable(text)) return text;
  } catch {
    // Invalid UTF-8 gets the same error as a NUL.
  }
  throw invalidParameter(
    shorten(name),
    `\`${shorten(name)}\` is not valid UTF-8, or has a NUL character. Send plain text in UTF-8.`,
  );
}

/** @throws {ApiError} if the file is too large, of the wrong type, or refused by its check. */
async function storeFile(
  context: HttpContext,
  request: ApiRequest,
  upload: PendingUpload,
  contents: Contents,
  file: AsyncIterable<Buffer>,
  filename: string,
): Promise<FileFacts> {
  const { fileStore, realClock, fileChecker } = context;
  const { accountId, id } = upload;
  await fileStore.begin(accountId, id, realClock.nowMs());
  const parts = inParts(file);
  const { value: first } = await parts.next();
  const type = first && typeOf(contents, first.subarray(0, tellingBytes));
  // Refuse a wrong beginning before storing anything.
  if (!first || !type) throw wrongContents(contents);
  if (type.handling === 'remade') {
    const picture = await receivePicture(request, contents, startingWith(first, parts));
    const made = await fileChecker.remake(request.payer, type.contentType, picture, contents.bytesMax);
    return storeParts(context, upload, contents, type, inParts([made]), filename);
  }
  const stored = await storeParts(context, upload, contents, type, startingWith(first, parts), filename);
  if (type.handling === 'inspected') {
    const bytes = stored.size === first.length ? [first] : fileStore.read(accountId, id);
    await fileChecker.inspect(request.payer, type.contentType, bytes);
  }
  return stored;
}

async function storeParts(
  { fileStore }: HttpContext,
  upload: PendingUpload,
  contents: Contents,
  type: FileType,
  parts: AsyncIterable<Buffer>,
  filename: string,
): Promise<FileFacts> {
  const { accountId, id } = upload;
  const hash = createHash('sha256');
  let [size, ordinal] = [0, 0];
  let tail: Buffer = Buffer.alloc(0);
  for await (const part of parts) {
    size += part.length;
    if (size > contents.bytesMax) throw fileTooLarge(contents);
    hash.update(part);
    tail = Buffer.concat([tail, part]).subarray(-tellingBytes);
    await fileStore.addPart(accountId, id, ordinal, part).catch((error: unknown) => {
      upload.inDoubt = true;
      throw error;
    });
    ordinal++;
  }
  if (!type.endsAs(tail)) throw wrongContents(contents);
  return { filename, size, sha256: hash.digest('hex'), content_type: type.contentType };
}

function typeOf({ types }: Contents, head: Buffer): FileType | null {
  return types.find((type) => type.beginsAs(head)) ?? null;
}

/**
 * Receives a whole picture. The request holds room for what has arrived.
 *
 * @throws {ApiError} if it is too large, or if there is no room.
 */
async function receivePicture(request: ApiRequest, contents: Contents, parts: AsyncIterable<Buffer>): Promise<Buffer> {
  const bytes = new GrowingBytes(partBytes, contents.bytesMax, () => fileTooLarge(contents));
  for await (const part of parts) bytes.add(part, (capacity) => request.bodyBytes?.grow(uploadBytes + capacity));
  return bytes.release();
}

/**
 * Keeps a file in memory until the response, for an import.
 *
 * @throws {ApiError} if the file is too large.
 */
async function holdFile(
  request: ApiRequest,
  contents: Contents,
  file: AsyncIterable<Buffer>,
  filename: string,
): Promise<FileFacts> {
  const bytes = new GrowingBytes(partBytes, contents.bytesMax, () => fileTooLarge(contents));
  for await (const chunk of file) bytes.add(chunk);
  const held = bytes.release();
  const sha256 = createHash('sha256').update(held).digest('hex');
  request.file = { bytes: held, filename, sha256 };
  return { filename, size: held.length, sha256, content_type: contents.types[0].contentType };
}

function requireFilename(filename: string): void {
  if (filename !== '' && formats['single-line'](filename) === null && isStorable(filename)) return;
  throw invalidParameter(
    fileField,
    `Send \`${fileField}\` as a file with a visible filename. The name cannot have control characters, marks that change the direction of text, or unpaired surrogates.`,
  );
}

/** Splits bytes into parts of one size. The last part may be smaller. */
async function* inParts(bytes: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer, undefined> {
  let part = Buffer.allocUnsafe(partBytes);
  let size = 0;
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length;) {
      const copied = chunk.copy(part, size, at);
      at += copied;
      size += copied;
      if (size < partBytes) continue;
      yield part;
      part = Buffer.allocUnsafe(partBytes);
      size = 0;
    }
  }
  if (size > 0) yield part.subarray(0, size);
}

function wrongContents({ description }: Contents): ApiError {
  return invalidParameter(
    fileField,
    `\`${fileField}\` must be ${description}, and its contents are something else. The name of the file does not matter.`,
  );
}

function fileTooLarge({ bytesMax }: Contents): ApiError {
  return new ApiError(
    'body_too_large',
    `The file has more than ${bytesMax / 1024 / 1024} MB, the limit. Send a smaller one.`,
  );
}

function tooManyFields(): ApiError {
  return invalidForm(`The form has more than ${fieldsMax} fields. Send fewer.`);
}

function invalidForm(message: string): ApiError {
  return new ApiError('body_invalid', message);
}

function shorten(name: string): string {
  return name.length <= 80 ? name : `${name.slice(0, 80).toWellFormed()}…`;
}
