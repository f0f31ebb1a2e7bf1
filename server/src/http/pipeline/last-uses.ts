import type { Pool } from '../../db/pools.ts';

const minuteSeconds = 60;

/** Where the last use of a key or a session is stored. */
const columns = { api_keys: 'last_used_at', sessions: 'last_seen_at', portal_sessions: 'last_used_at' } as const;

/** Collects when keys or sessions were last used, to the minute. A duty writes it, so that no request waits. */
export class Uses {
  readonly #table: keyof typeof columns;
  #uses = new Map<string, { accountId: string; id: string; usedAt: number }>();

  constructor(table: keyof typeof columns) {
    this.#table = table;
  }

  note({ accountId, id }: { accountId: string; id: string }, nowSeconds: number): void {
    const usedAt = nowSeconds - (nowSeconds % minuteSeconds);
    const noted = this.#uses.get(id);
    if (noted) noted.usedAt = usedAt;
    else this.#uses.set(id, { accountId, id, usedAt });
  }

  /** Writes all uses since the last call. If that fails, the next use is noted again. */
  async write(pool: Pool): Promise<void> {
    if (this.#uses.size === 0) return;
    const uses = [...this.#uses.values()];
    this.#uses = new Map();
    const column = columns[this.#table];
    await pool.query({
      name: `write_uses_of_${this.#table}`,
      text: `
        update ${this.#table} record
        -- Times are kept to the minute; nothing is used before it is made.
        set ${column} = greatest(used.at, record.created)
        from unnest($1::text[], $2::text[], $3::bigint[]) as used (account_id, id, at)
        where record.account_id = used.account_id
          and record.id = used.id
          and coalesce(record.${column}, 0) < used.at`,
      values: [uses.map(({ accountId }) => accountId), uses.map(({ id }) => id), uses.map(({ usedAt }) => usedAt)],
    });
  }
}
