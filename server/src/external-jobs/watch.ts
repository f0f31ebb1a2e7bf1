import { setTimeout as delay } from 'node:timers/promises';
import { changeAsSystem, type SystemChangeContext } from '../commit/change-as-system.ts';
import { retryWhileUnavailable } from '../commit/retry.ts';
import { ApiError } from '../core/errors.ts';
import { UnavailableError } from '../db/pools.ts';
import type { StoredRecord } from '../model/record.ts';
import type { Change, Resource } from '../model/resource.ts';

/** How long a test helper waits, in milliseconds. */
export interface WatchLimits {
  /** Until a worker gives the record to its service. Without a worker, the helper fails then. */
  takenUpMsMax: number;
  /** Until the record shows the effect. Two calls to the service may time out before. */
  shownMsMax: number;
}

export const watchLimits: WatchLimits = { takenUpMsMax: 10_000, shownMsMax: 15_000 };

const lookEveryMs = 20;

/** Milliseconds. After a failed call the service is called again this soon, without the usual pauses. */
const askAgainMs = 300;

/** Extra calls. Each failure may bring a record nearer to being given up, which takes ten in a row. */
const asksMax = 5;

/** A kind of record that test helpers wait for. */
export interface Watched<R extends StoredRecord> {
  resource: Resource<R>;
  /** Returns the time of the next step in milliseconds, or null. */
  dueAtMs(now: R): number | null;
  /** Schedules the next step now. */
  requestRead(now: R, nowMs: number): Change<R>;
}

/** Waits for records on behalf of test helpers, and has their next steps taken sooner. It holds no connection between polls. */
export class Watch<R extends StoredRecord> {
  readonly #context: SystemChangeContext;
  readonly #kind: Watched<R>;
  readonly #limits: WatchLimits;

  constructor(context: SystemChangeContext, kind: Watched<R>, limits: WatchLimits) {
    this.#context = context;
    this.#kind = kind;
    this.#limits = limits;
  }

  async now({ account_id: accountId, id }: Pick<StoredRecord, 'account_id' | 'id'>): Promise<R> {
    const { resource } = this.#kind;
    const now = await this.#context.readRecord(resource, accountId, id);
    if (!now) throw new Error(`Bug! The ${resource.object} ${id} is not there.`);
    return now;
  }

  /** Schedules the next step now. Returns the record after that. */
  async askForLook(current: R): Promise<R> {
    const { clock } = this.#context;
    let asked = current;
    await changeAsSystem(this.#context, this.#kind.resource, current, {}, (now) => {
      const decided = this.#kind.requestRead(now, clock.nowMs());
      asked = decided.after;
      return decided;
    });
    return asked;
  }

  /** @throws {ApiError} `unavailable` if the service has not got the record in time. Nothing was changed. */
  async untilPlaced(current: R, isPlaced: (now: R) => Promise<boolean>): Promise<void> {
    const { takenUpMsMax } = this.#limits;
    if (await this.#until(takenUpMsMax, current, isPlaced)) return;
    throw new ApiError(
      'unavailable',
      `The order of ${current.id} has not reached its simulated service within ${takenUpMsMax / 1000} seconds. Nothing was changed. Try again; if this persists, check that a process with \`TENURE_ROLE\` \`all\` or \`worker\` runs.`,
      { retryAfterSeconds: 1 },
    );
  }

  /**
   * Makes the simulated service do something, and waits until the record shows it. Also shows what the service has done itself meanwhile, so
   * that an error has the present status.
   *
   * @returns whether the service did it.
   */
  async played(current: R, play: () => Promise<boolean>, untilShown: () => Promise<void>): Promise<boolean> {
    const isPlayed = await play().catch((error: unknown) => {
      throw error instanceof UnavailableError ? this.#lostMeanwhile(current, error) : error;
    });
    await retryWhileUnavailable(this.#limits.shownMsMax, untilShown).catch((error: unknown) => {
      throw isPlayed && error instanceof UnavailableError ? this.#notShown(current, error) : error;
    });
    return isPlayed;
  }

  /** @throws {ApiError} `unavailable` if the record does not show the effect in time. The service has done it. */
  async untilShown(current: R, isShown: (now: R) => boolean): Promise<void> {
    if (await this.#until(this.#limits.shownMsMax, current, async (now) => isShown(now))) return;
    throw this.#notShown(current);
  }

  #notShown({ id }: R, cause?: unknown): ApiError {
    const { object } = this.#kind.resource;
    return new ApiError(
      'unavailable',
      `The simulated service did it, but the ${object} ${id} has not shown it within ${this.#limits.shownMsMax / 1000} seconds. Do not repeat the request: retrieve the ${object} a little later.`,
      { retryAfterSeconds: 1, shouldRetry: false, cause },
    );
  }

  #lostMeanwhile({ id }: R, cause: unknown): ApiError {
    const { object } = this.#kind.resource;
    return new ApiError(
      'unavailable',
      `The database was lost while the simulated service was told what to do, so it may have done it. Retrieve the ${object} ${id} before you repeat the request.`,
      { retryAfterSeconds: 1, shouldRetry: false, cause },
    );
  }

  /** Polls the record until a condition holds. If the next step is only due later, it has the service called sooner. */
  async #until(timeoutMs: number, current: R, condition: (now: R) => Promise<boolean>): Promise<boolean> {
    const startedMs = performance.now();
    let askedMs = startedMs;
    for (let asks = 0; ;) {
      const now = await this.now(current);
      if (await condition(now)) return true;
      const passedMs = performance.now();
      if (passedMs - startedMs > timeoutMs) return false;
      const dueAtMs = this.#kind.dueAtMs(now);
      const isWaiting = dueAtMs === null || dueAtMs > this.#context.clock.nowMs();
      if (isWaiting && asks < asksMax && passedMs - askedMs > askAgainMs) {
        asks++;
        askedMs = passedMs;
        await this.askForLook(current);
      }
      await delay(lookEveryMs);
    }
  }
}
