import type { IncomingMessage } from 'node:http';
import { ApiError } from '../../core/errors.ts';
import type { HeldBody } from '../request.ts';
import { dropChunks } from '../parser.ts';
import { bodyBytesMax, firstBytes } from './body-bytes.ts';

/** A body of any size may have so many chunks. */
const chunksMin = 256;

/** Above `chunksMin`, chunks must have so many bytes on average. A smaller one costs more than what it brings. */
const chunkBytesMin = 32;

/** The client closed the connection before its body was complete, or was cut off. No response reaches it. */
export class BodyBrokenOffError extends Error {
  constructor(cause?: unknown) {
    super('The connection was closed before the body was complete.', { cause });
  }
}

/**
 * Reads a body into one buffer. The request holds room for what has arrived.
 *
 * @throws {ApiError} `body_too_large`; `body_invalid` if its chunks are too small; `rate_limit` or `overloaded` without room.
 * @throws {BodyBrokenOffError}
 */
export function receiveBytes(incoming: IncomingMessage, held: HeldBody | null): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (incoming.destroyed) return reject(new BodyBrokenOffError());
    const length = lengthOf(incoming);
    if (length !== null && length > bodyBytesMax) return reject(bodyTooLarge());
    const bytes = new GrowingBytes(length ?? firstBytes, bodyBytesMax, bodyTooLarge);
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
      resolve(bytes.taken());
    };
    const breakOff = (cause?: unknown): void => {
      end();
      reject(new BodyBrokenOffError(cause));
    };
    const end = (): void => void incoming.off('data', take).off('end', finish).off('close', breakOff);
    incoming.on('data', take).on('end', finish).on('close', breakOff);
    // 'close' follows.
    incoming.on('error', () => {});
    onTooManyChunks(incoming, refuse);
  });
}

/** Copies chunks together as they arrive. Kept as they are, each would be an object that holds on to what the socket read. */
export class GrowingBytes {
  readonly #bytesMax: number;
  readonly #tooLarge: () => ApiError;
  #bytes: Buffer;
  #length = 0;

  /** @param tooLarge makes the error that more than `bytesMax` is refused with. */
  constructor(capacity: number, bytesMax: number, tooLarge: () => ApiError) {
    this.#bytes = Buffer.allocUnsafe(capacity);
    this.#bytesMax = bytesMax;
    this.#tooLarge = tooLarge;
  }

  /**
   * @param beforeGrowth is called with the new capacity. If it throws, nothing is added.
   * @throws {ApiError} if it is too large.
   */
  add(chunk: Uint8Array, beforeGrowth?: (capacity: number) => void): void {
    const length = this.#length + chunk.length;
    if (length > this.#bytesMax) throw this.#tooLarge();
    if (length > this.#bytes.length) {
      const capacity = Math.min(Math.max(2 * this.#bytes.length, length), this.#bytesMax);
      beforeGrowth?.(capacity);
      const larger = Buffer.allocUnsafe(capacity);
      this.taken().copy(larger);
      this.#bytes = larger;
    }
    this.#bytes.set(chunk, this.#length);
    this.#length = length;
  }

  /** The bytes so far. They are not copied. */
  taken(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }
}

/** A refused client can read its response this long, in milliseconds, before its connection is closed. */
const lingerMs = 5_000;

const refused = new WeakSet<IncomingMessage>();

/** Tells the reader of a body that it comes in too many chunks. */
const refusedEvent = 'tooManySmallChunks';

/**
 * Drops a body that comes in absurdly many chunks: each costs an object. Counts them as the parser finds them,
 * before the stream keeps any. Nothing more is read from the connection then, which is closed after the response.
 */
export function boundChunks(incoming: IncomingMessage): void {
  // A body with a length has no chunks but what the network makes.
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

/** Calls back with the refusal of a body that comes in too many chunks. */
export function onTooManyChunks(incoming: IncomingMessage, callback: (refusal: ApiError) => void): void {
  const tell = (): void =>
    callback(
      new ApiError(
        'body_invalid',
        'The body comes in too many small chunks. Send it in larger ones, or with `Content-Length`.',
      ),
    );
  if (refused.has(incoming)) tell();
  else incoming.once(refusedEvent, tell);
}

/** Returns the `Content-Length`, in bytes; null if the body comes in chunks. */
function lengthOf({ headers }: IncomingMessage): number | null {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : null;
}

export function bodyTooLarge(): ApiError {
  return new ApiError('body_too_large', `The body has more than ${bodyBytesMax / 1024} kB, the most that is taken.`);
}
