import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Adds a page that needs no key. HEAD gets the same status and headers. */
export function addPage(
  app: FastifyInstance,
  path: string,
  handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
): void {
  app.route({ method: ['GET', 'HEAD'], url: path, config: { public: true }, handler });
}
