import type { RandomBytes } from '../core/random.ts';
import { hashToken, isLinkToken, makeLinkToken } from '../core/secrets/tokens.ts';
import type { Reader } from '../db/reader.ts';
import { TtlCache } from '../db/ttl-cache.ts';
import type { PortalFeature } from '../model/callers/portal.ts';
import { principalOfRenter, type Principal } from '../model/callers/principal.ts';
import { endsAt, lastsUntil } from '../resources/portal-session.ts';

/** How long a process may use a cached session, in milliseconds. See the trait `cached` of portal sessions. */
const ageMaxMs = 1_000;

const tokenPrefix = 'pst_';

/** An opened session of the portal that was not ended, as the database has it. Its times are real. */
export interface StoredPortalSession {
  principal: Principal;
  /** In seconds. */
  endsAt: number;
}

/** Opened sessions by their token. */
export type PortalRing = TtlCache<StoredPortalSession>;

/** @param maxMs the maximum age of an entry. */
export function openPortalRing(reader: Reader, maxMs = ageMaxMs): PortalRing {
  return new TtlCache(maxMs, (tokens) => readPortalSessions(reader, tokens.map(hashToken)));
}

/** Makes the token of an opened session, for a cookie or for a program. */
export function makePortalToken(randomBytes: RandomBytes): string {
  return tokenPrefix + makeLinkToken(randomBytes);
}

export function isPortalToken(text: string): boolean {
  return text.startsWith(tokenPrefix) && isLinkToken(text.slice(tokenPrefix.length));
}

/** Finds the session with the token of a link, in any account. */
export async function findPortalLink(
  reader: Reader,
  tokenHash: string,
): Promise<{ id: string; accountId: string } | null> {
  const [row] = await reader.query<{ id: string; account_id: string }>({
    name: 'find_portal_link',
    text: 'select id, account_id from portal_sessions where link_hash = $1',
    values: [tokenHash],
  });
  return row ? { id: row.id, accountId: row.account_id } : null;
}

async function readPortalSessions(reader: Reader, hashes: string[]): Promise<(StoredPortalSession | null)[]> {
  const rows = await reader.query<{
    session_hash: string;
    account_id: string;
    id: string;
    customer: string;
    features: PortalFeature[];
    opened_at: number;
    last_used_at: number | null;
  }>({
    name: 'find_portal_sessions',
    text: `
      select session.session_hash, session.account_id, session.id, session.customer, session.features, session.opened_at,
        session.last_used_at
      from portal_sessions session
      join customers person on person.account_id = session.account_id and person.id = session.customer
      where session.session_hash = any($1)
        and session.ended_at is null
        -- An erased person has no session, even before the eraser ends it.
        and person.deleted_at is null
        -- See isOfEarlierAddress.
        and (session.sent_to is null or session.sent_to = person.email)`,
    values: [hashes],
  });
  const found = new Map(rows.map((row) => [row.session_hash, row]));
  return hashes.map((hash) => {
    const row = found.get(hash);
    if (!row) return null;
    const renter = {
      sessionId: row.id,
      customerId: row.customer,
      features: new Set(row.features),
      lastsUntil: lastsUntil(row.opened_at),
    };
    return { principal: principalOfRenter(renter, row.account_id), endsAt: endsAt(row) };
  });
}
