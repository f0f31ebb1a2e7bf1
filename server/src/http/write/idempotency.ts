import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { StoredResponse, Claim as KeyClaim } from '../../commit/write-request.ts';
import { keyLifetimeMs } from '../../commit/statements/idempotency-keys.ts';
import type { Json } from '../../core/json-diff.ts';
import { ApiError } from '../../core/errors.ts';
import type { Vault } from '../../core/encryption.ts';
import type { Reader } from '../../db/reader.ts';
import { onlyHeaderOf, headerLines } from '../headers.ts';

const keyForm = /^[\x20-\x7e]{1,255}$/;

/** The key of a request as its log shows it, whatever became of the request: null if none counts. */
export function loggedIdempotencyKey({ method, raw }: FastifyRequest): string | null {
  if (method !== 'POST') return null;
  const [header, ...others] = headerLines(raw, 'Idempotency-Key');
  if (header === undefined || others.length > 0) return null;
  return keyForm.test(header) ? header : null;
}

/**
 * The key of a request, or null if none was sent. It counts on POST only.
 *
 * @throws {ApiError} `request_invalid` if there are several, or `idempotency_key_invalid`.
 */
export function readIdempotencyKey(request: FastifyRequest): string | null {
  if (request.method !== 'POST') return null;
  const header = onlyHeaderOf(request, 'Idempotency-Key');
  if (header === undefined) return null;
  if (keyForm.test(header)) return header;
  throw new ApiError(
    'idempotency_key_invalid',
    `The Idempotency-Key has ${header.length} characters or some that are not printable ASCII; it must be 1 to 255 of those.`,
  );
}

/** A claim that can be held against the fingerprint of an earlier request, also of one that an earlier release has stored. */
export interface Claim extends KeyClaim {
  /** @throws {ApiError} `unavailable` if only a later release can tell. */
  isSameRequest(stored: string): boolean;
}

/** The parts of a request that must be the same when its key is used again. */
export interface ComparedRequest {
  method: string;
  path: string;
  query: string;
  withContext: boolean;
  body: object;
}

/** Reduces a request to a text; equal texts are equal requests. */
export type FingerprintVersion = (request: ComparedRequest) => string;

/**
 * Every way of making fingerprints that keys in a database may have, by its version. A stored fingerprint begins with its version
 * (`1:…`), so that a key survives an upgrade of the server. A new way gets the next number; an old one may go a release after the last
 * that wrote it, because keys live for a day.
 */
export const fingerprintVersions: Readonly<Record<string, FingerprintVersion>> = {
  // Fingerprints from before there were versions, which have no prefix.
  0: sortedText,
  1: sortedText,
};

/** Makes fingerprints in the newest version, and recognizes those of every version. */
export function fingerprints(
  request: ComparedRequest,
  versions: Readonly<Record<string, FingerprintVersion>> = fingerprintVersions,
): Pick<Claim, 'fingerprint' | 'isSameRequest'> {
  const newest = String(Math.max(...Object.keys(versions).map(Number)));
  return {
    fingerprint: `${newest}:${versions[newest]!(request)}`,
    isSameRequest(stored) {
      const [version, text] = stored.includes(':') ? (stored.split(':', 2) as [string, string]) : ['0', stored];
      if (Object.hasOwn(versions, version)) return versions[version]!(request) === text;
      throw new ApiError(
        'unavailable',
        'This Idempotency-Key was used with a later release of the server, which this process cannot compare. Nothing was changed; try again, and a process of that release may answer.',
        { retryAfterSeconds: 1 },
      );
    },
  };
}

/**
 * The body counts as it was meant, not as it was spelt: keys are sorted. The API version and the API key do not count, so that a client
 * can upgrade or roll its key between two tries.
 */
function sortedText({ method, path, query, withContext, body }: ComparedRequest): string {
  return hash('sha256', `${method} ${path}?${query} ${withContext} ${canonicalText(body as Json)}`, 'base64url');
}

/** JSON with its keys in order. */
function canonicalText(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalText(value[key]!)}`).join()}}`;
}

/** The keys of requests that are running in this process; a twin is told so at once. */
export class RunningKeys {
  readonly #running = new Set<string>();

  /** @throws {ApiError} `idempotency_key_in_use`. */
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
}

export function keyInUse(): ApiError {
  return new ApiError(
    'idempotency_key_in_use',
    'A request with this Idempotency-Key is still running. Nothing was done twice; send the same request again for its answer.',
    { retryAfterSeconds: 1 },
  );
}

/** An answer to repeat. */
export interface ReplayedResponse extends StoredResponse {
  requestId: string;
  apiVersion: string;
  /** The API key that asked first. */
  keyId: string | null;
  /** What it was sent is told no more: the person whom it was about was erased. */
  isBodyErased: boolean;
}

/**
 * The answer that the key stands for, or null if it stands for none any more.
 *
 * @param atMs when the key must have been alive still; left out where that is known.
 * @throws {ApiError} `idempotency_key_reused` if it was given to another request.
 */
export async function readStoredResponse(
  { reader, vault }: { reader: Reader; vault: Vault },
  accountId: string,
  claim: Claim,
  atMs: number | null = null,
): Promise<ReplayedResponse | null> {
  const rows = await reader.query<{
    fingerprint: string;
    request_id: string;
    status: number;
    response_body: string;
    sealed_body: Buffer | null;
    api_version: string;
    key_id: string | null;
    error: string | null;
    is_body_erased: boolean;
  }>({
    name: 'read_stored_answer',
    text: `
      select stored.fingerprint, stored.request_id, stored.sealed_body, log.status, log.response_body, log.api_version, log.key_id,
        log.error, log.request_body is null as is_body_erased
      from idempotency_keys stored
      join request_logs log on log.account_id = stored.account_id and log.id = stored.request_id
      where stored.account_id = $1 and stored.key_account_id = $2 and stored.key = $3
        and ($4::bigint is null or stored.claimed_at_ms + ${keyLifetimeMs} > $4)`,
    values: [accountId, claim.keyAccountId, claim.key, atMs],
  });
  const row = rows[0];
  if (!row) return null;
  if (!claim.isSameRequest(row.fingerprint)) {
    throw new ApiError(
      'idempotency_key_reused',
      'This Idempotency-Key was used for another request: method, path, query, `Service-Context` or body differ. Use a new key.',
    );
  }
  const { sealed_body: sealedBody, response_body: body } = row;
  const answer: StoredResponse = {
    status: row.status,
    ...(sealedBody ? { body: vault.open(sealedBody), secret: { redactedBody: body, sealedBody } } : { body }),
    ...(row.error !== null && { error: JSON.parse(row.error) as StoredResponse['error'] & {} }),
  };
  const { request_id: requestId, api_version: apiVersion, key_id: keyId, is_body_erased: isBodyErased } = row;
  return { ...answer, requestId, apiVersion, keyId, isBodyErased };
}
