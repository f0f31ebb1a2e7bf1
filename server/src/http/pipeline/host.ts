import type { IncomingMessage } from 'node:http';
import { ApiError } from '../../core/errors.ts';
import { headerLines } from '../headers.ts';

/** A name or address, and a port (RFC 3986, section 3.2). It may be empty. */
const hostForm = /^(?:\[[\da-f:.]+\]|[\w\-.~!$&'()*+,;=%]*)(?::\d*)?$/i;

/**
 * Refuses requests that the parser accepts and HTTP forbids. They have another major version, no host, several, or an invalid one. This
 * server does not use the host. A proxy in front of it may, and both must read the same host.
 *
 * @throws {ApiError} 400 (RFC 9112, sections 2.3 and 3.2).
 */
export function checkHost({ httpVersion, httpVersionMajor, rawHeaders }: IncomingMessage): void {
  if (httpVersionMajor !== 1)
    throw new ApiError('request_invalid', `HTTP/${httpVersion} is not supported. Send the request in HTTP/1.1.`);
  const [host, ...others] = headerLines({ rawHeaders }, 'Host');
  if (others.length > 0) throw new ApiError('request_invalid', 'The request has more than one `Host`. Send one.');
  if (host === undefined && httpVersion !== '1.0')
    throw new ApiError(
      'request_invalid',
      'The request has no `Host`, which HTTP/1.1 requires. Send the name of the server.',
    );
  if (host !== undefined && !hostForm.test(host))
    throw new ApiError(
      'request_invalid',
      'The `Host` of the request is invalid. Send the name of the server, and its port if it has one.',
    );
}
