import { createHmac } from 'node:crypto';
import { toSeconds, type Clock } from '../core/clock.ts';
import type { CanopyClient } from './settings.ts';

/*
 * Calls Canopy as its documents describe it (github.com/insurestreetltd/canopy-apidocs). A signed JWT gets a token, and each call has the
 * token and the API key.
 */

/** The kinds of updates that Canopy announces. */
export const webhookTypes = ['REQUEST_STATUS_UPDATES', 'PASSPORT_STATUS_UPDATES'] as const;

export type WebhookType = (typeof webhookTypes)[number];

/** The renter to check. */
export interface ReferencingRequest {
  email: string;
  firstName?: string;
  lastName?: string;
  phone?: string;
  callbackUrl: string;
  clientReferenceId: string;
}

export type FaultKind =
  // The request or the credentials are wrong.
  | 'refused'
  | 'unauthorized'
  // There are too many requests.
  | 'busy'
  // The request was not sent.
  | 'unreachable'
  // The request may have been carried out.
  | 'uncertain';

/** Canopy did not do what it was asked. */
export class CanopyFault extends Error {
  readonly kind: FaultKind;
  /** The value of `Retry-After`. */
  readonly retryAfter: string | null;

  constructor(kind: FaultKind, message: string, options: { retryAfter?: string | null; cause?: unknown } = {}) {
    super(message, options);
    this.kind = kind;
    this.retryAfter = options.retryAfter ?? null;
  }
}

/** Milliseconds for a whole answer. Tenure waits 15 seconds for an order, which can need a token first. */
const timeoutMs = 6_000;

/** Bytes. No answer is longer, except documents, of which only the beginning is read. */
const bodyBytesMax = 1_000_000;

/** Seconds that a token is used at most. Canopy's documents give it 20 minutes. */
const tokenSecondsMax = 19 * 60;

const jwtSeconds = 3_600;

/** Failures of a connection after which nothing was sent. */
const unsent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Canopy, for one client. */
export class CanopyApi {
  readonly #url: string;
  readonly #client: CanopyClient;
  readonly #clock: Clock;
  #token: Promise<{ value: string; untilSeconds: number }> | null = null;

  constructor(url: string, client: CanopyClient, clock: Clock) {
    this.#url = url.replace(/\/$/, '');
    this.#client = client;
    this.#clock = clock;
  }

  /**
   * Asks Canopy to check a renter. Each call makes a request: Canopy's documents name no idempotency key.
   *
   * @returns Canopy's id of the request.
   * @throws {CanopyFault}
   */
  async request(renter: ReferencingRequest): Promise<string> {
    const { itemType = 'FULL', branchId } = this.#client;
    const body = { ...renter, requestType: 'RENTER_SCREENING', itemType, ...(branchId !== undefined && { branchId }) };
    const { canopyReferenceId: id } = await this.#json('POST', '/request', body);
    if (typeof id === 'string' && id !== '') return id;
    throw new CanopyFault('uncertain', 'Canopy answered an order without an id.');
  }

  /**
   * Registers the address for updates of a type.
   *
   * @throws {CanopyFault}
   */
  async register(type: WebhookType, callbackUrl: string): Promise<void> {
    // An empty list is for all sections.
    const sections = type === 'PASSPORT_STATUS_UPDATES' ? { additionalSettings: [] } : {};
    await this.#json('POST', '/webhook/register', { type, callbackUrl, ...sections });
  }

  /** Returns the path of a document of this client, or null if an address leads elsewhere. */
  documentPathOf(url: string): string | null {
    const [, clientId, id] = /^\/referencing-requests\/client\/([^/]+)\/documents\/([\w-]{1,100})$/.exec(url) ?? [];
    return id !== undefined && clientId === this.#client.clientId ? `/documents/${id}` : null;
  }

  /** Returns the path of the renter's present results, which exist before Canopy has sent a document. */
  passportPathOf(canopyReferenceId: string): string {
    return `/rent-passport/${encodeURIComponent(canopyReferenceId)}`;
  }

  /**
   * Tells whether Canopy has a PDF under a path of this client.
   *
   * @throws {CanopyFault} unless Canopy answers that it has none.
   */
  async hasPdf(path: string): Promise<boolean> {
    try {
      const response = await this.#call('GET', path);
      const beginning = await beginningOf(response);
      return beginning.startsWith('%PDF-');
    } catch (error) {
      if (error instanceof CanopyFault && error.kind === 'refused') return false;
      throw error;
    }
  }

  async #json(method: string, path: string, body: object): Promise<Record<string, unknown>> {
    return jsonOf(await this.#call(method, path, body));
  }

