import type { ReactNode } from 'react';
import { operations, type Workflow, type WorkflowsListParams } from 'tenure';
import { Badge, Link, Time } from '@tenure/ui';
import { defineRead, useRead } from '../../api/requests.ts';
import { useRefusal, useSession, useUser } from '../../api/session.ts';
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

/** A failure is news for so many days. An old run stays on the page of its workflow, where it can still be retried. */
const newsDays = 7;

/** The most runs that the page names. */
const namedMax = 3;

/** The most failed runs that the page counts. */
const countedMax = 50;

/** The runs that failed lately, the newest first, and whether there may be more. A retry that succeeds takes a run away. */
const failedRead = defineRead(async (tenure, { aheadSeconds }: { aheadSeconds: number }, options) => {
  const since = Date.now() / 1000 + aheadSeconds - newsDays * 86_400;
  const { data, has_more: hasMore } = await tenure.workflowRuns
    .list({ status: 'failed', limit: countedMax, expand: ['data.workflow'] }, options)
    .page();
  const runs = data.filter(({ failed_at: at }) => at !== null && at >= since);
  return { runs, mayHaveMore: hasMore && runs.length === data.length };
});

function FailedRuns(): ReactNode {
  const mayRead = useUser().permissions.includes('workflow_runs.read');
  const { clock } = useSession();
  const { data } = useRead(failedRead, { aheadSeconds: clock.ahead_seconds }, { isOn: mayRead });
  if (data === undefined || data.runs.length === 0) return null;
  const { runs, mayHaveMore } = data;
  const count = runs.length;
  return (
    <Notice
      tone="bad"
      title={`${count === 1 ? 'A run has' : `${count}${mayHaveMore ? ' or more' : ''} runs have`} failed in the last ${newsDays} days`}
    >
      <ul className={styles.failed}>
        {runs.slice(0, namedMax).map((run) => (
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
