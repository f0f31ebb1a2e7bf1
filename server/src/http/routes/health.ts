import type { FastifyInstance } from 'fastify';
import type { HttpContext } from '../request.ts';
import { addPage } from './pages.ts';

/** What an operator's balancer asks; no key is needed. */
export function addHealthRoutes(app: FastifyInstance, context: HttpContext): void {
  addPage(app, '/healthz', async () => ({ status: 'alive' }));
  addPage(app, '/readyz', async (_request, reply) => {
    const ready = await context.isReady();
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'unavailable' });
  });
}