  /** Calls Canopy with a token. If Canopy refuses the token, it tries once more with a new one. */
  async #call(method: string, path: string, body?: object): Promise<Response> {
    const token = await this.#freshToken();
    try {
      return await this.#send(method, path, body, { authorization: token });
    } catch (error) {
      if (!(error instanceof CanopyFault) || error.kind !== 'unauthorized') throw error;
      return this.#send(method, path, body, { authorization: await this.#freshToken(token) });
    }
  }

  /**
   * Returns the value of the header. Calls at the same time share one request for a token, and its fault.
   *
   * @param refused a value that Canopy does not accept any more.
   */
  async #freshToken(refused?: string): Promise<string> {
    const shared = this.#token;
    const known = await shared;
    if (known && known.value !== refused && known.untilSeconds > this.#nowSeconds()) return known.value;
    // Another call can have asked meanwhile.
    if (this.#token === null || this.#token === shared) {
      const asked = this.#askForToken();
      this.#token = asked;
      asked.catch(() => {
        if (this.#token === asked) this.#token = null;
      });
    }
    return (await this.#token).value;
  }

  /** @throws {CanopyFault} of a call that was not sent. */
  async #askForToken(): Promise<{ value: string; untilSeconds: number }> {
    try {
      return await this.#requestToken();
    } catch (error) {
      // Without a token, the call itself was not sent.
      if (error instanceof CanopyFault && error.kind === 'uncertain') {
        throw new CanopyFault('unreachable', error.message, { cause: error });
      }
      if (error instanceof CanopyFault && error.kind === 'refused') {
        throw new CanopyFault('unauthorized', 'Canopy gives no token for these credentials.', { cause: error });
      }
      throw error;
    }
  }

  async #requestToken(): Promise<{ value: string; untilSeconds: number }> {
    const response = await this.#send('POST', '/token', { jwtKey: this.#jwt() }, {});
    const { access_token: value, expires } = await jsonOf(response);
    if (typeof value !== 'string' || value === '')
      throw new CanopyFault('uncertain', 'Canopy answered without a token.');
    const mostSeconds = this.#nowSeconds() + tokenSecondsMax;
    const untilSeconds = typeof expires === 'number' ? Math.min(expires - 60, mostSeconds) : mostSeconds;
    return { value: value.startsWith('Bearer ') ? value : `Bearer ${value}`, untilSeconds };
  }

  #jwt(): string {
    const now = this.#nowSeconds();
    const payload = {
      iss: 'canopy.rent',
      scope: 'request.write_only document.read_only',
      aud: `referencing-requests/client/${this.#client.clientId}/token`,
      exp: now + jwtSeconds,
      iat: now,
    };
    const parts = [{ alg: 'HS256', typ: 'JWT' }, payload].map((part) =>
      Buffer.from(JSON.stringify(part)).toString('base64url'),
    );
    const signed = parts.join('.');
    return `${signed}.${createHmac('sha256', this.#client.secretKey).update(signed).digest('base64url')}`;
  }

  async #send(
    method: string,
    path: string,
    body: object | undefined,
    headers: Record<string, string>,
  ): Promise<Response> {
    const { clientId, apiKey } = this.#client;
    const url = `${this.#url}/referencing-requests/client/${encodeURIComponent(clientId)}${path}`;
    let response: Response;
    try {
      response = await fetch(url, {
        method,
        headers: { 'x-api-key': apiKey, ...(body && { 'content-type': 'application/json' }), ...headers },
        ...(body && { body: JSON.stringify(body) }),
        // Credentials go only to the configured address.
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      });
    } catch (error) {
      const isUnsent = unsent.has(String(((error as Error).cause as { code?: unknown } | undefined)?.code));
      throw new CanopyFault(isUnsent ? 'unreachable' : 'uncertain', 'Canopy cannot be reached.', { cause: error });
    }
    if (response.ok) return response;
    throw await faultOf(response);
  }

  #nowSeconds(): number {
    return toSeconds(this.#clock.nowMs());
  }
}

async function faultOf(response: Response): Promise<CanopyFault> {
  const { status } = response;
  if (status === 429) {
    await response.body?.cancel();
    return new CanopyFault('busy', 'Canopy has too much to do.', { retryAfter: response.headers.get('retry-after') });
  }
  if (status < 400 || status >= 500) {
    await response.body?.cancel();
    return new CanopyFault('uncertain', `Canopy answered with status ${status}.`);
  }
  const { error } = (await jsonOf(response).catch(() => ({}))) as { error?: { message?: unknown; errors?: unknown } };
  if (status === 401 || status === 403)
    return new CanopyFault('unauthorized', 'Canopy does not accept the credentials.');
  if (status === 408) return new CanopyFault('uncertain', 'Canopy did not get the whole request in time.');
  const message =
    typeof error?.message === 'string' && error.message !== ''
      ? error.message
      : `Canopy refused with status ${status}.`;
  // The places say which detail is wrong. The texts beside them can repeat the detail itself.
  const places = (Array.isArray(error?.errors) ? error.errors : [])
    .map((each: unknown) => (each as { path?: unknown } | null)?.path)
    .filter((place) => typeof place === 'string');
  return new CanopyFault('refused', places.length > 0 ? `${message} (${places.join(', ')})` : message);
}

async function jsonOf(response: Response): Promise<Record<string, unknown>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of response.body ?? []) {
      length += chunk.length;
      // Leaving the loop closes the connection.
      if (length > bodyBytesMax) throw new Error('The answer is too long.');
      chunks.push(chunk);
    }
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    if (typeof body === 'object' && body !== null) return body as Record<string, unknown>;
    throw new Error('The answer is no object.');
  } catch (error) {
    throw new CanopyFault('uncertain', 'The answer of Canopy cannot be read.', { cause: error });
  }
}

/** Reads the first bytes of a body, and leaves the rest. */
async function beginningOf(response: Response): Promise<string> {
  let beginning = '';
  try {
    for await (const chunk of response.body ?? []) {
      beginning += Buffer.from(chunk).toString('latin1');
      if (beginning.length >= 5) break;
    }
  } catch (error) {
    throw new CanopyFault('uncertain', 'The document of Canopy cannot be read.', { cause: error });
  }
  return beginning;
}
