import { useNavigate } from '@tanstack/react-router';
import { useRef, useState, type ReactNode } from 'react';
import { ApiError, type Workflow } from 'tenure';
import { Actions, Button, ButtonLink, ErrorState, Link, Select, Skeleton, TextField, toast } from '@tenure/ui';
import { defineRead, faultOf, shownError, useRead, useWrite } from '../../api/requests.ts';
import { useRefusal, useUser } from '../../api/session.ts';
import { apiUrl } from '../../base-url.ts';
import { workflowEditRoute } from '../../routes.tsx';
import { Form } from '../../shell/form.tsx';
import { GatedButton } from '../../shell/gated.tsx';
import pageStyles from '../../shell/page.module.css';
import { Page } from '../../shell/page.tsx';
import { UnsavedQuestion } from '../../shell/unsaved.tsx';
import { PermissionMatrix } from '../api-keys/permission-matrix.tsx';
import { grantableTo, nameOfKind, withLevel, type Grantable, type Level } from '../api-keys/permissions.ts';
import { draftOf, emptyDraft, neededBy, writtenOf, type Draft, type DraftStep, type WorkflowInput } from './draft.ts';
import { readyWorkflows } from './ready-workflows.ts';
import { EventTypeField, FilterRows, StepCards, type FaultAt } from './step-form.tsx';
import { eventPathChoices } from './suggestions.ts';
import { mayText } from './workflow-words.ts';
import styles from './workflows.module.css';

/** The choice of an empty workflow. */
const nothing = '';

/** Makes a workflow. It stays a draft until it is activated. */
export function NewWorkflowPage(): ReactNode {
  const navigate = useNavigate();
  const [beginning, setBeginning] = useState(nothing);
  const ready = readyWorkflows.get(beginning);
  const creating = useWrite<WorkflowInput, Workflow>(
    (tenure, input, options) => tenure.workflows.create(input, options),
    {
      onDone: ({ id }) => {
        toast('The draft is saved. Activate it when it is ready.');
        void navigate({ to: '/workflows/$id', params: { id }, ignoreBlocker: true });
      },
    },
  );
  return (
    <Page title="Create a workflow" parent={{ href: '/workflows', name: 'Workflows' }}>
      <div className={styles.beginning}>
        <Select
          label="Begin with"
          choices={[
            { id: nothing, name: 'An empty workflow' },
            ...[...readyWorkflows.keys()].map((name) => ({ id: name, name })),
          ]}
          value={beginning}
          onChange={setBeginning}
          hint="A ready workflow fills in the form below."
        />
      </div>
      <Editor
        key={beginning}
        first={ready ? draftOf(ready) : emptyDraft()}
        backHref="/workflows"
        submitText="Save the draft"
        error={creating.error}
        isPending={creating.isPending}
        onSubmit={creating.mutate}
      />
    </Page>
  );
}

const storedRead = defineRead<Workflow, { id: string }>((tenure, { id }, options) =>
  tenure.workflows.retrieve(id, {}, options),
);

const changedMeanwhile =
  'This workflow has changed since you opened it, so that nothing is saved. Open it in another tab, and compare it with what you have typed here.';

/** Changes a workflow. Runs that have begun keep the steps of before. */
export function EditWorkflowPage(): ReactNode {
  const { id } = workflowEditRoute.useParams();
  const navigate = useNavigate();
  const { data, error } = useRead(storedRead, { id });
  // The form begins with the workflow as it is first shown.
  const [first, setFirst] = useState<Workflow | null>(null);
  if (data !== undefined && first?.id !== id) setFirst(data);
  const checked = useRef<string>(null);
  const updating = useWrite<WorkflowInput, Workflow>(
    async (tenure, input, options) => {
      // An update sends all steps, filters and permissions. A second attempt sends what the first one sent.
      const text = JSON.stringify(input);
      if (checked.current !== text) {
        const { version } = await tenure.workflows.retrieve(id);
        if (version !== first!.version) throw new Error(changedMeanwhile);
        checked.current = text;
      }
      return tenure.workflows.update(id, input, options);
    },
    {
      onDone: () => {
        toast('Saved. Runs that have begun keep their steps.');
        void navigate({ to: '/workflows/$id', params: { id }, ignoreBlocker: true });
      },
    },
  );
  return (
    <Page title="Edit a workflow" parent={{ href: `/workflows/${id}`, name: data?.name ?? 'Workflow' }}>
      {error !== null && <ErrorState error={shownError(error)} />}
      {error === null && data === undefined && <Skeleton rows={12} />}
      {data !== undefined && first?.id === id && (
        <Editor
          key={id}
          first={draftOf(first)}
          backHref={`/workflows/${id}`}
          submitText="Save"
          error={updating.error}
          isPending={updating.isPending}
          onSubmit={updating.mutate}
        />
      )}
    </Page>
  );
}

