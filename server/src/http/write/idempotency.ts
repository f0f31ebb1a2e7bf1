import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { StoredResponse, Claim as KeyClaim } from '../../commit/write-request.ts';
import { keyLifetimeMs } from '../../commit/statements/idempotency-keys.ts';
import type { Json, JsonObject } from '../../core/json-diff.ts';
import { ApiError } from '../../core/errors.ts';
import type { Encryption } from '../../core/secrets/encryption.ts';
import type { Reader } from '../../db/reader.ts';
import { onlyHeaderOf, headerLines } from '../headers.ts';
import type { ApiRequest } from '../request.ts';

const keyForm = /^[\x20-\x7e]{1,255}$/;

/** Returns the key of a request for its log, even if the request is refused. Null if there is no valid key. */
export function loggedIdempotencyKey({ method, raw }: FastifyRequest): string | null {
  if (method !== 'POST') return null;
  const [header, ...others] = headerLines(raw, 'Idempotency-Key');
  if (header === undefined || others.length > 0) return null;
  return keyForm.test(header) ? header : null;
}

/**
 * Returns the key of a POST request, or null if there is none. Other methods ignore keys.
 *
 * @throws {ApiError} `request_invalid` if there are several keys, or `idempotency_key_invalid`.
 */
export function readIdempotencyKey(request: FastifyRequest): string | null {
  if (request.method !== 'POST') return null;
  const header = onlyHeaderOf(request, 'Idempotency-Key');
  if (header === undefined) return null;
  if (keyForm.test(header)) return header;
  throw new ApiError(
    'idempotency_key_invalid',
    `The Idempotency-Key has ${header.length} characters, or some that are not printable ASCII. Send 1 to 255 printable ASCII characters.`,
  );
}

/** A claim that compares its request with a stored fingerprint, even with one from an earlier release. */
export interface Claim extends KeyClaim {
  /** @throws {ApiError} `unavailable` if only a later release can tell. */
  isSameRequest(stored: string): boolean;
}

/** The parts of a request that must be equal if its key is used again. */
export interface ComparedRequest {
  method: string;
  path: string;
  query: string;
  withContext: boolean;
  body: JsonObject;
}

/** Reduces a request to a text. Equal texts mean equal requests. */
export type FingerprintVersion = (request: ComparedRequest) => string;

/**
 * The algorithms of all fingerprints that a database may contain, by version. A stored fingerprint begins with its version (`1:…`), so that
 * a key survives an upgrade of the server. A new algorithm gets the next number. An old one may go one release after the last
 * release that wrote it, because keys live for a day.
 */
export const fingerprintVersions: Readonly<Record<string, FingerprintVersion>> = {
  // Fingerprints without a prefix, from before versions existed.
  0: sortedText,
  1: sortedText,
};

/** Returns the claim of a request on its idempotency key. Returns null if it has no key. */
export function claimOf(request: ApiRequest, input: JsonObject): Claim | null {
  // A session of the portal claims none: a stored response could outlive what the person may see.
  if (request.idempotencyKey === null || request.principal.renter) return null;
  const keyAccountId = request.principal.accountId;
  return Object.assign(fingerprints(comparedOf(request, input)), {
    name: `${request.accountId} ${keyAccountId} ${request.idempotencyKey}`,
    keyAccountId,
    key: request.idempotencyKey,
  });
}

/**
 * Returns a hash of everything that must be the same when an approved request is sent again. It has the API version, too. In another version,
 * the same body could mean something else than the person has read.
 */
export function fingerprintOf(request: ApiRequest, body: JsonObject): string {
  return `${request.version} ${fingerprints(comparedOf(request, body)).fingerprint}`;
}

function comparedOf({ incoming: { method, url }, hasServiceContext }: ApiRequest, body: JsonObject): ComparedRequest {
  const [path = '', query = ''] = url.split('?', 2);
  return { method, path, query, withContext: hasServiceContext, body };
}

/** Makes a fingerprint of the newest version, and compares fingerprints of every version. */
export function fingerprints(
  request: ComparedRequest,
  versions: Readonly<Record<string, FingerprintVersion>> = fingerprintVersions,
): Pick<Claim, 'fingerprint' | 'isSameRequest'> {
  const newest = String(Math.max(...Object.keys(versions).map(Number)));
  let fingerprint: string | null = null;
  return {
    // Makes it when it is asked for, because it costs more than parsing the body. A refused request needs none.
    get fingerprint() {
      return (fingerprint ??= `${newest}:${versions[newest]!(request)}`);
    },
    isSameRequest(stored) {
      const [version = '', text = ''] = stored.includes(':') ? stored.split(':', 2) : ['0', stored];
      const textOf = Object.hasOwn(versions, version) ? versions[version] : undefined;
      if (textOf) return textOf(request) === text;
      throw new ApiError(
        'unavailable',
        'This Idempotency-Key was used with a later release of the server, and this process cannot compare the requests. Nothing was changed. Try again: a process of that release may handle the request.',
        { retryAfterSeconds: 1 },
      );
    },
  };
}

