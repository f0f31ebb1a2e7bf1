import type { Payer } from '../../core/limits/byte-budget.ts';
import { ApiError } from '../../core/errors.ts';

/** Limits of concurrent work in one process. */
export interface Bounds {
  /** Their name in error messages: `uploads in progress`. */
  what: string;
  ofAccountMax: number;
  /** Of an account and all accounts below it, at any distance. Otherwise it could multiply its share with their keys. */
  ofTreeMax: number;
  /** Of all accounts together. Above `ofTreeMax` of them, a tree begins more only while it leaves as much to others as it has. */
  max: number;
  /** Seconds until one of them has probably ended. */
  retryAfterSeconds: number;
}

/**
 * Group commit gains nothing from more than 128 changes at once. More of them only delay other accounts, because each round of the event
 * loop serves all of them. The runtime accepts one connection in a round. Measured beside an account that floods the process: with 256,
 * other accounts wait 59 ms in the median. With 1,000, they wait 211 ms, and ten seconds on a new connection.
 */
export const requestBounds: Bounds = {
  what: 'requests in progress',
  ofAccountMax: 256,
  ofTreeMax: 768,
  max: 1_024,
  retryAfterSeconds: 1,
};

/** Measured: 64 slow uploads take some 110 MB. */
export const uploadBounds: Bounds = {
  what: 'uploads in progress',
  ofAccountMax: 16,
  ofTreeMax: 48,
  max: 64,
  retryAfterSeconds: 2,
};

/**
 * Imports are uploads, too. They take turns of up to a second, and each keeps its file of up to 1 MB until then. So few may wait: the
 * last one of a busy process waits for most of a minute.
 */
export const importBounds: Bounds = {
  what: 'imports in progress',
  ofAccountMax: 8,
  ofTreeMax: 24,
  max: 32,
  retryAfterSeconds: 2,
};

/** An open stream takes some ten kilobytes. The events that it reads have their own limit in bytes. */
export const streamBounds: Bounds = {
  what: 'streams open',
  ofAccountMax: 50,
  ofTreeMax: 400,
  max: 500,
  retryAfterSeconds: 10,
};

/** A tree with less than this part of all work begins more until all places are taken. With 1,024 requests, these are 32. */
const fewShare = 1 / 32;

/** Bounds concurrent work in this process. */
export class ConcurrencyLimit {
  readonly #bounds: Bounds;
  readonly #ofAccounts = new Map<string, number>();
  readonly #ofTrees = new Map<string, number>();
  #all = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /**
   * Counts one more. The returned function ends it. Keeps the last places for trees with fewer. Otherwise two platforms with slow bodies
   * would keep out all others.
   *
   * @throws {ApiError} `rate_limit` if the account or its tree of accounts has too many.
   * @throws {ApiError} `overloaded` if all accounts together have too many, or if the rest is for trees with fewer.
   */
  begin({ accountId, rootId }: Payer): () => void {
    const { what, ofAccountMax, ofTreeMax, max, retryAfterSeconds } = this.#bounds;
    if ((this.#ofAccounts.get(accountId) ?? 0) >= ofAccountMax) {
      throw new ApiError(
        'rate_limit',
        `This account already has ${ofAccountMax} ${what}. Wait until one has ended, and use fewer at once.`,
        { retryAfterSeconds },
      );
    }
    const ofTree = this.#ofTrees.get(rootId) ?? 0;
    if (ofTree >= ofTreeMax) {
      throw new ApiError(
        'rate_limit',
        `The platform of this account and its connected accounts already have ${ofTreeMax} ${what}. Wait until one has ended.`,
        { retryAfterSeconds },
      );
    }
    const left = max - this.#all;
    const isFair = this.#all < ofTreeMax || ofTree < left || ofTree < max * fewShare;
    if (left <= 0 || !isFair) {
      throw new ApiError('overloaded', `The server has too many ${what}. Nothing was changed. Try again shortly.`, {
        retryAfterSeconds,
      });
    }
    this.#count(accountId, rootId, 1);
    return () => this.#count(accountId, rootId, -1);
  }

  #count(accountId: string, rootId: string, change: 1 | -1): void {
    this.#all += change;
    addTo(this.#ofAccounts, accountId, change);
    addTo(this.#ofTrees, rootId, change);
  }
}

function addTo(counts: Map<string, number>, id: string, change: 1 | -1): void {
  const count = (counts.get(id) ?? 0) + change;
  if (count > 0) counts.set(id, count);
  else counts.delete(id);
}
