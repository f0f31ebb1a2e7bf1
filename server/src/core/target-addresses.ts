import { BlockList, isIP, SocketAddress } from 'node:net';
import type { Mode } from './api-keys.ts';

/** Ranges of addresses. A rule for one family never speaks for the other. */
export interface AddressRanges {
  readonly ipv4: BlockList;
  readonly ipv6: BlockList;
}

/**
 * What is handed out to hosts on the internet (for IPv6: RFC 4291 §2.4), less the special ranges below. IPv6 that embeds IPv4
 * elsewhere, such as NAT64's `64:ff9b::/96`, is therefore refused: what it leads to depends on the network.
 */
const assigned = parseRanges('0.0.0.0/0, 2000::/3');

/**
 * IANA's registries of special-purpose addresses (RFC 6890), multicast, what only tunnels to somewhere else, and the one public address that leads
 * into a cloud: 168.63.129.16, by which Azure speaks to its machines.
 */
const special = parseRanges(`
  0.0.0.0/8, 10.0.0.0/8, 100.64.0.0/10, 127.0.0.0/8, 169.254.0.0/16, 172.16.0.0/12, 192.0.0.0/24, 192.0.2.0/24,
  168.63.129.16, 192.88.99.0/24, 192.168.0.0/16, 198.18.0.0/15, 198.51.100.0/24, 203.0.113.0/24, 224.0.0.0/4, 240.0.0.0/4,
  2001::/23, 2001:db8::/32, 2002::/16, 3fff::/20`);

/**
 * Whether the server may connect to an address: it is public, or the operator allowed it. An IPv4 address that is written as
 * IPv6 (`::ffff:10.0.0.1`) is judged as the IPv4 address that the packets go to. What is no address, or has a zone, is refused.
 */
export function isAllowedAddress(address: string, allowed: AddressRanges): boolean {
  const parsed = parseAddress(address);
  if (parsed === null) return false;
  return (contains(assigned, parsed) && !contains(special, parsed)) || contains(allowed, parsed);
}

/**
 * Whether `URL` reads an http or https address without repairing it (WHATWG URL, 4.4). It takes out line breaks and tabs, encodes spaces,
 * reads a backslash as a slash, and adds slashes that are missing: then the address that is called is not the one that was sent.
 */
export function isPlainUrl(url: string): boolean {
  return /^https?:\/\/[^/]/i.test(url) && !/[\s\\\p{Cc}]/u.test(url);
}

const urlLengthMax = 2_048;

/**
 * Why a webhook's URL cannot be saved, in one sentence for the person who sent it, or null if it can be. The sentence is the same for every
 * address that is not allowed, so that nothing is learnt about the network behind the server.
 *
 * A name that the public DNS cannot have (`app`, `hooks.internal`) is refused only if the operator allowed no range: then it could
 * never be delivered to. Otherwise it may lead into an allowed one, and is judged by its addresses at each connection, as every name is.
 */
export function targetUrlFault(url: string, rules: { mode: Mode; allowed: AddressRanges }): string | null {
  const { mode, allowed } = rules;
  const parsed = URL.parse(url);
  if (parsed === null) return 'The URL cannot be read; send a complete one such as https://example.com/webhooks.';
  // Encoding can make it longer than it was sent.
  if (Math.max(url.length, parsed.href.length) > urlLengthMax)
    return `The URL is too long; shorten it to ${urlLengthMax} characters, counted as they are percent-encoded.`;
  if (parsed.protocol !== 'https:' && parsed.protocol !== 'http:')
    return `The URL must begin with https://${mode === 'sandbox' ? ' or http://' : ''}.`;
  if (!isPlainUrl(url))
    return 'The URL has a line break, a tab, a space or a backslash, or not two slashes before the host; correct it, and write %20 for a space or %5C for a backslash in the path or query.';
  if (parsed.protocol === 'http:' && mode === 'live')
    return 'The URL must begin with https:// in live mode, so that nobody on the way can read what is sent.';
  if (parsed.username !== '' || parsed.password !== '')
    return 'The URL has a user name or password; remove them, since a webhook proves where it comes from by its signature.';
  if (parsed.port === '0') return 'The URL has port 0, on which nothing can listen; give the port of your server.';
  if (parsed.href.includes('#'))
    return 'The URL has a fragment, which is never sent; remove it, or write %23 for a # in the path or query.';
  return hostFault(parsed.hostname, allowed);
}

