import type { SystemChangeContext } from '../commit/change-as-system.ts';
import { ApiError } from '../core/errors.ts';
import type { JsonObject } from '../core/json-diff.ts';
import type { Provider } from '../core/vocabulary/providers.ts';
import type { Pool } from '../db/pools.ts';
import { Watch, type WatchLimits } from '../external-jobs/watch.ts';
import { reference } from '../resources/reference/index.ts';
import { orderKeyOf, orderNumberOf } from '../resources/reference/earlier-orders.ts';
import { requestRead } from '../resources/reference/order.ts';
import type { Looks, ReferenceRecord } from '../resources/reference/record.ts';
import type { Verdict } from './providers/provider.ts';
import { advance, complete, fail, note } from './simulator/force.ts';
import { isMadeToFail } from './simulator/order.ts';
import { readOrder } from './simulator/orders.ts';

interface SimulationContext extends SystemChangeContext {
  database: { readers: Pool };
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

/** Makes the simulated referencing services of a sandbox do what a test needs. */
export class Simulations {
  readonly #context: SimulationContext;
  readonly #watch: Watch<ReferenceRecord>;
  readonly #simulated: readonly Provider[];

  constructor(context: SimulationContext, simulated: readonly Provider[], limits: WatchLimits) {
    this.#context = context;
    const kind = {
      resource: reference,
      dueAtMs: ({ provider_order: order }: ReferenceRecord) => order?.due_at_ms ?? null,
      requestRead,
    };
    this.#watch = new Watch(context, kind, limits);
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
    const isPlayed = await this.#watch.played(
      current,
      async () => chosen.play(database.readers, provider, keyOf(await this.#watch.now(current)), clock.nowMs(), input),
      () => this.#untilShown(current, chosen.isShown),
    );
    // A service that has just finished by itself has already done what the helper asks.
    if (isPlayed || (effect === 'complete' && hasOutcome(await this.#watch.now(current), input))) return;
    throw notCarriedOut(await this.#watch.now(current));
  }

  /** Resolves to the service when it works on the order, or when it was made to fail. */
  async #untilPlaced(current: ReferenceRecord): Promise<Provider> {
    let provider: Provider | null = null;
    await this.#watch.untilPlaced(current, async (now) => {
      provider = this.#carrierOf(now);
      const order = await readOrder(this.#context.database.readers, provider, { referenceId: keyOf(now) });
      return order !== null && (order.placedAtMs !== null || isMadeToFail(order));
    });
    return provider!;
  }

  async #untilShown(current: ReferenceRecord, isShown: Effect['isShown']): Promise<void> {
    const wasOpen = isOpen(current);
    const look = (await this.#watch.askForLook(current)).provider_order?.looks?.asked ?? 0;
    await this.#watch.untilShown(current, (now) => {
      const looks = now.provider_order?.looks;
      // A reference that has ended meanwhile shows no more effects.
      return !looks || (wasOpen && !isOpen(now)) || isShown(now, looks, look);
    });
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

function keyOf(now: ReferenceRecord): string {
  return orderKeyOf(now, orderNumberOf(now));
}

function isOpen({ status }: ReferenceRecord): boolean {
  return status === 'pending' || status === 'processing';
}

function hasOutcome({ outcome }: ReferenceRecord, input: JsonObject): boolean {
  return outcome !== null && (input.outcome === undefined || input.outcome === outcome);
}

function notCarriedOut({ id, status, automatic_reference: automatic }: ReferenceRecord): ApiError {
  const says = automatic?.status ? `, and \`${automatic.provider}\` says \`${automatic.status}\`` : '';
  return new ApiError(
    'status_transition_invalid',
    `No simulated service is checking the reference ${id} now. The reference is \`${status}\`${says}. ${adviceFor(automatic)}`,
  );
}

function adviceFor(automatic: ReferenceRecord['automatic_reference']): string {
  if (!automatic?.enabled) return 'Helpers are for references with an enabled `automatic_reference`.';
  return automatic.provider === 'provider_b'
    ? '`provider_b` decides at once: set `metadata.simulate` when you create the reference.'
    : 'Create another reference, and call the helper before the service has finished.';
}
