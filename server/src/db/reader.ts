import type { Pool, QueryResultRow } from 'pg';
import { query } from './pools.ts';

export interface ReadStatement {
  /** Prepares the statement under this name. Each name has one text. Without a name, PostgreSQL plans the statement each time. */
  name?: string;
  text: string;
  values: unknown[];
}

/** Runs plain reads. */
export class Reader {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** @throws {UnavailableError} if the database cannot be reached. */
  async query<Row extends QueryResultRow>(statement: ReadStatement): Promise<Row[]> {
    const { rows } = await query<Row>(this.#pool, statement);
    return rows;
  }
}
