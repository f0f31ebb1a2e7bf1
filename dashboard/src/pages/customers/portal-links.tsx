import { useState, type ReactNode } from 'react';
import type { Customer, PortalSession, PortalSessionWithSecret } from 'tenure';
import {
  Actions,
  Badge,
  Button,
  Checkbox,
  Dialog,
  ErrorState,
  Select,
  Table,
  Time,
  toast,
  type Tone,
} from '@tenure/ui';
import { defineRead, faultOf, shownError, useRead, useWrite } from '../../api/requests.ts';
import { useRefusal } from '../../api/session.ts';
import styles from '../../office/office.module.css';
import { capital, plain } from '../../office/words.ts';
import { EmailState } from '../../shell/email-state.tsx';
import { Form } from '../../shell/form.tsx';
import { GatedButton } from '../../shell/gated.tsx';
import { LinkOnce } from '../../shell/link-once.tsx';
import { Section } from '../../shell/page.tsx';

const sessionsRead = defineRead<PortalSession[], { customer: string }>(async (tenure, { customer }, options) => {
  const { data } = await tenure.portalSessions.list({ customer, limit: 20 }, options).page();
  return data;
});

/** Returns the status of a link in words. A newer server may know others. */
function stateOf({ status, ended_at: endedAt, opened_at: openedAt }: PortalSession): { tone: Tone; text: string } {
  if (status === 'pending') return { tone: 'waiting', text: 'Not opened yet' };
  if (status === 'active') return { tone: 'good', text: 'Open' };
  if (status !== 'ended') return { tone: 'neutral', text: capital(plain(status)) };
  if (endedAt !== null) return { tone: 'neutral', text: 'Ended' };
  return { tone: 'neutral', text: openedAt === null ? 'Expired unopened' : 'Over' };
}

/** The links with which a person opens the portal. */
export function PortalLinks({ person }: { person: Customer }): ReactNode {
  const { data, error, refetch } = useRead(sessionsRead, { customer: person.id });
  const [isSending, setSending] = useState(false);
  const refusal = useRefusal('portal_sessions.write');
  return (
    <Section
      title="Own page"
      actions={
        <GatedButton refusal={refusal} onPress={() => setSending(true)}>
          Send a link
        </GatedButton>
      }
    >
      {error !== null ? (
        <ErrorState error={shownError(error)} onRetry={() => void refetch()} />
      ) : data !== undefined && data.length > 0 ? (
        <Table
          label="Links to the own page"
          rows={data}
          columns={[
            { title: 'Made', cell: ({ created }) => <Time at={created} /> },
            { title: 'E-mail', cell: (session) => <EmailState of={session} /> },
            {
              title: 'Status',
              cell: (session) => <Badge tone={stateOf(session).tone}>{stateOf(session).text}</Badge>,
            },
            { title: 'Opened', cell: ({ opened_at: at }) => (at === null ? 'never' : <Time at={at} isReal />) },
            {
              title: 'Action',
              cell: (session) => ['pending', 'active'].includes(session.status) && <End session={session} />,
            },
          ]}
        />
      ) : (
        <p className={styles.quiet}>
          {person.name} can see applications, rent and deposit, and send documents, on a page of their own. No account
          is needed, only a link that you make here.
        </p>
      )}
      {isSending && <LinkDialog person={person} onClose={() => setSending(false)} />}
    </Section>
  );
}

function End({ session }: { session: PortalSession }): ReactNode {
  const refusal = useRefusal('portal_sessions.write');
  const ending = useWrite<string, PortalSession>((tenure, id, options) => tenure.portalSessions.end(id, {}, options), {
    onDone: () => toast('The link opens nothing any more.'),
  });
  return (
    <GatedButton isInGroup isSmall refusal={refusal} onPress={() => ending.mutate(session.id)}>
      End now
    </GatedButton>
  );
}

const hour = 3_600;

const lifetimes = [
  { id: String(hour), name: 'An hour' },
  { id: String(24 * hour), name: 'A day' },
  { id: String(3 * 24 * hour), name: 'Three days' },
  { id: String(7 * 24 * hour), name: 'A week' },
];

/** Makes a link, and shows it once. */
function LinkDialog({ person, onClose }: { person: Customer; onClose: () => void }): ReactNode {
  const [isEmailed, setEmailed] = useState(person.email !== null);
  const [seconds, setSeconds] = useState(String(24 * hour));
  const making = useWrite<{ send_email: boolean; expires_in: number }, PortalSessionWithSecret>(
    (tenure, input, options) => tenure.portalSessions.create({ customer: person.id, ...input }, options),
  );
  const { data, error, isPending } = making;
  if (data)
    return (
      <Dialog title="Link to the own page" isOpen>
        <LinkOnce url={data.url ?? ''} expiresAt={data.expires_at} emailStatus={data.email_status} onClose={onClose} />
      </Dialog>
    );
  return (
    <Dialog title="Send a link" isOpen onClose={onClose}>
      <Form
        error={error}
        fields={['expires_in']}
        onSubmit={() => making.mutate({ send_email: isEmailed, expires_in: Number(seconds) })}
        actions={
          <Actions>
            <Button onPress={onClose}>Cancel</Button>
            <Button look="primary" type="submit" isDisabled={isPending}>
              Make the link
            </Button>
          </Actions>
        }
      >
        <p>The link opens once. Then the page stays open for eight hours at most.</p>
        {person.email === null ? (
          <p className={styles.quiet}>{person.name} has no e-mail address here, so you hand the link over yourself.</p>
        ) : (
          <Checkbox isSelected={isEmailed} onChange={setEmailed}>
            Send it to {person.email}
          </Checkbox>
        )}
        <Select
          label="Can be opened for"
          choices={lifetimes}
          value={seconds}
          onChange={setSeconds}
          error={faultOf(error, 'expires_in')}
        />
      </Form>
    </Dialog>
  );
}
