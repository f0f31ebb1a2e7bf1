import type { ReactNode } from 'react';
import { operations, type Workflow, type WorkflowsListParams } from 'tenure';
import { Badge, Link, Time } from '@tenure/ui';
import { defineRead, useRead } from '../../api/requests.ts';
import { useRefusal, useUser } from '../../api/session.ts';
import { curlOf } from '../../curl.ts';
import type { ListDefinition } from '../../list/list-definition.ts';
import { ListPage } from '../../list/list-page.tsx';
import { Notice } from '../../office/parts.tsx';
import { workflowListRoute } from '../../routes.tsx';
import { GatedLink } from '../../shell/gated.tsx';
import { eventText, shortReason, statusText, tones } from './workflow-words.ts';
import styles from './workflows.module.css';

const list: ListDefinition<Workflow, 'status'> = {
  title: 'Workflows',
  noun: 'workflows',
  load: (tenure, params, options) => tenure.workflows.list(params as WorkflowsListParams, options),
  hrefOf: ({ id }) => `/workflows/${id}`,
  isStacked: true,
  columns: [
    { title: 'Name', cell: ({ name }) => name },
    { title: 'Status', cell: ({ status }) => <Badge tone={tones[status] ?? 'neutral'}>{statusText(status)}</Badge> },
    { title: 'Begins when', cell: ({ trigger }) => eventText(trigger.type) },
    { title: 'Steps', cell: ({ steps }) => steps.length },
    { title: 'Created', cell: ({ created }) => <Time at={created} /> },
  ],
  filters: [
    {
      name: 'status',
      label: 'Status',
      isClosed: true,
      choices: ['draft', 'active', 'paused', 'archived'].map((status) => ({ id: status, name: statusText(status) })),
    },
  ],
  empty: {
    title: 'No workflows yet',
    text: 'A workflow does what your office does each time: when an application comes in, order a check for each person in it. Create one from a ready workflow, and change it.',
    curl: curlOf(operations.workflows.list),
  },
};

/** The list of workflows. */
export function WorkflowListPage(): ReactNode {
  return (
    <ListPage
      list={list}
      search={workflowListRoute.useSearch()}
      tabs={<FailedRuns />}
      actions={
        <GatedLink href="/workflows/new" refusal={useRefusal('workflows.write')}>
          Create a workflow
        </GatedLink>
      }
    />
  );
}

/** The runs that failed last. A retry that succeeds takes a run away. */
const failedRead = defineRead((tenure, _, options) =>
  tenure.workflowRuns.list({ status: 'failed', limit: 3, expand: ['data.workflow'] }, options).page(),
);

function FailedRuns(): ReactNode {
  const mayRead = useUser().permissions.includes('workflow_runs.read');
  const { data } = useRead(failedRead, {}, { isOn: mayRead });
  if (data === undefined || data.data.length === 0) return null;
  const { count } = data;
  return (
    <Notice tone="bad" title={count === 1 ? 'A run has failed' : `${count.toLocaleString()} runs have failed`}>
      <ul className={styles.failed}>
        {data.data.map((run) => (
          <li key={run.id}>
            <Link href={`/workflow-runs/${run.id}`}>
              {typeof run.workflow === 'string' ? run.id : run.workflow.name}
            </Link>
            , <Time at={run.created} />: {shortReason(run.steps.at(-1)?.error?.message ?? '')}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
