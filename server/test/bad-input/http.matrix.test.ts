import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { statusesIn, textUntilClosed } from '../support/raw-http.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { tracesOf } from '../support/traces.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

describe('pipelined input', () => {
  const body = '{"application":"app_1"}';

  test('sends one response only when it refuses a request before its body has come', async () => {
    const before = await tracesOf(server);
    const head = 'POST /v1/references HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    const answer = textUntilClosed(socket);
    socket.write(`${head}17\r\n${body}\r\n`);
    await new Promise((answered) => socket.once('data', answered));
    socket.write('zz\r\n');
    expect(statusesIn(await answer)).toEqual(['401']);
    expect(await tracesOf(server)).toEqual(before);
  });
});

describe('endless body', () => {
  const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
  const piece = 'x'.repeat(0x4000);

  const senders: [name: string, head: () => string, piece: string, status: string][] = [
    ['in chunks', () => post('Transfer-Encoding: chunked', ''), chunk, '413'],
    ['with a length', () => post('Content-Length: 99999999999', ''), piece, '413'],
    [
      'without a key',
      () => 'POST /v1/references HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n',
      chunk,
      '401',
    ],
    [
      'to no route',
      () => `POST /v1/nothing HTTP/1.1\r\nHost: x\r\n${authorization()}Transfer-Encoding: chunked\r\n\r\n`,
      chunk,
      '404',
    ],
    [
      'of a GET',
      () => `GET /v1/references HTTP/1.1\r\nHost: x\r\n${authorization()}Transfer-Encoding: chunked\r\n\r\n`,
      chunk,
      '200',
    ],
    ['of headers', () => `GET /v1/references HTTP/1.1\r\nHost: x\r\n${authorization()}X-Odd: `, piece, '431'],
    ['of garbage', () => '', piece, '400'],
  ];

  test('responds once and at once to an endless body, then closes the connection', async () => {
    const before = await tracesOf(server);
    await Promise.all(
      senders.map(async ([name, head, more, status]) => {
        const startedMs = performance.now();
        const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
        const text = textUntilClosed(socket);
        socket.write(head());
        let bytesBeforeAnswer = 0;
        socket.once('data', () => (bytesBeforeAnswer = socket.bytesWritten));
        const sending = setInterval(() => socket.writable && socket.write(more), 20);
        expect(statusesIn(await text), name).toEqual([status]);
        clearInterval(sending);
        // Well below the time limit of a whole request.
        expect(performance.now() - startedMs, name).toBeLessThan(14_000);
        // A verdict that needs no more bytes does not wait for them.
        expect(bytesBeforeAnswer, name).toBeLessThan(5_000_000);
      }),
    );
    expect(await tracesOf(server)).toEqual(before);
  });
});

function authorization(): string {
  return `Authorization: Bearer ${server.secretKey}\r\n`;
}

function post(headers: string, bytes: string): string {
  return `POST /v1/references HTTP/1.1\r\nHost: x\r\n${authorization()}Content-Type: application/json\r\n${headers}\r\n\r\n${bytes}`;
}
