import type { Mode } from '../core/secrets/api-keys.ts';
import { toSeconds } from '../core/clock.ts';
import { ApiError } from '../core/errors.ts';
import type { IdMaker } from '../core/ids.ts';
import type { RandomBytes } from '../core/random.ts';
import { hashToken, makeSessionToken } from '../core/secrets/tokens.ts';
import type { Reader } from '../db/reader.ts';
import { TtlCache } from '../db/ttl-cache.ts';
import { newRecord } from '../model/change.ts';
import { withReading } from '../model/callers/permissions.ts';
import { principalOfPerson, type Principal } from '../model/callers/principal.ts';
import type { RecordChange } from '../model/resource.ts';
import { permissionsOfRole, type Role } from '../model/callers/roles.ts';
import { session, type Factor, type SessionRecord } from '../resources/people/session.ts';
import type { UserRecord } from '../resources/people/user.ts';

const hourSeconds = 3600;
const daySeconds = 24 * hourSeconds;

/** How long a session lasts without a request, and at most, in seconds. People leave live dashboards open on shared machines. */
const lifetimes: Record<Mode, { idle: number; total: number }> = {
  live: { idle: 12 * hourSeconds, total: 7 * daySeconds },
  sandbox: { idle: 7 * daySeconds, total: 30 * daySeconds },
};

/** How long a confirmation of the identity counts, in seconds. */
const confirmationSeconds = 15 * 60;

/** Sessions of one user. The oldest one ends when there are more. */
const sessionsMax = 10;

/** How long a process may use a cached session, in milliseconds. */
const ageMaxMs = 1_000;

/** A session that has not ended, as the database has it. Its times are real. */
export interface StoredSession {
  principal: Principal;
  /** In seconds. */
  expiresAt: number;
  createdAt: number;
  hasPassword: boolean;
}

/** Sessions by the text of their cookie. */
export type SessionRing = TtlCache<StoredSession>;

/** What the sessions are read with. */
interface SessionSource {
  reader: Reader;
  mode: Mode;
  permissions: readonly string[];
  /** How long a confirmation of the identity counts, in seconds. */
  confirmedForSeconds?: number;
}

/** @param maxMs the maximum age of an entry. */
export function openSessionRing(source: SessionSource, maxMs = ageMaxMs): SessionRing {
  return new TtlCache(maxMs, (tokens) => readSessions(source, tokens.map(hashToken)));
}

/**
 * Makes a session of a user that has proved its identity. The token is for the cookie, and is not stored.
 *
 * @param facts.confirmedAt when the user did that, in seconds. By default now. Null if that is not known.
 */
export function newSession(
  context: { ids: IdMaker; mode: Mode; realSeconds: number; randomBytes: RandomBytes },
  user: UserRecord,
  facts: {
    factors: Factor[];
    ipAddress: string | null;
    userAgent: string | null;
    confirmedAt?: number | null | undefined;
  },
): { token: string; record: SessionRecord } {
  const { ids, mode, realSeconds, randomBytes } = context;
  const token = makeSessionToken(randomBytes);
  const record: SessionRecord = {
    ...newRecord(ids.make('ses'), user.account_id),
    // Its end follows from this time, and no clock of a sandbox may delay it.
    created: realSeconds,
    user_id: user.id,
    token_hash: hashToken(token),
    role: user.role,
    credentials_revision: user.credentials_revision,
    factors: facts.factors,
    confirmed_at: facts.confirmedAt === undefined ? realSeconds : facts.confirmedAt,
    expires_at: realSeconds + lifetimes[mode].total,
    last_seen_at: null,
    ip_address: facts.ipAddress,
    user_agent: facts.userAgent,
  };
  return { token, record };
}

/** Returns the change of a session that gets a new token, so that a stolen one ends. */
export function renewed(
  before: SessionRecord,
  changed: Partial<SessionRecord>,
  randomBytes: RandomBytes,
): { token: string; change: RecordChange } {
  const token = makeSessionToken(randomBytes);
  const after = { ...before, ...changed, token_hash: hashToken(token), revision: before.revision + 1 };
  return { token, change: { resource: session, before, after } };
}

/** Returns the ends of a user's oldest sessions, so that there is room for a new one. */
export function endsForRoom(sessions: readonly SessionRecord[]): RecordChange[] {
  const newestFirst = sessions.toSorted((one, other) => (one.id < other.id ? 1 : -1));
  return newestFirst.slice(sessionsMax - 1).map(endOf);
}

export function endOf(before: SessionRecord): RecordChange {
  return { resource: session, before, after: null };
}

/** Returns how long a session of this mode lasts at most, in seconds. */
export function lifetimeOf(mode: Mode): number {
  return lifetimes[mode].total;
}

