import type { Pool, QueryResultRow } from 'pg';
import { query } from './pools.ts';

export interface ReadStatement {
  /** Prepared under this name, which statements of another text must not have. Without one it is planned each time. */
  name?: string;
  text: string;
  values: unknown[];
}

/** Plain reads. */
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
