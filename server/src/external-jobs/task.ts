import type { Logger } from 'pino';
import { changeAsSystem, type SystemChangeContext } from '../commit/change-as-system.ts';
import { findPayer } from '../core/limits/byte-budget.ts';
import type { RandomBytes } from '../core/random.ts';
import { crowdedPauseMs, JobPlaces, type PlaceLimits } from '../core/limits/job-places.ts';
import type { JobSubject, Task } from '../job-queue/queue.ts';
import type { StoredRecord } from '../model/record.ts';
import type { Change, Resource } from '../model/resource.ts';
import { pauseAfterFailure, scaled } from '../external-services/pauses.ts';
import { ProviderFault } from '../external-services/service.ts';

/** Concurrent calls to one service, and those for a tree of accounts. Its other jobs wait, and those of other services run. */
export const callLimits: PlaceLimits = { all: 8, ofTree: 6, forOthers: 2 };

/** A kind of record that services advance, step by step. */
export interface Steps<R extends StoredRecord, Step extends string> {
  resource: Resource<R>;
  /** The names of all services. */
  services: readonly string[];
  /** Returns the name of the service of the next step, or null if the record has none. */
  serviceOf(record: R): string | null;
  /** Returns the next step, or null if there is none. */
  nextStepOf(record: R): Step | null;
  /**
   * Takes a step, and commits what came of it. A step may be taken twice.
   *
   * @throws {ProviderFault} if the service did not do what it was asked.
   */
  take(record: R, service: string, step: Step): Promise<void>;
  /** Returns the real seconds in a second of the service. A simulated one has days of its own. */
  timeScaleOf(service: string): number;
  /** Returns the failed calls in a row. `seen` is the record as it was before the call. */
  failuresOf(now: R, seen: R): number;
  /** Schedules the step for later, because the service has too much to do. Null if the record needs it no more. */
  postponed(now: R, againAtMs: number, seen: R): Change<R> | null;
  /** Records that a call failed. Null if the record needs it no more. */
  failed(now: R, fault: ProviderFault, when: { nowMs: number; retryAtMs: number; seen: R }): Change<R> | null;
  /** Tells the operator about a step. */
  stepTaken(service: string, step: Step, result: 'done' | 'busy' | 'failed', durationMs: number): void;
}

export interface StepContext extends SystemChangeContext {
  accounts: { get(id: string): Promise<{ rootId: string } | null> };
  log: Logger;
  randomBytes: RandomBytes;
}

/**
 * Advances records of one kind. One job reads the record and takes its next step. The result is a change like any other, and sets the time
 * of the next step. A job that is cut off starts again, so a step may be taken twice.
 */
export class StepTask<R extends StoredRecord, Step extends string> implements Task {
  readonly atOnceMax: number;
  readonly #context: StepContext;
  readonly #steps: Steps<R, Step>;
  /** By the name of the service. */
  readonly #places = new Map<string, JobPlaces>();
  /** The last step of each record that is under way here. */
  readonly #stepping = new Map<string, Promise<void>>();

  constructor(context: StepContext, steps: Steps<R, Step>) {
    this.#context = context;
    this.#steps = steps;
    this.atOnceMax = steps.services.length * callLimits.all;
  }

  crowdedGroups(): string[] {
    return [...this.#places.values()].flatMap((places) => places.crowdedGroups());
  }

  /**
   * Takes the next step of a record, after the one under way. A callback can ask for another step meanwhile, and the older of two results
   * must not be stored last. Throws only for our own faults; the job is then retried.
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
    const steps = this.#steps;
    const current = await this.#context.readRecord(steps.resource, accountId, id);
    const service = current && steps.serviceOf(current);
    if (!current || service === null) return;
    // Many jobs are claimed at once before any of them is under way.
    const free = this.#placesOf(service).take(await findPayer(this.#context.accounts, accountId));
    if (!free) return this.#postpone(current, this.#context.clock.nowMs() + crowdedPauseMs);
    try {
      await this.#takeStep(current, service);
    } finally {
      free();
    }
  }

  #placesOf(service: string): JobPlaces {
    const places = this.#places.get(service) ?? new JobPlaces(service, callLimits);
    this.#places.set(service, places);
    return places;
  }

  async #takeStep(current: R, service: string): Promise<void> {
    const step = this.#steps.nextStepOf(current);
    if (step === null) return;
    const startedMs = performance.now();
    try {
      await this.#steps.take(current, service, step);
      this.#steps.stepTaken(service, step, 'done', performance.now() - startedMs);
    } catch (error) {
      if (!(error instanceof ProviderFault)) throw error;
      const result = error.busyForSeconds === null ? 'failed' : 'busy';
      this.#steps.stepTaken(service, step, result, performance.now() - startedMs);
      await this.#recordFault(current, service, error);
    }
  }

  async #recordFault(current: R, service: string, fault: ProviderFault): Promise<void> {
    const { clock, log, randomBytes } = this.#context;
    const steps = this.#steps;
    const timeScale = steps.timeScaleOf(service);
    const subject = { [steps.resource.object]: current.id, provider: service };
    log.warn({ ...subject, fault: fault.code, err: fault.cause }, 'a provider could not be asked');
    if (fault.busyForSeconds !== null)
      return this.#postpone(current, clock.nowMs() + Math.max(fault.busyForSeconds * 1000, scaled(0, timeScale)));
    const random = Buffer.from(randomBytes(4)).readUInt32BE() / 2 ** 32;
    await changeAsSystem(this.#context, steps.resource, current, {}, (now) => {
      const pauseMs = pauseAfterFailure(steps.failuresOf(now, current) + 1, random, timeScale);
      const nowMs = clock.nowMs();
      return steps.failed(now, fault, { nowMs, retryAtMs: nowMs + pauseMs, seen: current });
    });
  }

  async #postpone(current: R, againAtMs: number): Promise<void> {
    const steps = this.#steps;
    await changeAsSystem(this.#context, steps.resource, current, {}, (now) =>
      steps.nextStepOf(now) === null ? null : steps.postponed(now, againAtMs, current),
    );
  }
}
