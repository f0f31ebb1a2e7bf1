import type { Json } from '../core/json-diff.ts';
import type { Change } from '../model/resource.ts';
import { begun, type StepEntry, type WorkflowRunRecord } from '../resources/workflows/run.ts';
import type { Step } from './rules/definition.ts';

/** An event that a run waits for: its type or `kind.*`. Its data has the id `record`, if that is known. */
export interface Awaited {
  type: string;
  record: string | null;
}

/** What came of an attempt at a step. */
export type StepResult =
  | { kind: 'succeeded'; output: Json }
  | { kind: 'skipped' }
  | { kind: 'failed'; error: { code: string; message: string } }
  /** The attempt failed, and another one follows. */
  | { kind: 'again'; error: { code: string; message: string }; atMs: number }
  /** The step waits. `nextLookMs` is the time of the next look at it. */
  | {
      kind: 'waiting';
      untilMs: number;
      nextLookMs: number;
      /** The awaited event. Null if the step waits for none. */
      awaits: Awaited | null;
      searched: boolean;
      /** The approval request that it waits for. */
      approvalRequest?: string;
    };

export interface Place {
  /** The number of items in the list of the step. Null without a list. */
  items: number | null;
  startedAtMs: number;
  nowMs: number;
  /** The id from which events count as later than this step. */
  from: string;
}

/** Returns the step that a run is at. */
export function stepAt({ definition, progress }: WorkflowRunRecord): Step {
  const step = definition.steps[progress.at];
  if (!step) throw new Error(`Bug! The run has no step ${progress.at}.`);
  return step;
}

/** Returns the entry of the step that a run is at, or null if no attempt was recorded. */
export function openEntry({ steps }: WorkflowRunRecord): StepEntry | null {
  const last = steps.at(-1);
  return last && last.ended_at === null ? last : null;
}

/** Returns the run after an attempt at its step. A pure function. */
export function advanced(run: WorkflowRunRecord, result: StepResult, place: Place): Change<WorkflowRunRecord> {
  const step = stepAt(run);
  const { progress } = run;
  const { items, startedAtMs, nowMs, from } = place;
  const nowSeconds = Math.floor(nowMs / 1000);
  const known = openEntry(run);
  // A look at a waiting step is no attempt.
  const isLook = known?.status === 'waiting';
  const base: StepEntry = {
    id: step.id,
    item: items === null || items === 0 ? null : progress.item,
    status: 'running',
    attempts: (known?.attempts ?? 0) + (isLook || result.kind === 'skipped' ? 0 : 1),
    output: null,
    error: null,
    started_at: known?.started_at ?? Math.floor(startedAtMs / 1000),
    ended_at: null,
  };
  const earlier = known ? run.steps.slice(0, -1) : run.steps;
  const withEntry = (entry: Partial<StepEntry>): WorkflowRunRecord => ({
    ...run,
    status: 'running',
    awaits: null,
    awaits_record: null,
    approval_request: null,
    steps: [...earlier, { ...base, ...entry }],
  });
  switch (result.kind) {
    case 'again':
      return {
        after: { ...withEntry({ error: result.error }), progress: { ...progress, due_at_ms: due(result.atMs) } },
      };
    case 'waiting': {
      const { untilMs, nextLookMs, awaits, searched, approvalRequest = null } = result;
      return {
        after: {
          ...withEntry({ status: 'waiting' }),
          status: 'waiting',
          awaits: awaits?.type ?? null,
          awaits_record: awaits?.record ?? null,
          approval_request: approvalRequest,
          progress: { ...progress, due_at_ms: due(nextLookMs), until_ms: untilMs, searched },
        },
      };
    }
    case 'failed':
      if (step.on_error === 'stop')
        return {
          after: {
            ...withEntry({ status: 'failed', error: result.error, ended_at: nowSeconds }),
            status: 'failed',
            failed_at: nowSeconds,
            progress: { ...progress, due_at_ms: null },
          },
          verbs: ['failed'],
        };
      return next(withEntry({ status: 'failed', error: result.error, ended_at: nowSeconds }));
    case 'skipped':
      return next(withEntry({ status: 'skipped', ended_at: nowSeconds }));
    case 'succeeded':
      return next(withEntry({ status: 'succeeded', output: result.output, ended_at: nowSeconds }));
  }

  /** Returns another time than that of the present job. The same time would schedule no job. */
  function due(ms: number): number {
    return ms === progress.due_at_ms ? ms + 1 : ms;
  }

  /** Goes on with the next item, or else with the next step. */
  function next(after: WorkflowRunRecord): Change<WorkflowRunRecord> {
    const isLastItem = items === null || progress.item + 1 >= items;
    const at = isLastItem ? progress.at + 1 : progress.at;
    // An event may come for a later item while an earlier one waits. So the items of a step begin at the same event.
    const moved = { ...begun(isLastItem ? from : progress.from), at, item: isLastItem ? 0 : progress.item + 1 };
    if (at < run.definition.steps.length) return { after: { ...after, progress: { ...moved, due_at_ms: due(nowMs) } } };
    return {
      after: {
        ...after,
        status: 'succeeded',
        succeeded_at: nowSeconds,
        progress: { ...progress, due_at_ms: null },
      },
      verbs: ['succeeded'],
    };
  }
}
