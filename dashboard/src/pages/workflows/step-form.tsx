import type { ReactNode } from 'react';
import { operations } from 'tenure';
import { Button, Checkbox, ComboBox, Icon, Select, TextField, type Choice } from '@tenure/ui';
import { eventTypes } from '../webhooks/event-types.ts';
import { capital } from '../../office/words.ts';
import { newFilter, newStep, textsOf, writtenOf, type DraftFilter, type DraftStep, type TextName } from './draft.ts';
import {
  conditionChoices,
  eventChoices,
  eventPathChoices,
  listChoices,
  pathWithId,
  personChoices,
  type Place,
} from './suggestions.ts';
import { actionNames, durationUnits, eventText, ops, requestText, type ActionName } from './workflow-words.ts';
import { StepWords } from './step-words.tsx';
import styles from './workflows.module.css';

/** Returns the fault of a parameter of the API, or null. */
export type FaultAt = (param: string) => string | null;

const stepsMax = 20;
const filtersMax = 10;

const typeChoices = eventChoices(eventTypes);

const wholeType = /^[a-z_]+\.(?:\*|[a-z_]{4,})$/;

/** The type of an event, or all of a kind: `reference.*`. */
export function EventTypeField(props: {
  label: string;
  value: string;
  onChange: (type: string) => void;
  error: string | null;
}): ReactNode {
  return (
    <ComboBox
      {...props}
      choices={typeChoices}
      onCommit={props.onChange}
      placeholder="application.created"
      hint={
        wholeType.test(props.value)
          ? `When ${eventText(props.value)}.`
          : 'Type a word, such as application. All of a kind: reference.*'
      }
      isMono
    />
  );
}

/** Conditions: a path, a comparison and a value each. All must hold. */
export function FilterRows(props: {
  /** What a row is, such as "condition". */
  noun: string;
  param: string;
  hint: string;
  /** The paths to choose from. */
  choices: readonly Choice[];
  filters: readonly DraftFilter[];
  onChange: (filters: DraftFilter[]) => void;
  faultAt: FaultAt;
}): ReactNode {
  const { noun, param, hint, choices, filters, onChange, faultAt } = props;
  const change = (key: number, part: Partial<DraftFilter>): void =>
    onChange(filters.map((filter) => (filter.key === key ? { ...filter, ...part } : filter)));
  return (
    <>
      {filters.map(({ key, path, op, value }, at) => (
        <div key={key} role="group" aria-label={`${noun} ${at + 1}`} className={styles.condition}>
          <div>
            <ComboBox
              label="Value to look at"
              choices={choices}
              value={path}
              onChange={(text) => change(key, { path: text })}
              onCommit={(text) => change(key, { path: text })}
              error={faultAt(`${param}[${at}][path]`)}
              hint={at === 0 ? hint : undefined}
              isMono
            />
          </div>
          <Select
            label="Comparison"
            choices={ops}
            value={op}
            onChange={(id) => change(key, { op: id })}
            error={faultAt(`${param}[${at}][op]`)}
          />
          <TextField
            label="Compared with"
            value={value}
            onChange={(text) => change(key, { value: text })}
            error={faultAt(`${param}[${at}][value]`)}
            hint={at === 0 ? 'A text, a number, true, or ["a", "b"]' : undefined}
            isMono
          />
          <Button
            isIcon
            aria-label={`Remove ${noun} ${at + 1}`}
            onPress={() => onChange(filters.filter((filter) => filter.key !== key))}
          >
            <Icon name="close" />
          </Button>
        </div>
      ))}
      <div>
        <Button isDisabled={filters.length >= filtersMax} onPress={() => onChange([...filters, newFilter()])}>
          Add a {noun}
        </Button>
      </div>
    </>
  );
}

