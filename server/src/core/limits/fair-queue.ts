import { setImmediate as nextRound, setTimeout as delay } from 'node:timers/promises';
import type { Payer } from './byte-budget.ts';
import { ClientGoneError } from '../errors.ts';

/** Milliseconds. Work that only waits long for a database must not hold up the next for long. */
const restMsMax = 500;
const turnMsMax = 2_000;

/** The client of a piece of work. */
export interface Client {
  /** Calls back if the client disconnects; null removes the callback. */
  whenReleased(callback: (() => void) | null): void;
}

/** A client that waits for its turn even if it disconnects. The caller bounds how many wait. */
export const patient: Client = { whenReleased() {} };

/** Work that waits for its turn. */
interface Waiting {
  resume(): void;
  refuse(error: Error): void;
}

/** The waiting work of a tree: its parties in the order of their turns. None is empty. */
type Parties = Map<string, Waiting[]>;

interface WaitingTree {
  /** The tree with the lowest rank has the next turn. */
  rank: number;
  parties: Parties;
}

/**
 * Turns after which the last one of a tree is forgotten. A tree that begins to wait goes before all that had one of these turns. Without a
 * limit, endless new trees would keep out those that had a turn.
 */
const rememberedTurns = 16;

/** How much work may wait, and the error for more. */
interface WaitingLimit {
  max: number;
  refusal(): Error;
}

/**
 * Runs few pieces of work at once. If more wait, their trees of accounts take turns, and so do the accounts of a tree. A tree that begins
 * to wait goes before those that had a turn lately. So a few trees with much work delay another one only by the work that runs. The number
 * of their accounts does not matter. If too much waits, the tree with the most gives way: the newest work of its largest account is refused.
 * So it does not keep the work of others out either.
 */
export class FairQueue {
  readonly #atOnceMax: number;
  #running = 0;
  /** The trees with waiting work. */
  readonly #waiting = new Map<string, WaitingTree>();
  readonly #limit: WaitingLimit | null;
  /** The ordinals of the last turns of trees, the earliest first. */
  readonly #lastTurns = new Map<string, number>();
  #turns = 0;

  /** @param limit by default none: the caller bounds how many wait. */
  constructor(atOnceMax: number, limit: WaitingLimit | null = null) {
    this.#atOnceMax = atOnceMax;
    this.#limit = limit;
  }

  /**
   * Runs the work when it is its turn.
   *
   * @param party an account with its tree, or the name of a tree of its own.
   * @throws {ClientGoneError} at once if the client disconnects before. Clients that come and go would otherwise fill the queue.
   * @throws the refusal of the limit if too much waits, and no other tree gives way. Also later, if the own tree gives way.
   */
  async run<Result>(party: Payer | string, client: Client, work: () => Promise<Result>): Promise<Result> {
    const payer = typeof party === 'string' ? { accountId: party, rootId: party } : party;
    if (this.#running < this.#atOnceMax) {
      this.#running++;
      this.#noteTurn(payer.rootId);
    } else {
      await this.#turnOf(payer, client);
    }
    try {
      return await work();
    } finally {
      this.#passOn();
    }
  }

  /**
   * Runs the work as `run` does. Then the place stays empty for `restFactor` times as long, up to 500 ms. So work that fills the processor
   * leaves time for others. The result does not wait for the rest. Work of more than two seconds continues without its place.
   */
  runAndRest<Result>(
    party: Payer | string,
    client: Client,
    restFactor: number,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const workAndRest = async (): Promise<void> => {
      const startedMs = performance.now();
      await Promise.race([work().then(resolve, reject), delay(turnMsMax, undefined, { ref: false })]);
      await delay(Math.min(restMsMax, (performance.now() - startedMs) * restFactor));
    };
    this.run(party, client, workAndRest).catch(reject);
    return promise;
  }

