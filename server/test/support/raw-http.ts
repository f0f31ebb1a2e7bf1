import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { ApiResponse, TestServer } from './server.ts';
import { waitMs } from './wait.ts';

/** Where it listens. */
type Listening = Pick<TestServer, 'url'>;

/** Sends bytes that no HTTP client would send, unchanged. Returns the one response of the connection. */
export async function exchange(server: TestServer, bytes: string | Uint8Array): Promise<ApiResponse> {
  return answerOf(await converse(server, bytes));
}

/** Does the same as `exchange` for several requests at once. Returns all text until the connection is closed. */
export function converse(server: Listening, bytes: string | Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    const chunks: Buffer[] = [];
    const finish = (): void => resolve(Buffer.concat(chunks).toString('utf8'));
    socket.setTimeout(waitMs, () =>
      socket.destroy(new Error('The server neither answered nor closed the connection.')),
    );
    socket.on('error', (error) => (chunks.length > 0 ? finish() : reject(error)));
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('close', finish);
    // Header text beyond ASCII travels as one byte for each character.
    socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  });
}

/** Returns the statuses of all responses on a connection, in order. */
export function statusesIn(text: string): string[] {
  return Array.from(text.matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, status]) => status!);
}

export interface RawRequest {
  /** `null` leaves the header out. */
  host?: string | null;
  /** `null` sends no key. */
  key?: string | null;
  /** Lines without their line ends. */
  headers?: string[];
  body?: string | Uint8Array;
  /** Sends the body in chunks, so that no header gives its length. */
  chunked?: boolean;
}

/** Sends a request line such as `GET /v1/references` exactly as it is written. */
export function rawRequest(server: TestServer, line: string, request: RawRequest = {}): Promise<ApiResponse> {
  const { host = 'localhost', key = server.secretKey, headers = [], chunked = false } = request;
  const body = Buffer.from(request.body ?? '');
  const lines = [
    `${line} HTTP/1.1`,
    ...(host === null ? [] : [`Host: ${host}`]),
    ...(key === null ? [] : [`Authorization: Bearer ${key}`]),
    ...headers,
    ...(chunked ? ['Transfer-Encoding: chunked'] : []),
    ...(request.body !== undefined && !chunked ? [`Content-Length: ${body.length}`] : []),
    'Connection: close',
    '',
    '',
  ];
  const head = Buffer.from(lines.join('\r\n'), 'latin1');
  return exchange(server, Buffer.concat([head, chunked ? inChunks(body) : body]));
}

function inChunks(body: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let start = 0; start < body.length; start += 50_000) {
    const piece = body.subarray(start, start + 50_000);
    pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'));
  }
  return Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')]);
}

function answerOf(text: string): ApiResponse {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [statusLine = '', ...headerLines] = head.split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1] ?? 0);
  const headers = new Headers(
    headerLines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
  const body = rest.join('\r\n\r\n');
  const isJson = headers.get('content-type')?.startsWith('application/json') && body !== '';
  return { status, headers, text: body, body: isJson ? JSON.parse(body) : null };
}

/** Sends a GET, and never reads the response. The connection is closed with the test. */
export function askWithoutReading(url: string, key: string, path: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {}).pause();
  onTestFinished(() => void socket.destroy());
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  return socket;
}

/** Sends a beginning, and then one piece after the other without an end, the last one again and again. */
export async function drip(
  port: number,
  start: string,
  ...pieces: string[]
): Promise<{ text: string; closedAfterMs: number }> {
  const pauseMs = pieces.length > 1 ? 5 : 500;
  const startedMs = performance.now();
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // The connection may be closed during a write.
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.on('close', resolve));
  let sent = 0;
  if (start !== '') socket.write(start);
  const dripping = setInterval(() => {
    const piece = pieces.length > 1 ? pieces[sent++] : pieces[0];
    if (piece && socket.writable) socket.write(piece);
  }, pauseMs);
  onTestFinished(() => {
    clearInterval(dripping);
    socket.destroy();
  });
  await closed;
  clearInterval(dripping);
  return { text: Buffer.concat(chunks).toString('utf8'), closedAfterMs: performance.now() - startedMs };
}

/** Returns all text until either side closes the connection. */
export async function textUntilClosed(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // The connection may close while bytes are in flight.
  socket.on('error', () => {});
  await new Promise((closed) => socket.on('close', closed));
  return Buffer.concat(chunks).toString('utf8');
}
