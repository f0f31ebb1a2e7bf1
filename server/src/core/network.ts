/**
 * Returns the network of an address: for IPv6 its /64, which usually belongs to one client. An IPv4 address in IPv6 form is its own
 * network.
 */
export function networkOf(address: string): string {
  if (!address.includes(':') || address.toLowerCase().startsWith('::ffff:')) return address;
  const [left = '', right = ''] = address.split('::');
  const head = left === '' ? [] : left.split(':');
  const tail = right === '' ? [] : right.split(':');
  const zeros = address.includes('::') ? '0'.repeat(8 - head.length - tail.length).split('') : [];
  return [...head, ...zeros, ...tail].slice(0, 4).join(':');
}
