import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { AttemptError } from '../../../src/webhooks/sender.ts';
import { heapBytes } from '../../support/heap.ts';
import { everyMs, pour, rawReceiverForTest, receiverForTest, startReceiver } from '../../support/receiver.ts';
import { serverForTest, type TestServer } from '../../support/server.ts';
import { tlsReceiverForTest, type Certificate } from '../../support/tls-receiver.ts';
import {
  deliveriesOf,
  deliveryIdOf,
  endpointFor,
  makeReferences,
  pingedEndpoint,
  queueEmpty,
  seed,
} from '../scenario.ts';
import { print } from './load.ts';
import { rounds } from '../../support/rounds.ts';

/*
 * Receivers that misbehave in every way, all at once and repeatedly. Memory stays level, each attempt records what happened, and healthy
 * receivers are not affected.
 */

const repeats = rounds(1, 3);
const ofEachKind = 20;

/** Fewer than make an endpoint count as hanging, because such an endpoint gets one attempt at a time. */
const ofKindsThatHang = 3;
const attempts = 2;
/** Milliseconds. On a busy machine, good attempts beside hundreds of bad ones take far longer than alone. */
const attemptTimeoutMs = 30_000;
const megabyte = 1024 * 1024;

/** The result of an attempt at a receiver of this kind. */
interface Kind {
  url: string;
  status: number | null;
  error: AttemptError | null;
  /** The requests that it received: none for kinds that must get none. */
  requests?: () => number;
}

function countOf({ error }: Kind): number {
  return error === 'timeout' ? ofKindsThatHang : ofEachKind;
}

/** The addresses of names. All other names resolve to this machine. */
const names: Record<string, () => Promise<string[]>> = {
  'fails.example.com': () => Promise.reject(Object.assign(new Error('query refused'), { code: 'ESERVFAIL' })),
  'slow.example.com': () => sleep(60_000, ['127.0.0.1'], { ref: false }),
  'empty.example.com': async () => [],
  'private.example.com': async () => ['10.0.0.1'],
  'mixed.example.com': async () => ['127.0.0.1', '10.0.0.1'],
};

test('bounds memory, records every outcome and serves healthy receivers when receivers misbehave in every way at once', async () => {
  const server = await serverForTest({
    settings: { TENURE_RETRY_SCHEDULE: '0.2' },
    overrides: {
      resolveHost: (hostname) => names[hostname]?.() ?? Promise.resolve(['127.0.0.1']),
      dispatcherLimits: {
        attemptTimeoutMs,
        connectTimeoutMs: attemptTimeoutMs,
        leaseMs: 2 * attemptTimeoutMs,
        pollMs: 50,
      },
    },
  });
  const kinds = await kindsOfReceivers();
  const endpoints: { id: string; name: string; kind: Kind }[] = [];
  const healthy = await receiverForTest();
  const good = await endpointFor(server.api, healthy.url);

  const memory = watchMemory();
  const heapAfterRounds: number[] = [];
  for (let round = 0; round < repeats; round++) {
    for (const [name, kind] of Object.entries(kinds)) {
      const { id } = await pingedEndpoint(server.api, kind.url);
      endpoints.push({ id, name, kind });
      await seed(server, id, countOf(kind));
    }
    server.context.dispatcher!.wake();
    await makeReferences(server.api, 100);
    await healthy.count(100 * (round + 1));
    await queueEmpty(server, 600_000);
    heapAfterRounds.push(heapBytes());
  }
  const rssGrewBytes = memory.stop();

  let told = 0;
  for (const { id, name, kind } of endpoints) told += await expectTold(server, id, name, kind);
  for (const [name, kind] of Object.entries(kinds)) {
    if (kind.requests) expect(kind.requests(), name).toBe(kind.error === null ? repeats * countOf(kind) : 0);
  }
  const delivered = await deliveriesOf(server.api, good.id);
  expect(new Set(delivered.map(({ status }) => status))).toEqual(new Set(['delivered']));
  const asked = Object.values(kinds).reduce((sum, kind) => sum + repeats * countOf(kind), 100 * repeats);
  const lost = asked - told - new Set(healthy.received.map(deliveryIdOf)).size;
  const duplicates = healthy.received.length - delivered.length;

  const heapGrewBytes = heapAfterRounds.at(-1)! - heapAfterRounds[0]!;
  print(
    `bad receivers: ${repeats} rounds of ${Object.keys(kinds).length} kinds, ${asked} deliveries, ${duplicates} duplicates, ${lost} lost; ` +
      `heap ${inMegabytes(heapGrewBytes)} after the first round, memory at most ${inMegabytes(rssGrewBytes)} above the beginning`,
  );
  expect([duplicates, lost]).toEqual([0, 0]);
  expect(heapGrewBytes).toBeLessThan(10 * megabyte);
  expect(rssGrewBytes).toBeLessThan(250 * megabyte);
});

