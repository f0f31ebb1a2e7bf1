import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Every body of ours is small, and comes at once; only files take longer. */
const bodyTimeoutMs = 15_000;

/** Cuts off a client that sends its body too slowly, as the HTTP server does with one that sends its headers so. */
export class BodyTime {
  readonly #cutOff: () => unknown;
  #timer: NodeJS.Timeout | undefined;

  constructor(app: FastifyInstance, { raw }: FastifyRequest) {
    this.#cutOff = () => app.server.emit('clientError', tooSlow(), raw.socket);
    if (raw.headers['transfer-encoding'] === undefined && Number(raw.headers['content-length'] ?? 0) === 0) return;
    this.#timer = setTimeout(this.#cutOff, bodyTimeoutMs);
    const stop = (): void => clearTimeout(this.#timer);
    raw.once('end', stop).once('close', stop);
  }

  /** Gives a body that is still coming so much time from now on. */
  extend(timeoutMs: number): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#cutOff, timeoutMs);
  }
}

function tooSlow(): Error {
  return Object.assign(new Error('The body did not arrive in time.'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
}
