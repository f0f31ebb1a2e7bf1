import { apiErrorOf, ConnectionError, TenureError, TimeoutError } from './errors.ts';

/** The version of this package, for `User-Agent`. */
export const packageVersion = '0.2.0';

/** Options of one call. They take precedence over those of the client. */
export interface RequestOptions {
  /** Only a POST has one. The default is a random UUID for each call, the same in all attempts of the call. */
  idempotencyKey?: string | undefined;
  /** The account to act upon, `acct_…`: your own or a connected one. */
  account?: string | undefined;
  /** The API version of this call. The types stay those of the client. */
  apiVersion?: string | undefined;
  /** The limit of each attempt in milliseconds. `Infinity` sets none. */
  timeoutMs?: number | undefined;
  /** The number of attempts after the first one. */
  maxRetries?: number | undefined;
  /** Ends the call. The call then fails with the reason of the signal. */
  signal?: AbortSignal | undefined;
  /** Further headers. */
  headers?: Record<string, string> | undefined;
}

/** Sends a request, as the global `fetch` does. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** An attempt that is about to be sent. */
export interface RequestInfo {
  method: string;
  url: string;
  /** The headers, with a masked API key. */
  headers: Record<string, string>;
  body: string | FormData | null;
  /** The number of the attempt, from 0. */
  attempt: number;
}

/** The result of an attempt. */
export interface ResponseInfo {
  method: string;
  url: string;
  attempt: number;
  /** Null if no response came. */
  status: number | null;
  requestId: string | null;
  durationMs: number;
  /** The pause before the next attempt, or null if there is none. */
  retryInMs: number | null;
}

/** Settings that all calls of a client share. */
export interface Settings {
  /** Null sends none. */
  apiKey: string | null;
  /** Without a slash at the end. */
  baseUrl: string;
  apiVersion: string;
  account: string | null;
  timeoutMs: number;
  maxRetries: number;
  fetch: Fetch | undefined;
  onRequest: ((request: RequestInfo) => void) | undefined;
  onResponse: ((response: ResponseInfo) => void) | undefined;
}

/** A request without the headers that all requests have. */
export interface Call {
  method: 'GET' | 'POST' | 'DELETE';
  /** The path, with its query. */
  path: string;
  body?: string | FormData | undefined;
  /** The default is JSON. Null sends none. */
  accept?: string | null;
}

/** The data of a successful response, and facts about it. */
export interface ApiResponse<T> {
  data: T;
  /** The response itself. Its body is used up, except for files. */
  response: Response;
  requestId: string | null;
  /** The API version of the data. */
  apiVersion: string | null;
  /** Whether this is the stored response of an earlier request with the same idempotency key. */
  replayed: boolean;
  /** The id of that earlier request. */
  originalRequest: string | null;
}

/** A promise of the data. `withResponse` adds facts about the response. */
export class TenurePromise<T> extends Promise<T> {
  readonly #answer: () => Promise<ApiResponse<T>>;

  /** @param answer is called when the promise is first used, and returns the same promise each time. */
  constructor(answer: () => Promise<ApiResponse<T>>) {
    super(() => {});
    this.#answer = answer;
  }

  /** Lets `then` return a plain promise. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** Returns the data with the response, its id and its version. */
  withResponse(): Promise<ApiResponse<T>> {
    return this.#answer();
  }

  // oxlint-disable-next-line unicorn/no-thenable -- It is a promise.
  override then<Kept = T, Caught = never>(
    onFulfilled?: ((value: T) => Kept | PromiseLike<Kept>) | null,
    onRejected?: ((reason: unknown) => Caught | PromiseLike<Caught>) | null,
  ): Promise<Kept | Caught> {
    return this.#answer()
      .then(({ data }) => data)
      .then(onFulfilled, onRejected);
  }

  override catch<Caught = never>(
    onRejected?: ((reason: unknown) => Caught | PromiseLike<Caught>) | null,
  ): Promise<T | Caught> {
    return this.then(null, onRejected);
  }

  override finally(onFinally?: (() => void) | null): Promise<T> {
    return this.then((data) => data).finally(onFinally);
  }
}

/** Reads the body of a successful response. */
export type BodyReader<T> = (response: Response) => T | Promise<T>;

