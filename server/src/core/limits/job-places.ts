import type { Payer } from './byte-budget.ts';

/** Milliseconds until a job that got no place looks again. */
export const crowdedPauseMs = 1_000;

/** Returns the groups of an account's job at a service. `JobPlaces` names one of them while the job must wait. */
export function placeGroups(service: string, accountId: string): string[] {
  return [service, groupOfAccount(service, accountId)];
}

/** How many jobs have a place at once. */
export interface PlaceLimits {
  all: number;
  /** Of a tree of accounts. Fewer than all, so that a tree with much work leaves places to the others. */
  ofTree: number;
  /** Of one account. As many as a tree has, if left out. */
  ofAccount?: number;
  /** The last places, which only trees without a place get. So a few trees whose jobs hang do not keep out the others. None if left out. */
  forOthers?: number;
}

/** The places of jobs at a service, such as connections to a mail server. */
export class JobPlaces {
  readonly #service: string;
  readonly #limits: PlaceLimits;
  /** The accounts whose jobs have a place, with their trees. */
  readonly #taken = new Set<Payer>();
  /** The accounts whose jobs got no place since their tree had enough, by the root of the tree. Their other jobs would get none, either. */
  readonly #refused = new Map<string, Set<string>>();

  constructor(service: string, limits: PlaceLimits) {
    this.#service = service;
    this.#limits = limits;
  }

  /**
   * Takes a place for a job.
   *
   * @returns a function that frees the place. Null if the tree or the account has enough places, or if none is free.
   */
  take(payer: Payer): (() => void) | null {
    if (this.#isFull() || this.#isAccountFull(payer.accountId)) return null;
    if (this.#hasEnough(payer.rootId)) {
      const accountIds = this.#refused.get(payer.rootId) ?? new Set();
      this.#refused.set(payer.rootId, accountIds.add(payer.accountId));
      return null;
    }
    const place = { ...payer };
    this.#taken.add(place);
    return () => {
      this.#taken.delete(place);
      this.#refused.delete(payer.rootId);
    };
  }

  /** Returns the groups whose further jobs wait: the service, or full accounts and the accounts of trees with enough places. */
  crowdedGroups(): string[] {
    if (this.#isFull()) return [this.#service];
    const working = [...this.#taken].filter(
      ({ accountId, rootId }) => this.#hasEnough(rootId) || this.#isAccountFull(accountId),
    );
    const refused = [...this.#refused].flatMap(([rootId, accountIds]) =>
      this.#hasEnough(rootId) ? [...accountIds] : [],
    );
    const accountIds = new Set([...working.map(({ accountId }) => accountId), ...refused]);
    return [...accountIds].map((accountId) => groupOfAccount(this.#service, accountId));
  }

  #isFull(): boolean {
    return this.#taken.size >= this.#limits.all;
  }

  /** Returns whether a tree has all of its places, or has one while the free places are for others. */
  #hasEnough(rootId: string): boolean {
    const { all, ofTree, forOthers = 0 } = this.#limits;
    const { length } = [...this.#taken].filter((payer) => payer.rootId === rootId);
    return length >= ofTree || (length > 0 && this.#taken.size >= all - forOthers);
  }

  #isAccountFull(accountId: string): boolean {
    const { ofTree, ofAccount = ofTree } = this.#limits;
    const ofThis = [...this.#taken].filter((payer) => payer.accountId === accountId);
    return ofThis.length >= ofAccount;
  }
}

function groupOfAccount(service: string, accountId: string): string {
  return `${service} ${accountId}`;
}
