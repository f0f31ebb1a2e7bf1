import { Type } from 'typebox';
import type { Json, JsonObject } from '../../core/json-diff.ts';
import { placeGroups } from '../../core/limits/job-places.ts';
import { LinkedId, moment } from '../../model/schemas/fields.ts';
import type { StoredRecord } from '../../model/record.ts';
import { defineResource, exactly, type Change } from '../../model/resource.ts';
import { closedObject, described, named, nullable, oneOf } from '../../model/schemas/make.ts';
import { requireStatus } from '../../model/status.ts';
import { scheduled } from '../../model/traits/scheduled.ts';
import type { Step } from '../../workflows/rules/definition.ts';
import { endStepApproval, type ApprovalRequestRecord } from './approval-request.ts';
import type { SealedHeaders } from './workflow.ts';

/** A step of a run: once, or once for an item. */
export interface StepEntry {
  id: string;
  /** The position of its item. Null without `for_each`. */
  item: number | null;
  status: 'running' | 'waiting' | 'succeeded' | 'skipped' | 'failed' | 'canceled';
  attempts: number;
  output: Json;
  error: { code: string; message: string } | null;
  started_at: number;
  ended_at: number | null;
}

/** The copy of the workflow that a run keeps. */
export interface RunDefinition {
  name: string;
  steps: Step[];
  permissions: string[];
  sealed_headers: SealedHeaders;
  api_version: string;
}

/** Where a run is. */
export interface Progress {
  /** The position of the step. */
  at: number;
  /** The position of the item in the list of the step. */
  item: number;
  /** Null once it has ended. */
  due_at_ms: number | null;
  /** Events from this id on can end a wait: they came after the step before. */
  from: string;
  /** The end of a wait, in milliseconds. Null if the step does not wait. */
  until_ms: number | null;
  /** Whether the events since `from` were searched for the awaited one. Later ones come by the follower. */
  searched: boolean;
}

export type RunStatus = 'running' | 'waiting' | 'succeeded' | 'failed' | 'canceled';

export type WorkflowRunRecord = StoredRecord & {
  workflow: string;
  version: number;
  event: string;
  depth: number;
  status: RunStatus;
  steps: StepEntry[];
  approval_request: string | null;
  canceled_reason: string | null;
  succeeded_at: number | null;
  failed_at: number | null;
  canceled_at: number | null;
  definition: RunDefinition;
  progress: Progress;
  /** The type of the awaited event, or all of a kind, such as `unit.*`. Null if the run awaits none. */
  awaits: string | null;
  /** An id that the awaited event has in its data. Null if the run knows none. */
  awaits_record: string | null;
};

/** The name for the places of runs in a process. */
export const workflowService = 'workflows';

const Status = named(
  'WorkflowRunStatus',
  'The status of a workflow run.',
  oneOf('running', 'waiting', 'succeeded', 'failed', 'canceled'),
);

const EntrySchema = named(
  'WorkflowRunStep',
  'A step of a workflow run.',
  closedObject({
    id: described(Type.String(), 'The id of the step in the workflow.'),
    item: described(nullable(Type.Integer()), 'The position of its item, from 0. Null without `for_each`.'),
    status: described(
      oneOf('running', 'waiting', 'succeeded', 'skipped', 'failed', 'canceled'),
      '`running` after a failed attempt that is repeated. `skipped`: its `if` did not match, or its list was empty.',
    ),
    attempts: described(Type.Integer(), 'The number of attempts.'),
    output: described(
      Type.Unsafe<JsonObject | null>({ type: ['object', 'null'] }),
      'What later steps can name. It has ids, and no personal data: a template reads the record of the id as it is then.',
    ),
    error: described(
      nullable(
        closedObject({
          code: described(Type.String(), 'A word for programs. For `api`, the code of the refusal.'),
          message: described(Type.String(), 'A sentence for people.'),
        }),
      ),
      'Why it failed. Null if it did not.',
    ),
    started_at: described(Type.Integer(), 'When it began, in seconds since the Unix epoch.'),
    ended_at: described(nullable(Type.Integer()), 'When it ended. Null if it has not.'),
  }),
);

