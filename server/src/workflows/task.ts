import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { SystemChangeContext } from '../commit/change-as-system.ts';
import { DecisionRoom, NoRoomToDecideError } from '../commit/decision-room.ts';
import { ByteBudget, findPayer, type ByteCeiling, type ByteLimits, type Payer } from '../core/limits/byte-budget.ts';
import { FairQueue, patient } from '../core/limits/fair-queue.ts';
import { crowdedPauseMs, JobPlaces, type PlaceLimits } from '../core/limits/job-places.ts';
import type { SystemDecision } from '../commit/write-request.ts';
import { toSeconds } from '../core/clock.ts';
import { ApiError } from '../core/errors.ts';
import { isObject, type Json, type JsonObject } from '../core/json-diff.ts';
import { DatabaseError } from '../db/pools.ts';
import { bytesOf } from '../db/record-reader.ts';
import type { Reader } from '../db/reader.ts';
import type { JobSubject, Task } from '../job-queue/queue.ts';
import { toDecision } from '../model/change.ts';
import { withReading } from '../model/callers/permissions.ts';
import type { Principal } from '../model/callers/principal.ts';
import type { Change } from '../model/resource.ts';
import { workflowRun, workflowService, type WorkflowRunRecord } from '../resources/workflows/run.ts';
import {
  approvalRequest,
  endStepApproval,
  requestStepApproval,
  type ApprovalRequestRecord,
} from '../resources/workflows/approval-request.ts';
import { customerOfEvent, plainInTitle, resultOfApproval, waitingForApproval } from './approval-step.ts';
import { advanced, openEntry, stepAt, type Place, type StepResult } from './advance.ts';
import { awaitedRecord, findAwaited } from './awaited-events.ts';
import { itemsMax, type Step } from './rules/definition.ts';
import { matchesAll, type Filter } from './rules/filters.ts';
import { filledIn, textFilledIn, textsIn, valueOf, type Scope } from './rules/templates.ts';
import { boundedReader, faultOf, itemsOf, scopeBytesMax, scopeOf, withValues, type ScopeContext } from './scope.ts';
import { lookInScope } from './rules/scope.ts';
import { StepFault } from './step-fault.ts';
import { postStep, requestOfStep, type Outgoing, type StepRequest } from './http-step.ts';
import { emailOf, type EmailStepContext } from './email-step.ts';
import { awaitedTypes } from './event-types.ts';
import { untilOf } from './wait-step.ts';

/** Runs that are under way in a process. An `http` step can wait for its server for 15 seconds. */
const runLimits: PlaceLimits = { all: 24, ofTree: 16, ofAccount: 8, forOthers: 8 };

/**
 * Bytes of runs whose steps are under way, and of the records that these read. A step waits for the room of its commit. So the limit is less
 * than what large work always has.
 */
const stepBytes: ByteLimits = { max: 12 * 1024 * 1024, maxPerAccount: 4 * 1024 * 1024, maxPerTree: 8 * 1024 * 1024 };

/** Looks at a page of earlier events at once. Keys and records are read on the same connections. */
const looksAtOnce = 2;

/** A look through large events fills a processor. It leaves as much time for others. */
const lookRestFactor = 1;

/** A step reads its run twice, and writes it. Each time, it is in memory as a text and as an object. */
const bytesPerByte = 4;

/** A job that comes this early waits, in milliseconds. An earlier one is scheduled again. */
const earlyMsMax = 1_000;

/** When a step began, and how many items its list has. Null until that is known, and without a list. */
interface Moment {
  startedAtMs: number;
  items: number | null;
}

/** The room of a step for what it reads. */
interface Reading {
  room: DecisionRoom;
  /** Notes that only so many bytes are still needed. */
  afterReading: (bytes: number) => void;
}

type Act = () => Promise<void>;

/** A request of a run, after the checks that a key's request has. */
interface PreparedCall {
  locks: readonly string[];
  /** @throws {ApiError} for a refusal. */
  decide(room: DecisionRoom): Promise<SystemDecision & { response: { body: string } | null }>;
  afterCommit(): Promise<void>;
}

