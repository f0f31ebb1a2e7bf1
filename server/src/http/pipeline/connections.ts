import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError } from '../../core/errors.ts';
import { siteOf } from '../../core/addresses/network.ts';
import { closeUnsent, earlyBytesOf, stopRequests } from '../parser.ts';
import type { Client } from '../request.ts';
import { clientOf, siteOfPeer } from './client-address.ts';
import { ConnectionPlaces } from './connection-places.ts';
import { DiscardPace } from './discard-pace.ts';
import { HeadBudget, type Head } from './head-budget.ts';
import { errorResponse } from '../response/errors.ts';
import type { HttpContext } from '../context.ts';

/** Keep reading a client's body this long after the response (in milliseconds). Otherwise it might see a reset instead of the response. */
const lingerMs = 5_000;

/**
 * Read the rest of a refused body at once unless it can be longer, in bytes. Otherwise a few clients would keep the process busy with
 * reading. With a valid key, the process reads on slowly. Without one, it stops to read. The connection stays open for a while, so that the
 * client sees its response.
 */
const promptBytesMax = 64 * 1024;

/**
 * The largest number of requests of one connection without a response. A client that sends more is disconnected, because the parser makes
 * an object of each request. Clients rarely pipeline, and then only a few requests.
 */
const pipelinedMax = 64;

/**
 * The headers of these requests, and of first requests with long headers, in bytes. Headers can have 16 kB, and take up to 28 kB of memory.
 * So requests on all connections would take more than fifty megabytes. If few sites or accounts hold most of them, others still find room.
 */
const headBytesOfAllMax = 8 * 1024 * 1024;

/** The headers of a connection's first request count if they take more bytes. So usual requests find room while others send long headers. */
const usualHeadBytes = 8 * 1024;

/**
 * A request that waits behind another one takes at least so many bytes, with its objects. So 4,096 of them can wait. Otherwise 4,000
 * connections would fill a gigabyte.
 */
const pipelinedBytes = 2 * 1024;

/** Bytes of a header text beside its characters: an object, and places in a list and an index. */
const headerTextBytes = 64;

/**
 * The largest number of headers of a request. A header of three characters takes a hundred bytes of memory. So 16 kB of such headers would
 * take half a megabyte. Browsers and proxies send some 30.
 */
const headersMax = 100;

/**
 * The largest number of connections of one process. A connection with slow headers holds up to 16 kB until they time out. Measured: a
 * connection whose refusal is delayed takes 30 kB. So 4,096 of them would take 120 MB. The limits of requests and streams allow 1,524 that
 * are in use. For more, `ConnectionPlaces` closes earlier ones.
 */
const connectionsMax = 2_048;

/** A connection with an unreadable message stays so many milliseconds, so that a client that still sends sees its response. */
const unreadableLingerMs = 1_000;

/** The steps of the pipeline that follow the end of one response. Node warns of a leak from eleven on. */
const listenersOfResponse = 20;

/** Dropped connections are logged this often, in milliseconds. */
const dropLogMs = 10_000;

/**
 * Handles connections with invalid requests or endless data. Sends a response to every request that can be read, in the order of the
 * requests.
 */
export class Connections {
  readonly #context: HttpContext;
  /** The response to the last request of each connection, until both are complete. */
  readonly #lastResponses = new WeakMap<Socket, ServerResponse>();
  /** For each request that was sent behind another one: resolves when the earlier request has its response. */
  readonly #turns = new WeakMap<ServerResponse, Promise<void>>();
  /** Requests without a valid key. */
  readonly #ofStrangers = new WeakSet<IncomingMessage>();
  /** The responses of each connection that are not sent yet. */
  readonly #pipelined = new WeakMap<Socket, Set<ServerResponse>>();
  /** The headers of requests that wait behind another one, and all long headers. */
  readonly #heads = new HeadBudget(headBytesOfAllMax);
  readonly #headOf = new WeakMap<IncomingMessage, Head>();
  /** Connections dropped since the last line of the log. */
  #dropped = 0;
  readonly #places = new ConnectionPlaces();
  /** Connections that are about to be closed. */
  readonly #closing = new WeakSet<Socket>();
  readonly #discardPace = new DiscardPace();

