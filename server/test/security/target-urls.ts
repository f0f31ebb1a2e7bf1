/*
 * URLs that lead a server to itself, to its network, or to its cloud's metadata. They use every spelling that gets past filters. The forms
 * are those that PayloadsAllTheThings collects under "Server Side Request Forgery".
 */

/** Addresses that no outside client may reach. */
const addresses = [
  '127.0.0.1',
  '127.127.127.127',
  '0.0.0.0',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  // Metadata addresses of most clouds, then of AWS for containers, Alibaba, Oracle and Azure.
  '169.254.169.254',
  '169.254.170.2',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
];

const spellings: ((address: string) => string)[] = [
  (address) => address,
  (address) => `${address}.`,
  (address) => String(numberOf(address)),
  (address) => `0x${hexOf(address)}`,
  (address) => `0X${hexOf(address).toUpperCase()}`,
  (address) => `0${numberOf(address).toString(8)}`,
  (address) => bytesOf(address, (byte) => `0x${byte.toString(16)}`),
  (address) => bytesOf(address, (byte) => `0x${byte.toString(16).padStart(8, '0')}`),
  (address) => bytesOf(address, (byte) => `0${byte.toString(8)}`),
  (address) => bytesOf(address, (byte) => `0000${byte.toString(8)}`),
  (address) => bytesOf(address, (byte, place) => (place % 2 ? String(byte) : `0x${byte.toString(16)}`)),
  // The last part may stand for several bytes.
  (address) => `${numberOf(address) >>> 24}.${numberOf(address) & 0xff_ffff}`,
  (address) => `${numberOf(address) >>> 24}.${(numberOf(address) >>> 16) & 0xff}.${numberOf(address) & 0xffff}`,
  // Characters that become digits only after normalization.
  (address) => digitsFrom(address, 0xff10),
  (address) => address.replaceAll('.', '。'),
  (address) => address.replaceAll('.', '．'),
  (address) =>
    Array.from(address, (digit) =>
      /[1-9]/.test(digit) ? String.fromCodePoint(0x2460 + Number(digit) - 1) : digit,
    ).join(''),
  (address) => digitsFrom(address, 0x1d7ce),
  (address) => Array.from(address, (digit) => `%${digit.charCodeAt(0).toString(16)}`).join(''),
  (address) => address.replaceAll('.', '%2e'),
  // IPv4 within IPv6: mapped, compatible, translated, and by 6to4.
  (address) => `[::ffff:${address}]`,
  (address) => `[::ffff:${wordsOf(address)}]`,
  (address) => `[0:0:0:0:0:FFFF:${address}]`,
  (address) => `[0000:0000:0000:0000:0000:ffff:${wordsOf(address)}]`,
  (address) => `[::${address}]`,
  (address) => `[::ffff:0:${address}]`,
  (address) => `[64:ff9b::${address}]`,
  (address) => `[64:ff9b:1::${wordsOf(address)}]`,
  (address) => `[2002:${wordsOf(address)}::]`,
  // Parsers that follow browsers remove line ends within a URL.
  (address) => address.replace('.', '.\t'),
  (address) => address.replace('.', '\r\n.'),
];

const ownAddresses = [
  '[::]',
  '[::1]',
  '[0000::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::1%25lo]',
  '[fe80::1]',
  '[fec0::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[fd20:ce::254]',
  '[ff02::1]',
  '[100::1]',
  '[2001:db8::1]',
  '[2001::1]',
  '[3fff::1]',
  '[5f00::1]',
  '0',
  '127.1',
  '0x7f.1',
  '0177.1',
  '255.255.255.255',
  '224.0.0.1',
  '240.0.0.1',
  '198.18.0.1',
  '203.0.113.1',
  '192.88.99.1',
];

/** Names of the machine, of its network and of its neighbours. */
const privateNames = [
  'localhost',
  'LOCALHOST',
  'localhost.',
  'foo.localhost',
  'lOcAlHoSt',
  'ⓛocalhost',
  'ｌｏｃａｌｈｏｓｔ',
  'local%68ost',
  'loc\u00adalhost',
  'localhost.localdomain',
  'ip6-localhost',
  'ip6-loopback',
  'metadata',
  'metadata.google.internal',
  'METADATA.GOOGLE.INTERNAL.',
  'instance-data',
  'instance-data.ec2.internal',
  'metadata.tencentyun.com',
  'rancher-metadata',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
  'host.docker.internal',
  'gateway.docker.internal',
  'host.containers.internal',
  'consul.service.consul',
  'router.home.arpa',
  'printer.local',
  'intranet',
  'postgres',
  'db',
  'redis',
  'app.test',
  'app.example',
  'app.invalid',
  'hidden.onion',
];