/** The requests that runs send to this API. */
export interface ApiCalls {
  /** @throws {ApiError} for a refusal. */
  prepare(call: {
    accountId: string;
    principal: Principal;
    path: string;
    body: JsonObject;
    version: string;
  }): Promise<PreparedCall>;
  /** Returns the refusal of a change that the database has rejected by a rule between records, or null. */
  refusalOf(error: unknown): ApiError | null;
}

export interface WorkflowContext extends SystemChangeContext, ScopeContext, EmailStepContext {
  apiSteps: ApiCalls;
  accounts: {
    get(id: string): Promise<{ name: string; replyTo: string | null; timeZone: string; rootId: string } | null>;
  };
  reader: Reader;
  eventTypes: readonly string[];
  log: Logger;
  /** The memory of all work in progress. */
  memory: ByteCeiling;
}

/**
 * Takes the steps of runs, one in each job. The effect of an `api` step and its result are one mutation, with the revision of the run. So a
 * step that runs twice has one effect. An `http` step that is cut off runs again, with the same idempotency key.
 */
export class WorkflowTask implements Task {
  readonly atOnceMax = runLimits.all;
  /** The bytes of steps under way. */
  readonly bytes: ByteBudget;
  readonly #context: WorkflowContext;
  readonly #outgoing: Outgoing;
  readonly #places = new JobPlaces(workflowService, runLimits);
  readonly #looks = new FairQueue(looksAtOnce);

  constructor(context: WorkflowContext, outgoing: Outgoing) {
    this.#context = context;
    this.#outgoing = outgoing;
    this.bytes = new ByteBudget(stepBytes, context.memory);
  }

  crowdedGroups(): string[] {
    return this.#places.crowdedGroups();
  }

  async run({ account: accountId, id }: JobSubject): Promise<void> {
    const run = await this.#context.readRecord(workflowRun, accountId, id);
    if (!run || run.progress.due_at_ms === null) return;
    // Many jobs are claimed at once before any of them is under way.
    const payer = await findPayer(this.#context.accounts, accountId);
    const free = this.#places.take(payer);
    // A job can come early, and a step must not.
    if (!free)
      return this.#schedule(run, Math.max(run.progress.due_at_ms, this.#context.clock.nowMs()) + crowdedPauseMs);
    try {
      await this.#takeStepWithin(run, payer);
    } finally {
      free();
    }
  }

  /** Takes a step when there is room for the run and the records that it reads. Without room for these, the step begins again with more. */
  async #takeStepWithin(run: WorkflowRunRecord, payer: Payer): Promise<void> {
    const ownBytes = bytesPerByte * bytesOf(run);
    const most = ownBytes + scopeBytesMax;
    for (let bytes = ownBytes; ;) {
      const held = await this.bytes.take(payer, bytes);
      const room = new DecisionRoom(held, bytes);
      try {
        return await this.#takeStep(run, { room, afterReading: (left) => held.hold(ownBytes + left) });
      } catch (error) {
        if (!(error instanceof NoRoomToDecideError)) throw error;
        bytes = Math.min(most, Math.max(2 * bytes, ownBytes + error.bytes));
      } finally {
        await room.settled();
        held.release();
      }
    }
  }

  async #takeStep(run: WorkflowRunRecord, reading: Reading): Promise<void> {
    const { due_at_ms: dueAtMs } = run.progress;
    if (dueAtMs === null) return;
    const earlyMs = dueAtMs - this.#context.clock.nowMs();
    // The queue has a clock of its own.
    if (earlyMs > 0 && earlyMs <= earlyMsMax) await delay(earlyMs);
    if (earlyMs > earlyMsMax) return this.#schedule(run, dueAtMs + 1);
    const now: Moment = { startedAtMs: this.#context.clock.nowMs(), items: null };
    try {
      const act = await this.#prepare(run, stepAt(run), now, reading);
      await act();
    } catch (error) {
      await this.#record(run, { kind: 'failed', error: faultOf(error) }, now.startedAtMs, now.items);
    }
  }

