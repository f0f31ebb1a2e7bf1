/** How many bytes one kind of work may hold in this process. */
export interface ByteLimits {
  /** Of all accounts together. */
  max: number;
  /** Of one account, so that the others always find room. */
  maxPerAccount: number;
  /** Of a payer's tree of accounts; not bounded if left out. */
  maxPerTree?: number;
}

/** The account whose share is used, and the topmost account that it is connected to, at any distance. */
export interface Payer {
  accountId: string;
  rootId: string;
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
  payer: Payer;
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
  readonly #heldByTree = new Map<string, number>();
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

  /** Whether the account's share or its tree's, and not the whole process, lacks room for so many more bytes. */
  isShareFull(payer: Payer | string, bytes: number): boolean {
    const { maxPerAccount, maxPerTree = Infinity } = this.#limits;
    const { accountId, rootId } = payerOf(payer);
    return (
      !fits(this.heldBy(accountId), bytes, maxPerAccount) || !fits(this.#heldByTree.get(rootId) ?? 0, bytes, maxPerTree)
    );
  }

  /**
   * Takes bytes without waiting. Returns null if the account or the process has no room for them, or if earlier requests wait.
   *
   * @param payer an account's id alone stands for an account that is its own tree.
   */
  tryTake(payer: Payer | string, bytes: number): HeldBytes | null {
    const { accountId } = payerOf(payer);
    return this.#mustWait(accountId) || !this.#hasRoom(payer, bytes) ? null : this.#take(payer, bytes);
  }

  /** Takes bytes that are in memory already, even if they exceed a limit. Until they are released there is less room for others. */
  add(payer: Payer | string, bytes: number): HeldBytes {
    return this.#take(payer, bytes);
  }

  /**
   * Takes bytes as soon as there is room for them. Requests of one account are admitted in their order. A large one is not overtaken by small
   * ones, unless it waits for its account's share or its tree's.
   *
   * @param signal stops the wait.
   * @throws the signal's reason if it stops the wait.
   */
  async take(from: Payer | string, bytes: number, signal?: AbortSignal): Promise<HeldBytes> {
    signal?.throwIfAborted();
    const payer = payerOf(from);
    const taken = this.tryTake(payer, bytes);
    if (taken) return taken;
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        this.#remove(waiting);
        this.#admitWaiting();
        reject(signal!.reason as Error);
      };
      const waiting: Waiting = {
        payer,
        bytes,
        ordinal: ++this.#lastOrdinal,
        admit: (held) => {
          signal?.removeEventListener('abort', stop);
          resolve(held);
        },
      };
      signal?.addEventListener('abort', stop, { once: true });
      const earlier = this.#waitingOf.get(payer.accountId);
      if (earlier) earlier.push(waiting);
      else this.#waitingOf.set(payer.accountId, [waiting]);
    });
  }

  #mustWait(accountId: string): boolean {
    if (this.#waitingOf.size === 0) return false;
    return this.#waitingOf.has(accountId) || this.#firstOfEach().some((first) => this.#isForProcess(first));
  }

  /** Whether it waits for the process, and not for its account's share or its tree's. */
  #isForProcess({ payer, bytes }: Waiting): boolean {
    return !this.isShareFull(payer, bytes);
  }

  #hasRoom(payer: Payer | string, bytes: number): boolean {
    return !this.isShareFull(payer, bytes) && fits(this.#held, bytes, this.#limits.max);
  }

  #take(from: Payer | string, bytes: number): HeldBytes {
    const payer = payerOf(from);
    this.#count(payer, bytes);
    return new Share(this, payer, bytes);
  }

  /** Counts the bytes of one holder anew. Only the holder calls it. */
  recount(payer: Payer, before: number, after: number): void {
    this.#count(payer, after - before);
    if (after < before) this.#admitWaiting();
  }

  /** Whether a holder of so many bytes may have more. */
  hasRoomForMore({ accountId, rootId }: Payer, held: number, more: number): boolean {
    const { max, maxPerAccount, maxPerTree = Infinity } = this.#limits;
    const isRoom = (all: number, limit: number): boolean => all === held || all + more <= limit;
    return (
      isRoom(this.#held, max) &&
      isRoom(this.heldBy(accountId), maxPerAccount) &&
      isRoom(this.#heldByTree.get(rootId) ?? 0, maxPerTree)
    );
  }

  #count({ accountId, rootId }: Payer, bytes: number): void {
    this.#held += bytes;
    addTo(this.#heldBy, accountId, bytes);
    if (this.#limits.maxPerTree !== undefined) addTo(this.#heldByTree, rootId, bytes);
  }

  /** Admits, the earliest first, all that have room now. */
  #admitWaiting(): void {
    if (this.#waitingOf.size === 0) return;
    for (;;) {
      const first = this.#firstOfEach().find((waiting) => this.#isForProcess(waiting));
      if (!first || !fits(this.#held, first.bytes, this.#limits.max)) return;
      this.#remove(first);
      first.admit(this.#take(first.payer, first.bytes));
    }
  }

  #firstOfEach(): Waiting[] {
    const first = [...this.#waitingOf.values()].map((waiting) => waiting[0]!);
    return first.sort((left, right) => left.ordinal - right.ordinal);
  }

  #remove(waiting: Waiting): void {
    const { accountId } = waiting.payer;
    const ofAccount = this.#waitingOf.get(accountId)!;
    ofAccount.splice(ofAccount.indexOf(waiting), 1);
    if (ofAccount.length === 0) this.#waitingOf.delete(accountId);
  }
}

function payerOf(payer: Payer | string): Payer {
  return typeof payer === 'string' ? { accountId: payer, rootId: payer } : payer;
}

function addTo(counts: Map<string, number>, id: string, more: number): void {
  const count = (counts.get(id) ?? 0) + more;
  if (count > 0) counts.set(id, count);
  else counts.delete(id);
}

function fits(held: number, bytes: number, max: number): boolean {
  return held === 0 || held + bytes <= max;
}

/** One holder's bytes. It is a class and not three closures, because each request makes two. */
class Share implements HeldBytes {
  readonly #budget: ByteBudget;
  readonly #payer: Payer;
  /** Null once they are released. */
  #bytes: number | null;

  constructor(budget: ByteBudget, payer: Payer, bytes: number) {
    this.#budget = budget;
    this.#payer = payer;
    this.#bytes = bytes;
  }

  release(): void {
    if (this.#bytes === null) return;
    const bytes = this.#bytes;
    this.#bytes = null;
    this.#budget.recount(this.#payer, bytes, 0);
  }

  hold(bytes: number): void {
    if (this.#bytes === null) return;
    const before = this.#bytes;
    this.#bytes = bytes;
    this.#budget.recount(this.#payer, before, bytes);
  }

  resize(bytes: number): boolean {
    if (this.#bytes === null) return false;
    const more = bytes - this.#bytes;
    if (more > 0 && !this.#budget.hasRoomForMore(this.#payer, this.#bytes, more)) return false;
    this.hold(bytes);
    return true;
  }
}
