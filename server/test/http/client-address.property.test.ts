import { isIP, type Socket } from 'node:net';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseRanges } from '../../src/core/addresses/address-ranges.ts';
import { clientOf } from '../../src/http/pipeline/client-address.ts';
import type { Client } from '../../src/http/request.ts';
import { rounds } from '../support/rounds.ts';

const proxies = parseRanges('10.0.0.0/8, 127.0.0.1, fd00::/8');
const trusted = fc.oneof(
  fc.ipV4().map((address) => address.replace(/^\d+/, '10')),
  fc.constantFrom('127.0.0.1', 'fd00::1', 'fd12:3456::7', '::ffff:10.1.2.3'),
);
const untrusted = fc.oneof(
  fc.ipV4().map((address) => address.replace(/^\d+/, '203')),
  fc.constantFrom('2001:db8::7', '127.0.0.2', '::1'),
);
/** Everything that a client can put into the header itself. */
const forged = fc.oneof(
  fc.string(),
  fc
    .array(fc.oneof(trusted, untrusted, fc.constantFrom('unknown', '', '_hidden', '10.0.0.1:80')), { maxLength: 40 })
    .map((all) => all.join(', ')),
);
const port = fc.option(fc.integer({ min: 1, max: 65_535 }), { nil: null });
const numRuns = rounds(200, 5_000);

test('finds the real client when it forges any header before a chain of trusted proxies', () => {
  fc.assert(
    fc.property(
      fc.option(forged, { nil: null }),
      untrusted,
      port,
      fc.array(trusted, { maxLength: 5 }),
      trusted,
      fc.constantFrom(',', ', ', ' ,\t'),
      (own, real, realPort, hops, last, comma) => {
        const header = [...(own === null ? [] : [own]), withPort(real, realPort), ...hops].join(comma);
        expect(clientFrom(last, header)).toEqual({ address: real, isLocal: false });
      },
    ),
    { numRuns },
  );
});

test('ignores any header when the connection comes from no trusted proxy', () => {
  fc.assert(
    fc.property(untrusted, forged, (peer, header) => {
      expect(clientFrom(peer, header).address).toBe(peer);
    }),
    { numRuns },
  );
});

test('names an address and never this machine when a trusted proxy sends any header', () => {
  fc.assert(
    fc.property(trusted, forged, (peer, header) => {
      const { address, isLocal } = clientFrom(peer, header);
      expect([isIP(address ?? '') > 0, isLocal]).toEqual([true, false]);
    }),
    { numRuns },
  );
});

function withPort(address: string, to: number | null): string {
  if (to === null) return address;
  return address.includes(':') ? `[${address}]:${to}` : `${address}:${to}`;
}

function clientFrom(remoteAddress: string, header: string): Client {
  return clientOf({ socket: { remoteAddress } as Socket, headers: { 'x-forwarded-for': header } }, proxies);
}
