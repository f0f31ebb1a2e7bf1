import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../core/errors.ts';

/**
 * Reads a header that may come in several lines, or undefined. Node joins the lines of most headers (RFC 9110, 5.3), and of some keeps
 * only the first: what decides something is read with `onlyHeaderOf`.
 */
export function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/**
 * Reads a header that must not come twice, or undefined. A proxy on the way may have gone by the other line.
 *
 * @param name as it is documented, such as `Service-Context`.
 * @throws {ApiError} `request_invalid` if it was sent more than once, also with the same value.
 */
export function onlyHeaderOf(request: FastifyRequest, name: string): string | undefined {
  const value = headerOf(request, name.toLowerCase());
  // Most headers are not sent, and need not be looked for.
  if (value === undefined || headerLines(request.raw, name).length <= 1) return value;
  throw new ApiError('request_invalid', `The request has more than one \`${name}\`. Send one.`);
}

/** Reads every line of a header as it was sent. */
export function headerLines({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): string[] {
  const lines: string[] = [];
  // A name and its value by turns, as they were sent.
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at]!;
    if (sent.length === name.length && sent.toLowerCase() === name.toLowerCase()) lines.push(rawHeaders[at + 1]!);
  }
  return lines;
}