/**
 * Hashes a request with sorted keys of the body, because their order has no meaning. The API version and the API key do not count. So a
 * client can upgrade, or roll its key, between two attempts.
 */
function sortedText({ method, path, query, withContext, body }: ComparedRequest): string {
  return hash('sha256', `${method} ${path}?${query} ${withContext} ${canonicalText(body)}`, 'base64url');
}

/** Writes JSON with sorted keys. */
function canonicalText(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalText(value[key]!)}`).join()}}`;
}

/** Characters of keys in each of two sets. Together they remember about 20,000 requests. */
const rememberedMax = 1024 * 1024;

/** The keys that this process has seen lately: those of running requests, and those that have a response. */
export class RecentKeys {
  readonly #running = new Set<string>();
  #answered = new Set<string>();
  /** The keys before those. A full set is dropped whole, because it takes long to find its oldest key. */
  #answeredEarlier = new Set<string>();
  #characters = 0;

  /**
   * Runs the work of a request with this key. A second request with the key is refused until the work ends.
   *
   * @throws {ApiError} `idempotency_key_in_use`.
   */
  async hold<Result>(claim: Claim | null, work: () => Promise<Result>): Promise<Result> {
    if (!claim) return work();
    if (this.#running.has(claim.name)) throw keyInUse();
    this.#running.add(claim.name);
    try {
      return await work();
    } finally {
      this.#running.delete(claim.name);
    }
  }

  /** Remembers that a key has a stored response. */
  addAnswered(claim: Claim | null): void {
    if (!claim || this.#answered.has(claim.name)) return;
    this.#answered.add(claim.name);
    this.#characters += claim.name.length;
    if (this.#characters <= rememberedMax) return;
    this.#answeredEarlier = this.#answered;
    this.#answered = new Set();
    this.#characters = 0;
  }

  /** Tells whether a key probably has a stored response. It may have expired since, and another process may have answered others. */
  mayBeAnswered({ name }: Claim): boolean {
    return this.#answered.has(name) || this.#answeredEarlier.has(name);
  }
}

export function keyInUse(): ApiError {
  return new ApiError(
    'idempotency_key_in_use',
    'A request with this Idempotency-Key is still running. Nothing was executed twice. Send the same request again to get its response.',
    { retryAfterSeconds: 1 },
  );
}

/** A stored response to replay. */
export interface ReplayedResponse extends StoredResponse {
  requestId: string;
  apiVersion: string;
  /** The API key of the first request. */
  principalId: string | null;
  /** Tells whether the body of the first request was removed because its person was erased. */
  isBodyErased: boolean;
}

/**
 * Reads the stored response of a key. Returns null if the key has none, or has expired.
 *
 * @param atMs the time at which the key must not have expired.
 * @throws {ApiError} `idempotency_key_reused` if the key was used for another request.
 */
export async function readStoredResponse(
  { reader, encryption }: { reader: Reader; encryption: Encryption },
  accountId: string,
  claim: Claim,
  atMs: number,
): Promise<ReplayedResponse | null> {
  const rows = await reader.query<{
    fingerprint: string;
    request_id: string;
    status: number;
    response_body: string;
    sealed_body: Buffer | null;
    api_version: string;
    principal_id: string | null;
    error: string | null;
    is_body_erased: boolean;
  }>({
    name: 'read_stored_response',
    text: `
      select stored.fingerprint, stored.request_id, stored.sealed_body, log.status, log.response_body, log.api_version,
        coalesce(log.key_id, log.user_id) as principal_id,
        log.error, log.request_body is null as is_body_erased
      from idempotency_keys stored
      join request_logs log on log.account_id = stored.account_id and log.id = stored.request_id
      where stored.account_id = $1 and stored.key_account_id = $2 and stored.key = $3
        and stored.claimed_at_ms + ${keyLifetimeMs} > $4::bigint`,
    values: [accountId, claim.keyAccountId, claim.key, atMs],
  });
  const row = rows[0];
  if (!row) return null;
  if (!claim.isSameRequest(row.fingerprint)) {
    throw new ApiError(
      'idempotency_key_reused',
      'This Idempotency-Key was used for another request: the method, path, query, `Service-Context` or body differs. Use a new key.',
    );
  }
  const { sealed_body: encryptedBody, response_body: body } = row;
  const response: StoredResponse = {
    status: row.status,
    ...(encryptedBody
      ? { body: encryption.decrypt(encryptedBody), secret: { redactedBody: body, encryptedBody } }
      : { body }),
    ...(row.error !== null && { error: JSON.parse(row.error) as StoredResponse['error'] & {} }),
  };
  const {
    request_id: requestId,
    api_version: apiVersion,
    principal_id: principalId,
    is_body_erased: isBodyErased,
  } = row;
  return { ...response, requestId, apiVersion, principalId, isBodyErased };
}
