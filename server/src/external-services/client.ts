import { validateHeaderValue } from 'node:http';
import { buildConnector, Pool, type Dispatcher } from 'undici';
import {
  boundReads,
  restartLineCount,
  informationalMax,
  isTooManyChunks,
  ResponseUnboundedError,
} from '../core/limits/response-bounds.ts';
import { ProviderFault, type ProviderClient, type ProviderRequest } from './service.ts';
import { refusal } from './parse-response.ts';
import { asError } from '../core/errors.ts';
import { exceedsBounds } from '../core/json.ts';

/** Bytes. No service sends longer responses. The rest of one is not read. */
const bodyBytesMax = 1_000_000;

/** A response with more bytes is cut off. Heads, trailers and the frames of chunks count, too. */
const responseBytesMax = 2 * bodyBytesMax;

/** A response has so many values and levels. The largest real ones have hundreds. A megabyte of brackets takes 20 MB, and 80 ms to parse. */
const jsonBounds = { valuesMax: 10_000, depthMax: 32 } as const;

/** Concurrent calls. Others wait, and the wait is part of their timeout. */
const connectionsMax = 32;

/** Seconds that a busy service is left alone: without a named time, and at most. */
const busySeconds = 60;
const busySecondsMax = 3_600;

/** Milliseconds for a whole call to a service. A simulated service is on the same machine. */
export interface CallTimeouts {
  real: number;
  simulated: number;
}

export const callTimeoutsMs: CallTimeouts = { real: 15_000, simulated: 5_000 };

/** Calls one service over kept connections. It makes no retries and follows no redirect: credentials go only to the configured address. */
export class HttpProviderClient implements ProviderClient {
  readonly #pool: Dispatcher;
  readonly #basePath: string;
  readonly #timeoutMs: number;
  #isClosed = false;

