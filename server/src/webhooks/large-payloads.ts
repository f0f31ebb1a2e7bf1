import { ByteBudget, type ByteCeiling, type ByteLimits, type HeldBytes } from '../core/limits/byte-budget.ts';
import type { Pool } from '../db/pools.ts';
import { readEvent, type ClaimedDelivery, type StoredEvent } from './claim.ts';

/** While an event is read and rendered, memory holds it as text, as values and as bytes. */
const copiesWhileRead = 3;

/** The bytes to send. They count as held until they are released. */
export interface Payload {
  body: Buffer;
  release: () => void;
}

/** An event could not be read from the database. */
export class EventUnreadError extends Error {}

/** Bytes shared by all attempts that send the same. */
interface Shared {
  /** Null if the event no longer exists. */
  body: Promise<Buffer | null>;
  bytes: HeldBytes;
  users: number;
  readAtMs: number;
}

/**
 * Reads the bytes of large events when an attempt begins. All endpoints that get the same bytes share them. They are dropped with the last
 * attempt that uses them. Their sum is limited.
 */
export class Payloads {
  readonly #pool: Pool;
  readonly #sharedForMs: number;
  readonly #shared = new Map<string, Shared>();
  /** The memory that they hold. */
  readonly bytes: ByteBudget;

  /**
   * @param parts.limits the limits of the memory that they hold.
   * @param parts.memory the memory of the process. Unlimited if left out.
   * @param parts.sharedForMs the greatest age of shared bytes: an erasure changes events.
   */
  constructor(parts: { pool: Pool; limits: ByteLimits; memory?: ByteCeiling | undefined; sharedForMs: number }) {
    this.#pool = parts.pool;
    this.#sharedForMs = parts.sharedForMs;
    this.bytes = new ByteBudget(parts.limits, parts.memory);
  }

  /**
   * Reads and renders the event of a delivery, or shares the bytes of another attempt.
   *
   * @param form the form of the event: it looks different in each version.
   * @param render makes the bytes.
   * @returns `no_room` if there is no room in memory now, and `gone` if the event no longer exists.
   * @throws {EventUnreadError} if the database cannot be reached.
   * @throws what `render` throws.
   */
  async take(
    { accountId, eventAccountId, eventId }: ClaimedDelivery,
    form: string,
    dataBytes: number,
    render: (event: StoredEvent) => Buffer,
  ): Promise<Payload | 'no_room' | 'gone'> {
    const key = `${accountId} ${eventAccountId} ${eventId} ${form}`;
    const shared =
      this.#current(key) ??
      this.#begin(key, accountId, dataBytes, async () => {
        const event = await readEvent(this.#pool, eventAccountId, eventId).catch((cause: unknown) => {
          throw new EventUnreadError('An event could not be read.', { cause });
        });
        return event && render(event);
      });
    if (!shared) return 'no_room';
    shared.users++;
    const release = (): void => this.#leave(key, shared);
    try {
      const body = await shared.body;
      if (body) return { body, release };
    } catch (error) {
      release();
      throw error;
    }
    release();
    return 'gone';
  }

  #current(key: string): Shared | null {
    const shared = this.#shared.get(key);
    return shared && performance.now() - shared.readAtMs < this.#sharedForMs ? shared : null;
  }

  #begin(key: string, accountId: string, dataBytes: number, read: () => Promise<Buffer | null>): Shared | null {
    const bytes = this.bytes.tryTake(accountId, copiesWhileRead * dataBytes);
    if (!bytes) return null;
    const body = read().then((rendered) => {
      bytes.resize(rendered?.length ?? 0);
      return rendered;
    });
    const shared: Shared = { body, bytes, users: 0, readAtMs: performance.now() };
    this.#shared.set(key, shared);
    return shared;
  }

  #leave(key: string, shared: Shared): void {
    if (--shared.users > 0) return;
    shared.bytes.release();
    if (this.#shared.get(key) === shared) this.#shared.delete(key);
  }
}
