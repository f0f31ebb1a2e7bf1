import { hashKey, maskKey, modeOfKey, type Mode } from '../core/api-keys.ts';
import { toSeconds, type Clock } from '../core/clock.ts';
import { ApiError } from '../core/errors.ts';
import type { Reader } from '../db/reader.ts';
import { headerOf } from './call.ts';
import type { FastifyRequest } from 'fastify';

/** A key as sign-in needs it, with the settings of its account that decisions use. */
export interface SignedInKey {
  id: string;
  type: string;
  name: string | null;
  permissions: ReadonlySet<string>;
  accountId: string;
  account: { api_version: string | null; default_provider: string | null };
}

interface StoredKey extends SignedInKey {
  expiresAt: number | null;
  revokedAt: number | null;
}

/** What one process may still believe of a key that another one has changed. */
const ageMaxMs = 1_000;

/** Bounds the memory that made-up keys can take; real deployments have far fewer. */
const entriesMax = 10_000;

/** Knows keys by their hash, each for a second at most. */
export class KeyRing {
  readonly #reader: Reader;
  readonly #clock: Clock;
  readonly #entries = new Map<string, { readAtMs: number; key: Promise<StoredKey | null> }>();

  constructor(reader: Reader, clock: Clock) {
    this.#reader = reader;
    this.#clock = clock;
  }

  find(key: string): Promise<StoredKey | null> {
    const hash = hashKey(key);
    const nowMs = this.#clock.nowMs();
    const known = this.#entries.get(hash);
    if (known && Math.abs(nowMs - known.readAtMs) < ageMaxMs) return known.key;
    if (this.#entries.size >= entriesMax) this.#entries.clear();
    const read = readKey(this.#reader, hash);
    this.#entries.set(hash, { readAtMs: nowMs, key: read });
    // A failed look-up says nothing about the key; the next request asks again.
    read.catch(() => this.#entries.delete(hash));
    return read;
  }
}

/**
 * Who is asking.
 *
 * @throws {ApiError} 401, saying which part of the key is wrong without repeating it.
 */
export async function authenticate(
  request: FastifyRequest,
  keyRing: KeyRing,
  context: { mode: Mode; clock: Clock },
): Promise<SignedInKey> {
  const key = bearerKey(headerOf(request, 'authorization'));
  const mode = modeOfKey(key);
  if (mode === null) throw unknownKey(key);
  if (mode !== context.mode) {
    throw new ApiError(
      'mode_mismatch',
      `The key ${maskKey(key)} is for ${mode} mode, but this deployment is ${context.mode}. Use a key of this deployment, or the other address.`,
    );
  }
  const stored = await keyRing.find(key);
  if (!stored) throw unknownKey(key);
  const nowSeconds = toSeconds(context.clock.nowMs());
  if (isPast(stored.expiresAt, nowSeconds) || isPast(stored.revokedAt, nowSeconds)) {
    throw new ApiError(
      'api_key_expired',
      `The key ${maskKey(key)} has expired or was revoked. Use the key that replaced it.`,
    );
  }
  return stored;
}

function bearerKey(authorization: string | undefined): string {
  const [, key] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
  if (key === undefined) {
    throw new ApiError(
      'api_key_missing',
      authorization === undefined
        ? 'No API key was sent. Send it in the header `Authorization: Bearer <key>`.'
        : 'The `Authorization` header must have the form `Bearer <key>`.',
    );
  }
  return key;
}

function unknownKey(key: string): ApiError {
  return new ApiError(
    'api_key_invalid',
    `The key ${maskKey(key)} is not known here. Check that all of it was copied; \`npm run new-key\` makes another.`,
  );
}

function isPast(seconds: number | null, nowSeconds: number): boolean {
  return seconds !== null && seconds <= nowSeconds;
}

async function readKey(reader: Reader, hash: string): Promise<StoredKey | null> {
  const rows = await reader.query<{
    id: string;
    type: string;
    name: string | null;
    permissions: string[];
    account_id: string;
    expires_at: number | null;
    revoked_at: number | null;
    api_version: string | null;
    default_provider: string | null;
  }>({
    name: 'read_key',
    text: `
      select key.id, key.type, key.name, key.permissions, key.account_id, key.expires_at, key.revoked_at,
        account.api_version, account.default_provider
      from api_keys key
      join accounts account on account.account_id = key.account_id and account.id = key.account_id
      where key.hash = $1`,
    values: [hash],
  });
  const row = rows[0];
  if (!row) return null;
  return {
    id: row.id,
    type: row.type,
    name: row.name,
    permissions: new Set(row.permissions),
    accountId: row.account_id,
    account: { api_version: row.api_version, default_provider: row.default_provider },
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
  };
}
