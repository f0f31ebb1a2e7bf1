import { BlockList, isIP, SocketAddress } from 'node:net';

/** Ranges of addresses. A range of one family never matches an address of the other. */
export interface AddressRanges {
  readonly ipv4: BlockList;
  readonly ipv6: BlockList;
}

/**
 * Parses ranges from a setting: CIDR (RFC 4632) or single addresses, of both families, separated by commas. Empty text has none.
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
    // An IPv4 range in IPv6 form has a prefix of up to 128 bits, and the check allows 32.
    const isMapped = parsed?.family === 'ipv4' && isIP(address) === 6;
    if (parsed === null || bits > bitsMax || more.length > 0 || isMapped) {
      throw new Error(
        `"${range}" is not an address range. Write ranges such as 10.0.0.0/8, 192.168.1.20 or fd00::/8, separated by commas.`,
      );
    }
    ranges[parsed.family].addSubnet(parsed.address, bits, parsed.family);
  }
  return ranges;
}

/** An address in its canonical text. An IPv4 address in IPv6 form is its IPv4 address. */
export interface ParsedAddress {
  family: 'ipv4' | 'ipv6';
  address: string;
}

/** Parses an address. Returns null for other texts, and for a zone (`fe80::1%eth0`), which has a meaning on one machine only. */
export function parseAddress(text: string): ParsedAddress | null {
  if (isIP(text) === 4) return { family: 'ipv4', address: text };
  if (isIP(text) === 0 || text.includes('%')) return null;
  // Every IPv6 address has one canonical text. In it, only a v4-mapped address (RFC 4291 §2.5.5.2) has this form.
  const { address } = new SocketAddress({ address: text, family: 'ipv6' });
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
  return mapped === undefined ? { family: 'ipv6', address } : { family: 'ipv4', address: mapped };
}

/** Returns whether one of the ranges has the address. */
export function contains(ranges: AddressRanges, { family, address }: ParsedAddress): boolean {
  return ranges[family].check(address, family);
}

export function isEmpty(ranges: AddressRanges): boolean {
  return ranges.ipv4.rules.length === 0 && ranges.ipv6.rules.length === 0;
}
