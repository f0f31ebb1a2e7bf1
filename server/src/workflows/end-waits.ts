import type { SystemChangeContext } from '../commit/change-as-system.ts';
import type { Json } from '../core/json-diff.ts';
import type { PoolClient } from '../db/pools.ts';
import { toDecision } from '../model/change.ts';
import { isPrefixMatch } from '../model/event-names.ts';
import { workflowRun, type WorkflowRunRecord } from '../resources/workflows/run.ts';
import { advanced, stepAt } from './advance.ts';
import { firstMatch, idsIn, takenEvents } from './awaited-events.ts';
import { rowToEvent } from './event-rows.ts';
import type { StoredEvent } from './events.ts';
import { readAwaiting, type FollowedEvent } from './positions.ts';
import { itemsMax } from './rules/definition.ts';
import { filledIn } from './rules/templates.ts';
import { faultOf, itemsOf, scopeOf, withValues, type ScopeContext } from './scope.ts';
import { principalOf } from './task.ts';

type WaitContext = SystemChangeContext & ScopeContext;

/** Runs that are read at once. Hundreds of thousands can wait for one event. */
const runsAtOnce = 1_000;

/**
 * Ends the waits of runs for these events, in the order of the runs, after one. A run whose filters cannot be read any more fails by its own
 * job.
 *
 * @param isOver tells whether the turn of this account is over.
 * @returns the last run, if the turn was over before all runs had been looked at. Null if none is left.
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
  for (let after = afterRun; ;) {
    // A run that begins to wait only now looks for these events itself.
    const awaiting = await readAwaiting(client, accountId, { types, ids, after, limit: runsAtOnce });
    for (const { id, awaits, awaits_record: record } of awaiting) {
      if (after !== afterRun && isOver()) return after;
      const own = events.filter(({ type, data }) => isPrefixMatch(type, awaits) && data.includes(record ?? ''));
      if (own.length > 0) await endWait(context, accountId, id, own);
      after = id;
    }
    if (awaiting.length < runsAtOnce) return null;
  }
}

async function endWait(
  context: WaitContext,
  accountId: string,
  id: string,
  events: readonly FollowedEvent[],
): Promise<void> {
  const { committer, readRecord, ids, clock } = context;
  const run = await readRecord(workflowRun, accountId, id);
  if (!run || run.status !== 'waiting' || run.awaits === null) return;
  if (run.approval_request !== null) return wakeAsker(context, run, events);
  const step = stepAt(run);
  let items: Json[] | null;
  let found: FollowedEvent | null;
  try {
    const scope = await scopeOf(context, run, step);
    items = itemsOf(step, scope, itemsMax);
    if (items) scope.item = items[run.progress.item] ?? null;
    const filters = withValues(step.filters ?? [], scope, filledIn);
    const taken = takenEvents(run);
    const free = events.filter(
      (row) => row.id > run.progress.from && !taken.has(row.id) && isPrefixMatch(row.type, run.awaits!),
    );
    found = await firstMatch(context, free, run.definition.api_version, filters);
  } catch (error) {
    faultOf(error);
    // The job of the run meets the same fault, and records it.
    return lookAgain(context, run);
  }
  if (!found) return;
  await committer.commitAsSystem({
    accountId,
    actor: principalOf(run),
    locks: [id],
    decide: async (room) => {
      const now = await room.readerOf(readRecord)(workflowRun, accountId, id);
      if (!now || !isAtSameWait(now, run)) return null;
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
      const after = { ...now, progress: { ...now.progress, due_at_ms: clock.nowMs() } };
      return { changes: toDecision(workflowRun, now, { after }).changes };
    },
  });
}

/** Returns whether a run still waits at the step and the item at which it was read. */
function isAtSameWait({ status, progress }: WorkflowRunRecord, read: WorkflowRunRecord): boolean {
  return status === 'waiting' && progress.at === read.progress.at && progress.item === read.progress.item;
}

function objectIdOf({ data }: StoredEvent): string | undefined {
  return (data as { object?: { id?: string } }).object?.id;
}
