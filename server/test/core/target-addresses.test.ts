import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseRanges } from '../../src/core/addresses/address-ranges.ts';
import { isAllowedAddress, isPlainUrl, targetUrlFault } from '../../src/core/addresses/target-addresses.ts';

const none = parseRanges('');
const loopback = parseRanges('127.0.0.0/8,::1/128');

type Family = 4 | 6;
interface Range {
  text: string;
  family: Family;
  first: bigint;
  last: bigint;
}

/** The rule, written a second time in another form: as numbers. */
const refusedV4 = words(`
  0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
  168.63.129.16/32 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4
  255.255.255.255/32`).map(rangeOf);
const refusedV6 = words(`
  ::/8 64:ff9b::/32 100::/64 2001::/23 2001:db8::/32 2002::/16 3fff::/20 5f00::/16 fc00::/7 fe80::/10
  fec0::/10 ff00::/8`).map(rangeOf);
const globalV6 = rangeOf('2000::/3');
const mappedV6 = rangeOf('::ffff:0:0/96');

function isPublic(family: Family, value: bigint): boolean {
  if (family === 6 && isIn(mappedV6, value)) return isPublic(4, value - mappedV6.first);
  if (family === 6 && !isIn(globalV6, value)) return false;
  return !(family === 4 ? refusedV4 : refusedV6).some((range) => isIn(range, value));
}

const anyV4 = fc.oneof(
  fc.bigInt(0n, 2n ** 32n - 1n),
  fc.constantFrom(...refusedV4).chain((range) => fc.bigInt(range.first, range.last)),
);
const anyV6 = fc.oneof(
  fc.bigInt(0n, 2n ** 128n - 1n),
  fc.bigInt(globalV6.first, globalV6.last),
  fc.constantFrom(...refusedV6, mappedV6).chain((range) => fc.bigInt(range.first, range.last)),
);

describe('allowed addresses', () => {
  test.each(
    words(`
    127.0.0.1 168.63.129.16 10.0.0.1 169.254.169.254 100.64.0.1 192.88.99.1 198.18.0.1 224.0.0.1 255.255.255.255 0.0.0.0
    ::1 :: ::ffff:10.0.0.1 ::ffff:0:7f00:1 ::5efe:7f00:1 ::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b:1::1
    2002:7f00:1::1 2001::1 fd00:ec2::254 fe80::1 fec0::1 ff02::1 5f00::1 3fff::1 2001:db8::1 100::1
    172.16.0.1 192.168.1.1 203.0.113.1`),
  )('refuses the address %s because it is not public', (address) => {
    expect(isAllowedAddress(address, none)).toBe(false);
  });

  test('refuses NAT64 when it embeds a public address, because the network decides where it leads', () => {
    expect(isAllowedAddress('64:ff9b::5db8:d822', none)).toBe(false);
  });

  test.each(
    words(`
    93.184.216.34 168.63.129.15 168.63.129.17 192.88.98.255 192.88.100.1 223.255.255.255 1.1.1.1 172.15.255.255 172.32.0.0
    2606:4700:4700::1111 2001:200::1 ::ffff:93.184.216.34 2a00::`),
  )('accepts the address %s because it is public', (address) => {
    expect(isAllowedAddress(address, none)).toBe(true);
  });

  test('follows the ranges when an address is the first or last of one, or right outside', () => {
    const edges = [...refusedV4, ...refusedV6, globalV6].flatMap(({ family, first, last }) =>
      [first - 1n, first, first + 1n, last - 1n, last, last + 1n]
        .filter((value) => value >= 0n && value < 2n ** (family === 4 ? 32n : 128n))
        .map((value) => ({ family, value })),
    );
    for (const { family, value } of edges) {
      const address = textOf(family, value);
      expect([address, isAllowedAddress(address, none)]).toEqual([address, isPublic(family, value)]);
    }
    expect(edges.filter(({ family, value }) => isPublic(family, value)).length).toBeGreaterThan(20);
  });

  test('follows the ranges when an address is random', () => {
    const seen = new Set<boolean>();
    const check = (family: Family) => (value: bigint) => {
      seen.add(isPublic(family, value));
      expect(isAllowedAddress(textOf(family, value), none)).toBe(isPublic(family, value));
    };
    fc.assert(fc.property(anyV4, check(4)), { numRuns: 2_000 });
    fc.assert(fc.property(anyV6, check(6)), { numRuns: 2_000 });
    expect(seen.size).toBe(2);
  });

  test('judges an IPv6 address equally when it is written in any form', () => {
    fc.assert(
      fc.property(anyV6, (value) => {
        const texts = textsOfV6(value);
        expect(texts.length).toBeGreaterThan(3);
        for (const text of texts) expect([text, isAllowedAddress(text, none)]).toEqual([text, isPublic(6, value)]);
      }),
      { numRuns: 1_000 },
    );
  });

  test('refuses a text when it is not an address or has a zone, even if every range is allowed', () => {
    const everything = parseRanges('0.0.0.0/0,::/0');
    const wrong = ['', ' ', 'example.com', 'localhost', '127.1', '2130706433', '0x7f.1', '010.0.0.1', '1.1.1.1 '];
    const wrongV6 = ['[::1]', 'fe80::1%lo', '2606:4700::1%eth0', '::1%25lo', '1.1.1.1%lo', ':::', '1.1.1.1\0', '::1\n'];
    for (const text of [...wrong, ...wrongV6])
      expect([text, isAllowedAddress(text, everything)]).toEqual([text, false]);
  });
});

