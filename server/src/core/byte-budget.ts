/** How many bytes one kind of work may hold in this process. */
export interface ByteLimits {
  /** Of all accounts together. */
  max: number;
  /** Of one account, so that the others always find room. */
  maxPerAccount: number;
}

/** Bytes that were taken from a budget. */
export interface HeldBytes {
  /** Returns them. A second call does nothing. */
  release(): void;
  /** Holds this many bytes from now on. Never waits, because the bytes are in memory already. */
  hold(bytes: number): void;
  /** Changes how many bytes are held. Returns false, and changes nothing, if there is no room for more; holding fewer never fails. */
  resize(bytes: number): boolean;
}

interface Waiting {
  accountId: string;
  bytes: number;
  /** Orders the requests of different accounts. */
  ordinal: number;
  admit: (held: HeldBytes) => void;
}

/**
 * Bounds the bytes that one kind of work holds in memory. Counts of items bound nothing where one item can be a thousand times as large as
 * another. An item that is larger than a limit is admitted alone: when nothing else counts towards that limit.
 */
export class ByteBudget {
  readonly #limits: ByteLimits;
  readonly #heldBy = new Map<string, number>();
  #held = 0;
  /** In the order of their requests, by account. None is empty. */
  readonly #waitingOf = new Map<string, Waiting[]>();
  #lastOrdinal = 0;

  constructor(limits: ByteLimits) {
    this.#limits = limits;
  }

  /** The most that may be held at once. */
  get max(): number {
    return this.#limits.max;
  }

  /** Bytes that are held now. */
  get held(): number {
    return this.#held;
  }

  /** Requests for bytes that wait for others to release theirs. */
  get waiting(): number {
    return [...this.#waitingOf.values()].reduce((sum, waiting) => sum + waiting.length, 0);
  }

  /** Bytes that this account holds now. */
  heldBy(accountId: string): number {
    return this.#heldBy.get(accountId) ?? 0;
  }

  /** Whether the account's share, and not the whole process, lacks room for so many more bytes. */
  isShareFull(accountId: string, bytes: number): boolean {
    return !fits(this.heldBy(accountId), bytes, this.#limits.maxPerAccount);
  }

  /** Takes bytes without waiting. Returns null if the account or the process has no room for them, or if earlier requests wait. */
  tryTake(accountId: string, bytes: number): HeldBytes | null {
    return this.#mustWait(accountId) || !this.#hasRoom(accountId, bytes) ? null : this.#take(accountId, bytes);
  }

  /** Takes bytes that are in memory already, even if they exceed a limit. Until they are released there is less room for others. */
  add(accountId: string, bytes: number): HeldBytes {
    return this.#take(accountId, bytes);
  }

  /**
   * Takes bytes as soon as there is room for them. Requests of one account are admitted in their order. A large one is not overtaken by small
   * ones, unless it waits for its own account's share.
   *
   * @param signal stops the wait.
   * @throws the signal's reason if it stops the wait.
   */
  async take(accountId: string, bytes: number, signal?: AbortSignal): Promise<HeldBytes> {
    signal?.throwIfAborted();
    const taken = this.tryTake(accountId, bytes);
    if (taken) return taken;
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        this.#remove(waiting);
        this.#admitWaiting();
        reject(signal!.reason as Error);
      };
      const waiting: Waiting = {
        accountId,
        bytes,
        ordinal: ++this.#lastOrdinal,
        admit: (held) => {
          signal?.removeEventListener('abort', stop);
          resolve(held);
        },
      };
      signal?.addEventListener('abort', stop, { once: true });
      const earlier = this.#waitingOf.get(accountId);
      if (earlier) earlier.push(waiting);
      else this.#waitingOf.set(accountId, [waiting]);
    });
  }

  #mustWait(accountId: string): boolean {
    if (this.#waitingOf.size === 0) return false;
    return this.#waitingOf.has(accountId) || this.#firstOfEach().some((first) => this.#isForProcess(first));
  }

  /** Whether it waits for the process, and not for its account's share. */
  #isForProcess({ accountId, bytes }: Waiting): boolean {
    return !this.isShareFull(accountId, bytes);
  }

  #hasRoom(accountId: string, bytes: number): boolean {
    return !this.isShareFull(accountId, bytes) && fits(this.#held, bytes, this.#limits.max);
  }

  #take(accountId: string, bytes: number): HeldBytes {
    this.#count(accountId, bytes);
    return new Share(this, accountId, bytes);
  }

  /** Counts the bytes of one holder anew. Only the holder calls it. */
  recount(accountId: string, before: number, after: number): void {
    this.#count(accountId, after - before);
    if (after < before) this.#admitWaiting();
  }

  /** Whether a holder of so many bytes may have more. */
  hasRoomForMore(accountId: string, held: number, more: number): boolean {
    const { max, maxPerAccount } = this.#limits;
    const ofAccount = this.heldBy(accountId);
    return (
      (this.#held === held || this.#held + more <= max) && (ofAccount === held || ofAccount + more <= maxPerAccount)
    );
  }

  #count(accountId: string, bytes: number): void {
    this.#held += bytes;
    const held = this.heldBy(accountId) + bytes;
    if (held > 0) this.#heldBy.set(accountId, held);
    else this.#heldBy.delete(accountId);
  }

  /** Admits, the earliest first, all that have room now. */
  #admitWaiting(): void {
    if (this.#waitingOf.size === 0) return;
    for (;;) {
      const first = this.#firstOfEach().find((waiting) => this.#isForProcess(waiting));
      if (!first || !fits(this.#held, first.bytes, this.#limits.max)) return;
      this.#remove(first);
      first.admit(this.#take(first.accountId, first.bytes));
    }
  }

  #firstOfEach(): Waiting[] {
    const first = [...this.#waitingOf.values()].map((waiting) => waiting[0]!);
    return first.sort((left, right) => left.ordinal - right.ordinal);
  }

  #remove(waiting: Waiting): void {
    const { accountId } = waiting;
    const ofAccount = this.#waitingOf.get(accountId)!;
    ofAccount.splice(ofAccount.indexOf(waiting), 1);
    if (ofAccount.length === 0) this.#waitingOf.delete(accountId);
  }
}

function fits(held: number, bytes: number, max: number): boolean {
  return held === 0 || held + bytes <= max;
}

/** One holder's bytes. It is a class and not three closures, because each request makes two. */
class Share implements HeldBytes {
  readonly #budget: ByteBudget;
  readonly #accountId: string;
  /** Null once they are released. */
  #bytes: number | null;

  constructor(budget: ByteBudget, accountId: string, bytes: number) {
    this.#budget = budget;
    this.#accountId = accountId;
    this.#bytes = bytes;
  }

  release(): void {
    if (this.#bytes === null) return;
    const bytes = this.#bytes;
    this.#bytes = null;
    this.#budget.recount(this.#accountId, bytes, 0);
  }

  hold(bytes: number): void {
    if (this.#bytes === null) return;
    const before = this.#bytes;
    this.#bytes = bytes;
    this.#budget.recount(this.#accountId, before, bytes);
  }

  resize(bytes: number): boolean {
    if (this.#bytes === null) return false;
    const more = bytes - this.#bytes;
    if (more > 0 && !this.#budget.hasRoomForMore(this.#accountId, this.#bytes, more)) return false;
    this.hold(bytes);
    return true;
  }
}