test('delivers each once when names and connections fail every other time', async () => {
  let asked = 0;
  const server = await serverForTest({
    settings: { TENURE_RETRY_SCHEDULE: Array.from({ length: 20 }, () => 0.05).join() },
    overrides: {
      // Alternates between public and private, as in an attack on the guard. This machine stands for the public address.
      resolveHost: async () => [++asked % 2 === 0 ? '127.0.0.1' : '10.0.0.1'],
      dispatcherLimits: { attemptTimeoutMs, leaseMs: 2 * attemptTimeoutMs, pollMs: 50 },
    },
  });
  const receiver = await receiverForTest((response) => response.writeHead(200, { connection: 'close' }).end());
  let connections = 0;
  const flapping = await rawReceiverForTest(
    (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'),
    (socket) => void (++connections % 2 === 0 && socket.resetAndDestroy()),
  );
  const endpoints = [
    await pingedEndpoint(server.api, receiver.url.replace('127.0.0.1', 'hooks.example.com')),
    await pingedEndpoint(server.api, flapping.url),
  ];
  for (const { id } of endpoints) await seed(server, id, 200);
  server.context.dispatcher!.wake();
  await queueEmpty(server);
  let failures = 0;
  for (const [index, { id }] of endpoints.entries()) {
    const error = index === 0 ? 'address_forbidden' : 'connection_closed';
    for (const delivery of await deliveriesOf(server.api, id)) {
      expect(delivery).toMatchObject({ status: 'delivered', attempt_count: delivery.attempts.length });
      const [last, ...before] = delivery.attempts.toReversed();
      expect(last).toMatchObject({ status: 200, error: null });
      for (const attempt of before) expect(attempt).toMatchObject({ status: null, error });
      failures += before.length;
    }
  }
  const requests = [...receiver.received.map(deliveryIdOf), ...flapping.requests.map(deliveryIdIn)];
  const arrived = new Set(requests).size;
  print(
    `flapping receivers: ${failures} rounds (attempts that failed), 400 deliveries, ` +
      `${requests.length - arrived} duplicates, ${400 - arrived} lost`,
  );
  expect([requests.length, arrived]).toEqual([400, 400]);
  expect(failures).toBeGreaterThan(100);
});

function deliveryIdIn(request: string): string {
  return /service-delivery-id: (\S+)/i.exec(request)![1]!;
}

/** Checks the API's record of every delivery to a receiver of this kind, and returns their number. */
async function expectTold(server: TestServer, endpointId: string, name: string, kind: Kind): Promise<number> {
  const isSuccess = kind.error === null;
  const attempt = { status: kind.status, error: kind.error };
  const deliveries = await deliveriesOf(server.api, endpointId);
  expect(deliveries, name).toHaveLength(countOf(kind));
  for (const delivery of deliveries) {
    expect(delivery, name).toMatchObject({
      status: isSuccess ? 'delivered' : 'failed',
      attempts: Array.from({ length: isSuccess ? 1 : attempts }, () => attempt),
    });
  }
  return deliveries.length;
}

async function kindsOfReceivers(): Promise<Record<string, Kind>> {
  const forbidden = await startReceiver();
  const bomb = gzipSync(Buffer.alloc(50 * megabyte));
  const zeros = Buffer.alloc(64 * 1024, 'a');
  const line = Buffer.from(`Field: ${'x'.repeat(1000)}\r\n`.repeat(20));
  const raw = async (
    part: { onRequest?: (socket: Socket) => void; onConnection?: (socket: Socket) => void },
    told: Pick<Kind, 'status' | 'error'>,
    scheme = 'http:',
  ): Promise<Kind> => {
    const { url } = await rawReceiverForTest(part.onRequest ?? (() => {}), part.onConnection);
    return { url: url.replace('http:', scheme), ...told };
  };
  const named = (hostname: string, error: AttemptError): Kind => ({
    url: forbidden.url.replace('127.0.0.1', hostname),
    status: null,
    error,
    requests: () => forbidden.received.length,
  });
  return {
    'a certificate that it signed itself': await withTls('signed by itself'),
    'a certificate that is too old': await withTls('expired'),
    'the certificate of another host': await withTls('of another host'),
    'a good certificate': { ...(await withTls('good')), status: 200, error: null },
    'TLS that is cut in its handshake': await raw(
      { onConnection: (socket) => socket.once('data', () => socket.resetAndDestroy()) },
      { status: null, error: 'connection_closed' },
      'https:',
    ),
    'TLS that never ends its handshake': await raw({}, { status: null, error: 'timeout' }, 'https:'),
    'no TLS behind https': await raw(
      { onConnection: (socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')) },
      { status: null, error: 'tls_failed' },
      'https:',
    ),
    'a name server that fails': named('fails.example.com', 'host_unresolved'),
    'a name server that is slow': named('slow.example.com', 'timeout'),
    'a name without an address': named('empty.example.com', 'host_unresolved'),
    'a name of a private address': named('private.example.com', 'address_forbidden'),
    'a name of a private address beside a good one': named('mixed.example.com', 'address_forbidden'),
    'a bomb of gzip': {
      url: (await receiverForTest((response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb))).url,
      status: 200,
      error: null,
    },
    'ten gigabytes': await raw(
      {
        onRequest(socket) {
          socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${10 * 1024 * megabyte}\r\n\r\n`);
          pour(socket, zeros, () => {});
        },
      },
      { status: 200, error: null },
    ),
    'fields without end': await raw(
      {
        onRequest(socket) {
          socket.write('HTTP/1.1 200 OK\r\n');
          pour(socket, line, () => {});
        },
      },
      { status: null, error: 'response_invalid' },
    ),
    'a field that comes byte by byte': await raw(
      {
        onRequest(socket) {
          socket.write('HTTP/1.1 200 OK\r\nField: ');
          everyMs(1_000, socket, () => socket.write('x'));
        },
      },
      { status: null, error: 'timeout' },
    ),
    'a body that comes byte by byte': await raw(
      {
        onRequest(socket) {
          socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n');
          everyMs(1_000, socket, () => socket.write('x'));
        },
      },
      { status: 200, error: 'timeout' },
    ),
  };
}

async function withTls(certificate: Certificate): Promise<Kind> {
  const receiver = await tlsReceiverForTest(certificate);
  return { url: receiver.url, status: null, error: 'tls_failed', requests: () => receiver.requests };
}

/** Samples the memory of the process. */
function watchMemory(): { /** @returns how much more it was at its highest. */ stop(): number } {
  const beforeBytes = (heapBytes(), process.memoryUsage.rss());
  let highestBytes = beforeBytes;
  const timer = setInterval(() => (highestBytes = Math.max(highestBytes, process.memoryUsage.rss())), 20);
  return {
    stop() {
      clearInterval(timer);
      return highestBytes - beforeBytes;
    },
  };
}

function inMegabytes(bytes: number): string {
  return `${(bytes / megabyte).toFixed(1)} MB`;
}