describe('allowed ranges', () => {
  const anyRange = fc.oneof(
    fc.tuple(fc.constant<Family>(4), anyV4, fc.nat(32)),
    fc.tuple(fc.constant<Family>(6), anyV6, fc.nat(128)),
  );

  test('opens exactly its addresses when a range is allowed', () => {
    fc.assert(
      fc.property(anyRange, fc.array(anyV4), fc.array(anyV6), ([family, value, prefix], someV4, someV6) => {
        fc.pre(family === 4 || !isIn(mappedV6, value));
        const range = rangeOf(`${textOf(family, value)}/${prefix}`);
        const allowed = parseRanges(range.text);
        const check = (otherFamily: Family, other: bigint): void => {
          const address = textOf(otherFamily, other);
          const isMapped = otherFamily === 6 && isIn(mappedV6, other);
          const isOpened = isMapped
            ? family === 4 && isIn(range, other - mappedV6.first)
            : family === otherFamily && isIn(range, other);
          expect([range.text, address, isAllowedAddress(address, allowed)]).toEqual([
            range.text,
            address,
            isPublic(otherFamily, other) || isOpened,
          ]);
        };
        for (const other of someV4) check(4, other);
        for (const other of someV6) check(6, other);
        const max = 2n ** (family === 4 ? 32n : 128n) - 1n;
        for (const edge of [range.first - 1n, range.first, range.last, range.last + 1n])
          if (edge >= 0n && edge <= max) check(family, edge);
      }),
      { numRuns: 1_000 },
    );
  });

  test('opens no address of the other family when a range is allowed', () => {
    expect(isAllowedAddress('127.0.0.1', parseRanges('::/0'))).toBe(false);
    expect(isAllowedAddress('::ffff:127.0.0.1', parseRanges('::/0'))).toBe(false);
    expect(isAllowedAddress('::1', parseRanges('0.0.0.0/0'))).toBe(false);
    expect(isAllowedAddress('::ffff:127.0.0.1', parseRanges('127.0.0.0/8'))).toBe(true);
  });

  test('reads a list with spaces and single addresses when ranges are configured', () => {
    const allowed = parseRanges(' 10.1.0.0/16 ,192.168.1.20, fd00::/8,FD00::1,, ::1 ');
    for (const address of ['10.1.255.255', '192.168.1.20', 'fd12::1', '::1'])
      expect(isAllowedAddress(address, allowed)).toBe(true);
    for (const address of ['10.2.0.0', '192.168.1.21', 'fc00::1', '::2'])
      expect(isAllowedAddress(address, allowed)).toBe(false);
  });

  test.each(
    words(`
    10.0.0.0/33 fd00::/129 10.0.0/8 10.0.0.0/ 10.0.0.0/-1 10.0.0.0/8/8 /8 10.0.0.0/1e1 example.com
    10.0.0.0-10.0.0.9 fe80::1%lo/64 ::ffff:10.0.0.0/104 ::ffff:10.0.0.0/24 10.0.0.0;10.1.0.0 *`),
  )('refuses a range and names it when it cannot be read: %s', (range) => {
    expect(() => parseRanges(`127.0.0.0/8,${range}`)).toThrow(`"${range}" is not an address range`);
  });
});

