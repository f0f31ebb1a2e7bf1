import type { FastifyInstance } from 'fastify';
import type { HttpContext } from '../../context.ts';
import type { ContentsRoute } from '../../route.ts';
import { addBrowserApp } from './browser-app.ts';
import { isForFrame, sendFileToFrame, type FrameLimits } from './framed-file.ts';
import { addPage } from './pages.ts';

/** Adds the dashboard, and the start page that leads to it. */
export function addDashboard(
  app: FastifyInstance,
  context: HttpContext,
  limits: FrameLimits,
  contentsRoute: ContentsRoute,
): void {
  const { prefix, sendPage } = addBrowserApp(app, context.config, {
    path: '/dashboard',
    name: 'dashboard',
    folder: context.dashboardDir,
    advice: ' To serve no dashboard, set <code>TENURE_DASHBOARD=off</code>.',
  });
  addPage(app, '/', async (_, reply) => reply.code(302).header('location', `${prefix}/dashboard`).send());
  // The page of a file has the same path as its bytes in a frame.
  addPage(app, '/dashboard/files/:id', async (request, reply) =>
    isForFrame(request) ? sendFileToFrame(context, limits, contentsRoute, request, reply) : sendPage(request, reply),
  );
}