function Editor(props: {
  first: Draft;
  backHref: string;
  submitText: string;
  error: Error | null;
  isPending: boolean;
  onSubmit: (input: WorkflowInput) => void;
}): ReactNode {
  const { backHref, submitText, error, isPending, onSubmit } = props;
  const [draft, setDraft] = useState(props.first);
  const [isChanged, setChanged] = useState(false);
  const [faults, setFaults] = useState<ReadonlyMap<string, string>>(new Map());
  const { permissions: own } = useUser();
  const refusal = useRefusal('workflows.write');
  const grantable = grantableTo('agent', own);
  const set = (part: Partial<Draft>): void => {
    setDraft({ ...draft, ...part });
    setChanged(true);
  };
  const faultAt: FaultAt = (param) => faults.get(param) ?? faultUnder(error, param);
  const submit = (): void => {
    const written = writtenOf(draft);
    setFaults(written.faults);
    if (written.faults.size === 0) onSubmit(written.input);
  };
  return (
    <Form
      error={error}
      fields={error instanceof ApiError ? shownParams(error) : []}
      onSubmit={submit}
      actions={
        <Actions>
          <ButtonLink href={backHref}>Cancel</ButtonLink>
          <GatedButton refusal={refusal} look="primary" type="submit" isDisabled={isPending}>
            {submitText}
          </GatedButton>
        </Actions>
      }
    >
      <UnsavedQuestion isChanged={isChanged} />
      <TextField
        label="Name"
        value={draft.name}
        onChange={(name) => set({ name })}
        isRequired
        maxLength={500}
        autoComplete="off"
        error={faultAt('name')}
        hint="The history of records shows it."
      />
      <fieldset className={styles.card}>
        <legend>When it begins</legend>
        <EventTypeField
          label="Event"
          value={draft.type}
          onChange={(type) => set({ type })}
          error={faultAt('trigger[type]')}
        />
        <FilterRows
          noun="condition of the event"
          param="trigger[filters]"
          hint="Of the event, such as data.object.status"
          choices={eventPathChoices(draft.type)}
          filters={draft.filters}
          onChange={(filters) => set({ filters })}
          faultAt={faultAt}
        />
      </fieldset>
      <p className={pageStyles.quiet}>
        Texts can have places that each run fills in: <code>{'{{event.data.object.id}}'}</code> is a value of the event,{' '}
        <code>{'{{steps.step_1.output.id}}'}</code> of an earlier step, and <code>{'{{item}}'}</code> the one at hand of
        a list. <Link href={`${apiUrl}/docs/guides/workflows`}>The guide of workflows</Link> explains each field.
      </p>
      <StepCards steps={draft.steps} type={draft.type} onChange={(steps) => set({ steps })} faultAt={faultAt} />
      <NeededPermissions
        steps={draft.steps}
        permissions={draft.permissions}
        grantable={grantable}
        onAllow={(permissions) => set({ permissions })}
      />
      <details className={styles.folded} open={faultAt('permissions') !== null ? true : undefined}>
        <summary>What the workflow may do: {mayText(draft.permissions)}</summary>
        <PermissionMatrix
          grantable={grantable}
          permissions={draft.permissions}
          onChange={(permissions) => set({ permissions })}
          error={faultAt('permissions')}
        />
      </details>
    </Form>
  );
}

/** Names the permissions that the steps need and lack, and gives them at once. */
function NeededPermissions(props: {
  steps: readonly DraftStep[];
  permissions: readonly string[];
  grantable: readonly Grantable[];
  onAllow: (permissions: readonly string[]) => void;
}): ReactNode {
  const { steps, permissions, grantable, onAllow } = props;
  const lacking = neededBy(steps).flatMap((permission) => {
    const [kind = '', level = ''] = permission.split('.');
    const isHeld = permissions.includes(permission) || permissions.includes(`${kind}.write`);
    const highest = grantable.find((each) => each.kind === kind)?.highest;
    return isHeld || highest === undefined || (level === 'write' && highest === 'read') ? [] : [{ kind, level }];
  });
  if (lacking.length === 0) return null;
  const allowed = lacking.reduce<readonly string[]>(
    (all, { kind, level }) => withLevel(all, kind, level as Level),
    permissions,
  );
  return (
    <div className={styles.needed}>
      <span>
        The steps need a permission: {lacking.map(({ kind, level }) => `${nameOfKind(kind)} (${level})`).join(', ')}.
      </span>
      <Button onPress={() => onAllow(allowed)}>Allow it</Button>
    </div>
  );
}

/** Returns all parameters of an error, because each has a field here, or a field that holds it. */
function shownParams({ errors, param }: ApiError): string[] {
  const params = [param, ...errors.map((each) => each.param)].filter((each) => each !== null && each !== undefined);
  return params.filter((each) => /^(name|trigger|steps|permissions)(\[|$)/.test(each));
}

/** Returns the fault of a parameter, or of a member within it: `steps[0][body][customer]`. */
function faultUnder(error: Error | null, param: string): string | null {
  const own = faultOf(error, param);
  if (own !== null || !(error instanceof ApiError)) return own;
  const params = [error.param, ...error.errors.map((each) => each.param)];
  const within = params.find((each) => each?.startsWith(`${param}[`));
  return within ? faultOf(error, within) : null;
}
