import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { buildConnector } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { Sender } from '../../src/webhooks/sender.ts';
import { heapBytes } from '../support/heap.ts';
import { waitMs } from '../support/wait.ts';

test('keeps little of each answer when receivers send long headers and then hang', async () => {
  const attempts = 150;
  const hanging: ServerResponse[] = [];
  let answered = 0;
  const receiver = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'x-long': 'y'.repeat(12_000) });
    hanging.push(response);
    response.write('q'.repeat(40_000), () => answered++);
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const sender = new Sender({ connect: buildConnector({}), attemptTimeoutMs: 30_000, socketsMax: attempts });
  onTestFinished(async () => {
    sender.interrupt();
    await sender.close();
    receiver.closeAllConnections();
    receiver.close();
  });
  const before = heapBytes();
  const replies = Array.from({ length: attempts }, () =>
    sender.post({ origin, path: '/', headers: {}, body: Buffer.from('{}') }),
  );
  await expect.poll(() => answered, { timeout: 20_000 }).toBe(attempts);
  // Buffers of this receiver are in the same process. It has written everything by then.
  await expect.poll(() => (heapBytes() - before) / attempts, { timeout: 20_000 }).toBeLessThan(40_000);
  for (const response of hanging) response.end();
  expect((await Promise.all(replies)).every(({ response }) => response === 'q'.repeat(1_024))).toBe(true);
});

test('connects for each attempt, and keeps no body of an ended one, when no TLS handshake ends', async () => {
  const attempts = 40;
  const accepted: Socket[] = [];
  const receiver = createTcpServer((socket) => accepted.push(socket)).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const origin = `https://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const connect = buildConnector({ allowH2: false, timeout: 500 });
  const sender = new Sender({ connect, attemptTimeoutMs: 30_000, socketsMax: attempts });
  onTestFinished(async () => {
    sender.interrupt();
    await sender.close();
    for (const socket of accepted) socket.destroy();
    receiver.close();
  });
  const before = heapBytes();
  const replies = await Promise.all(
    Array.from({ length: attempts }, () =>
      sender.post({ origin, path: '/', headers: {}, body: Buffer.alloc(1024 * 1024) }),
    ),
  );
  expect(accepted).toHaveLength(attempts);
  expect(replies.map(({ error }) => error)).toEqual(replies.map(() => 'timeout'));
  // The sockets of the last attempts close a moment later.
  await expect.poll(() => heapBytes() - before, { timeout: waitMs, interval: 100 }).toBeLessThan(8 * 1024 * 1024);
});
