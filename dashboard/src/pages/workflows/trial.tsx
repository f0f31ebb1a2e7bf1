import { useState, type ReactNode } from 'react';
import type { Event, Workflow, WorkflowStep, WorkflowTest, WorkflowTestStep } from 'tenure';
import { Badge, CodeBlock, ErrorState, Prose, Select, Skeleton, type Tone } from '@tenure/ui';
import { defineRead, shownError, useRead, useWrite } from '../../api/requests.ts';
import { useRefusal } from '../../api/session.ts';
import { ConcernedText, recordOfEvent } from '../../office/people-and-home.tsx';
import { useTimeZone } from '../../office/account-time.tsx';
import { momentText } from '../../office/words.ts';
import { GatedButton } from '../../shell/gated.tsx';
import { Folded, StepWords } from './step-words.tsx';
import styles from './workflows.module.css';

const pastEvents = 20;

const eventsRead = defineRead((tenure, { type }: { type: string }, options) =>
  tenure.events.list({ type, limit: pastEvents }, options).page(),
);

/** Tries a workflow on a past event, without effect. */
export function Trial({ workflow }: { workflow: Workflow }): ReactNode {
  const { id, trigger } = workflow;
  const read = useRefusal('events.read');
  const write = useRefusal('workflows.write');
  const { data, error } = useRead(eventsRead, { type: trigger.type }, { isOn: read === null });
  const [chosen, setChosen] = useState<string | null>(null);
  const zone = useTimeZone();
  const trying = useWrite<string, WorkflowTest>((tenure, event, options) =>
    tenure.workflows.test(id, { event }, options),
  );
  if (read !== null) return <p>{read}.</p>;
  if (error !== null) return <ErrorState error={shownError(error)} />;
  if (data === undefined || zone === undefined) return <Skeleton rows={2} />;
  const events = data.data;
  if (events.length === 0)
    return (
      <p>
        There is no past <code>{trigger.type}</code> to try it on.
      </p>
    );
  const event = chosen ?? events[0]!.id;
  const about = events.find(({ id: each }) => each === event);
  return (
    <div className={styles.editor}>
      <div className={styles.row}>
        <Select
          label="Past event"
          choices={events.map((each) => ({ id: each.id, name: eventName(each, trigger.type, zone) }))}
          value={event}
          onChange={setChosen}
        />
        <GatedButton isInGroup refusal={write} isDisabled={trying.isPending} onPress={() => trying.mutate(event)}>
          Try it
        </GatedButton>
      </div>
      {about !== undefined && (
        <p>
          About: <ConcernedText record={recordOfEvent(about)} />
        </p>
      )}
      {trying.error !== null && <ErrorState error={shownError(trying.error)} />}
      {trying.data?.event === event && <Outcome workflow={workflow} outcome={trying.data} />}
    </div>
  );
}

/** Returns an event as a choice: its record and its time. It has its type if the trigger names several. */
function eventName({ type, data, created }: Event, triggerType: string, zone: string): string {
  const { id, name } = data.object as { id?: unknown; name?: unknown };
  const record = typeof name === 'string' ? name : typeof id === 'string' ? id : null;
  return [type === triggerType ? null : type, record, momentText(created, zone, 'medium')]
    .filter((part) => part !== null)
    .join(', ');
}

const words: Readonly<Record<string, { text: string; tone: Tone }>> = {
  run: { text: 'would run', tone: 'good' },
  skip: { text: 'would be skipped', tone: 'neutral' },
  fail: { text: 'would fail', tone: 'bad' },
  unknown: { text: 'only a run can tell', tone: 'waiting' },
};

/** What would have happened. */
function Outcome(props: { workflow: Workflow; outcome: WorkflowTest }): ReactNode {
  const { workflow, outcome } = props;
  const { matches, steps } = outcome;
  return (
    <div role="status" className={styles.editor}>
      <p>
        {matches
          ? 'The event would begin a run. Nothing was sent.'
          : 'The event does not meet the conditions: no run would begin.'}
      </p>
      {steps.length > 0 && (
        <ol className={styles.steps}>
          {steps.map((step) => (
            <TriedStep
              key={`${step.id} ${step.item ?? ''}`}
              step={step}
              taken={workflow.steps.find(({ id }) => id === step.id)}
              type={workflow.trigger.type}
            />
          ))}
        </ol>
      )}
    </div>
  );
}

/** The actions that send nothing, and wait. */
const waits: ReadonlySet<string> = new Set(['wait', 'wait_for_event', 'approval']);

function TriedStep(props: { step: WorkflowTestStep; taken: WorkflowStep | undefined; type: string }): ReactNode {
  const { step, taken, type } = props;
  const { id, item, would, request, error } = step;
  const { text, tone } = words[would] ?? { text: would, tone: 'neutral' };
  return (
    <li className={styles.step}>
      <h3>
        <code>{id}</code>
        {item !== null && ` number ${item + 1}`} <Badge tone={tone}>{text}</Badge>
      </h3>
      {taken !== undefined && <StepWords step={taken} context={{ type }} />}
      {error !== null && (
        <p className={styles.fault}>
          <Prose text={error} />
        </p>
      )}
      {request !== null && (
        <Folded>
          <CodeBlock
            title={taken !== undefined && waits.has(taken.action) ? 'What it would wait for' : 'What it would send'}
            text={JSON.stringify(request, null, 2)}
          />
        </Folded>
      )}
    </li>
  );
}
