import type { FastifyRequest } from 'fastify';
import { hashKey, maskKey, modeOfKey, type KeyType, type Mode } from '../../core/api-keys.ts';
import { toSeconds, type Clock } from '../../core/clock.ts';
import { ApiError } from '../../core/errors.ts';
import { withReading } from '../../model/permissions.ts';
import { principalOfKey, type Principal } from '../../model/principal.ts';
import { TtlCache } from '../../db/ttl-cache.ts';
import type { Reader } from '../../db/reader.ts';
import type { KeyRing } from '../context.ts';
import { onlyHeaderOf } from '../headers.ts';
import type { AuthenticatedRequest, StoredKey } from '../request.ts';

/** How long a process may use a cached key, in milliseconds. See the trait `cached` of API keys. */
const ageMaxMs = 1_000;

/** @param maxMs the maximum age of an entry. */
export function openKeyRing(reader: Reader, maxMs = ageMaxMs): KeyRing {
  return new TtlCache(maxMs, (keys) => readKeys(reader, keys.map(hashKey)));
}

/**
 * Returns the principal of a request's key.
 *
 * @throws {ApiError} 401 with the wrong part of the key, but without quoting it, and 400 if there are two keys.
 */
export async function authenticate(
  request: FastifyRequest,
  keyRing: KeyRing,
  context: { mode: Mode; clock: Clock },
): Promise<Principal> {
  const key = bearerKey(onlyHeaderOf(request, 'Authorization'));
  const mode = modeOfKey(key);
  if (mode === null) throw unknownKey(key);
  if (mode !== context.mode) {
    throw new ApiError(
      'mode_mismatch',
      `The key ${maskKey(key)} is for ${mode} mode, but this deployment is ${context.mode}. Use a key of this deployment, or the address of the other one.`,
    );
  }
  const stored = await keyRing.get(key);
  if (!stored) throw unknownKey(key);
  refuseEnded(stored, context.clock);
  return stored.principal;
}

/**
 * Checks a key again after the body has arrived. A slow body takes so long that the key may have expired or been revoked meanwhile.
 *
 * @returns the principal of the key as it is now.
 * @throws {ApiError} `api_key_expired`.
 */
export async function authenticateAfterBody(
  request: AuthenticatedRequest,
  keyRing: KeyRing,
  clock: Clock,
): Promise<Principal> {
  const stored = await keyRing.get(bearerKey(onlyHeaderOf(request.incoming, 'Authorization')));
  if (stored) refuseEnded(stored, clock);
  return stored?.principal ?? request.principal;
}

/**
 * Reads the acting key from the database, past the cache.
 *
 * @throws {ApiError} `api_key_expired`.
 */
export async function authenticateUncached(
  request: AuthenticatedRequest,
  keyRing: KeyRing,
  clock: Clock,
): Promise<Principal> {
  const stored = await keyRing.getAnew(bearerKey(onlyHeaderOf(request.incoming, 'Authorization')));
  if (stored) refuseEnded(stored, clock);
  return stored?.principal ?? request.principal;
}

function refuseEnded({ principal: { expiresAt }, revokedAt, lastFour }: StoredKey, clock: Clock): void {
  if (revokedAt === null && (expiresAt === null || expiresAt > toSeconds(clock.nowMs()))) return;
  throw new ApiError(
    'api_key_expired',
    `The key that ends with ${lastFour} has expired, was rolled or was revoked. Use the key that replaced it.`,
  );
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
    `The key ${maskKey(key)} is not known here. Check that you copied all of it. \`npm run new-key\` creates another.`,
  );
}

async function readKeys(reader: Reader, hashes: string[]): Promise<(StoredKey | null)[]> {
  const rows = await reader.query<{
    hash: string;
    id: string;
    last_four: string;
    type: KeyType;
    name: string | null;
    permissions: string[];
    account_id: string;
    expires_at: number | null;
    revoked_at: number | null;
  }>({
    name: 'read_keys',
    text: `
      select hash, id, last_four, type, name, permissions, account_id, expires_at, revoked_at
      from api_keys
      where hash = any($1)`,
    values: [hashes],
  });
  const found = new Map(rows.map((row) => [row.hash, row]));
  return hashes.map((hash) => {
    const row = found.get(hash);
    if (!row) return null;
    return {
      principal: principalOfKey({
        id: row.id,
        type: row.type,
        name: row.name,
        accountId: row.account_id,
        permissions: new Set(row.permissions.flatMap(withReading)),
        expiresAt: row.expires_at,
      }),
      revokedAt: row.revoked_at,
      lastFour: row.last_four,
    };
  });
}
