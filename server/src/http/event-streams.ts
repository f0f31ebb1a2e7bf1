import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { ApiError } from '../core/errors.ts';
import { PositionRemovedError, type PlacedEvent } from '../db/event-order.ts';
import { chooseAccount, openAccounts, type AccountContext } from './account-context.ts';
import { authenticate, openKeyRing, type KeyRing } from './authenticate.ts';
import type { Call, HttpContext } from './call.ts';
import { apiErrorOf } from './errors.ts';
import { requirePermission } from './permission.ts';
import { streamBounds, UnderWay } from './under-way.ts';

/** What a client follows. */
export interface Followed {
  /**
   * The next events in their order; none if there was none within `timeoutMs`, or `leave` was called.
   *
   * @throws {UnavailableError} they cannot be read just now.
   * @throws {PositionRemovedError} some of them may have been removed before they were read.
   */
  next(timeoutMs: number): Promise<PlacedEvent[]>;
  leave(): void;
  /** Whether the client wants it. */
  has(event: PlacedEvent): boolean;
  /** As it is sent. */
  messageOf(event: PlacedEvent): string;
}

export interface StreamLimits {
  /** When nothing was sent for so long, something is: whoever is between keeps the connection open. */
  heartbeatMs: number;
  /** A client that has not taken what was sent after this does not read. */
  stalledMs: number;
}

export const streamLimits: StreamLimits = { heartbeatMs: 15_000, stalledMs: 30_000 };

/** A client that lost its stream waits for so long, if it follows the standard. */
const retryMs = 1_000;

/** Many messages are sent as one, up to this many characters. */
const togetherMax = 64 * 1024;

/** What may end a stream is looked at this often, and what is known of it is no older than that: together well below a second. */
const watchEveryMs = 250;
const freshMs = 200;

/** A stream that is ended waits for so long until its client has taken what was sent, and is cut off then. */
const endingMs = 500;

/**
 * The streams that are open in this process. Each is as good as its key, at any time: when that ends, or may do this no longer, the
 * stream ends too.
 */
export class EventStreams {
  readonly #context: HttpContext;
  readonly #keyRing: KeyRing;
  readonly #accountContext: AccountContext;
  readonly #underWay = new UnderWay(streamBounds);
  readonly #open = new Set<OpenStream>();
  #watching: NodeJS.Timeout | undefined;
  #isStopping = false;

  constructor(context: HttpContext) {
    const { reader, resources, committer, readRecord, config } = context;
    this.#context = context;
    this.#keyRing = openKeyRing(reader, freshMs);
    this.#accountContext = { accounts: openAccounts(reader, freshMs), resources, committer, readRecord, config };
  }

