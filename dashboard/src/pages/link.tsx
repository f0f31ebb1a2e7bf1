import { useMutation, useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useState, type FormEvent, type ReactNode } from 'react';
import { Button, Details, ErrorState, PasswordField, Skeleton, TextField, Time } from '@tenure/ui';
import { clientFor } from '../api/client.ts';
import { faultOf, shownError } from '../api/requests.ts';
import { useSessionChange, type OneTimeLink } from '../api/session.ts';
import { capital } from '../office/words.ts';
import { IdentityProviderSignIn } from './identity-provider-sign-in.tsx';
import { PasskeySignIn, PasskeysElsewhere } from './passkey-sign-in.tsx';
import { passwordHint } from './password-hint.ts';
import { roleTexts } from './team/roles.ts';
import { isCodeMissing } from './sign-in-form.tsx';
import { Card } from './sign-in.tsx';
import styles from './sign-in.module.css';

/**
 * The token of a one-time link, from the fragment of the address. It leaves the address at once, so that neither the history of the browser
 * nor a screenshot keeps it.
 */
const token = location.hash.slice(1);
if (token !== '') history.replaceState(history.state, '', location.pathname + location.search);

/** What each kind of link does. */
const purposes: Record<OneTimeLink['purpose'], { title: string; text: string; button: string }> = {
  first_owner: {
    title: 'Create the first owner',
    text: 'The owner may do everything, and invites the others.',
    button: 'Create owner and sign in',
  },
  invitation: { title: 'Join the team', text: 'You were invited.', button: 'Join and sign in' },
  password_reset: {
    title: 'Set a new password',
    text: 'Your other sessions end when the password changes.',
    button: 'Set password and sign in',
  },
  sign_in: { title: 'Sign in by link', text: 'This link signs you in once.', button: 'Sign in' },
};

/** Shows what a one-time link is for, and uses it by a button. A preview of the link in a chat uses nothing up. */
export function LinkPage(): ReactNode {
  const link = useQuery({
    queryKey: ['link'],
    queryFn: ({ signal }) =>
      clientFor().request<OneTimeLink>('POST', '/auth/links/read', { token }, { maxRetries: 0, signal }),
    enabled: token !== '',
    staleTime: Infinity,
  });
  if (token === '' || link.error) {
    return (
      <Card title="This link cannot be used">
        <ErrorState
          error={
            link.error ? shownError(link.error) : { message: 'The address has no token. Open the whole link again.' }
          }
        />
      </Card>
    );
  }
  if (!link.data) {
    return (
      <Card title="One moment">
        <Skeleton />
      </Card>
    );
  }
  return link.data.passkey_required ? <PasskeyInstead link={link.data} /> : <UseLink link={link.data} />;
}

/** A link does not pass the second factor. A passkey is both factors, so that the link is not needed. */
function PasskeyInstead({ link }: { link: OneTimeLink }): ReactNode {
  const router = useRouter();
  return (
    <Card title="Sign in with your passkey">
      <p>
        {link.email} has a passkey, which signs you in without this link.{' '}
        {link.purpose === 'password_reset' && 'Then set the new password in your profile. '}
        If you have lost the passkey, the operator of the server prints a link that removes it:{' '}
        <code>npm run login-link -- --reset-second-factor</code>
      </p>
      <PasskeySignIn onDone={() => void router.navigate({ to: '/' })} />
      <PasskeysElsewhere />
    </Card>
  );
}

/** Returns a role with what it may do. A newer server may know others. */
function roleText(role: string | null): string | null {
  if (role === null) return null;
  const text = new Map(Object.entries(roleTexts)).get(role);
  return text === undefined ? capital(role) : `${capital(role)}. ${text}`;
}

function UseLink({ link }: { link: OneTimeLink }): ReactNode {
  const { title, text, button } = purposes[link.purpose];
  const router = useRouter();
  const change = useSessionChange();
  const [email, setEmail] = useState(link.email ?? '');
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [needsCode, setNeedsCode] = useState(link.code_required);
  const isNew = link.purpose === 'first_owner' || link.purpose === 'invitation';
  // A colleague without a name is an e-mail address in the history, which tells less.
  const isInvitation = link.purpose === 'invitation';
  const hasPassword = link.purpose !== 'sign_in';
  const using = useMutation({
    mutationFn: () =>
      change('/auth/links/use', {
        token,
        ...(isNew && link.email === null && { email }),
        ...(isNew && name.trim() !== '' && { name: name.trim() }),
        ...(hasPassword && password !== '' && { password }),
        ...(needsCode && { code: code.trim() }),
      }),
    onSuccess: () => router.navigate({ to: '/' }),
    onError: (error) => {
      if (isCodeMissing(error)) setNeedsCode(true);
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    using.mutate();
  };
  const { error } = using;
  const isAtField = ['email', 'name', 'password'].some((field) => faultOf(error, field) !== null);
  const isOnlyMissingCode = isCodeMissing(error) && code === '';
  return (
    <Card title={title}>
      <p>
        {text} The link ends <Time at={link.expires_at} isReal />.
      </p>
      <Details
        items={[
          ['Account', link.account.name],
          ['Role', roleText(link.role)],
          ...(isNew || link.email === null ? [] : [['E-mail', link.email] as const]),
        ]}
      />
      <form className={styles.form} onSubmit={submit}>
        {isNew && (
          <>
            <TextField
              label="E-mail"
              type="email"
              autoComplete="username"
              value={email}
              onChange={setEmail}
              isRequired
              isReadOnly={link.email !== null}
              error={faultOf(error, 'email')}
            />
            <TextField
              label={isInvitation ? 'Name' : 'Name (optional)'}
              autoComplete="name"
              value={name}
              onChange={setName}
              isRequired={isInvitation}
              hint="Your team sees it beside what you do."
              error={faultOf(error, 'name')}
            />
          </>
        )}
        {hasPassword && (
          <PasswordField
            label={link.password_required ? 'Password' : 'Password (optional)'}
            hint={passwordHint({ hasSecondFactor: link.code_required })}
            autoComplete="new-password"
            value={password}
            onChange={setPassword}
            isRequired={link.password_required}
            error={faultOf(error, 'password')}
          />
        )}
        {needsCode && (
          <TextField
            label="Code"
            hint="Six digits from your authenticator app, or a recovery code. Each works once."
            autoComplete="one-time-code"
            value={code}
            onChange={setCode}
            isRequired
            isMono
          />
        )}
        {error !== null && !isAtField && !isOnlyMissingCode && <ErrorState error={shownError(error)} />}
        <Button look="primary" type="submit" isDisabled={using.isPending}>
          {button}
        </Button>
        {isInvitation && <IdentityProviderSignIn returnTo="/" />}
      </form>
    </Card>
  );
}
