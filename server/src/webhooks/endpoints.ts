import { toSeconds, type Clock } from '../core/clock.ts';
import type { Vault } from '../core/vault.ts';
import { coalesce } from '../db/coalesce.ts';
import type { Pool } from '../db/database.ts';

/** A webhook endpoint as sending needs it. */
export interface Endpoint {
  origin: string;
  path: string;
  signingSecret: string;
  apiVersion: string;
  isEnabled: boolean;
  /** When it was read; a signature bears this time, so that none is later than a roll of the secret that it does not know. */
  readAtSeconds: number;
}

/**
 * Reads endpoints right before they are used. What was read may be used for a quarter of a second: the call that changes an
 * endpoint answers only when that time has passed, so what it answered is true in every process.
 */
export class Endpoints {
  static readonly #ageMaxMs = 250;
  readonly #read: (key: { accountId: string; id: string }) => Promise<Endpoint | null>;
  #entries = new Map<string, { askedAtMs: number; endpoint: Promise<Endpoint | null> }>();

  constructor(parts: { pool: Pool; vault: Vault; clock: Clock }) {
    this.#read = coalesce((keys) => readEndpoints(parts, keys));
  }

  /** The endpoint, or null if there is none any more. */
  get(accountId: string, id: string): Promise<Endpoint | null> {
    const nowMs = performance.now();
    const known = this.#entries.get(id);
    if (known && nowMs - known.askedAtMs < Endpoints.#ageMaxMs) return known.endpoint;
    const entry = { askedAtMs: nowMs, endpoint: this.#read({ accountId, id }) };
    this.#entries.set(id, entry);
    // A failed look-up says nothing about the endpoint; the next delivery asks again.
    entry.endpoint.catch(() => this.#entries.delete(id));
    return entry.endpoint;
  }

  /** Forgets those that are too old to be used anyway. */
  sweep(): void {
    const nowMs = performance.now();
    for (const [id, { askedAtMs }] of this.#entries) {
      if (nowMs - askedAtMs >= Endpoints.#ageMaxMs) this.#entries.delete(id);
    }
  }
}

async function readEndpoints(
  { pool, vault, clock }: { pool: Pool; vault: Vault; clock: Clock },
  keys: { accountId: string; id: string }[],
): Promise<(Endpoint | null)[]> {
  // Before the question, so that a secret that was rolled meanwhile signs nothing later than this.
  const readAtSeconds = toSeconds(clock.nowMs());
  const { rows } = await pool.query<{
    account_id: string;
    id: string;
    url: string;
    api_version: string;
    status: string;
    signing_secret: Buffer;
  }>({
    name: 'read_endpoints',
    text: `
      select account_id, id, url, api_version, status, signing_secret
      from webhook_endpoints
      where (account_id, id) in (select * from unnest($1::text[], $2::text[]))`,
    values: [keys.map(({ accountId }) => accountId), keys.map(({ id }) => id)],
  });
  const found = new Map(
    rows.map((row) => {
      const { origin, pathname, search } = new URL(row.url);
      const endpoint: Endpoint = {
        origin,
        path: pathname + search,
        signingSecret: vault.open(row.signing_secret),
        apiVersion: row.api_version,
        isEnabled: row.status === 'enabled',
        readAtSeconds,
      };
      return [`${row.account_id} ${row.id}`, endpoint];
    }),
  );
  return keys.map(({ accountId, id }) => found.get(`${accountId} ${id}`) ?? null);
}
