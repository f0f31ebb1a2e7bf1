import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { serverForTest } from '../support/server.ts';

test('reads a little of a long body and then nothing when there is no key', async () => {
  const server = await serverForTest();
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  onTestFinished(() => void socket.destroy());
  socket.write(
    'POST /v1/customers HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 2000000000\r\n\r\n',
  );
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.resume();
  const piece = Buffer.alloc(1024 * 1024);
  const send = (): void => {
    while (!socket.destroyed && socket.write(piece));
    socket.once('drain', send);
  };
  send();
  await closed;
  // The two ends of a connection on this machine buffer some megabytes.
  expect(socket.bytesWritten - socket.writableLength).toBeLessThan(32 * 1024 * 1024);
});
