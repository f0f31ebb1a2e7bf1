/** How many bytes one kind of work may hold in this process. */
export interface ByteLimits {
  /** Of all accounts together. */
  max: number;
  /** Of one account, so that the others always find room. */
  maxPerAccount: number;
}

/** Returns what was taken. A second call does nothing. */
export type Release = () => void;

interface Waiting {
  accountId: string;
  bytes: number;
  admit: (release: Release) => void;
}

/**
 * Bounds the bytes that one kind of work holds in memory. Counts of items bound nothing where one item can be a thousand times as large as
 * another. An item that is larger than a limit is admitted alone: when nothing else counts towards that limit.
 */
export class ByteBudget {
  readonly #limits: ByteLimits;
  readonly #heldBy = new Map<string, number>();
  #held = 0;
  #waiting: Waiting[] = [];

  constructor(limits: ByteLimits) {
    this.#limits = limits;
  }

  /** Bytes that are held now. */
  get held(): number {
    return this.#held;
  }

  /** Requests for bytes that wait for others to release theirs. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Bytes that this account holds now. */
  heldBy(accountId: string): number {
    return this.#heldBy.get(accountId) ?? 0;
  }

  /** Takes bytes without waiting. Returns null if the account or the process has no room for them, or if earlier requests wait. */
  tryTake(accountId: string, bytes: number): Release | null {
    const mustWait = this.#waiting.some((earlier) => earlier.accountId === accountId || !this.#isAtShare(earlier));
    return mustWait || !this.#hasRoom(accountId, bytes) ? null : this.#take(accountId, bytes);
  }

  /**
   * Takes bytes as soon as there is room for them. Requests of one account are admitted in their order. A large one is not overtaken by small
   * ones, unless it waits for its own account's share.
   *
   * @param signal stops the wait.
   * @throws the signal's reason if it stops the wait.
   */
  async take(accountId: string, bytes: number, signal?: AbortSignal): Promise<Release> {
    signal?.throwIfAborted();
    const taken = this.tryTake(accountId, bytes);
    if (taken) return taken;
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        this.#waiting = this.#waiting.filter((other) => other !== waiting);
        this.#admitWaiting();
        reject(signal!.reason as Error);
      };
      const waiting: Waiting = {
        accountId,
        bytes,
        admit: (release) => {
          signal?.removeEventListener('abort', stop);
          resolve(release);
        },
      };
      signal?.addEventListener('abort', stop, { once: true });
      this.#waiting.push(waiting);
    });
  }

  #hasRoom(accountId: string, bytes: number): boolean {
    return !this.#isAtShare({ accountId, bytes }) && fits(this.#held, bytes, this.#limits.max);
  }

  #isAtShare({ accountId, bytes }: { accountId: string; bytes: number }): boolean {
    return !fits(this.heldBy(accountId), bytes, this.#limits.maxPerAccount);
  }

  #take(accountId: string, bytes: number): Release {
    this.#held += bytes;
    this.#heldBy.set(accountId, this.heldBy(accountId) + bytes);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#held -= bytes;
      const left = this.heldBy(accountId) - bytes;
      if (left > 0) this.#heldBy.set(accountId, left);
      else this.#heldBy.delete(accountId);
      this.#admitWaiting();
    };
  }

  #admitWaiting(): void {
    const passedOver = new Set<string>();
    let isFull = false;
    this.#waiting = this.#waiting.filter(({ accountId, bytes, admit }) => {
      if (isFull || passedOver.has(accountId)) return true;
      if (this.#isAtShare({ accountId, bytes })) {
        passedOver.add(accountId);
        return true;
      }
      if (!fits(this.#held, bytes, this.#limits.max)) {
        isFull = true;
        return true;
      }
      admit(this.#take(accountId, bytes));
      return false;
    });
  }
}

function fits(held: number, bytes: number, max: number): boolean {
  return held === 0 || held + bytes <= max;
}
