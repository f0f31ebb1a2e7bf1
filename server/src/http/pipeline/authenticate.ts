import type { FastifyRequest } from 'fastify';
import { hashKey, maskKey, modeOfKey, type KeyType, type Mode } from '../../core/secrets/api-keys.ts';
import { toSeconds, type Clock } from '../../core/clock.ts';
import { ApiError } from '../../core/errors.ts';
import { operatorCommand } from '../../core/installation.ts';
import type { ApprovalPolicy } from '../../model/callers/approvals.ts';
import { withReading } from '../../model/callers/permissions.ts';
import { principalOfKey, type Principal } from '../../model/callers/principal.ts';
import { TtlCache } from '../../db/ttl-cache.ts';
import type { Reader } from '../../db/reader.ts';
import type { HttpContext, KeyRing } from '../context.ts';
import { hasExpired, realSecondsOf, type StoredSession } from '../../sign-in/sessions.ts';
import { isFromDashboard, requireOwnOrigin, sessionTokenOf } from './browser.ts';
import { isPortalRequest, portalSessionOf } from './portal.ts';
import { onlyHeaderOf } from '../headers.ts';
import type { AuthenticatedRequest, StoredKey } from '../request.ts';

/** How long a process may use a cached key, in milliseconds. See the trait `cached` of API keys. */
const ageMaxMs = 1_000;

/** @param maxMs the maximum age of an entry. */
export function openKeyRing(reader: Reader, maxMs = ageMaxMs): KeyRing {
  return new TtlCache(maxMs, (keys) => readKeys(reader, keys.map(hashKey)));
}

/** The parts of the context that find the principal of a request. */
export type AuthenticationContext = Pick<
  HttpContext,
  'keyRing' | 'sessionRing' | 'portalRing' | 'clock' | 'realClock'
> & {
  config: { mode: Mode; publicUrl: string };
};

/**
 * Returns the principal of a request: of its key, or of the session in its cookie. A key wins. A route of the portal has sessions of its own.
 *
 * @throws {ApiError} 401 with the wrong part of the key, but without quoting it, and 400 if there are two keys. For a cookie: 401
 * `session_expired`, or 403 `origin_forbidden`.
 */
export async function authenticate(request: FastifyRequest, context: AuthenticationContext): Promise<Principal> {
  if (isPortalRequest(request)) return (await portalSessionOf(request, context)).principal;
  const authorization = onlyHeaderOf(request, 'Authorization');
  if (authorization === undefined && isFromDashboard(request)) return (await sessionOf(request, context)).principal;
  const key = bearerKey(authorization);
  const mode = modeOfKey(key);
  if (mode === null) throw unknownKey(key);
  if (mode !== context.config.mode) {
    throw new ApiError(
      'mode_mismatch',
      `The key ${maskKey(key)} is for ${mode} mode, but this deployment is ${context.config.mode}. Use a key of this deployment, or the address of the other one.`,
    );
  }
  const stored = await context.keyRing.get(key);
  if (!stored) throw unknownKey(key);
  refuseEnded(stored, context.clock);
  return stored.principal;
}

/**
 * Authenticates a request again after it has waited: for its body, or for its turn. The key or the session may have ended meanwhile.
 *
 * @returns the principal as it is now.
 * @throws {ApiError} `api_key_expired` or `session_expired`.
 */
export async function authenticateAgain(
  request: AuthenticatedRequest,
  context: AuthenticationContext,
): Promise<Principal> {
  if (request.principal.renter) return (await portalSessionOf(request.incoming, context)).principal;
  if (request.principal.person) return (await sessionOf(request.incoming, context)).principal;
  const stored = await context.keyRing.get(bearerKey(onlyHeaderOf(request.incoming, 'Authorization')));
  if (stored) refuseEnded(stored, context.clock);
  return stored?.principal ?? request.principal;
}

/**
 * Reads the acting key or session from the database, past the cache.
 *
 * @throws {ApiError} `api_key_expired` or `session_expired`.
 */
export async function authenticateUncached(
  request: AuthenticatedRequest,
  context: AuthenticationContext,
): Promise<Principal> {
  if (request.principal.person) return (await sessionOf(request.incoming, context, { isCached: false })).principal;
  const stored = await context.keyRing.getAnew(bearerKey(onlyHeaderOf(request.incoming, 'Authorization')));
  if (stored) refuseEnded(stored, context.clock);
  return stored?.principal ?? request.principal;
}

/**
 * Returns the session in the cookie of a request from the dashboard.
 *
 * @throws {ApiError} `session_expired` or `origin_forbidden`.
 */
export async function sessionOf(
  request: FastifyRequest,
  { sessionRing, config, realClock }: Pick<AuthenticationContext, 'sessionRing' | 'config' | 'realClock'>,
  { isCached = true } = {},
): Promise<StoredSession> {
  const token = sessionTokenOf(request, requireOwnOrigin(request, config));
  const stored = token === null ? null : await (isCached ? sessionRing.get(token) : sessionRing.getAnew(token));
  if (stored && !hasExpired(stored, realSecondsOf({ realClock }))) return stored;
  throw new ApiError('session_expired', 'You are not signed in, or your session has ended. Sign in again.');
}

/**
 * Refuses a person without a second factor if the account requires one. That person can only set one up. Passes every key.
 *
 * @throws {ApiError} `second_factor_setup_required`.
 */
export function requireSecondFactor({ person }: Pick<Principal, 'person'>): void {
  if (!person?.lacksSecondFactor) return;
  throw new ApiError(
    'second_factor_setup_required',
    'This account requires a second factor. Set one up in the dashboard first.',
  );
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
    `The key ${maskKey(key)} is not known here. Check that you copied all of it. \`${operatorCommand('new-key')}\` creates another.`,
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
    approvals: ApprovalPolicy | null;
  }>({
    name: 'read_keys',
    text: `
      select hash, id, last_four, type, name, permissions, account_id, expires_at, revoked_at, approvals
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
        approvals: row.approvals,
      }),
      revokedAt: row.revoked_at,
      lastFour: row.last_four,
    };
  });
}