/** Sends requests, and retries them. */
export class Transport {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * Sends a request until a final response comes.
   *
   * @throws {TypeError} before anything is sent, if an option is wrong.
   * @throws {ApiError} if the server refuses the request.
   * @throws {ConnectionError | TimeoutError} if no complete response comes.
   */
  async send<T>(call: Call, options: RequestOptions, read: BodyReader<T>): Promise<ApiResponse<T>> {
    checkNames(options, optionNames);
    const { onRequest, onResponse } = this.#settings;
    const { signal } = options;
    const timeoutMs = checkedTimeout(options.timeoutMs ?? this.#settings.timeoutMs);
    const maxRetries = checkedRetries(options.maxRetries ?? this.#settings.maxRetries);
    const headers = this.#headersOf(call, options);
    const { method } = call;
    const url = this.#settings.baseUrl + call.path;
    const body = call.body ?? null;
    for (let attempt = 0; ; attempt++) {
      signal?.throwIfAborted();
      onRequest?.({ method, url, headers: masked(headers), body, attempt });
      const startedMs = performance.now();
      const outcome = await this.#attempt(call, { method, headers, body, redirect: 'manual' }, timeoutMs, signal, read);
      const { response, error } = outcome;
      const retryInMs =
        error && attempt < maxRetries && isRetryable(method, outcome) ? pauseMs(response, attempt) : null;
      onResponse?.({
        method,
        url,
        attempt,
        status: response?.status ?? null,
        requestId: response?.headers.get('request-id') ?? null,
        durationMs: performance.now() - startedMs,
        retryInMs,
      });
      if (!error) return apiResponseOf(outcome.data, response);
      if (retryInMs === null) throw error;
      await sleep(retryInMs, signal);
    }
  }

  #headersOf(call: Call, options: RequestOptions): Record<string, string> {
    const { apiKey } = this.#settings;
    const account = options.account ?? this.#settings.account;
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(options.headers ?? {})) {
      const option = ownHeaders[name.toLowerCase()];
      if (option !== undefined) throw new TypeError(`\`headers\` must not have ${name}. Use the option \`${option}\`.`);
      headers[name.toLowerCase()] = value;
    }
    if (call.accept !== null) headers.accept = call.accept ?? 'application/json';
    headers['service-version'] = options.apiVersion ?? this.#settings.apiVersion;
    if (account !== null) headers['service-context'] = account;
    if (call.method === 'POST') headers['idempotency-key'] = checkedKey(options.idempotencyKey ?? crypto.randomUUID());
    if (typeof call.body === 'string') headers['content-type'] = 'application/json';
    // A browser names itself. There, a header more would also need the consent of a server at another address.
    if (!isBrowser()) headers['user-agent'] ??= `tenure-js/${packageVersion}`;
    if (apiKey !== null) headers.authorization = `Bearer ${apiKey}`;
    for (const [name, value] of Object.entries(headers)) checkHeader(name, value);
    return headers;
  }

  async #attempt<T>(
    call: Call,
    init: RequestInit,
    timeoutMs: number,
    signal: AbortSignal | undefined,
    read: BodyReader<T>,
  ): Promise<Outcome<T>> {
    const send = this.#settings.fetch ?? globalThis.fetch;
    const ending = new AbortController();
    const abort = (): void => ending.abort(signal!.reason);
    let isLate = false;
    const timer =
      timeoutMs < timeoutMaxMs &&
      setTimeout(() => {
        isLate = true;
        ending.abort(new Error('time-out'));
      }, timeoutMs);
    signal?.addEventListener('abort', abort);
    let response: Response | undefined;
    try {
      const sending = async (): Promise<Outcome<T>> => {
        response = await send(this.#settings.baseUrl + call.path, { ...init, signal: ending.signal });
        if (!response.ok) return { response, error: apiErrorOf(response, await textOf(response)) };
        return { response, data: await read(response) };
      };
      return await unlessAborted(sending(), ending.signal);
    } catch (error) {
      signal?.throwIfAborted();
      return { response, error: this.#failureOf(call, error, isLate ? timeoutMs : null) };
    } finally {
      if (timer !== false) clearTimeout(timer);
      // The body of a file or a stream is still to be read, so that the signal still counts.
      if (response?.bodyUsed !== false) signal?.removeEventListener('abort', abort);
    }
  }

  /** Returns the error for a call without a complete response. The API key is in no part of it. */
  #failureOf({ method, path }: Call, thrown: unknown, lateAfterMs: number | null): TenureError {
    if (thrown instanceof TenureError) return thrown;
    const { apiKey, baseUrl } = this.#settings;
    const start = `${method} ${path.replace(/\?.*/s, '')} got no complete response from ${baseUrl}`;
    if (lateAfterMs !== null) {
      return new TimeoutError(`${start} within ${lateAfterMs} ms. Retry it, or raise \`timeoutMs\`.`);
    }
    const detail = apiKey === null ? detailOf(thrown) : detailOf(thrown).replaceAll(apiKey, maskKey(apiKey));
    return new ConnectionError(
      `${start}: ${detail}. Check that the server runs, and that \`baseUrl\` leads to it.`,
      apiKey !== null && mentions(thrown, apiKey) ? {} : { cause: thrown },
    );
  }
}

