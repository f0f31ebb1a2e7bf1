import { useState, type FormEvent, type ReactNode } from 'react';
import { ApiError, type WebhookEndpoint, type WebhookEndpointWithSecret } from 'tenure';
import { Actions, Button, Checkbox, Dialog, ErrorState, Select, TextField, toast } from '@tenure/ui';
import { faultOf, shownError, useWrite } from '../../api/requests.ts';
import { useSession } from '../../api/session.ts';
import { useEdits } from '../../shell/edits.ts';
import { EventChoice } from './event-choice.tsx';
import { NewSecret } from './secret.tsx';
import styles from './webhooks.module.css';

/** What the person can set. */
interface Input {
  url: string;
  description: string;
  events: string[];
  version: string;
  connected: boolean;
}

/** Stands for the version of the account, which the server knows. */
const accountVersion = 'account';

/** Makes an endpoint. Then it shows the secret and how to verify deliveries, once. */
export function CreateEndpointDialog(props: { onClose: () => void; onDone: (id: string) => void }): ReactNode {
  const { onClose, onDone } = props;
  const [made, setMade] = useState<WebhookEndpointWithSecret | null>(null);
  const creating = useWrite<Input, WebhookEndpointWithSecret>(
    (tenure, { url, description, events, version, connected }, options) =>
      tenure.webhookEndpoints.create(
        {
          url,
          description: description === '' ? null : description,
          enabled_events: events,
          ...(version !== accountVersion && { api_version: version }),
          ...(connected && { connected }),
        },
        options,
      ),
    { onDone: setMade },
  );
  if (made) {
    return (
      <Dialog title="Endpoint created" isOpen isWide>
        <NewSecret secret={made.signing_secret} version={made.api_version} />
        <Actions>
          <Button look="primary" onPress={() => onDone(made.id)}>
            Go to the endpoint
          </Button>
        </Actions>
      </Dialog>
    );
  }
  return (
    <Dialog title="Create a webhook endpoint" isOpen onClose={onClose} isWide>
      <EndpointForm
        stored={{ url: '', description: '', events: ['*'], version: accountVersion, connected: false }}
        isNew
        submitText="Create endpoint"
        error={creating.error}
        isPending={creating.isPending}
        onCancel={onClose}
        onSubmit={(input) => creating.mutate(input)}
      />
    </Dialog>
  );
}

/** Changes the URL, the events, the version and the description of an endpoint. */
export function EditEndpointDialog({
  endpoint,
  onClose,
}: {
  endpoint: WebhookEndpoint;
  onClose: () => void;
}): ReactNode {
  const updating = useWrite<Partial<Input>, WebhookEndpoint>(
    (tenure, { url, description, events, version }, options) =>
      tenure.webhookEndpoints.update(
        endpoint.id,
        {
          ...(url !== undefined && { url }),
          ...(description !== undefined && { description: description === '' ? null : description }),
          ...(events !== undefined && { enabled_events: events }),
          ...(version !== undefined && { api_version: version }),
        },
        options,
      ),
    {
      onDone: () => {
        toast('Saved. Every later delivery uses the change.');
        onClose();
      },
    },
  );
  const { url, description, enabled_events: events, api_version: version, connected } = endpoint;
  return (
    <Dialog title={`Edit ${endpoint.id}`} isOpen onClose={onClose} isWide>
      <EndpointForm
        stored={{ url, description: description ?? '', events, version, connected }}
        isNew={false}
        submitText="Save"
        error={updating.error}
        isPending={updating.isPending}
        onCancel={onClose}
        onSubmit={(_, changes) => updating.mutate(changes)}
      />
    </Dialog>
  );
}

function EndpointForm(props: {
  /** The record as it is now, or what a new one begins with. */
  stored: Input;
  isNew: boolean;
  submitText: string;
  error: Error | null;
  isPending: boolean;
  onCancel: () => void;
  onSubmit: (input: Input, changes: Partial<Input>) => void;
}): ReactNode {
  const { stored, isNew, error, isPending, onCancel } = props;
  const { versions } = useSession();
  const { value: input, changes, set } = useEdits(stored);
  const [sentUrl, setSentUrl] = useState('');
  const faults = {
    url: faultOf(error, 'url'),
    description: faultOf(error, 'description'),
    events: eventsFaultOf(error),
    version: faultOf(error, 'api_version'),
  };
  const isElsewhere = error !== null && Object.values(faults).every((fault) => fault === null);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const url = input.url.trim();
    setSentUrl(url);
    props.onSubmit({ ...input, url }, { ...changes, ...(changes.url !== undefined && { url }) });
  };
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      <TextField
        label="URL"
        type="url"
        placeholder="https://example.org/tenure/webhooks"
        hint="Tenure sends a signed POST to this address for each event."
        value={input.url}
        onChange={(url) => set({ url })}
        // The fault is that of the URL that was sent.
        error={input.url.trim() === sentUrl ? faults.url : null}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- The dialog was opened to fill in this field.
        autoFocus
        autoComplete="off"
        spellCheck="false"
        isMono
      />
      <TextField
        label="Description"
        hint="Optional. What receives the events, for your team."
        value={input.description}
        onChange={(description) => set({ description })}
        error={faults.description}
        autoComplete="off"
      />
      <EventChoice value={input.events} onChange={(events) => set({ events })} error={faults.events} />
      <Select
        label="API version"
        hint="The shape of the events. A later upgrade of the account does not change it."
        choices={[
          ...(isNew ? [{ id: accountVersion, name: 'The present version of the account' }] : []),
          ...versions.all.map((version) => ({ id: version, name: version })),
        ]}
        value={input.version}
        onChange={(version) => set({ version })}
        error={faults.version}
      />
      {isNew && (
        <Checkbox isSelected={input.connected} onChange={(connected) => set({ connected })}>
          Receive the events of connected accounts, and not those of this account
        </Checkbox>
      )}
      {isElsewhere && <ErrorState error={shownError(error)} />}
      <Actions>
        <Button onPress={onCancel}>Cancel</Button>
        <Button look="primary" type="submit" isDisabled={isPending}>
          {props.submitText}
        </Button>
      </Actions>
    </form>
  );
}

/** Returns the fault of the events, or of one of them: `enabled_events[0]`. */
function eventsFaultOf(error: Error | null): string | null {
  if (!(error instanceof ApiError)) return null;
  const params = [error.param, ...error.errors.map(({ param }) => param)];
  const param = params.find((each) => each?.startsWith('enabled_events'));
  return param ? faultOf(error, param) : null;
}
