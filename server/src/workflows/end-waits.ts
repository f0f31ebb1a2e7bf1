import { setImmediate as nextRound } from 'node:timers/promises';
import type { SystemChangeContext } from '../commit/change-as-system.ts';
import { DecisionRoom } from '../commit/decision-room.ts';
import type { HeldBytes } from '../core/limits/byte-budget.ts';
import type { PoolClient } from '../db/pools.ts';
import { toDecision } from '../model/change.ts';
import type { Principal } from '../model/callers/principal.ts';
import { isPrefixMatch } from '../model/event-names.ts';
import { workflowRun, type WorkflowRunRecord } from '../resources/workflows/run.ts';
import { advanced, stepAt } from './advance.ts';
import { idsIn, takenEvents } from './awaited-events.ts';
import { filtersOn, parsedAtOnceBytes } from './event-filters.ts';
import { rowToEvent } from './event-rows.ts';
import type { StoredEvent } from './events.ts';
import { readAwaiting, type FollowedEvent } from './positions.ts';
import { itemsMax } from './rules/definition.ts';
import type { Filter } from './rules/filters.ts';
import { filledIn } from './rules/templates.ts';
import { boundedReader, faultOf, itemsOf, scopeBytesMax, scopeOf, withValues, type ScopeContext } from './scope.ts';
import { principalOf } from './task.ts';

type WaitContext = SystemChangeContext & ScopeContext;

/** Waiting runs whose ids are read at once. */
const runsAtOnce = 1_000;

/** Runs whose waits are compared with an event at once. Many more runs can wait, and their filters can be long. */
const waitsAtOnce = 50;

/** Bytes of filters after which no more runs are read. */
const filterBytesAtOnce = 1024 * 1024;

/** Milliseconds after which no more runs are read. Each can read megabytes. PostgreSQL ends a transaction that is idle for ten seconds. */
const readMsAtOnce = 500;

/** A run that waits, and what ends its wait. It has nothing else of the run, which can have a megabyte. */
interface Wait {
  run: Pick<WorkflowRunRecord, 'account_id' | 'id' | 'progress'>;
  actor: Principal;
  items: number | null;
  filters: readonly Filter[];
  version: string;
  /** The events that it can take. */
  events: ReadonlySet<FollowedEvent>;
}

/**
 * Ends the waits of runs for these events, in the order of the runs, after one. A run whose filters cannot be read any more fails by its own
 * job.
 *
 * @param isOver tells whether the turn of this account is over.
 * @returns the last run that was compared, if the turn was over before the others. Null if no other run waits.
 */
export async function endWaits(
  context: WaitContext,
  client: PoolClient,
  accountId: string,
  { events, afterRun }: { events: readonly FollowedEvent[]; afterRun: string },
  isOver: () => boolean,
): Promise<string | null> {
  const types = [...new Set(events.map(({ type }) => type))];
  const ids = idsIn(events);
  let waits: Wait[] = [];
  let looks = 0;
  let bytes = 0;
  let beganAtMs = performance.now();
  for (let after = afterRun; ;) {
    // A run that begins to wait only now looks for these events itself.
    const awaiting = await readAwaiting(client, accountId, { types, ids, after, limit: runsAtOnce });
    for (const { id, awaits, awaits_record: record } of awaiting) {
      after = id;
      const own = events.filter(({ type, data }) => isPrefixMatch(type, awaits) && data.includes(record ?? ''));
      looks++;
      // To search a page for an id takes some milliseconds. Other work has its turn meanwhile.
      if (own.length === 0) await nextRound();
      const wait = own.length > 0 ? await readWait(context, accountId, id, own) : null;
      if (wait) {
        waits.push(wait);
        bytes += JSON.stringify(wait.filters).length;
      }
      const tookMs = performance.now() - beganAtMs;
      if (looks < waitsAtOnce && bytes < filterBytesAtOnce && tookMs < readMsAtOnce) continue;
      await endSome(context, waits, events);
      if (isOver()) return after;
      waits = [];
      looks = 0;
      bytes = 0;
      beganAtMs = performance.now();
    }
    if (awaiting.length < runsAtOnce) break;
  }
  await endSome(context, waits, events);
  return null;
}

