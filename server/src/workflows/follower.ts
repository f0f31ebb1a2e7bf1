import type { Logger } from 'pino';
import { changeAsSystem, type SystemChangeContext } from '../commit/change-as-system.ts';
import { toSeconds, type Clock } from '../core/clock.ts';
import { firstIdAt, isId, timeOfId, type Id } from '../core/ids.ts';
import type { Json, JsonObject } from '../core/json-diff.ts';
import { workflowsLockKey } from '../db/advisory-locks.ts';
import { onlyRow } from '../db/only-row.ts';
import { DatabaseError, type Pool, type PoolClient } from '../db/pools.ts';
import type { Reader } from '../db/reader.ts';
import { beginning, isAfter, type Position } from '../events/event-order.ts';
import { newRecord, toDecision } from '../model/change.ts';
import { isPrefixMatch } from '../model/event-names.ts';
import { begun, canceled, workflowRun, type WorkflowRunRecord } from '../resources/workflows/run.ts';
import { paused, workflow, type WorkflowRecord } from '../resources/workflows/workflow.ts';
import { advanced, stepAt } from './advance.ts';
import { idsIn, isMatch } from './awaited.ts';
import { rowToEvent } from './event-rows.ts';
import { eventIn, type StoredEvent } from './events.ts';
import {
  awaitsAny,
  countRuns,
  forgetPosition,
  readActivations,
  readActiveIds,
  readAwaiting,
  readEarliestWait,
  readFollowed,
  readHorizon,
  readMoved,
  readPage,
  readPosition,
  readPositionBefore,
  readStarted,
  storePosition,
  type FollowedEvent,
} from './positions.ts';
import { lookInEvent, matchesAll, mayMatch } from './rules/filters.ts';
import { filledIn } from './rules/templates.ts';
import { itemsMax } from './rules/definition.ts';
import { faultOf, itemsOf, scopeOf, withValues, type ScopeContext } from './scope.ts';
import { principalOf } from './task.ts';
import { awaitedTypes } from './types.ts';

/** Milliseconds between two looks for events of other processes. */
const pollEveryMs = 250;

/** Milliseconds until a held back event is looked for again. A transaction mostly lasts that long. */
const heldBackPauseMs = 5;

/** Looks for a held back event in a row. After them, only the poll looks. */
const heldBackMax = 20;

/** After a page with events, an account rests nine times as long as the page took. Under load, each page then has many events. */
const restFactor = 9;
const restMaxMs = 100;

const eventsAtOnce = 500;

/** Milliseconds by which the clocks of processes may differ. An account is followed from so much earlier on. */
const clockSkewMs = 60_000;

/** Runs that begin runs by their own events: a loop ends here. */
const depthMax = 5;

/** Only tests change these. */
export interface WorkflowLimits {
  /** Runs of one workflow in an hour. A mistake in a trigger ends here. */
  runsAnHour: number;
  /** Seconds between the attempts of an `http` step. There is one attempt more. */
  pausesSeconds: readonly number[];
}

export const workflowLimits: WorkflowLimits = { runsAnHour: 1_000, pausesSeconds: [5, 30, 120, 600] };

interface FollowerContext extends SystemChangeContext, ScopeContext {
  database: { followers: Pool };
  reader: Reader;
  eventTypes: readonly string[];
  clock: Clock;
  log: Logger;
}

/** What the follower knows of an account. */
interface Followed {
  /** Whether there may be events that were not read. */
  isWanted: boolean;
  /** The earliest time of the next look, by the clock of `performance`. */
  notBeforeMs: number;
  /** The looks in a row that found only events that are held back. */
  heldBack: number;
}

/** What a look at an account has found. */
interface Found {
  /** The settled events that were read. */
  events: number;
  hasMore: boolean;
  isHeldBack: boolean;
}

const nothing: Found = { events: 0, hasMore: false, isHeldBack: false };