/** The steps, each in a box of its own. */
export function StepCards(props: {
  steps: readonly DraftStep[];
  /** The type of the event that begins the workflow. */
  type: string;
  onChange: (steps: DraftStep[]) => void;
  faultAt: FaultAt;
}): ReactNode {
  const { steps, type, onChange, faultAt } = props;
  const change = (key: number, part: Partial<DraftStep>): void =>
    onChange(steps.map((step) => (step.key === key ? { ...step, ...part } : step)));
  const moved = (at: number, by: -1 | 1): DraftStep[] => {
    const others = [...steps];
    const [step] = others.splice(at, 1);
    others.splice(at + by, 0, step!);
    return others;
  };
  return (
    <div className={styles.editor}>
      {steps.map((step, at) => (
        <fieldset key={step.key} className={styles.card}>
          <legend>Step {at + 1}</legend>
          <DraftWords step={step} type={type} />
          <StepFields
            step={step}
            param={`steps[${at}]`}
            place={{ type, earlier: steps.slice(0, at) }}
            onChange={(part) => change(step.key, part)}
            faultAt={faultAt}
          />
          <div className={styles.row}>
            <Button
              isDisabled={at === 0}
              onPress={() => onChange(moved(at, -1))}
              aria-label={`Move up: step ${at + 1}`}
            >
              Move up
            </Button>
            <Button
              isDisabled={at === steps.length - 1}
              onPress={() => onChange(moved(at, 1))}
              aria-label={`Move down: step ${at + 1}`}
            >
              Move down
            </Button>
            <Button
              isDisabled={steps.length === 1}
              onPress={() => onChange(steps.filter(({ key }) => key !== step.key))}
              aria-label={`Remove: step ${at + 1}`}
            >
              Remove
            </Button>
          </div>
        </fieldset>
      ))}
      <div>
        <Button isDisabled={steps.length >= stepsMax} onPress={() => onChange([...steps, newStep(steps)])}>
          <Icon name="plus" size={14} />
          Add a step
        </Button>
      </div>
    </div>
  );
}

/** What the step does as it is now, in sentences. An incomplete step has none yet. */
function DraftWords({ step, type }: { step: DraftStep; type: string }): ReactNode {
  const { steps } = writtenOf({ name: '', type, filters: [], steps: [step], permissions: [] }).input;
  const isWritten = textsOf[step.action].some((name) => (step.texts[name] ?? '') !== '') || step.duration.amount !== '';
  if (!isWritten) return null;
  return (
    <div className={styles.inWords}>
      <StepWords step={steps[0]!} context={{ type }} />
    </div>
  );
}

interface FieldText {
  label: string;
  hint?: string;
  isMono?: boolean;
  isMultiline?: boolean;
}

const fieldTexts: Readonly<Record<TextName, FieldText>> = {
  path: { label: 'Request', hint: 'What is made or changed. Type a word, such as check.', isMono: true },
  url: { label: 'URL', hint: 'https://…, signed as a webhook is.', isMono: true },
  to: { label: 'To', hint: 'A person of your records. A workflow cannot write to your team.', isMono: true },
  subject: { label: 'Subject' },
  text: { label: 'Text', hint: 'An empty line begins a paragraph.', isMultiline: true },
  until: {
    label: 'Until',
    hint: 'Instead of a time: a day of the event, such as event.data.object.start_date',
    isMono: true,
  },
  type: { label: 'Event' },
  title: {
    label: 'What the person decides',
    hint: 'A question with ids and days, such as {{event.data.object.id}}, and no names of people. Without a time above, it waits for 24 hours.',
  },
};

const bodyHints: Readonly<Partial<Record<ActionName, string>>> = {
  api: 'The data of the request as JSON, such as {"customer": "{{item}}"}',
  http: 'JSON. Empty: the event is sent.',
};

const durationLabels: Readonly<Partial<Record<ActionName, string>>> = {
  wait: 'Wait for',
  wait_for_event: 'Wait at most',
  approval: 'Wait at most',
};

/** The paths of POSTs, as the SDK knows them. */
const postPaths = Object.values(operations)
  .flatMap((resource) => Object.values(resource as Record<string, { method?: string; path?: string }>))
  .flatMap(({ method, path }) => (method === 'POST' && path !== undefined ? [path] : []));
const pathChoices = [...new Set(postPaths)].sort().map((path) => {
  const words = requestText(path, { any: true });
  return { id: path, name: path, ...(words !== null && { description: capital(words) }) };
});

