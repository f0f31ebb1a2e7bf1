import { changeAsSystem, type SystemChangeContext } from '../commit/change-as-system.ts';
import type { Mode } from '../core/secrets/api-keys.ts';
import type { IdMaker } from '../core/ids.ts';
import { providers, type Provider } from '../core/vocabulary/providers.ts';
import type { Change, RecordChange } from '../model/resource.ts';
import type { Encryption } from '../core/secrets/encryption.ts';
import type { Steps } from '../external-jobs/task.ts';
import { ProviderFault, type ProviderAccess } from '../external-services/service.ts';
import type { Findings, Progress, ReferencingProvider } from './providers/provider.ts';
import { reference } from '../resources/reference/index.ts';
import {
  hasSameOrder,
  orderKeyOf,
  orderNumberOf,
  postponeStop,
  recordEarlierStopped,
  recordLeft,
  recordNotFound,
  recordStopFailure,
} from '../resources/reference/earlier-orders.ts';
import {
  applyStatus,
  beginOrder,
  nextStepOf,
  providerOrderOf,
  recordBusy,
  recordFailure,
  recordInvited,
  recordStopped,
  type ReadContext,
  type OrderStep,
} from '../resources/reference/order.ts';
import type { EarlierOrder, ReferenceRecord } from '../resources/reference/record.ts';
import { nextCallOf } from '../resources/reference/schedule.ts';
import { requiredCredentials, type ProviderConnection, type ProviderConnections } from './credentials.ts';
import { orderOf, readAccount, readApplicant } from './order-contents.ts';
import { lateRead, scaled, workingDaySeconds } from '../external-services/pauses.ts';
import type { Reports, ReportContext } from './reports.ts';

/** Seconds until a new order is first read, unless a callback comes. */
const firstLookSeconds = 60;

export interface ReferencingContext extends ReportContext, SystemChangeContext {
  config: { mode: Mode; publicUrl: string };
  ids: IdMaker;
  encryption: Encryption;
  metrics: { referencing: ReferencingObserver };
}

/** Observes the services for the operator. */
export interface ReferencingObserver {
  stepTaken(provider: Provider, step: OrderStep, result: 'done' | 'busy' | 'failed', durationMs: number): void;
}

/** Submits references to their providers and advances them. The result of a step is a change like any other. */
export class Referencing implements Steps<ReferenceRecord, OrderStep> {
  readonly resource = reference;
  readonly services = providers;
  readonly #context: ReferencingContext;
  readonly #providers: Readonly<Record<Provider, ReferencingProvider>>;
  readonly #connections: ProviderConnections;
  readonly #timeScale: number;
  readonly #reports: Reports;

  /**
   * @param parts.connections how to reach the services. A missing one cannot be called.
   * @param parts.timeScale the real seconds in a second of the simulated services. 1 is real time.
   */
  constructor(
    context: ReferencingContext,
    parts: {
      providers: Readonly<Record<Provider, ReferencingProvider>>;
      connections: ProviderConnections;
      timeScale: number;
      reports: Reports;
    },
  ) {
    this.#context = context;
    this.#providers = parts.providers;
    this.#connections = parts.connections;
    this.#timeScale = parts.timeScale;
    this.#reports = parts.reports;
  }

  /** Returns the service that is called next, about the present order or an earlier one. */
  serviceOf(current: ReferenceRecord): Provider | null {
    return (nextCallOf(current)?.provider ?? null) as Provider | null;
  }

  nextStepOf(current: ReferenceRecord): OrderStep | null {
    return nextCallOf(current)?.step ?? null;
  }

  timeScaleOf(provider: Provider): number {
    return this.#connections.get(provider)?.isSimulated ? this.#timeScale : 1;
  }

  failuresOf(now: ReferenceRecord, seen: ReferenceRecord): number {
    const earlier = nextCallOf(seen)?.earlier;
    return earlier ? earlier.failures : (now.provider_order?.failures ?? 0);
  }

  postponed(now: ReferenceRecord, againAtMs: number, seen: ReferenceRecord): Change<ReferenceRecord> | null {
    const earlier = nextCallOf(seen)?.earlier;
    if (earlier) return postponeStop(now, earlier, againAtMs);
    return hasSameOrder(now, seen) && nextStepOf(now) !== null ? recordBusy(now, againAtMs) : null;
  }

