import { changeAsSystem } from '../commit/change-as-system.ts';
import { today } from '../core/calendar.ts';
import { toSeconds } from '../core/clock.ts';
import type { Encryption } from '../core/secrets/encryption.ts';
import { gateways, type Gateway } from '../core/vocabulary/gateways.ts';
import type { Change } from '../model/resource.ts';
import {
  applyReport,
  begin,
  callFailed,
  gatewayOrderOf,
  nextStepOf,
  postponed,
  refundKeyOf,
  refundToAskFor,
  type CollectionStep,
} from '../resources/letting/payment/collection.ts';
import { payment, type PaymentRecord } from '../resources/letting/payment/index.ts';
import { readsOfSettling } from '../resources/letting/payment/moves.ts';
import { readsOfFreeing } from '../resources/letting/settlement.ts';
import { lateRead, scaled, workingDaySeconds } from '../external-services/pauses.ts';
import { ProviderFault, type ProviderAccess, type ProviderClient } from '../external-services/service.ts';
import type { StepContext, Steps } from '../external-jobs/task.ts';
import { simulatedCredentials } from './credentials.ts';
import type { Charge, PaymentGateway } from './gateways/gateway.ts';

/** The links whose records decide what a report of the gateway moves. */
const readsOfReport = [...readsOfSettling, ...readsOfFreeing];

export interface CollectingContext extends StepContext {
  config: { publicUrl: string };
  encryption: Encryption;
  accounts: { get(id: string): Promise<{ rootId: string; timeZone: string } | null> };
  metrics: { collecting: CollectingObserver };
}

/** Observes the gateways for the operator. */
export interface CollectingObserver {
  stepTaken(gateway: Gateway, step: CollectionStep, result: 'done' | 'busy' | 'failed', durationMs: number): void;
}

/** How this deployment reaches a gateway. */
export type GatewayClients = ReadonlyMap<Gateway, ProviderClient>;

/** Starts payments at their gateways, and advances them. The result of a step is a change like any other. */
export class Collecting implements Steps<PaymentRecord, CollectionStep> {
  readonly resource = payment;
  readonly services = gateways;
  readonly nextStepOf = nextStepOf;
  readonly postponed = postponed;
  readonly #context: CollectingContext;
  readonly #gateways: Readonly<Record<Gateway, PaymentGateway>>;
  readonly #clients: GatewayClients;
  readonly #timeScale: number;

  /**
   * @param parts.clients how to reach the gateways. A missing one cannot be called.
   * @param parts.timeScale the real seconds in a second of a simulated gateway. 1 is real time.
   */
  constructor(
    context: CollectingContext,
    parts: {
      gateways: Readonly<Record<Gateway, PaymentGateway>>;
      clients: GatewayClients;
      timeScale: number;
    },
  ) {
    this.#context = context;
    this.#gateways = parts.gateways;
    this.#clients = parts.clients;
    this.#timeScale = parts.timeScale;
  }

  serviceOf({ provider }: PaymentRecord): Gateway | null {
    return provider;
  }

  timeScaleOf(gateway: Gateway): number {
    return gateway === 'simulator' ? this.#timeScale : 1;
  }

  failuresOf(now: PaymentRecord): number {
    return gatewayOrderOf(now).failures;
  }

  failed(now: PaymentRecord, _: ProviderFault, { retryAtMs }: { retryAtMs: number }): Change<PaymentRecord> {
    return callFailed(now, retryAtMs);
  }

  stepTaken(gateway: Gateway, step: CollectionStep, result: 'done' | 'busy' | 'failed', durationMs: number): void {
    this.#context.metrics.collecting.stepTaken(gateway, step, result, durationMs);
  }

  async take(current: PaymentRecord, gateway: Gateway, step: CollectionStep): Promise<void> {
    const service = this.#serviceOf(gateway);
    const access = this.#accessOf(current, gateway);
    if (step === 'start' && !(await this.#begin(current))) return;
    const charge = await this.#ask(current, service, access, step);
    await this.#apply(current, service, charge, step);
  }

  /** Commits that the gateway may know the payment. Resolves to false if there is nothing to start any more. */
  async #begin(current: PaymentRecord): Promise<boolean> {
    let isBegun = false;
    await changeAsSystem(this.#context, payment, current, {}, (now) => {
      const begun = begin(now);
      isBegun = begun !== null;
      return begun;
    });
    return isBegun;
  }

