import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { freePort } from './free-port.ts';

/** A delivery as it arrived. */
export interface Received {
  receivedAtMs: number;
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  /** The bytes as they came. */
  raw: Buffer;
  // oxlint-disable-next-line typescript/no-explicit-any -- Tests look into bodies freely; what is wrong fails the test.
  body: any;
}

export interface Receiver {
  url: string;
  /** In the order of arrival. */
  received: Received[];
  /** Waits until this many have come. */
  count(wanted: number): Promise<Received[]>;
  stop(): Promise<void>;
}

/** The responses of a receiver: statuses, or functions that do anything with the response. The last one repeats for ever. */
type Script = (number | ((response: ServerResponse, request: IncomingMessage) => void))[];

/** Starts a receiver of webhooks on loopback that responds by a script; by default 200 to everything. */
export async function startReceiver(...script: Script): Promise<Receiver> {
  const received: Received[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks);
      const step = script[Math.min(received.length, script.length - 1)] ?? 200;
      received.push({
        receivedAtMs: Date.now(),
        method: request.method!,
        path: request.url!,
        headers: request.headers,
        raw,
        body: JSON.parse(raw.toString('utf8')),
      });
      if (typeof step === 'function') step(response, request);
      else response.writeHead(step).end();
    });
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    async count(wanted) {
      await expect.poll(() => received.length, { interval: 5 }).toBeGreaterThanOrEqual(wanted);
      return received;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Does the same as `startReceiver`, for one test. */
export async function receiverForTest(...script: Script): Promise<Receiver> {
  const receiver = await startReceiver(...script);
  onTestFinished(() => receiver.stop());
  return receiver;
}

/** A receiver that need not follow HTTP. */
export interface RawReceiver {
  url: string;
  /** Whole requests, as they came. */
  requests: string[];
  /** Connections, with or without a request. */
  readonly connections: number;
  /** Connections that the sender has left open. */
  readonly open: number;
}

/**
 * Starts a receiver on loopback that gets the connection after each whole request, and does anything with it.
 * @param onConnection runs before that.
 */
export async function rawReceiverForTest(
  onRequest: (socket: Socket) => void,
  onConnection: (socket: Socket) => void = () => {},
): Promise<RawReceiver> {
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  let connections = 0;
  const server = createTcpServer((socket) => {
    connections++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    let sent = Buffer.alloc(0);
    socket.on('data', (bytes: Buffer) => {
      sent = Buffer.concat([sent, bytes]);
      const bodyAt = sent.indexOf('\r\n\r\n') + 4;
      const length = /content-length: (\d+)/i.exec(sent.subarray(0, bodyAt).toString('latin1'));
      if (bodyAt < 4 || sent.length < bodyAt + Number(length?.[1] ?? 0)) return;
      requests.push(sent.toString('utf8'));
      sent = Buffer.alloc(0);
      onRequest(socket);
    });
    onConnection(socket);
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `http://127.0.0.1:${port}/hook`,
    requests,
    get connections() {
      return connections;
    },
    get open() {
      return sockets.size;
    },
  };
}

/** Whether the signature is that of this secret over exactly these bytes. Written from the specification, not from the server. */
export function isSignedWith(secret: string, { headers, raw }: Pick<Received, 'headers' | 'raw'>): boolean {
  const parts = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['service-signature']));
  if (!parts) return false;
  const hmac = createHmac('sha256', secret).update(Buffer.concat([Buffer.from(`${parts[1]}.`), raw]));
  return hmac.digest('hex') === parts[2];
}

/** Writes again and again, as long as the connection and the test last. */
export function everyMs(intervalMs: number, socket: Socket, write: () => void): void {
  const timer = setInterval(write, intervalMs);
  socket.on('close', () => clearInterval(timer));
  onTestFinished(() => clearInterval(timer));
}

/** Writes the same bytes until the other side stops the connection. */
export function pour(socket: Socket, bytes: Buffer, onWritten: (length: number) => void): void {
  const more = (): void => {
    if (socket.destroyed) return;
    onWritten(bytes.length);
    if (socket.write(bytes)) setImmediate(more);
    else socket.once('drain', more);
  };
  more();
}