/**
 * Follows the events of accounts with workflows, beside the requests that make them. It starts one run for each event and workflow that
 * match, and ends the waits for events. One process at a time follows an account, under a lock. If a process dies within a page, the page is
 * read again. The runs that have begun are then found.
 */
export class WorkflowFollower {
  readonly #context: FollowerContext;
  readonly #limits: Pick<WorkflowLimits, 'runsAnHour'>;
  readonly #stopping = new AbortController();
  #followed: ReadonlyMap<string, Followed> = new Map();
  #wakeUp: () => void = () => {};
  #running: Promise<void> | null = null;

  constructor(context: FollowerContext, limits: Pick<WorkflowLimits, 'runsAnHour'>) {
    this.#context = context;
    this.#limits = limits;
  }

  /** Notes accounts with new events. Returns at once. */
  wake(accountIds: Iterable<string>): void {
    for (const id of accountIds) {
      const account = this.#followed.get(id);
      if (!account || account.isWanted) continue;
      account.isWanted = true;
      this.#wakeUp();
    }
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wakeUp();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    for (let pollAtMs = 0; !signal.aborted;) {
      if (performance.now() >= pollAtMs) {
        pollAtMs = performance.now() + pollEveryMs;
        await this.#poll().catch((error: unknown) => this.#warn(error));
      }
      for (const [id, account] of this.#followed) {
        if (signal.aborted) return;
        if (account.isWanted && performance.now() >= account.notBeforeMs) await this.#look(id, account);
      }
      await this.#sleepUntil(pollAtMs);
    }
  }

  /** Sleeps until this time, until the next look at an account, or until an account has new events. */
  async #sleepUntil(atMs: number): Promise<void> {
    const wanted = [...this.#followed.values()].filter(({ isWanted }) => isWanted);
    const untilMs = Math.min(atMs, ...wanted.map(({ notBeforeMs }) => notBeforeMs));
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wakeUp = resolve;
    const timer = setTimeout(resolve, Math.max(0, untilMs - performance.now()));
    if (!this.#stopping.signal.aborted) await promise;
    clearTimeout(timer);
  }

  #warn(error: unknown): void {
    this.#context.log.warn({ err: error }, 'events could not start workflows; they are read again');
  }

