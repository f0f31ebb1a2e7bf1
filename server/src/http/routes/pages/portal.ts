import type { FastifyInstance } from 'fastify';
import type { HttpContext } from '../../context.ts';
import { addBrowserApp } from './browser-app.ts';

/** Adds the pages of the renters' portal. */
export function addPortal(app: FastifyInstance, { config, portalDir }: HttpContext): void {
  addBrowserApp(app, config, { path: '/portal', name: 'portal', folder: portalDir, advice: '' });
}
