import type { IncomingMessage } from 'node:http';
import { ApiError } from '../../core/errors.ts';
import type { HeldBody } from '../request.ts';
import { dropChunks } from '../parser.ts';
import { bodyBytesMax, firstBytes } from './body-bytes.ts';

/** The number of chunks that a body of any size may have. */
const chunksMin = 256;

/** Above `chunksMin`, chunks must have so many bytes on average. A smaller chunk takes more memory than its content. */
const chunkBytesMin = 32;

/** The client closed the connection before its body was complete, or was cut off. No response reaches it. */
export class BodyBrokenOffError extends Error {
  constructor(cause?: unknown) {
    super('The connection was closed before the body was complete.', { cause });
  }
}

/** The size that a body may have, in bytes, and the error for a larger one. */
export interface BodyLimit {
  bytesMax: number;
  tooLarge: () => ApiError;
}

/**
 * Reads a body into one buffer. The request holds room for what has arrived.
 *
 * @param limit the size that the body may have. By default, that of any body of the API.
 * @throws {ApiError} `body_too_large`, `body_invalid` if its chunks are too small, `rate_limit` or `overloaded` without room.
 * @throws {BodyBrokenOffError}
 */
export function receiveBytes(
  incoming: IncomingMessage,
  held: HeldBody | null,
  { bytesMax, tooLarge }: BodyLimit = { bytesMax: bodyBytesMax, tooLarge: bodyTooLarge },
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (incoming.destroyed) return reject(new BodyBrokenOffError());
    const length = lengthOf(incoming);
    if (length !== null && length > bytesMax) return reject(tooLarge());
    const bytes = new GrowingBytes(length ?? Math.min(firstBytes, bytesMax), bytesMax, tooLarge);
    const take = (chunk: Buffer): void => {
      try {
        bytes.add(chunk, (capacity) => held?.grow(capacity));
      } catch (error) {
        refuse(error);
      }
    };
    const refuse = (error: unknown): void => {
      end();
      incoming.resume();
      reject(error);
    };
    const finish = (): void => {
      end();
      resolve(bytes.release());
    };
    const breakOff = (cause?: unknown): void => {
      end();
      reject(new BodyBrokenOffError(cause));
    };
    const end = (): void => void incoming.off('data', take).off('end', finish).off('close', breakOff);
    incoming.on('data', take).on('end', finish).on('close', breakOff);
    // The event 'close' follows.
    incoming.on('error', () => {});
    onTooManyChunks(incoming, refuse);
  });
}

const nothing = Buffer.alloc(0);

/** Copies chunks into one buffer as they arrive. Separate chunks would keep the socket's buffers in memory. */
export class GrowingBytes {
  readonly #bytesMax: number;
  readonly #tooLarge: () => ApiError;
  #bytes: Buffer;
  #length = 0;

  /** @param tooLarge makes the error for more than `bytesMax`. */
  constructor(capacity: number, bytesMax: number, tooLarge: () => ApiError) {
    this.#bytes = Buffer.allocUnsafe(capacity);
    this.#bytesMax = bytesMax;
    this.#tooLarge = tooLarge;
  }

  /**
   * @param beforeGrowth is called with the new capacity. If it throws, nothing is added.
   * @throws {ApiError} if there are more than `bytesMax`.
   */
  add(chunk: Uint8Array, beforeGrowth?: (capacity: number) => void): void {
    const length = this.#length + chunk.length;
    if (length > this.#bytesMax) throw this.#tooLarge();
    if (length > this.#bytes.length) {
      const capacity = Math.min(Math.max(2 * this.#bytes.length, length), this.#bytesMax);
      beforeGrowth?.(capacity);
      const larger = Buffer.allocUnsafe(capacity);
      this.#taken().copy(larger);
      this.#bytes = larger;
    }
    this.#bytes.set(chunk, this.#length);
    this.#length = length;
  }

  /**
   * Returns the bytes without a copy, and forgets them. A connection that stays open keeps its last request. Node takes a small buffer from
   * a pool of 64 kB, and the buffer would keep the whole pool.
   */
  release(): Buffer {
    const bytes = this.#taken();
    this.#bytes = nothing;
    this.#length = 0;
    return bytes;
  }

  #taken(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }
}

/** Closes the connection of a refused client after so many milliseconds, in which it can read its response. */
const lingerMs = 5_000;

const refused = new WeakSet<IncomingMessage>();

/** The event of a body with too many chunks. */
const refusedEvent = 'tooManySmallChunks';

/**
 * Drops a body with absurdly many chunks, because each takes an object. Counts chunks as the parser finds them, before the stream stores
 * any. Then stops reading from the connection, which is closed after the response.
 */
export function boundChunks(incoming: IncomingMessage): void {
  // A body with a length has only the chunks of the network.
  if (lengthOf(incoming) !== null) return;
  const push = incoming.push.bind(incoming);
  let chunks = 0;
  let bytes = 0;
  incoming.push = (chunk: Buffer | null) => {
    if (chunk === null) return push(chunk);
    chunks++;
    bytes += chunk.length;
    if (chunks <= chunksMin + bytes / chunkBytesMin) return push(chunk);
    if (!refused.has(incoming)) cutOff(incoming);
    return true;
  };
}

function cutOff(incoming: IncomingMessage): void {
  const { socket } = incoming;
  refused.add(incoming);
  // oxlint-disable-next-line eslint/no-underscore-dangle -- The stream resumes its socket whenever it asks for more.
  incoming._read = () => {};
  dropChunks(socket);
  socket.pause();
  setTimeout(() => socket.destroy(), lingerMs).unref();
  incoming.emit(refusedEvent);
}

/** Calls back with the refusal of a body with too many chunks. */
export function onTooManyChunks(incoming: IncomingMessage, callback: (refusal: ApiError) => void): void {
  const tell = (): void =>
    callback(
      new ApiError('body_invalid', 'The body has too many small chunks. Send larger chunks, or a `Content-Length`.'),
    );
  if (refused.has(incoming)) tell();
  else incoming.once(refusedEvent, tell);
}

/** Returns the `Content-Length` in bytes, or null for a chunked body. */
function lengthOf({ headers }: IncomingMessage): number | null {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : null;
}

export function bodyTooLarge(): ApiError {
  return new ApiError('body_too_large', `The body has more than ${bodyBytesMax / 1024} kB, the limit. Send less.`);
}
