import type { WorkflowRun, WorkflowRunsListParams } from 'tenure';
import { Badge, Id, Time } from '@tenure/ui';
import type { ListDefinition } from '../../list/list-definition.ts';
import { tones } from './workflow-words.ts';

/** Returns the list of the runs of a workflow. Runs that have not ended are read again. */
export function runList(workflow: string): ListDefinition<WorkflowRun, 'status'> {
  return {
    title: 'Runs',
    noun: 'runs',
    parentId: workflow,
    load: (tenure, params, options, id) =>
      tenure.workflowRuns.list({ ...(params as WorkflowRunsListParams), workflow: id! }, options),
    hrefOf: ({ id }) => `/workflow-runs/${id}`,
    columns: [
      { title: 'Run', cell: ({ id }) => <Id id={id} /> },
      { title: 'Status', cell: ({ status }) => <Badge tone={tones[status] ?? 'neutral'}>{status}</Badge> },
      { title: 'Steps begun', align: 'end', cell: ({ steps }) => steps.length },
      { title: 'Begun', align: 'end', cell: ({ created }) => <Time at={created} /> },
    ],
    filters: [
      {
        name: 'status',
        label: 'Status',
        isClosed: true,
        choices: ['running', 'waiting', 'succeeded', 'failed', 'canceled'].map((status) => ({
          id: status,
          name: status,
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
