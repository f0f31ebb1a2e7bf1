import { findPayer, type AccountTrees, type Payer } from '../core/limits/byte-budget.ts';
import type { Id } from '../core/ids.ts';
import { patient, FairQueue } from '../core/limits/fair-queue.ts';
import { isHere } from '../db/away.ts';
import { query, type Pool } from '../db/pools.ts';
import { onlyRow } from '../db/only-row.ts';

/** Milliseconds. No request takes so long, so an older upload never becomes a file. */
const abandonedAfterMs = 3600_000;

/** Uploads a statement. Even of the largest size, so few are deleted in a second. */
const purgedAtOnceMax = 20;

interface Statement {
  name: string;
  text: string;
  values: unknown[];
}

/**
 * Stores the bytes of files part by part, so that no process holds a whole file. Parts are written before their file. A file is visible
 * only when all its parts are there. Parts alone are invisible, so they are no change, and the committer need not write them. It makes the
 * file, and it removes the parts together with the file.
 *
 * Every method throws an `UnavailableError` if the database cannot be reached.
 */
export class FileStore {
  readonly #pool: Pool;
  readonly #accounts: AccountTrees;
  /** Lets trees of accounts take turns at parts. So a tree with many uploads does not delay the files of others. */
  readonly #queue: FairQueue;

  constructor(pool: Pool, accounts: AccountTrees, partsAtOnce: number) {
    this.#pool = pool;
    this.#accounts = accounts;
    this.#queue = new FairQueue(partsAtOnce);
  }

  async begin(accountId: string, file: Id, nowMs: number): Promise<void> {
    await this.#query(accountId, {
      name: 'begin_upload',
      text: 'insert into file_uploads (account_id, file, started_at_ms) values ($1, $2, $3)',
      values: [accountId, file, nowMs],
    });
  }

  async addPart(accountId: string, file: Id, ordinal: number, bytes: Buffer): Promise<void> {
    await this.#query(accountId, {
      name: 'add_file_part',
      text: 'insert into file_parts (account_id, file, ordinal, bytes) values ($1, $2, $3, $4)',
      values: [accountId, file, ordinal, bytes],
    });
  }

  /**
   * Removes the parts of an upload that will never become a file.
   *
   * @param inDoubt whether a part may still arrive after a lost connection: then the upload stays listed for `purge`.
   */
  async discard(accountId: string, file: Id, inDoubt: boolean): Promise<void> {
    await this.#query(accountId, {
      name: 'discard_upload',
      text: `
        with gone as (
          delete from file_uploads where account_id = $1 and file = $2 and not $3
        )
        delete from file_parts where account_id = $1 and file = $2`,
      values: [accountId, file, inDoubt],
    });
  }

  /** Yields the bytes of a file, part by part. Ends early if the file is deleted meanwhile. */
  async *read(accountId: string, file: string): AsyncGenerator<Buffer> {
    for (let ordinal = 0; ; ordinal++) {
      const [part] = await this.#query<{ bytes: Buffer }>(accountId, {
        name: 'read_file_part',
        text: 'select bytes from file_parts where account_id = $1 and file = $2 and ordinal = $3',
        values: [accountId, file, ordinal],
      });
      if (!part) return;
      yield part.bytes;
    }
  }

  /** Removes the parts of abandoned uploads, the oldest first, until none is left or `signal` is aborted. */
  async purge(nowMs: number, signal?: AbortSignal): Promise<void> {
    while (await this.#purgeSome(nowMs - abandonedAfterMs)) {
      if (signal?.aborted) return;
    }
  }

  /** Resolves to true if there may be more. */
  async #purgeSome(startedBeforeMs: number): Promise<boolean> {
    const purged = await this.#queryInTurn<{ count: number }>('all accounts', {
      name: 'purge_uploads',
      text: `
        with over as (
          delete from file_uploads
          where (account_id, file) in (
            select account_id, file
            from file_uploads
            where started_at_ms <= $1 and ${isHere('file_uploads.account_id')}
            order by started_at_ms
            limit ${purgedAtOnceMax}
            for update skip locked
          )
          returning account_id, file
        ),
        parts as (
          delete from file_parts part
          using over
          where part.account_id = over.account_id
            and part.file = over.file
            -- Keep the parts of an upload that became a file after all.
            and not exists (select from files where files.account_id = over.account_id and files.id = over.file)
        )
        select count(*) from over`,
      values: [startedBeforeMs],
    });
    return onlyRow(purged).count === purgedAtOnceMax;
  }

  async #query<Row extends Record<string, unknown>>(accountId: string, statement: Statement): Promise<Row[]> {
    return this.#queryInTurn(await findPayer(this.#accounts, accountId), statement);
  }

  async #queryInTurn<Row extends Record<string, unknown>>(party: Payer | string, statement: Statement): Promise<Row[]> {
    const { rows } = await this.#queue.run(party, patient, () => query<Row>(this.#pool, statement));
    return rows;
  }
}
