import { asError } from './errors.ts';
/** Limits in bytes for one kind of work in this process. */
export interface ByteLimits {
  /** Of all accounts together. */
  max: number;
  /** Of one account, so that there is always room for the others. */
  maxPerAccount: number;
  /** Of a payer's tree of accounts. Unlimited if left out. */
  maxPerTree?: number;
}

/** The account that uses its share, and the topmost of its parent accounts. */
export interface Payer {
  accountId: string;
  rootId: string;
}

/** Bytes that were taken from a budget. */
export interface HeldBytes {
  /** Returns them. A second call does nothing. */
  release(): void;
  /** Sets how many bytes are held. Never waits, because the bytes are in memory already. */
  hold(bytes: number): void;
  /** Changes how many bytes are held. Returns false, and changes nothing, if there is no room for more. Holding fewer never fails. */
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
 * Bounds the bytes that one kind of work holds in memory. A limit on the number of items would not: one item can be a thousand times as
 * large as another. An item larger than a limit is admitted alone: when nothing else counts towards that limit.
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

  /** Returns the limit of all accounts together, in bytes. */
  get max(): number {
    return this.#limits.max;
  }

  /** Returns the bytes that are held now. */
  get held(): number {
    return this.#held;
  }

  /** Returns the number of requests that wait for bytes. */
  get waiting(): number {
    return [...this.#waitingOf.values()].reduce((sum, waiting) => sum + waiting.length, 0);
  }

  /** Returns the bytes that this account holds now. */
  heldBy(accountId: string): number {
    return this.#heldBy.get(accountId) ?? 0;
  }

  /** Returns whether the share of the account or its tree lacks room for so many more bytes. Ignores the limit of the process. */
  isShareFull(payer: Payer | string, bytes: number): boolean {
    return this.fullShare(payer, bytes) !== null;
  }

  /** Returns which share lacks room for so many more bytes: the account's, or that of its tree. Null if both have room. */
  fullShare(payer: Payer | string, bytes: number): 'account' | 'tree' | null {
    const { maxPerAccount, maxPerTree = Infinity } = this.#limits;
    const { accountId, rootId } = payerOf(payer);
    if (!fits(this.heldBy(accountId), bytes, maxPerAccount)) return 'account';
    return fits(this.#heldByTree.get(rootId) ?? 0, bytes, maxPerTree) ? null : 'tree';
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

  /** Takes bytes that are in memory already, even if they exceed a limit. They reduce the room for others until their release. */
  add(payer: Payer | string, bytes: number): HeldBytes {
    return this.#take(payer, bytes);
  }

  /**
   * Takes bytes as soon as there is room for them. Requests of one account are admitted in their order. A large one is not overtaken by
   * small ones, unless it waits for its account's share or its tree's.
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
        reject(asError(signal?.reason));
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

  /** Returns whether a request waits for the limit of the process, not for the share of its account or tree. */
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

  /** Updates the count of one holder's bytes. Only the holder calls it. */
  recount(payer: Payer, before: number, after: number): void {
    this.#count(payer, after - before);
    if (after < before) this.#admitWaiting();
  }

  /** Returns whether a holder of `held` bytes may take `more`. */
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

  /** Admits all waiting requests that have room now, the earliest first. */
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
    const ofAccount = this.#waitingOf.get(accountId) ?? [];
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

/** One holder's bytes. A class is cheaper than three closures, and each request makes two holders. */
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