  async #poll(): Promise<void> {
    const { reader } = this.#context;
    const ids = await readFollowed(reader);
    const known = this.#followed;
    this.#followed = new Map(ids.map((id) => [id, known.get(id) ?? { isWanted: false, notBeforeMs: 0, heldBack: 0 }]));
    if (ids.length > 0) this.wake(await readMoved(reader, ids));
  }

  /** Reads one page of an account, and decides on its next look. Accounts take turns, so that none waits for the backlog of another. */
  async #look(accountId: string, account: Followed): Promise<void> {
    account.isWanted = false;
    const beganAtMs = performance.now();
    try {
      const { events, hasMore, isHeldBack } = await this.#step(accountId);
      const endedAtMs = performance.now();
      account.heldBack = isHeldBack && events === 0 ? account.heldBack + 1 : 0;
      if (hasMore || (isHeldBack && account.heldBack < heldBackMax)) account.isWanted = true;
      const restMs = events > 0 ? Math.min(restMaxMs, (endedAtMs - beganAtMs) * restFactor) : heldBackPauseMs;
      account.notBeforeMs = endedAtMs + restMs;
    } catch (error) {
      this.#warn(error);
      account.isWanted = true;
      account.notBeforeMs = performance.now() + pollEveryMs;
    }
  }

  async #step(accountId: string): Promise<Found> {
    const client = await this.#context.database.followers.connect();
    try {
      // The lock takes no transaction id. So this transaction holds back no events until it stores the position.
      await client.query('begin');
      const lock = await client.query<{ ours: boolean }>('select pg_try_advisory_xact_lock($1, hashtext($2)) as ours', [
        workflowsLockKey,
        accountId,
      ]);
      const found = onlyRow(lock.rows).ours ? await this.#page(client, accountId) : nothing;
      await client.query('commit');
      client.release();
      return found;
    } catch (error) {
      // The connection may be in any state.
      client.release(true);
      throw error;
    }
  }

  async #page(client: PoolClient, accountId: string): Promise<Found> {
    const { readRecord, eventTypes } = this.#context;
    const horizon = await readHorizon(client);
    const activeIds = await readActiveIds(client, accountId);
    const read = await Promise.all(activeIds.map((id) => readRecord(workflow, accountId, id)));
    const workflows = read.filter((each) => each?.status === 'active' && each.active_from !== null) as WorkflowRecord[];
    if (workflows.length === 0 && !(await awaitsAny(client, accountId))) {
      await forgetPosition(client, accountId);
      return nothing;
    }
    const position = (await readPosition(client, accountId)) ?? (await this.#begin(client, accountId, workflows));
    if (!position) return nothing;
    const typesOf = new Map(workflows.map((each) => [each.id, new Set(awaitedTypes(each.trigger.type, eventTypes))]));
    const types = [...new Set([...typesOf.values()].flatMap((own) => [...own]))];
    const page = await readPage(client, accountId, position, { horizon, types, limit: eventsAtOnce });
    const last = page.events.at(-1);
    if (!last) return { ...nothing, isHeldBack: page.isHeldBack };
    const wanted = page.events.filter(({ is_wanted: isWanted }) => isWanted);
    if (wanted.length > 0) {
      await this.#start(client, accountId, wanted, workflows, typesOf);
      await this.#endWaits(client, accountId, wanted);
    }
    await storePosition(client, accountId, positionOf(last));
    return { events: page.events.length, hasMore: page.hasMore, isHeldBack: page.isHeldBack };
  }

  /** Returns the position from which an account is followed first: before the activation, or before the wait. */
  async #begin(client: PoolClient, accountId: string, workflows: readonly WorkflowRecord[]): Promise<Position | null> {
    const earliestWait = await readEarliestWait(client, accountId);
    const activations = workflows.map(({ active_from: from }) => from!);
    const froms = [...activations, ...(earliestWait === null ? [] : [earliestWait])].toSorted();
    if (froms[0] === undefined) return null;
    return readPositionBefore(client, accountId, firstIdAt('evt', timeOfId(froms[0] as Id) - clockSkewMs));
  }

  /** Starts the runs of a page. */
  async #start(
    client: PoolClient,
    accountId: string,
    events: readonly FollowedEvent[],
    workflows: readonly WorkflowRecord[],
    typesOf: ReadonlyMap<string, ReadonlySet<string>>,
  ): Promise<void> {
    const activations = await readActivations(
      client,
      accountId,
      workflows.map(({ id }) => id),
    );
    const starts = events.flatMap((row) => {
      // Many workflows can hear of one event, so it is parsed once.
      let stored: StoredEvent | undefined;
      const shown = new Map<string, JsonObject>();
      const shownIn = (version: string): JsonObject => {
        stored ??= rowToEvent(row);
        const known = shown.get(version) ?? eventIn(this.#context, stored, version);
        shown.set(version, known);
        return known;
      };
      const matching = workflows.filter(
        (each) =>
          typesOf.get(each.id)!.has(row.type) &&
          // The order of events tells what came after the activation. The clocks of processes differ.
          isAfter(positionOf(row), activations.get(each.id) ?? beginning) &&
          (row.shape_version !== each.api_version || mayMatch(each.trigger.filters, row.data)) &&
          matchesAll(each.trigger.filters, (path) => lookInEvent(shownIn(each.api_version), path)),
      );
      return matching.map((each) => ({ row, owner: each }));
    });
    if (starts.length === 0) return;
    const started = await readStarted(
      client,
      accountId,
      starts.map(({ row }) => row.id),
    );
    const fromId = firstIdAt(workflowRun.prefix, this.#context.clock.nowMs() - 3_600_000);
    const counts = new Map<string, number>();
    const full = new Set<string>();
    const making: Promise<void>[] = [];
    for (const { row, owner } of starts) {
      if (started.has(`${owner.id} ${row.id}`) || full.has(owner.id)) continue;
      const most = this.#limits.runsAnHour;
      const count = counts.get(owner.id) ?? (await countRuns(client, accountId, owner.id, { fromId, most }));
      counts.set(owner.id, count + 1);
      if (count >= most) {
        full.add(owner.id);
        // A run begins only while its workflow is active, so the runs within the limit go first.
        await Promise.all(making.splice(0));
        await this.#pause(owner);
      } else making.push(this.#makeRun(owner, rowToEvent(row)));
    }
    await Promise.all(making);
  }

  async #pause(owner: WorkflowRecord): Promise<void> {
    const { clock } = this.#context;
    const reason = `It started ${this.#limits.runsAnHour} runs within an hour. Check its trigger, then activate it again.`;
    await changeAsSystem(this.#context, workflow, owner, {}, (now) =>
      now.status === 'active' ? paused(now, toSeconds(clock.nowMs()), reason) : null,
    );
  }

  /** Makes one run. The workflow is a guard: a run that begins has its present version. */
  async #makeRun(owner: WorkflowRecord, stored: StoredEvent): Promise<void> {
    const { committer, readRecord, ids, clock } = this.#context;
    const { account_id: accountId } = owner;
    const depth = await this.#depthOf(accountId, stored);
    const id = ids.make(workflowRun.prefix);
    const making = committer.commitAsSystem({
      accountId,
      actor: { type: 'system', id, name: owner.name, key: null, source: 'api' },
      locks: [],
      decide: async () => {
        const now = await readRecord(workflow, accountId, owner.id);
        if (!now || now.status !== 'active') return null;
        const run = newRun(id, now, { event: stored.id, depth, nowMs: clock.nowMs(), from: stored.id });
        const isTooDeep = depth > depthMax;
        const end = isTooDeep
          ? canceled(
              run,
              toSeconds(clock.nowMs()),
              `Runs have started runs ${depthMax} times. The workflows are a loop.`,
            )
          : null;
        return {
          changes: [
            { resource: workflowRun, before: null, after: end?.after ?? run, ...(end?.verbs && { verbs: end.verbs }) },
          ],
          guards: [{ resource: workflow, record: now }],
        };
      },
    });
    await making.catch((error: unknown) => {
      // Another process, whose lock was lost, has made it.
      if (error instanceof DatabaseError && error.constraint === 'workflow_runs_once') return;
      throw error;
    });
  }

  /** Returns one more than the depth of the run that caused the event. */
  async #depthOf(accountId: string, { request }: StoredEvent): Promise<number> {
    const actor = (request as { actor?: { id?: string | null } | null } | null)?.actor;
    if (typeof actor?.id !== 'string' || !isId(workflowRun.prefix, actor.id)) return 1;
    const cause = await this.#context.readRecord(workflowRun, accountId, actor.id);
    return (cause?.depth ?? 0) + 1;
  }

  /** Ends the waits of runs for these events. */
  async #endWaits(client: PoolClient, accountId: string, events: readonly FollowedEvent[]): Promise<void> {
    const types = [...new Set(events.map(({ type }) => type))];
    // A run that begins to wait only now looks for these events itself.
    const awaiting = await readAwaiting(client, accountId, { types, ids: idsIn(events) });
    for (const { id, awaits, awaits_record: record } of awaiting) {
      const own = events.filter(({ type, data }) => isPrefixMatch(type, awaits) && data.includes(record ?? ''));
      if (own.length > 0) await this.#endWait(accountId, id, own);
    }
  }

  async #endWait(accountId: string, id: string, events: readonly FollowedEvent[]): Promise<void> {
    const { committer, readRecord, ids, clock } = this.#context;
    const run = await readRecord(workflowRun, accountId, id);
    if (!run || run.status !== 'waiting' || run.awaits === null) return;
    if (run.approval_request !== null) return this.#wakeAsker(run, events);
    const step = stepAt(run);
    let items: Json[] | null;
    let found: FollowedEvent | undefined;
    try {
      const scope = await scopeOf(this.#context, run, step);
      items = itemsOf(step, scope, itemsMax);
      if (items) scope.item = items[run.progress.item] ?? null;
      const filters = withValues(step.filters ?? [], scope, filledIn);
      found = events.find(
        (row) =>
          row.id > run.progress.from &&
          isPrefixMatch(row.type, run.awaits!) &&
          isMatch(this.#context, rowToEvent(row), run.definition.api_version, filters),
      );
    } catch (error) {
      faultOf(error);
      // The job of the run meets the same fault, and records it.
      return this.#lookAgain(run);
    }
    if (!found) return;
    await committer.commitAsSystem({
      accountId,
      actor: principalOf(run),
      locks: [id],
      decide: async () => {
        const now = await readRecord(workflowRun, accountId, id);
        if (
          !now ||
          now.status !== 'waiting' ||
          now.progress.at !== run.progress.at ||
          now.progress.item !== run.progress.item
        )
          return null;
        const nowMs = clock.nowMs();
        const change = advanced(
          now,
          { kind: 'succeeded', output: { event: found.id } },
          { items: items && items.length, startedAtMs: nowMs, nowMs, from: ids.make('evt') },
        );
        return { changes: toDecision(workflowRun, now, change).changes };
      },
    });
  }

  /** Lets a run look at its approval request, if an event tells of the decision. */
  async #wakeAsker(run: WorkflowRunRecord, events: readonly FollowedEvent[]): Promise<void> {
    const isDecision = (row: FollowedEvent): boolean =>
      row.type !== 'approval_request.created' && objectIdOf(rowToEvent(row)) === run.approval_request;
    if (events.some(isDecision)) await this.#lookAgain(run);
  }

  /** Lets the job of a waiting run look at its step at once. */
  async #lookAgain(run: WorkflowRunRecord): Promise<void> {
    const { committer, readRecord, clock } = this.#context;
    const { account_id: accountId, id, progress } = run;
    await committer.commitAsSystem({
      accountId,
      actor: principalOf(run),
      locks: [id],
      decide: async () => {
        const now = await readRecord(workflowRun, accountId, id);
        if (now?.status !== 'waiting' || now.progress.at !== progress.at || now.progress.item !== progress.item)
          return null;
        const after = { ...now, progress: { ...now.progress, due_at_ms: clock.nowMs() } };
        return { changes: toDecision(workflowRun, now, { after }).changes };
      },
    });
  }
}

function objectIdOf({ data }: StoredEvent): string | undefined {
  return (data as { object?: { id?: string } }).object?.id;
}

function positionOf({ epoch, transaction_id: transactionId, ordinal }: FollowedEvent): Position {
  return { epoch, transactionId: BigInt(transactionId), ordinal };
}

/** Returns a new run, which keeps a copy of the workflow. */
function newRun(
  id: WorkflowRunRecord['id'],
  owner: WorkflowRecord,
  { event, depth, nowMs, from }: { event: string; depth: number; nowMs: number; from: string },
): WorkflowRunRecord {
  const { name, steps, permissions, sealed_headers, api_version } = owner;
  return {
    ...newRecord(id, owner.account_id),
    workflow: owner.id,
    version: owner.version,
    event,
    depth,
    status: 'running',
    steps: [],
    approval_request: null,
    canceled_reason: null,
    succeeded_at: null,
    failed_at: null,
    canceled_at: null,
    definition: { name, steps, permissions, sealed_headers, api_version },
    progress: { at: 0, item: 0, due_at_ms: nowMs, ...begun(from) },
    awaits: null,
    awaits_record: null,
  };
}