  /** Reads what a step needs. Returns what it does. */
  async #prepare(run: WorkflowRunRecord, step: Step, now: Moment, { room, afterReading }: Reading): Promise<Act> {
    const context = { ...this.#context, readRecord: room.readerOf(boundedReader(this.#context.readRecord)) };
    const scope = await scopeOf(context, run, step);
    const list = itemsOf(step, scope, itemsMax);
    now.items = list && list.length;
    if (list) {
      if (list.length <= run.progress.item) return this.#recording(run, { kind: 'skipped' }, now);
      scope.item = list[run.progress.item]!;
    }
    const isWaiting = openEntry(run) !== null;
    if (!isWaiting && step.if && !matchesAll(step.if, lookInScope(scope)))
      return this.#recording(run, { kind: 'skipped' }, now);
    if (step.action !== 'http') return this.#acting(run, step, scope, now);
    const request = await requestOfStep(this.#context, this.#outgoing, run, step, scope);
    afterReading(request.body.length);
    return this.#posting(run, request, now);
  }

  /*
   * These return functions. A function keeps all that its surroundings have. A request waits for another server, and must not keep the
   * records of its templates meanwhile.
   */

  #recording(run: WorkflowRunRecord, result: StepResult, { startedAtMs, items }: Moment): Act {
    return () => this.#record(run, result, startedAtMs, items);
  }