  /**
   * @param url the address of the service. A path in it comes before every request's own.
   * @param timeoutMs for a whole call, from connecting to the end of the response.
   */
  constructor(url: string, timeoutMs: number) {
    const { origin, pathname } = new URL(url);
    // The call has its own timeout, which none of its parts can extend.
    const pool = new Pool(origin, {
      connect: boundedConnector(),
      // Otherwise all calls wait for the TLS handshake of one connection, which tells the protocol.
      allowH2: false,
      connections: connectionsMax,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.#pool = pool.compose((dispatch) => (options, handler) => dispatch(options, new BoundedHandler(handler)));
    this.#basePath = pathname.replace(/\/$/, '');
    this.#timeoutMs = timeoutMs;
  }

  async call(request: ProviderRequest): Promise<{ status: number; body: unknown }> {
    const { status, headers, text } = await this.#exchange(request);
    const isExpected = request.expected?.includes(status) ?? (status >= 200 && status < 300);
    if (isExpected) return { status, body: text === '' ? null : jsonIn(text) };
    if (status === 401 || status === 403) {
      throw new ProviderFault('unauthorized', 'The service does not accept the credentials of the account.');
    }
    if (status === 429) {
      throw new ProviderFault('busy', 'The service has too much to do.', {
        busyForSeconds: secondsOf(headers['retry-after']),
      });
    }
    if (status >= 500) throw new ProviderFault('unavailable', `The service answered with status ${status}.`);
    if (status >= 400) throw refusal(status, refusalIn(request, text));
    throw new ProviderFault('response_invalid', `The service answered with status ${status}.`);
  }

  /** Ends the calls under way, and closes the connections. The thrown error is no fault of the service. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pool.destroy();
  }

  async #exchange(request: ProviderRequest): Promise<{ status: number; headers: Headers; text: string }> {
    checkHeaders(request.headers ?? {});
    const signal = AbortSignal.timeout(this.#timeoutMs);
    // The pool does not end a call that still waits for a connection.
    const timeout = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(asError(signal.reason)), { once: true });
    });
    try {
      return await Promise.race([this.#send(request, signal), timeout]);
    } catch (error) {
      if (error instanceof ProviderFault || this.#isClosed) throw error;
      if (signal.aborted) {
        const message = `The service did not answer within ${this.#timeoutMs / 1000} seconds.`;
        throw new ProviderFault('timeout', message, { cause: error });
      }
      if (error instanceof ResponseUnboundedError) {
        throw new ProviderFault('response_invalid', "The service's answer is too long.", { cause: error });
      }
      throw new ProviderFault('unavailable', 'The service cannot be reached.', { cause: error });
    }
  }

  async #send(
    request: ProviderRequest,
    signal: AbortSignal,
  ): Promise<{ status: number; headers: Headers; text: string }> {
    const response = await this.#pool.request({
      method: request.method,
      path: this.#basePath + request.path,
      headers: {
        accept: 'application/json',
        ...(request.body && { 'content-type': 'application/json' }),
        ...request.headers,
      },
      body: request.body ? JSON.stringify(request.body) : null,
      signal,
    });
    return { status: response.statusCode, headers: response.headers, text: await textOf(response.body) };
  }
}

/** Opens connections of which no response is read without end. */
function boundedConnector(): buildConnector.connector {
  const connect = buildConnector({ allowH2: false });
  return (options, callback) =>
    connect(options, (...result) => {
      const [, socket] = result;
      if (socket) boundReads(socket, responseBytesMax);
      callback(...result);
    });
}

/** Passes one response on. Its errors end the call, and close the connection before the parser goes on. */
class BoundedHandler implements Dispatcher.DispatchHandler {
  readonly #next: Dispatcher.DispatchHandler;
  #informational = 0;
  #chunks = 0;
  #bytes = 0;

  constructor(next: Dispatcher.DispatchHandler) {
    this.#next = next;
  }

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.#next.onRequestStart?.(controller, context);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: Headers, text?: string): void {
    restartLineCount();
    if (status < 200 && ++this.#informational > informationalMax) {
      throw new ProviderFault('response_invalid', 'The service sends one informational response after another.');
    }
    this.#next.onResponseStart?.(controller, status, headers, text);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    restartLineCount();
    this.#chunks++;
    this.#bytes += chunk.length;
    if (isTooManyChunks(this.#chunks, this.#bytes)) {
      throw new ProviderFault('response_invalid', "The service's answer comes in too many small chunks.");
    }
    this.#next.onResponseData?.(controller, chunk);
  }

  onResponseEnd(controller: Dispatcher.DispatchController, trailers: Headers): void {
    this.#next.onResponseEnd?.(controller, trailers);
  }

  onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    this.#next.onResponseError?.(controller, error);
  }
}

/**
 * Rejects a header that cannot be sent. The pool must not see it: it would count the connection as busy for ever.
 *
 * @throws {ProviderFault} `credentials_invalid`, without the value. Headers of services carry only credentials.
 */
function checkHeaders(headers: Readonly<Record<string, string>>): void {
  try {
    for (const [name, value] of Object.entries(headers)) validateHeaderValue(name, value);
  } catch {
    throw new ProviderFault(
      'credentials_invalid',
      'The credentials of the account cannot be sent: they have a line break or another character that no HTTP header takes.',
    );
  }
}

type Headers = Dispatcher.ResponseData['headers'];

async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    // Leaving the loop closes the connection.
    if (length > bodyBytesMax) throw new ProviderFault('response_invalid', "The service's answer is too long.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function jsonIn(text: string): unknown {
  if (exceedsBounds(text, jsonBounds)) {
    throw new ProviderFault('response_invalid', "The service's answer has too many values, or too many levels.");
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new ProviderFault('response_invalid', "The service's answer is no JSON.");
  }
}

function refusalIn(request: ProviderRequest, text: string): ReturnType<NonNullable<ProviderRequest['refusalIn']>> {
  try {
    return request.refusalIn?.(jsonIn(text)) ?? { code: null, message: null };
  } catch {
    return { code: null, message: null };
  }
}

/** Reads a Retry-After in seconds (RFC 9110, 10.2.3). A date is not worth a clock here. */
function secondsOf(retryAfter: string | string[] | undefined): number {
  const seconds = typeof retryAfter === 'string' && /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : busySeconds;
  return Math.min(Math.max(seconds, 1), busySecondsMax);
}
