import { isIP } from 'node:net';
import { contains, isEmpty, parseAddress, parseRanges, type AddressRanges } from './address-ranges.ts';
import type { Mode } from '../secrets/api-keys.ts';

/**
 * Ranges that hosts on the internet can have (for IPv6: RFC 4291 §2.4). The special ranges below are excluded from them. Other IPv6
 * addresses that embed IPv4, such as NAT64's `64:ff9b::/96`, are refused: their target depends on the network.
 */
const assigned = parseRanges('0.0.0.0/0, 2000::/3');

/**
 * IANA's registries of special-purpose addresses (RFC 6890), multicast, and tunnels to other addresses. One address among them is public:
 * 168.63.129.16, which Azure uses to talk to its own machines.
 */
const special = parseRanges(`
  0.0.0.0/8, 10.0.0.0/8, 100.64.0.0/10, 127.0.0.0/8, 169.254.0.0/16, 172.16.0.0/12, 192.0.0.0/24, 192.0.2.0/24,
  168.63.129.16, 192.88.99.0/24, 192.168.0.0/16, 198.18.0.0/15, 198.51.100.0/24, 203.0.113.0/24, 224.0.0.0/4, 240.0.0.0/4,
  2001::/23, 2001:db8::/32, 2002::/16, 3fff::/20`);

/**
 * Returns whether the server may connect to an address: it is public, or the operator allowed it. An IPv4 address in IPv6 form
 * (`::ffff:10.0.0.1`) counts as the IPv4 address that receives the packets. Other texts, and addresses with a zone, are refused.
 */
export function isAllowedAddress(address: string, allowed: AddressRanges): boolean {
  const parsed = parseAddress(address);
  if (parsed === null) return false;
  return (contains(assigned, parsed) && !contains(special, parsed)) || contains(allowed, parsed);
}

/**
 * Returns whether `URL` reads an http or https address without repairing it (WHATWG URL, 4.4). A repair removes line breaks and tabs,
 * encodes spaces, turns backslashes into slashes, and adds missing slashes. Then the address differs from the one that the client sent.
 */
export function isPlainUrl(url: string): boolean {
  return /^https?:\/\/[^/]/i.test(url) && !/[\s\\\p{Cc}]/u.test(url);
}

const urlLengthMax = 2_048;

/**
 * Says in one sentence why a webhook's URL cannot be saved, or returns null if it can be. All forbidden addresses get the same sentence, so
 * that it tells nothing about the network behind the server.
 *
 * Some names cannot exist in the public DNS (`app`, `hooks.internal`). They are refused if the operator allowed no range, because no
 * delivery could reach them. With an allowed range, such a name may lead into it. Each connection checks the addresses of its name.
 */
export function targetUrlFault(url: string, rules: { mode: Mode; allowed: AddressRanges }): string | null {
  const { mode, allowed } = rules;
  const parsed = URL.parse(url);
  if (parsed === null) return 'The URL is invalid. Send a complete one such as https://example.com/webhooks.';
  // Percent-encoding can make the URL longer than it was sent.
  if (Math.max(url.length, parsed.href.length) > urlLengthMax)
    return `The URL is too long. Shorten it to ${urlLengthMax} characters, counted after percent-encoding.`;
  if (parsed.protocol !== 'https:' && parsed.protocol !== 'http:')
    return `The URL must begin with https://${mode === 'sandbox' ? ' or http://' : ''}.`;
  if (!isPlainUrl(url))
    return 'The URL has a line break, a tab, a space or a backslash, or not two slashes before the host. Correct it. In the path or query, write %20 for a space or %5C for a backslash.';
  if (parsed.protocol === 'http:' && mode === 'live')
    return 'The URL must begin with https:// in live mode, so that deliveries are encrypted.';
  if (parsed.username !== '' || parsed.password !== '')
    return 'The URL has a user name or password. Remove them, and verify the signature of deliveries instead.';
  if (parsed.port === '0') return 'The URL has port 0, which no server can use. Send the port of your server.';
  if (parsed.href.includes('#'))
    return 'The URL has a fragment, which is never sent. Remove it, or write %23 for a # in the path or query.';
  return hostFault(parsed.hostname, allowed);
}

/** Returns whether a name is the machine itself (RFC 6761 §6.3). No name server can change that. */
export function isLocalhost(hostname: string): boolean {
  return /^(?:.*\.)?localhost\.?$/i.test(hostname);
}

function hostFault(hostname: string, allowed: AddressRanges): string | null {
  const whatToDo = 'Use one that the internet can reach, or ask the operator to allow it with TENURE_ALLOWED_TARGETS.';
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  // Every address of a name must be allowed. Localhost has two.
  const addresses = isIP(address) > 0 ? [address] : isLocalhost(hostname) ? ['127.0.0.1', '::1'] : [];
  if (!addresses.every((one) => isAllowedAddress(one, allowed)))
    return `The URL has a host whose address is not allowed. ${whatToDo}`;
  if (addresses.length === 0 && isEmpty(allowed) && !isPublicName(hostname))
    return `The URL has a host name that does not exist on the internet. ${whatToDo}`;
  return null;
}

/** Top-level names that are reserved and never delegated: RFC 2606, 6761, 6762, 7686, 9476, and `internal` (ICANN). */
const neverPublic = new Set(['alt', 'example', 'internal', 'invalid', 'local', 'onion', 'test']);

function isPublicName(hostname: string): boolean {
  const labels = hostname.replace(/\.$/, '').split('.');
  // RFC 8375: the only reserved name below the top level.
  const isHome = labels.slice(-2).join('.') === 'home.arpa';
  return labels.length > 1 && !labels.includes('') && !isHome && !neverPublic.has(labels.at(-1)!);
}
