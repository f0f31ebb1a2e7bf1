import { Pool, type Dispatcher } from 'undici';
import type { buildConnector } from 'undici';
import { SocketBound } from './connection-limit.ts';

/** Why an attempt got no complete answer. Closed, and never more than the receiver's own side would know. */
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

/** What a receiver did. */
export interface Reply {
  /** Null if no answer began. */
  status: number | null;
  /** Null if the answer was complete, or longer than anybody reads. */
  error: AttemptError | null;
  /** Whether it is our own fault, or our network's, that there is no complete answer: then it says nothing of the receiver. */
  isOurs: boolean;
  /** The beginning of the answer's body; null if there was none. */
  response: string | null;
  retryAfter: string | undefined;
}

export interface Delivered {
  origin: string;
  path: string;
  headers: Record<string, string>;
  body: Uint8Array;
}

/** A body is read up to here; then the connection is closed, and the answer counts. */
const readBytesMax = 64 * 1024;
const keptBytesMax = 1024;

/** Connections to receivers that nobody delivered to for longest are closed beyond this many. */
const originsMax = 1_000;

/**
 * Posts to receivers: one pool of kept connections for each origin, HTTP/1.1, no redirects, nothing decompressed. The whole
 * attempt, from connecting to the end of the answer's body, ends in time.
 */
export class Sender {
  readonly #sockets: SocketBound;
  readonly #attemptTimeoutMs: number;
  readonly #pools = new Map<string, Pool>();
  readonly #inFlight = new Set<Attempt>();

  /** @param settings.socketsMax of connections at once: more than there are attempts at once, or nothing is kept. */
  constructor(settings: { connect: buildConnector.connector; attemptTimeoutMs: number; socketsMax: number }) {
    this.#sockets = new SocketBound(settings.connect, settings.socketsMax, () => this.#giveUpOldest());
    this.#attemptTimeoutMs = settings.attemptTimeoutMs;
  }

  /** Connections that are open or being opened. */
  get connections(): number {
    return this.#sockets.open;
  }

  /** Posts once. Never rejects: whatever goes wrong is the reply. */
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

  /** Ends every attempt under way; each is told as interrupted. */
  interrupt(): void {
    for (const attempt of this.#inFlight) attempt.fail({ error: 'interrupted', isOurs: true });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.destroy()));
  }

  #poolOf(origin: string): Pool {
    const known = this.#pools.get(origin);
    const pool = known ?? new Pool(origin, poolOptions(this.#sockets.connect));
    // The one that was used last stands last.
    if (known) this.#pools.delete(origin);
    this.#pools.set(origin, pool);
    if (this.#pools.size > originsMax) this.#giveUpOldest();
    return pool;
  }

  /** Of the origin that nobody delivered to for longest, what is kept is closed at once, and what is in use at its end. */
  #giveUpOldest(): void {
    const oldest = this.#pools.entries().next();
    if (oldest.done) return;
    const [origin, pool] = oldest.value;
    this.#pools.delete(origin);
    void pool.close();
  }
}

function poolOptions(connect: buildConnector.connector): Pool.Options {
  return {
    connect,
    // Bounded by the dispatcher, which knows endpoints and not only origins.
    connections: null,
    pipelining: 1,
    // Whatever a receiver asks for.
    keepAliveTimeout: 10_000,
    keepAliveMaxTimeout: 10_000,
    // The attempt has its own clock, which none of its parts can stretch.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
}

/** One request and its answer, read as it comes. */
class Attempt implements Dispatcher.DispatchHandler {
  readonly #settle: (reply: Reply) => void;
  readonly #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | null = null;
  #settled = false;
  #status: number | null = null;
  #retryAfter: string | undefined;
  #kept: Buffer[] = [];
  #keptBytes = 0;
  #readBytes = 0;

  constructor(timeoutMs: number, settle: (reply: Reply) => void) {
    this.#settle = settle;
    this.#timer = setTimeout(() => this.fail({ error: 'timeout', isOurs: false }), timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // It waited for a connection until its time was over.
    if (this.#settled) controller.abort(new Error('The attempt has ended.'));
  }

  onResponseStart(_controller: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    // An interim answer (1xx) is followed by the real one.
    if (status < 200) return;
    this.#status = status;
    const retryAfter = headers['retry-after'];
    this.#retryAfter = Array.isArray(retryAfter) ? retryAfter[0] : retryAfter;
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    this.#readBytes += chunk.length;
    if (this.#keptBytes < keptBytesMax) {
      const kept = Buffer.from(chunk.subarray(0, keptBytesMax - this.#keptBytes));
      this.#kept.push(kept);
      this.#keptBytes += kept.length;
    }
    if (this.#readBytes >= readBytesMax) this.#end(null);
  }

  onResponseEnd(): void {
    // The answer is complete, so the connection is kept for the next one.
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
      response: this.#keptBytes > 0 ? textOf(Buffer.concat(this.#kept)) : null,
      retryAfter: this.#retryAfter,
    });
    // Closes the connection of an answer that is not at its end.
    this.#controller?.abort(new Error('The attempt has ended.'));
  }
}

/** What PostgreSQL can keep as text, of bytes that may be anything and may end within a character. */
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
  [/^(HPE_\w+|HTTPParserError|UND_ERR_HEADERS_OVERFLOW)$/, 'response_invalid'],
  [
    /^(ERR_TLS_\w+|ERR_SSL_\w+|CERT_\w+|\w*CERT\w*|EPROTO|UNABLE_TO_\w+|\w+_SIGNATURE_FAILURE|HOSTNAME_MISMATCH)$/,
    'tls_failed',
  ],
];

/** Why an attempt got no complete answer, and on whose side that was. */
type Fault = Pick<Reply, 'isOurs'> & { error: AttemptError };

/** No network here, or no room in this process. */
const ourCodes = /^(ENETUNREACH|EADDRNOTAVAIL|EACCES|EPERM|EINVAL|EMFILE|ENFILE|ENOBUFS|ENOMEM)$/;

/** What a name server says that knows; whoever cannot ask one learns nothing of the name. */
const unknownNameCodes = /^(ENOTFOUND|ENODATA)$/;

function faultOf(fault: unknown): Fault {
  const { code, errors, name, cause } = fault as Error & { code?: string; errors?: { code?: string }[] };
  // Of several addresses that were tried, the first one's fault stands for all.
  const told = code ?? errors?.[0]?.code ?? name;
  const error = errorClasses.find(([form]) => form.test(told))?.[1] ?? 'failed';
  if (error === 'host_unresolved') {
    return { error, isOurs: cause !== undefined && !unknownNameCodes.test((cause as { code?: string }).code ?? '') };
  }
  return { error, isOurs: error === 'failed' || ourCodes.test(told) };
}
