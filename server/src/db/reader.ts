import type { Pool, QueryResultRow } from 'pg';
import { currentSite } from '../core/addresses/current-site.ts';
import { ClientGoneError } from '../core/errors.ts';
import type { Client, FairQueue } from '../core/limits/fair-queue.ts';
import { query, UnavailableError } from './pools.ts';

/** Milliseconds that a statement waits for its turn. While the database stands still, each turn takes seconds. */
const turnMsMax = 10_000;

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

/**
 * Runs the plain reads of requests without a key, few at once. They have no account, so nothing else bounds how many are under way. The pool
 * serves its statements in their order. A thousand strangers would else make each read with a key wait for a thousand reads. The sites of
 * strangers take turns. So a person that signs in does not wait behind all requests of another site.
 */
export class StrangersReader extends Reader {
  readonly #queue: FairQueue;

  /** @param queue the connections that strangers may take. */
  constructor(pool: Pool, queue: FairQueue) {
    super(pool);
    this.#queue = queue;
  }

  override async query<Row extends QueryResultRow>(statement: ReadStatement): Promise<Row[]> {
    try {
      return await this.#queue.run(currentSite.getStore() ?? '', waitingBriefly(), () => super.query<Row>(statement));
    } catch (error) {
      throw error instanceof ClientGoneError ? new UnavailableError(false, error) : error;
    }
  }
}

/** Returns a client that leaves a queue after `turnMsMax`. The queue does not learn of clients that disconnect. */
function waitingBriefly(): Client {
  let timer: NodeJS.Timeout | undefined;
  return {
    whenReleased(leave) {
      clearTimeout(timer);
      timer = leave ? setTimeout(leave, turnMsMax) : undefined;
    },
  };
}
