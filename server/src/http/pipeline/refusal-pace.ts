import type { FastifyReply } from 'fastify';
import type { ApiError } from '../../core/errors.ts';
import type { ReceivedRequest } from '../request.ts';
import { whenClosed } from '../response/held-responses.ts';
import { Buckets, networkOf } from './rate-limit.ts';

/** Refusals of one account, or of one address, that are answered at once. A client that waits when it is told to sees no others. */
const promptPerSecond = 100;

/**
 * The others are answered after so many milliseconds. Measured: at full speed a refusal takes 70 µs, and a client with 1,000 connections
 * left nothing of the process to other accounts.
 */
const delayMs = 2_000;

/** Slows clients down that go on sending although they are refused. */
export class RefusalPace {
  readonly #prompt = new Buckets(promptPerSecond);

  /** Resolves when the refusal may be answered, or its client has gone away. */
  async hold(error: ApiError, { payer, incoming }: ReceivedRequest, reply: FastifyReply): Promise<void> {
    if (!isSlowedDown(error)) return;
    const from = payer?.rootId ?? networkOf(incoming.socket.remoteAddress ?? '');
    if (this.#prompt.take(from).taken) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, delayMs);
      whenClosed(reply, () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}

/** Whether a client can cause it without end: it needs no key, or has a key and sends too much. */
function isSlowedDown({ status }: ApiError): boolean {
  return status === 401 || status === 429;
}
