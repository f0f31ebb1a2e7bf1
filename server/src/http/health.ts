import type { FastifyInstance } from 'fastify';
import type { HttpContext } from './call.ts';

/** What an operator's balancer asks; no key is needed. */
export function addHealthRoutes(app: FastifyInstance, context: HttpContext): void {
  app.get('/healthz', { config: { public: true } }, async () => ({ status: 'alive' }));
  app.get('/readyz', { config: { public: true } }, async (_request, reply) => {
    const ready = await context.isReady();
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'unavailable' });
  });
}
