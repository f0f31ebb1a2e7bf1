import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { boundReads } from '../../src/core/limits/response-bounds.ts';
import { pour, rawReceiverForTest } from '../support/receiver.ts';

/** Connects to a receiver, sends it a request, and bounds the reads. */
async function bounded(onRequest: (socket: Socket) => void, bytesMax = 1_000_000): Promise<Socket> {
  const { url } = await rawReceiverForTest(onRequest);
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  boundReads(socket, bytesMax);
  socket.write('GET / HTTP/1.1\r\n\r\n');
  return socket;
}

/** Reads until there is nothing for now. */
function readAll(socket: Socket): Buffer[] {
  const pieces: Buffer[] = [];
  for (let piece = socket.read(); piece !== null; piece = socket.read()) pieces.push(piece as Buffer);
  return pieces;
}

test('reads everything in small pieces, a few in each turn, when much arrives at once', async () => {
  const sent = Buffer.from(Array.from({ length: 100_000 }, (_, index) => index % 251));
  const socket = await bounded((peer) => peer.end(sent));
  const turns: Buffer[][] = [];
  socket.on('readable', () => turns.push(readAll(socket)));
  await once(socket, 'end');
  expect(Buffer.concat(turns.flat())).toEqual(sent);
  for (const pieces of turns) {
    expect(Math.max(0, ...pieces.map(({ length }) => length))).toBeLessThanOrEqual(256);
    expect(pieces.reduce((sum, { length }) => sum + length, 0)).toBeLessThanOrEqual(4_096);
  }
});

test('reads nothing more when the connection is destroyed between two pieces', async () => {
  const socket = await bounded((peer) => peer.write(Buffer.alloc(10_000)));
  await once(socket, 'readable');
  expect(socket.read()).toHaveLength(256);
  socket.destroy();
  expect(socket.readableLength).toBeGreaterThan(0);
  expect(socket.read()).toBeNull();
});

test('destroys the connection when a response is longer than it may be', async () => {
  const socket = await bounded((peer) => pour(peer, Buffer.alloc(65_536), () => {}), 10_000);
  let bytes = 0;
  socket.on('readable', () => {
    for (const { length } of readAll(socket)) bytes += length;
  });
  const [error] = await once(socket, 'error');
  expect(error).toMatchObject({ code: 'ERR_RESPONSE_UNBOUNDED' });
  expect(bytes).toBe(39 * 256);
});
