import { Encryption } from '../core/secrets/encryption.ts';
import type { RandomBytes } from '../core/random.ts';
import { isHere } from '../db/away.ts';
import { query, type Pool } from '../db/pools.ts';
import type { FileStore } from './file-store.ts';

/** Holds a statement. An expired hold has few files, but each has up to ten megabytes. */
const purgedAtOnceMax = 20;

/**
 * Stores copies of files that legal duties keep of erased persons. Each hold has a key of its own, which encrypts the parts. An
 * expired hold has lost its key, so its parts cannot be read even before they are removed.
 *
 * Every method throws an `UnavailableError` if the database cannot be reached.
 */
export class SealedFiles {
  readonly #pool: Pool;
  readonly #files: FileStore;
  readonly #randomBytes: RandomBytes;

  constructor(pool: Pool, files: FileStore, randomBytes: RandomBytes) {
    this.#pool = pool;
    this.#files = files;
    this.#randomBytes = randomBytes;
  }

  /** Copies the parts of a file into a hold. A copy that was cut off is completed. */
  async seal(accountId: string, hold: string, key: Uint8Array, file: string): Promise<void> {
    const encryption = new Encryption(key, this.#randomBytes);
    let ordinal = 0;
    for await (const bytes of this.#files.read(accountId, file)) {
      await query(this.#pool, {
        name: 'seal_file_part',
        // A hold that has expired meanwhile takes no more parts.
        text: `
          insert into retention_hold_parts (account_id, hold, file, ordinal, bytes)
          select $1, $2, $3, $4, $5
          where exists (select from retention_holds where account_id = $1 and id = $2 and status = 'held')
          on conflict do nothing`,
        values: [accountId, hold, file, ordinal, encryption.encryptBytes(bytes)],
      });
      ordinal += 1;
    }
  }

  /** Yields the bytes of a sealed file, part by part. Ends early if the hold expires meanwhile. */
  async *read(accountId: string, hold: string, key: Uint8Array, file: string): AsyncGenerator<Buffer> {
    const encryption = new Encryption(key, this.#randomBytes);
    for (let ordinal = 0; ; ordinal++) {
      const { rows } = await query<{ bytes: Buffer }>(this.#pool, {
        name: 'read_sealed_part',
        text: `
          select bytes from retention_hold_parts
          where account_id = $1 and hold = $2 and file = $3 and ordinal = $4`,
        values: [accountId, hold, file, ordinal],
      });
      const [part] = rows;
      if (!part) return;
      yield encryption.decryptBytes(part.bytes);
    }
  }

  /** Removes the parts of expired holds, until none is left or `signal` is aborted. */
  async purge(signal?: AbortSignal): Promise<void> {
    while (await this.#purgeSome()) if (signal?.aborted) return;
  }

  /** Resolves to true if there may be more. */
  async #purgeSome(): Promise<boolean> {
    const { rows } = await query<{ count: number }>(this.#pool, {
      name: 'purge_sealed_files',
      text: `
        with ended as (
          select distinct part.account_id, part.hold
          from retention_hold_parts part
          join retention_holds record on record.account_id = part.account_id and record.id = part.hold
          where record.status = 'expired' and ${isHere('record.account_id')}
          limit ${purgedAtOnceMax}
        ),
        gone as (
          delete from retention_hold_parts part
          using ended
          where part.account_id = ended.account_id and part.hold = ended.hold
        )
        select count(*)::integer as count from ended`,
      values: [],
    });
    return rows[0]?.count === purgedAtOnceMax;
  }
}
