import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState, type ReactNode } from 'react';
import type { Workflow, WorkflowStep } from 'tenure';
import { Badge, ButtonLink, ConfirmDialog, Details, ErrorState, CodeBlock, ExactTime, toast } from '@tenure/ui';
import { defineRead, shownError, useRead, useWrite } from '../../api/requests.ts';
import { useRefusal } from '../../api/session.ts';
import { RecordList } from '../../list/list-page.tsx';
import { Notice } from '../../office/parts.tsx';
import { capital } from '../../office/words.ts';
import { workflowRoute } from '../../routes.tsx';
import { GatedButton } from '../../shell/gated.tsx';
import { DetailPage, Section } from '../../shell/page.tsx';
import { runList } from './run-table.tsx';
import { Folded, StepWords } from './step-words.tsx';
import { Trial } from './trial.tsx';
import {
  actionNames,
  eventText,
  filtersText,
  mayText,
  statusText,
  tones,
  type ActionName,
  type PathContext,
} from './workflow-words.ts';
import styles from './workflows.module.css';

const workflowRead = defineRead<Workflow, { id: string }>(async (tenure, { id }, options) => {
  const workflow = { ...(await tenure.workflows.retrieve(id, {}, options)) };
  // The secret must not stay in the queries of the page.
  if ('signing_secret' in workflow) delete (workflow as { signing_secret?: string }).signing_secret;
  return workflow;
});

/** One workflow: when it begins, its steps in words, and its runs. */
export function WorkflowPage(): ReactNode {
  const { id } = workflowRoute.useParams();
  return <OneWorkflow key={id} id={id} />;
}

function OneWorkflow({ id }: { id: string }): ReactNode {
  const query = useRead(workflowRead, { id });
  const list = useMemo(() => runList(id), [id]);
  const search = workflowRoute.useSearch();
  return (
    <DetailPage
      id={id}
      noun="Workflow"
      parent={{ href: '/workflows', name: 'Workflows' }}
      query={query}
      subtitle={({ name }) => name}
      actions={(workflow) => <WorkflowActions workflow={workflow} />}
    >
      {(workflow) => (
        <>
          {workflow.paused_reason !== null && (
            <Notice tone="warning" title="The server has paused it">
              <p>{workflow.paused_reason}</p>
            </Notice>
          )}
          <Details items={factsOf(workflow)} />
          <Section title="Steps">
            <Steps steps={workflow.steps} context={workflow.trigger} />
          </Section>
          <Section title="Try it on a past event">
            <Trial workflow={workflow} />
          </Section>
          <Section title="Runs">
            <RecordList list={list} search={search} />
          </Section>
        </>
      )}
    </DetailPage>
  );
}

function factsOf({
  status,
  trigger,
  permissions,
  version,
  api_version,
  activated_at,
}: Workflow): [string, ReactNode][] {
  return [
    [
      'Status',
      <Badge key="status" tone={tones[status] ?? 'neutral'}>
        {statusText(status)}
      </Badge>,
    ],
    [
      'Begins when',
      <span key="trigger">
        {capital(eventText(trigger.type))}
        {trigger.filters?.length ? `, and ${filtersText(trigger.filters, trigger)}` : ''} (<code>{trigger.type}</code>)
      </span>,
    ],
    ['May', mayText(permissions)],
    ['Version', `${version}, with events of ${api_version}`],
    [
      status === 'active' ? 'Active since' : 'Last activated',
      activated_at === null ? null : <ExactTime key="active" at={activated_at} />,
    ],
  ];
}

/** The steps in words, in their order. What only developers read is folded. */
export function Steps(props: { steps: readonly WorkflowStep[]; context: PathContext }): ReactNode {
  const { steps, context } = props;
  return (
    <ol className={styles.steps}>
      {steps.map((step) => (
        <li key={step.id} className={styles.step}>
          <h3>
            <code>{step.id}</code> {actionNames[step.action as ActionName] ?? step.action}
          </h3>
          <StepWords step={step} context={context} />
          <Folded>
            <CodeBlock title="Step" text={JSON.stringify(step, null, 2)} />
          </Folded>
        </li>
      ))}
    </ol>
  );
}

type Move = 'activate' | 'pause' | 'archive';

const done: Readonly<Record<Move, string>> = {
  activate: 'Active. Events from now on begin runs.',
  pause: 'Paused. Runs that have begun continue.',
  archive: 'Archived.',
};

/** What a person can do with a workflow. */
function WorkflowActions({ workflow: { id, name, status } }: { workflow: Workflow }): ReactNode {
  const navigate = useNavigate();
  const refusal = useRefusal('workflows.write');
  const [asked, setAsked] = useState<'archive' | 'delete' | null>(null);
  const moving = useWrite<Move, Workflow>((tenure, move, options) => tenure.workflows[move](id, {}, options), {
    onDone: (_, move) => {
      setAsked(null);
      toast(done[move]);
    },
  });
  const deleting = useWrite<string, unknown>(
    (tenure, workflow, options) => tenure.workflows.delete(workflow, options),
    {
      onDone: () => {
        toast('The draft is deleted.');
        void navigate({ to: '/workflows' });
      },
    },
  );
  const isBusy = moving.isPending || deleting.isPending;
  const error = moving.error ?? deleting.error;
  if (status === 'archived') return null;
  return (
    <>
      {status === 'active' ? (
        <GatedButton isInGroup refusal={refusal} isDisabled={isBusy} onPress={() => moving.mutate('pause')}>
          Pause
        </GatedButton>
      ) : (
        <GatedButton
          isInGroup
          look="primary"
          refusal={refusal}
          isDisabled={isBusy}
          onPress={() => moving.mutate('activate')}
        >
          Activate
        </GatedButton>
      )}
      {refusal === null && <ButtonLink href={`/workflows/${id}/edit`}>Edit</ButtonLink>}
      <GatedButton
        isInGroup
        refusal={refusal}
        isDisabled={isBusy}
        onPress={() => setAsked(status === 'draft' ? 'delete' : 'archive')}
      >
        {status === 'draft' ? 'Delete' : 'Archive'}
      </GatedButton>
      {error !== null && asked === null && <ErrorState error={shownError(error)} />}
      {asked !== null && (
        <ConfirmDialog
          title={asked === 'delete' ? `Delete ${name}?` : `Archive ${name}?`}
          isOpen
          confirmText={asked === 'delete' ? 'Delete the draft' : 'Archive the workflow'}
          isPending={isBusy}
          onCancel={() => setAsked(null)}
          onConfirm={() => (asked === 'delete' ? deleting.mutate(id) : moving.mutate('archive'))}
        >
          <p>
            {asked === 'delete'
              ? 'The draft is gone for good.'
              : 'It begins no more runs, and cannot be activated again. Runs that have begun continue.'}
          </p>
          {error !== null && <ErrorState error={shownError(error)} />}
        </ConfirmDialog>
      )}
    </>
  );
}
