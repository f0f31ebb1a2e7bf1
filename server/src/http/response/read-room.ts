import type { FastifyReply } from 'fastify';
import { ByteBudget, type ByteLimits, type HeldBytes } from '../../core/byte-budget.ts';
import { ApiError } from '../../core/errors.ts';
import type { Call } from '../request.ts';

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
  bytes: { max: 40 * 1024 * 1024, maxPerAccount: 12 * 1024 * 1024 },
  downloadBytes: { max: 32 * 1024 * 1024, maxPerAccount: 8 * 1024 * 1024 },
  waitMs: 10_000,
  stalledMs: 60_000,
};

/** Nearly all responses are smaller. They are not counted, because the connection's own buffers take them. */
const uncountedBytes = 64 * 1024;

/** The part of a file that the connection takes, and the next one. */
const downloadBytes = 512 * 1024;

/** What responses hold in memory. */
export interface ReadBudgets {
  reads: ByteBudget;
  downloads: ByteBudget;
}

export function openReadBudgets({ bytes, downloadBytes: ofDownloads }: ReadLimits): ReadBudgets {
  return { reads: new ByteBudget(bytes), downloads: new ByteBudget(ofDownloads) };
}

/** A request needs room for this many bytes, and must begin again when it has it. */
class NoRoomError extends Error {
  readonly bytes: number;

  constructor(bytes: number) {
    super(`There is no room for ${bytes} bytes.`);
    this.bytes = bytes;
  }
}

/** The memory that one request for records uses. A request that finds no room lets go of what it has, so that none waits for another. */
export class ReadRoom {
  readonly #budget: ByteBudget;
  readonly #accountId: string;
  readonly #holdings: HeldBytes[] = [];
  #heldBytes = 0;
  #usedBytes = 0;

  /** @param taken what it holds from the beginning. */
  constructor(budget: ByteBudget, accountId: string, taken: { held: HeldBytes; bytes: number } | null) {
    this.#budget = budget;
    this.#accountId = accountId;
    if (!taken) return;
    this.#holdings.push(taken.held);
    this.#heldBytes = taken.bytes;
  }

  /** How many bytes of what was read are still used. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Makes room for these bytes besides those that are used. */
  reserve(bytes: number): void {
    const neededBytes = this.#usedBytes + bytes;
    if (neededBytes <= Math.max(this.#heldBytes, uncountedBytes)) return;
    const held = this.#budget.tryTake(this.#accountId, neededBytes - this.#heldBytes);
    if (!held) throw new NoRoomError(neededBytes);
    this.#holdings.push(held);
    this.#heldBytes = neededBytes;
  }

  /** Counts bytes that were read. */
  use(bytes: number): void {
    this.reserve(bytes);
    this.#usedBytes += bytes;
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
    for (const bytes of this.#holdings) bytes.release();
  }
}

/** Makes responses within the memory that the process and the account have for them. */
export class HeldResponses {
  readonly #reads: ByteBudget;
  readonly #downloads: ByteBudget;
  readonly #waitMs: number;

  constructor(budgets: ReadBudgets, { waitMs }: Pick<ReadLimits, 'waitMs'>) {
    this.#reads = budgets.reads;
    this.#downloads = budgets.downloads;
    this.#waitMs = waitMs;
  }

  /**
   * Makes the response to a read, and counts it until its client has taken it. It is made again if there was no room the first time.
   *
   * @throws {ApiError} `rate_limit` if the account has used up its share for too long, `overloaded` if all accounts together have no room.
   */
  async read(call: Call, reply: FastifyReply, make: () => Promise<string>): Promise<string | Buffer> {
    let taken: { held: HeldBytes; bytes: number } | null = null;
    let patience: AbortSignal | null = null;
    for (;;) {
      const room: ReadRoom = new ReadRoom(this.#reads, payerOf(call), taken);
      call.room = room;
      try {
        const text = await make();
        if (text.length <= uncountedBytes) {
          room.release();
          return text;
        }
        room.settle(Buffer.byteLength(text));
        whenClosed(reply, () => room.release());
        // As bytes, because the connection would copy a text once more.
        return Buffer.from(text);
      } catch (error) {
        room.release();
        if (!(error instanceof NoRoomError)) throw error;
        // A response whose size is not known before it is made soon has enough.
        const bytes: number = Math.max(error.bytes, 2 * (taken?.bytes ?? 0));
        patience ??= this.#patienceOf(reply);
        taken = { bytes, held: await take(this.#reads, payerOf(call), bytes, patience, 'large responses') };
      }
    }
  }

  /**
   * Counts the parts of a file while it is downloaded.
   *
   * @throws {ApiError} as `read`.
   */
  async download(call: Call, reply: FastifyReply): Promise<void> {
    const patience = this.#patienceOf(reply);
    const held = await take(this.#downloads, payerOf(call), downloadBytes, patience, 'downloads');
    whenClosed(reply, () => held.release());
  }

  /** How long a request waits: not for a client that has gone away. */
  #patienceOf(reply: FastifyReply): AbortSignal {
    const gone = new AbortController();
    whenClosed(reply, () => gone.abort());
    return AbortSignal.any([AbortSignal.timeout(this.#waitMs), gone.signal]);
  }
}

/** Whose key it is, and not for whom it acts: as for the rate limit. */
function payerOf({ key }: Call): string {
  return key!.accountId;
}

async function take(
  budget: ByteBudget,
  accountId: string,
  bytes: number,
  patience: AbortSignal,
  what: string,
): Promise<HeldBytes> {
  try {
    return await budget.take(accountId, bytes, patience);
  } catch {
    throw budget.isShareFull(accountId, bytes)
      ? new ApiError(
          'rate_limit',
          `This account has as many ${what} under way as it may have at once. Read them to their end, have fewer at once, and try again.`,
          { retryAfterSeconds: 2 },
        )
      : new ApiError(
          'overloaded',
          `The server has as many ${what} under way as it can have at once. Nothing was changed; try again shortly.`,
          { retryAfterSeconds: 2 },
        );
  }
}

/** Calls back when the client has taken the response, or has gone away. */
function whenClosed({ raw }: FastifyReply, callback: () => void): void {
  if (raw.closed) callback();
  else raw.once('close', callback);
}
