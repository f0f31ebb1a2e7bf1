import { findPayer, type Payer } from '../core/limits/byte-budget.ts';
import type { RecordReader } from '../db/record-reader.ts';
import type { Logo } from '../print/letterhead.ts';
import { file } from '../resources/file/index.ts';

/** The largest sides of a logo, in dots. On paper it has 72 dots for each 18 points, which is sharp in print. */
const fit = { width: 640, height: 192 };

/** Logos in memory. Each has some ten kilobytes, and 370 kB at most. */
const keptMax = 50;

/** What logos are made from. */
export interface LogoSource {
  readRecord: RecordReader;
  accounts: { get(id: string): Promise<{ rootId: string } | null> };
  fileStore: { read(accountId: string, file: string): AsyncIterable<Buffer> };
  fileChecker: {
    shrink(
      payer: Payer,
      contentType: string,
      bytes: AsyncIterable<Buffer>,
      fit: { width: number; height: number },
    ): Promise<Buffer | null>;
  };
}

/**
 * Makes the logos of accounts small enough for each document. The picture can have ten megabytes. The bytes of a file never change, so a
 * logo is kept under the id of its file.
 */
export class Logos {
  readonly #source: LogoSource;
  /** In the order of their last use. */
  readonly #kept = new Map<string, Promise<Logo | null>>();

  constructor(source: LogoSource) {
    this.#source = source;
  }

  /**
   * Returns the logo of an account. Null if it has none, or if the file is deleted or damaged.
   *
   * @throws {ApiError} `overloaded` if it cannot be made now.
   */
  async of({
    id: accountId,
    letterhead,
  }: {
    id: string;
    letterhead: { logo?: string | null } | null;
  }): Promise<Logo | null> {
    const fileId = letterhead?.logo ?? null;
    const record = fileId === null ? null : await this.#source.readRecord(file, accountId, fileId);
    if (!record?.content_type.startsWith('image/')) return null;
    const key = `${accountId} ${record.id}`;
    const logo = this.#kept.get(key) ?? this.#make(accountId, record.id, record.content_type);
    this.#kept.delete(key);
    this.#kept.set(key, logo);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > keptMax && oldest !== undefined) this.#kept.delete(oldest);
    try {
      const made = await logo;
      // A machine short of memory can break a decoder, too. So the next document tries again.
      if (!made) this.#kept.delete(key);
      return made;
    } catch (error) {
      // The next document tries again.
      this.#kept.delete(key);
      throw error;
    }
  }

  async #make(accountId: string, fileId: string, type: string): Promise<Logo | null> {
    const { accounts, fileStore, fileChecker } = this.#source;
    const payer = await findPayer(accounts, accountId);
    const bytes = await fileChecker.shrink(payer, type, fileStore.read(accountId, fileId), fit);
    return bytes && { type, base64: bytes.toString('base64') };
  }
}
