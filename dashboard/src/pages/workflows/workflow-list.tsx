import type { ReactNode } from 'react';
import { operations, type Workflow, type WorkflowsListParams } from 'tenure';
import { Badge, Time } from '@tenure/ui';
import { useRefusal } from '../../api/session.ts';
import { curlOf } from '../../curl.ts';
import type { ListDefinition } from '../../list/list-definition.ts';
import { ListPage } from '../../list/list-page.tsx';
import { workflowListRoute } from '../../routes.tsx';
import { GatedLink } from '../../shell/gated.tsx';
import { tones } from './workflow-words.ts';

const list: ListDefinition<Workflow, 'status'> = {
  title: 'Workflows',
  noun: 'workflows',
  load: (tenure, params, options) => tenure.workflows.list(params as WorkflowsListParams, options),
  hrefOf: ({ id }) => `/workflows/${id}`,
  columns: [
    { title: 'Name', cell: ({ name }) => name },
    { title: 'Status', cell: ({ status }) => <Badge tone={tones[status] ?? 'neutral'}>{status}</Badge> },
    { title: 'Begins with', cell: ({ trigger }) => <code>{trigger.type}</code> },
    { title: 'Steps', align: 'end', cell: ({ steps }) => steps.length },
    { title: 'Created', align: 'end', cell: ({ created }) => <Time at={created} /> },
  ],
  filters: [
    {
      name: 'status',
      label: 'Status',
      isClosed: true,
      choices: ['draft', 'active', 'paused', 'archived'].map((status) => ({ id: status, name: status })),
    },
  ],
  empty: {
    title: 'No workflows yet',
    text: 'A workflow does what your office does each time: when an application comes in, order a check for each person in it.',
    curl: curlOf(operations.workflows.list),
  },
};

/** The list of workflows. */
export function WorkflowListPage(): ReactNode {
  return (
    <ListPage
      list={list}
      search={workflowListRoute.useSearch()}
      actions={
        <GatedLink href="/workflows/new" refusal={useRefusal('workflows.write')}>
          Create a workflow
        </GatedLink>
      }
    />
  );
}