/** Returns a run that waits for one of these events. Null if another wait has begun, or if the run can look for itself. */
async function readWait(
  context: WaitContext,
  accountId: string,
  id: string,
  events: readonly FollowedEvent[],
): Promise<Wait | null> {
  const run = await context.readRecord(workflowRun, accountId, id);
  if (!run || run.status !== 'waiting' || run.awaits === null) return null;
  if (run.approval_request !== null) {
    await wakeAsker(context, run, events);
    return null;
  }
  const step = stepAt(run);
  const { progress } = run;
  const room = new DecisionRoom(unlimited, scopeBytesMax);
  try {
    // As its job does: each record once, few at a time, and not too many.
    const scope = await scopeOf(
      { ...context, readRecord: room.readerOf(boundedReader(context.readRecord)) },
      run,
      step,
    );
    const items = itemsOf(step, scope, itemsMax);
    if (items) scope.item = items[progress.item] ?? null;
    const taken = takenEvents(run);
    const isFree = (row: FollowedEvent): boolean =>
      row.id > progress.from && !taken.has(row.id) && isPrefixMatch(row.type, run.awaits!);
    return {
      run: { account_id: accountId, id: run.id, progress },
      actor: principalOf(run),
      items: items && items.length,
      filters: withValues(step.filters ?? [], scope, filledIn),
      version: run.definition.api_version,
      events: new Set(events.filter(isFree)),
    };
  } catch (error) {
    faultOf(error);
    // The job of the run meets the same fault, and records it.
    await lookAgain(context, run);
    return null;
  } finally {
    await room.settled();
  }
}

/** The follower reads the records of one run at a time. It drops them before the next run. */
const unlimited: HeldBytes = { release() {}, hold() {}, resize: () => true };

/** Ends waits by the first events that pass their filters. An event is parsed once for all of them. */
async function endSome(context: WaitContext, waits: readonly Wait[], events: readonly FollowedEvent[]): Promise<void> {
  const found = new Map<Wait, FollowedEvent>();
  let bytes = 0;
  for (const row of events) {
    const passesFilters = filtersOn(context, row);
    const wanting = waits.filter((wait) => !found.has(wait) && wait.events.has(row));
    for (const wait of wanting) if (passesFilters(wait.filters, wait.version)) found.set(wait, row);
    bytes += wanting.length > 0 ? row.data.length : 0;
    if (bytes < parsedAtOnceBytes) continue;
    bytes = 0;
    await nextRound();
  }
  for (const [wait, row] of found) await endWait(context, wait, row);
}

async function endWait(
  { committer, readRecord, ids, clock }: WaitContext,
  { run, actor, items }: Wait,
  { id: eventId }: FollowedEvent,
): Promise<void> {
  await committer.commitAsSystem({
    accountId: run.account_id,
    actor,
    locks: [run.id],
    decide: async (room) => {
      const now = await room.readerOf(readRecord)(workflowRun, run.account_id, run.id);
      if (!now || !isAtSameWait(now, run)) return null;
      const nowMs = clock.nowMs();
      const change = advanced(
        now,
        { kind: 'succeeded', output: { event: eventId } },
        { items, startedAtMs: nowMs, nowMs, from: ids.make('evt') },
      );
      return { changes: toDecision(workflowRun, now, change).changes };
    },
  });
}

/** Lets a run look at its approval request, if an event tells of the decision. */
async function wakeAsker(
  context: WaitContext,
  run: WorkflowRunRecord,
  events: readonly FollowedEvent[],
): Promise<void> {
  const isDecision = (row: FollowedEvent): boolean =>
    row.type !== 'approval_request.created' && objectIdOf(rowToEvent(row)) === run.approval_request;
  if (events.some(isDecision)) await lookAgain(context, run);
}

/** Lets the job of a waiting run look at its step at once. */
async function lookAgain({ committer, readRecord, clock }: WaitContext, run: WorkflowRunRecord): Promise<void> {
  const { account_id: accountId, id } = run;
  await committer.commitAsSystem({
    accountId,
    actor: principalOf(run),
    locks: [id],
    decide: async (room) => {
      const now = await room.readerOf(readRecord)(workflowRun, accountId, id);
      if (!now || !isAtSameWait(now, run)) return null;
      // The records may be other ones by then. So the run looks for this event, too.
      const after = { ...now, progress: { ...now.progress, due_at_ms: clock.nowMs(), searched: false } };
      return { changes: toDecision(workflowRun, now, { after }).changes };
    },
  });
}

/** Returns whether a run still waits at the step and the item at which it was read. */
function isAtSameWait({ status, progress }: WorkflowRunRecord, read: Pick<WorkflowRunRecord, 'progress'>): boolean {
  return status === 'waiting' && progress.at === read.progress.at && progress.item === read.progress.item;
}

function objectIdOf({ data }: StoredEvent): string | undefined {
  return (data as { object?: { id?: string } }).object?.id;
}
