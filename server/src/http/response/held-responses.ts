import type { FastifyReply } from 'fastify';
import type { ByteBudget, HeldBytes, Payer } from '../../core/limits/byte-budget.ts';
import { ApiError, ClientGoneError } from '../../core/errors.ts';
import { FairQueue, type Client } from '../../core/limits/fair-queue.ts';
import type { ApiRequest } from '../request.ts';
import type { OpenContents } from '../route.ts';
import {
  NoRoomError,
  ReadMemory,
  roomFor,
  uncountedBytes,
  veryLargeBytes,
  type ReadBudgets,
  type ReadLimits,
} from '../read-memory.ts';

/** The size in bytes of two parts of a file: the one that is sent, and the next one. */
const downloadBytes = 512 * 1024;

/** Room that a request holds before it reads. */
interface Taken {
  bytes: number;
  held: HeldBytes;
}

/** Makes responses within the memory limits of the process and the account. */
export class HeldResponses {
  readonly #reads: ByteBudget;
  readonly #downloads: ByteBudget;
  readonly #limits: Pick<ReadLimits, 'waitMs' | 'takeMs' | 'slowestBytesPerMs'>;
  /** Makes very large responses one at a time. Trees of accounts are the parties. */
  readonly #veryLarge = new FairQueue(1);

  constructor(budgets: ReadBudgets, limits: Pick<ReadLimits, 'waitMs' | 'takeMs' | 'slowestBytesPerMs'>) {
    this.#reads = budgets.reads;
    this.#downloads = budgets.downloads;
    this.#limits = limits;
  }

  /**
   * Makes the response to a read, and counts its bytes until the client has read it. Makes it again if there was no room the first time.
   *
   * @throws {ApiError} `rate_limit` if the account's share is full for too long, `overloaded` if all accounts together have no room.
   */
  async read(request: ApiRequest, reply: FastifyReply, make: () => Promise<string | Buffer>): Promise<string | Buffer> {
    let taken: Taken | null = null;
    let patience: AbortSignal | null = null;
    let isWatched = false;
    // A client that has disconnected leaves all queues at once, and holds nothing. Most requests neither wait nor hold anything.
    const watchClient = (): void => {
      if (isWatched) return;
      isWatched = true;
      whenClosed(reply, () => request.memory?.release());
    };
    for (;;) {
      const memory = new ReadMemory(this.#reads, request.payer, taken, watchClient);
      request.memory = memory;
      if (taken) watchClient();
      const made =
        taken && taken.bytes > veryLargeBytes
          ? await this.#veryLarge.run(request.payer.rootId, memory, () => this.#makeWithin(memory, make))
          : await this.#makeWithin(memory, make);
      if (typeof made !== 'number') {
        if (Buffer.isBuffer(made)) this.#boundTime(reply, made.length);
        return made;
      }
      if (reply.raw.closed) throw new ClientGoneError();
      // The size may be unknown in advance. Doubling finds enough room soon.
      const bytes: number = Math.max(roomFor(made), 2 * (taken?.bytes ?? 0));
      patience ??= this.#patienceOf(reply);
      taken = { bytes, held: await take(this.#reads, request.payer, bytes, patience, 'large responses') };
      if (!reply.raw.closed) continue;
      taken.held.release();
      throw new ClientGoneError();
    }
  }

  /**
   * Makes the response within this memory. Returns the bytes that it needs if it needs more.
   *
   * The error for that ends here. If it lived while the request waits, its stack would keep all that was read.
   */
  async #makeWithin(memory: ReadMemory, make: () => Promise<string | Buffer>): Promise<string | Buffer | number> {
    try {
      const made = await make();
      if (made.length <= uncountedBytes) {
        memory.release();
        return made;
      }
      // Return bytes, because the connection would copy a text again.
      const bytes = Buffer.isBuffer(made) ? made : Buffer.from(made);
      memory.settle(bytes.length);
      return bytes;
    } catch (error) {
      memory.release();
      if (error instanceof NoRoomError) return error.bytes;
      throw error;
    }
  }

  /**
   * Opens a file, and counts its parts during its download. A file that is in memory counts as a whole.
   *
   * @throws {ApiError} as `read`.
   */
  async download(
    request: Pick<ApiRequest, 'payer'>,
    reply: FastifyReply,
    open: (client: Client) => Promise<OpenContents>,
  ): Promise<OpenContents> {
    const patience = this.#patienceOf(reply);
    const held = await take(this.#downloads, request.payer, downloadBytes, patience, 'downloads');
    let contents: OpenContents;
    try {
      contents = await open(clientOf(reply));
    } finally {
      // A document that has begun is made even if its client disconnects. Without its bytes, such documents would have no bound.
      whenClosed(reply, () => held.release());
    }
    if (Buffer.isBuffer(contents.bytes) && !reply.raw.closed) held.hold(contents.bytes.length);
    return contents;
  }

  /** Disconnects a client that takes a large response too slowly. Its memory would keep the large reads of others waiting. */
  #boundTime({ raw }: FastifyReply, bytes: number): void {
    const { takeMs, slowestBytesPerMs } = this.#limits;
    const timer = setTimeout(() => raw.writableFinished || raw.destroy(), takeMs + bytes / slowestBytesPerMs);
    raw.once('close', () => clearTimeout(timer));
  }

  /** Returns a signal that ends the wait of a request: after `waitMs`, or when its client disconnects. */
  #patienceOf(reply: FastifyReply): AbortSignal {
    const gone = new AbortController();
    whenClosed(reply, () => gone.abort());
    return AbortSignal.any([AbortSignal.timeout(this.#limits.waitMs), gone.signal]);
  }
}

async function take(
  budget: ByteBudget,
  payer: Payer,
  bytes: number,
  patience: AbortSignal,
  what: string,
): Promise<HeldBytes> {
  try {
    return await budget.take(payer, bytes, patience);
  } catch {
    const full = budget.fullShare(payer, bytes);
    if (full === null)
      throw new ApiError(
        'overloaded',
        `The server has too many ${what} in progress. Nothing was changed. Try again shortly.`,
        { retryAfterSeconds: 2 },
      );
    const these = full === 'account' ? 'This account has' : 'This account and those connected to it have';
    throw new ApiError(
      'rate_limit',
      `${these} too many ${what} in progress. Read them to their end, request fewer at once, and try again.`,
      { retryAfterSeconds: 2 },
    );
  }
}

/** Calls back when the client has read the response, or has disconnected. */
export function whenClosed({ raw }: FastifyReply, callback: () => void): void {
  if (raw.closed) callback();
  else raw.once('close', callback);
}

/** Returns the client of a response, which gives up its turn when it disconnects. */
function clientOf(reply: FastifyReply): Client {
  let onClose: (() => void) | null = null;
  whenClosed(reply, () => onClose?.());
  return {
    whenReleased(callback) {
      onClose = callback;
      if (reply.raw.closed) callback?.();
    },
  };
}
