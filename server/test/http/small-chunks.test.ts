import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { converse, statusesIn } from '../support/raw-http.ts';
import { good, startTestServer, type TestServer } from '../support/server.ts';

/* Bodies with chunks so small that each costs more work than its bytes. */

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const refusal = 'The body has too many small chunks.';

test.each([
  ['a JSON body', '/v1/customers', 'application/json', ''],
  ['a form', '/v1/files', 'multipart/form-data; boundary=b', ''],
  ['a file', '/v1/files', 'multipart/form-data; boundary=b', beginOfFile()],
])(
  'refuses %s and reads no more of it when it comes in thousands of small chunks',
  async (_name, path, type, begin) => {
    const socket = open(path, type);
    socket.write(begin + '1\r\n \r\n'.repeat(100_000));
    const text = await firstResponse(socket);
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toContain('"code":"body_invalid"');
    expect(text).toContain(refusal);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const piece = Buffer.from('1\r\n \r\n'.repeat(10_000));
    const send = (): void => {
      while (!socket.destroyed && socket.write(piece));
      socket.once('drain', send);
    };
    send();
    await closed;
    // The two ends of a connection on this machine buffer some megabytes.
    expect(socket.bytesWritten - socket.writableLength).toBeLessThan(32 * 1024 * 1024);
    await good(server.api.post('/v1/customers', { name: 'Ada' }));
  },
);

test('refuses a body and closes the connection when all of its small chunks have come', async () => {
  const socket = open('/v1/customers', 'application/json');
  socket.write(`${'1\r\n \r\n'.repeat(2_000)}0\r\n\r\n`);
  expect(await firstResponse(socket)).toContain(refusal);
  await once(socket, 'close');
});

test('accepts a body when it comes in two hundred small chunks', async () => {
  const body = `{"name":"Ada"${' '.repeat(180)}}`;
  const chunks = Array.from(body, (byte) => `1\r\n${byte}\r\n`).join('');
  const text = await converse(server, `${head('/v1/customers', 'application/json')}${chunks}0\r\n\r\n`);
  expect(statusesIn(text)).toEqual(['200']);
});

test('accepts the largest body when its chunks have 32 bytes', async () => {
  const body = `{"name":"Ada"${' '.repeat(256 * 1024 - 14)}}`;
  const chunks = Array.from(body.matchAll(/.{1,32}/gs), ([bytes]) => `${bytes.length.toString(16)}\r\n${bytes}\r\n`);
  const text = await converse(server, `${head('/v1/customers', 'application/json')}${chunks.join('')}0\r\n\r\n`);
  expect(statusesIn(text)).toEqual(['200']);
});

test('keeps every byte of a file when it comes in chunks of 40 bytes', async () => {
  const contents = `%PDF-1.7\n${Array.from({ length: 30_000 }, (_, index) => `${index}\n`).join('')}%%EOF\n`;
  const body =
    '--b\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nother\r\n' +
    `--b\r\ncontent-disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n${contents}\r\n--b--\r\n`;
  const chunks = Array.from(body.matchAll(/.{1,40}/gs), ([bytes]) => `${bytes.length.toString(16)}\r\n${bytes}\r\n`);
  const request = `${head('/v1/files', 'multipart/form-data; boundary=b')}${chunks.join('')}0\r\n\r\n`;
  const text = await converse(server, request);
  expect(statusesIn(text)).toEqual(['200']);
  const { id } = JSON.parse(text.slice(text.indexOf('{'))) as { id: string };
  const kept = await fetch(`${server.url}/v1/files/${id}/contents`, {
    headers: { authorization: `Bearer ${server.secretKey}` },
  });
  expect(await kept.text()).toBe(contents);
});

function beginOfFile(): string {
  const text = '--b\r\ncontent-disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-1.7\n';
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}

function head(path: string, type: string, connection = 'close'): string {
  return `POST ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${server.secretKey}\r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\nconnection: ${connection}\r\n\r\n`;
}

function open(path: string, type: string): Socket {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  onTestFinished(() => void socket.destroy());
  socket.write(head(path, type, 'keep-alive'));
  return socket;
}

function firstResponse(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    socket.on('data', (bytes) => {
      text += String(bytes);
      if (text.includes('"request_id"')) resolve(text);
    });
    socket.once('close', () => reject(new Error(`The connection was closed after: ${text}`)));
  });
}
