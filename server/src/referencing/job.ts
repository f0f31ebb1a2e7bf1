import type { Committer } from '../commit/committer.ts';
import { withRollUps } from '../commit/roll-ups.ts';
import { toDecision } from '../model/change.ts';
import type { Mode } from '../core/api-keys.ts';
import type { Provider } from '../core/providers.ts';
import type { RandomBytes } from '../core/random.ts';
import type { Change, Resource, RecordChange } from '../model/resource.ts';
import type { Encryption } from '../core/encryption.ts';
import { ProviderFault, type Progress, type ProviderAccess, type ReferencingProvider } from './providers/provider.ts';
import { reference } from '../resources/reference/index.ts';
import {
  nextStepOf,
  recordBusy,
  recordFailure,
  recordStopped,
  applyStatus,
  providerOrderOf,
  type ReadContext,
  type OrderStep,
} from '../resources/reference/order.ts';
import type { ReferenceRecord } from '../resources/reference/record.ts';
import type { JobSubject, Task } from '../job-queue/queue.ts';
import {
  orderOf,
  readAccount,
  requiredCredentials,
  type ProviderConnection,
  type ProviderConnections,
} from './access.ts';
import { lateRead, pauseAfterFailure, scaled, workingDaySeconds } from './pauses.ts';
import { Reports, type ReportContext, type ReportPrinter } from './reports.ts';

/** Concurrent calls to one service. Its other jobs wait, and those of other services run. */
const callsAtOnceMax = 8;

const crowdedPauseMs = 1_000;

/** Seconds until a new order is first read. A callback during its submission is lost. */
const firstLookSeconds = 60;

export interface ReferencingContext extends ReportContext {
  config: { mode: Mode; publicUrl: string };
  committer: Committer;
  resources: readonly Resource[];
  randomBytes: RandomBytes;
  encryption: Encryption;
  metrics: { referencing: ReferencingObserver };
}

/** Observes the services for the operator. */
export interface ReferencingObserver {
  stepTaken(provider: Provider, step: OrderStep, result: 'done' | 'busy' | 'failed', durationMs: number): void;
}

/**
 * Submits references to their providers and advances them. One job reads the reference and takes its next step. The result is a change like
 * any other, and sets the time of the next step. A job that is cut off starts again, so a step may be taken twice.
 */
