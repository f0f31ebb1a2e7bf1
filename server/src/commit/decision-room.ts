import { asError } from '../core/errors.ts';
import type { HeldBytes } from '../core/limits/byte-budget.ts';
import { bytesOf, readingOnce, type RecordReader } from '../db/record-reader.ts';

/** Records that a decision reads at once before it knows their sizes. Most decisions need no more. */
const fewAtOnce = 4;

/** Bytes of records that a decision reads at once, measured by those that it has read. Four of the largest records have so many. */
const bytesAtOnce = 1024 * 1024;

/** A decision needs room for so many bytes. It must be made again with that room. */
export class NoRoomToDecideError extends Error {
  readonly bytes: number;

  constructor(bytes: number) {
    super(`The decision needs room for ${bytes} bytes.`);
    this.bytes = bytes;
  }
}

/** Counts the records that a decision reads. A new application can name fifty persons with a quarter of a megabyte each. */
export class DecisionRoom {
  readonly #held: HeldBytes;
  #heldBytes: number;
  #usedBytes = 0;
  #records = 0;
  #wanted = 0;
  /** Why nothing more is read: there is no room, a read has failed, or the decision has ended. */
  #end: Error | null = null;
  readonly #reading = new Set<Promise<unknown>>();
  readonly #waiting: (() => void)[] = [];

  /** @param bytes the bytes that are held already. */
  constructor(held: HeldBytes, bytes: number) {
    this.#held = held;
    this.#heldBytes = bytes;
  }

  /** Returns a reader that counts each record, and reads it once. It throws {@link NoRoomToDecideError} if there is no room. */
  readerOf(readRecord: RecordReader, atOnce = fewAtOnce): RecordReader {
    return readingOnce(async (kind, accountId, id) => {
      this.#wanted++;
      while (!this.#end && this.#reading.size >= this.#mostAtOnce(atOnce))
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      if (this.#end) throw this.#end;
      const reading = readRecord(kind, accountId, id);
      this.#reading.add(reading);
      try {
        const record = await reading;
        if (record) this.#use(bytesOf(record));
        return record;
      } catch (error) {
        this.#stop(asError(error));
        throw error;
      } finally {
        this.#reading.delete(reading);
        const free = this.#mostAtOnce(atOnce) - this.#reading.size;
        for (const resume of this.#waiting.splice(0, Math.max(0, free))) resume();
      }
    });
  }

  /** Stops reading. Resolves when nothing is being read. A decision that has failed may still read, which takes memory until then. */
  async settled(): Promise<void> {
    this.#stop(new Error('The decision has ended.'));
    while (this.#reading.size > 0) await Promise.allSettled(this.#reading);
  }

  /** Returns how many records may be read at once: as many as were read already, while those were small. */
  #mostAtOnce(least: number): number {
    if (this.#records === 0) return least;
    const fitting = Math.floor(bytesAtOnce / (this.#usedBytes / this.#records));
    return Math.max(least, Math.min(this.#records, fitting));
  }

  #stop(error: Error): void {
    this.#end ??= error;
    for (const resume of this.#waiting.splice(0)) resume();
  }

  #use(bytes: number): void {
    this.#usedBytes += bytes;
    this.#records++;
    if (this.#usedBytes <= this.#heldBytes) return;
    if (this.#held.resize(this.#usedBytes)) {
      this.#heldBytes = this.#usedBytes;
      return;
    }
    // The records that it still wants may be as large, so that it rarely begins more than twice.
    throw new NoRoomToDecideError(Math.ceil((this.#usedBytes / this.#records) * this.#wanted));
  }
}
