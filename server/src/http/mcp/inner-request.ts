import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';

/** A request of the server to itself. */
export interface InnerRequest {
  method: 'GET' | 'POST';
  /** The path with its query. */
  url: string;
  /** By their names in lower case. */
  headers: Readonly<Record<string, string>>;
  body?: string;
  /** The address of the client that caused it. */
  remoteAddress: string | undefined;
}

/** The response. */
export interface InnerResponse {
  status: number;
  /** By their names in lower case. */
  headers: Readonly<Record<string, string>>;
  text: string;
}

const innerRequests = new WeakSet<IncomingMessage>();

/** Returns whether this process has made the request itself. The message that caused it has been counted. */
export function isInner(request: IncomingMessage): boolean {
  return innerRequests.has(request);
}

/**
 * Sends a request through the whole pipeline of this process, without a network. It has the message and the response of Node's HTTP server.
 * The socket of the framework's own way cannot pause, and its requests never close.
 */
export function sendInner(app: FastifyInstance, sent: InnerRequest): Promise<InnerResponse> {
  const socket = new InnerSocket(sent.remoteAddress);
  const request = requestOf(socket, sent);
  innerRequests.add(request);
  const response = new ServerResponse(request);
  // Each step of the pipeline may wait for its end.
  response.setMaxListeners(0);
  response.assignSocket(socket as unknown as Socket);
  return new Promise((resolve, reject) => {
    let isSent = false;
    response.once('finish', () => {
      isSent = true;
      // As a connection that is closed after its response.
      socket.destroy();
    });
    response.once('close', () => {
      // Ends the timers of a body that was refused unread.
      request.destroy();
      if (!isSent) return reject(new Error('The request of a tool was cut off.'));
      resolve({ status: response.statusCode, ...socket.written() });
    });
    app.routing(request, response);
  });
}

/** Returns the request as Node's parser would make it, with its whole body. */
function requestOf(socket: InnerSocket, { method, url, headers, body }: InnerRequest): IncomingMessage {
  const request = new IncomingMessage(socket as unknown as Socket);
  const bytes = body === undefined ? null : Buffer.from(body);
  const all = { ...headers, ...(bytes && { 'content-length': String(bytes.length) }) };
  Object.assign(request, {
    method,
    url,
    httpVersion: '1.1',
    httpVersionMajor: 1,
    httpVersionMinor: 1,
    headers: all,
    rawHeaders: Object.entries(all).flat(),
    complete: true,
  });
  if (bytes) request.push(bytes);
  request.push(null);
  return request;
}

/** Keeps what a response writes. */
class InnerSocket extends Duplex {
  readonly remoteAddress: string | undefined;
  readonly #chunks: Buffer[] = [];

  constructor(remoteAddress: string | undefined) {
    super();
    this.remoteAddress = remoteAddress;
  }

  // oxlint-disable-next-line eslint/no-underscore-dangle -- The name that Node's streams call.
  override _read(): void {}

  // oxlint-disable-next-line eslint/no-underscore-dangle -- The name that Node's streams call.
  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  /** Ends the connection, as a socket does. */
  destroySoon(): void {
    this.destroy();
  }

  /** Returns the response. It has a length, so no part of its body is framed. */
  written(): Pick<InnerResponse, 'headers' | 'text'> {
    const bytes = Buffer.concat(this.#chunks);
    const end = bytes.indexOf('\r\n\r\n');
    const [, ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
    const headers = lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    });
    return { headers: Object.fromEntries(headers) as Record<string, string>, text: bytes.subarray(end + 4).toString() };
  }
}
