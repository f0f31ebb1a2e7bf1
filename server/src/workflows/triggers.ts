import { setImmediate as nextRound } from 'node:timers/promises';
import { changeAsSystem, type SystemChangeContext } from '../commit/change-as-system.ts';
import { toSeconds } from '../core/clock.ts';
import { firstIdAt, isId } from '../core/ids.ts';
import { parseJson } from '../core/json.ts';
import { DatabaseError, type PoolClient } from '../db/pools.ts';
import { beginning, isAfter } from '../events/event-order.ts';
import { newRecord } from '../model/change.ts';
import { begun, canceled, workflowRun, type WorkflowRunRecord } from '../resources/workflows/run.ts';
import { paused, workflow, type WorkflowRecord } from '../resources/workflows/workflow.ts';
import { filtersOn, parsedAtOnceBytes } from './event-filters.ts';
import {
  countRuns,
  positionOf,
  readActivations,
  readStarted,
  readTriggering,
  type ActiveWorkflow,
  type FollowedEvent,
  type Triggering,
} from './positions.ts';
import type { ScopeContext } from './scope.ts';
import { awaitedTypes } from './event-types.ts';

/** Runs that begin runs by their own events: a loop ends here. */
const depthMax = 5;

/** Runs that are made at once. A page of events can start thousands. With 64, a thousand runs of small workflows took a third longer. */
const runsAtOnce = 256;

/** Bytes of steps that the runs which are made at once copy. Each is in memory several times: as the database has it, as objects, and as texts. */
const stepBytesAtOnce = 4 * 1024 * 1024;

export interface TriggerContext extends SystemChangeContext, ScopeContext {
  eventTypes: readonly string[];
}

/** A workflow that starts a run, without its filters: thousands of runs can begin at once. */
type Owner = Omit<Triggering, 'trigger'>;

/** An event and a workflow that wants it. */
interface Start {
  row: FollowedEvent;
  owner: Owner;
}

/** Bytes of triggers that are in memory at once. Filters can have a quarter of a megabyte, and 500 workflows can be active. */
const triggerBytesMax = 1024 * 1024;

/** What may start runs: events in their order, and the active workflows of their account. */
export interface Triggers {
  events: readonly FollowedEvent[];
  workflows: readonly ActiveWorkflow[];
  /** Runs of one workflow in an hour. */
  runsAnHour: number;
}

/**
 * Starts one run for each event and workflow that match, unless it was started before. A workflow that starts too many runs within an hour
 * is paused.
 *
 * @param isOver tells whether the turn of this account is over.
 * @returns whether all runs have begun. Otherwise the turn was over. A call with the same events starts the others.
 */
export async function startRuns(
  context: TriggerContext,
  client: PoolClient,
  accountId: string,
  { events, workflows, runsAnHour }: Triggers,
  isOver: () => boolean,
): Promise<boolean> {
  const starts = await findStarts(context, client, accountId, { events, workflows });
  if (starts.length === 0) return true;
  const started = await readStarted(
    client,
    accountId,
    starts.map(({ row }) => row.id),
  );
  const fromId = firstIdAt(workflowRun.prefix, context.clock.nowMs() - 3_600_000);
  const counts = new Map<string, number>();
  const full = new Set<string>();
  const wanted: Start[] = [];
  let stepBytes = 0;
  // Make runs only here. A run that fails while the code awaits something else would end the process.
  const makeWanted = async (): Promise<void> => {
    stepBytes = 0;
    await Promise.all(wanted.splice(0).map((start) => makeRun(context, start)));
  };
  for (const start of starts) {
    const { row, owner } = start;
    if (started.has(`${owner.id} ${row.id}`) || full.has(owner.id)) continue;
    const count = counts.get(owner.id) ?? (await countRuns(client, accountId, owner.id, { fromId, most: runsAnHour }));
    counts.set(owner.id, count + 1);
    if (count >= runsAnHour) {
      full.add(owner.id);
      // A run begins only while its workflow is active, so the runs within the limit go first.
      await makeWanted();
      await pause(context, owner, runsAnHour);
      continue;
    }
    wanted.push(start);
    stepBytes += owner.step_bytes;
    if (wanted.length < runsAtOnce && stepBytes < stepBytesAtOnce) continue;
    await makeWanted();
    if (isOver()) return false;
  }
  await makeWanted();
  return true;
}

