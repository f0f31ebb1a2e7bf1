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

/** How much work may wait, and the error for more. */
interface WaitingLimit {
  max: number;
  refusal(): Error;
}

/**
 * Runs few pieces of work at once. If more wait, their trees of accounts take turns, and so do the accounts of a tree. So a tree with much
 * work delays another by one piece of work at most for each that runs. The number of its accounts does not matter. If too much waits, the
 * tree with the most gives way: the newest work of its largest account is refused. So it does not keep the work of others out either.
 */
export class FairQueue {
  readonly #atOnceMax: number;
  #running = 0;
  /** The trees in the order of their turns, each with its waiting work. None is empty. */
  readonly #waiting = new Map<string, Parties>();
  readonly #limit: WaitingLimit | null;

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
    if (this.#running < this.#atOnceMax) this.#running++;
    else await this.#turnOf(typeof party === 'string' ? { accountId: party, rootId: party } : party, client);
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
      const parties: Parties = this.#waiting.get(payer.rootId) ?? new Map<string, Waiting[]>();
      this.#waiting.set(payer.rootId, parties);
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
    const trees = [...this.#waiting.values()];
    if (trees.reduce((sum, tree) => sum + sizeOf(tree), 0) < this.#limit.max) return;
    const largest = trees.reduce((left, right) => (sizeOf(right) > sizeOf(left) ? right : left));
    const own = this.#waiting.get(rootId);
    if (sizeOf(largest) <= (own ? sizeOf(own) : 0) + 1) throw this.#limit.refusal();
    const parties = [...largest.values()];
    const party = parties.reduce((left, right) => (right.length > left.length ? right : left));
    party.at(-1)!.refuse(this.#limit.refusal());
  }

  #leave({ accountId, rootId }: Payer, waiting: Waiting): void {
    const parties = this.#waiting.get(rootId);
    const others = parties?.get(accountId)?.filter((each) => each !== waiting) ?? [];
    if (others.length > 0) parties?.set(accountId, others);
    else parties?.delete(accountId);
    if (parties?.size === 0) this.#waiting.delete(rootId);
  }

  /** Gives the place of finished work to the tree whose turn it is, and there to the party. */
  #passOn(): void {
    const [tree] = this.#waiting;
    if (!tree) {
      this.#running--;
      return;
    }
    const [rootId, parties] = tree;
    const [party] = parties;
    const [accountId, [next, ...others]] = party!;
    parties.delete(accountId);
    if (others.length > 0) parties.set(accountId, others);
    this.#waiting.delete(rootId);
    if (parties.size > 0) this.#waiting.set(rootId, parties);
    next!.resume();
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
