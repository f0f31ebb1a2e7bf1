import { useState, type ReactNode } from 'react';
import type { Workflow, WorkflowTest, WorkflowTestStep } from 'tenure';
import { Badge, CodeBlock, ErrorState, Select, Skeleton, type Tone } from '@tenure/ui';
import { defineRead, shownError, useRead, useWrite } from '../../api/requests.ts';
import { useRefusal } from '../../api/session.ts';
import { useTimeZone } from '../../office/moment.tsx';
import { momentText } from '../../office/words.ts';
import { GatedButton } from '../../shell/gated.tsx';
import styles from './workflows.module.css';

const pastEvents = 20;

const eventsRead = defineRead((tenure, { type }: { type: string }, options) =>
  tenure.events.list({ type, limit: pastEvents }, options).page(),
);

/** Tries a workflow on a past event, without effect. */
export function Trial({ workflow: { id, trigger } }: { workflow: Workflow }): ReactNode {
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
  return (
    <div className={styles.editor}>
      <div className={styles.row}>
        <Select
          label="Past event"
          choices={events.map((each) => ({ id: each.id, name: `${each.type}, ${momentText(each.created, zone)}` }))}
          value={event}
          onChange={setChosen}
        />
        <GatedButton isInGroup refusal={write} isDisabled={trying.isPending} onPress={() => trying.mutate(event)}>
          Try it
        </GatedButton>
      </div>
      {trying.error !== null && <ErrorState error={shownError(trying.error)} />}
      {trying.data?.event === event && <Outcome outcome={trying.data} />}
    </div>
  );
}

const words: Readonly<Record<string, { text: string; tone: Tone }>> = {
  run: { text: 'would run', tone: 'good' },
  skip: { text: 'would be skipped', tone: 'neutral' },
  fail: { text: 'would fail', tone: 'bad' },
  unknown: { text: 'depends on an earlier step', tone: 'waiting' },
};

/** What would have happened. */
function Outcome({ outcome: { matches, steps } }: { outcome: WorkflowTest }): ReactNode {
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
            <TriedStep key={`${step.id} ${step.item ?? ''}`} step={step} />
          ))}
        </ol>
      )}
    </div>
  );
}

function TriedStep({ step: { id, item, would, request, error } }: { step: WorkflowTestStep }): ReactNode {
  const { text, tone } = words[would] ?? { text: would, tone: 'neutral' };
  return (
    <li className={styles.step}>
      <h3>
        <code>{id}</code>
        {item !== null && ` item ${item + 1}`} <Badge tone={tone}>{text}</Badge>
      </h3>
      {error !== null && <p className={styles.fault}>{error}</p>}
      {request !== null && <CodeBlock title="What it would send" text={JSON.stringify(request, null, 2)} />}
    </li>
  );
}