function StepFields(props: {
  step: DraftStep;
  param: string;
  place: Place;
  onChange: (part: Partial<DraftStep>) => void;
  faultAt: FaultAt;
}): ReactNode {
  const { step, param, place, onChange, faultAt } = props;
  const { action, texts, duration } = step;
  const fault = (member: string): string | null => faultAt(`${param}[${member}]`);
  const durationLabel = durationLabels[action];
  const durationFault = fault('seconds') ?? fault('timeout');
  return (
    <>
      <div className={styles.row}>
        <TextField
          label="Short name"
          value={step.id}
          onChange={(id) => onChange({ id })}
          isRequired
          isMono
          error={fault('id')}
        />
        <Select
          label="Action"
          choices={Object.entries(actionNames).map(([id, name]) => ({ id, name }))}
          value={action}
          onChange={(id) => onChange({ action: id as ActionName })}
          error={fault('action')}
        />
      </div>
      {durationLabel !== undefined && (
        <div className={styles.row}>
          <TextField
            label={durationLabel}
            type="number"
            value={duration.amount}
            onChange={(amount) => onChange({ duration: { ...duration, amount } })}
            error={durationFault}
          />
          <Select
            label="Unit"
            choices={durationUnits}
            value={duration.unit}
            onChange={(unit) => onChange({ duration: { ...duration, unit } })}
          />
        </div>
      )}
      {textsOf[action].map((name) => {
        const common = { value: texts[name] ?? '', error: fault(name) };
        const set = (text: string): void => onChange({ texts: { ...texts, [name]: text } });
        if (name === 'type') return <EventTypeField key={name} {...common} {...fieldTexts.type} onChange={set} />;
        if (name === 'path')
          return (
            <ComboBox
              key={name}
              {...fieldTexts.path}
              {...common}
              choices={pathChoices}
              onChange={set}
              onCommit={(path) => set(pathWithId(path, place.type))}
            />
          );
        if (name === 'to')
          return (
            <ComboBox
              key={name}
              {...fieldTexts.to}
              {...common}
              choices={personChoices(place, step.forEach)}
              onChange={set}
              onCommit={set}
            />
          );
        return <TextField key={name} {...fieldTexts[name]} {...common} onChange={set} autoComplete="off" />;
      })}
      {bodyHints[action] !== undefined && (
        <TextField
          label="Data to send"
          hint={bodyHints[action]}
          value={step.body}
          onChange={(body) => onChange({ body })}
          error={fault('body')}
          isMultiline
          isMono
        />
      )}
      {action === 'http' && (
        <TextField
          label="Headers"
          hint='JSON, such as {"X-Team": "york"}. Values are encrypted. Null keeps a stored value.'
          value={step.headers}
          onChange={(headers) => onChange({ headers })}
          error={fault('headers')}
          isMultiline
          isMono
        />
      )}
      {action === 'wait_for_event' && (
        <FilterRows
          noun="condition of the event"
          param={`${param}[filters]`}
          hint="Of the event that the step waits for, such as data.object.id"
          choices={eventPathChoices(step.texts.type ?? '')}
          filters={step.filters}
          onChange={(filters) => onChange({ filters })}
          faultAt={faultAt}
        />
      )}
      <ComboBox
        label="Once for each of"
        hint="Optional. A list, such as all people of an application. {{item}} is the one at hand."
        choices={listChoices(place)}
        value={step.forEach}
        onChange={(forEach) => onChange({ forEach })}
        onCommit={(forEach) => onChange({ forEach })}
        error={fault('for_each')}
        isMono
      />
      <FilterRows
        noun="condition"
        param={`${param}[if]`}
        hint="Of the event, such as event.data.object.status, or of an earlier step"
        choices={conditionChoices(place)}
        filters={step.conditions}
        onChange={(conditions) => onChange({ conditions })}
        faultAt={faultAt}
      />
      <Checkbox isSelected={step.goesOn} onChange={(goesOn) => onChange({ goesOn })}>
        If it fails, go on with the next step
      </Checkbox>
    </>
  );
}
