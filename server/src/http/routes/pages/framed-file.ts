import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../../core/errors.ts';
import { requirePermission } from '../../../model/callers/permissions.ts';
import type { HttpContext } from '../../context.ts';
import { headerOf } from '../../headers.ts';
import { requireAccount } from '../../pipeline/account-context.ts';
import { requireSecondFactor, sessionOf } from '../../pipeline/authenticate.ts';
import type { RateLimit } from '../../pipeline/rate-limit.ts';
import type { ConcurrencyLimit } from '../../pipeline/concurrency.ts';
import { sendFramed } from '../../response/download.ts';
import { whenClosed, type HeldResponses } from '../../response/held-responses.ts';
import { authenticated, routed } from '../../request.ts';
import type { ContentsRoute } from '../../route.ts';

/** The limits that a download shares with the requests of the API. */
export interface FrameLimits {
  rateLimit: RateLimit;
  requestsInFlight: ConcurrencyLimit;
  responses: HeldResponses;
}

/** Returns whether a browser shows the response within a page: in a frame, or as a picture. Pages of the dashboard are never there. */
export function isForFrame(request: FastifyRequest): boolean {
  const place = headerOf(request, 'sec-fetch-dest');
  return place === 'iframe' || place === 'image';
}

/**
 * Sends a file to a page of the dashboard. A frame or a picture cannot send headers, so the cookie signs the request. The browser says that our own page
 * makes it. The parameter `account` names a connected account. An error is a text, because a person sees it.
 */
export async function sendFileToFrame(
  context: HttpContext,
  { rateLimit, requestsInFlight, responses }: FrameLimits,
  route: ContentsRoute,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  try {
    // An older browser that leaves the header out gets no file, because a page of another site could frame it.
    if (headerOf(request, 'sec-fetch-site') !== 'same-origin')
      throw new ApiError('origin_forbidden', 'Open this file in the dashboard.');
    const { principal } = await sessionOf(request, context);
    const known = authenticated(request.apiRequest, principal);
    rateLimit.check(principal, reply);
    whenClosed(reply, requestsInFlight.begin(known.payer));
    requireSecondFactor(principal);
    const account = new URLSearchParams(request.url.split('?')[1]).get('account') ?? principal.accountId;
    const apiRequest = routed(known, route, await requireAccount(context, known, account));
    requirePermission(route.permission, principal);
    const contents = await responses.download(apiRequest, reply, async (client) => {
      // The download may have waited for room, so check the session again.
      apiRequest.principal = (await sessionOf(request, context)).principal;
      return route.open(apiRequest, {}, client);
    });
    return sendFramed(reply, contents, context.readLimits.stalledMs);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return reply
      .code(error.status)
      .header('cache-control', 'no-store')
      .header('content-security-policy', "default-src 'none'; frame-ancestors 'self'")
      .type('text/plain; charset=utf-8')
      .send(`${error.message}\n`);
  }
}
