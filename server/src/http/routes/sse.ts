import type { FastifyReply } from 'fastify';
import type { HeldBytes } from '../../core/limits/byte-budget.ts';
import { ApiError } from '../../core/errors.ts';
import { PositionRemovedError } from '../../events/event-order.ts';
import { subscriptionBytes } from '../../events/event-feed.ts';
import { chooseAccount, openAccounts, type AccountContext } from '../pipeline/account-context.ts';
import {
  authenticate,
  openKeyRing,
  requireSecondFactor,
  type AuthenticationContext,
} from '../pipeline/authenticate.ts';
import { openSessionRing } from '../../sign-in/sessions.ts';
import { apiErrorOf } from '../response/errors.ts';
import { PacedBody } from '../response/paced-body.ts';
import { streamBounds, ConcurrencyLimit } from '../pipeline/concurrency.ts';
import type { ApiRequest } from '../request.ts';
import type { HttpContext, StreamLimits } from '../context.ts';
import type { Subscription } from '../route.ts';
import { requirePermission } from '../../model/callers/permissions.ts';
import type { Principal } from '../../model/callers/principal.ts';

export const streamLimits: StreamLimits = { heartbeatMs: 15_000, stalledMs: 30_000, bytes: subscriptionBytes };

/** A client that conforms to the standard reconnects a lost stream after so many milliseconds. */
const retryMs = 1_000;

/** The interval of access checks of open streams, and the age of cached keys and accounts for them. Together well below a second. */
const watchEveryMs = 250;
const freshMs = 200;

/** Disconnects an ended stream after so many milliseconds if its client has not read the rest. */
const endingMs = 500;

/**
 * The open streams of this process. A stream ends when its key expires, is revoked or loses the permission.
 */
export class EventStreams {
  readonly #context: HttpContext;
  readonly #authentication: AuthenticationContext;
  readonly #accountContext: AccountContext;
  readonly #underWay = new ConcurrencyLimit(streamBounds);
  readonly #open = new Set<OpenStream>();
  #watching: NodeJS.Timeout | undefined;
  #isStopping = false;

  constructor(context: HttpContext) {
    const { reader, resources, committer, readRecord, config, permissionsOfPersons: permissions } = context;
    this.#context = context;
    this.#authentication = {
      config,
      clock: context.clock,
      realClock: context.realClock,
      keyRing: openKeyRing(reader, freshMs),
      sessionRing: openSessionRing({ reader, mode: config.mode, permissions }, freshMs),
      // The portal has no streams.
      portalRing: context.portalRing,
    };
    this.#accountContext = { accounts: openAccounts(reader, freshMs), resources, committer, readRecord, config };
  }

  /**
   * Sends events until the client disconnects.
   *
   * @throws {ApiError} `rate_limit` or `overloaded` if there are too many streams, and the errors of `follow`.
   */
  async begin(request: ApiRequest, reply: FastifyReply, subscribe: () => Promise<Subscription>): Promise<FastifyReply> {
    // As for the rate limit, the account of the key counts, not the one acted upon.
    const end = this.#underWay.begin(request.payer);
    const closed = new Promise<void>((resolve) => {
      // The client may have disconnected already.
      if (reply.raw.closed) resolve();
      else reply.raw.once('close', resolve);
    });
    void closed.then(end);
    const cutOff = (): unknown => reply.raw.destroy();
    const stream = new OpenStream(request, await subscribe(), cutOff);
    void closed.then(() => this.#forget(stream));
    this.#open.add(stream);
    this.#watching ??= setInterval(() => this.#watch(), watchEveryMs).unref();
    if (this.#isStopping) stream.end();
    const body = new PacedBody(this.#messagesOf(stream), this.#context.streamLimits.stalledMs, cutOff);
    void closed.then(() => body.destroy());
    return (
      reply
        .header('content-type', 'text/event-stream; charset=utf-8')
        // Tell proxies not to cache, change or buffer the stream.
        .header('cache-control', 'no-store, no-transform')
        .header('x-accel-buffering', 'no')
        .send(body)
    );
  }

  /** Ends all open streams, and those that begin later. */
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
   * Yields a page of events as one piece. While its client reads a piece, a stream holds nothing else. Every stream ends regularly, so that
   * the client reconnects. It gets the reason if that is useful.
   */
  async *#messagesOf(stream: OpenStream): AsyncGenerator<Buffer> {
    const { heartbeatMs } = this.#context.streamLimits;
    const { request } = stream;
    const { startId } = stream.subscription;
    const place: Place = { sentId: startId, passedId: startId };
    let sentAtMs = performance.now();
    // With the position, a client that gets nothing else can resume here.
    yield Buffer.from(`retry: ${retryMs}\n${startId === null ? '' : `id: ${startId}\n`}\n`);
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

  /** Returns the text of the next events, or null if there are none for the client in time. */
  async #nextPiece({ request, subscription }: OpenStream, place: Place, timeoutMs: number): Promise<Piece> {
    const { events, bytes } = await subscription.next(timeoutMs);
    try {
      const principal = await this.#requireAccess(request);
      let text = '';
      for (const event of events) {
        // The id of a hidden event would tell that the event exists, and when it was made.
        if (subscription.isHidden(event, principal)) continue;
        place.passedId = event.id;
        if (!subscription.has(event)) continue;
        text += subscription.messageOf(event);
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

  /** Ends streams without access. An unknown result ends none, because the check before each piece stops it too. */
  #watch(): void {
    for (const stream of this.#open) {
      this.#requireAccess(stream.request).catch((error: unknown) => {
        if (error instanceof ApiError) stream.end();
      });
    }
  }

  /**
   * Returns the principal as it is now.
   *
   * @throws {ApiError} if the key has ended or lost its permission, or if its account is no longer connected. Also if the account requires a
   *   second factor now that the person lacks.
   */
  async #requireAccess(request: ApiRequest): Promise<Principal> {
    const principal = await authenticate(request.incoming, this.#authentication);
    requireSecondFactor(principal);
    await chooseAccount(this.#accountContext, { ...request, principal });
    requirePermission(request.route.permission, principal);
    return principal;
  }
}

class OpenStream {
  readonly request: ApiRequest;
  readonly subscription: Subscription;
  hasEnded = false;
  readonly #cutOff: () => void;
  #ending: NodeJS.Timeout | undefined;

  constructor(request: ApiRequest, subscription: Subscription, cutOff: () => void) {
    this.request = request;
    this.subscription = subscription;
    this.#cutOff = cutOff;
  }

  /** Sends nothing more. */
  end(): void {
    this.hasEnded = true;
    this.subscription.leave();
    this.#ending ??= setTimeout(this.#cutOff, endingMs);
  }

  /** Notes that the connection is closed. */
  closed(): void {
    this.end();
    clearTimeout(this.#ending);
  }
}

/** The text of events. Null if there are none, or after `taken`. */
interface Piece {
  piece: Buffer | null;
  bytes: HeldBytes;
}

/** Takes a piece out of its holder. A local variable of a generator would keep it in memory while the generator waits. */
function taken(from: Piece): Buffer {
  const piece = from.piece!;
  from.piece = null;
  return piece;
}

/** The progress of a stream: the last event that was sent, and the last that its filters have passed over. */
interface Place {
  sentId: string | null;
  passedId: string | null;
}

/** Returns a comment. It has a new position if filters have passed over events, so that a client resumes there. */
function heartbeatAt(place: Place): string {
  if (place.passedId === place.sentId) return ':\n\n';
  place.sentId = place.passedId;
  return `:\nid: ${place.passedId}\n\n`;
}