/** The result of an attempt: data or an error. */
type Outcome<T> =
  | { response: Response; data: T; error?: undefined }
  | { response: Response | undefined; error: TenureError; data?: undefined };

/** Longer timers would fire at once. */
const timeoutMaxMs = 2 ** 31;

/** Headers that an option sets. */
const ownHeaders: Record<string, string | undefined> = {
  authorization: 'apiKey',
  'idempotency-key': 'idempotencyKey',
  'service-version': 'apiVersion',
  'service-context': 'account',
};

/** The longest `Retry-After` that is followed, and the limits of other pauses, in milliseconds. */
const retryAfterMaxMs = 60_000;
const firstPauseMs = 500;
const longestPauseMs = 8_000;

/**
 * Tells whether another attempt is useful and safe. A POST is safe because of its idempotency key. A DELETE is not if its outcome is unknown:
 * the second attempt could get 404 for a deletion that succeeded.
 */
function isRetryable(method: string, { response, error }: Outcome<unknown>): boolean {
  const told = response?.headers.get('service-should-retry');
  if (response && !response.ok) {
    if (told === 'true') return true;
    if (told === 'false') return false;
    const { status } = response;
    return status === 409 || status === 429 || (status >= 500 && method !== 'DELETE');
  }
  // Anything else, such as a body without an end, would come again.
  if (!(error instanceof ConnectionError || error instanceof TimeoutError)) return false;
  return method !== 'DELETE' || neverSent.has(codeOf(error.cause));
}

/** Codes of Node, Bun and undici for connections that were never open. */
const neverSent = new Set([
  'ECONNREFUSED',
  'ConnectionRefused',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return 'code' in error && typeof error.code === 'string' ? error.code : codeOf(error.cause);
}

function pauseMs(response: Response | undefined, attempt: number): number {
  return retryAfterMs(response?.headers) ?? Math.random() * Math.min(longestPauseMs, firstPauseMs * 2 ** attempt);
}

/** Returns the wait that a response asks for: seconds, or a date. Returns null if it asks for none, or for more than a minute. */
export function retryAfterMs(headers: Headers | undefined): number | null {
  const value = headers?.get('retry-after') ?? '';
  const waitMs = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return waitMs >= 0 && waitMs <= retryAfterMaxMs ? waitMs : null;
}

/** Waits, and fails with the reason of the signal when that is aborted. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal!.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}

/** Waits for a result until a signal is aborted, even if the work itself does not obey the signal. */
export function unlessAborted<T>(working: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    working.then(resolve, reject);
  });
}

/** The longest body that is read into memory. The longest page of the API has a few megabytes. */
export const bodyBytesMax = 64 * 1024 * 1024;

/** Reads the body of an error. A body that breaks off changes nothing: the status is known. */
async function textOf(response: Response): Promise<string> {
  try {
    return await boundedText(response);
  } catch {
    return '';
  }
}

