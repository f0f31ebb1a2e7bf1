import { ByteBudget, type ByteLimits, type HeldBytes, type Payer } from '../core/byte-budget.ts';

export interface ReadLimits {
  /** Of what is read for responses, and of responses that their clients have not taken. */
  bytes: ByteLimits;
  /** Of the parts of files that are being sent. */
  downloadBytes: ByteLimits;
  /** A request waits this long for room. */
  waitMs: number;
  /** A connection on which no byte moves for this long is closed, so that a response is not held for ever. */
  stalledMs: number;
}

/**
 * A page of 50 of the largest events has 26 MB, so that one of them fits. A share serves 48 requests at once for a record of the largest size,
 * or 16 downloads.
 */
export const readLimits: ReadLimits = {
  bytes: { max: 40 * 1024 * 1024, maxPerAccount: 12 * 1024 * 1024, maxPerTree: 30 * 1024 * 1024 },
  downloadBytes: { max: 32 * 1024 * 1024, maxPerAccount: 8 * 1024 * 1024, maxPerTree: 24 * 1024 * 1024 },
  waitMs: 10_000,
  stalledMs: 60_000,
};

/** Nearly all responses are smaller, in bytes. They are not counted, because the connection's own buffers take them. */
export const uncountedBytes = 64 * 1024;

/** What responses hold in memory. */
export interface ReadBudgets {
  reads: ByteBudget;
  downloads: ByteBudget;
}

export function openReadBudgets({ bytes, downloadBytes: ofDownloads }: ReadLimits): ReadBudgets {
  return { reads: new ByteBudget(bytes), downloads: new ByteBudget(ofDownloads) };
}

/** A request needs room for this many bytes, and must begin again when it has it. */
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

/** The memory that one request for records uses. A request that finds no room lets go of what it has, so that none waits for another. */
export class ReadRoom {
  readonly #budget: ByteBudget;
  readonly #payer: Payer;
  readonly #holdings: HeldBytes[] = [];
  #heldBytes = 0;
  #usedBytes = 0;
  /** Reads under way whose size is not known. */
  #unknown = 0;
  #waiting: (() => void)[] = [];
  #isReleased = false;

  /** @param taken what it holds from the beginning. */
  constructor(budget: ByteBudget, payer: Payer, taken: { held: HeldBytes; bytes: number } | null) {
    this.#budget = budget;
    this.#payer = payer;
    if (!taken) return;
    this.#holdings.push(taken.held);
    this.#heldBytes = taken.bytes;
  }

  /** How many bytes of what was read are still used. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /**
   * Makes room for these bytes besides those that are used.
   *
   * @throws {NoRoomError} also if the room was released: what a failed request still reads must hold nothing.
   */
  reserve(bytes: number): void {
    if (this.#isReleased) throw new NoRoomError(this.#usedBytes + bytes);
    const neededBytes = this.#usedBytes + bytes;
    if (neededBytes <= Math.max(this.#heldBytes, uncountedBytes)) return;
    const held = this.#budget.tryTake(this.#payer, neededBytes - this.#heldBytes);
    if (!held) throw new NoRoomError(neededBytes);
    this.#holdings.push(held);
    this.#heldBytes = neededBytes;
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
    while (this.#unknown >= unknownAtOnceMax) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.reserve((this.#unknown + 1) * recordBytesMax);
    this.#unknown++;
    try {
      return await read();
    } finally {
      this.#unknown--;
      this.#waiting.shift()?.();
    }
  }

  /** Counts bytes no more that are no longer needed. What was held for them is kept for the next. */
  giveBack(bytes: number): void {
    this.#usedBytes -= bytes;
  }

  /** Holds the bytes of a response instead of what was read for it. */
  settle(bytes: number): void {
    this.#usedBytes = 0;
    this.reserve(bytes);
    const [first, ...others] = this.#holdings;
    first?.hold(bytes);
    for (const other of others) other.release();
  }

  release(): void {
    this.#isReleased = true;
    for (const resume of this.#waiting.splice(0)) resume();
    for (const bytes of this.#holdings) bytes.release();
  }
}
