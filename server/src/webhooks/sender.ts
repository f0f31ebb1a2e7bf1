import { Pool, type Dispatcher } from 'undici';
import type { buildConnector } from 'undici';
import { boundReads, restartLineCount, informationalMax, isTooManyChunks } from '../core/limits/response-bounds.ts';
import { ConnectionLimit } from './connection-limit.ts';

/** Why an attempt got no complete response. The list is closed, and shows no more than the receiver's own side would know. */
export type AttemptError =
  | 'address_forbidden'
  | 'connection_closed'
  | 'connection_refused'
  | 'failed'
  | 'host_unresolved'
  | 'interrupted'
  | 'response_invalid'
  | 'timeout'
  | 'tls_failed'
  | 'unreachable';

/** The response of a receiver, or the error. */
export interface Reply {
  /** Null if no response began. */
  status: number | null;
  /** Null if the response was complete, or longer than the part that is read. */
  error: AttemptError | null;
  /** Whether the fault is this server's or its network's. Then it does not count against the receiver. */
  isOurs: boolean;
  /** The beginning of the response's body; null if there was none. */
  response: string | null;
  retryAfter: string | undefined;
}

export interface Delivered {
  origin: string;
  path: string;
  headers: Record<string, string>;
  body: Uint8Array;
}

/** Bytes of a body that are read. Then the connection is closed, and the response counts. */
const readBytesMax = 64 * 1024;
const keptBytesMax = 1024;

/** A response with more bytes is cut off. Heads, trailers and the frames of chunks count, too. */
const responseBytesMax = 4 * readBytesMax;

/** Rounds of the event loop. In fewer, an attempt connects, sends its request and reads a response that is there. */
const roundsMax = 16;

/** Origins with a pool. Beyond them, the least recently used pool is closed. */
const originsMax = 1_000;

/**
 * Posts to receivers, through one pool of kept connections for each origin. It uses HTTP/1.1, follows no redirects and decompresses
 * nothing. A timeout covers the whole attempt, from connecting to the end of the response's body.
 */
export class Sender {
  readonly #sockets: ConnectionLimit;
  readonly #attemptTimeoutMs: number;
  readonly #pools = new Map<string, Pool>();
  readonly #inFlight = new Set<Attempt>();

  /** @param settings.socketsMax the limit of connections. It exceeds the attempts at once; otherwise no connection could be kept. */
  constructor(settings: { connect: buildConnector.connector; attemptTimeoutMs: number; socketsMax: number }) {
    this.#sockets = new ConnectionLimit(boundedReads(settings.connect), settings.socketsMax, () =>
      this.#giveUpOldest(),
    );
    this.#attemptTimeoutMs = settings.attemptTimeoutMs;
  }

  /** Connections that are open or being opened. */
  get connections(): number {
    return this.#sockets.open;
  }

  /** Posts once. Never rejects: every error is a reply. */
  post({ origin, path, headers, body }: Delivered): Promise<Reply> {
    return new Promise((resolve) => {
      const attempt = new Attempt(this.#attemptTimeoutMs, (reply) => {
        this.#inFlight.delete(attempt);
        resolve(reply);
      });
      this.#inFlight.add(attempt);
      try {
        this.#poolOf(origin).dispatch({ path, method: 'POST', headers, body }, attempt);
      } catch (error) {
        attempt.fail(faultOf(error));
      }
    });
  }

  /** Ends every attempt under way. Each is reported as interrupted. */
  interrupt(): void {
    for (const attempt of this.#inFlight) attempt.fail({ error: 'interrupted', isOurs: true });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.destroy()));
  }

  #poolOf(origin: string): Pool {
    const known = this.#pools.get(origin);
    const pool = known ?? new Pool(origin, poolOptions(this.#sockets.connect));
    // Keep the pools in order of use.
    if (known) this.#pools.delete(origin);
    this.#pools.set(origin, pool);
    if (this.#pools.size > originsMax) this.#giveUpOldest();
    return pool;
  }

  /** Closes the least recently used pool: its idle connections at once, and those in use when they end. */
  #giveUpOldest(): void {
    const oldest = this.#pools.entries().next();
    if (oldest.done) return;
    const [origin, pool] = oldest.value;
    this.#pools.delete(origin);
    void pool.close();
  }
}

/** Opens connections as `connect` does, of which no response is read without end. */
function boundedReads(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...result) => {
      const [, socket] = result;
      if (socket) boundReads(socket, responseBytesMax);
      callback(...result);
    });
}