/** Reads a body as text. Fails, and ends the connection, if it exceeds `bodyBytesMax`. */
async function boundedText({ body, status }: Response): Promise<string> {
  if (!body) return '';
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const parts: string[] = [];
  for (let bytes = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return parts.join('') + decoder.decode();
    bytes += value.byteLength;
    if (bytes > bodyBytesMax) {
      await reader.cancel();
      throw new TenureError(
        `The body with status ${status} has more than ${bodyBytesMax / 1024 ** 2} MB. No response of Tenure is that long. Check \`baseUrl\` and the proxies on the way.`,
      );
    }
    parts.push(decoder.decode(value, { stream: true }));
  }
}

/** Reads JSON. Fails if a part of it is missing. */
export async function readJson(response: Response): Promise<unknown> {
  const text = await boundedText(response);
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`the body with status ${response.status} is not complete JSON`);
  }
}

function apiResponseOf<T>(data: T, response: Response): ApiResponse<T> {
  const { headers } = response;
  return {
    data,
    response,
    requestId: headers.get('request-id'),
    apiVersion: headers.get('service-version'),
    replayed: headers.get('idempotent-replayed') === 'true',
    originalRequest: headers.get('original-request'),
  };
}

const optionNames: readonly (keyof RequestOptions)[] = [
  'idempotencyKey',
  'account',
  'apiVersion',
  'timeoutMs',
  'maxRetries',
  'signal',
  'headers',
];

/**
 * Types refuse an unknown option, and JavaScript does not. A misspelt `idempotencyKey` or `account` must not be dropped.
 *
 * @throws {TypeError} if there is an option with another name.
 */
export function checkNames(options: object, known: readonly string[]): void {
  const unknown = Object.entries(options).find(([name, value]) => value !== undefined && !known.includes(name));
  if (unknown) throw new TypeError(`There is no option \`${unknown[0]}\`. The options are ${known.join(', ')}.`);
}

function checkedTimeout(timeoutMs: number): number {
  if (timeoutMs > 0) return timeoutMs;
  throw new TypeError('`timeoutMs` must be a number above 0, in milliseconds.');
}

function checkedRetries(maxRetries: number): number {
  if (Number.isInteger(maxRetries) && maxRetries >= 0) return maxRetries;
  throw new TypeError('`maxRetries` must be a whole number, 0 or more.');
}

function checkedKey(idempotencyKey: string): string {
  if (/^[\x20-\x7e]{1,255}$/.test(idempotencyKey)) return idempotencyKey;
  throw new TypeError('`idempotencyKey` must have 1 to 255 printable ASCII characters.');
}

/** Fails for a header that `fetch` would refuse. The message of `fetch` would quote the value. */
function checkHeader(name: string, value: unknown): void {
  if (typeof value === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value))
    return;
  throw new TypeError(
    `The header ${JSON.stringify(name)} is not valid. A name is a token, and a value is text without line breaks and control characters.`,
  );
}

function masked(headers: Record<string, string>): Record<string, string> {
  const { authorization } = headers;
  if (authorization === undefined) return { ...headers };
  return { ...headers, authorization: `Bearer ${maskKey(authorization.slice('Bearer '.length))}` };
}

/** Masks an API key for display: its kind, its cell and its last four characters remain. */
export function maskKey(key: string): string {
  return `${/^[a-z]+_(?:test|live)_(?:[a-z][a-z0-9]{1,11}_)?/.exec(key)?.[0] ?? ''}****${key.length >= 40 ? key.slice(-4) : ''}`;
}

/** Returns the reason of a failed connection. Node has it in `cause`, sometimes as a code alone. */
function detailOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  if (thrown.cause instanceof Error) return detailOf(thrown.cause);
  return thrown.message || codeOf(thrown) || thrown.name;
}

/** Tells whether a log of a caught value could show the API key. An injected `fetch` may throw anything. */
function mentions(thrown: unknown, apiKey: string): boolean {
  if (thrown === undefined) return false;
  const isIn = (text = ''): boolean => text.includes(apiKey);
  if (thrown instanceof Error && (isIn(thrown.message) || isIn(thrown.stack) || mentions(thrown.cause, apiKey)))
    return true;
  try {
    return isIn(JSON.stringify(thrown));
  } catch {
    return true;
  }
}

/** Returns whether a page runs this code. */
export function isBrowser(): boolean {
  return typeof document === 'object';
}
