import { useState, type ReactNode } from 'react';
import type { FileLink, FileLinkWithSecret } from 'tenure';
import { Actions, Badge, Button, Dialog, ExactTime, Select, TextField, Time, toast, type Tone } from '@tenure/ui';
import { accountRead } from '../../api/reads.ts';
import { defineRead, faultOf, useRead, useWrite } from '../../api/requests.ts';
import { useRefusal } from '../../api/session.ts';
import styles from '../../office/office.module.css';
import { capital, plain } from '../../office/words.ts';
import { EmailState } from '../../shell/email-state.tsx';
import { Form } from '../../shell/form.tsx';
import { GatedButton } from '../../shell/gated.tsx';
import { LinkOnce } from '../../shell/link-once.tsx';
import { Section } from '../../shell/page.tsx';
import { useSteadyRows } from '../../shell/steady-rows.ts';

const linksRead = defineRead<FileLink[], { file: string }>(
  async (tenure, { file }, options) => (await tenure.fileLinks.list({ file, limit: 50 }, options)).data,
);

/** How often links that work are read again, in milliseconds. A landlord may open one meanwhile. */
const refreshMs = 5_000;

/** Returns the status of a link in words. A newer server may know others. */
function stateOf({ status }: FileLink): { tone: Tone; text: string } {
  if (status === 'active') return { tone: 'good', text: 'Works' };
  return { tone: 'neutral', text: status === 'revoked' ? 'Ended by the office' : capital(plain(status)) };
}

/** The links with which persons without an account open a file. */
export function FileLinks({ file, isReport = false }: { file: string; isReport?: boolean }): ReactNode {
  const { data } = useRead(
    linksRead,
    { file },
    { refreshMs: (links) => (links.some(({ status }) => status === 'active') ? refreshMs : false) },
  );
  const steady = useSteadyRows((data ?? []).map(({ id }) => id));
  const [isSharing, setSharing] = useState(false);
  const mayWrite = useRefusal('files.write');
  const mayOpen = useRefusal('file_contents.read');
  const mayReadAccount = useRefusal('accounts.read') === null;
  const { data: account } = useRead(accountRead, {}, { isOn: mayReadAccount });
  const isPhoneMissing = account !== undefined && !account.letterhead?.phone;
  return (
    <Section
      title={isReport ? 'For the landlord' : 'Links'}
      actions={
        <GatedButton refusal={mayWrite ?? mayOpen} onPress={() => setSharing(true)}>
          {isReport ? 'Send to the landlord' : 'Share by a link'}
        </GatedButton>
      }
    >
      {data !== undefined && data.length > 0 ? (
        <ul className={styles.tasks} aria-label="Links" {...steady}>
          {data.map((link) => (
            <LinkLine key={link.id} link={link} />
          ))}
        </ul>
      ) : (
        <p className={styles.quiet}>
          {isReport
            ? 'The landlord reads the report by a link, without an account. You see when it was opened, and can end it.'
            : 'A landlord or another person without an account can open this file by a link that you make here.'}
        </p>
      )}
      {isSharing && (
        <ShareDialog
          file={file}
          isReport={isReport}
          isPhoneMissing={isPhoneMissing}
          onClose={() => setSharing(false)}
        />
      )}
    </Section>
  );
}

/** One link: its reader, until when it works, and when it was opened. */
function LinkLine({ link }: { link: FileLink }): ReactNode {
  const { recipient, recipient_email: email, expires_at: end, opened_at: at, open_count: count, status } = link;
  const { tone, text } = stateOf(link);
  return (
    <li className={styles.task}>
      <span className={styles.taskTitle}>
        {recipient ?? email ?? 'Link without a name'} <Badge tone={tone}>{text}</Badge>
      </span>
      <span className={styles.quiet}>
        {at === null ? (
          'Never opened.'
        ) : (
          <>
            Opened {count === 1 ? 'once' : `${count} times`}, last <Time at={at} isReal />.
          </>
        )}
        {status === 'active' && (
          <>
            {' '}
            Works until <ExactTime at={end} isReal />.
          </>
        )}
      </span>
      {link.email_status !== null && (
        <span className={styles.quiet}>
          E-mail to {email ?? 'the reader'}: <EmailState of={link} />
        </span>
      )}
      {status === 'active' && (
        <span>
          <Revoke link={link} />
        </span>
      )}
    </li>
  );
}

