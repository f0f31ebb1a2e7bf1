import { asError } from '../errors.ts';

/** Limits in bytes for one kind of work in this process. */
export interface ByteLimits {
  /** Of all accounts together. */
  max: number;
  /** Of one account, so that there is always room for the others. */
  maxPerAccount: number;
  /** Of a payer's tree of accounts. Unlimited if left out. */
  maxPerTree?: number;
}

/** Limits in bytes for all kinds of work in this process together. */
export interface CeilingLimits {
  /** Of all kinds and all accounts together. */
  max: number;
  /** Of a payer's tree of accounts, for all kinds together. */
  maxPerTree: number;
  /** The last bytes below `max`. Only a tree that holds little may take them, so that others can work beside an attack. */
  reserved: number;
  /** A tree holds little up to so many bytes. */
  little: number;
}

/** The account that uses its share, and the topmost of its parent accounts. */
export interface Payer {
  accountId: string;
  rootId: string;
}

/** Finds the tree of an account. It answers from memory for accounts that are in use. */
export interface AccountTrees {
  get(accountId: string): Promise<{ rootId: string } | null>;
}

/** Returns an account with its tree. An account that is gone is a tree of its own. */
export async function findPayer(accounts: AccountTrees, accountId: string): Promise<Payer> {
  const account = await accounts.get(accountId);
  return { accountId, rootId: account?.rootId ?? accountId };
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
  budget: ByteBudget;
  payer: Payer;
  bytes: number;
  /** Orders the requests of different accounts. */
  ordinal: number;
  admit: (held: HeldBytes) => void;
}

/** Orders the waiting requests of all budgets. */
let lastOrdinal = 0;

/**
 * Bounds the bytes that all budgets of this process hold together. Together, the limits of the budgets are higher,
 * because rarely all kinds of work are large at once. Requests that wait for the ceiling are admitted in their order, over all budgets. One
 * that finds no room does not delay others that do.
 */
export class ByteCeiling {
  readonly #limits: CeilingLimits;
  readonly #heldByTree = new Map<string, number>();
  #held = 0;
  /** Beside the reserved bytes, so many are only for trees that hold little. */
  #squeezed = 0;
  /** The budgets with waiting requests. */
  readonly #waiting = new Set<ByteBudget>();

  constructor(limits: CeilingLimits) {
    this.#limits = limits;
  }

  /** Returns the limit of all budgets together, in bytes. */
  get max(): number {
    return this.#limits.max;
  }

  /** Returns the bytes that all budgets hold now. */
  get held(): number {
    return this.#held;
  }

  /** Returns the bytes that a tree of accounts holds now. */
  heldBy(rootId: string): number {
    return this.#heldByTree.get(rootId) ?? 0;
  }

