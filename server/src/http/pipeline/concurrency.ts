import { ApiError } from '../../core/errors.ts';

/** How much there may be at once, in one process. */
export interface Bounds {
  /** As a client calls them: `uploads on their way`. */
  what: string;
  ofAccountMax: number;
  /** Of all accounts together. */
  max: number;
  /** Seconds after which one of them has mostly ended. */
  retryAfterSeconds: number;
}

/**
 * A request takes some 15 kB, and all of them take 60 MB. A process makes some 3,500 changes a second. So the changes of one account are
 * done in 0.3 s.
 */
export const requestBounds: Bounds = {
  what: 'requests under way',
  ofAccountMax: 1_000,
  max: 4_000,
  retryAfterSeconds: 1,
};

/** Measured: 64 slow uploads take some 110 MB. */
export const uploadBounds: Bounds = { what: 'uploads on their way', ofAccountMax: 16, max: 64, retryAfterSeconds: 2 };

/** An open stream takes some ten kilobytes. What it reads is bounded in bytes besides. */
export const streamBounds: Bounds = { what: 'streams open', ofAccountMax: 50, max: 500, retryAfterSeconds: 10 };

/** Bounds what is under way in this process. */
export class UnderWay {
  readonly #bounds: Bounds;
  readonly #ofAccounts = new Map<string, number>();
  #all = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /**
   * Counts one more, until what is returned is called.
   *
   * @throws {ApiError} `rate_limit` if the account has too many: that is its own doing, and it alone is told to wait; `overloaded` if
   *   all together have.
   */
  begin(accountId: string): () => void {
    const { what, ofAccountMax, max, retryAfterSeconds } = this.#bounds;
    const ofAccount = this.#ofAccounts.get(accountId) ?? 0;
    if (ofAccount >= ofAccountMax) {
      throw new ApiError(
        'rate_limit',
        `This account has ${ofAccountMax} ${what} already. Wait until one has ended, and have fewer at once.`,
        { retryAfterSeconds },
      );
    }
    if (this.#all >= max) {
      throw new ApiError(
        'overloaded',
        `The server has as many ${what} as it can have at once. Nothing was changed; try again shortly.`,
        { retryAfterSeconds },
      );
    }
    this.#all++;
    this.#ofAccounts.set(accountId, ofAccount + 1);
    return () => this.#end(accountId);
  }

  #end(accountId: string): void {
    this.#all--;
    const left = this.#ofAccounts.get(accountId)! - 1;
    if (left > 0) this.#ofAccounts.set(accountId, left);
    else this.#ofAccounts.delete(accountId);
  }
}
