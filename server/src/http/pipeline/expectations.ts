import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Serves clients that send `Expect: 100-continue` and wait with their body (RFC 9110, 10.1.1). A request that its headers refuse gets that
 * answer instead, and Node closes the connection then, because it cannot know whether the body still comes.
 */
export class Expectations {
  readonly #waiting = new WeakSet<IncomingMessage>();

  watch(server: Server): void {
    server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      this.#waiting.add(request);
      server.emit('request', request, response);
    });
    // An expectation that we do not know is passed over: the answer tells the client all the same.
    server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  }

  /** Asks for the body of a request that is not refused, if its client waits with it. */
  askForBody({ raw }: FastifyRequest, reply: FastifyReply): void {
    if (this.#waiting.has(raw)) reply.raw.writeContinue();
  }
}