  failed(
    now: ReferenceRecord,
    fault: ProviderFault,
    { nowMs, retryAtMs, seen }: { nowMs: number; retryAtMs: number; seen: ReferenceRecord },
  ): Change<ReferenceRecord> | null {
    const earlier = nextCallOf(seen)?.earlier;
    if (earlier) return recordStopFailure(now, earlier, retryAtMs);
    // A failure at a service that the reference has left says nothing about the present one.
    if (!hasSameOrder(now, seen)) return null;
    const dueAtMs = seen.provider_order?.due_at_ms ?? null;
    return recordFailure(now, fault, { nowMs, retryAtMs, look: readNumberOf(seen), dueAtMs });
  }

  stepTaken(provider: Provider, step: OrderStep, result: 'done' | 'busy' | 'failed', durationMs: number): void {
    this.#context.metrics.referencing.stepTaken(provider, step, result, durationMs);
  }

  async take(current: ReferenceRecord, provider: Provider, step: OrderStep): Promise<void> {
    const begunAtMs = this.#context.clock.nowMs();
    const service = this.#serviceOf(provider);
    const connection = this.#connectionOf(provider);
    const access = await this.#accessOf(current, provider, connection);
    const earlier = nextCallOf(current)?.earlier;
    if (earlier) return this.#stopEarlier(current, earlier, service, access);
    const orderId = providerOrderOf(current).id;
    if (step === 'stop') {
      await service.cancel(access, orderId!);
      return this.#change(current, (now) => recordStopped(now));
    }
    if (step === 'invite') return this.#invite(current, service, access);
    if (step === 'submit' && !(await this.#begin(current))) return;
    const progress =
      step === 'submit'
        ? await service.submit(access, await this.#orderOf(current, provider, connection))
        : await service.read(access, orderId!);
    const nextReadSeconds = step === 'submit' ? firstLookSeconds : service.lookAgainAfterSeconds;
    await this.#applyStatus(current, progress, {
      begunAtMs,
      nextReadMs: scaled(nextReadSeconds, this.timeScaleOf(provider)),
      // Services with callbacks report later changes themselves.
      lateReadEveryMs: service.readCallback ? null : scaled(secondsOfDay(connection), this.timeScaleOf(provider)),
      repeatsInvitations: service.invite !== undefined,
      findings: () => service.fetchFindings(access, progress.orderId),
    });
  }

  /**
   * Reads the findings of a finished check once more. Resolves to null if its service has not finished, or if no service makes the check.
   *
   * @throws {ProviderFault}
   */
  async findingsOf(current: ReferenceRecord): Promise<Findings | null> {
    const { automatic_reference: automatic, provider_order: order } = current;
    if (!automatic?.provider || automatic.status !== 'done' || !order?.id) return null;
    const connection = this.#connectionOf(automatic.provider);
    const access = await this.#accessOf(current, automatic.provider, connection);
    return this.#serviceOf(automatic.provider).fetchFindings(access, order.id);
  }

  /** Commits that the service may have the order from now on. Resolves to false if the order is not wanted any more. */
  async #begin(current: ReferenceRecord): Promise<boolean> {
    let isBegun = false;
    await this.#change(current, (now) => {
      const begun = hasSameOrder(now, current) ? beginOrder(now) : null;
      isBegun = begun !== null;
      return begun;
    });
    return isBegun;
  }

  /** Tells the service the present e-mail address of the person. A service without such a call keeps the former one. */
  async #invite(current: ReferenceRecord, service: ReferencingProvider, access: ProviderAccess): Promise<void> {
    const person = await readApplicant(this.#context.readRecord, current);
    const email = person?.email ?? null;
    if (email !== null) await service.invite?.(access, providerOrderOf(current).id!, email);
    await this.#change(current, (now) =>
      hasSameOrder(now, current) ? recordInvited(now, current, this.#context.clock.nowMs()) : null,
    );
  }

  /** Stops an order at a service that the reference has left. If its id is not known, the service is asked for it. */
  async #stopEarlier(
    current: ReferenceRecord,
    earlier: EarlierOrder,
    service: ReferencingProvider,
    access: ProviderAccess,
  ): Promise<void> {
    const orderId = earlier.id ?? (await service.find(access, orderKeyOf(current, earlier.number)));
    if (orderId !== null) await service.cancel(access, orderId);
    const againAtMs = this.#context.clock.nowMs() + scaled(firstLookSeconds, this.timeScaleOf(service.name));
    await this.#change(current, (now) =>
      orderId === null ? recordNotFound(now, earlier, againAtMs) : recordEarlierStopped(now, earlier),
    );
  }

  /** Records a service's progress. The report is made before the change that completes the reference, and becomes a file with it. */
  async #applyStatus(
    current: ReferenceRecord,
    progress: Progress,
    {
      begunAtMs,
      nextReadMs,
      lateReadEveryMs,
      repeatsInvitations,
      findings,
    }: {
      begunAtMs: number;
      nextReadMs: number;
      lateReadEveryMs: number | null;
      repeatsInvitations: boolean;
      findings: () => ReturnType<ReferencingProvider['fetchFindings']>;
    },
  ): Promise<void> {
    const { clock } = this.#context;
    const completedAtMs = current.completed_at === null ? clock.nowMs() : current.completed_at * 1000;
    const readContext = (): ReadContext => ({
      nowMs: clock.nowMs(),
      look: readNumberOf(current),
      dueAtMs: providerOrderOf(current).due_at_ms,
      begunAtMs,
      nextReadAtMs: clock.nowMs() + nextReadMs,
      repeatsInvitations,
      lateReadAtMs: lateReadEveryMs === null ? null : lateRead(clock.nowMs(), completedAtMs, lateReadEveryMs),
    });
    const isFinishing = progress.status === 'done' && current.completed_at === null && current.status !== 'canceled';
    const isOver = progress.status === 'done' || progress.status === 'failed' || progress.status === 'canceled';
    const left = { orderId: progress.orderId, isOver };
    const apply = (now: ReferenceRecord, report: RecordChange | null): Change<ReferenceRecord> | null =>
      hasSameOrder(now, current)
        ? applyStatus(now, progress, readContext(), report)
        : recordLeft(now, current, left, clock.nowMs());
    if (!isFinishing || current.reference_pdf !== null) return this.#change(current, (now) => apply(now, null));
    const report = await this.#reports.make(current, { findings: await findings(), decision: null, number: 1 });
    let isWanted = false;
    await this.#change(current, (now) => {
      const decided = apply(now, report);
      isWanted = decided?.also !== undefined;
      return decided;
    });
    // Another change has ended the reference. After a lost commit, the report's bytes are removed in an hour unless they became a file.
    if (!isWanted) await this.#reports.discard(report);
  }

  /** Changes the present state of the reference, because its state during the call may be outdated. */
  async #change(
    current: ReferenceRecord,
    decide: (now: ReferenceRecord) => Change<ReferenceRecord> | null,
  ): Promise<void> {
    const locks = [current.application, current.customer].filter((id) => id !== null);
    await changeAsSystem(this.#context, reference, current, { locks }, decide);
  }

  /** A newer release may have stored a provider that this one does not know. */
  #serviceOf(provider: Provider): ReferencingProvider {
    if (Object.hasOwn(this.#providers, provider)) return this.#providers[provider];
    throw new ProviderFault('provider_unknown', `This release of the server does not know ${provider}.`);
  }

  #connectionOf(provider: Provider): ProviderConnection {
    const connection = this.#connections.get(provider);
    if (connection) return connection;
    throw new ProviderFault(
      'provider_unavailable',
      `${provider} is not set up here. TENURE_${provider.toUpperCase()}_URL is missing.`,
    );
  }

  async #accessOf(
    current: ReferenceRecord,
    provider: Provider,
    { client, isSimulated }: ProviderConnection,
  ): Promise<ProviderAccess> {
    const { encryption, readRecord } = this.#context;
    const owner = await readAccount(readRecord, current.account_id);
    return { client, credentials: requiredCredentials(encryption, owner, provider, isSimulated) };
  }

  #orderOf(current: ReferenceRecord, provider: Provider, { isSimulated }: ProviderConnection) {
    const { readRecord, config } = this.#context;
    const callbackUrl = `${config.publicUrl}/provider_callbacks/${provider}/${current.account_id}`;
    const key = orderKeyOf(current, orderNumberOf(current));
    return orderOf(readRecord, current, { key, callbackUrl, isSimulated });
  }
}

/** Returns the seconds of a day. Simulated services count working days only. */
function secondsOfDay({ isSimulated }: ProviderConnection): number {
  return isSimulated ? workingDaySeconds : 24 * 3600;
}

/** Returns the number of the last look that a test helper had asked for. */
function readNumberOf({ provider_order: order }: ReferenceRecord): number {
  return order?.looks?.asked ?? 0;
}
