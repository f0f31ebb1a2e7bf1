import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactNode } from 'react';
import {
  Badge,
  Button,
  ConfirmDialog,
  Details,
  Dialog,
  ErrorState,
  PasswordField,
  Select,
  Skeleton,
  Switch,
  Table,
  TextField,
  Time,
  toast,
} from '@tenure/ui';
import { ask } from '../../api/ask.ts';
import { clientFor } from '../../api/client.ts';
import { defineRead, faultOf, shownError, useRead } from '../../api/requests.ts';
import { sessionQuery, useSession, useSessionChange, useUser, type Session } from '../../api/session.ts';
import { setPreferences, usePreferences, type Preferences } from '../../preferences.ts';
import { useEdits } from '../../shell/edits.ts';
import { UnsavedQuestion } from '../../shell/unsaved.tsx';
import { Page, Section, Sections } from '../../shell/page.tsx';
import { passwordHint } from '../password-hint.ts';
import { browserName } from './browser-name.ts';
import { Passkeys } from './passkeys.tsx';
import { beginTotp, RecoveryCodes, SecondFactorSetup } from './second-factor-setup.tsx';
import styles from './me.module.css';

/** What a person sets for themselves: name, password, factors, sessions, and the looks of this browser. */
export function MePage(): ReactNode {
  const { identity_provider: provider } = useSession();
  const { identity } = useUser();
  return (
    <Page title="Your profile">
      <Sections>
        <Section title="Name and e-mail">
          <NameForm />
        </Section>
        <Section title="Password">
          <PasswordForm />
        </Section>
        <Section title="Second factor">
          <SecondFactor />
        </Section>
        <Section title="Passkeys">
          <Passkeys />
        </Section>
        {(identity ?? provider) && (
          <Section title="Identity provider">
            <Identity />
          </Section>
        )}
        <Section title="Sessions">
          <Sessions />
        </Section>
        <Section title="This browser">
          <BrowserSettings />
        </Section>
      </Sections>
    </Page>
  );
}

/** Changes the person by a request of `/auth`. If the server wants it, a dialog asks for a confirmation before. */
function useOwnChange<Input extends object | void>(
  path: `/auth/${string}`,
  done: (input: Input) => void,
): UseMutationResult<Session, Error, Input> {
  const change = useSessionChange();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (input: Input) => ask(() => change(path, input ?? {})),
    onSuccess: async (_, input) => {
      done(input);
      await queries.invalidateQueries({ queryKey: ['api'] });
    },
  });
}

function NameForm(): ReactNode {
  const user = useUser();
  const { value, changes, set, forget } = useEdits({ name: user.name ?? '', email: user.email });
  const { name, email } = value;
  const saving = useOwnChange<{ name?: string | null; email?: string }>('/auth/me', () => toast('Saved.'));
  const changed = {
    ...(changes.name !== undefined && { name: name.trim() === '' ? null : name.trim() }),
    ...(changes.email !== undefined && { email: email.trim() }),
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    saving.mutate(changed, { onSuccess: () => forget(changes) });
  };
  return (
    <form className={`${styles.form} ${styles.narrow}`} onSubmit={submit}>
      <UnsavedQuestion isChanged={Object.keys(changed).length > 0} />
      <TextField
        label="Name"
        hint="Your team sees it. Events and logs show your e-mail."
        autoComplete="name"
        value={name}
        onChange={(text) => set({ name: text })}
        error={faultOf(saving.error, 'name')}
      />
      <TextField
        label="E-mail"
        type="email"
        autoComplete="email"
        value={email}
        onChange={(text) => set({ email: text })}
        isRequired
        error={faultOf(saving.error, 'email')}
      />
      <OtherError error={saving.error} fields={['name', 'email']} />
      <div className={styles.row}>
        <Button type="submit" isDisabled={saving.isPending || Object.keys(changed).length === 0}>
          Save
        </Button>
      </div>
    </form>
  );
}

