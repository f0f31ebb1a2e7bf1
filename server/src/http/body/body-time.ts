import type { IncomingMessage, Server } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ArrivalLimits } from '../context.ts';

export const arrivalLimits: ArrivalLimits = { headMs: 10_000, bodyMs: 15_000, uploadMs: 60_000 };

/** Disconnects a client that sends its body too slowly, as the HTTP server does for slow headers. */
export class BodyTime {
  readonly #cutOff: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(app: FastifyInstance, { raw }: FastifyRequest, timeoutMs: number) {
    // If the server was busy, the rest of the body may have arrived. Read it first.
    this.#cutOff = () => setImmediate(() => raw.complete || raw.destroyed || cutOffBody(app.server, raw));
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

/** Responds 408 to a request whose body is incomplete, and closes its connection. */
export function cutOffBody(server: Server, { socket }: IncomingMessage): void {
  const error = new Error('The body did not arrive in time.');
  server.emit('clientError', Object.assign(error, { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
}
