import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import type { ApiError } from '../../core/errors.ts';
import { withoutBody } from '../parser.ts';
import type { ReceivedRequest } from '../request.ts';
import { whenClosed } from '../response/held-responses.ts';
import { siteOf } from '../../core/addresses/network.ts';
import { Buckets } from './rate-limit.ts';

/** So many refusals per second of one account or site are immediate. A client that respects Retry-After gets no others. */
const promptPerSecond = 100;

/**
 * The shortest delay of all further responses, in milliseconds. Measured at full speed: a refusal takes 70 µs. A client with 1,000
 * connections left no time of the process to other accounts.
 */
const delayMs = 2_000;

/**
 * Delayed responses of one client are due so many milliseconds after each other. Measured: a client with
 * 4,000 connections got waves of 2,000 refusals. Other clients waited for more than a second.
 */
const spacingMs = 2;

/** The longest delay, in milliseconds. Clients that wait for longer see a timeout. */
const longestDelayMs = 10_000;

/** The owners that have delayed responses. Beyond so many, the responses of all begin again with the shortest delay. */
const ownersMax = 10_000;

/** Notes that a request waits for its response, and that nothing is done for it meanwhile. */
type NotesDelay = (request: IncomingMessage) => void;

/** Throttles clients that keep sending although they are refused. */
export class RefusalPace {
  readonly #prompt = new Buckets(promptPerSecond);
  readonly #delays: Delays;

  constructor(isDelayed: NotesDelay) {
    this.#delays = new Delays(isDelayed);
  }

  /** Resolves when the refusal may be sent, or when its client has disconnected. */
  async hold(error: ApiError, { payer, client, incoming }: ReceivedRequest, reply: FastifyReply): Promise<void> {
    if (!isSlowedDown(error, { isStranger: payer === null })) return;
    // As for failed sign-ins: a proxy on this machine has the requests of all strangers.
    if (payer === null && client.isLocal) return;
    const from = payer?.rootId ?? siteOf(client.address ?? '');
    if (this.#prompt.take(from).taken) return;
    await this.#delays.wait(from, incoming.raw, reply);
  }
}

/** So many pages per second of one site are immediate. An office that opens the dashboard needs some dozens at once. */
const promptPagesPerSecond = 500;

const healthChecks: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/**
 * Throttles clients that read pages without a key. Measured: one client that pipelined on 60 connections got 10,000 pages a second. That
 * took the whole processor, and other clients waited ten times as long.
 */
export class PagePace {
  readonly #prompt = new Buckets(promptPagesPerSecond);
  readonly #delays: Delays;

  constructor(isDelayed: NotesDelay) {
    this.#delays = new Delays(isDelayed);
  }

  /** Resolves when the page may be sent, or when its client has disconnected. Health checks have a share of their own. */
  async hold({ client, incoming }: ReceivedRequest, reply: FastifyReply): Promise<void> {
    const { config, url } = incoming.routeOptions;
    // Sign-ins, callbacks and messages have limits of their own. Without a route, any method costs the same.
    if (client.isLocal || (config.public && !['GET', 'HEAD'].includes(incoming.method))) return;
    const isCheck = healthChecks.has(url ?? '');
    const from = `${isCheck ? 'checks' : 'pages'} ${siteOf(client.address ?? '')}`;
    if (this.#prompt.take(from).taken) return;
    // What came with the headers of a body is there only after this round of the event loop.
    await nextTurn();
    await this.#delays.wait(from, incoming.raw, reply);
  }
}

/** Delays responses. Those of one owner follow each other, so that thousands are never due at once. */
class Delays {
  readonly #isDelayed: NotesDelay;
  readonly #lastDueMs = new Map<string, number>();

  constructor(isDelayed: NotesDelay) {
    this.#isDelayed = isDelayed;
  }

  /** Resolves when the response is due, or when its client has disconnected. */
  async wait(owner: string, request: IncomingMessage, reply: FastifyReply): Promise<void> {
    this.#isDelayed(request);
    const delayedMs = this.#nextDelayMs(owner);
    // Thousands of requests can wait. Their bodies must not wait with them.
    await withoutBody(request, () => passed(delayedMs, reply));
  }

  #nextDelayMs(owner: string): number {
    const nowMs = performance.now();
    const nextMs = (this.#lastDueMs.get(owner) ?? 0) + spacingMs;
    const dueMs = Math.min(Math.max(nowMs + delayMs, nextMs), nowMs + longestDelayMs);
    if (this.#lastDueMs.size >= ownersMax) this.#lastDueMs.clear();
    this.#lastDueMs.set(owner, dueMs);
    return Math.round(dueMs - nowMs);
  }
}

/** Resolves after so many milliseconds, or when the client has disconnected. */
function passed(ms: number, reply: FastifyReply): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    whenClosed(reply, () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/**
 * Returns whether a client can cause this error endlessly: without a key, or by sending too much. The requests of one stranger can fill the
 * room for all requests without a key. Then it gets this error, too.
 */
function isSlowedDown({ status, code }: ApiError, { isStranger }: { isStranger: boolean }): boolean {
  return status === 401 || status === 429 || (isStranger && code === 'overloaded');
}
