import { useState, type FormEvent, type ReactNode } from 'react';
import type { Recovery, WebhookEndpoint } from 'tenure';
import {
  Actions,
  Badge,
  Button,
  Dialog,
  ErrorState,
  ExactTime,
  Select,
  Skeleton,
  Table,
  TextField,
  Time,
  toast,
  type Tone,
} from '@tenure/ui';
import { defineRead, faultOf, shownError, useRead, useReadAgain, useWrite } from '../../api/requests.ts';
import { useSession } from '../../api/session.ts';
import { Section } from '../../shell/page.tsx';
import styles from './webhooks.module.css';

/** The times from which people recover, in seconds before now. */
const spans: Record<string, number> = {
  'The last hour': 3_600,
  'The last 24 hours': 86_400,
  'The last 3 days': 3 * 86_400,
  'The last 7 days': 7 * 86_400,
};
const ownTime = 'A time of my own';

/** Sends everything again that an endpoint missed. */
export function RecoverDialog({ endpoint, onClose }: { endpoint: WebhookEndpoint; onClose: () => void }): ReactNode {
  const { clock } = useSession();
  const [span, setSpan] = useState('The last 24 hours');
  const [text, setText] = useState('');
  const recovering = useWrite(
    (tenure, since: number, options) => tenure.webhookEndpoints.recover(endpoint.id, { since }, options),
    {
      onDone: () => {
        toast('The recovery has begun.');
        onClose();
      },
    },
  );
  const { error } = recovering;
  const ownSeconds = Math.floor(new Date(text).getTime() / 1000);
  const isReady = span !== ownTime || !Number.isNaN(ownSeconds);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const ago = spans[span];
    const now = Math.floor(Date.now() / 1000) + clock.ahead_seconds;
    if (isReady) recovering.mutate(ago === undefined ? ownSeconds : now - ago);
  };
  const fault = faultOf(error, 'since');
  return (
    <Dialog title={`Recover ${endpoint.id}`} isOpen onClose={onClose}>
      <form className={styles.form} onSubmit={submit} noValidate>
        <p>
          Each event that <code>{endpoint.url}</code> missed since then gets one new delivery, with all retries: those
          whose delivery failed or was canceled, and those of times in which the endpoint was disabled.
        </p>
        <Select
          label="Since"
          choices={[...Object.keys(spans), ownTime].map((name) => ({ id: name, name }))}
          value={span}
          onChange={setSpan}
          error={span === ownTime ? null : fault}
        />
        {span === ownTime && (
          <TextField
            label="Time"
            type="datetime-local"
            hint="In your time zone."
            value={text}
            onChange={setText}
            error={fault}
          />
        )}
        {error !== null && fault === null && <ErrorState error={shownError(error)} />}
        <Actions>
          <Button onPress={onClose}>Cancel</Button>
          <Button look="primary" type="submit" isDisabled={!isReady || recovering.isPending}>
            Recover
          </Button>
        </Actions>
      </form>
    </Dialog>
  );
}

const tones: Record<string, Tone> = { pending: 'waiting', completed: 'good', canceled: 'neutral' };

const recoveriesRead = defineRead((tenure, { id }: { id: string }, options) =>
  tenure.webhookEndpoints.listRecoveries(id, { limit: 5 }, options).page(),
);

/** The newest recoveries of an endpoint. A pending one shows its progress. */
export function Recoveries({ id }: { id: string }): ReactNode {
  const { data, error, refetch } = useRead(
    recoveriesRead,
    { id },
    { refreshMs: ({ data: recoveries }) => recoveries.some(({ status }) => status === 'pending') && 1_000 },
  );
  // What a recovery sends again are new deliveries of the endpoint.
  useReadAgain(data?.data.map(({ id: recovery, status, resent }) => `${recovery} ${status} ${resent}`).join());
  if (data?.count === 0) return null;
  return (
    <Section title="Recoveries">
      {error !== null && <ErrorState error={shownError(error)} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <Skeleton rows={2} />}
      {error === null && data !== undefined && (
        <Table<Recovery>
          label="Recoveries"
          rows={data.data}
          columns={[
            { title: 'Status', cell: ({ status }) => <Badge tone={tones[status] ?? 'neutral'}>{status}</Badge> },
            { title: 'Since', cell: ({ since }) => <ExactTime at={since} /> },
            {
              title: 'Sent again',
              align: 'end',
              cell: ({ resent, status }) => `${resent.toLocaleString()}${status === 'pending' ? ' so far' : ''}`,
            },
            { title: 'Requested', align: 'end', cell: ({ created }) => <Time at={created} /> },
            {
              title: 'Ended',
              align: 'end',
              cell: ({ completed_at: at }) => (at === null ? '–' : <Time at={at} />),
            },
          ]}
        />
      )}
    </Section>
  );
}
