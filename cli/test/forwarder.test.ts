import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { receiverForTest } from '../../server/test/support/receiver.ts';
import { Forwarder, type Reply } from '../src/listen/forwarder.ts';

const body = Buffer.from('{}');

function forwarderTo(url: string, tickMs?: number): Forwarder {
  const forwarder = new Forwarder(new URL(url), tickMs);
  onTestFinished(() => forwarder.close());
  return forwarder;
}

/** Starts a receiver that need not follow HTTP. */
async function rawReceiver(onRequest: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => socket.on('error', () => {}).on('data', () => onRequest(socket)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test('gives up after thirty ticks when no response comes', async () => {
  const sockets: Socket[] = [];
  const url = await rawReceiver((socket) => void sockets.push(socket));
  const reply = await forwarderTo(url, 5).post({}, body);
  expect(reply).toEqual<Reply>({ status: null, error: 'no response in 30 s' });
  for (const socket of sockets) socket.destroy();
});

test('fails the attempt alone when HTTP cannot send one of its headers', async () => {
  const forwarder = forwarderTo((await receiverForTest()).url);
  expect(await forwarder.post({ 'service-event-id': 'evt_\r\n' }, body)).toMatchObject({ status: null });
  expect(await forwarder.post({}, body)).toEqual<Reply>({ status: 200, error: null });
});

test('counts the status of a response without an end', async () => {
  const receiver = await receiverForTest((response) => {
    response.writeHead(200);
    const pour = setInterval(() => response.write('x'.repeat(16_384)), 1);
    response.on('close', () => clearInterval(pour));
  });
  expect(await forwarderTo(receiver.url).post({}, body)).toEqual<Reply>({ status: 200, error: null });
});

test('sends again at once when an idle connection was closed just then', async () => {
  let requests = 0;
  const url = await rawReceiver((socket) => {
    // The second request meets a connection that is closed without a word.
    if (++requests === 2) socket.resetAndDestroy();
    else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
  });
  const forwarder = forwarderTo(url);
  expect(await forwarder.post({}, body)).toEqual<Reply>({ status: 200, error: null });
  expect(await forwarder.post({}, body)).toEqual<Reply>({ status: 200, error: null });
  forwarder.close();
});

test.each([
  ['http://127.0.0.1:9/', 'connection refused'],
  ['http://nowhere.invalid/', 'unknown host'],
])('says why %s got nothing', async (url, error) => {
  expect(await forwarderTo(url).post({}, body)).toEqual<Reply>({ status: null, error });
});
