import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../core/errors.ts';
import type { PortalFeature } from '../../model/callers/portal.ts';
import type { Principal } from '../../model/callers/principal.ts';
import { isPortalToken, type StoredPortalSession } from '../../sign-in/portal-sessions.ts';
import { realSecondsOf } from '../../sign-in/sessions.ts';
import type { HttpContext } from '../context.ts';
import { headerOf, onlyHeaderOf } from '../headers.ts';
import { cookieHeader, cookieOf, isSafePlace, requireOwnOrigin, type BrowserPlace } from './browser.ts';
import { pathOf } from './known-paths.ts';

/* The session of a person in the portal. It has a cookie in our own pages, and a bearer token in those of an agent. */

/** The paths that get the cookie of the portal, and no other. */
const portalPath = '/v1/portal';

/** Returns whether the request is to a route of the portal, in any spelling. */
export function isPortalRequest({ url }: FastifyRequest): boolean {
  // Most requests are not, and their path need not be decoded.
  if (!url.includes('portal') && !url.includes('%')) return false;
  const path = pathOf(url);
  return path === portalPath || path.startsWith(`${portalPath}/`);
}

/** Returns whether the request says that it comes from our own portal. A page of another site cannot set this header. */
export function isFromPortal(request: FastifyRequest): boolean {
  return headerOf(request, 'service-client') === 'portal';
}

/**
 * Returns the place of the portal that a browser has open.
 *
 * @throws {ApiError} `origin_forbidden` for a page of another site, or for http over a network.
 */
export function requirePortalPlace(request: FastifyRequest, config: { publicUrl: string }): BrowserPlace {
  const place = requireOwnOrigin(request, config);
  if (isSafePlace(place)) return place;
  throw new ApiError(
    'origin_forbidden',
    `The portal is not safe at http://${place.hostName}. Open it over https, and set TENURE_PUBLIC_URL to that address.`,
  );
}

/**
 * Returns the session of a request to the portal. A token in `Authorization` wins over the cookie.
 *
 * @throws {ApiError} `portal_session_invalid`, or `origin_forbidden` for a cookie.
 */
export async function portalSessionOf(
  request: FastifyRequest,
  { portalRing, config, realClock }: Pick<HttpContext, 'portalRing' | 'realClock'> & { config: { publicUrl: string } },
): Promise<StoredPortalSession> {
  const token = portalTokenOf(request, config);
  const stored = token !== null && isPortalToken(token) ? await portalRing.get(token) : null;
  if (stored && stored.endsAt > realSecondsOf({ realClock })) return stored;
  throw portalSessionInvalid();
}

function portalTokenOf(request: FastifyRequest, config: { publicUrl: string }): string | null {
  const authorization = onlyHeaderOf(request, 'Authorization');
  if (authorization !== undefined) return /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? null;
  if (!isFromPortal(request)) return null;
  return cookieOf(request, cookieNameOf(requirePortalPlace(request, config)));
}

/** Returns the header that gives a browser the cookie of a session. Only requests to the portal send it. */
export function portalCookie(place: BrowserPlace, token: string, maxAgeSeconds: number): string {
  return cookieHeader(place, cookieNameOf(place), token, maxAgeSeconds, portalPath);
}

/** A cookie with the prefix `__Host-` would go to every path, so the name has the other prefix for https. */
function cookieNameOf({ isSecure, cookieName }: BrowserPlace): string {
  return isSecure ? '__Secure-tenure_portal' : cookieName.replace(/^tenure/, 'tenure_portal');
}

/** The one error for every link and session that does not work. It does not tell why. */
export function portalSessionInvalid(): ApiError {
  return new ApiError(
    'portal_session_invalid',
    'This link or session does not work any more. Ask your letting agent for a new link.',
  );
}

/**
 * Checks the features of a session.
 *
 * @param anyOf one of them is enough. Empty if none is needed.
 * @throws {ApiError} `permission_denied`.
 */
export function requireFeature(anyOf: readonly PortalFeature[] = [], { renter }: Pick<Principal, 'renter'>): void {
  if (anyOf.length === 0 || anyOf.some((feature) => renter?.features.has(feature))) return;
  const names = anyOf.map((feature) => `\`${feature}\``).join(' or ');
  throw new ApiError(
    'permission_denied',
    `This link does not open this part of the portal: it lacks the feature ${names}. Ask your letting agent for a link with it.`,
  );
}
