import { BlockList } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Returns whether a connection comes from this machine. A closed connection has no address, and counts as remote. */
export function isLoopback(address: string | undefined): boolean {
  return address !== undefined && loopback.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
}