export class Referencing implements Task {
  readonly #context: ReferencingContext;
  readonly #providers: Readonly<Record<Provider, ReferencingProvider>>;
  readonly #connections: ProviderConnections;
  readonly #timeScale: number;
  readonly #reports: Reports;
  readonly #underWay = new Map<string, number>();
  /** The last step of each reference that is under way here. */
  readonly #stepping = new Map<string, Promise<void>>();

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
      printer: ReportPrinter;
    },
  ) {
    this.#context = context;
    this.#providers = parts.providers;
    this.#connections = parts.connections;
    this.#timeScale = parts.timeScale;
    this.#reports = new Reports(context, parts.printer);
  }

  crowdedGroups(): string[] {
    return [...this.#underWay].filter(([, count]) => count >= callsAtOnceMax).map(([provider]) => provider);
  }

  /**
   * Takes the next step of a reference, after the one under way. A callback can ask for another step meanwhile, and the older of two
   * results must not be stored last. Throws only for our own faults; the job is then retried.
   */
  async run(subject: JobSubject): Promise<void> {
    const { id } = subject;
    const before = this.#stepping.get(id);
    const step = before ? before.catch(() => {}).then(() => this.#step(subject)) : this.#step(subject);
    this.#stepping.set(id, step);
    try {
      await step;
    } finally {
      if (this.#stepping.get(id) === step) this.#stepping.delete(id);
    }
  }

  async #step({ account: accountId, id }: JobSubject): Promise<void> {
    const current = await this.#context.readRecord(reference, accountId, id);
    const provider = current?.automatic_reference?.provider;
    if (!current || !provider) return;
    const underWay = this.#underWay.get(provider) ?? 0;
    // Many jobs are claimed at once before any of them is under way.
    if (underWay >= callsAtOnceMax) return this.#postpone(current);
    this.#underWay.set(provider, underWay + 1);
    try {
      await this.#takeStep(current, provider);
    } finally {
      this.#underWay.set(provider, this.#underWay.get(provider)! - 1);
    }
  }

  async #postpone(current: ReferenceRecord): Promise<void> {
    const againAtMs = this.#context.clock.nowMs() + crowdedPauseMs;
    await this.#change(current, (now) => (nextStepOf(now) === null ? { after: now } : recordBusy(now, againAtMs)));
  }

  async #takeStep(current: ReferenceRecord, provider: Provider): Promise<void> {
    const step = nextStepOf(current);
    if (step === null) return;
    const startedMs = performance.now();
    const observer = this.#context.metrics.referencing;
    try {
      await this.#ask(current, provider, step);
      observer.stepTaken(provider, step, 'done', performance.now() - startedMs);
    } catch (error) {
      if (!(error instanceof ProviderFault)) throw error;
      const result = error.busyForSeconds === null ? 'failed' : 'busy';
      observer.stepTaken(provider, step, result, performance.now() - startedMs);
      await this.#recordFault(current, provider, error);
    }
  }

  async #ask(current: ReferenceRecord, provider: Provider, step: OrderStep): Promise<void> {
    const service = this.#serviceOf(provider);
    const connection = this.#connectionOf(provider);
    const access = await this.#accessOf(current, provider, connection);
    const orderId = providerOrderOf(current).id;
    if (step === 'stop') {
      await service.cancel(access, orderId!);
      return this.#change(current, (now) => recordStopped(now));
    }
    const progress =
      step === 'submit'
        ? await service.submit(access, await this.#orderOf(current, provider, connection))
        : await service.read(access, orderId!);
    const nextReadSeconds = step === 'submit' ? firstLookSeconds : service.lookAgainAfterSeconds;
    await this.#applyStatus(current, progress, {
      nextReadMs: scaled(nextReadSeconds, this.#timeScaleOf(connection)),
      // Services with callbacks report later changes themselves.
      lateReadEveryMs: service.readCallback ? null : scaled(secondsOfDay(connection), this.#timeScaleOf(connection)),
      findings: () => service.fetchFindings(access, progress.orderId),
    });
  }

  /** Records a service's progress. The report is made before the change that completes the reference, and becomes a file with it. */
  async #applyStatus(
    current: ReferenceRecord,
    progress: Progress,
    {
      nextReadMs,
      lateReadEveryMs,
      findings,
    }: {
      nextReadMs: number;
      lateReadEveryMs: number | null;
      findings: () => ReturnType<ReferencingProvider['fetchFindings']>;
    },
  ): Promise<void> {
    const { clock } = this.#context;
    const completedAtMs = current.completed_at === null ? clock.nowMs() : current.completed_at * 1000;
    const readContext = (): ReadContext => ({
      nowMs: clock.nowMs(),
      look: readNumberOf(current),
      dueAtMs: providerOrderOf(current).due_at_ms,
      nextReadAtMs: clock.nowMs() + nextReadMs,
      lateReadAtMs: lateReadEveryMs === null ? null : lateRead(clock.nowMs(), completedAtMs, lateReadEveryMs),
    });
    const isFinishing = progress.status === 'done' && current.completed_at === null && current.status !== 'canceled';
    if (!isFinishing || current.reference_pdf !== null) {
      return this.#change(current, (now) => applyStatus(now, progress, readContext(), null));
    }
    const report = await this.#reports.make(current, await findings());
    let isWanted = false;
    await this.#change(current, (now) => {
      const decided = applyStatus(now, progress, readContext(), report);
      isWanted = decided.also !== undefined;
      return decided;
    });
    // Another change has ended the reference. After a lost commit, the report's bytes are removed in an hour unless they became a file.
    if (!isWanted) await this.#reports.discard(report);
  }

  async #recordFault(current: ReferenceRecord, provider: Provider, fault: ProviderFault): Promise<void> {
    const { clock, log, randomBytes } = this.#context;
    const timeScale = this.#timeScaleOf(this.#connections.get(provider));
    log.warn({ reference: current.id, provider, fault: fault.code, err: fault.cause }, 'a provider could not be asked');
    if (fault.busyForSeconds !== null) {
      const retryAtMs = clock.nowMs() + Math.max(fault.busyForSeconds * 1000, scaled(0, timeScale));
      return this.#change(current, (now) => recordBusy(now, retryAtMs));
    }
    const random = Buffer.from(randomBytes(4)).readUInt32BE() / 2 ** 32;
    await this.#change(current, (now) => {
      const pauseMs = pauseAfterFailure(providerOrderOf(now).failures + 1, random, timeScale);
      return recordFailure(now, fault, {
        nowMs: clock.nowMs(),
        retryAtMs: clock.nowMs() + pauseMs,
        look: readNumberOf(current),
      });
    });
  }

  /** Changes the present state of the reference, because its state during the call may be outdated. */
  async #change(
    { account_id: accountId, id, application }: ReferenceRecord,
    decide: (now: ReferenceRecord) => Change<ReferenceRecord>,
  ): Promise<void> {
    const { committer, readRecord } = this.#context;
    await committer.commitAsSystem({
      accountId,
      locks: application === null ? [id] : [id, application],
      decide: async () => {
        const now = await readRecord(reference, accountId, id);
        if (!now) return null;
        const changes: RecordChange[] = toDecision(reference, now, decide(now)).changes;
        return { changes: await withRollUps(this.#context, accountId, changes) };
      },
    });
  }

  /** A newer release may have stored a provider that this one does not know. */
  #serviceOf(provider: Provider): ReferencingProvider {
    if (Object.hasOwn(this.#providers, provider)) return this.#providers[provider];
    throw new ProviderFault(
      'provider_unknown',
      `This release of the server does not know ${provider}. The operator installs a release that knows it. Until the check is given up, the request is repeated by itself.`,
    );
  }

  #connectionOf(provider: Provider): ProviderConnection {
    const connection = this.#connections.get(provider);
    if (connection) return connection;
    throw new ProviderFault(
      'provider_unavailable',
      `${provider} is not set up here. The operator sets TENURE_${provider.toUpperCase()}_URL. Then the request is repeated by itself.`,
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
    return orderOf(readRecord, current, { callbackUrl, isSimulated });
  }

  #timeScaleOf(connection: ProviderConnection | undefined): number {
    return connection?.isSimulated ? this.#timeScale : 1;
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