/**
 * Returns whether a session has not ended: by time, by another role, or by a change of the credentials.
 *
 * @param member the user of the session, as it is now.
 */
export function isOpen(
  record: SessionRecord,
  member: UserRecord,
  { mode, realSeconds }: { mode: Mode; realSeconds: number },
): boolean {
  return (
    member.status === 'active' &&
    member.role === record.role &&
    member.credentials_revision === record.credentials_revision &&
    endsAt(record, mode) > realSeconds
  );
}

/** Returns when a session ends by time, if no further request comes. In seconds. */
function endsAt(
  { expires_at, last_seen_at, created }: Pick<SessionRecord, 'expires_at' | 'last_seen_at' | 'created'>,
  mode: Mode,
): number {
  return Math.min(expires_at, (last_seen_at ?? created) + lifetimes[mode].idle);
}

/** Returns whether the session has ended by time. */
export function hasExpired({ expiresAt }: StoredSession, realSeconds: number): boolean {
  return expiresAt <= realSeconds;
}

/** Returns the records of a user's sessions, also of those that have ended by time. */
export async function readSessionsOf(reader: Reader, accountId: string, userId: string): Promise<SessionRecord[]> {
  return reader.query<SessionRecord>({
    name: 'read_sessions_of_user',
    text: `
      select account_id, id, created, revision, user_id, token_hash, role, credentials_revision, factors, confirmed_at, expires_at,
        last_seen_at, ip_address, user_agent
      from sessions
      where account_id = $1 and user_id = $2
      order by id desc`,
    values: [accountId, userId],
  });
}

async function readSessions(
  { reader, mode, permissions, confirmedForSeconds = confirmationSeconds }: SessionSource,
  hashes: string[],
): Promise<(StoredSession | null)[]> {
  const rows = await reader.query<{
    token_hash: string;
    account_id: string;
    session_id: string;
    created: number;
    confirmed_at: number | null;
    expires_at: number;
    last_seen_at: number | null;
    id: string;
    email: string;
    role: Role;
    has_password: boolean;
    has_second_factor: boolean;
    require_second_factor: boolean | null;
  }>({
    name: 'find_sessions',
    text: `
      select session.token_hash, session.account_id, session.id as session_id, session.created, session.confirmed_at,
        session.expires_at, session.last_seen_at, member.id, member.email, member.role,
        member.password_hash is not null as has_password,
        member.totp_secret is not null or member.passkeys <> '[]' or 'identity_provider_mfa' = any(session.factors)
          as has_second_factor,
        account.require_second_factor
      from sessions session
      join users member on member.account_id = session.account_id and member.id = session.user_id
      join accounts account on account.account_id = session.account_id and account.id = session.account_id
      where session.token_hash = any($1)
        and member.status = 'active'
        -- A session keeps the rights of its beginning, or ends.
        and member.role = session.role
        and member.credentials_revision = session.credentials_revision`,
    values: [hashes],
  });
  const found = new Map(rows.map((row) => [row.token_hash, row]));
  return hashes.map((hash) => {
    const row = found.get(hash);
    if (!row) return null;
    const isRequired = row.require_second_factor ?? mode === 'live';
    return {
      principal: principalOfPerson({
        id: row.id,
        role: row.role,
        email: row.email,
        accountId: row.account_id,
        sessionId: row.session_id,
        confirmedUntil: row.confirmed_at === null ? null : row.confirmed_at + confirmedForSeconds,
        lacksSecondFactor: isRequired && !row.has_second_factor,
        permissions: new Set(permissionsOfRole(row.role, mode, permissions).flatMap(withReading)),
      }),
      expiresAt: endsAt(row, mode),
      createdAt: row.created,
      hasPassword: row.has_password,
    };
  });
}

/**
 * Requires that a person has confirmed its identity of late. A key needs no confirmation.
 *
 * @throws {ApiError} `reauthentication_required`.
 */
export function requireConfirmation({ person }: Pick<Principal, 'person'>, realSeconds: number): void {
  if (isConfirmed({ person }, realSeconds)) return;
  throw new ApiError(
    'reauthentication_required',
    'Confirm that it is you: enter your password or a code. Then send the request again.',
  );
}

export function isConfirmed({ person }: Pick<Principal, 'person'>, realSeconds: number): boolean {
  return !person || (person.confirmedUntil !== null && person.confirmedUntil > realSeconds);
}

/** Returns real time in seconds. Sessions and links do not follow the sandbox's clock, because a moved clock would end them. */
export function realSecondsOf({ realClock }: { realClock: { nowMs(): number } }): number {
  return toSeconds(realClock.nowMs());
}
