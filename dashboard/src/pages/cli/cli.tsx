import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouterState } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { Actions, Button, Details, EmptyState, ErrorState, ExactTime, Link, Select, TextField } from '@tenure/ui';
import { ask } from '../../api/ask.ts';
import { clientFor } from '../../api/client.ts';
import { faultOf, shownError } from '../../api/requests.ts';
import { useRefusal, useUser } from '../../api/session.ts';
import { Form } from '../../shell/form.tsx';
import { Page } from '../../shell/page.tsx';
import styles from './cli.module.css';

/** A sign-in of the command line that waits for a person. */
interface DeviceLogin {
  machine: string;
  ip_address: string | null;
  begun_at: number;
}

/** A sign-in after the decision. */
interface DecidedLogin extends DeviceLogin {
  status: 'approved' | 'denied';
  /** The id of the key. Null if the sign-in was denied. */
  key: string | null;
}

const accesses = [
  { id: 'read_only', name: 'Read only' },
  { id: 'full', name: 'Full: everything that your role may do' },
];

/** Signs in the command line: the person compares what asks for a key, and approves or denies it. */
export function CliPage(): ReactNode {
  const refusal = useRefusal('api_keys.write');
  const { role } = useUser();
  const hash = useRouterState({ select: ({ location }) => location.hash });
  return (
    <Page title="Sign in the command line">
      {refusal === null ? (
        // The command opens the page with its code. Another code begins anew.
        <SignIn key={hash} prefilled={hash} />
      ) : (
        <EmptyState
          title="Your role cannot sign in the command line"
          text={`That makes an API key. ${refusal}. You are ${role}: ask an owner, an admin or a developer for a key.`}
        />
      )}
    </Page>
  );
}

function SignIn({ prefilled }: { prefilled: string }): ReactNode {
  const [code, setCode] = useState(prefilled);
  const reading = useMutation({
    mutationFn: (userCode: string) => send<DeviceLogin>('read', { user_code: userCode }),
  });
  if (reading.data) {
    return <Decision code={code} login={reading.data} onAgain={() => reading.reset()} />;
  }
  return (
    <Form
      error={reading.error}
      fields={['user_code']}
      onSubmit={() => reading.mutate(code)}
      actions={
        <Actions>
          <Button look="primary" type="submit" isDisabled={reading.isPending || code.trim() === ''}>
            Continue
          </Button>
        </Actions>
      }
    >
      <p>
        Run <code>tenure login</code> in a terminal, and enter the code that it shows. Do not enter a code that another
        person sent to you.
      </p>
      <TextField
        label="Code"
        hint="Eight letters, such as BCDF-GHJK"
        value={code}
        onChange={setCode}
        isRequired
        isMono
        maxLength={40}
        autoComplete="off"
        error={faultOf(reading.error, 'user_code')}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- The field is the only thing to do here.
        autoFocus={prefilled === ''}
      />
    </Form>
  );
}

function Decision({ code, login, onAgain }: { code: string; login: DeviceLogin; onAgain: () => void }): ReactNode {
  const { account, email } = useUser();
  const queries = useQueryClient();
  const [access, setAccess] = useState('read_only');
  const deciding = useMutation({
    mutationFn: (decision: 'approve' | 'deny') =>
      send<DecidedLogin>('decide', { user_code: code, decision, ...(decision === 'approve' && { access }) }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['api'] }),
  });
  if (deciding.data) return <Result decided={deciding.data} />;
  return (
    <div className={styles.decision}>
      <p>
        A terminal asks for an API key. <strong>Compare the code and the address with your terminal.</strong> Deny it if
        you did not run <code>tenure login</code> just now.
      </p>
      <Details
        items={[
          ['Code', <code key="code">{code.toUpperCase()}</code>],
          ['Machine', login.machine],
          ['Address', login.ip_address],
          ['Begun', <ExactTime key="begun" at={login.begun_at} isReal />],
          ['Account', account.name],
          ['Signed in as', email],
        ]}
      />
      <Select
        label="Access"
        hint="The key ends after 90 days. Revoke it at any time on the page of API keys."
        choices={accesses}
        value={access}
        onChange={setAccess}
      />
      {deciding.error !== null && <ErrorState error={shownError(deciding.error)} onRetry={onAgain} />}
      <Actions>
        <Button isDisabled={deciding.isPending} onPress={() => deciding.mutate('deny')}>
          Deny
        </Button>
        <Button look="primary" isDisabled={deciding.isPending} onPress={() => deciding.mutate('approve')}>
          Approve
        </Button>
      </Actions>
    </div>
  );
}

function Result({ decided }: { decided: DecidedLogin }): ReactNode {
  const { status, machine, key } = decided;
  if (status === 'denied' || key === null) {
    return (
      <div role="status">
        <EmptyState title="Denied" text={`The terminal on ${machine} got no key. You can close this page.`} />
      </div>
    );
  }
  return (
    <div role="status">
      <EmptyState
        title="Approved"
        text={`Return to your terminal: it signs in within a few seconds. The key is “CLI on ${machine}”.`}
        action={<Link href={`/api-keys/${key}`}>Show the key</Link>}
      />
    </div>
  );
}

/** Sends a request about the sign-in. The SDK does not repeat it: each wrong code counts. */
function send<T>(step: 'read' | 'decide', body: object): Promise<T> {
  return ask(() => clientFor().request<T>('POST', `/auth/device/${step}`, body, { maxRetries: 0 }));
}
