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
import { pathOfId } from '../../shell/navigation.ts';
import { DetailPage, Section } from '../../shell/page.tsx';
import { withIds } from '../approvals/approval-words.ts';
import { wordsOfError } from '../deliveries/attempt-words.ts';
import { RunSubject } from './run-table.tsx';
import { Folded } from './step-words.tsx';
import { statusText, stepText, tones } from './workflow-words.ts';
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
          {run.status === 'failed' && <Failure run={run} />}
          <Details items={factsOf(run)} />
          <Section title="Steps">
            {run.steps.length === 0 ? <p>No step has begun yet.</p> : <RunSteps run={run} />}
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

function factsOf(whole: WorkflowRun): [string, ReactNode][] {
  const { status, workflow, version, event, depth, created, ...run } = whole;
  const endedAt = run.succeeded_at ?? run.failed_at ?? run.canceled_at;
  return [
    [
      'Status',
      <Badge key="status" tone={tones[status] ?? 'neutral'}>
        {statusText(status)}
      </Badge>,
    ],
    [
      'Workflow',
      <Link key="workflow" href={`/workflows/${idOf(workflow)}`}>
        {nameOf(workflow)}, version {version}
      </Link>,
    ],
    ['About', <RunSubject key="about" run={whole} />],
    ['Event', <LinkedId key="event" id={event} />],
    ...(depth === 1 ? [] : [['Depth', `${depth}: another run caused the event`] satisfies [string, ReactNode]]),
    ...(run.approval_request === null
      ? []
      : [['Waits for', <LinkedId key="approval" id={idOf(run.approval_request)} />] satisfies [string, ReactNode]]),
    ['Begun', <ExactTime key="begun" at={created} />],
    ['Ended', endedAt === null ? null : <ExactTime key="ended" at={endedAt} />],
  ];
}

/** Says which step has failed and why, and what a retry does. A retry keeps the steps of the run, so an edit of the workflow does not mend it. */
function Failure({ run }: { run: WorkflowRun }): ReactNode {
  const { version, workflow, steps } = run;
  const isOutdated = typeof workflow !== 'string' && workflow.version > version;
  const failed = steps.findLast(({ status }) => status === 'failed');
  return (
    <>
      {failed?.error && (
        <Notice tone="bad" title={`The step “${failed.id}” has failed`}>
          <p>
            <Reason error={failed.error} />
          </p>
        </Notice>
      )}
      <Notice
        tone={isOutdated ? 'warning' : 'neutral'}
        title={isOutdated ? 'The workflow was changed since' : 'Before you retry'}
      >
        <p>
          Mend the cause first. A retry takes the steps of version {version} again, from the failed one. An edit of the
          workflow is for later events, and does not change this run.
        </p>
      </Notice>
    </>
  );
}

/** Why a step has failed. The records of ids lead to their pages. */
function Reason({ error }: { error: NonNullable<WorkflowRunStep['error']> }): ReactNode {
  const words = wordsOfError(error.code);
  if (words !== null) return <Prose text={words} />;
  return withIds(error.message).map(({ number, text, isId }) =>
    isId && pathOfId(text) !== null ? <LinkedId key={number} id={text} /> : <Prose key={number} text={text} />,
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

function RunSteps({ run: { steps, workflow, version } }: { run: WorkflowRun }): ReactNode {
  const known = typeof workflow === 'string' || workflow.version !== version ? null : workflow;
  const wordsOf = (id: string): string | null => {
    const step = known?.steps.find((each) => each.id === id);
    return step && known ? stepText(step, known.trigger) : null;
  };
  return (
    <ol className={styles.steps}>
      {steps.map((step) => (
        <li key={`${step.id} ${step.item ?? ''}`} className={styles.step}>
          <h3>
            <code>{step.id}</code>
            {step.item !== null && ` number ${step.item + 1}`}{' '}
            <Badge tone={tones[step.status] ?? 'neutral'}>{statusText(step.status)}</Badge>
          </h3>
          {wordsOf(step.id) !== null && <p className={styles.text}>{wordsOf(step.id)}</p>}
          {step.error !== null && (
            <p className={styles.fault}>
              <Reason error={step.error} /> <code>{step.error.code}</code>
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
          {step.output?.timed_out === true && <p>Nothing happened in time.</p>}
          {step.output !== null && (
            <Folded>
              <CodeBlock title="Output" text={JSON.stringify(step.output, null, 2)} />
            </Folded>
          )}
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
