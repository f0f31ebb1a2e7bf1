import { setTimeout as delay } from 'node:timers/promises';
import type { Committer } from '../commit/committer.ts';
import { retryWhileUnavailable } from '../commit/retry.ts';
import { toDecision } from '../model/change.ts';
import type { Clock } from '../core/clock.ts';
import { ApiError } from '../core/errors.ts';
import type { JsonObject } from '../core/json-diff.ts';
import type { Provider } from '../core/providers.ts';
import { UnavailableError, type Pool } from '../db/pools.ts';
import type { RecordReader } from '../db/record-reader.ts';
import { reference } from '../resources/reference/index.ts';
import { requestRead } from '../resources/reference/order.ts';
import type { Looks, ReferenceRecord } from '../resources/reference/record.ts';
import type { Verdict } from './providers/provider.ts';
import { advance, complete, fail, note } from './simulator/force.ts';
import { isMadeToFail } from './simulator/order.ts';
import { readOrder } from './simulator/orders.ts';

/** Milliseconds that a test helper waits until a worker submits the order. Without a worker, it fails then. */
const takenUpMsMax = 10_000;

/** Milliseconds that a test helper waits until the reference shows the effect. Two calls to the service may time out before. */
const shownMsMax = 15_000;

const lookEveryMs = 20;

/** Milliseconds. After a failed call the service is called again this soon, without the usual pauses. */
const askAgainMs = 300;

/** Extra calls. Each failure brings a reference nearer to being given up, which takes ten in a row. */
const asksMax = 5;

interface SimulationContext {
  committer: Committer;
  database: { readers: Pool };
  readRecord: RecordReader;
  clock: Clock;
}

/** What a test helper makes a simulated service do, and how the reference shows it. */
interface Effect {
  play(pool: Pool, provider: Provider, id: string, nowMs: number, input: object): Promise<boolean>;
  /** @param look the number of the look that was requested after the effect. */
  isShown: (now: ReferenceRecord, looks: Looks, look: number) => boolean;
}

/** The test helpers' effects, by name. */
const effects: Readonly<Record<string, Effect>> = {
  advance: {
    play: (pool, provider, id, nowMs) => advance(pool, provider, id, nowMs),
    isShown: (_, { answered }, look) => answered >= look,
  },
  complete: {
    play: (pool, provider, id, nowMs, { outcome }: { outcome?: Verdict }) =>
      complete(pool, provider, id, nowMs, outcome),
    isShown: (now) => !isOpen(now),
  },
  fail: {
    play: (pool, provider, id, nowMs, { code = 'provider_error' }: { code?: string }) =>
      fail(pool, provider, id, nowMs, code),
    // After the end no call fails any more.
    isShown: (now, { answered, failed }, look) => failed >= look || (!isOpen(now) && answered >= look),
  },
  note: {
    play: (pool, provider, id, nowMs, { message }: { message: string }) => note(pool, provider, id, nowMs, message),
    // While a service's calls fail, the reference cannot show its note.
    isShown: (_, { answered, failed }, look) => Math.max(answered, failed) >= look,
  },
};

/** Makes the simulated services of a sandbox do what a test needs. */
export class Simulations {
  readonly #context: SimulationContext;
  readonly #simulated: readonly Provider[];

  constructor(context: SimulationContext, simulated: readonly Provider[]) {
    this.#context = context;
    this.#simulated = simulated;
  }

  /**
   * Makes the service do something. Resolves when the reference shows it.
   *
   * @throws {ApiError} `status_transition_invalid` if no simulated service is working on the reference.
   * @throws {ApiError} `unavailable` if the order does not reach the service in time, and nothing was changed. Also if the reference does
   * not show the effect in time.
   */
  async play(current: ReferenceRecord, effect: string, input: JsonObject): Promise<void> {
    const { database, clock } = this.#context;
    const provider = await this.#untilPlaced(current);
    const chosen = effects[effect];
    if (!chosen) throw new Error(`Bug! There is no test helper ${effect}.`);
    const isPlayed = await chosen
      .play(database.readers, provider, current.id, clock.nowMs(), input)
      .catch((error: unknown) => {
        throw error instanceof UnavailableError ? lostMeanwhile(current, error) : error;
      });
    // Also show what the service has done itself meanwhile, so that an error has the present status.
    const showing = retryWhileUnavailable(shownMsMax, () => this.#untilShown(current, chosen.isShown));
    await showing.catch((error: unknown) => {
      throw isPlayed && error instanceof UnavailableError ? notShown(current, error) : error;
    });
    // A service that has just finished by itself has already done what the helper asks.
    if (isPlayed || (effect === 'complete' && hasOutcome(await this.#now(current), input))) return;
    throw notCarriedOut(await this.#now(current));
  }

  /** Resolves to the service when it works on the order, or when it was made to fail. */
  async #untilPlaced(current: ReferenceRecord): Promise<Provider> {
    let provider: Provider | null = null;
    const isPlaced = await this.#until(takenUpMsMax, current, async (now) => {
      provider = this.#carrierOf(now);
      const order = await readOrder(this.#context.database.readers, provider, { referenceId: now.id });
      return order !== null && (order.placedAtMs !== null || isMadeToFail(order));
    });
    if (isPlaced) return provider!;
    throw new ApiError(
      'unavailable',
      `The order of ${current.id} has not reached its simulated service within ${takenUpMsMax / 1000} seconds. Nothing was changed. Try again; if this persists, check that a process with \`TENURE_ROLE\` \`all\` or \`worker\` runs.`,
      { retryAfterSeconds: 1 },
    );
  }

  async #untilShown(current: ReferenceRecord, isShown: Effect['isShown']): Promise<void> {
    const wasOpen = isOpen(current);
    const look = await this.#askForLook(current);
    const isSeen = await this.#until(shownMsMax, current, async (now) => {
      const looks = now.provider_order?.looks;
      // A reference that has ended meanwhile shows no more effects.
      return !looks || (wasOpen && !isOpen(now)) || isShown(now, looks, look);
    });
    if (!isSeen) throw notShown(current);
  }