describe('target URLs', () => {
  test.each([
    'https://example.com/webhooks',
    'https://example.com:8443/a?b=c%23d',
    'https://93.184.216.34/',
    'https://[2606:4700:4700::1111]/',
    'https://bücher.example.com/',
    'https://example.com./',
    'https://localhost.example.com/',
    'https://internal.net/local',
  ])('accepts a URL in live mode when its host is public: %s', (url) => {
    expect(targetUrlFault(url, { mode: 'live', allowed: none })).toBeNull();
  });

  test.each([
    ['', 'URL is invalid'],
    ['example.com/webhooks', 'URL is invalid'],
    ['https://', 'URL is invalid'],
    ['https://[::1%25lo]/', 'URL is invalid'],
    ['https://127.0.0.1%00/', 'URL is invalid'],
    ['https://example.com:65536/', 'URL is invalid'],
    ['ftp://example.com/', 'must begin with https://'],
    ['file:///etc/passwd', 'must begin with https://'],
    ['javascript:alert(1)', 'must begin with https://'],
    ['//example.com', 'URL is invalid'],
    ['https://user@example.com/', 'user name or password'],
    ['https://:secret@example.com/', 'user name or password'],
    ['https://1.1.1.1 &@2.2.2.2#/', 'a space or a backslash'],
    ['https:example.com/', 'not two slashes before the host'],
    ['https://example.com:0/', 'port 0'],
    ['https://example.com/#top', 'fragment'],
    ['https://example.com/#', 'fragment'],
    [`https://example.com/${'a'.repeat(2_029)}`, 'too long'],
    // The encoded form is stored and sent.
    [`https://example.com/${'é'.repeat(400)}`, 'too long'],
  ])('refuses a URL in both modes and names the fault when no webhook can be sent to it: %s', (url, fault) => {
    for (const mode of ['sandbox', 'live'] as const)
      expect(targetUrlFault(url, { mode, allowed: loopback })).toContain(fault);
  });

  test('accepts a URL when it has 2,048 characters', () => {
    expect(targetUrlFault(`https://example.com/${'a'.repeat(2_028)}`, { mode: 'live', allowed: none })).toBeNull();
  });

  test('accepts a URL without encryption in a sandbox only', () => {
    expect(targetUrlFault('http://example.com/', { mode: 'sandbox', allowed: none })).toBeNull();
    expect(targetUrlFault('http://example.com/', { mode: 'live', allowed: none })).toContain('https:// in live mode');
  });

  const spellings = words(`
    127.0.0.1 0x7f.1 2130706433 017700000001 127.1 0177.0.0.1 127.0.0.1. 0x7F000001 １２７.０.０.１ ①②⑦.⓪.⓪.①
    127。0。0。1 %31%32%37.0.0.1 [::ffff:127.0.0.1] [::ffff:7f00:1] [::1] [0:0:0:0:0:0:0:1] localhost LOCALHOST
    localhost. hooks.localhost ⓛocalhost`);

  test.each(spellings)('accepts a URL of this machine only when its addresses are allowed: %s', (host) => {
    for (const scheme of ['http', 'https']) {
      const url = `${scheme}://${host}:4010/webhooks`;
      expect(targetUrlFault(url, { mode: 'sandbox', allowed: none })).toContain('not allowed');
      expect(targetUrlFault(url, { mode: 'sandbox', allowed: loopback })).toBeNull();
    }
    expect(targetUrlFault(`https://${host}/`, { mode: 'live', allowed: none })).toContain('not allowed');
  });

  test.each(['0', '[::127.0.0.1]', '[::]', '169.254.169.254', '[fd00:ec2::254]', '[64:ff9b::a9fe:a9fe]', '10.1'])(
    'refuses a URL when its literal address is outside the allowed ranges: %s',
    (host) => {
      expect(targetUrlFault(`http://${host}/`, { mode: 'sandbox', allowed: loopback })).toContain('not allowed');
    },
  );

  test('refuses a URL when it has a backslash, also before an allowed host', () => {
    for (const url of [
      'https:\\\\127.0.0.1\\@example.com',
      'https://example.com\\@127.0.0.1/',
      'https://example.com/\\',
    ])
      expect(targetUrlFault(url, { mode: 'live', allowed: none })).toContain('a backslash');
  });

  test('refuses a URL when it has a character that parsers drop, encode or misread', () => {
    const odd = fc.constantFrom('\n', '\r', '\t', ' ', '\\', '\0', '\u0007', '\u007f', '\u00a0', '\u2028', '\ufeff');
    const url = 'https://example.com/webhooks?for=ada';
    fc.assert(
      fc.property(odd, fc.nat(url.length), (character, at) => {
        expect(isPlainUrl(url.slice(0, at) + character + url.slice(at))).toBe(false);
      }),
    );
    expect(isPlainUrl(url)).toBe(true);
  });

  test('refuses every forbidden address with the same sentence when a URL has one', () => {
    const sentences = new Set<string | null>();
    fc.assert(
      fc.property(anyV4, anyV6, (v4, v6) => {
        fc.pre(!isPublic(4, v4) && !isPublic(6, v6));
        for (const host of [textOf(4, v4), `0x${v4.toString(16)}`, `[${textOf(6, v6)}]`])
          sentences.add(targetUrlFault(`https://${host}/`, { mode: 'live', allowed: none }));
      }),
    );
    sentences.add(targetUrlFault('https://localhost/', { mode: 'live', allowed: none }));
    expect([...sentences]).toEqual([expect.stringMatching(/^The URL .* TENURE_ALLOWED_TARGETS\.$/)]);
  });

  const neverPublicHosts = words(`
    app app. metadata.google.internal printer.local nas.home.arpa hooks.test hooks.invalid hooks.example
    abc.onion a..com . METADATA.GOOGLE.INTERNAL`);

  test.each(neverPublicHosts)("accepts a private network's name only when a private address is allowed: %s", (host) => {
    const url = `https://${host}/`;
    expect(targetUrlFault(url, { mode: 'live', allowed: none })).toContain('does not exist on the internet');
    expect(targetUrlFault(url, { mode: 'live', allowed: parseRanges('10.0.0.0/8') })).toBeNull();
    expect(targetUrlFault(url, { mode: 'sandbox', allowed: none })).toContain('does not exist on the internet');
    expect(targetUrlFault(url, { mode: 'sandbox', allowed: parseRanges('fd00::/8') })).toBeNull();
  });

  test('accepts localhost only when both of its addresses are allowed, because connections use both', () => {
    for (const half of ['127.0.0.0/8', '::1'])
      expect(targetUrlFault('http://localhost/', { mode: 'sandbox', allowed: parseRanges(half) })).not.toBeNull();
  });
});

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

