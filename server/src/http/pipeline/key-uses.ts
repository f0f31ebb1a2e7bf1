import type { Pool } from '../../db/pools.ts';

const minuteSeconds = 60;

/** Collects when keys were last used, to the minute. A duty writes it, so that no request waits. */
export class KeyUses {
  #uses = new Map<string, { accountId: string; keyId: string; usedAt: number }>();

  note(key: { accountId: string; id: string }, nowSeconds: number): void {
    const usedAt = nowSeconds - (nowSeconds % minuteSeconds);
    const noted = this.#uses.get(key.id);
    if (noted) noted.usedAt = usedAt;
    else this.#uses.set(key.id, { accountId: key.accountId, keyId: key.id, usedAt });
  }

  /** Writes all uses since the last call. If that fails, the next use of the key is noted again. */
  async write(pool: Pool): Promise<void> {
    if (this.#uses.size === 0) return;
    const uses = [...this.#uses.values()];
    this.#uses = new Map();
    await pool.query({
      name: 'write_key_uses',
      text: `
        update api_keys key
        -- Times are kept to the minute; a key is not used before it is made.
        set last_used_at = greatest(used.at, key.created)
        from unnest($1::text[], $2::text[], $3::bigint[]) as used (account_id, id, at)
        where key.account_id = used.account_id
          and key.id = used.id
          and coalesce(key.last_used_at, 0) < used.at`,
      values: [
        uses.map(({ accountId }) => accountId),
        uses.map(({ keyId }) => keyId),
        uses.map(({ usedAt }) => usedAt),
      ],
    });
  }
}
