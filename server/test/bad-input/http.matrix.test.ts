import { once } from 'node:events';
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

  interface Sender {
    name: string;
    head: () => string;
    piece: string;
    /** Whether the response depends on what follows the head. */
    needsBytes: boolean;
    status: string;
  }

  const senders: Sender[] = [
    {
      name: 'in chunks',
      head: () => post('Transfer-Encoding: chunked', ''),
      piece: chunk,
      needsBytes: true,
      status: '413',
    },
    {
      name: 'with a length',
      head: () => post('Content-Length: 99999999999', ''),
      piece,
      needsBytes: false,
      status: '413',
    },
    {
      name: 'without a key',
      head: () => 'POST /v1/references HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n',
      piece: chunk,
      needsBytes: false,
      status: '401',
    },
    {
      name: 'to no route',
      head: () => `POST /v1/nothing HTTP/1.1\r\nHost: x\r\n${authorization()}Transfer-Encoding: chunked\r\n\r\n`,
      piece: chunk,
      needsBytes: false,
      status: '404',
    },
    {
      name: 'of a GET',
      head: () => `GET /v1/references HTTP/1.1\r\nHost: x\r\n${authorization()}Transfer-Encoding: chunked\r\n\r\n`,
      piece: chunk,
      needsBytes: false,
      status: '200',
    },
    {
      name: 'of headers',
      head: () => `GET /v1/references HTTP/1.1\r\nHost: x\r\n${authorization()}X-Odd: `,
      piece,
      needsBytes: true,
      status: '431',
    },
    { name: 'of garbage', head: () => '', piece, needsBytes: true, status: '400' },
  ];

  test('responds once and at once to an endless body, then closes the connection', async () => {
    const before = await tracesOf(server);
    await Promise.all(
      senders.map(async ({ name, head, piece: more, needsBytes, status }) => {
        const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
        const text = textUntilClosed(socket);
        const answered = once(socket, 'data');
        socket.write(head());
        // A server that waits for more bytes than it needs answers 408 after its time limit.
        if (!needsBytes) await answered;
        const sending = setInterval(() => socket.writable && !socket.writableNeedDrain && socket.write(more), 2);
        expect(statusesIn(await text), name).toEqual([status]);
        clearInterval(sending);
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
