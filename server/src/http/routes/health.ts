import type { FastifyInstance } from 'fastify';
import { addPage } from './pages/pages.ts';
import type { HttpContext } from '../context.ts';

/** Adds the health checks for load balancers. They need no key. */
export function addHealthRoutes(app: FastifyInstance, context: HttpContext): void {
  addPage(app, '/healthz', async () => ({ status: 'alive' }));
  addPage(app, '/readyz', async (_request, reply) => {
    const status = await context.health.status();
    // With a full disk, every process can still read. Without any process, reads would fail, too.
    return reply.code(status === 'ready' || status === 'disk_full' ? 200 : 503).send({ status });
  });
}
