import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { contains, isEmpty, parseAddress, type AddressRanges } from '../../core/addresses/address-ranges.ts';
import { siteOf } from '../../core/addresses/network.ts';
import type { Client } from '../request.ts';
import { isLoopback } from './loopback.ts';

/**
 * Returns the client of a request. It is the other end of the connection, unless that is a trusted proxy. Then it is the rightmost
 * untrusted address of `X-Forwarded-For`. Each proxy appends the address that it saw. So a client can forge only the entries before its own.
 */
export function clientOf(
  { socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>,
  trusted: AddressRanges,
): Client {
  const peer = socket.remoteAddress;
  const forwarded = headers['x-forwarded-for'];
  if (peer === undefined || forwarded === undefined || isEmpty(trusted) || !isTrusted(peer, trusted)) {
    return { address: peer ?? null, isLocal: isLoopback(peer) };
  }
  // Node joins the lines of this header.
  return { address: rightmostUntrusted(String(forwarded), trusted) ?? peer, isLocal: false };
}

/** Returns the site at the other end of a connection. Null for a proxy, and for this machine, which can be one. */
export function siteOfPeer({ remoteAddress = '' }: Socket, trusted: AddressRanges): string | null {
  return isLoopback(remoteAddress) || isTrusted(remoteAddress, trusted) ? null : siteOf(remoteAddress);
}

/**
 * Returns the leftmost address if all are trusted. A malformed entry ends the search: then the last proxy before it counts as the client.
 * Returns null if there is none.
 */
function rightmostUntrusted(forwarded: string, trusted: AddressRanges): string | null {
  let nearest: string | null = null;
  // From the right, so that the length of the forged part costs nothing.
  for (let end = forwarded.length; end >= 0;) {
    const comma = forwarded.lastIndexOf(',', end - 1);
    const parsed = parseAddress(withoutPort(forwarded.slice(comma + 1, end).trim()));
    if (parsed === null) return nearest;
    nearest = parsed.address;
    if (!contains(trusted, parsed)) return nearest;
    end = comma;
  }
  return nearest;
}

/** Some proxies send a port: `203.0.113.7:4711`, `[2001:db8::7]:4711`. */
function withoutPort(entry: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d{1,5})?$/.exec(entry) ?? [];
  return bracketed ?? plain ?? entry;
}

function isTrusted(address: string, trusted: AddressRanges): boolean {
  const parsed = parseAddress(address);
  return parsed !== null && contains(trusted, parsed);
}
