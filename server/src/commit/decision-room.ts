import type { HeldBytes } from '../core/limits/byte-budget.ts';
import { bytesOf, readingOnce, type RecordReader } from '../db/record-reader.ts';

/** Records that a decision reads at once. Most decisions need no more. */
const fewAtOnce = 4;

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
  #lacking: NoRoomToDecideError | null = null;
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
      while (!this.#lacking && this.#reading.size >= atOnce)
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      if (this.#lacking) throw this.#lacking;
      const reading = readRecord(kind, accountId, id);
      this.#reading.add(reading);
      try {
        const record = await reading;
        if (record) this.#use(bytesOf(record));
        return record;
      } finally {
        this.#reading.delete(reading);
        this.#waiting.shift()?.();
      }
    });
  }

  /** Resolves when nothing is being read. A decision that has failed may still read records, which take memory until then. */
  async settled(): Promise<void> {
    while (this.#reading.size > 0) await Promise.allSettled(this.#reading);
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
    this.#lacking = new NoRoomToDecideError(Math.ceil((this.#usedBytes / this.#records) * this.#wanted));
    for (const resume of this.#waiting.splice(0)) resume();
    throw this.#lacking;
  }
}