  /**
   * Polls the reference until a condition holds. If the next step is only due later, it has the service called sooner. Resolves to whether
   * the condition holds. It holds no connection between polls.
   */
  async #until(
    timeoutMs: number,
    current: ReferenceRecord,
    condition: (now: ReferenceRecord) => Promise<boolean>,
  ): Promise<boolean> {
    const startedMs = performance.now();
    let askedMs = startedMs;
    for (let asks = 0; ;) {
      const now = await this.#now(current);
      if (await condition(now)) return true;
      const passedMs = performance.now();
      if (passedMs - startedMs > timeoutMs) return false;
      const dueAtMs = now.provider_order?.due_at_ms ?? null;
      const isWaiting = dueAtMs === null || dueAtMs > this.#context.clock.nowMs();
      if (isWaiting && asks < asksMax && passedMs - askedMs > askAgainMs) {
        asks++;
        askedMs = passedMs;
        await this.#askForLook(current);
      }
      await delay(lookEveryMs);
    }
  }

  /** @returns the number of the look. */
  async #askForLook({ account_id: accountId, id }: ReferenceRecord): Promise<number> {
    const { committer, clock } = this.#context;
    let look = 0;
    await committer.commitAsSystem({
      accountId,
      locks: [id],
      decide: async () => {
        const now = await this.#now({ account_id: accountId, id });
        const decided = requestRead(now, clock.nowMs());
        look = decided.after.provider_order?.looks?.asked ?? 0;
        return toDecision(reference, now, decided);
      },
    });
    return look;
  }

  async #now({ account_id: accountId, id }: Pick<ReferenceRecord, 'account_id' | 'id'>): Promise<ReferenceRecord> {
    const now = await this.#context.readRecord(reference, accountId, id);
    if (!now) throw new Error(`Bug! The reference ${id} is not there.`);
    return now;
  }

  /** @throws {ApiError} `status_transition_invalid` */
  #carrierOf(now: ReferenceRecord): Provider {
    const { automatic_reference: automatic } = now;
    const provider = automatic?.provider;
    const isCarried = automatic !== null && (isOpen(now) ? automatic.status !== 'failed' : automatic.status === 'done');
    if (isCarried && provider && this.#simulated.includes(provider)) return provider;
    throw notCarriedOut(now);
  }
}

function isOpen({ status }: ReferenceRecord): boolean {
  return status === 'pending' || status === 'processing';
}

function hasOutcome({ outcome }: ReferenceRecord, input: JsonObject): boolean {
  return outcome !== null && (input.outcome === undefined || input.outcome === outcome);
}

function notShown({ id }: ReferenceRecord, cause?: unknown): ApiError {
  return new ApiError(
    'unavailable',
    `The simulated service did it, but the reference ${id} has not shown it within ${shownMsMax / 1000} seconds. Do not repeat the request: retrieve the reference a little later.`,
    { retryAfterSeconds: 1, shouldRetry: false, cause },
  );
}

function lostMeanwhile({ id }: ReferenceRecord, cause: unknown): ApiError {
  return new ApiError(
    'unavailable',
    `The database was lost while the simulated service was told what to do, so it may have done it. Retrieve the reference ${id} before you repeat the request.`,
    { retryAfterSeconds: 1, shouldRetry: false, cause },
  );
}

function notCarriedOut({ id, status, automatic_reference: automatic }: ReferenceRecord): ApiError {
  const standing = automatic ? `with ${automatic.provider}, and ${automatic.status}` : 'null';
  return new ApiError(
    'status_transition_invalid',
    `No simulated service is carrying the reference ${id} out just now: it is ${status}, and its \`automatic_reference\` is ${standing}. ${adviceFor(automatic?.provider)}`,
  );
}

function adviceFor(provider: Provider | null | undefined): string {
  if (!provider) return 'Helpers are for references with an `automatic_reference`.';
  return provider === 'provider_b'
    ? '`provider_b` decides at once: set `metadata.simulate` when you create the reference.'
    : 'Create another reference, and call the helper before the service has finished.';
}
