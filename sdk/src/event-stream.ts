import { ApiError, ConnectionError, TenureError, TimeoutError } from './errors.ts';
import { SseParser, type StreamBlock } from './sse-parser.ts';
import { retryAfterMs, sleep, unlessAborted } from './transport.ts';

/**
 * Opens one connection of a stream.
 *
 * @param lastEventId the position after which it begins, or null for now or for the parameter `after`.
 */
export type OpenConnection = (lastEventId: string | null, signal: AbortSignal) => Promise<Response>;

/** The wait before a reconnection unless the server names one, and the longest one, in milliseconds. */
const retryDefaultMs = 1_000;
const retryMaxMs = 30_000;

/** The server sends a comment every 15 s. After three times that, the connection is dead. */
const silenceMaxMs = 45_000;

/**
 * Events as they are committed: `for await (const event of tenure.events.stream())`. Connects when the loop begins. A lost connection is
 * opened again, for ever, after the last event that the loop has finished with. So no event is lost and none comes twice.
 *
 * The loop fails with an `ApiError` if a retry is useless, such as 400 `event_cursor_expired`, 401 and 403. Leave the loop to close the
 * connection.
 */
export class EventStream<E> implements AsyncIterableIterator<E, void, void> {
  readonly #open: OpenConnection;
  readonly #signal: AbortSignal | undefined;
  #lastEventId: string | null;
  /** Whether `#lastEventId` came on this stream. */
  #hasMoved = false;
  /** The id of the event that the loop works on. */
  #givenId: string | null = null;
  #connection: Connection | null = null;
  /** Ends the connection or the pause of now. */
  #abort = new AbortController();
  #failures = 0;
  #retryMs = retryDefaultMs;
  #hasEnded = false;
  /** The last call of `next`. Calls wait for each other. */
  #turn: Promise<unknown> = Promise.resolve();

  /** @param after the position to begin after, or null for now. */
  constructor(open: OpenConnection, after: string | null, signal: AbortSignal | undefined) {
    this.#open = open;
    this.#lastEventId = after;
    this.#signal = signal;
    signal?.addEventListener('abort', this.#onAbort);
  }

  /**
   * The id of the last event that the loop has finished with, or the position where the stream began. Store it to resume later with `after`.
   * Null before the first connection.
   */
  get lastEventId(): string | null {
    return this.#lastEventId;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Returns the next event. The call says that the event before it is finished. */
  next(): Promise<IteratorResult<E, void>> {
    const result = this.#turn.then(() => this.#next());
    this.#turn = result.catch(() => {});
    return result;
  }

  /** Closes the connection. The event that the loop works on does not count as finished. */
  async return(): Promise<IteratorResult<E, void>> {
    this.#end();
    return { done: true, value: undefined };
  }

  readonly #onAbort = (): void => this.#abort.abort(this.#signal!.reason);

  async #next(): Promise<IteratorResult<E, void>> {
    if (this.#hasEnded) return { done: true, value: undefined };
    if (this.#givenId !== null) this.#moveTo(this.#givenId);
    this.#givenId = null;
    try {
      this.#signal?.throwIfAborted();
      return { done: false, value: await this.#nextEvent() };
    } catch (error) {
      // `return` ends a call that waits.
      if (this.#hasEnded) return { done: true, value: undefined };
      this.#end();
      throw error;
    }
  }

  /** Reads, and reconnects, until there is an event. */
  async #nextEvent(): Promise<E> {
    for (;;) {
      const block = await this.#nextBlock();
      if (block === null) continue;
      this.#failures = 0;
      if (block.data !== null) {
        const event = parsed(block.data) as E;
        this.#givenId = block.id ?? null;
        return event;
      }
      if (block.id !== undefined) this.#moveTo(block.id);
    }
  }

  /** Returns null if there is no connection any more. A pause has then passed. */
  async #nextBlock(): Promise<StreamBlock | null> {
    const { signal } = this.#abort;
    let retryAfter: number | null = null;
    try {
      this.#connection ??= new Connection(await this.#open(this.#hasMoved ? this.#lastEventId : null, signal));
      const block = await this.#connection.next(signal);
      this.#retryMs = this.#connection.parser.retryMs ?? this.#retryMs;
      if (block !== null) return block;
    } catch (error) {
      signal.throwIfAborted();
      if (!isPassing(error)) throw error;
      if (error instanceof ApiError) retryAfter = retryAfterMs(error.headers);
    }
    signal.throwIfAborted();
    this.#disconnect();
    // The random part keeps the clients of a restarted server from coming all at once.
    const backoffMs = Math.random() * Math.min(retryMaxMs, this.#retryMs * 2 ** this.#failures++);
    await sleep(retryAfter ?? Math.min(retryMaxMs, this.#retryMs) + backoffMs, this.#abort.signal);
    return null;
  }

  #moveTo(id: string): void {
    this.#lastEventId = id === '' ? null : id;
    this.#hasMoved = true;
  }

  #disconnect(): void {
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#connection = null;
  }

  #end(): void {
    this.#hasEnded = true;
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#disconnect();
  }
}

/** One connection of a stream. */
class Connection {
  readonly parser = new SseParser();
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  /** Blocks that have come, and that the loop has not reached. */
  #blocks: StreamBlock[] = [];

  constructor(response: Response) {
    const type = response.headers.get('content-type') ?? 'no type';
    if (!response.body || !type.startsWith('text/event-stream')) {
      throw new TenureError(
        `The server answered with ${type} instead of an event stream. Check \`baseUrl\` and the proxies on the way.`,
      );
    }
    this.#reader = response.body.getReader();
  }

  /** Returns the next block, or null if the connection has ended, is broken or was silent for too long. */
  async next(signal: AbortSignal): Promise<StreamBlock | null> {
    while (this.#blocks.length === 0) {
      const chunk = await this.#read(signal);
      if (chunk === null) return null;
      this.#blocks = this.parser.push(chunk);
    }
    return this.#blocks.shift()!;
  }

  async #read(signal: AbortSignal): Promise<Uint8Array | null> {
    const ending = new AbortController();
    const abort = (): void => ending.abort();
    const timer = setTimeout(abort, silenceMaxMs);
    signal.addEventListener('abort', abort);
    try {
      const { done, value } = await unlessAborted(this.#reader.read(), ending.signal);
      return done ? null : value;
    } catch {
      return null;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
  }
}

/** Tells whether a reconnection may help. A stream repeats what a single request would not, because it can wait for ever. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof ApiError)) return error instanceof ConnectionError || error instanceof TimeoutError;
  return error.status >= 500 || [408, 409, 429].includes(error.status);
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw new TenureError('The stream has an event that is not JSON. Check the proxies on the way.');
  }
}