  #ask(current: PaymentRecord, service: PaymentGateway, access: ProviderAccess, step: CollectionStep): Promise<Charge> {
    if (step === 'start') return service.start(access, this.#chargeOf(current));
    const { id } = gatewayOrderOf(current);
    if (id === null) throw new Error(`Bug! ${current.id} has no charge to ${step}.`);
    if (step === 'look') return service.look(access, id);
    if (step === 'cancel') return service.cancel(access, id);
    const index = refundToAskFor(current);
    if (index === null) throw new Error(`Bug! ${current.id} has no refund to ask for.`);
    const key = refundKeyOf(current, index);
    return service.refund(access, id, { key, amount: current.refunds[index]!.amount }).then((charge) => {
      // Otherwise the refund would be asked for again and again.
      if (charge.refunds.some((refund) => refund.key === key)) return charge;
      throw new ProviderFault('response_invalid', 'The gateway took a refund that its answer does not list.');
    });
  }

  #chargeOf({ id, account_id: accountId, amount, currency, method, provider, metadata }: PaymentRecord) {
    if (method !== 'direct_debit' && method !== 'card') throw new Error(`Bug! ${id} cannot be collected by ${method}.`);
    return {
      key: id,
      amount,
      currency,
      method,
      callbackUrl: `${this.#context.config.publicUrl}/provider_callbacks/${provider}/${accountId}`,
      // A real gateway must not see the account's own notes.
      scenario: provider === 'simulator' ? (metadata?.simulate ?? null) : null,
    } as const;
  }

  /** Moves the payment as the gateway says, in its present state. */
  async #apply(current: PaymentRecord, service: PaymentGateway, charge: Charge, step: CollectionStep): Promise<void> {
    const { clock, accounts, log } = this.#context;
    const facts = await accounts.get(current.account_id);
    if (!facts) throw new Error(`Bug! The account ${current.account_id} is not there.`);
    const timeScale = this.timeScaleOf(service.name);
    await changeAsSystem(
      this.#context,
      payment,
      current,
      { locks: current.tenancy === null ? [] : [current.tenancy], reads: readsOfReport },
      (now, related) => {
        const nowMs = clock.nowMs();
        const nowSeconds = toSeconds(nowMs);
        const isLate = charge.status === 'succeeded' && (now.status === 'failed' || now.status === 'canceled');
        if (isLate) log.error({ payment: now.id, provider: service.name }, 'a gateway has money of an ended payment');
        return applyReport(
          now,
          charge,
          {
            nowMs,
            nowSeconds,
            today: today(nowSeconds, facts.timeZone),
            takenOn: charge.takenAt === null ? null : today(charge.takenAt, facts.timeZone),
            step,
            dueAtMs: gatewayOrderOf(current).due_at_ms,
            nextLookAtMs: nowMs + scaled(service.lookAgainAfterSeconds, timeScale),
            lateLookAtMs: lateRead(
              nowMs,
              (now.succeeded_at ?? nowSeconds) * 1000,
              scaled(service.name === 'simulator' ? workingDaySeconds : 24 * 3600, timeScale),
            ),
          },
          related,
        );
      },
    );
  }

  /** A newer release may have stored a gateway that this one does not know. */
  #serviceOf(gateway: Gateway): PaymentGateway {
    if (Object.hasOwn(this.#gateways, gateway)) return this.#gateways[gateway];
    throw new ProviderFault('provider_unknown', `This release of the server does not know the gateway ${gateway}.`);
  }

  #accessOf({ account_id: accountId }: PaymentRecord, gateway: Gateway): ProviderAccess {
    const client = this.#clients.get(gateway);
    if (!client) throw new ProviderFault('provider_unavailable', `The gateway ${gateway} is not set up here.`);
    return { client, credentials: simulatedCredentials(this.#context.encryption, accountId, gateway) };
  }
}