/** One run of a workflow, for one event. */
export const workflowRun = defineResource<WorkflowRunRecord>(
  {
    object: 'workflow_run',
    prefix: 'wfr',
    path: 'workflow_runs',
    table: 'workflow_runs',
    docs: {
      description:
        'One run of a workflow. An event starts at most one run of each workflow. The run takes the steps of the workflow as they were when it began.',
      example: {
        record: {
          workflow: 'wf_0VbZt1aA00nP4eVrYi7Qd3',
          version: 1,
          event: 'evt_0VbZr1fe01cR5gYkZs3Me7',
          depth: 1,
          status: 'running',
          steps: [
            {
              id: 'check',
              item: 0,
              status: 'succeeded',
              attempts: 1,
              output: { object: 'reference', id: 'ref_0VbZr1fe00bQ4fXjXr9Ld5' },
              error: null,
              started_at: 1795321044,
              ended_at: 1795321044,
            },
          ],
          approval_request: null,
          canceled_reason: null,
          succeeded_at: null,
          failed_at: null,
          canceled_at: null,
        },
        before: { steps: [] },
        after: {
          created: { steps: [] },
          succeeded: { status: 'succeeded', succeeded_at: 1795321044 },
          failed: { status: 'failed', failed_at: 1795321044 },
          canceled: { status: 'canceled', canceled_at: 1795321044 },
        },
      },
    },
    links: { workflow: 'workflows', approval_request: 'approval_requests' },
    verbs: {
      created: 'An event has started it. It has this event even if the server cancels it at once.',
      succeeded: 'All of its steps have ended.',
      failed: 'A step has failed. `retry` takes this step again.',
      canceled: 'It was canceled: by you, or by the server, as `canceled_reason` says.',
    },
    fields: {
      workflow: { column: 'text', schema: LinkedId, description: 'The id of the workflow.' },
      version: { column: 'integer', schema: Type.Integer(), description: 'The version of the workflow that it runs.' },
      event: { column: 'text', schema: Type.String(), description: 'The id of the event that started it.' },
      depth: {
        column: 'integer',
        schema: Type.Integer(),
        description:
          'The place of the run in a chain of runs: 1 if no run caused its event. Above 5 a run is canceled.',
      },
      status: {
        column: 'text',
        schema: Status,
        description: '`running` or `waiting`, and at last `succeeded`, `failed` or `canceled`.',
      },
      steps: { column: 'json', schema: Type.Array(EntrySchema), description: 'The steps that have begun.' },
      approval_request: {
        column: 'text',
        schema: nullable(LinkedId),
        description: 'The approval request that its step waits for. Null if it waits for none.',
      },
      canceled_reason: {
        column: 'text',
        schema: nullable(Type.String()),
        description: 'Why the server has canceled it. Null if it has not.',
      },
      succeeded_at: moment('When it succeeded', 'Null if it has not.'),
      failed_at: moment('When it failed', 'Null if it has not.'),
      canceled_at: moment('When it was canceled', 'Null if it was not.'),
      // It can have a quarter of a megabyte. Each step of a run is an update, and a list can have fifty runs.
      definition: { column: 'json', schema: Type.Object({}), shown: 'never', fixed: true, unlisted: true },
      progress: { column: 'json', schema: Type.Object({}), shown: 'never' },
      awaits: { column: 'text', schema: nullable(Type.String()), shown: 'never' },
      awaits_record: { column: 'text', schema: nullable(Type.String()), shown: 'never' },
    },
    filters: exactly({
      workflow: described(LinkedId, 'Only runs of this workflow.'),
      event: described(LinkedId, 'Only runs that this event started.'),
      status: described(Status, 'Only runs with this status.'),
    }),
    counted: ['status', 'workflow'],
    actions: {
      cancel: {
        summary: 'Cancel a workflow run',
        description:
          'Takes no further step. The effects of earlier steps stay. An approval request that it waits for is canceled.',
        refusals: ['status_transition_invalid'],
        reads: ['approval_request'],
        decide(current, { nowSeconds }, _input, _named, related) {
          requireStatus(
            current,
            ['running', 'waiting'],
            'workflow run',
            'Only a run that has not ended can be canceled.',
          );
          const asked = related.one<ApprovalRequestRecord>('approval_request');
          const ended = asked && endStepApproval(asked, 'canceled');
          return { ...canceled(current, nowSeconds, null), also: ended ? [ended] : [] };
        },
      },
      retry: {
        summary: 'Retry a workflow run',
        description: 'Takes the failed step again, and then the steps after it. Earlier steps are not repeated.',
        refusals: ['status_transition_invalid'],
        decide(current, caller) {
          requireStatus(current, ['failed'], 'workflow run', 'Only a failed run can be retried.');
          return {
            after: {
              ...current,
              status: 'running',
              failed_at: null,
              steps: current.steps.slice(0, -1),
              progress: { ...current.progress, ...begun(caller.makeId('evt')), due_at_ms: caller.nowSeconds * 1000 },
            },
          };
        },
      },
    },
  },
  scheduled({
    job: 'run_workflow',
    column: 'progress',
    statuses: ['running', 'waiting'],
    groups: ({ account_id: accountId }) => placeGroups(workflowService, accountId),
    dueAtMs: ({ progress }: WorkflowRunRecord) => progress.due_at_ms,
    wake: (current: WorkflowRunRecord, nowMs) =>
      current.progress.due_at_ms === null
        ? null
        : { after: { ...current, progress: { ...current.progress, due_at_ms: nowMs } } },
  }),
);

/** Returns the members of a step that has not waited yet. */
export function begun(from: string): Pick<Progress, 'from' | 'until_ms' | 'searched'> {
  return { from, until_ms: null, searched: false };
}

/** Returns the end of a run without its remaining steps. */
export function canceled(
  current: WorkflowRunRecord,
  nowSeconds: number,
  reason: string | null,
): Change<WorkflowRunRecord> {
  const steps = current.steps.map((entry) =>
    entry.ended_at === null ? { ...entry, status: 'canceled' as const, ended_at: nowSeconds } : entry,
  );
  return {
    after: {
      ...current,
      steps,
      status: 'canceled',
      canceled_at: nowSeconds,
      canceled_reason: reason,
      progress: { ...current.progress, due_at_ms: null },
      awaits: null,
      awaits_record: null,
      approval_request: null,
    },
    verbs: ['canceled'],
  };
}
