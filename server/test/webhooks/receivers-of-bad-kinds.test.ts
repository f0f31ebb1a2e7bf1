import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { everyMs, rawReceiverForTest, receiverForTest } from '../support/receiver.ts';
import { serverForTest, startTestServer, type ApiResponse, type TestServer } from '../support/server.ts';
import {
  deliverOnceTo,
  endpointFor,
  expectTimedOut,
  makeReferences,
  patientLimits,
  pingedEndpoint,
  queueEmpty,
} from './scenario.ts';

/*
 * Records every misbehavior of a receiver truthfully and in time, without harm to other receivers.
 */

type Body = ApiResponse['body'];

const attemptTimeoutMs = 1_000;
describe('single attempts', () => {
  /** For attempts that end by their timeout. */
  let hurried: TestServer;
  let patient: TestServer;
  /** The endpoints of these tests are copies of these. */
  const patterns = new Map<TestServer, string>();
  beforeAll(async () => {
    // Few slots, so that a slot that is not released is missed at once.
    const limits = { pollMs: 50, claimMax: 8, heldMax: 8, perEndpointMax: 4 };
    const start = async (more: { attemptTimeoutMs: number; leaseMs: number }): Promise<TestServer> => {
      const server = await startTestServer({
        settings: { TENURE_RETRY_SCHEDULE: 'none' },
        overrides: { dispatcherLimits: { ...limits, ...more } },
      });
      patterns.set(server, (await pingedEndpoint(server.api, 'http://127.0.0.1:9/')).id);
      return server;
    };
    hurried = await start({ attemptTimeoutMs, leaseMs: 5_000 });
    patient = await start(patientLimits);
  });
  afterAll(async () => {
    for (const server of patterns.keys()) await server.stop();
  });

  function deliverTo(url: string, server = patient): Promise<Body> {
    return deliverOnceTo(server, patterns.get(server)!, url);
  }

  test("ends the attempt in time when the response's headers drip for ever", async () => {
    const receiver = await rawReceiverForTest((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      everyMs(50, socket, () => socket.write('A: b\r\n'));
    });
    const delivery = await deliverTo(receiver.url, hurried);
    expect(delivery).toMatchObject({ status: 'failed', attempt: { status: null, error: 'timeout' } });
    await expectTimedOut(receiver, delivery.attempt, attemptTimeoutMs);
  });

  test('ends the attempt in time when interim responses never end', async () => {
    const receiver = await rawReceiverForTest((socket) => {
      everyMs(200, socket, () => socket.write('HTTP/1.1 102 Processing\r\n\r\n'));
    });
    const delivery = await deliverTo(receiver.url, hurried);
    expect(delivery).toMatchObject({ status: 'failed', attempt: { status: null, error: 'timeout' } });
    await expectTimedOut(receiver, delivery.attempt, attemptTimeoutMs);
  });

  test('records the response when the process was busy for longer than an attempt may take', async () => {
    const receiver = await rawReceiverForTest((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      const untilMs = performance.now() + 2 * attemptTimeoutMs;
      while (performance.now() < untilMs);
    });
    const delivery = await deliverTo(receiver.url, hurried);
    expect(delivery).toMatchObject({ status: 'delivered', attempt: { status: 200, error: null } });
  });

  test('records connection_closed when the connection is closed at once', async () => {
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
  ])(
    'records connection_closed without an immediate retry when the connection is %s after the request',
    async (_, part) => {
      const receiver = await rawReceiverForTest(part);
      const delivery = await deliverTo(receiver.url);
      expect(delivery).toMatchObject({ status: 'failed', attempt: { status: null, error: 'connection_closed' } });
      expect(receiver.requests).toHaveLength(1);
    },
  );

  test.each([
    ['by its length', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbegun'],
    ['by its last chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nbegun\r\n'],
  ])('fails the attempt when the response is cut short, as shown %s', async (_, answer) => {
    const receiver = await rawReceiverForTest((socket) => socket.end(answer));
    const delivery = await deliverTo(receiver.url);
    expect(delivery).toMatchObject({
      status: 'failed',
      attempt: { status: 200, error: 'connection_closed', response: 'begun' },
    });
  });

  test('succeeds when the response ends with its connection, as in HTTP/1.0', async () => {
    const receiver = await rawReceiverForTest((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nold'));
    const delivery = await deliverTo(receiver.url);
    expect(delivery).toMatchObject({ status: 'delivered', attempt: { status: 200, error: null, response: 'old' } });
  });

  test.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['random bytes', Buffer.from([0, 255, 254, 1, 2, 3, 13, 10, 13, 10])],
    ['a status that is not a number', 'HTTP/1.1 abc OK\r\n\r\n'],
    ['a status of five digits', 'HTTP/1.1 99999 Huge\r\nContent-Length: 0\r\n\r\n'],
    ['a negative length', 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n'],
    ['a NUL in a field', 'HTTP/1.1 200 OK\r\nA: \0\r\nContent-Length: 0\r\n\r\n'],
    ['chunks without a length', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n'],
  ])('fails the attempt and records the reason when the response has %s', async (_, answer) => {
    const receiver = await rawReceiverForTest((socket) => socket.write(answer));
    const delivery = await deliverTo(receiver.url);
    expect(delivery).toMatchObject({ status: 'failed', attempt: { error: 'response_invalid' } });
    expect(receiver.requests).toHaveLength(1);
  });

  test('fails the attempt when the response has two lengths', async () => {
    const receiver = await rawReceiverForTest((socket) =>
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc'),
    );
    expect(await deliverTo(receiver.url)).toMatchObject({ status: 'failed' });
  });

  test.each(['000', '001', '042', '099', '101', '199', '600', '999'])(
    'fails the attempt in time when the status is %s, which does not exist',
    async (status) => {
      const receiver = await rawReceiverForTest((socket) =>
        socket.write(`HTTP/1.1 ${status} What\r\nContent-Length: 0\r\n\r\n`),
      );
      expect(await deliverTo(receiver.url, hurried)).toMatchObject({ status: 'failed' });
      expect(receiver.requests).toHaveLength(1);
    },
  );

  test.each([
    ['NUL bytes', Buffer.from('a\0b\0'), 'a\ufffdb\ufffd'],
    ['not UTF-8', Buffer.from([0x61, 0xff, 0xfe, 0xc3, 0x28]), 'a\ufffd\ufffd\ufffd('],
    ['half of a surrogate pair', Buffer.from([0xed, 0xa0, 0xbd]), '\ufffd\ufffd\ufffd'],
    ['emoji', Buffer.from('🏠\u2028'), '🏠\u2028'],
    ['empty', Buffer.alloc(0), null],
  ])('stores the response when its body is %s', async (_, bytes, kept) => {
    const receiver = await receiverForTest((response) => response.writeHead(200).end(bytes));
    expect(await deliverTo(receiver.url)).toMatchObject({ status: 'delivered', attempt: { response: kept } });
  });

  test('stores a kilobyte when the response is cut within a character', async () => {
    const receiver = await receiverForTest((response) => response.writeHead(200).end(`a${'🏠'.repeat(1000)}`));
    const { attempt } = await deliverTo(receiver.url);
    expect(attempt.response.startsWith(`a${'🏠'.repeat(255)}`)).toBe(true);
  });

  test('delivers everything to a healthy receiver after the misbehavior of all others', async () => {
    for (const server of patterns.keys()) {
      const receiver = await receiverForTest();
      await endpointFor(server.api, receiver.url);
      await makeReferences(server.api, 20);
      await receiver.count(20);
    }
  });
});

test('stores other outcomes when the text of one response cannot be stored', async () => {
  const server = await serverForTest({
    settings: { TENURE_RETRY_SCHEDULE: '0.01' },
    overrides: { dispatcherLimits: { ...patientLimits, pollMs: 20 } },
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