function rangeOf(text: string): Range {
  const [address = '', prefix = ''] = text.split('/');
  const family = address.includes(':') ? 6 : 4;
  const size = 2n ** BigInt((family === 4 ? 32 : 128) - Number(prefix));
  const value = valueOf(address);
  const first = value - (value % size);
  return { text, family, first, last: first + size - 1n };
}

function isIn(range: Range, value: bigint): boolean {
  return value >= range.first && value <= range.last;
}

/** Returns the number of an IPv4 address, or of an IPv6 address in hexadecimal. */
function valueOf(address: string): bigint {
  if (!address.includes(':')) return address.split('.').reduce((value, part) => value * 256n + BigInt(part), 0n);
  const [head = [], tail = []] = address.split('::').map((side) => side.split(':').filter((group) => group !== ''));
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
  return groups.reduce((value, group) => value * 65_536n + BigInt(`0x${group}`), 0n);
}

function textOf(family: Family, value: bigint): string {
  if (family === 6) return groupsOf(value).join(':');
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.');
}

function groupsOf(value: bigint): string[] {
  return Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - 16 * index)) & 65_535n).toString(16));
}

/** Returns the forms that RFC 4291 §2.2 has for one address: full, padded, upper case, shortened, with an IPv4 end. */
function textsOfV6(value: bigint): string[] {
  const groups = groupsOf(value);
  const dotted = textOf(4, value % 2n ** 32n);
  const full = groups.join(':');
  const texts = [full, full.toUpperCase(), groups.map((group) => group.padStart(4, '0')).join(':')];
  texts.push([...groups.slice(0, 6), dotted].join(':'));
  for (let start = 0; start < 8; start++) {
    for (let end = start + 1; end <= 8 && groups.slice(start, end).every((group) => group === '0'); end++) {
      texts.push(`${groups.slice(0, start).join(':')}::${groups.slice(end).join(':')}`);
      if (end <= 6) texts.push(`${groups.slice(0, start).join(':')}::${[...groups.slice(end, 6), dotted].join(':')}`);
    }
  }
  return texts;
}
