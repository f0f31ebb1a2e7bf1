import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../core/errors.ts';

/**
 * Returns a header that may have several lines, or undefined. Node joins the lines of most headers (RFC 9110, 5.3), but keeps only the
 * first line of some. Use `onlyHeaderOf` for a header that decides something.
 */
export function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/**
 * Returns a header that must not occur twice, or undefined. A proxy may have used the other line.
 *
 * @param name the documented name, such as `Service-Context`.
 * @throws {ApiError} `request_invalid` if it occurs more than once, even with the same value.
 */
export function onlyHeaderOf(request: FastifyRequest, name: string): string | undefined {
  const value = headerOf(request, name.toLowerCase());
  // Skip the search if the header is absent, as most are.
  if (value === undefined || headerLines(request.raw, name).length <= 1) return value;
  throw new ApiError('request_invalid', `The request has more than one \`${name}\`. Send one.`);
}

/** Returns every line of a header as the client sent it. */
export function headerLines({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): string[] {
  const lines: string[] = [];
  // Names and values alternate.
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at]!;
    if (sent.length === name.length && sent.toLowerCase() === name.toLowerCase()) lines.push(rawHeaders[at + 1]!);
  }
  return lines;
}
