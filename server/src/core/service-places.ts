import type { Payer } from './byte-budget.ts';

/** Returns the groups of an account's job at a service. `ServicePlaces` names one of them while the job must wait. */
export function placeGroups(service: string, accountId: string): string[] {
  return [service, groupOfAccount(service, accountId)];
}

/**
 * The places of jobs at a service, such as connections to a mail server. A tree of accounts never has all of them. So a tree with much work
 * leaves a place to the others.
 */
export class ServicePlaces {
  readonly #service: string;
  readonly #limits: { all: number; ofTree: number };
  /** The accounts whose jobs have a place, with their trees. */
  readonly #taken = new Set<Payer>();
  /** The accounts whose jobs got no place since their tree was full, by the root of the tree. Their other jobs would get none, either. */
  readonly #refused = new Map<string, Set<string>>();

  constructor(service: string, limits: { all: number; ofTree: number }) {
    this.#service = service;
    this.#limits = limits;
  }

  /**
   * Takes a place for a job.
   *
   * @returns a function that frees the place; null if the tree has all of its places, or if none is free.
   */
  take(payer: Payer): (() => void) | null {
    if (this.#isFull()) return null;
    if (this.#isTreeFull(payer.rootId)) {
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

  /** Returns the groups whose further jobs wait: that of the service, or those of the accounts of a full tree. */
  crowdedGroups(): string[] {
    if (this.#isFull()) return [this.#service];
    const working = [...this.#taken].filter(({ rootId }) => this.#isTreeFull(rootId));
    const refused = [...this.#refused.values()].flatMap((accountIds) => [...accountIds]);
    const accountIds = new Set([...working.map(({ accountId }) => accountId), ...refused]);
    return [...accountIds].map((accountId) => groupOfAccount(this.#service, accountId));
  }

  #isFull(): boolean {
    return this.#taken.size >= this.#limits.all;
  }

  #isTreeFull(rootId: string): boolean {
    const ofTree = [...this.#taken].filter((payer) => payer.rootId === rootId);
    return ofTree.length >= this.#limits.ofTree;
  }
}

function groupOfAccount(service: string, accountId: string): string {
  return `${service} ${accountId}`;
}