  #posting(run: WorkflowRunRecord, request: StepRequest, { startedAtMs, items }: Moment): Act {
    return async () => this.#record(run, await postStep(this.#context, this.#outgoing, request), startedAtMs, items);
  }

  #acting(run: WorkflowRunRecord, step: Step, scope: Scope, { startedAtMs, items }: Moment): Act {
    return async () => {
      if (step.action === 'api') return this.#callApi(run, step, scope, startedAtMs, items);
      if (step.action === 'email') return this.#sendEmail(run, step, scope, startedAtMs, items);
      if (step.action === 'approval') return this.#askPerson(run, step, scope, startedAtMs, items);
      return this.#record(run, await this.#resultOf(run, step, scope), startedAtMs, items);
    };
  }

  /** Takes a step that waits. */
  async #resultOf(run: WorkflowRunRecord, step: Step, scope: Scope): Promise<StepResult> {
    switch (step.action) {
      case 'wait':
        return this.#wait(run, step, scope);
      case 'wait_for_event':
        return this.#waitForEvent(run, step, scope);
      default:
        throw new Error(`Bug! The action ${step.action} does not wait.`);
    }
  }

  async #wait(run: WorkflowRunRecord, step: Step, scope: Scope): Promise<StepResult> {
    const { until_ms: untilMs } = run.progress;
    const nowMs = this.#context.clock.nowMs();
    if (untilMs !== null) return { kind: 'succeeded', output: null };
    const account = await this.#context.accounts.get(run.account_id);
    const endMs =
      step.seconds === undefined
        ? untilOf(valueOf(step.until!, scope), account?.timeZone ?? 'UTC')
        : nowMs + step.seconds * 1000;
    if (endMs <= nowMs) return { kind: 'succeeded', output: null };
    return { kind: 'waiting', untilMs: endMs, nextLookMs: endMs, awaits: null, searched: false };
  }

  async #waitForEvent(run: WorkflowRunRecord, step: Step, scope: Scope): Promise<StepResult> {
    const { until_ms: untilMs, searched } = run.progress;
    const nowMs = this.#context.clock.nowMs();
    const filters = withValues(step.filters ?? [], scope, filledIn);
    const awaits = { type: step.type!, record: awaitedRecord(step, filters) };
    // First the run says what it awaits. Then it looks for earlier events, so that none falls between.
    if (untilMs === null)
      return {
        kind: 'waiting',
        untilMs: nowMs + step.timeout! * 1000,
        nextLookMs: nowMs,
        awaits,
        searched: false,
      };
    const types = awaitedTypes(step.type!, this.#context.eventTypes);
    const found = searched ? null : await this.#findEarlier(run, types, filters);
    if (found !== null) return { kind: 'succeeded', output: { event: found } };
    if (untilMs <= nowMs) return { kind: 'succeeded', output: { timed_out: true } };
    return { kind: 'waiting', untilMs, nextLookMs: untilMs, awaits, searched: true };
  }

  /** Returns the id of the first awaited event since the step before, or null. Trees of accounts take turns. */
  async #findEarlier(
    run: WorkflowRunRecord,
    types: readonly string[],
    filters: readonly Filter[],
  ): Promise<string | null> {
    const payer = await findPayer(this.#context.accounts, run.account_id);
    return findAwaited(this.#context, run, types, filters, (look) =>
      this.#looks.runAndRest(payer, patient, lookRestFactor, look),
    );
  }

  /** Sends a request to this API. Its changes and those of the run are one mutation. */
  async #callApi(
    run: WorkflowRunRecord,
    step: Step,
    scope: Scope,
    startedAtMs: number,
    items: number | null,
  ): Promise<void> {
    const { apiSteps } = this.#context;
    const { account_id: accountId, definition } = run;
    let body: Json = {};
    const faultOfRefusal = ({ code, message }: ApiError): { code: string; message: string } => ({
      code,
      message: withoutQuotes(message, step.body ?? {}, body),
    });
    const refused = (error: ApiError): Promise<void> =>
      this.#record(run, { kind: 'failed', error: faultOfRefusal(error) }, startedAtMs, items);
    let call: PreparedCall;
    try {
      const path = textFilledIn(step.path!, scope, idInPath);
      body = filledIn(step.body ?? {}, scope);
      const principal = principalOf(run);
      call = await apiSteps.prepare({
        accountId,
        principal,
        path,
        body: isObject(body) ? body : {},
        version: definition.api_version,
      });
    } catch (error) {
      if (error instanceof ApiError) return refused(error);
      throw error;
    }
    let isDone = false;
    const commit = (): Promise<void> =>
      this.#commitWith(run, call.locks, async (room) => {
        isDone = false;
        let effect: Awaited<ReturnType<PreparedCall['decide']>>;
        try {
          effect = await call.decide(room);
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          return this.#changeOf(run, { kind: 'failed', error: faultOfRefusal(error) }, startedAtMs, items);
        }
        isDone = true;
        const { id, object } = JSON.parse(effect.response?.body ?? '{}') as { id?: string; object?: string };
        const result: StepResult = { kind: 'succeeded', output: { object: object ?? null, id: id ?? null } };
        const own = this.#changeOf(run, result, startedAtMs, items);
        return { ...effect, changes: [...effect.changes, ...own.changes] };
      });
    try {
      await commit().catch((error: unknown) => {
        // The decision did not see the other record. It sees it now, and can name it.
        if (apiSteps.refusalOf(error)) return commit();
        throw error;
      });
    } catch (error) {
      const refusal = apiSteps.refusalOf(error);
      if (refusal) return refused(refusal);
      if (!(error instanceof DatabaseError)) throw error;
      this.#context.log.error({ run: run.id, err: error }, 'the database refused a step');
      return this.#record(
        run,
        { kind: 'failed', error: { code: 'internal', message: 'The server could not take this step.' } },
        startedAtMs,
        items,
      );
    }
    if (isDone) await call.afterCommit();
  }

  /** Queues an e-mail in the mutation of the run. */
  async #sendEmail(
    run: WorkflowRunRecord,
    step: Step,
    scope: Scope,
    startedAtMs: number,
    items: number | null,
  ): Promise<void> {
    await this.#commitWith(run, [], async () => {
      let email: Awaited<ReturnType<typeof emailOf>>;
      try {
        email = await emailOf(this.#context, run, step, scope);
      } catch (error) {
        return this.#changeOf(run, { kind: 'failed', error: faultOf(error) }, startedAtMs, items);
      }
      const own = this.#changeOf(
        run,
        { kind: 'succeeded', output: { email: (email.change.after?.id ?? null) as string } },
        startedAtMs,
        items,
      );
      return { changes: [...own.changes, email.change], guards: email.guards };
    });
  }

  /** Asks a person, in the mutation that lets the run wait. Later looks find the decision. */
  async #askPerson(
    run: WorkflowRunRecord,
    step: Step,
    scope: Scope,
    startedAtMs: number,
    items: number | null,
  ): Promise<void> {
    const { account_id: accountId, approval_request: asked } = run;
    const nowMs = this.#context.clock.nowMs();
    if (asked !== null) {
      return this.#commitWith(run, [asked], async () => {
        const request = await this.#context.readRecord(approvalRequest, accountId, asked);
        const result = resultOfApproval(request, run.progress.until_ms ?? nowMs, nowMs);
        // The duty would end a request that is too old within a minute.
        const ended = request && result.kind === 'failed' ? endStepApproval(request, 'expired') : null;
        const { changes } = this.#changeOf(run, result, startedAtMs, items);
        return { changes: ended ? [...changes, ended] : changes };
      });
    }
    const title = textFilledIn(step.title!, scope, plainInTitle(this.#context.resources, step, scope));
    const customer = customerOfEvent(scope.event);
    await this.#commitWith(run, [], async () => {
      const id = this.#context.ids.make('apr');
      const request = requestStepApproval(
        { id, accountId, nowSeconds: toSeconds(nowMs) },
        {
          workflowRun: run.id,
          title,
          ...(step.timeout !== undefined && { timeoutSeconds: step.timeout }),
          ...(customer !== null && { customer }),
        },
      );
      const untilMs = (request.after as ApprovalRequestRecord).expires_at! * 1000;
      const waiting = waitingForApproval(id, untilMs);
      return { changes: [...this.#changeOf(run, waiting, startedAtMs, items).changes, request] };
    });
  }

  async #record(run: WorkflowRunRecord, result: StepResult, startedAtMs: number, items: number | null): Promise<void> {
    await this.#commitWith(run, [], async () => this.#changeOf(run, result, startedAtMs, items));
  }

  #changeOf(
    run: WorkflowRunRecord,
    result: StepResult,
    startedAtMs: number,
    items: number | null,
  ): Pick<SystemDecision, 'changes'> {
    const place: Place = {
      items,
      startedAtMs,
      nowMs: this.#context.clock.nowMs(),
      from: this.#context.ids.make('evt'),
    };
    return { changes: toDecision(workflowRun, run, advanced(run, result, place)).changes };
  }

  /** Sets the time of the next job. */
  async #schedule(run: WorkflowRunRecord, dueAtMs: number): Promise<void> {
    const change: Change<WorkflowRunRecord> = { after: { ...run, progress: { ...run.progress, due_at_ms: dueAtMs } } };
    await this.#commitWith(run, [], async () => ({ changes: toDecision(workflowRun, run, change).changes }));
  }

  /** Commits a decision if the run is still as it was read. Otherwise another job or a client was faster. */
  async #commitWith(
    run: WorkflowRunRecord,
    locks: readonly string[],
    decide: (room: DecisionRoom) => Promise<SystemDecision>,
  ): Promise<void> {
    const { account_id: accountId, id, revision } = run;
    await this.#context.committer.commitAsSystem({
      accountId,
      actor: principalOf(run),
      locks: [id, ...locks],
      decide: async (room) => {
        const now = await this.#context.readRecord(workflowRun, accountId, id);
        return now?.revision === revision ? decide(room) : null;
      },
    });
  }
}