/** RFC 6761 §6.3: these names are the machine itself, whatever a name server says. */
export function isLocalhost(hostname: string): boolean {
  return /^(?:.*\.)?localhost\.?$/i.test(hostname);
}

function hostFault(hostname: string, allowed: AddressRanges): string | null {
  const whatToDo = 'use one that the internet can reach, or have the operator allow it with TENURE_ALLOWED_TARGETS.';
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  // Every address of a name must be allowed, and localhost has two.
  const addresses = isIP(address) > 0 ? [address] : isLocalhost(hostname) ? ['127.0.0.1', '::1'] : [];
  if (!addresses.every((one) => isAllowedAddress(one, allowed)))
    return `The URL has a host whose address is not allowed; ${whatToDo}`;
  if (addresses.length === 0 && isEmpty(allowed) && !isPublicName(hostname))
    return `The URL has a host name that does not exist on the internet; ${whatToDo}`;
  return null;
}

/** Top-level names that are set aside and never delegated: RFC 2606, 6761, 6762, 7686, 9476, and by ICANN `internal`. */
const neverPublic = new Set(['alt', 'example', 'internal', 'invalid', 'local', 'onion', 'test']);

function isPublicName(hostname: string): boolean {
  const labels = hostname.replace(/\.$/, '').split('.');
  // RFC 8375: the one reserved name that is not a top-level one.
  const isHome = labels.slice(-2).join('.') === 'home.arpa';
  return labels.length > 1 && !labels.includes('') && !isHome && !neverPublic.has(labels.at(-1)!);
}

/**
 * Reads ranges as an operator sets them: CIDR (RFC 4632) or single addresses, of both families, separated by commas. Empty text has none.
 *
 * @throws {Error} naming the range that cannot be read.
 */
export function parseRanges(text: string): AddressRanges {
  const ranges: AddressRanges = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const range of text.split(',').map((piece) => piece.trim())) {
    if (range === '') continue;
    const [address = '', prefix, ...more] = range.split('/');
    const parsed = parseAddress(address);
    const bitsMax = parsed?.family === 'ipv4' ? 32 : 128;
    const bits = prefix === undefined ? bitsMax : /^\d+$/.test(prefix) ? Number(prefix) : Infinity;
    // An IPv4 range in IPv6's clothes would have a prefix of another length than it is judged by.
    const isMapped = parsed?.family === 'ipv4' && isIP(address) === 6;
    if (parsed === null || bits > bitsMax || more.length > 0 || isMapped) {
      throw new Error(
        `"${range}" is no address range; write them such as 10.0.0.0/8, 192.168.1.20 or fd00::/8, separated by commas.`,
      );
    }
    ranges[parsed.family].addSubnet(parsed.address, bits, parsed.family);
  }
  return ranges;
}

interface ParsedAddress {
  family: 'ipv4' | 'ipv6';
  address: string;
}

/** Null for what is no address, and for one with a zone (`fe80::1%eth0`), which means something only on one machine. */
function parseAddress(text: string): ParsedAddress | null {
  if (isIP(text) === 4) return { family: 'ipv4', address: text };
  if (isIP(text) === 0 || text.includes('%')) return null;
  // However an IPv6 address is written, it has one canonical text, and only a v4-mapped one (RFC 4291 §2.5.5.2) looks like this in it.
  const { address } = new SocketAddress({ address: text, family: 'ipv6' });
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
  return mapped === undefined ? { family: 'ipv6', address } : { family: 'ipv4', address: mapped };
}

function contains(ranges: AddressRanges, { family, address }: ParsedAddress): boolean {
  return ranges[family].check(address, family);
}

function isEmpty(ranges: AddressRanges): boolean {
  return ranges.ipv4.rules.length === 0 && ranges.ipv6.rules.length === 0;
}
