import type { ReactNode } from 'react';
import type { Workflow, WorkflowRun, WorkflowRunStep } from 'tenure';
import { Badge, Details, CodeBlock, ErrorState, ExactTime, Link, Prose, toast } from '@tenure/ui';
import { defineRead, shownError, useRead, useWrite } from '../../api/requests.ts';
import { useRefusal } from '../../api/session.ts';
import { Notice } from '../../office/parts.tsx';
import { idOf } from '../../office/words.ts';
import { workflowRunRoute } from '../../routes.tsx';
import { GatedButton } from '../../shell/gated.tsx';
import { LinkedId } from '../../shell/linked-id.tsx';
import { DetailPage, Section } from '../../shell/page.tsx';
import { wordsOfError } from '../deliveries/attempt-words.ts';
import { tones } from './workflow-words.ts';
import styles from './workflows.module.css';

const runRead = defineRead<WorkflowRun, { id: string }>((tenure, { id }, options) =>
  tenure.workflowRuns.retrieve(id, { expand: ['workflow'] }, options),
);

function isOpen({ status }: WorkflowRun): boolean {
  return status === 'running' || status === 'waiting';
}

/** One run of a workflow: what began it, and each step with what came of it. */
export function WorkflowRunPage(): ReactNode {
  const { id } = workflowRunRoute.useParams();
  return <OneRun key={id} id={id} />;
}

function OneRun({ id }: { id: string }): ReactNode {
  const query = useRead(runRead, { id }, { refreshMs: (run) => isOpen(run) && 2_000 });
  const workflow = query.data && idOf(query.data.workflow);
  return (
    <DetailPage
      id={id}
      noun="Workflow run"
      parent={{ href: workflow ? `/workflows/${workflow}` : '/workflows', name: workflow ? 'Workflow' : 'Workflows' }}
      query={query}
      subtitle={({ workflow: of }) => nameOf(of)}
      actions={(run) => <RunActions run={run} />}
    >
      {(run) => (
        <>
          {run.canceled_reason !== null && (
            <Notice tone="warning" title="The server has canceled it">
              <p>{run.canceled_reason}</p>
            </Notice>
          )}
          <Details items={factsOf(run)} />
          {run.status === 'failed' && <AboutRetry run={run} />}
          <Section title="Steps">
            {run.steps.length === 0 ? <p>No step has begun yet.</p> : <RunSteps steps={run.steps} />}
            <StepsToCome run={run} />
          </Section>
        </>
      )}
    </DetailPage>
  );
}

function nameOf(workflow: string | Workflow): string {
  return typeof workflow === 'string' ? 'A workflow' : workflow.name;
}

function factsOf({ status, workflow, version, event, depth, created, ...run }: WorkflowRun): [string, ReactNode][] {
  const endedAt = run.succeeded_at ?? run.failed_at ?? run.canceled_at;
  return [
    [
      'Status',
      <Badge key="status" tone={tones[status] ?? 'neutral'}>
        {status}
      </Badge>,
    ],
    [
      'Workflow',
      <Link key="workflow" href={`/workflows/${idOf(workflow)}`}>
        {nameOf(workflow)}, version {version}
      </Link>,
    ],
    ['Begun by', <LinkedId key="event" id={event} />],
    ...(depth === 1 ? [] : [['Depth', `${depth}: another run caused the event`] satisfies [string, ReactNode]]),
    ...(run.approval_request === null
      ? []
      : [['Waits for', <LinkedId key="approval" id={idOf(run.approval_request)} />] satisfies [string, ReactNode]]),
    ['Begun', <ExactTime key="begun" at={created} />],
    ['Ended', endedAt === null ? null : <ExactTime key="ended" at={endedAt} />],
  ];
}

/** Says what a retry does. It keeps the steps of the run, so an edit of the workflow does not mend this run. */
function AboutRetry({ run: { version, workflow } }: { run: WorkflowRun }): ReactNode {
  const isOutdated = typeof workflow !== 'string' && workflow.version > version;
  return (
    <Notice
      tone={isOutdated ? 'warning' : 'neutral'}
      title={isOutdated ? 'The workflow was changed since' : 'Before you retry'}
    >
      <p>
        A retry takes the steps of version {version} again, from the failed one. It helps if the cause is gone. An edit
        of the workflow is for later events.
      </p>
    </Notice>
  );
}

/** The steps that have not begun, by their ids. Only the version of the run knows them. */
function StepsToCome({ run }: { run: WorkflowRun }): ReactNode {
  const { workflow, version, steps } = run;
  if (typeof workflow === 'string' || workflow.version !== version || !(isOpen(run) || run.status === 'failed'))
    return null;
  const left = workflow.steps.filter(({ id }) => !steps.some((step) => step.id === id));
  if (left.length === 0) return null;
  return (
    <p>
      Still to come:{' '}
      {left.map(({ id }, at) => (
        <span key={id}>
          {at > 0 && ', '}
          <code>{id}</code>
        </span>
      ))}
    </p>
  );
}

function RunSteps({ steps }: { steps: readonly WorkflowRunStep[] }): ReactNode {
  return (
    <ol className={styles.steps}>
      {steps.map((step) => (
        <li key={`${step.id} ${step.item ?? ''}`} className={styles.step}>
          <h3>
            <code>{step.id}</code>
            {step.item !== null && ` item ${step.item + 1}`}{' '}
            <Badge tone={tones[step.status] ?? 'neutral'}>{step.status}</Badge>
          </h3>
          {step.error !== null && (
            <p className={styles.fault}>
              <Prose text={wordsOfError(step.error.code) ?? step.error.message} /> <code>{step.error.code}</code>
            </p>
          )}
          <p>
            {step.attempts > 1 && `${step.attempts} attempts. `}
            Begun <ExactTime at={step.started_at} />
            {step.ended_at !== null && (
              <>
                , ended <ExactTime at={step.ended_at} />
              </>
            )}
          </p>
          {typeof step.output?.id === 'string' && (
            <p>
              Record: <LinkedId id={step.output.id} />
            </p>
          )}
          {step.output !== null && <CodeBlock title="Output" text={JSON.stringify(step.output, null, 2)} />}
        </li>
      ))}
    </ol>
  );
}

/** Ends a run, or takes its failed step again. */
function RunActions({ run }: { run: WorkflowRun }): ReactNode {
  const refusal = useRefusal('workflow_runs.write');
  const moving = useWrite<'cancel' | 'retry', WorkflowRun>(
    (tenure, move, options) => tenure.workflowRuns[move](run.id, {}, options),
    { onDone: (_, move) => toast(move === 'cancel' ? 'Canceled. It takes no further step.' : 'It goes on.') },
  );
  return (
    <>
      {isOpen(run) && (
        <GatedButton isInGroup refusal={refusal} isDisabled={moving.isPending} onPress={() => moving.mutate('cancel')}>
          Cancel the run
        </GatedButton>
      )}
      {run.status === 'failed' && (
        <GatedButton
          isInGroup
          look="primary"
          refusal={refusal}
          isDisabled={moving.isPending}
          onPress={() => moving.mutate('retry')}
        >
          Retry the failed step
        </GatedButton>
      )}
      {moving.error !== null && <ErrorState error={shownError(moving.error)} />}
    </>
  );
}
