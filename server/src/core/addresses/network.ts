/**
 * Returns the network of an address: for IPv6 its /64, which usually belongs to one client. An IPv4 address in IPv6 form is its own
 * network. So is one that a NAT64 gateway has translated (RFC 6052): all such addresses begin alike.
 */
export function networkOf(address: string): string {
  return prefixOf(address, 4);
}

/** Returns the site of an address. For IPv6, it is the /48: providers rarely give a customer more. */
export function siteOf(address: string): string {
  return prefixOf(address, 3);
}

/** Returns the first groups of an IPv6 address, or the whole IPv4 address. */
function prefixOf(address: string, groups: number): string {
  if (!address.includes(':') || address.toLowerCase().startsWith('::ffff:')) return address;
  const [left = '', right = ''] = address.split('::');
  const head = left === '' ? [] : left.split(':');
  const tail = right === '' ? [] : right.split(':');
  const zeros = address.includes('::') ? '0'.repeat(8 - head.length - tail.length).split('') : [];
  const all = [...head, ...zeros, ...tail];
  return (all.slice(0, 6).join(':') === nat64 ? all : all.slice(0, groups)).join(':');
}

/** The first groups of an IPv4 address that a NAT64 gateway has translated. */
const nat64 = '64:ff9b:0:0:0:0';
