import { changeAsSystem } from '../commit/change-as-system.ts';
import { findPayer } from '../core/limits/byte-budget.ts';
import type { RandomBytes } from '../core/random.ts';
import { crowdedPauseMs, JobPlaces, type PlaceLimits } from '../core/limits/job-places.ts';
import type { JobSubject, Task } from '../job-queue/queue.ts';
import type { Change, RecordChange } from '../model/resource.ts';
import { reference } from '../resources/reference/index.ts';
import type { OrderStep } from '../resources/reference/order.ts';
import type { ReferenceRecord } from '../resources/reference/record.ts';
import { waitingOrdersMax } from '../resources/reference/earlier-orders.ts';
import { issueReport, isStillNext, nextReportOf, retryReport } from '../resources/reference/report.ts';
import { dueAtMs, isReportNext, reportService } from '../resources/reference/schedule.ts';
import { pauseAfterFailure } from '../external-services/pauses.ts';
import { ProviderFault } from '../external-services/service.ts';
import { StepTask, type StepContext } from '../external-jobs/task.ts';
import type { Findings } from './providers/provider.ts';
import type { Referencing, ReferencingContext } from './job.ts';
import type { Reports } from './reports.ts';

/** Failures in a row. After them, a report is issued without the findings of a service that does not respond. */
const findingsFailuresMax = 5;

/** Reports that are under way in a process. Each can wait for the findings of a service, and for its turn to be printed. */
const reportLimits: PlaceLimits = { all: 8, ofTree: 6, forOthers: 2 };

/** Steps of a job that are due at the same time: the present order, earlier orders, and a report. */
const turnsMax = waitingOrdersMax + 2;

interface TaskContext extends ReferencingContext {
  accounts: StepContext['accounts'];
  randomBytes: RandomBytes;
}

/** The job of a reference: the next step at its provider, and the next report about a decision. */
export class ReferenceTask implements Task {
  readonly atOnceMax: number;
  readonly #context: TaskContext;
  readonly #referencing: Referencing;
  readonly #reports: Reports;
  readonly #steps: StepTask<ReferenceRecord, OrderStep>;
  readonly #reportPlaces = new JobPlaces(reportService, reportLimits);

  constructor(context: TaskContext, referencing: Referencing, reports: Reports) {
    this.#context = context;
    this.#referencing = referencing;
    this.#reports = reports;
    this.#steps = new StepTask(context, referencing);
    this.atOnceMax = this.#steps.atOnceMax + reportLimits.all;
  }

  crowdedGroups(): string[] {
    return [...this.#steps.crowdedGroups(), ...this.#reportPlaces.crowdedGroups()];
  }

  /** Does what is due first. The change that it makes puts a job for the rest into the queue. */
  async run(subject: JobSubject): Promise<void> {
    let current = await this.#read(subject);
    for (let turn = 0; current && turn < turnsMax; turn++) {
      await (isReportNext(current) ? this.#issueInPlace(current) : this.#steps.run(subject));
      // If more is due at the same time, no change of that time has put a job into the queue. So this job goes on.
      const dueBeforeMs = dueAtMs(current);
      current = await this.#read(subject);
      if (!current || dueBeforeMs === null || dueAtMs(current) !== dueBeforeMs) return;
    }
  }

  async #issueInPlace(current: ReferenceRecord): Promise<void> {
    const { account_id: accountId, id } = current;
    const { clock, accounts } = this.#context;
    const free = this.#reportPlaces.take(await findPayer(accounts, accountId));
    if (!free) {
      const retry = { retryAtMs: clock.nowMs() + crowdedPauseMs, isFailure: false };
      return this.#change(current, (now) => retryReport(now, current, retry));
    }
    try {
      await this.#issueNext({ account: accountId, id });
    } finally {
      free();
    }
  }

  /** Issues the next report, also if the reference changes meanwhile. */
  async #issueNext(subject: JobSubject): Promise<void> {
    let seen = await this.#read(subject);
    while (seen && !(await this.#issue(seen))) {
      const now = await this.#read(subject);
      // Another process has issued it.
      if (!now || !isStillNext(now, seen)) return;
      seen = now;
    }
  }

  async #read({ account, id }: JobSubject): Promise<ReferenceRecord | null> {
    return this.#context.readRecord(reference, account, id);
  }

  /**
   * Issues the next report of the reference as it was read. A report that cannot be made is tried again later.
   *
   * @returns false if the reference has changed meanwhile, so that nothing was issued.
   */
  async #issue(current: ReferenceRecord): Promise<boolean> {
    const decision = nextReportOf(current);
    const order = current.report_order;
    if (!decision || !order) return true;
    const { clock } = this.#context;
    let report: RecordChange | null = null;
    let isIssued = false;
    try {
      if (await this.#reports.mayReplace(current)) {
        const findings = await this.#findingsOf(current, order.failures);
        report = await this.#reports.make(current, { findings, decision, number: order.issued + 1 });
      }
      await this.#change(current, (now) => {
        const decided = issueReport(now, current, report, clock.nowMs());
        isIssued = decided !== null;
        return decided;
      });
    } catch (error) {
      if (!(error instanceof ProviderFault)) throw error;
      await this.#retry(current, error);
      return true;
    }
    // After a lost commit, the bytes are removed in an hour unless they became a file.
    if (report && !isIssued) await this.#reports.discard(report);
    return isIssued;
  }

  /** A report must not wait for a service that is gone. Its words are known without it. */
  async #findingsOf(current: ReferenceRecord, failures: number): Promise<Findings | null> {
    return failures >= findingsFailuresMax ? null : this.#referencing.findingsOf(current);
  }

  async #retry(current: ReferenceRecord, fault: ProviderFault): Promise<void> {
    const { clock, randomBytes, log } = this.#context;
    log.warn({ reference: current.id, fault: fault.code, err: fault.cause }, 'a report could not be issued yet');
    const provider = current.automatic_reference?.provider ?? null;
    const timeScale = provider ? this.#referencing.timeScaleOf(provider) : 1;
    const random = Buffer.from(randomBytes(4)).readUInt32BE() / 2 ** 32;
    const pauseMs =
      fault.busyForSeconds === null
        ? pauseAfterFailure((current.report_order?.failures ?? 0) + 1, random, timeScale)
        : Math.max(1, fault.busyForSeconds) * 1000;
    const retry = { retryAtMs: clock.nowMs() + pauseMs, isFailure: fault.busyForSeconds === null };
    await this.#change(current, (now) => retryReport(now, current, retry));
  }

  async #change(
    current: ReferenceRecord,
    decide: (now: ReferenceRecord) => Change<ReferenceRecord> | null,
  ): Promise<void> {
    const locks = current.application === null ? [] : [current.application];
    await changeAsSystem(this.#context, reference, current, { locks }, decide);
  }
}
