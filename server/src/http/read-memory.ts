import {
  ByteBudget,
  type ByteCeiling,
  type ByteLimits,
  type HeldBytes,
  type Payer,
} from '../core/limits/byte-budget.ts';
import { bytesOf, readingOnce, type RecordReader } from '../db/record-reader.ts';

export interface ReadLimits {
  /** Limits of records that are read for responses, and of responses that clients have not read. */
  bytes: ByteLimits;
  /** Limits of file parts that are being sent. */
  downloadBytes: ByteLimits;
  /** A request waits this long for room. */
  waitMs: number;
  /** A client has so long to take a large response, and longer for more bytes. */
  takeMs: number;
  /** The slowest pace of a large response after that, in bytes per millisecond. */
  slowestBytesPerMs: number;
  /** A connection without a sent byte for this long is closed, so that no response is held for ever. */
  stalledMs: number;
}

/** The largest page, in bytes of its stored records. 50 of the largest events have 26 MB. */
export const pageBytesMax = 28 * 1024 * 1024;

/**
 * The largest response has twice the bytes of the largest page, because a log quotes bodies. The limits leave room for others beside it. An
 * account's share serves 48 concurrent requests for a record of the largest size, or 16 downloads.
 */
export const readLimits: ReadLimits = {
  bytes: { max: 72 * 1024 * 1024, maxPerAccount: 12 * 1024 * 1024, maxPerTree: 64 * 1024 * 1024 },
  downloadBytes: { max: 32 * 1024 * 1024, maxPerAccount: 8 * 1024 * 1024, maxPerTree: 24 * 1024 * 1024 },
  waitMs: 10_000,
  takeMs: 15_000,
  // Half a megabyte in a second.
  slowestBytesPerMs: 512,
  stalledMs: 60_000,
};

/** Nearly all responses are smaller, in bytes. They are not counted, because they fit into the connection's buffers. */
export const uncountedBytes = 64 * 1024;

/** The memory budgets of responses. */
export interface ReadBudgets {
  reads: ByteBudget;
  downloads: ByteBudget;
}

export function openReadBudgets({ bytes, downloadBytes: ofDownloads }: ReadLimits, memory: ByteCeiling): ReadBudgets {
  return { reads: new ByteBudget(bytes, memory), downloads: new ByteBudget(ofDownloads, memory) };
}

/** A response of more bytes is made alone, because its records are several times in memory while it is made. */
export const veryLargeBytes = 8 * 1024 * 1024;

/** Returns the room that a response takes for records of so many bytes. The records and the response are in memory at once. */
export function roomFor(bytes: number): number {
  return bytes > veryLargeBytes ? 2 * bytes : bytes;
}

/** A request needs room for so many bytes, and must start again with that room. */
export class NoRoomError extends Error {
  readonly bytes: number;

  constructor(bytes: number) {
    super(`There is no room for ${bytes} bytes.`);
    this.bytes = bytes;
  }
}

/** The largest record, in bytes. */
const recordBytesMax = 256 * 1024;

/** One request reads so many records at a time whose size it does not know. */
const unknownAtOnceMax = 8;

/**
 * The memory of one request for records. A request without room releases all its memory first, so that no two requests wait for each other.
 */
export class ReadMemory {
  readonly #budget: ByteBudget;
  readonly #payer: Payer;
  readonly #watchClient: () => void;
  readonly #holdings: HeldBytes[] = [];
  #heldBytes = 0;
  #usedBytes = 0;
  /** Reads under way whose size is not known. */
  #unknown = 0;
  #waiting: (() => void)[] = [];
  #isReleased = false;
  #onRelease: (() => void) | null = null;

  /**
   * @param taken the bytes that it holds from the beginning. The caller watches the client for them.
   * @param watchClient is called when the memory must be released if the client disconnects. It may release it at once.
   */
  constructor(
    budget: ByteBudget,
    payer: Payer,
    taken: { held: HeldBytes; bytes: number } | null,
    watchClient: () => void,
  ) {
    this.#budget = budget;
    this.#payer = payer;
    this.#watchClient = watchClient;
    if (!taken) return;
    this.#holdings.push(taken.held);
    this.#heldBytes = taken.bytes;
  }

  /** Returns how many bytes of the read records are still in use. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /**
   * Makes room for these bytes, in addition to the used ones.
   *
   * @throws {NoRoomError} also if the memory was released: what a failed request still reads must hold nothing. It never grows to a very
   * large one, because such a response must wait for its turn first.
   */
  reserve(bytes: number): void {
    if (this.#isReleased) throw new NoRoomError(this.#usedBytes + bytes);
    const neededBytes = this.#usedBytes + bytes;
    if (neededBytes <= Math.max(this.#heldBytes, uncountedBytes)) return;
    if (neededBytes > veryLargeBytes) throw new NoRoomError(neededBytes);
    const held = this.#budget.tryTake(this.#payer, neededBytes - this.#heldBytes);
    if (!held) throw new NoRoomError(neededBytes);
    this.#holdings.push(held);
    this.#heldBytes = neededBytes;
    // Only now, because the client may have disconnected already.
    this.#watchClient();
    if (this.#isReleased) throw new NoRoomError(neededBytes);
  }

  /** Counts bytes that were read. */
  use(bytes: number): void {
    this.reserve(bytes);
    this.#usedBytes += bytes;
  }

  /**
   * Reads a record of any size. There is room for the largest before it is read, and few are read at once.
   *
   * @throws {NoRoomError}
   */
  async readUnknown<Read>(read: () => Promise<Read>): Promise<Read> {
    while (!this.#isReleased && this.#unknown >= unknownAtOnceMax)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.reserve((this.#unknown + 1) * recordBytesMax);
    this.#unknown++;
    try {
      return await read();
    } finally {
      this.#unknown--;
      this.#waiting.shift()?.();
    }
  }

  /** Stops counting bytes that are no longer needed. Their room stays reserved for the next ones. */
  giveBack(bytes: number): void {
    this.#usedBytes -= bytes;
  }

  /**
   * Holds the bytes of a response instead of those of its records. The response is in memory already. So it is not
   * made again if the memory for the records is a little too small.
   *
   * @throws {NoRoomError} if there is no memory left.
   */
  settle(bytes: number): void {
    this.#usedBytes = 0;
    if (this.#holdings.length === 0) this.reserve(bytes);
    const [first, ...others] = this.#holdings;
    first?.hold(bytes);
    for (const other of others) other.release();
  }

  /** Calls back when the memory is released: also when the client disconnects. There is one such callback at a time; null removes it. */
  whenReleased(callback: (() => void) | null): void {
    this.#onRelease = callback;
    if (!callback) return;
    if (this.#isReleased) callback();
    else this.#watchClient();
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#onRelease?.();
    for (const resume of this.#waiting.splice(0)) resume();
    for (const bytes of this.#holdings) bytes.release();
  }
}

/** Returns a reader that counts each record towards the memory of a request, and reads it once. */
export function countingReader(readRecord: RecordReader, memory: ReadMemory): RecordReader {
  return readingOnce(async (kind, accountId, id) => {
    const record = await memory.readUnknown(() => readRecord(kind, accountId, id));
    if (record) memory.use(bytesOf(record));
    return record;
  });
}
