import { ApiError } from '../core/errors.ts';

/** What one account may have on its way at once, in one process. */
export const uploadsOfAccountMax = 16;

/** What all may: each has up to half a megabyte in memory. */
const uploadsMax = 64;

/** Seconds after which one that is under way has mostly ended. */
const retryAfterSeconds = 2;

/** Bounds the uploads that are under way in this process. */
export class UploadsUnderWay {
  readonly #ofAccounts = new Map<string, number>();
  #all = 0;

  /**
   * Counts one more, until what is returned is called.
   *
   * @throws {ApiError} `rate_limit` if the account has too many: that is its own doing, and it alone is told to wait; `overloaded` if
   *   all together have.
   */
  begin(accountId: string): () => void {
    const ofAccount = this.#ofAccounts.get(accountId) ?? 0;
    if (ofAccount >= uploadsOfAccountMax) {
      throw new ApiError(
        'rate_limit',
        `This account has ${uploadsOfAccountMax} uploads on their way already. Wait until one has ended, and send fewer at once.`,
        { retryAfterSeconds },
      );
    }
    if (this.#all >= uploadsMax) {
      throw new ApiError(
        'overloaded',
        'The server is taking as many uploads as it can at once. Nothing was changed; try again shortly.',
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