  constructor(context: HttpContext) {
    this.#context = context;
  }

  watch(server: Server): void {
    server.maxConnections = connectionsMax;
    server.maxHeadersCount = headersMax;
    server.on('drop', () => this.#noteDropped());
    server.on('connection', (socket) =>
      this.#places.open(socket, siteOfPeer(socket, this.#context.config.trustedProxies), server.maxConnections),
    );
    // Before the framework sees the request.
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
      response.setMaxListeners(listenersOfResponse);
      this.#countRequest(request, response);
      const before = this.#lastResponses.get(request.socket);
      if (before && !before.closed) this.#turns.set(response, endOf(before));
      this.#lastResponses.set(request.socket, response);
      // A response keeps its request, with its headers. Its connection can be open for long.
      onceOver(request, response, () => {
        if (this.#lastResponses.get(request.socket) === response) this.#lastResponses.delete(request.socket);
      });
      response.once('finish', () => {
        if (request.complete) return;
        setTimeout(() => request.complete || request.socket.destroy(), lingerMs).unref();
        if (!isLongerThan(request, promptBytesMax)) return;
        // Wait until the framework has begun to discard the body.
        setImmediate(() => {
          // A body in too many chunks is cut off already.
          if (request.socket.isPaused()) return;
          if (this.#ofStrangers.has(request)) request.socket.pause();
          else request.once('close', this.#discardPace.slowDown(request.socket));
        });
      });
    });
    // This server is no proxy.
    server.on('connect', (_, socket) => {
      // Without a listener, a client that disconnects would end the process.
      socket.on('error', () => socket.destroy());
      // The runtime closes only the first response of such a connection. The others would keep their places for ever.
      socket.once('close', () => this.#pipelined.get(socket as Socket)?.forEach(closeUnsent));
      this.refuse(new Error('CONNECT'), socket as Socket);
    });
  }

  #countRequest(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const pipelined = this.#pipelined.get(socket) ?? new Set();
    this.#pipelined.set(socket, pipelined.add(response));
    this.#places.received(socket);
    response.once('close', () => {
      pipelined.delete(response);
      this.#places.end(request, socket);
    });
    // A request that is closed anyway must not take the room of others.
    if (pipelined.size > pipelinedMax || !this.#takeRoomForHead(request, response, pipelined.size > 1))
      closeNow(socket);
  }

  /** Takes room for the headers of a request if they are long, or if it waits behind another one. Returns false if there is none. */
  #takeRoomForHead(request: IncomingMessage, response: ServerResponse, isPipelined: boolean): boolean {
    const bytes = headBytesOf(request);
    if (!isPipelined && bytes <= usualHeadBytes) return true;
    const { address } = clientOf(request, this.#context.config.trustedProxies);
    const head: Head = {
      owner: siteOf(address ?? ''),
      bytes: isPipelined ? Math.max(bytes, pipelinedBytes) + earlyBytesOf(request) : bytes,
      isChange: !isPipelined && request.method !== 'GET',
      canClose: () => !head.isChange || !request.complete,
      close: () => closeNow(request.socket),
    };
    this.#headOf.set(request, head);
    response.once('close', () => this.#heads.responded(head));
    onceOver(request, response, () => this.#heads.release(head));
    return this.#heads.take(head);
  }

  #noteDropped(): void {
    if (this.#dropped++ > 0) return;
    const { log } = this.#context;
    setTimeout(() => {
      log.warn({ connections: this.#dropped }, `refused connections: this process has ${connectionsMax} open`);
      this.#dropped = 0;
    }, dropLogMs).unref();
  }

  /**
   * Waits until the earlier requests of the connection have their responses. A server must not carry out a POST beside a request that was
   * sent before it (RFC 9112, 9.3.2). It also lets other connections in between.
   *
   * @returns undefined if there is nothing to wait for.
   */
  turnOf(response: ServerResponse): Promise<void> | undefined {
    return this.#turns.get(response);
  }

  /** Gives the connection of a request to its client until the response. */
  begin(request: IncomingMessage, { address, isLocal }: Client): void {
    this.#places.begin(request, isLocal ? null : siteOf(address ?? ''));
  }

  /** Notes that the response to a request is delayed, and that nothing more is done for it. */
  isDelayed(request: IncomingMessage): void {
    this.#places.changesNothing(request);
  }

  /** Marks a request as one without a valid key. */
  isOfStranger(request: IncomingMessage): void {
    this.#ofStrangers.add(request);
  }

  /**
   * Lets the tree of accounts of a request have its connection, in place of the site of its client. An account can use many addresses. The
   * same holds for the long headers of a change.
   *
   * @throws {ApiError} `rate_limit` if the tree has its share.
   */
  isOfTree(request: IncomingMessage, rootId: string): void {
    this.#places.move(request, rootId);
    const head = this.#headOf.get(request);
    if (!head?.isChange || this.#heads.move(head, rootId)) return;
    throw new ApiError(
      'rate_limit',
      'This account and those connected to it have too many requests with long headers in progress. Nothing was done. Wait until some have ended, or send shorter headers.',
      { retryAfterSeconds: 1 },
    );
  }

  /** Responds to unreadable HTTP and closes the connection. Writes to the socket, because there is no request. */
  refuse(error: Error & { code?: string }, socket: Socket): void {
    if (error.code === 'ECONNRESET') return void socket.destroy();
    if (this.#closing.has(socket)) return;
    this.#closing.add(socket);
    const last = this.#lastResponses.get(socket);
    // The request before it is complete, so its response comes first.
    if (last?.req.complete && !last.writableFinished) last.once('close', () => this.#write(error, socket));
    // The data is the rest of a request that already has its response.
    else if (last?.headersSent && !last.req.complete) socket.destroySoon();
    else this.#write(error, socket);
  }

  #write(error: Error & { code?: string }, socket: Socket): void {
    const { ids, config, versions, latestVersion, metrics } = this.#context;
    if (socket.writable) {
      const requestId = ids.make('req');
      const refusal = unreadable(error.code);
      metrics.requests.refused(refusal.code);
      const { status, body } = errorResponse(refusal, requestId, config, { isLogged: false });
      socket.write(
        `HTTP/1.1 ${status} Error\r\ncontent-type: application/json; charset=utf-8\r\nrequest-id: ${requestId}\r\n` +
          `service-version: ${versions.upTo(latestVersion.known)[0]}\r\nservice-should-retry: false\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
    }
    // Close the socket even if the client never closes its side. The room of a body returns with it.
    if (this.#lastResponses.get(socket)?.req.complete === false) return socket.destroySoon();
    // To close a socket with unread bytes resets it, and the client loses the response (RFC 9112, 9.6). So it stays for a moment.
    socket.end();
    socket.pause();
    setTimeout(() => socket.destroy(), unreadableLingerMs).unref();
  }
}

/** Closes a connection, and makes no request of the rest that was read from it. */
function closeNow(socket: Socket): void {
  stopRequests(socket);
  socket.destroy();
}

/** Resolves in the turn of the event loop after the response has been sent, or after its client has disconnected. */
function endOf(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => response.once('close', () => setImmediate(resolve)));
}

/** Calls back when a response was sent and its request is complete, or when the client has disconnected. */
function onceOver(request: IncomingMessage, response: ServerResponse, callback: () => void): void {
  const { socket } = request;
  response.once('close', () => {
    if (request.complete || socket.destroyed) return callback();
    // The server has refused a body that still arrives. Such a request has no event when its client disconnects.
    const end = (): void => {
      request.off('close', end);
      socket.off('close', end);
      callback();
    };
    request.once('close', end);
    socket.once('close', end);
  });
}

/** Returns the bytes that the request line and the headers take in memory. */
function headBytesOf({ url = '', rawHeaders }: IncomingMessage): number {
  return rawHeaders.reduce((sum, text) => sum + text.length + headerTextBytes, url.length);
}

/** Returns whether a body may have more bytes than this. */
function isLongerThan({ headers }: IncomingMessage, bytes: number): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > bytes;
}

function unreadable(code: string | undefined): ApiError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError(
        'headers_too_large',
        'The request line and headers have more than 16 kB, or there are more than 100 headers. Send fewer or shorter headers.',
      );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiError('request_timeout', 'The request did not arrive completely in time. Send it again.');
    default:
      return new ApiError('request_invalid', 'The data is not a valid HTTP request.');
  }
}
