import { toSeconds, type Clock } from '../core/clock.ts';
import type { Encryption } from '../core/secrets/encryption.ts';
import type { Pool } from '../db/pools.ts';
import { TtlCache } from '../db/ttl-cache.ts';

/** The parts of a webhook endpoint that the sender needs. */
export interface Endpoint {
  origin: string;
  path: string;
  signingSecret: string;
  apiVersion: string;
  isEnabled: boolean;
  /** The number of times it was enabled. Deliveries of an earlier enablement are canceled: enabling starts afresh. */
  enablement: number;
  /** Whether it gets events of connected accounts, which then name their account. */
  isConnected: boolean;
  /** The time it was read, by real time. Signatures carry it, so that none is later than a roll of a secret that it does not know. */
  readAtSeconds: number;
}

/** Reads endpoints by account and id right before use, through a cache. */
export class Endpoints {
  readonly #known: TtlCache<Endpoint>;

  /** @param ageMaxMs the greatest age of a cached endpoint. */
  constructor(ageMaxMs: number, parts: { pool: Pool; encryption: Encryption; realClock: Clock }) {
    this.#known = new TtlCache(ageMaxMs, (keys) => readEndpoints(parts, keys));
  }

  /** Returns the endpoint, or null if it no longer exists. */
  get(accountId: string, id: string): Promise<Endpoint | null> {
    return this.#known.get(`${accountId} ${id}`);
  }

  /** Reads the endpoint now, without the cache. */
  getAnew(accountId: string, id: string): Promise<Endpoint | null> {
    return this.#known.getAnew(`${accountId} ${id}`);
  }
}

async function readEndpoints(
  { pool, encryption, realClock }: { pool: Pool; encryption: Encryption; realClock: Clock },
  keys: string[],
): Promise<(Endpoint | null)[]> {
  // Take the time before the query, so that a secret rolled meanwhile signs nothing later than this.
  const readAtSeconds = toSeconds(realClock.nowMs());
  const { rows } = await pool.query<{
    account_id: string;
    id: string;
    url: string;
    api_version: string;
    connected: boolean;
    enablement: number;
    status: string;
    signing_secret: Buffer;
  }>({
    name: 'read_endpoints',
    text: `
      select account_id, id, url, api_version, connected, enablement, status, signing_secret
      from webhook_endpoints
      where (account_id, id) in (select * from unnest($1::text[], $2::text[]))`,
    values: [keys.map((key) => key.split(' ')[0]), keys.map((key) => key.split(' ')[1])],
  });
  const found = new Map(
    rows.map((row) => {
      const { origin, pathname, search } = new URL(row.url);
      const endpoint: Endpoint = {
        origin,
        path: pathname + search,
        signingSecret: encryption.decrypt(row.signing_secret),
        apiVersion: row.api_version,
        isEnabled: row.status === 'enabled',
        enablement: row.enablement,
        isConnected: row.connected,
        readAtSeconds,
      };
      return [`${row.account_id} ${row.id}`, endpoint];
    }),
  );
  return keys.map((key) => found.get(key) ?? null);
}
