import type { FastifyReply } from 'fastify';
import type { HeldBytes } from '../../core/byte-budget.ts';
import { ApiError } from '../../core/errors.ts';
import { PositionRemovedError } from '../../events/event-order.ts';
import { followedBytes } from '../../events/event-feed.ts';
import { chooseAccount, openAccounts, type AccountContext } from '../pipeline/account-context.ts';
import { authenticate, openKeyRing } from '../pipeline/authenticate.ts';
import { apiErrorOf } from '../response/errors.ts';
import { PacedBody } from '../response/paced-body.ts';
import { streamBounds, ConcurrencyLimit } from '../pipeline/concurrency.ts';
import type { ApiRequest } from '../request.ts';
import type { HttpContext, KeyRing, StreamLimits } from '../context.ts';
import type { Followed } from '../route.ts';
import { requirePermission } from '../../model/permissions.ts';

export const streamLimits: StreamLimits = { heartbeatMs: 15_000, stalledMs: 30_000, bytes: followedBytes };

/** A client that lost its stream waits for so long, if it follows the standard. */
const retryMs = 1_000;

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
  readonly #underWay = new ConcurrencyLimit(streamBounds);
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
  async begin(request: ApiRequest, reply: FastifyReply, follow: () => Promise<Followed>): Promise<FastifyReply> {
    // Whose key it is, and not for whom it acts: as for the rate limit.
    const end = this.#underWay.begin(request.payer);
    const closed = new Promise<void>((resolve) => {
      // The client may have gone away before.
      if (reply.raw.closed) resolve();
      else reply.raw.once('close', resolve);
    });
    void closed.then(end);
    const cutOff = (): unknown => reply.raw.destroy();
    const stream = new OpenStream(request, await follow(), cutOff);
    void closed.then(() => this.#forget(stream));
    this.#open.add(stream);
    this.#watching ??= setInterval(() => this.#watch(), watchEveryMs).unref();
    if (this.#isStopping) stream.end();
    const body = new PacedBody(this.#messagesOf(stream), this.#context.streamLimits.stalledMs, cutOff);
    void closed.then(() => body.destroy());
    return (
      reply
        .header('content-type', 'text/event-stream; charset=utf-8')
        // Whoever is between shall neither keep it, change it nor hold it back.
        .header('cache-control', 'no-store, no-transform')
        .header('x-accel-buffering', 'no')
        .send(body)
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

  /**
   * Yields what goes out: a page of events as one piece. While its client takes a piece, a stream holds nothing else. It ends in good order
   * whatever ends it: the client comes back, and is told why if that is of use.
   */
  async *#messagesOf(stream: OpenStream): AsyncGenerator<Buffer> {
    const { heartbeatMs } = this.#context.streamLimits;
    const { request } = stream;
    const place: Place = { sentId: null, passedId: null };
    let sentAtMs = performance.now();
    yield Buffer.from(`retry: ${retryMs}\n\n`);
    try {
      while (!stream.hasEnded) {
        const next = await this.#nextPiece(stream, place, sentAtMs + heartbeatMs - performance.now());
        try {
          if (next.piece) {
            yield taken(next);
          } else if (performance.now() - sentAtMs >= heartbeatMs) {
            yield Buffer.from(heartbeatAt(place));
          } else continue;
        } finally {
          next.bytes.release();
        }
        sentAtMs = performance.now();
      }
    } catch (error) {
      const isForeseen = error instanceof PositionRemovedError || apiErrorOf(error, request).code !== 'internal';
      if (!isForeseen) this.#context.log.error({ request: request.id, err: error }, 'a stream failed');
    } finally {
      stream.end();
    }
  }

  /** Returns the next events as they are sent; null if there are none in time that the client wants. */
  async #nextPiece({ request, followed }: OpenStream, place: Place, timeoutMs: number): Promise<Piece> {
    const { events, bytes } = await followed.next(timeoutMs);
    try {
      await this.#requireAccess(request);
      let text = '';
      for (const event of events) {
        place.passedId = event.id;
        if (!followed.has(event)) continue;
        text += followed.messageOf(event);
        place.sentId = event.id;
      }
      const piece = text === '' ? null : Buffer.from(text);
      bytes.hold(piece?.length ?? 0);
      return { piece, bytes };
    } catch (error) {
      bytes.release();
      throw error;
    }
  }

  /** What is not known just now ends nothing: without access nothing is sent either. */
  #watch(): void {
    for (const stream of this.#open) {
      this.#requireAccess(stream.request).catch((error: unknown) => {
        if (error instanceof ApiError) stream.end();
      });
    }
  }

  /** @throws {ApiError} the key has ended, has lost its permission, or acts for an account that is not connected any more. */
  async #requireAccess(request: ApiRequest): Promise<void> {
    const { config, clock } = this.#context;
    const principal = await authenticate(request.incoming, this.#keyRing, { mode: config.mode, clock });
    await chooseAccount(this.#accountContext, { ...request, principal });
    requirePermission(request.route.permission, principal.permissions);
  }
}

class OpenStream {
  readonly request: ApiRequest;
  readonly followed: Followed;
  hasEnded = false;
  readonly #cutOff: () => void;
  #ending: NodeJS.Timeout | undefined;

  constructor(request: ApiRequest, followed: Followed, cutOff: () => void) {
    this.request = request;
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

/** Events as they are sent; null if there are none, or they were taken. */
interface Piece {
  piece: Buffer | null;
  bytes: HeldBytes;
}

/** Takes a piece out of what a generator remembers: its local values live as long as it waits for the next one. */
function taken(from: Piece): Buffer {
  const piece = from.piece!;
  from.piece = null;
  return piece;
}

/** How far a stream is: the last event that was sent, and the last that its filters were asked about. */
interface Place {
  sentId: string | null;
  passedId: string | null;
}

/** A comment. It tells a client where to resume if its filters have passed over events. */
function heartbeatAt(place: Place): string {
  if (place.passedId === place.sentId) return ':\n\n';
  place.sentId = place.passedId;
  return `:\nid: ${place.passedId}\n\n`;
}
