import { createSocket } from 'node:dgram';
import dns from 'node:dns/promises';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import net, { connect as connectDirectly, type LookupFunction, type Server, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import tls from 'node:tls';
import { Pool } from 'undici';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { parseRanges } from '../../src/core/addresses/address-ranges.ts';
import {
  guardedConnector,
  HostUnresolvedError,
  systemResolve,
  TargetForbiddenError,
  type ResolveHost,
} from '../../src/webhooks/ssrf-guard.ts';

const toLoopback: ResolveHost = async () => ['127.0.0.1'];
const loopback = parseRanges('127.0.0.0/8,::1');
const hasIpv6 = Object.values(networkInterfaces()).some((some) => some?.some(({ address }) => address === '::1'));
const forbidden = { code: 'ERR_TARGET_FORBIDDEN', message: 'The host of the URL has an address that is not allowed.' };
const unresolved = { code: 'ERR_HOST_UNRESOLVED', message: 'The host name of the URL could not be resolved.' };

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe('forbidden addresses', () => {
  // A connection to 0.0.0.0 or to a v4-mapped address reaches 127.0.0.1.
  test.each(['127.0.0.1', '[::ffff:127.0.0.1]', '0.0.0.0', '2130706433'])(
    "sends no packet when the URL's host is the forbidden %s",
    async (host) => {
      const target = await listen();
      const ask = vi.fn<ResolveHost>();
      await expect(send(`http://${host}:${target.port}`, { resolve: ask, allowed: '' })).rejects.toMatchObject(
        forbidden,
      );
      await expect(send(`https://${host}:${target.port}`, { resolve: ask, allowed: '' })).rejects.toMatchObject(
        forbidden,
      );
      expect(ask).not.toHaveBeenCalled();
      expect(await target.connectionsWith('127.0.0.1')).toBe(0);
    },
  );

  test.each([
    ['has no other', ['0.0.0.0']],
    ['has it last', ['127.0.0.1', '0.0.0.0']],
    ['has it first', ['0.0.0.0', '127.0.0.1']],
    ['has it among both families', ['127.0.0.1', '::1', '::ffff:0.0.0.0']],
    ['has a public one too', ['93.184.216.34', '0.0.0.0']],
    ['has an answer that is no address', ['127.0.0.1', 'localhost']],
  ])('sends no packet when a name with a forbidden address %s', async (_, addresses) => {
    const target = await listen();
    const failure = send(`http://hooks.example.test:${target.port}`, { resolve: async () => addresses });
    await expect(failure).rejects.toMatchObject(forbidden);
    await expect(failure).rejects.toBeInstanceOf(TargetForbiddenError);
    expect(await target.connectionsWith('0.0.0.0')).toBe(0);
  });

  test("sends no packet when a name's address was allowed before", async () => {
    const target = await listen();
    const ask = vi.fn<ResolveHost>().mockResolvedValueOnce(['127.0.0.1']).mockResolvedValue(['0.0.0.0']);
    const origin = `http://hooks.example.test:${target.port}`;
    const pool = poolTo(origin, { resolve: ask });
    await expect(statusOf(pool)).resolves.toBe(200);
    // The server closed the first connection, so this one is new.
    await expect(statusOf(pool)).rejects.toMatchObject(forbidden);
    expect(ask).toHaveBeenCalledTimes(2);
    expect(await target.connectionsWith('0.0.0.0')).toBe(1);
  });
});

describe('allowed addresses', () => {
  test.each(['127.0.0.1', '2130706433', '[::ffff:127.0.0.1]'])(
    "connects when the URL's host is an allowed address: %s",
    async (host) => {
      const target = await listen();
      await expect(send(`http://${host}:${target.port}`)).resolves.toBe(200);
    },
  );

  test('connects when a name resolves to an allowed address, with one query and the name as Host', async () => {
    const hosts: (string | undefined)[] = [];
    const target = await listen({ onRequest: (request) => void hosts.push(request.headers.host) });
    const ask = vi.fn<ResolveHost>().mockResolvedValue(['127.0.0.1']);
    await expect(send(`http://hooks.example.test:${target.port}`, { resolve: ask })).resolves.toBe(200);
    expect(ask.mock.calls).toEqual([['hooks.example.test']]);
    expect(hosts).toEqual([`hooks.example.test:${target.port}`]);
  });

  test("connects to the next address when a name's first one does not respond, in either family", async () => {
    const target = await listen();
    await expect(
      send(`http://hooks.example.test:${target.port}`, { resolve: async () => ['::1', '127.0.0.1'] }),
    ).resolves.toBe(200);
  });

  test.skipIf(!hasIpv6)('connects over IPv6 when the address is a literal or comes from a name', async () => {
    const target = await listen({ address: '::1' });
    await expect(send(`http://[0:0::1]:${target.port}`)).resolves.toBe(200);
    await expect(
      send(`http://hooks.example.test:${target.port}`, { resolve: async () => ['127.0.0.1', '::1'] }),
    ).resolves.toBe(200);
    await expect(send(`http://[::1]:${target.port}`, { allowed: '127.0.0.0/8' })).rejects.toMatchObject(forbidden);
    expect(await target.connectionsWith('::1')).toBe(2);
  });

  test('connects when the pool binds a local address, for which Node asks for one address only', async () => {
    const target = await listen();
    const pool = poolTo(`http://hooks.example.test:${target.port}`, {
      resolve: async () => ['127.0.0.1'],
      localAddress: '127.0.0.1',
    });
    await expect(statusOf(pool)).resolves.toBe(200);
  });
});

describe('addresses of open connections', () => {
  test("closes the connection when its address is forbidden though the name's was allowed", async () => {
    const target = await listen();
    const sockets = connectElsewhere('127.0.0.1');
    const failure = send(`http://hooks.example.test:${target.port}`, {
      allowed: '192.168.0.1',
      resolve: async () => ['192.168.0.1'],
    });
    await expect(failure).rejects.toMatchObject(forbidden);
    expect(sockets.map((socket) => socket.destroyed)).toEqual([true]);
    expect(target.requests).toBe(0);
  });

  test("sends nothing when the connection's address is forbidden though the URL's host was allowed", async () => {
    const target = await listen();
    connectElsewhere('127.0.0.1');
    await expect(send(`http://192.168.0.1:${target.port}`, { allowed: '192.168.0.1' })).rejects.toMatchObject(
      forbidden,
    );
    expect(target.requests).toBe(0);
  });

  test('reports a lost connection, not a forbidden address, when the connection is already gone', async () => {
    const target = await listen();
    connectElsewhere('127.0.0.1', (socket) => Object.defineProperty(socket, 'remoteAddress', { value: undefined }));
    await expect(send(`http://127.0.0.1:${target.port}`)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(target.requests).toBe(0);
  });
});

describe('names without an address', () => {
  test.each<[string, ResolveHost]>([
    ['is unresolved when it has no address', async () => []],
    ['is unresolved when the resolver fails', () => Promise.reject(new Error('queryA ESERVFAIL at 10.0.0.53'))],
  ])('reports without details of the resolver that a name %s', async (_, resolve) => {
    const failure = await send('http://hooks.example.test', { resolve }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(HostUnresolvedError);
    expect(failure).toMatchObject(unresolved);
  });

  test('times out when the resolver does not respond', async () => {
    const startedMs = performance.now();
    await expect(
      send('http://hooks.example.test', {
        resolve: () => Promise.withResolvers<string[]>().promise,
        connectTimeoutMs: 200,
      }),
    ).rejects.toMatchObject({
      code: 'UND_ERR_CONNECT_TIMEOUT',
    });
    expect(performance.now() - startedMs).toBeLessThan(20_000);
  });

  test('does not connect when the resolver responds too late', async () => {
    const target = await listen();
    const late = Promise.withResolvers<string[]>();
    await expect(
      send(`http://hooks.example.test:${target.port}`, { resolve: () => late.promise, connectTimeoutMs: 100 }),
    ).rejects.toMatchObject({ code: 'UND_ERR_CONNECT_TIMEOUT' });
    late.resolve(['127.0.0.1']);
    expect(await target.connectionsWith('127.0.0.1')).toBe(0);
  });
});

describe('TLS', () => {
  test("sends the URL's name over HTTP/1.1 and checks the certificate when the target uses TLS", async () => {
    trustTestCertificate();
    const hellos: unknown[] = [];
    const target = await listenWithTls((socket) => hellos.push([socket.servername, socket.alpnProtocol]));
    await expect(send(`https://hooks.example.test:${target.port}`, { resolve: toLoopback })).resolves.toBe(200);
    await expect(send(`https://hooks.example.test.:${target.port}`, { resolve: toLoopback })).resolves.toBe(200);
    expect(hellos).toEqual([
      ['hooks.example.test', 'http/1.1'],
      ['hooks.example.test', 'http/1.1'],
    ]);
    await expect(send(`https://other.example.test:${target.port}`, { resolve: toLoopback })).rejects.toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
    await expect(send(`https://127.0.0.1:${target.port}`)).rejects.toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
    expect(target.requests).toBe(2);
  });

  test('fails and sends nothing when the certificate is not trusted', async () => {
    const target = await listenWithTls();
    await expect(send(`https://hooks.example.test:${target.port}`, { resolve: toLoopback })).rejects.toMatchObject({
      code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    });
    expect(target.requests).toBe(0);
  });

  test('checks the address of the open connection when the target uses TLS', async () => {
    trustTestCertificate();
    const target = await listenWithTls();
    const realConnect = tls.connect as (options: tls.ConnectionOptions) => tls.TLSSocket;
    vi.spyOn(tls, 'connect').mockImplementation(((options: tls.ConnectionOptions) =>
      realConnect({ ...options, lookup: lyingLookup('127.0.0.1') })) as typeof tls.connect);
    const failure = send(`https://hooks.example.test:${target.port}`, {
      allowed: '192.168.0.1',
      resolve: async () => ['192.168.0.1'],
    });
    await expect(failure).rejects.toMatchObject(forbidden);
    expect(target.requests).toBe(0);
  });
});

describe('system resolver', () => {
  test('resolves localhost and names below it without a query', async () => {
    const asked = answering({});
    for (const name of ['localhost', 'localhost.', 'hooks.localhost', 'LocalHost'])
      expect(await systemResolve(name)).toEqual(['127.0.0.1', '::1']);
    expect(asked()).toEqual([0, 0, 0]);
  });

  test('returns the addresses of both families when a name has both', async () => {
    answering({ v4: ['192.0.2.1', '192.0.2.2'], v6: ['2001:db8::1'] });
    expect(await systemResolve('both.example')).toEqual(['192.0.2.1', '192.0.2.2', '2001:db8::1']);
  });

  test("returns one family's addresses when the other has none or its query fails", async () => {
    answering({ v4: ['192.0.2.1'], v6: 'ENODATA' });
    expect(await systemResolve('only-v4.example')).toEqual(['192.0.2.1']);
    answering({ v4: 'ESERVFAIL', v6: ['2001:db8::1'] });
    expect(await systemResolve('half-broken.example')).toEqual(['2001:db8::1']);
  });

  test("reads the machine's hosts file when no name server knows the name", async () => {
    const asked = answering({ machine: ['172.18.0.2', '172.18.0.3'] });
    expect(await systemResolve('app')).toEqual(['172.18.0.2', '172.18.0.3']);
    expect(asked()).toEqual([1, 1, 1]);
  });

  test('does not use the hosts file when the name server fails', async () => {
    const asked = answering({ v4: 'ENOTFOUND', v6: 'ESERVFAIL', machine: ['172.18.0.2'] });
    await expect(systemResolve('broken.example')).rejects.toMatchObject({ code: 'ESERVFAIL' });
    expect(asked()).toEqual([1, 1, 0]);
  });

  test('waits three seconds when name servers do not respond', async () => {
    const silent = [await silentNameServer(), await silentNameServer()];
    const realResolve4 = dns.Resolver.prototype.resolve4 as (hostname: string) => Promise<string[]>;
    vi.spyOn(dns.Resolver.prototype, 'resolve4').mockImplementation(function resolve4(
      this: dns.Resolver,
      hostname: string,
    ) {
      this.setServers(silent);
      return realResolve4.call(this, hostname);
    });
    const startedMs = performance.now();
    await expect(systemResolve('slow.example')).rejects.toMatchObject({ code: 'ECANCELLED' });
    expect(performance.now() - startedMs).toBeLessThan(20_000);
  });

  test('waits two more seconds when the machine does not respond', async () => {
    answering({});
    vi.spyOn(dns, 'lookup').mockReturnValue(new Promise(() => {}));
    const startedMs = performance.now();
    await expect(systemResolve('slow')).rejects.toThrow('in time');
    expect(performance.now() - startedMs).toBeLessThan(20_000);
  });

  test('queries once for simultaneous callers, and once in 30 seconds, when a name resolves', async () => {
    vi.useFakeTimers();
    const asked = answering({ v4: ['192.0.2.1'], v6: 'ENODATA' });
    await Promise.all(Array.from({ length: 20 }, () => systemResolve('busy.example')));
    vi.advanceTimersByTime(29_999);
    await systemResolve('busy.example');
    expect(asked()).toEqual([1, 1, 0]);
    vi.advanceTimersByTime(1);
    await systemResolve('busy.example');
    expect(asked()).toEqual([2, 2, 0]);
  });

  test('caches a failure for only five seconds', async () => {
    vi.useFakeTimers();
    const asked = answering({});
    for (let round = 0; round < 3; round++)
      await expect(systemResolve('gone.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    vi.advanceTimersByTime(4_999);
    await expect(systemResolve('gone.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    expect(asked()).toEqual([1, 1, 1]);
    vi.advanceTimersByTime(1);
    await expect(systemResolve('gone.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    expect(asked()).toEqual([2, 2, 2]);
  });

  test("caches at most 10,000 names, so that one customer's names cannot fill the memory", async () => {
    const asked = answering({ v4: ['192.0.2.1'] });
    await systemResolve('first.example');
    for (let index = 0; index < 9_999; index++) await systemResolve(`name-${index}.example`);
    await systemResolve('first.example');
    expect(asked()[0]).toBe(10_000);
    await systemResolve('one-more.example');
    await systemResolve('first.example');
    expect(asked()[0]).toBe(10_002);
  });
});

interface Sending {
  /** Value of the allowed-targets setting. */
  allowed?: string;
  resolve?: ResolveHost;
  connectTimeoutMs?: number;
  localAddress?: string;
}

function poolTo(origin: string, sending: Sending = {}): Pool {
  const { allowed, resolve = systemResolve, connectTimeoutMs = 5_000, localAddress } = sending;
  const connect = guardedConnector({
    allowed: allowed === undefined ? loopback : parseRanges(allowed),
    resolve,
    connectTimeoutMs,
  });
  const pool = new Pool(origin, { connect, ...(localAddress !== undefined && { localAddress }) });
  onTestFinished(() => pool.destroy());
  return pool;
}

async function statusOf(pool: Pool): Promise<number> {
  const { statusCode, body } = await pool.request({ method: 'POST', path: '/webhooks', body: '{}' });
  await body.dump();
  return statusCode;
}

/** Sends one request over its own connection, and returns the response's status. */
async function send(origin: string, sending?: Sending): Promise<number> {
  return statusOf(poolTo(origin, sending));
}

interface Target {
  port: number;
  requests: number;
  /**
   * Counts the connections that arrived. First it proves that a connection to `reachable` would arrive, since a zero alone proves nothing.
   */
  connectionsWith(reachable: string): Promise<number>;
}

interface Listening {
  address?: string;
  onRequest?: RequestListener;
}

async function listen({ address = '127.0.0.1', onRequest }: Listening = {}): Promise<Target> {
  return started(address, (answerRequest) =>
    createHttpServer((request, response) => {
      onRequest?.(request, response);
      answerRequest(request, response);
    }),
  );
}

async function listenWithTls(onHello?: (socket: tls.TLSSocket) => void): Promise<Target> {
  return started('127.0.0.1', (answerRequest) => {
    const server = createHttpsServer(
      { key: testKey, cert: testCertificate, ALPNProtocols: ['h2', 'http/1.1'] },
      answerRequest,
    );
    server.on('secureConnection', (socket) => onHello?.(socket));
    // A client closes the connection if it does not trust the certificate.
    server.on('tlsClientError', () => {});
    return server;
  });
}

async function started(address: string, makeServer: (answerRequest: RequestListener) => Server): Promise<Target> {
  let connections = 0;
  const server = makeServer((request, response) => {
    target.requests++;
    request.resume().on('end', () => response.writeHead(200, { connection: 'close' }).end());
  });
  server.on('connection', () => connections++);
  // No other server listens on this port, on any address.
  const port = await freePort();
  await new Promise<void>((resolve) => {
    server.listen(port, address, resolve);
  });
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  const target: Target = {
    port,
    requests: 0,
    async connectionsWith(reachable) {
      const before = connections;
      const socket = connectDirectly(port, reachable);
      await vi.waitFor(() => expect(connections).toBeGreaterThan(before), { timeout: 30_000 });
      socket.destroy();
      return connections - 1;
    },
  };
  return target;
}

/** Makes Node connect to another address than requested, which no lookup or literal check would notice. */
function connectElsewhere(address: string, onSocket?: (socket: Socket) => void): Socket[] {
  const sockets: Socket[] = [];
  const realConnect = net.connect as (options: net.TcpNetConnectOpts) => Socket;
  vi.spyOn(net, 'connect').mockImplementation(((options: net.TcpNetConnectOpts) => {
    const socket = realConnect({ ...options, host: address });
    sockets.push(socket);
    onSocket?.(socket);
    return socket;
  }) as typeof net.connect);
  return sockets;
}

function lyingLookup(address: string): LookupFunction {
  return (_hostname, options, callback) => {
    if (options.all) callback(null, [{ address, family: 4 }]);
    else callback(null, address, 4);
  };
}

/** Replaces the machine's resolvers by these answers or error codes, and counts the queries to each. */
function answering(answers: { v4?: string[] | string; v6?: string[] | string; machine?: string[] }): () => number[] {
  vi.restoreAllMocks();
  const { v4 = 'ENOTFOUND', v6 = 'ENOTFOUND', machine = 'ENOTFOUND' } = answers;
  const spies = [
    vi.spyOn(dns.Resolver.prototype, 'resolve4').mockImplementation(() => answer(v4)),
    vi.spyOn(dns.Resolver.prototype, 'resolve6').mockImplementation(() => answer(v6)),
    vi.spyOn(dns, 'lookup').mockImplementation((async () => {
      const addresses = await answer(machine);
      return addresses.map((address) => ({ address, family: 4 }));
    }) as never),
  ];
  return () => spies.map((spy) => spy.mock.calls.length);
}

async function answer(value: string[] | string): Promise<string[]> {
  if (typeof value === 'string') throw Object.assign(new Error(`query ${value}`), { code: value });
  return value;
}

/** A name server that receives every query and answers none. */
async function silentNameServer(): Promise<string> {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => {
    socket.bind(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => void socket.close());
  return `127.0.0.1:${socket.address().port}`;
}

function trustTestCertificate(): void {
  const before = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...before, testCertificate]);
  onTestFinished(() => tls.setDefaultCACertificates(before));
}

/** For hooks.example.test, self-signed, valid until 2120. Only this file trusts it. */
const testCertificate = `-----BEGIN CERTIFICATE-----
MIIBbzCCARSgAwIBAgIBATAKBggqhkjOPQQDAjAWMRQwEgYDVQQDDAtUZW51cmUg
dGVzdDAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowFjEUMBIGA1UE
AwwLVGVudXJlIHRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARa1hUzTyUF
ciiRQRTKGNQqPRQO88wWsRIDVL8VsB3YnerY5GXy2KX8PsQnf8SABcb+sxVollW4
SilhFMVhzY4qo1EwTzAPBgNVHRMBAf8EBTADAQH/MB0GA1UdEQQWMBSCEmhvb2tz
LmV4YW1wbGUudGVzdDAdBgNVHQ4EFgQUBhhbFsbonkP4o7sp9pCOPbljGUIwCgYI
KoZIzj0EAwIDSQAwRgIhAOXLjsFI0Uc5wV3+uQV6ZDLiLC1oGgu4qxOjxEcQeEKO
AiEA48wPgu9Jb9y5V5NrQHwlQ6QCYnfxcLi/kLu0uCh74BM=
-----END CERTIFICATE-----
`;

const testKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg7SaJZ4pFYHwmuw0n
/oDpAW/k617uFwRJ1hyoniH3Ps+hRANCAARa1hUzTyUFciiRQRTKGNQqPRQO88wW
sRIDVL8VsB3YnerY5GXy2KX8PsQnf8SABcb+sxVollW4SilhFMVhzY4q
-----END PRIVATE KEY-----
`;