function poolOptions(connect: buildConnector.connector): Pool.Options {
  return {
    connect,
    // Otherwise only one connection is opened until its TLS handshake tells the protocol. All other requests wait for it with their bodies,
    // even after their attempts have ended.
    allowH2: false,
    // The dispatcher limits them, because it knows endpoints and not only origins.
    connections: null,
    pipelining: 1,
    // Ignore what a receiver asks for.
    keepAliveTimeout: 10_000,
    keepAliveMaxTimeout: 10_000,
    // The attempt has its own timeout, which none of its parts can extend.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
}

/** One request and its response, read as it arrives. */
class Attempt implements Dispatcher.DispatchHandler {
  readonly #settle: (reply: Reply) => void;
  readonly #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | null = null;
  #settled = false;
  #status: number | null = null;
  #retryAfter: string | undefined;
  /** A character for each byte. A small buffer would keep the slab of 64 kB that it is a part of. */
  #kept = '';
  #readBytes = 0;
  #chunks = 0;
  #informational = 0;

  constructor(timeoutMs: number, settle: (reply: Reply) => void) {
    this.#settle = settle;
    this.#timer = setTimeout(() => this.#timeOut(roundsMax), timeoutMs);
  }

  /** Ends an attempt after some rounds of the event loop. If this process was busy, the response may have arrived, and is read first. */
  #timeOut(rounds: number): void {
    if (rounds === 0) return this.fail({ error: 'timeout', isOurs: false });
    if (!this.#settled) setImmediate(() => this.#timeOut(rounds - 1));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The attempt timed out while it waited for a connection.
    if (this.#settled) controller.abort(new Error('The attempt has ended.'));
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    restartLineCount();
    // The client would keep the bytes of the headers while the body arrives. They are parts of slabs of 64 kB.
    controller.rawHeaders = null;
    // The final response follows an interim one (1xx).
    if (status < 200) {
      if (++this.#informational > informationalMax) this.fail({ error: 'response_invalid', isOurs: false });
      return;
    }
    this.#status = status;
    const retryAfter = headers['retry-after'];
    this.#retryAfter = Array.isArray(retryAfter) ? retryAfter[0] : retryAfter;
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    restartLineCount();
    this.#readBytes += chunk.length;
    this.#chunks++;
    if (this.#kept.length < keptBytesMax) this.#kept += chunk.toString('latin1', 0, keptBytesMax - this.#kept.length);
    if (this.#readBytes >= readBytesMax || isTooManyChunks(this.#chunks, this.#readBytes)) this.#end(null);
  }

  onResponseEnd(): void {
    // The response is complete, so the connection is kept for the next one.
    this.#controller = null;
    this.#end(null);
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.fail(faultOf(error));
  }

  fail(fault: Fault): void {
    this.#end(fault);
  }

  #end(fault: Fault | null): void {
    if (this.#settled) return;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#settle({
      status: this.#status,
      error: fault?.error ?? null,
      isOurs: fault?.isOurs ?? false,
      response: this.#kept === '' ? null : textOf(Buffer.from(this.#kept, 'latin1')),
      retryAfter: this.#retryAfter,
    });
    // Close the connection of an incomplete response.
    this.#controller?.abort(new Error('The attempt has ended.'));
  }
}

/** Converts bytes to text that PostgreSQL can store. They may be any bytes, and may end within a character. */
function textOf(bytes: Buffer): string {
  return new TextDecoder().decode(bytes).replaceAll('\0', '\ufffd');
}

const errorClasses: [RegExp, AttemptError][] = [
  [/^ERR_TARGET_FORBIDDEN$/, 'address_forbidden'],
  [/^(ERR_HOST_UNRESOLVED|ENOTFOUND|EAI_\w+)$/, 'host_unresolved'],
  [/^ECONNREFUSED$/, 'connection_refused'],
  [/^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/, 'timeout'],
  [/^(ECONNRESET|EPIPE|ECONNABORTED|UND_ERR_SOCKET|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/, 'connection_closed'],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EACCES|EPERM|EINVAL)$/, 'unreachable'],
  [/^(HPE_\w+|HTTPParserError|UND_ERR_HEADERS_OVERFLOW|ERR_RESPONSE_UNBOUNDED)$/, 'response_invalid'],
  [
    /^(ERR_TLS_\w+|ERR_SSL_\w+|CERT_\w+|\w*CERT\w*|EPROTO|UNABLE_TO_\w+|\w+_SIGNATURE_FAILURE|HOSTNAME_MISMATCH)$/,
    'tls_failed',
  ],
];

/** Why an attempt got no complete response, and on whose side the fault was. */
type Fault = Pick<Reply, 'isOurs'> & { error: AttemptError };

/** This machine has no network, or this process has no room. */
const ourCodes = /^(ENETUNREACH|EADDRNOTAVAIL|EACCES|EPERM|EINVAL|EMFILE|ENFILE|ENOBUFS|ENOMEM)$/;

/** Codes of a name server that knows there is no such name. Other codes tell nothing about the name. */
const unknownNameCodes = /^(ENOTFOUND|ENODATA)$/;

function faultOf(fault: unknown): Fault {
  const { code, errors, name, cause } = fault as Error & { code?: string; errors?: { code?: string }[] };
  // Of several addresses, the first one's error stands for all.
  const reason = code ?? errors?.[0]?.code ?? name;
  const error = errorClasses.find(([form]) => form.test(reason))?.[1] ?? 'failed';
  if (error === 'host_unresolved') {
    return { error, isOurs: cause !== undefined && !unknownNameCodes.test((cause as { code?: string }).code ?? '') };
  }
  return { error, isOurs: error === 'failed' || ourCodes.test(reason) };
}