/** Returns the runs that these events start, in the order of the events. */
async function findStarts(
  context: TriggerContext,
  client: PoolClient,
  accountId: string,
  { events, workflows }: Pick<Triggers, 'events' | 'workflows'>,
): Promise<Start[]> {
  const types = [...new Set(events.map(({ type }) => type))];
  const typesOf = typesOfTriggers(context, workflows);
  const candidates = workflows.filter(({ id }) => types.some((type) => typesOf.get(id)!.has(type)));
  if (candidates.length === 0) return [];
  const activations = await readActivations(
    client,
    accountId,
    candidates.map(({ id }) => id),
  );
  const activeFroms = new Map(candidates.map(({ id, active_from: from }) => [id, from]));
  const mayStart = (row: FollowedEvent, { id, active_from: from }: Owner): boolean =>
    // A later activation has no earlier events.
    activeFroms.get(id) === from &&
    // The order of events tells what came after the activation. The clocks of processes differ.
    isAfter(positionOf(row), activations.get(id) ?? beginning);
  const starts = events.map((): Start[] => []);
  for (const ids of partsOf(candidates)) {
    const part = (await readTriggering(client, accountId, ids)).map(({ trigger, ...owner }) => ({
      owner,
      filters: trigger.filters,
      types: new Set(awaitedTypes(trigger.type, context.eventTypes)),
    }));
    let bytes = 0;
    for (const [at, row] of events.entries()) {
      const passesFilters = filtersOn(context, row);
      for (const { owner, filters, types: wanted } of part)
        if (wanted.has(row.type) && mayStart(row, owner) && passesFilters(filters, owner.api_version))
          starts[at]!.push({ row, owner });
      bytes += row.data.length;
      if (bytes < parsedAtOnceBytes) continue;
      bytes = 0;
      await nextRound();
    }
  }
  return starts.flat();
}

/** Returns the ids of workflows in parts with few bytes of triggers, or with one workflow. */
function partsOf(workflows: readonly ActiveWorkflow[]): string[][] {
  const parts: string[][] = [];
  let room = 0;
  for (const { id, bytes } of workflows) {
    room -= bytes;
    if (room < 0) {
      parts.push([]);
      room = triggerBytesMax - bytes;
    }
    parts.at(-1)!.push(id);
  }
  return parts;
}

/** Returns the types of events that start runs, for each workflow. */
export function typesOfTriggers(
  { eventTypes }: Pick<TriggerContext, 'eventTypes'>,
  workflows: readonly Pick<ActiveWorkflow, 'id' | 'type'>[],
): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(workflows.map(({ id, type }) => [id, new Set(awaitedTypes(type, eventTypes))]));
}

async function pause(context: TriggerContext, owner: Owner, runsAnHour: number): Promise<void> {
  const { clock } = context;
  const reason = `It started ${runsAnHour} runs within an hour. Check its trigger, then activate it again.`;
  await changeAsSystem(context, workflow, owner, {}, (now) =>
    now.status === 'active' ? paused(now, toSeconds(clock.nowMs()), reason) : null,
  );
}

/** Makes one run. The workflow is a guard: a run that begins has its present version. */
async function makeRun(context: TriggerContext, { row, owner }: Start): Promise<void> {
  const { committer, ids, clock } = context;
  const { account_id: accountId } = owner;
  const depth = await depthOf(context, accountId, row);
  const id = ids.make(workflowRun.prefix);
  const stillWants = (changed: WorkflowRecord): boolean =>
    awaitedTypes(changed.trigger.type, context.eventTypes).includes(row.type) &&
    filtersOn(context, row)(changed.trigger.filters, changed.api_version);
  const making = committer.commitAsSystem({
    accountId,
    actor: { type: 'system', id, name: owner.name, key: null, source: 'api' },
    locks: [],
    decide: async (room) => {
      const now = await room.readerOf(context.readRecord)(workflow, accountId, owner.id);
      if (!now || now.status !== 'active') return null;
      // A later activation has no earlier events.
      if (now.active_from !== owner.active_from) return null;
      if (now.version !== owner.version && !stillWants(now)) return null;
      const run = newRun(id, now, { event: row.id, depth, nowMs: clock.nowMs(), from: row.id });
      const isTooDeep = depth > depthMax;
      const end = isTooDeep
        ? canceled(run, toSeconds(clock.nowMs()), `Runs have started runs ${depthMax} times. The workflows are a loop.`)
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
async function depthOf({ readRecord }: TriggerContext, accountId: string, { request }: FollowedEvent): Promise<number> {
  const { actor } = (parseJson(request) ?? {}) as { actor?: { id?: string | null } | null };
  if (typeof actor?.id !== 'string' || !isId(workflowRun.prefix, actor.id)) return 1;
  const cause = await readRecord(workflowRun, accountId, actor.id);
  return (cause?.depth ?? 0) + 1;
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
