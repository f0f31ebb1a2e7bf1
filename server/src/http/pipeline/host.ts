import type { IncomingMessage } from 'node:http';
import { ApiError } from '../../core/errors.ts';
import { headerLines } from '../headers.ts';

/** A name or address, and a port (RFC 3986, section 3.2). It may be empty. */
const hostForm = /^(?:\[[\da-f:.]+\]|[\w\-.~!$&'()*+,;=%]*)(?::\d*)?$/i;

/**
 * Refuses what the parser can read and HTTP forbids to carry out: a request of another major version, without a host, with several, or with one that
 * is none. We do nothing by the host; but a proxy before us may, and must not have understood another one.
 *
 * @throws {ApiError} 400 (RFC 9112, sections 2.3 and 3.2).
 */
export function checkHost({ httpVersion, httpVersionMajor, rawHeaders }: IncomingMessage): void {
  if (httpVersionMajor !== 1)
    throw new ApiError('request_invalid', `The request is one of HTTP/${httpVersion}. Send it in HTTP/1.1.`);
  const [host, ...others] = headerLines({ rawHeaders }, 'Host');
  if (others.length > 0) throw new ApiError('request_invalid', 'The request has more than one `Host`. Send one.');
  if (host === undefined && httpVersion !== '1.0')
    throw new ApiError(
      'request_invalid',
      'The request has no `Host`, which HTTP/1.1 demands. Send the name of the server.',
    );
  if (host !== undefined && !hostForm.test(host))
    throw new ApiError(
      'request_invalid',
      'The `Host` of the request is no host. Send the name of the server, and its port if it has one.',
    );
}