/** Returns the principal of a run: the system, with the permissions of the workflow. */
export function principalOf({ id, account_id: accountId, definition, steps }: WorkflowRunRecord): Principal {
  const approvals = new Set(definition.steps.filter(({ action }) => action === 'approval').map((step) => step.id));
  const answers = steps.filter((step) => approvals.has(step.id)).map(({ status }) => status);
  return {
    type: 'system',
    id,
    name: definition.name,
    key: null,
    source: 'api',
    accountId,
    permissions: new Set(definition.permissions.flatMap(withReading)),
    expiresAt: null,
    approvals: 'none',
    // An approval of one item is none of another, which the person has rejected.
    isApproved: answers.includes('succeeded') && answers.every((status) => ['succeeded', 'skipped'].includes(status)),
    person: null,
  };
}

/** @throws {StepFault} if a value in a path is no id of a record. A name could be shown in the error of the run. */
function idInPath(value: string): string {
  if (/^[a-z]+_[0-9A-Za-z]{22}$/.test(value)) return value;
  throw new StepFault('template_invalid', 'A template in `path` is no id.');
}

/** Returns a refusal without the values that templates filled in. An erasure of the person does not reach the errors of a run. */
function withoutQuotes(message: string, written: Json, filled: Json): string {
  const known = new Set(textsIn(written));
  const values = [...textsIn(filled)].filter((text) => !known.has(text) && !/^[a-z]+_[0-9A-Za-z]{22}$/.test(text));
  const isQuoted = (text: string): boolean =>
    // A quote of a long text is cut.
    values.some((value) => value === text || (text.length >= 80 && value.startsWith(text)));
  return message.replaceAll(/`([^`]+)`/g, (quote, text: string) => (isQuoted(text) ? '`…`' : quote));
}
