import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError } from '../../core/errors.ts';
import { stopRequests } from '../parser.ts';
import { errorAnswer } from '../response/errors.ts';
import type { HttpContext } from '../context.ts';

/** So long we go on to read what a client sends that has its answer already. Cut off at once, it might never see that answer. */
const lingerMs = 5_000;

/**
 * A stranger's refused body that can be longer, in bytes, is not read to its end. The connection is left as it is, so that the client sees its
 * answer, and is then closed. Else a few clients without a key would keep the process busy with reading.
 */
const strangerBytesMax = 64 * 1024;

/**
 * Requests of one connection that wait for their responses. A client that sends more is cut off, because the parser makes requests of all
 * that it has read. Clients hardly ever pipeline, and those that do send a few.
 */
const pipelinedMax = 64;

/** And of all connections: those behind the first one of each. Else 4,000 connections would fill a gigabyte. */
const pipelinedOfAllMax = 4_096;

/**
 * Connections of one process. A connection that sends its headers slowly holds up to 16 kB until they time out. The next ones are
 * closed at once.
 */
const connectionsMax = 4_096;

/** Dropped connections are logged this often, in milliseconds. */
const dropLogMs = 10_000;

/**
 * What becomes of a connection when its client sends what is no request, or does not stop sending. Whatever can be answered is
 * answered, in the order in which it came.
 */
export class Connections {
  readonly #context: HttpContext;
  /** The answer to the last request of each connection, sent or not. */
  readonly #lastAnswers = new WeakMap<Socket, ServerResponse>();
  /** Requests without a good key. */
  readonly #ofStrangers = new WeakSet<IncomingMessage>();
  /** Requests of each connection that have no response yet. */
  readonly #pipelined = new WeakMap<Socket, number>();
  /** Of all connections, those that wait behind another. */
  #pipelinedOfAll = 0;
  /** Connections dropped since the last line of the log. */
  #dropped = 0;
  /** Those that are about to be closed. */
  readonly #closing = new WeakSet<Socket>();

  constructor(context: HttpContext) {
    this.#context = context;
  }

  watch(server: Server): void {
    server.maxConnections = connectionsMax;
    server.on('drop', () => this.#noteDropped());
    // Before the framework sees the request.
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
      this.#countPipelined(request.socket, response);
      this.#lastAnswers.set(request.socket, response);
      response.once('finish', () => {
        if (request.complete) return;
        setTimeout(() => request.complete || request.socket.destroy(), lingerMs).unref();
        // After the finish, when the framework has begun to read and forget.
        if (this.#ofStrangers.has(request) && isLongerThan(request, strangerBytesMax))
          setImmediate(() => request.socket.pause());
      });
    });
    // We are no proxy.
    server.on('connect', (_, socket) => {
      // Nobody else listens any more, and a client that goes away must not end the process.
      socket.on('error', () => socket.destroy());
      this.refuse(new Error('CONNECT'), socket as Socket);
    });
  }

  #countPipelined(socket: Socket, response: ServerResponse): void {
    const waiting = (this.#pipelined.get(socket) ?? 0) + 1;
    this.#pipelined.set(socket, waiting);
    if (waiting > 1) this.#pipelinedOfAll++;
    response.once('close', () => {
      const left = this.#pipelined.get(socket)! - 1;
      this.#pipelined.set(socket, left);
      if (left > 0) this.#pipelinedOfAll--;
    });
    if (waiting <= pipelinedMax && (waiting === 1 || this.#pipelinedOfAll <= pipelinedOfAllMax)) return;
    stopRequests(socket);
    socket.destroy();
  }

  #noteDropped(): void {
    if (this.#dropped++ > 0) return;
    const { log } = this.#context;
    setTimeout(() => {
      log.warn({ connections: this.#dropped }, `connections were refused: this process has ${connectionsMax} open`);
      this.#dropped = 0;
    }, dropLogMs).unref();
  }

  /** Says that a request has no good key. */
  isOfStranger(request: IncomingMessage): void {
    this.#ofStrangers.add(request);
  }

  /** Answers what is no readable HTTP at all, and closes the connection. There is no request, so the answer is written to the socket. */
  refuse(error: Error & { code?: string }, socket: Socket): void {
    if (error.code === 'ECONNRESET') return void socket.destroy();
    if (this.#closing.has(socket)) return;
    this.#closing.add(socket);
    const last = this.#lastAnswers.get(socket);
    // The request before it is complete and carried out, so its answer comes first.
    if (last?.req.complete && !last.writableFinished) last.once('close', () => this.#write(error, socket));
    // It is the rest of a request that was answered before it had come.
    else if (last?.headersSent && !last.req.complete) socket.destroySoon();
    else this.#write(error, socket);
  }

  #write(error: Error & { code?: string }, socket: Socket): void {
    const { ids, config, versions, latestVersion, metrics } = this.#context;
    if (socket.writable) {
      const requestId = ids.make('req');
      const refusal = unreadable(error.code);
      metrics.requests.refused(refusal.code);
      const { status, body } = errorAnswer(refusal, requestId, config.publicUrl);
      socket.write(
        `HTTP/1.1 ${status} Error\r\ncontent-type: application/json; charset=utf-8\r\nrequest-id: ${requestId}\r\n` +
          `service-version: ${versions.upTo(latestVersion.known)[0]!}\r\nservice-should-retry: false\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
    }
    // Whoever never closes their side keeps nothing open.
    socket.destroySoon();
  }
}

/** Whether a body may have more bytes than this. */
function isLongerThan({ headers }: IncomingMessage, bytes: number): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > bytes;
}

function unreadable(code: string | undefined): ApiError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError(
        'headers_too_large',
        'The request line and headers have more than 16 kB, or the headers are more than 1,000.',
      );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiError('request_timeout', 'The request did not arrive completely in time.');
    default:
      return new ApiError('request_invalid', 'What arrived is no well-formed HTTP request.');
  }
}
