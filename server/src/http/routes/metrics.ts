import { hash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { loopbackNames } from '../../core/addresses/loopback.ts';
import { isLoopback } from '../pipeline/loopback.ts';
import { addPage } from './pages/pages.ts';
import type { FailedSignIns } from '../pipeline/rate-limit.ts';
import type { HttpContext } from '../context.ts';
import { headerOf, onlyHeaderOf } from '../headers.ts';

/** Headers of a proxy on the same machine that forwards a remote request (RFC 7239, RFC 9110 7.6.3). */
const proxyHeaders = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/** Adds the metrics for Prometheus. The machine itself needs no token under its own names, all others do. */
export function addMetricsRoute(app: FastifyInstance, context: HttpContext, failedSignIns: FailedSignIns): void {
  const { metrics, config } = context;
  const textOnce = sharedWhilePending(async () => Buffer.from(await metrics.text()));
  const tokenHash = config.metricsToken === null ? null : hashOf(config.metricsToken);
  addPage(app, '/metrics', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    if (isOutside(request, config.publicUrl)) {
      if (tokenHash === null)
        return refuse(
          reply,
          403,
          `Metrics are not available ${hasOwnHost(request, config.publicUrl) ? 'to this address' : 'under this name'}. Ask the operator to set a token.`,
        );
      if (!hasToken(request, tokenHash)) {
        failedSignIns.note(request.apiRequest.client);
        reply.header('www-authenticate', 'Bearer');
        return refuse(reply, 401, 'Metrics need a token from this address. Send `Authorization: Bearer <token>`.');
      }
    }
    return reply.type(metrics.contentType).send(await textOnce());
  });
}

/**
 * Shares one result among all calls that come before it is there. Metrics take milliseconds to write, so that many scrapes at once would stall
 * the process.
 */
function sharedWhilePending<Result>(make: () => Promise<Result>): () => Promise<Result> {
  let pending: Promise<Result> | null = null;
  return () => (pending ??= make().finally(() => (pending = null)));
}

function refuse(reply: FastifyReply, status: number, message: string): FastifyReply {
  return reply.code(status).type('text/plain; charset=utf-8').send(`${message}\n`);
}

/**
 * Judges the connection itself: no header makes another machine local. A page in a browser of this machine can have its own name lead here
 * (DNS rebinding). Its requests have that name as their host.
 */
function isOutside(request: FastifyRequest, publicUrl: string): boolean {
  return (
    !isLoopback(request.socket.remoteAddress) ||
    proxyHeaders.some((name) => name in request.headers) ||
    !hasOwnHost(request, publicUrl)
  );
}

/** Returns whether the host is a loopback name with any port, or that of the public URL. A program of HTTP/1.0 may send none. */
function hasOwnHost(request: FastifyRequest, publicUrl: string): boolean {
  const host = headerOf(request, 'host')?.toLowerCase();
  if (host === undefined) return true;
  return loopbackNames.includes(host.replace(/:\d*$/, '')) || host === new URL(publicUrl).host;
}

/** Compares hashes, because they have one length and a constant time of comparison. */
function hasToken(request: FastifyRequest, tokenHash: Buffer): boolean {
  const [, token] = /^Bearer +(\S+) *$/i.exec(onlyHeaderOf(request, 'Authorization') ?? '') ?? [];
  return token !== undefined && timingSafeEqual(hashOf(token), tokenHash);
}

function hashOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