  /**
   * Returns whether the share of this tree lacks room for so many more bytes. There is always room for none.
   *
   * @param own the part of the held bytes that the same holder has already.
   */
  isTreeFull(rootId: string, bytes: number, own = 0): boolean {
    return bytes > 0 && !fits(this.heldBy(rootId) - own, bytes + own, this.#limits.maxPerTree);
  }

  /** Returns whether all trees together leave room for so many more bytes of this one. */
  hasRoom(rootId: string, bytes: number, own = 0): boolean {
    const { max, reserved, little } = this.#limits;
    const isLittle = this.heldBy(rootId) + bytes <= little;
    return bytes === 0 || fits(this.#held - own, bytes + own, isLittle ? max : max - reserved - this.#squeezed);
  }

  /** Takes room from trees that hold more than a little, until the next call. What is held stays. */
  squeeze(bytes: number): void {
    const isEased = bytes < this.#squeezed;
    this.#squeezed = bytes;
    if (isEased) this.admitWaiting();
  }

  /** Only budgets call it. */
  count(rootId: string, change: number): void {
    this.#held += change;
    addTo(this.#heldByTree, rootId, change);
  }

  /** Notes whether requests wait in this budget. Only the budget calls it. */
  noteWaiting(budget: ByteBudget, isWaiting: boolean): void {
    if (isWaiting) this.#waiting.add(budget);
    else this.#waiting.delete(budget);
  }

  /** Admits all waiting requests that have room now, the earliest first. */
  admitWaiting(): void {
    while (this.#waiting.size > 0) {
      const next = [...this.#waiting]
        .flatMap((budget) => budget.nextWaiting() ?? [])
        .reduce<Waiting | null>((first, each) => (first && first.ordinal < each.ordinal ? first : each), null);
      if (!next) return;
      next.budget.admit(next);
    }
  }
}

/**
 * Bounds the bytes that one kind of work holds in memory. A limit on the number of items would not: one item can be a thousand times as
 * large as another. An item larger than a limit is admitted alone: when nothing else counts towards that limit.
 */
export class ByteBudget {
  readonly #limits: ByteLimits;
  readonly #ceiling: ByteCeiling | null;
  readonly #heldBy = new Map<string, number>();
  readonly #heldByTree = new Map<string, number>();
  #held = 0;
  /** In the order of their requests, by account. None is empty. */
  readonly #waitingOf = new Map<string, Waiting[]>();

  /** @param ceiling the limits of all budgets together. Null if there are none. */
  constructor(limits: ByteLimits, ceiling: ByteCeiling | null = null) {
    this.#limits = limits;
    this.#ceiling = ceiling;
  }

  /** Returns the limit of all accounts together, in bytes. */
  get max(): number {
    return this.#limits.max;
  }

  /** Returns the limit of one account, in bytes. */
  get maxPerAccount(): number {
    return this.#limits.maxPerAccount;
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

  /** Returns the bytes that this tree of accounts holds now. Trees are counted only if they have a limit. */
  heldByTree(rootId: string): number {
    return this.#heldByTree.get(rootId) ?? 0;
  }

  /** Returns whether the share of the account or its tree lacks room for so many more bytes. Ignores the limit of the process. */
  isShareFull(payer: Payer | string, bytes: number): boolean {
    return this.fullShare(payer, bytes) !== null;
  }

  /**
   * Returns which share lacks room for so many more bytes: the account's, or that of its tree. Null if both have room. A tree also has a share
   * of all budgets together.
   *
   * @param own the part of the held bytes that the same holder has already.
   */
  fullShare(payer: Payer | string, bytes: number, own = 0): 'account' | 'tree' | null {
    const { maxPerAccount, maxPerTree = Infinity } = this.#limits;
    const { accountId, rootId } = payerOf(payer);
    if (!fits(this.heldBy(accountId) - own, bytes + own, maxPerAccount)) return 'account';
    if (!fits(this.heldByTree(rootId) - own, bytes + own, maxPerTree)) return 'tree';
    return this.#ceiling?.isTreeFull(rootId, bytes, own) ? 'tree' : null;
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
        budget: this,
        payer,
        bytes,
        ordinal: ++lastOrdinal,
        admit: (held) => {
          signal?.removeEventListener('abort', stop);
          resolve(held);
        },
      };
      signal?.addEventListener('abort', stop, { once: true });
      const earlier = this.#waitingOf.get(payer.accountId);
      if (earlier) earlier.push(waiting);
      else this.#waitingOf.set(payer.accountId, [waiting]);
      this.#ceiling?.noteWaiting(this, true);
    });
  }

  #mustWait(accountId: string): boolean {
    if (this.#waitingOf.size === 0) return false;
    return this.#waitingOf.has(accountId) || this.#firstOfEach().some((first) => this.#isForProcess(first));
  }

  /** Returns whether a request waits for this budget's limit of the process, not for a share or the ceiling. */
  #isForProcess({ payer, bytes }: Waiting): boolean {
    return !this.isShareFull(payer, bytes) && !fits(this.#held, bytes, this.#limits.max);
  }

  /** @param own the part of the held bytes that the same holder has already. */
  #hasRoom(payer: Payer | string, bytes: number, own = 0): boolean {
    if (this.fullShare(payer, bytes, own) !== null || !fits(this.#held - own, bytes + own, this.#limits.max))
      return false;
    return this.#ceiling?.hasRoom(payerOf(payer).rootId, bytes, own) ?? true;
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
  hasRoomForMore(payer: Payer, held: number, more: number): boolean {
    return this.#hasRoom(payer, more, held);
  }

  #count({ accountId, rootId }: Payer, bytes: number): void {
    this.#held += bytes;
    addTo(this.#heldBy, accountId, bytes);
    if (this.#limits.maxPerTree !== undefined) addTo(this.#heldByTree, rootId, bytes);
    this.#ceiling?.count(rootId, bytes);
  }

  /** Admits all waiting requests that have room now, the earliest first. Bytes that were released may be what another budget waits for. */
  #admitWaiting(): void {
    if (this.#ceiling) return this.#ceiling.admitWaiting();
    for (let next = this.nextWaiting(); next; next = this.nextWaiting()) this.admit(next);
  }

  /** Returns the earliest waiting request that has room now, or null. */
  nextWaiting(): Waiting | null {
    if (this.#waitingOf.size === 0) return null;
    for (const first of this.#firstOfEach()) {
      if (this.#hasRoom(first.payer, first.bytes)) return first;
      if (this.#isForProcess(first)) return null;
    }
    return null;
  }

  /** Admits a waiting request that has room. */
  admit(waiting: Waiting): void {
    this.#remove(waiting);
    waiting.admit(this.#take(waiting.payer, waiting.bytes));
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
    if (this.#waitingOf.size === 0) this.#ceiling?.noteWaiting(this, false);
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
