import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { everyMs, rawReceiverForTest, receiverForTest } from '../support/receiver.ts';
import { serverForTest, startTestServer, type ApiResponse, type TestServer } from '../support/server.ts';
import { deliverOnceTo, endpointFor, expectTimedOut, makeReferences, pingedEndpoint, queueEmpty } from './scenario.ts';

/*
 * Whatever is at the other end: what it did is recorded truthfully, in time, and nobody else suffers.
 */

type Body = ApiResponse['body'];

const attemptTimeoutMs = 1_000;
describe('one attempt', () => {
  let server: TestServer;
  /** What the endpoints of these tests are copies of. */
  let pattern: string;
  beforeAll(async () => {
    server = await startTestServer({
      settings: { TENURE_RETRY_SCHEDULE: 'none' },
      overrides: {
        // Few places, so that one which is not given back is soon missed.
        dispatcherLimits: { attemptTimeoutMs, leaseMs: 5_000, pollMs: 50, claimMax: 8, heldMax: 8, perEndpointMax: 4 },
      },
    });
    pattern = (await pingedEndpoint(server.api, 'http://127.0.0.1:9/')).id;
  });
  afterAll(() => server.stop());

  function deliverTo(url: string): Promise<Body> {
    return deliverOnceTo(server, pattern, url);
  }

  test('whose answer’s fields drip for ever ends in time', async () => {
    const receiver = await rawReceiverForTest((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      everyMs(50, socket, () => socket.write('A: b\r\n'));
    });
    const delivery = await deliverTo(receiver.url);
    expect(delivery).toMatchObject({ status: 'failed', attempt: { status: null, error: 'timeout' } });
    await expectTimedOut(receiver, delivery.attempt, attemptTimeoutMs);
  });

  test('that is asked for patience for ever ends in time', async () => {
    const receiver = await rawReceiverForTest((socket) => {
      everyMs(20, socket, () => socket.write('HTTP/1.1 102 Processing\r\n\r\n'));
    });
    const delivery = await deliverTo(receiver.url);
    expect(delivery).toMatchObject({ status: 'failed', attempt: { status: null, error: 'timeout' } });
    await expectTimedOut(receiver, delivery.attempt, attemptTimeoutMs);
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