  /**
   * Answers with what is followed, until the client goes away.
   *
   * @throws {ApiError} `rate_limit` or `overloaded` where there are too many; what `follow` throws.
   */
  async begin(call: Call, reply: FastifyReply, follow: () => Promise<Followed>): Promise<FastifyReply> {
    // Whose key it is, and not for whom it acts: as for the rate limit.
    const end = this.#underWay.begin(call.key!.accountId);
    const closed = new Promise<void>((resolve) => {
      // The client may have gone away before.
      if (reply.raw.closed) resolve();
      else reply.raw.once('close', resolve);
    });
    void closed.then(end);
    const cutOff = (): unknown => reply.raw.destroy();
    const stream = new OpenStream(call, await follow(), cutOff);
    void closed.then(() => this.#forget(stream));
    this.#open.add(stream);
    this.#watching ??= setInterval(() => this.#watch(), watchEveryMs).unref();
    if (this.#isStopping) stream.end();
    const messages = cutOffIfStalled(this.#messagesOf(stream), this.#context.streamLimits.stalledMs, cutOff);
    return (
      reply
        .header('content-type', 'text/event-stream; charset=utf-8')
        // Whoever is between shall neither keep it, change it nor hold it back.
        .header('cache-control', 'no-store, no-transform')
        .header('x-accel-buffering', 'no')
        .send(Readable.from(messages, { objectMode: false }))
    );
  }

  /** Ends all that are open, and those that are still begun. */
  endAll(): void {
    this.#isStopping = true;
    for (const stream of this.#open) stream.end();
  }

  #forget(stream: OpenStream): void {
    stream.closed();
    this.#open.delete(stream);
    if (this.#open.size > 0) return;
    clearInterval(this.#watching);
    this.#watching = undefined;
  }

  /** What goes out, in pieces. It ends in good order whatever ends it: the client comes back, and is told why if that is of use. */
  async *#messagesOf(stream: OpenStream): AsyncGenerator<string> {
    const { heartbeatMs } = this.#context.streamLimits;
    const { call, followed } = stream;
    let sentAtMs = performance.now();
    let sentId: string | null = null;
    let passedId: string | null = null;
    yield `retry: ${retryMs}\n\n`;
    try {
      while (!stream.hasEnded) {
        const events = await followed.next(sentAtMs + heartbeatMs - performance.now());
        await this.#requireAccess(call);
        let text = '';
        for (const event of events) {
          passedId = event.id;
          if (!followed.has(event)) continue;
          text += followed.messageOf(event);
          sentId = event.id;
          if (text.length < togetherMax) continue;
          yield text;
          if (stream.hasEnded) return;
          text = '';
          sentAtMs = performance.now();
        }
        if (text === '' && performance.now() - sentAtMs >= heartbeatMs) {
          // Whoever comes back need not begin where the last event was that its filters let through.
          text = passedId === sentId ? ':\n\n' : `:\nid: ${passedId}\n\n`;
          sentId = passedId;
        }
        if (text === '') continue;
        yield text;
        sentAtMs = performance.now();
      }
    } catch (error) {
      const isForeseen = error instanceof PositionRemovedError || apiErrorOf(error, call).code !== 'internal';
      if (!isForeseen) this.#context.log.error({ request: call.id, err: error }, 'a stream failed');
    } finally {
      stream.end();
    }
  }

  /** What is not known just now ends nothing: without access nothing is sent either. */
  #watch(): void {
    for (const stream of this.#open) {
      this.#requireAccess(stream.call).catch((error: unknown) => {
        if (error instanceof ApiError) stream.end();
      });
    }
  }

  /** @throws {ApiError} the key has ended, has lost its permission, or acts for an account that is not connected any more. */
  async #requireAccess(call: Call): Promise<void> {
    const { config, clock } = this.#context;
    const key = await authenticate(call.request, this.#keyRing, { mode: config.mode, clock });
    await chooseAccount(this.#accountContext, { ...call, key });
    requirePermission(call.route!.permission, key.permissions);
  }
}

class OpenStream {
  readonly call: Call;
  readonly followed: Followed;
  hasEnded = false;
  readonly #cutOff: () => void;
  #ending: NodeJS.Timeout | undefined;

  constructor(call: Call, followed: Followed, cutOff: () => void) {
    this.call = call;
    this.followed = followed;
    this.#cutOff = cutOff;
  }

  /** Sends nothing more. */
  end(): void {
    this.hasEnded = true;
    this.followed.leave();
    this.#ending ??= setTimeout(this.#cutOff, endingMs);
  }

  /** Its connection has nothing more to do with it. */
  closed(): void {
    this.end();
    clearTimeout(this.#ending);
  }
}

/** Passes texts on, and gives up when the next one is not asked for within `stalledMs` of the last. */
async function* cutOffIfStalled(
  texts: AsyncGenerator<string>,
  stalledMs: number,
  cutOff: () => void,
): AsyncGenerator<string> {
  for await (const text of texts) {
    const timer = setTimeout(cutOff, stalledMs);
    try {
      yield text;
    } finally {
      clearTimeout(timer);
    }
  }
}
