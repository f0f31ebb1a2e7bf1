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
 * Delays all further responses, in milliseconds. Measured at full speed: a refusal takes 70 µs. A client with 1,000 connections left no
 * time of the process to other accounts.
 */
const delayMs = 2_000;

/** Notes that a request waits for its response, and that nothing is done for it meanwhile. */
type NotesDelay = (request: IncomingMessage) => void;

/** Throttles clients that keep sending although they are refused. */
export class RefusalPace {
  readonly #prompt = new Buckets(promptPerSecond);
  readonly #isDelayed: NotesDelay;

  constructor(isDelayed: NotesDelay) {
    this.#isDelayed = isDelayed;
  }

  /** Resolves when the refusal may be sent, or when its client has disconnected. */
  async hold(error: ApiError, { payer, client, incoming }: ReceivedRequest, reply: FastifyReply): Promise<void> {
    if (!isSlowedDown(error)) return;
    // As for failed sign-ins: a proxy on this machine has the requests of all strangers.
    if (payer === null && client.isLocal) return;
    const from = payer?.rootId ?? siteOf(client.address ?? '');
    if (this.#prompt.take(from).taken) return;
    this.#isDelayed(incoming.raw);
    // Thousands of refusals can wait. Their bodies must not wait with them.
    await withoutBody(incoming.raw, () => responseIsDue(reply));
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
  readonly #isDelayed: NotesDelay;

  constructor(isDelayed: NotesDelay) {
    this.#isDelayed = isDelayed;
  }

  /** Resolves when the page may be sent, or when its client has disconnected. Health checks have a share of their own. */
  async hold({ client, incoming }: ReceivedRequest, reply: FastifyReply): Promise<void> {
    const { config, url } = incoming.routeOptions;
    // Sign-ins, callbacks and messages have limits of their own. Without a route, any method costs the same.
    if (client.isLocal || (config.public && !['GET', 'HEAD'].includes(incoming.method))) return;
    const isCheck = healthChecks.has(url ?? '');
    if (this.#prompt.take(`${isCheck ? 'checks' : 'pages'} ${siteOf(client.address ?? '')}`).taken) return;
    this.#isDelayed(incoming.raw);
    // What came with the headers of a body is there only after this round of the event loop.
    await nextTurn();
    await withoutBody(incoming.raw, () => responseIsDue(reply));
  }
}

function responseIsDue(reply: FastifyReply): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, delayMs);
    whenClosed(reply, () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Returns whether a client can cause this error endlessly: without a key, or by sending too much. */
function isSlowedDown({ status }: ApiError): boolean {
  return status === 401 || status === 429;
}
