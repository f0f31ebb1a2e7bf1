import type { ReactNode } from 'react';
import type { WorkflowRun, WorkflowRunsListParams } from 'tenure';
import { Badge, Time } from '@tenure/ui';
import type { ListDefinition } from '../../list/list-definition.ts';
import { ConcernedText, recordOfEvent, useEvent } from '../../office/people-and-home.tsx';
import { shortReason, statusText, tones } from './workflow-words.ts';

/** Returns the list of the runs of a workflow. Runs that have not ended are read again. */
export function runList(workflow: string): ListDefinition<WorkflowRun, 'status'> {
  return {
    title: 'Runs',
    noun: 'runs',
    parentId: workflow,
    load: (tenure, params, options, id) =>
      tenure.workflowRuns.list({ ...(params as WorkflowRunsListParams), workflow: id! }, options),
    hrefOf: ({ id }) => `/workflow-runs/${id}`,
    isStacked: true,
    pageSize: 10,
    columns: [
      { title: 'About', cell: (run) => <RunSubject run={run} /> },
      { title: 'Status', cell: ({ status }) => <Badge tone={tones[status] ?? 'neutral'}>{statusText(status)}</Badge> },
      { title: 'Is at', cell: (run) => placeOf(run) },
      { title: 'Begun', cell: ({ created }) => <Time at={created} /> },
    ],
    filters: [
      {
        name: 'status',
        label: 'Status',
        isClosed: true,
        choices: ['running', 'waiting', 'succeeded', 'failed', 'canceled'].map((status) => ({
          id: status,
          name: statusText(status),
        })),
      },
    ],
    refreshMs: (runs) => runs.some(({ status }) => status === 'running' || status === 'waiting') && 2_000,
    empty: {
      title: 'No runs yet',
      text: 'Each event that matches begins a run, once the workflow is active.',
    },
  };
}

/** The people and the home of the event that began a run. A run about something else has its id. */
export function RunSubject({ run }: { run: WorkflowRun }): ReactNode {
  const event = useEvent(run.event);
  return <ConcernedText record={event === undefined ? null : recordOfEvent(event)} other={run.id} />;
}

/** Returns the step that a run waits at or failed at, and why. */
function placeOf({ steps, status }: WorkflowRun): string {
  const last = steps.at(-1);
  if (last === undefined || status === 'succeeded') return '–';
  return last.error === null ? last.id : `${last.id}: ${shortReason(last.error.message)}`;
}
