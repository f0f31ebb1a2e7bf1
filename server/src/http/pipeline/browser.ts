import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../core/errors.ts';
import { loopbackNames } from '../../core/addresses/loopback.ts';
import { isSessionToken } from '../../core/secrets/tokens.ts';
import { headerOf } from '../headers.ts';

/** The place of a dashboard that a browser has open. */
export interface BrowserPlace {
  /** The name of the session's cookie. */
  cookieName: string;
  isSecure: boolean;
  /** The name of the host, without its port. */
  hostName: string;
  /** The origin of our own pages there. */
  origin: string;
}

/** Returns whether the request says that it comes from the dashboard. A page of another site cannot set this header. */
export function isFromDashboard(request: FastifyRequest): boolean {
  return headerOf(request, 'service-client') === 'dashboard';
}

/**
 * Returns the dashboard's place if the request comes from this server's own pages. So no other site can forge a request. The host must be
 * ours, or a loopback name with our port. The origin must be the same.
 *
 * @throws {ApiError} `origin_forbidden`.
 */
export function requireOwnOrigin(request: FastifyRequest, { publicUrl }: { publicUrl: string }): BrowserPlace {
  const host = headerOf(request, 'host')?.toLowerCase() ?? '';
  const place = placeOf(host, request.raw.socket.localPort, new URL(publicUrl));
  if (!place)
    throw forbidden(
      `The host \`${host.slice(0, 100)}\` is not the one of this server. Open ${publicUrl}, or set TENURE_PUBLIC_URL to the address that you use.`,
    );
  const origin = headerOf(request, 'origin');
  const isOwn = origin === place.origin;
  // A browser leaves the origin out of its own GET requests.
  if (origin === undefined ? request.method !== 'GET' : !isOwn)
    throw forbidden('This request comes from a page of another site. Use the dashboard of this server.');
  const site = headerOf(request, 'sec-fetch-site');
  if (site !== undefined && site !== 'same-origin')
    throw forbidden('This request comes from a page of another site. Use the dashboard of this server.');
  return place;
}

/** Returns the place of a host, or null if the host is not ours. The protocol is that of the public URL, which a proxy in front may end. */
function placeOf(host: string, port: number | undefined, publicUrl: URL): BrowserPlace | null {
  if (host === publicUrl.host.toLowerCase()) {
    const isSecure = publicUrl.protocol === 'https:';
    const cookieName = isSecure ? '__Host-tenure' : `tenure_${publicUrl.port || '80'}`;
    return { cookieName, isSecure, hostName: publicUrl.hostname, origin: `${isSecure ? 'https' : 'http'}://${host}` };
  }
  const name = loopbackNames.find((candidate) => host === `${candidate}:${port}`);
  // Ports of one machine share cookies, so the name has the port.
  if (name === undefined) return null;
  return { cookieName: `tenure_${port}`, isSecure: false, hostName: name, origin: `http://${host}` };
}

/** Returns whether sign-in is safe here: a password that crosses a network needs https. */
export function isSafePlace({ isSecure, hostName }: BrowserPlace): boolean {
  return isSecure || loopbackNames.includes(hostName);
}

/** Returns the token in the session's cookie, or null. */
export function sessionTokenOf(request: FastifyRequest, { cookieName }: BrowserPlace): string | null {
  const value = cookieOf(request, cookieName);
  return value !== null && isSessionToken(value) ? value : null;
}

/**
 * Returns the value of a cookie (RFC 6265, 5.4), or null. Several of one name count as none. Another server of this host can set one for a
 * path, and their order tells nothing (RFC 6265, 8.6).
 */
export function cookieOf(request: FastifyRequest, name: string): string | null {
  const pairs = (headerOf(request, 'cookie') ?? '').split(/; */).filter((pair) => pair.startsWith(`${name}=`));
  return pairs.length === 1 ? pairs[0]!.slice(name.length + 1) : null;
}

/**
 * Returns the header that sets a cookie. No script and no other site can read or send it.
 *
 * @param maxAgeSeconds 0 removes the cookie.
 */
export function cookieHeader(
  { isSecure }: BrowserPlace,
  name: string,
  value: string,
  maxAgeSeconds: number,
  path = '/',
): string {
  // Safari drops a secure cookie at http, even on the machine itself.
  const secure = isSecure ? '; Secure' : '';
  return `${name}=${value}; Path=${path}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`;
}

function forbidden(message: string): ApiError {
  return new ApiError('origin_forbidden', message);
}
