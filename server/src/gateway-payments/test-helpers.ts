import type { SystemChangeContext } from '../commit/change-as-system.ts';
import { ApiError } from '../core/errors.ts';
import type { JsonObject } from '../core/json-diff.ts';
import type { Pool } from '../db/pools.ts';
import { refundKeyOf, wake } from '../resources/letting/payment/collection.ts';
import { payment, type PaymentRecord } from '../resources/letting/payment/index.ts';
import { Watch, type WatchLimits } from '../external-jobs/watch.ts';
import { forcedToFail, forcedToSucceed, type SimulatedCharge } from './simulator/charge.ts';
import { changeCharge, readCharge } from './simulator/charges.ts';

interface SimulationContext extends SystemChangeContext {
  database: { readers: Pool };
}

/** What a test helper makes the gateway do, and how the payment shows it. */
interface Effect {
  /** The status of a pending payment after it. */
  status: PaymentRecord['status'];
  force(charge: SimulatedCharge, nowMs: number, input: { code?: string }): SimulatedCharge | null;
  isShown(now: PaymentRecord): boolean;
}

const effects: Readonly<Record<string, Effect>> = {
  succeed: {
    status: 'succeeded',
    force: forcedToSucceed,
    isShown: ({ status, refunds }) => status !== 'pending' && refunds.every((refund) => refund.status !== 'pending'),
  },
  fail: {
    status: 'failed',
    force: (charge, nowMs, { code = null }: { code?: string | null }) => forcedToFail(charge, code, nowMs),
    isShown: ({ status }) => status !== 'pending' && status !== 'succeeded',
  },
};

/** Makes the simulated gateway of a sandbox do what a test needs. */
export class GatewaySimulations {
  readonly #context: SimulationContext;
  readonly #watch: Watch<PaymentRecord>;

  constructor(context: SimulationContext, limits: WatchLimits) {
    this.#context = context;
    const kind = {
      resource: payment,
      dueAtMs: ({ gateway_order: order }: PaymentRecord) => order?.due_at_ms ?? null,
      requestRead: wake,
    };
    this.#watch = new Watch(context, kind, limits);
  }

  /**
   * Makes the gateway do something. Resolves when the payment shows it.
   *
   * @throws {ApiError} `status_transition_invalid` if the gateway has nothing to do for the payment.
   * @throws {ApiError} `unavailable` if the payment does not reach the gateway in time, and nothing was changed. Also if the payment does not
   * show the effect in time.
   */
  async play(current: PaymentRecord, name: string, input: JsonObject): Promise<void> {
    const { database, clock } = this.#context;
    const effect = effects[name];
    if (!effect) throw new Error(`Bug! There is no test helper ${name}.`);
    const pool = database.readers;
    requireCharge(current);
    await this.#watch.untilPlaced(current, async (now) => {
      requireCharge(now);
      const charge = await readCharge(pool, { key: now.id });
      return charge !== null && knowsRefunds(charge, now);
    });
    const isPlayed = await this.#watch.played(
      current,
      async () => {
        const nowMs = clock.nowMs();
        const changed = await changeCharge(pool, { key: current.id }, nowMs, (charge) =>
          effect.force(charge, nowMs, input),
        );
        return changed?.isChanged ?? false;
      },
      () => this.#untilShown(current, effect),
    );
    if (isPlayed) return;
    const now = await this.#watch.now(current);
    // A gateway that has just done it by itself has already done what the helper asks.
    if (current.status !== 'pending' || now.status !== effect.status) throw nothingToDo(now, name);
  }

  async #untilShown(current: PaymentRecord, effect: Effect): Promise<void> {
    await this.#watch.askForLook(current);
    await this.#watch.untilShown(current, (now) => effect.isShown(now));
  }
}

/** Returns whether the gateway has all pending refunds. Otherwise it could not send their money. */
function knowsRefunds(charge: SimulatedCharge, now: PaymentRecord): boolean {
  return now.refunds.every(
    ({ status }, index) => status !== 'pending' || charge.refunds.some(({ key }) => key === refundKeyOf(now, index)),
  );
}

/** @throws {ApiError} `status_transition_invalid` if the payment is at no gateway. */
function requireCharge(now: PaymentRecord): void {
  if (now.provider === 'simulator' && !(now.status === 'canceled' && now.gateway_order?.id === null)) return;
  const reason =
    now.provider === null
      ? 'It has no `provider`. Create a payment with `provider: simulator`.'
      : 'It was canceled before its gateway knew it. Create another payment.';
  throw new ApiError('status_transition_invalid', `No gateway can move the payment ${now.id}. ${reason}`);
}

function nothingToDo({ id, status }: PaymentRecord, name: string): ApiError {
  const advice =
    name === 'succeed'
      ? 'The gateway can take the money of a pending payment, or send a pending refund.'
      : 'The gateway can decline a pending payment, or take back one that succeeded.';
  return new ApiError('status_transition_invalid', `The payment ${id} is \`${status}\`. ${advice}`);
}
