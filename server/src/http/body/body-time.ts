import type { IncomingMessage, Server } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ArrivalLimits } from '../context.ts';

export const arrivalLimits: ArrivalLimits = { headMs: 10_000, bodyMs: 15_000, uploadMs: 60_000 };

/** In so many rounds of the event loop, the server reads the largest JSON body. A round reads 16 kB at least. */
const roundsMax = 16;

/** Disconnects a client that sends its body too slowly, as the HTTP server does for slow headers. */
export class BodyTime {
  readonly #cutOff: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(app: FastifyInstance, { raw }: FastifyRequest, timeoutMs: number) {
    this.#cutOff = () => cutOffIfIncomplete(app.server, raw, roundsMax);
    if (raw.headers['transfer-encoding'] === undefined && Number(raw.headers['content-length'] ?? 0) === 0) return;
    this.#timer = setTimeout(this.#cutOff, timeoutMs);
    const stop = (): void => clearTimeout(this.#timer);
    raw.once('end', stop).once('close', stop);
  }

  /** Restarts the timeout of an incomplete body. */
  extend(timeoutMs: number): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#cutOff, timeoutMs);
  }
}

/** Cuts off a body after some rounds of the event loop. If the server was busy, the rest may have arrived, and is read first. */
function cutOffIfIncomplete(server: Server, request: IncomingMessage, rounds: number): void {
  if (request.complete || request.destroyed) return;
  if (rounds === 0) return cutOffBody(server, request);
  setImmediate(() => cutOffIfIncomplete(server, request, rounds - 1));
}

/** Responds 408 to a request whose body is incomplete, and closes its connection. */
export function cutOffBody(server: Server, { socket }: IncomingMessage): void {
  const error = new Error('The body did not arrive in time.');
  server.emit('clientError', Object.assign(error, { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
}