function Revoke({ link }: { link: FileLink }): ReactNode {
  const refusal = useRefusal('file_links.write');
  const revoking = useWrite<string, FileLink>((tenure, id, options) => tenure.fileLinks.revoke(id, {}, options), {
    onDone: () => toast('The link opens nothing any more.'),
  });
  return (
    <GatedButton refusal={refusal} onPress={() => revoking.mutate(link.id)}>
      End the link{link.recipient === null ? '' : ` for ${link.recipient}`}
    </GatedButton>
  );
}

const day = 86_400;

const lifetimes = [
  { id: String(day), name: 'A day' },
  { id: String(3 * day), name: 'Three days' },
  { id: String(7 * day), name: 'A week' },
  { id: String(30 * day), name: 'Thirty days' },
];

/** Makes a link, and shows it once. */
function ShareDialog(props: {
  file: string;
  isReport: boolean;
  isPhoneMissing: boolean;
  onClose: () => void;
}): ReactNode {
  const { file, isReport, isPhoneMissing, onClose } = props;
  // The dialog keeps the state of its opening. A sentence that came later would move the button away from a press.
  const [tellsOfPhone] = useState(isPhoneMissing);
  const [recipient, setRecipient] = useState('');
  const [email, setEmail] = useState('');
  const [seconds, setSeconds] = useState(String(7 * day));
  const sharing = useWrite<
    { recipient: string | null; recipient_email: string | null; expires_in: number },
    FileLinkWithSecret
  >((tenure, input, options) => tenure.files.links(file, input, options));
  const { data, error, isPending } = sharing;
  if (data)
    return (
      <Dialog title={isReport ? 'Link to the report' : 'Link to the file'} isOpen>
        <LinkOnce url={data.url ?? ''} expiresAt={data.expires_at} emailStatus={data.email_status} onClose={onClose} />
      </Dialog>
    );
  return (
    <Dialog title={isReport ? 'Send to the landlord' : 'Share by a link'} isOpen onClose={onClose}>
      <Form
        error={error}
        fields={['recipient', 'recipient_email', 'expires_in']}
        onSubmit={() =>
          sharing.mutate({
            recipient: recipient.trim() === '' ? null : recipient.trim(),
            recipient_email: email.trim() === '' ? null : email.trim(),
            expires_in: Number(seconds),
          })
        }
        actions={
          <Actions>
            <Button onPress={onClose}>Cancel</Button>
            <Button look="primary" type="submit" isDisabled={isPending}>
              Make the link
            </Button>
          </Actions>
        }
      >
        <TextField
          label={isReport ? 'Name of the landlord (optional)' : 'Name of the reader (optional)'}
          hint="Your team sees it beside the link."
          value={recipient}
          onChange={setRecipient}
          error={faultOf(error, 'recipient')}
        />
        <TextField
          label="E-mail (optional)"
          type="email"
          autoComplete="off"
          hint="The link is sent to this address. Without one, you hand the link over yourself."
          value={email}
          onChange={setEmail}
          error={faultOf(error, 'recipient_email')}
        />
        <Select
          label="How long the link works"
          choices={lifetimes}
          value={seconds}
          onChange={setSeconds}
          error={faultOf(error, 'expires_in')}
        />
        {tellsOfPhone && (
          <p className={styles.quiet}>
            The page of the link names no phone number for questions. An owner adds one in Settings, under Letterhead.
          </p>
        )}
      </Form>
    </Dialog>
  );
}