function PasswordForm(): ReactNode {
  const { session } = useSession();
  const user = useUser();
  const [password, setPassword] = useState('');
  const saving = useOwnChange<{ password: string }>('/auth/me', () => {
    setPassword('');
    toast('Your password was changed. Your other sessions have ended.');
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    saving.mutate({ password });
  };
  return (
    <form className={`${styles.form} ${styles.narrow}`} onSubmit={submit}>
      {session?.has_password === false && (
        <p className={styles.quiet}>
          You have none yet. Without one, only{' '}
          {[user.identity && 'your identity provider', user.passkeys > 0 && 'a passkey', 'a link']
            .filter(Boolean)
            .join(' or ')}{' '}
          signs you in.
        </p>
      )}
      <PasswordField
        label="New password"
        hint={passwordHint({ hasSecondFactor: user.second_factor !== 'none' })}
        autoComplete="new-password"
        value={password}
        onChange={setPassword}
        isRequired
        error={faultOf(saving.error, 'password')}
      />
      <OtherError error={saving.error} fields={['password']} />
      <div className={styles.row}>
        <Button type="submit" isDisabled={saving.isPending || password === ''}>
          {session?.has_password === false ? 'Set password' : 'Change password'}
        </Button>
      </div>
    </form>
  );
}

/** Shows an error unless one of these fields shows it. */
function OtherError({ error, fields }: { error: Error | null; fields: readonly string[] }): ReactNode {
  if (error === null || fields.some((field) => faultOf(error, field) !== null)) return null;
  return <ErrorState error={shownError(error)} />;
}

function SecondFactor(): ReactNode {
  const { second_factor: factor, recovery_codes_left: codesLeft, passkeys } = useUser();
  const queries = useQueryClient();
  const [question, setQuestion] = useState<'remove' | 'renew' | null>(null);
  const close = (): void => setQuestion(null);
  const beginning = useMutation({ mutationFn: beginTotp });
  const removing = useOwnChange<void>('/auth/totp/remove', () => {
    close();
    toast('The authenticator app was removed. Your other sessions have ended.');
  });
  const renewing = useMutation({
    mutationFn: () =>
      ask(() => clientFor().request<{ codes: string[] }>('POST', '/auth/recovery_codes', {}, { maxRetries: 0 })),
    onSuccess: close,
  });
  const readAgain = (): void => {
    void queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
    void queries.invalidateQueries({ queryKey: ['api'] });
  };
  return (
    <div className={styles.form}>
      {beginning.error && <ErrorState error={shownError(beginning.error)} />}
      {factor !== 'totp' ? (
        <>
          <p className={styles.quiet}>
            {passkeys > 0
              ? 'Codes from an authenticator app are another way in if you lose your passkeys.'
              : 'A code from an authenticator app protects your account if your password becomes known.'}
          </p>
          <div className={styles.row}>
            <Button onPress={() => beginning.mutate()} isDisabled={beginning.isPending}>
              Set up an authenticator app
            </Button>
          </div>
        </>
      ) : (
        <>
          <Details
            items={[
              [
                'Authenticator app',
                <Badge key="app" tone="good">
                  on
                </Badge>,
              ],
              [
                'Recovery codes left',
                <span key="left">
                  {codesLeft} {codesLeft < 3 && <Badge tone="warning">make new ones</Badge>}
                </span>,
              ],
            ]}
          />
          <div className={styles.row}>
            <Button onPress={() => setQuestion('renew')}>New recovery codes</Button>
            <Button onPress={() => setQuestion('remove')}>Remove the app</Button>
          </div>
        </>
      )}
      <Dialog title="Set up an authenticator app" isOpen={beginning.data !== undefined}>
        {beginning.data && (
          <SecondFactorSetup
            totp={beginning.data}
            onCancel={() => beginning.reset()}
            onDone={() => {
              beginning.reset();
              readAgain();
            }}
          />
        )}
      </Dialog>
      <ConfirmDialog
        title="Make new recovery codes?"
        confirmText="Make new codes"
        isOpen={question === 'renew'}
        isPending={renewing.isPending}
        onCancel={close}
        onConfirm={() => renewing.mutate()}
      >
        {renewing.error && <ErrorState error={shownError(renewing.error)} />}
        The old codes no longer sign you in. Your other sessions end.
      </ConfirmDialog>
      <Dialog title="New recovery codes" isOpen={renewing.data !== undefined}>
        {renewing.data && (
          <RecoveryCodes
            codes={renewing.data.codes}
            onDone={() => {
              renewing.reset();
              readAgain();
            }}
          />
        )}
      </Dialog>
      <ConfirmDialog
        title="Remove the authenticator app?"
        confirmText="Remove the app"
        isOpen={question === 'remove'}
        isPending={removing.isPending}
        onCancel={close}
        onConfirm={() => removing.mutate()}
      >
        {removing.error && <ErrorState error={shownError(removing.error)} />}
        {passkeys > 0 ? 'Only a passkey then signs you in.' : 'Your password alone then signs you in.'} The recovery
        codes are void, and your other sessions end.
      </ConfirmDialog>
    </div>
  );
}

/** The linked identity at the company's own provider. */
function Identity(): ReactNode {
  const { identity, email, passkeys } = useUser();
  const { identity_provider: provider, session } = useSession();
  const [isAsking, setAsking] = useState(false);
  const unlinking = useOwnChange<void>('/auth/identity_provider/unlink', () => {
    setAsking(false);
    toast('The identity was unlinked. Your other sessions have ended.');
  });
  if (!identity) {
    return (
      <p className={styles.quiet}>
        None is linked. Sign in with {provider?.name} once: if it has verified {email}, your identity there is linked.
      </p>
    );
  }
  const isOnlyWay = session?.has_password === false && passkeys === 0;
  return (
    <div className={styles.form}>
      {unlinking.error && <ErrorState error={shownError(unlinking.error)} />}
      <Details
        items={[
          ['Provider', provider?.name ?? '–'],
          ['Issuer', <code key="issuer">{identity.issuer}</code>],
          ['Linked', <Time key="linked" at={identity.linked_at} isReal />],
        ]}
      />
      {isOnlyWay && (
        <p className={styles.quiet}>It is your only way to sign in. Set a password or add a passkey to unlink it.</p>
      )}
      <div className={styles.row}>
        <Button onPress={() => setAsking(true)} isDisabled={isOnlyWay}>
          Unlink
        </Button>
      </div>
      <ConfirmDialog
        title="Unlink this identity?"
        confirmText="Unlink"
        isOpen={isAsking}
        isPending={unlinking.isPending}
        onCancel={() => setAsking(false)}
        onConfirm={() => unlinking.mutate()}
      >
        Your other sessions end. A later sign-in with the same verified e-mail address links an identity again.
      </ConfirmDialog>
    </div>
  );
}

/** A session as `GET /auth/sessions` lists it. */
interface OwnSession {
  id: string;
  created: number;
  last_seen_at: number;
  ip_address: string | null;
  user_agent: string | null;
  current: boolean;
}

const sessionsRead = defineRead((_, _input, options) =>
  clientFor().request<{ data: OwnSession[] }>('GET', '/auth/sessions', undefined, options),
);

function Sessions(): ReactNode {
  const sessions = useRead(sessionsRead, {});
  const queries = useQueryClient();
  const ending = useMutation({
    mutationFn: (which: { id: string } | { others: true }) =>
      ask(() => clientFor().request('POST', '/auth/sessions/end', which, { maxRetries: 0 })),
    onSuccess: async (_, which) => {
      toast('id' in which ? 'The session has ended.' : 'Your other sessions have ended.');
      await queries.invalidateQueries({ queryKey: ['api'] });
    },
  });
  const error = sessions.error ?? ending.error;
  const rows = sessions.data?.data;
  return (
    <div className={styles.form}>
      {error && <ErrorState error={shownError(error)} onRetry={() => void sessions.refetch()} />}
      {rows === undefined && error === null && <Skeleton rows={3} />}
      {rows && (
        <Table
          label="Sessions"
          rows={rows}
          columns={[
            {
              title: 'Browser',
              cell: ({ user_agent: agent, current }) => (
                <span title={agent ?? undefined}>
                  {browserName(agent)} {current && <Badge tone="good">this one</Badge>}
                </span>
              ),
            },
            { title: 'Address', cell: ({ ip_address: address }) => <code>{address ?? '–'}</code> },
            { title: 'Signed in', cell: ({ created }) => <Time at={created} isReal /> },
            { title: 'Last used', cell: ({ last_seen_at: seen }) => <Time at={seen} isReal /> },
            {
              title: 'Action',
              align: 'end',
              cell: ({ id, current, user_agent: agent }) =>
                current ? (
                  '–'
                ) : (
                  <Button
                    isSmall
                    aria-label={`End the session of ${browserName(agent)}`}
                    isDisabled={ending.isPending}
                    onPress={() => ending.mutate({ id })}
                  >
                    End
                  </Button>
                ),
            },
          ]}
        />
      )}
      <div className={styles.row}>
        <Button
          isDisabled={ending.isPending || rows === undefined || rows.length < 2}
          onPress={() => ending.mutate({ others: true })}
        >
          End all other sessions
        </Button>
      </div>
    </div>
  );
}

const themes = [
  { id: 'system', name: 'As the system' },
  { id: 'light', name: 'Light' },
  { id: 'dark', name: 'Dark' },
];
const densities = [
  { id: 'normal', name: 'Normal' },
  { id: 'compact', name: 'Compact' },
];
const zones = [
  { id: 'local', name: `Local (${Intl.DateTimeFormat().resolvedOptions().timeZone})` },
  { id: 'utc', name: 'UTC' },
];

function BrowserSettings(): ReactNode {
  const { theme, density, zone, hasSingleKeys } = usePreferences();
  return (
    <div className={`${styles.form} ${styles.narrow}`}>
      <p className={styles.quiet}>These settings are kept in this browser only.</p>
      <Select
        label="Theme"
        choices={themes}
        value={theme}
        onChange={(id) => setPreferences({ theme: id as Preferences['theme'] })}
      />
      <Select
        label="Rows"
        choices={densities}
        value={density}
        onChange={(id) => setPreferences({ density: id as Preferences['density'] })}
      />
      <Select
        label="Times"
        choices={zones}
        value={zone}
        onChange={(id) => setPreferences({ zone: id as Preferences['zone'] })}
      />
      <Switch isSelected={hasSingleKeys} onChange={(value) => setPreferences({ hasSingleKeys: value })}>
        Shortcuts of a single key, such as <kbd>j</kbd> and <kbd>/</kbd>
      </Switch>
    </div>
  );
}
