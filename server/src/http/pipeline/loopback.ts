import { BlockList } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether a connection came from this machine itself. Of one that is gone already nobody knows; then it did not. */
export function isLoopback(address: string | undefined): boolean {
  return address !== undefined && loopback.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
}