  #turnOf(payer: Payer, client: Client): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      this.#makeRoom(payer);
      const waiting: Waiting = {
        resume: () => {
          client.whenReleased(null);
          resolve();
        },
        refuse: (error) => {
          client.whenReleased(null);
          this.#leave(payer, waiting);
          reject(error);
        },
      };
      const tree = this.#waiting.get(payer.rootId) ?? this.#beginToWait(payer.rootId);
      const { parties } = tree;
      const others = parties.get(payer.accountId);
      if (others) others.push(waiting);
      else parties.set(payer.accountId, [waiting]);
      client.whenReleased(() => waiting.refuse(new ClientGoneError()));
    });
  }

  /**
   * Refuses the newest work of the tree with the most if the limit is reached.
   *
   * @throws the refusal if that would leave the tree less than this one then has.
   */
  #makeRoom({ rootId }: Payer): void {
    if (!this.#limit) return;
    const trees = [...this.#waiting.values()].map(({ parties }) => parties);
    if (trees.reduce((sum, tree) => sum + sizeOf(tree), 0) < this.#limit.max) return;
    const largest = trees.reduce((left, right) => (sizeOf(right) > sizeOf(left) ? right : left));
    const own = this.#waiting.get(rootId)?.parties;
    if (sizeOf(largest) <= (own ? sizeOf(own) : 0) + 1) throw this.#limit.refusal();
    const parties = [...largest.values()];
    const party = parties.reduce((left, right) => (right.length > left.length ? right : left));
    party.at(-1)!.refuse(this.#limit.refusal());
  }

  #leave({ accountId, rootId }: Payer, waiting: Waiting): void {
    const parties = this.#waiting.get(rootId)?.parties;
    const others = parties?.get(accountId)?.filter((each) => each !== waiting) ?? [];
    if (others.length > 0) parties?.set(accountId, others);
    else parties?.delete(accountId);
    if (parties?.size === 0) this.#waiting.delete(rootId);
  }

  /** Gives the place of finished work to the tree whose turn it is, and there to the party. */
  #passOn(): void {
    const next = this.#nextTree();
    if (!next) {
      this.#running--;
      return;
    }
    const [rootId, tree] = next;
    const [party] = tree.parties;
    const [accountId, [first, ...others]] = party!;
    tree.parties.delete(accountId);
    if (others.length > 0) tree.parties.set(accountId, others);
    if (tree.parties.size === 0) this.#waiting.delete(rootId);
    tree.rank = this.#noteTurn(rootId);
    first!.resume();
  }

  #beginToWait(rootId: string): WaitingTree {
    const rank = this.#lastTurns.get(rootId) ?? this.#turns - rememberedTurns;
    const tree: WaitingTree = { rank, parties: new Map() };
    this.#waiting.set(rootId, tree);
    return tree;
  }

  /** Returns the waiting tree with the lowest rank, and the first of those. Null if none waits. */
  #nextTree(): [string, WaitingTree] | null {
    let next: [string, WaitingTree] | null = null;
    for (const each of this.#waiting) if (!next || each[1].rank < next[1].rank) next = each;
    return next;
  }

  /** Returns the ordinal of this turn. */
  #noteTurn(rootId: string): number {
    const turn = ++this.#turns;
    this.#lastTurns.delete(rootId);
    this.#lastTurns.set(rootId, turn);
    const [earliest] = this.#lastTurns;
    if (earliest && earliest[1] <= turn - rememberedTurns) this.#lastTurns.delete(earliest[0]);
    return turn;
  }
}

/** Returns how much work of a tree waits. */
function sizeOf(parties: Parties): number {
  return [...parties.values()].reduce((sum, { length }) => sum + length, 0);
}

/**
 * Begins one piece of work in each round of the event loop. Trees of accounts take turns, as in `FairQueue`. It is for work that fills the
 * processor for some milliseconds. Many such pieces in one round would delay every other request by their sum.
 */
export class FairRounds {
  readonly #queue = new FairQueue(1);

  /** Resolves in the round of the party. The caller bounds how many wait. */
  next(party: Payer | string): Promise<void> {
    return this.#queue.run(party, patient, () => nextRound());
  }
}
