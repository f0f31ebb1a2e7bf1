import { createServer as createHttpsServer } from 'node:https';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { rawReceiverForTest, receiverForTest } from '../support/receiver.ts';
import { serverForTest, startTestServer, type ApiResponse, type TestServer } from '../support/server.ts';
import {
  attempted,
  copiedEndpoint,
  deliver,
  endpointFor,
  makeReferences,
  over,
  ping,
  pingedEndpoint,
  queueEmpty,
  role,
  soon,
} from './scenario.ts';

/*
 * Whatever is at the other end: what it did is recorded truthfully, in time, and nobody else suffers.
 */

type Body = ApiResponse['body'];

const attemptTimeoutMs = 1_000;
const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/** What names resolve to just now. */
let resolveHost: (hostname: string) => Promise<string[]> = async () => ['127.0.0.1'];

describe('one attempt', () => {
  let server: TestServer;
  /** What the endpoints of these tests are copies of. */
  let pattern: string;
  beforeAll(async () => {
    server = await startTestServer({
      settings: { TENURE_RETRY_SCHEDULE: 'none' },
      overrides: {
        resolveHost: (hostname) => resolveHost(hostname),
        // Few places, so that one which is not given back is soon missed.
        dispatcherLimits: { attemptTimeoutMs, leaseMs: 5_000, pollMs: 50, claimMax: 8, heldMax: 8, perEndpointMax: 4 },
      },
    });
    pattern = (await pingedEndpoint(server.api, 'https://hooks.example.com/')).id;
  });
  afterAll(() => server.stop());

  async function deliverTo(url: string): Promise<Body> {
    const delivery = await deliver(server, await copiedEndpoint(server, pattern, url));
    expect(delivery.attempts).toHaveLength(1);
    const [attempt] = delivery.attempts;
    expect(attempt.duration_ms).toBeGreaterThanOrEqual(0);
    if (attempt.response !== null) expect(attempt.response.length).toBeLessThanOrEqual(1024);
    return { status: delivery.status, attempt };
  }

  test('that is never answered ends in time, and its connection is closed', async () => {
    const receiver = await rawReceiverForTest(() => {});
    const delivery = await deliverTo(receiver.url);
    expect(delivery).toMatchObject({ status: 'failed', attempt: { status: null, error: 'timeout', response: null } });
    await expectInTime(receiver, delivery);
  });

  test('whose answer drips for ever ends in time, and tells what came', async () => {
    const receiver = await rawReceiverForTest((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n');
      everyMs(10, socket, () => socket.write('.'));
    });
    const delivery = await deliverTo(receiver.url);
    expect(delivery).toMatchObject({ status: 'failed', attempt: { status: 200, error: 'timeout' } });
    expect(delivery.attempt.response).toMatch(/^\.+$/);
    await expectInTime(receiver, delivery);
  });

  test('whose answer’s fields drip for ever ends in time', async () => {
    const receiver = await rawReceiverForTest((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      everyMs(50, socket, () => socket.write('A: b\r\n'));
    });
    const delivery = await deliverTo(receiver.url);
    expect(delivery).toMatchObject({ status: 'failed', attempt: { status: null, error: 'timeout' } });
    await expectInTime(receiver, delivery);
  });

  test('that is asked for patience for ever ends in time', async () => {
    const receiver = await rawReceiverForTest((socket) => {
      everyMs(20, socket, () => socket.write('HTTP/1.1 102 Processing\r\n\r\n'));
    });
    const delivery = await deliverTo(receiver.url);
    expect(delivery).toMatchObject({ status: 'failed', attempt: { status: null, error: 'timeout' } });
    await expectInTime(receiver, delivery);
  });

  test('whose answer’s fields come without end is given up soon', async () => {
    let written = 0;
    const receiver = await rawReceiverForTest((socket) => {
      const line = `Field: ${'x'.repeat(1000)}\r\n`;
      socket.write('HTTP/1.1 200 OK\r\n');
      pour(socket, Buffer.from(line.repeat(20)), (bytes) => (written += bytes));
    });
    const delivery = await deliverTo(receiver.url);
    expect(delivery).toMatchObject({ status: 'failed', attempt: { error: 'response_invalid', response: null } });
    expect(written).toBeLessThan(32 * 1024 * 1024);
  });

  test('that is refused a connection says so', async () => {
    const free = createServer();
    await new Promise<void>((resolve) => free.listen(0, '127.0.0.1', resolve));
    const { port } = free.address() as AddressInfo;
    await new Promise((resolve) => free.close(resolve));
    const delivery = await deliverTo(`http://127.0.0.1:${port}/`);
    expect(delivery).toMatchObject({ attempt: { status: null, error: 'connection_refused', response: null } });
  });

  test('whose connection is reset at once says so', async () => {
    const receiver = await rawReceiverForTest(
      () => {},
      (socket) => socket.resetAndDestroy(),
    );
    const delivery = await deliverTo(receiver.url);
    expect(delivery).toMatchObject({ status: 'failed', attempt: { status: null, error: 'connection_closed' } });
    expect(receiver.requests.length).toBeLessThanOrEqual(1);
  });

  test('whose connection is closed at once says so', async () => {
    const receiver = await rawReceiverForTest(
      () => {},
      (socket) => socket.destroy(),
    );
    const delivery = await deliverTo(receiver.url);
    expect(delivery).toMatchObject({ status: 'failed', attempt: { status: null, error: 'connection_closed' } });
  });

  test.each<[string, (socket: Socket) => void]>([
    ['reset', (socket) => socket.resetAndDestroy()],
    ['closed', (socket) => socket.destroy()],
    ['ended', (socket) => socket.end()],
  ])('whose connection is %s after the request says so, and is not repeated by itself', async (_, part) => {
    const receiver = await rawReceiverForTest(part);
    const delivery = await deliverTo(receiver.url);
    expect(delivery).toMatchObject({ status: 'failed', attempt: { status: null, error: 'connection_closed' } });
    expect(receiver.requests).toHaveLength(1);
  });

  test.each([
    ['by its length', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbegun'],
    ['by its last chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nbegun\r\n'],
  ])('whose answer ends before its end, %s, is no success', async (_, answer) => {
    const receiver = await rawReceiverForTest((socket) => socket.end(answer));
    const delivery = await deliverTo(receiver.url);
    expect(delivery).toMatchObject({
      status: 'failed',
      attempt: { status: 200, error: 'connection_closed', response: 'begun' },
    });
  });

  test('whose answer ends with its connection, as HTTP/1.0 has it, is success', async () => {
    const receiver = await rawReceiverForTest((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nold'));
    const delivery = await deliverTo(receiver.url);
    expect(delivery).toMatchObject({ status: 'delivered', attempt: { status: 200, error: null, response: 'old' } });
  });

  test.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['bytes of no kind', Buffer.from([0, 255, 254, 1, 2, 3, 13, 10, 13, 10])],
    ['a status of no number', 'HTTP/1.1 abc OK\r\n\r\n'],
    ['a status of five digits', 'HTTP/1.1 99999 Huge\r\nContent-Length: 0\r\n\r\n'],
    ['a negative length', 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n'],
    ['a NUL in a field', 'HTTP/1.1 200 OK\r\nA: \0\r\nContent-Length: 0\r\n\r\n'],
    ['chunks of no length', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n'],
  ])('that is answered with %s is no success, and says so', async (_, answer) => {
    const receiver = await rawReceiverForTest((socket) => socket.write(answer));
    const delivery = await deliverTo(receiver.url);
    expect(delivery).toMatchObject({ status: 'failed', attempt: { error: 'response_invalid' } });
    expect(receiver.requests).toHaveLength(1);
  });

  test('that is answered with two lengths is no success', async () => {
    const receiver = await rawReceiverForTest((socket) =>
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc'),
    );
    expect(await deliverTo(receiver.url)).toMatchObject({ status: 'failed' });
  });

  test.each(['000', '001', '042', '099', '101', '199', '600', '999'])(
    'that is answered with the status %s, which is none, is no success, and has an end',
    async (status) => {
      const receiver = await rawReceiverForTest((socket) =>
        socket.write(`HTTP/1.1 ${status} What\r\nContent-Length: 0\r\n\r\n`),
      );
      expect(await deliverTo(receiver.url)).toMatchObject({ status: 'failed' });
      expect(receiver.requests).toHaveLength(1);
    },
  );

  test('whose answer has ten gigabytes is success, and hardly any of them are read', async () => {
    let written = 0;
    const receiver = await rawReceiverForTest((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${10 * 1024 ** 3}\r\n\r\n`);
      pour(socket, Buffer.alloc(64 * 1024, 'a'), (bytes) => (written += bytes));
    });
    const beforeBytes = process.memoryUsage.rss();
    const delivery = await deliverTo(receiver.url);
    expect(delivery).toMatchObject({ status: 'delivered', attempt: { status: 200, error: null } });
    expect(delivery.attempt.response).toBe('a'.repeat(1024));
    await expect.poll(() => receiver.open, soon).toBe(0);
    // What was read, and what the system holds for a connection on both sides.
    expect(written).toBeLessThan(32 * 1024 * 1024);
    expect(process.memoryUsage.rss() - beforeBytes).toBeLessThan(150 * 1024 * 1024);
  });

  test('whose answer is a bomb of gzip keeps its bytes shut', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
    const receiver = await receiverForTest((response) =>
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'text/plain' }).end(bomb),
    );
    const delivery = await deliverTo(receiver.url);
    expect(delivery).toMatchObject({ status: 'delivered', attempt: { status: 200, error: null } });
    expect(delivery.attempt.response).not.toContain('\0');
    expect(delivery.attempt.response.charCodeAt(0)).toBe(0x1f);
    expect(receiver.received[0]!.headers['accept-encoding']).toBeUndefined();
  });

  test.each([
    ['NUL bytes', Buffer.from('a\0b\0'), 'a\ufffdb\ufffd'],
    ['what is no UTF-8', Buffer.from([0x61, 0xff, 0xfe, 0xc3, 0x28]), 'a\ufffd\ufffd\ufffd('],
    ['half of a pair', Buffer.from([0xed, 0xa0, 0xbd]), '\ufffd\ufffd\ufffd'],
    ['emoji', Buffer.from('🏠\u2028'), '🏠\u2028'],
    ['nothing', Buffer.alloc(0), null],
  ])('whose answer is %s can be kept', async (_, bytes, kept) => {
    const receiver = await receiverForTest((response) => response.writeHead(200).end(bytes));
    expect(await deliverTo(receiver.url)).toMatchObject({ status: 'delivered', attempt: { response: kept } });
  });

  test('whose answer is cut within a character keeps a kilobyte', async () => {
    const receiver = await receiverForTest((response) => response.writeHead(200).end(`a${'🏠'.repeat(1000)}`));
    const { attempt } = await deliverTo(receiver.url);
    expect(attempt.response.startsWith(`a${'🏠'.repeat(255)}`)).toBe(true);
  });

  test('over TLS to a port without TLS says so', async () => {
    const receiver = await rawReceiverForTest(
      () => {},
      (socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n')),
    );
    const delivery = await deliverTo(receiver.url.replace('http:', 'https:'));
    expect(delivery).toMatchObject({ status: 'failed', attempt: { status: null, error: 'tls_failed' } });
  });

  test('over TLS, to one whose certificate comes from nobody known, says so, and sends nothing', async () => {
    let requests = 0;
    const secure = createHttpsServer({ cert: certificateOfUnknownIssuer, key: certificateKey }, (_, response) => {
      requests++;
      response.end();
    });
    await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
    onTestFinished(async () => {
      secure.closeAllConnections();
      await new Promise((resolve) => secure.close(resolve));
    });
    resolveHost = async () => ['127.0.0.1'];
    const { port } = secure.address() as AddressInfo;
    const delivery = await deliverTo(`https://hooks.example.com:${port}/`);
    expect(delivery).toMatchObject({
      status: 'failed',
      attempt: { status: null, error: 'tls_failed', response: null },
    });
    expect(requests).toBe(0);
  });

  test('to an address that may no longer be reached says so, and sends nothing', async () => {
    const receiver = await rawReceiverForTest((socket) => socket.write(ok));
    const api = await serverForTest({ settings: role('api') });
    const endpoint = await pingedEndpoint(api.api, receiver.url);
    await ping(api.api, endpoint.id);
    await serverForTest({
      connection: api.connection,
      settings: { ...role('worker'), TENURE_ALLOWED_TARGETS: '', TENURE_RETRY_SCHEDULE: 'none' },
      overrides: { dispatcherLimits: { pollMs: 20 } },
    });
    expect(await over(api.api, endpoint.id)).toMatchObject({
      status: 'failed',
      attempts: [{ status: null, error: 'address_forbidden' }],
    });
    expect(receiver.connections).toBe(0);
  });

  describe('to a name', () => {
    test('that does not resolve says so, and nothing of the resolver', async () => {
      resolveHost = async () => {
        throw Object.assign(new Error('query refused by 10.9.8.7'), { code: 'ESERVFAIL' });
      };
      const delivery = await deliverTo('http://hooks.example.com/');
      expect(delivery).toMatchObject({ attempt: { status: null, error: 'host_unresolved', response: null } });
      expect(JSON.stringify(delivery)).not.toContain('10.9.8.7');
    });

    test('without an address says so', async () => {
      resolveHost = async () => [];
      expect(await deliverTo('http://hooks.example.com/')).toMatchObject({ attempt: { error: 'host_unresolved' } });
    });

    test.each([[['10.0.0.1']], [['127.0.0.1', '169.254.169.254']], [['fd00::1']]])(
      'of a forbidden address says so, and not which: %s',
      async (addresses) => {
        const receiver = await rawReceiverForTest((socket) => socket.write(ok));
        resolveHost = async () => addresses;
        const delivery = await deliverTo(named(receiver.url));
        expect(delivery).toMatchObject({ attempt: { status: null, error: 'address_forbidden', response: null } });
        for (const address of addresses) expect(JSON.stringify(delivery)).not.toContain(address);
        expect(receiver.connections).toBe(0);
      },
    );

    test('that is allowed, and then no more, is asked again for each new connection', async () => {
      const receiver = await rawReceiverForTest((socket) => socket.end(ok.replace('OK', 'OK\r\nConnection: close')));
      const answers = [['127.0.0.1'], ['10.0.0.1']];
      resolveHost = async () => (answers.length > 1 ? answers.shift()! : answers[0]!);
      const endpoint = await endpointFor(server.api, named(receiver.url));
      await makeReferences(server.api, 1);
      expect(await over(server.api, endpoint.id)).toMatchObject({ status: 'delivered' });
      await makeReferences(server.api, 1);
      await queueEmpty(server);
      const { body } = await server.api.get(`/v1/webhook_endpoints/${endpoint.id}/deliveries`);
      expect(body.data).toMatchObject([
        { status: 'failed', attempts: [{ status: null, error: 'address_forbidden' }] },
        { status: 'delivered', attempts: [{ status: 200, error: null }] },
      ]);
      expect(receiver.connections).toBe(1);
    });

    test('that resolves too late ends in time', async () => {
      resolveHost = () => new Promise(() => {});
      const { attempt } = await deliverTo('http://hooks.example.com/');
      expect(attempt).toMatchObject({ status: null, error: 'timeout' });
    });
  });

  test('after all of them, a receiver of the good kind gets all that is its own', async () => {
    const receiver = await receiverForTest();
    await endpointFor(server.api, receiver.url);
    await makeReferences(server.api, 20);
    await receiver.count(20);
  });
});

test('an answer that nobody can keep does not take those of others with it', async () => {
  const server = await serverForTest({
    settings: { TENURE_RETRY_SCHEDULE: '0.01' },
    overrides: { dispatcherLimits: { attemptTimeoutMs, leaseMs: 5_000, pollMs: 20 } },
  });
  const answers = ['000 None', '099 Less', '999 More', '200 \0', '200 OK\r\nRetry-After: \xff'];
  const bad = await Promise.all(
    answers.map((answer) =>
      rawReceiverForTest((socket) => socket.write(`HTTP/1.1 ${answer}\r\nContent-Length: 1\r\n\r\n\0`, 'latin1')),
    ),
  );
  const good = await receiverForTest();
  await Promise.all([...bad, good].map(({ url }) => endpointFor(server.api, url)));
  await makeReferences(server.api, 10);
  await queueEmpty(server);
  expect(good.received).toHaveLength(10);
});

test('every attempt at a receiver that is not there is recorded, and counts', async () => {
  const { api } = await serverForTest({
    settings: { TENURE_RETRY_SCHEDULE: '0.02,0.02' },
    overrides: { dispatcherLimits: { pollMs: 20 }, resolveHost: async () => [] },
  });
  const endpoint = await pingedEndpoint(api, 'http://hooks.example.com/');
  await ping(api, endpoint.id);
  await attempted(api, endpoint.id, 3);
  const attempt = { status: null, error: 'host_unresolved', response: null };
  expect(await over(api, endpoint.id)).toMatchObject({
    status: 'failed',
    attempt_count: 3,
    attempts: [attempt, attempt, attempt],
  });
});

async function expectInTime(receiver: { open: number }, delivery: Body): Promise<void> {
  expect(delivery.attempt.duration_ms).toBeGreaterThanOrEqual(attemptTimeoutMs * 0.9);
  expect(delivery.attempt.duration_ms).toBeLessThan(attemptTimeoutMs * 3);
  await expect.poll(() => receiver.open, soon).toBe(0);
}

function named(url: string): string {
  return url.replace('127.0.0.1', 'hooks.example.com');
}

function everyMs(intervalMs: number, socket: Socket, write: () => void): void {
  const timer = setInterval(write, intervalMs);
  socket.on('close', () => clearInterval(timer));
  onTestFinished(() => clearInterval(timer));
}

/** Writes the same bytes until the other side has had enough. */
function pour(socket: Socket, bytes: Buffer, onWritten: (length: number) => void): void {
  const more = (): void => {
    if (socket.destroyed) return;
    onWritten(bytes.length);
    if (socket.write(bytes)) setImmediate(more);
    else socket.once('drain', more);
  };
  more();
}

/** For hooks.example.com, from an issuer that was thrown away, until 2120. */
const certificateOfUnknownIssuer = `-----BEGIN CERTIFICATE-----
MIIBHjCBxQIBATAKBggqhkjOPQQDAjAZMRcwFQYDVQQDDA5Vbmtub3duIGlzc3Vl
cjAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowHDEaMBgGA1UEAwwR
aG9va3MuZXhhbXBsZS5jb20wWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQMpV4C
SJWKzYpcD+D3plkoimHlLa7z2IN7P6Fgpr5lmriJXn8h6HVud8Lq/y9jGbrMl857
3LpRzJAdXCndGANAMAoGCCqGSM49BAMCA0gAMEUCIQCtqssRUGLCUmav2iygmwdw
tWoELJJ9upA9uK3bzZ8zswIgUaRmDoTw5aBW32YXKS4+WA9ThxFTmVANn2+3rE82
TQo=
-----END CERTIFICATE-----
`;

const certificateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg1wDX9VzCXbgm7TFu
VrD6aplgu2ddA3K8jAG4Xk6vKdahRANCAAQMpV4CSJWKzYpcD+D3plkoimHlLa7z
2IN7P6Fgpr5lmriJXn8h6HVud8Lq/y9jGbrMl8573LpRzJAdXCndGANA
-----END PRIVATE KEY-----
`;
