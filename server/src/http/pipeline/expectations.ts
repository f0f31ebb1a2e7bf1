import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Serves clients that send `Expect: 100-continue` and wait with their body (RFC 9110, 10.1.1). If the headers are refused, the client gets
 * the error instead. Then Node closes the connection, because it cannot know whether the body still comes.
 */
export class Expectations {
  readonly #waiting = new WeakSet<IncomingMessage>();

  watch(server: Server): void {
    server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      this.#waiting.add(request);
      server.emit('request', request, response);
    });
    // Ignore unknown expectations.
    server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  }

  /** Requests the body of an accepted request, if its client waits with it. */
  askForBody({ raw }: FastifyRequest, reply: FastifyReply): void {
    if (this.#waiting.has(raw)) reply.raw.writeContinue();
  }
}