/** Public names that resolve to inside addresses. */
const publicNames = [
  'localtest.me',
  'localh.st',
  'lvh.me',
  'lacolhost.com',
  'vcap.me',
  '127.0.0.1.nip.io',
  'company.127.0.0.1.nip.io',
  '7f000001.nip.io',
  '169.254.169.254.nip.io',
  '10-0-0-1.nip.io',
  '127.0.0.1.sslip.io',
  '127-0-0-1.sslip.io',
  '0-0-0-0--1.sslip.io',
  'a.127.0.0.1.1time.10.0.0.1.forever.rebind.network',
  'make-1.2.3.4-rebind-169.254-169.254-rr.1u.ms',
  '7f000001.c0a80001.rbndr.us',
  'customer1.app.localhost.my.company.127.0.0.1.nip.io',
  'xn--e1aybc.xn--p1ai',
  'ⓝⓘⓟ.ⓘⓞ',
];

/** URLs with a forbidden host that seem to lead elsewhere. */
const disguised = (host: string): string[] => [
  `https://hooks.example.com@${host}/`,
  `https://hooks.example.com:443@${host}/`,
  `https://hooks.example.com%40${host}@${host}/`,
  `https://hooks.example.com%2f@${host}/`,
  `https://a:b@${host}/hook`,
  `https://@${host}/`,
  `https:${host}/`,
  `https:/${host}/`,
  `https:///${host}/`,
  `https:\\\\${host}\\`,
  `HTTPS://${host}/`,
  ` https://${host}/ `,
  `https://${host}#@hooks.example.com/`,
  `https://${host}?@hooks.example.com/`,
  `https://${host}\\@hooks.example.com/`,
  `https://${host}/%2e%2e/@hooks.example.com`,
  `http://${host}/`,
];

/** Schemes that make other clients do other things. */
const schemes = [
  'file:///etc/passwd',
  'file://localhost/etc/passwd',
  'gopher://127.0.0.1:6379/_FLUSHALL',
  'dict://127.0.0.1:11211/stats',
  'ftp://127.0.0.1/',
  'sftp://127.0.0.1/',
  'tftp://127.0.0.1/a',
  'ldap://127.0.0.1/',
  'ldaps://127.0.0.1/',
  'jar:https://127.0.0.1!/',
  'netdoc:///etc/passwd',
  'data:text/plain,x',
  'javascript:alert(1)',
  'unix:/var/run/docker.sock',
  'http+unix://%2Fvar%2Frun%2Fdocker.sock/info',
  'ws://127.0.0.1/',
  'wss://127.0.0.1/',
  'smb://127.0.0.1/c$',
  '\\\\127.0.0.1\\c$',
  '//127.0.0.1/',
  '/hook',
  'hook',
  'https://',
  'https:// /',
  'https://?',
  'https://[',
  'https://[::1',
  'https://127.0.0.1:0/',
  'https://127.0.0.1:65536/',
  'https://127.0.0.1:-1/',
  'https://1.1.1.1 &@127.0.0.1# @127.0.0.1/',
  'https://256.256.256.256/',
  'https://1.2.3.4.5/',
  'https://0x/',
  'https://09.0.0.1/',
  'https://0o177.0.0.1/',
  'https://127.0.0.1%00.hooks.example.com/',
  'blob:https://127.0.0.1/',
  'view-source:https://127.0.0.1/',
];

/** Returns all of these URLs, with a port of this machine where a listener waits. */
export function targetUrls(port: number): string[] {
  const hosts = [
    ...addresses.flatMap((address) => spellings.map((spell) => spell(address))),
    ...ownAddresses,
    ...privateNames,
    ...publicNames,
  ];
  return [
    ...new Set([
      ...hosts.map((host) => `https://${host}:${port}/`),
      ...['127.0.0.1', '2130706433', 'localhost', '[::1]'].flatMap((host) => disguised(`${host}:${port}`)),
      ...schemes,
    ]),
  ];
}

function numberOf(address: string): number {
  return address.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0);
}

function hexOf(address: string): string {
  return numberOf(address).toString(16).padStart(8, '0');
}

function wordsOf(address: string): string {
  return `${hexOf(address).slice(0, 4)}:${hexOf(address).slice(4)}`;
}

function bytesOf(address: string, spell: (byte: number, place: number) => string): string {
  return address
    .split('.')
    .map((byte, place) => spell(Number(byte), place))
    .join('.');
}

function digitsFrom(address: string, zero: number): string {
  return address.replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));
}
