import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactNode } from 'react';
import { ApiError } from 'tenure';
import { Button, ErrorState, PasswordField, TextField } from '@tenure/ui';
import { faultOf, shownError } from '../api/requests.ts';
import { useSessionChange, type Session } from '../api/session.ts';
import { PasskeySignIn } from './passkey-sign-in.tsx';
import styles from './sign-in.module.css';

/** Signs a person in by e-mail address and password, and by a code if they have a second factor. Or by a passkey alone. */
export function SignInForm({
  email: known = '',
  onDone,
}: {
  email?: string;
  onDone?: (session: Session) => void;
}): ReactNode {
  const change = useSessionChange();
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [needsCode, setNeedsCode] = useState(false);
  const signingIn = useMutation({
    mutationFn: () => change('/auth/sign_in', { email, password, ...(needsCode && { code: code.trim() }) }),
    onSuccess: (session) => onDone?.(session),
    onError: (error) => {
      if (isCodeMissing(error)) setNeedsCode(true);
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    signingIn.mutate();
  };
  const { error } = signingIn;
  const isOnlyMissingCode = isCodeMissing(error) && code === '';
  const emailFault = faultOf(error, 'email');
  return (
    <form className={styles.form} onSubmit={submit}>
      <TextField
        label="E-mail"
        type="email"
        name="email"
        autoComplete="username"
        value={email}
        onChange={setEmail}
        isRequired
        error={emailFault}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- The form is the only thing to do here.
        autoFocus={known === ''}
      />
      <PasswordField
        label="Password"
        name="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        isRequired
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- The form is the only thing to do here.
        autoFocus={known !== ''}
      />
      {needsCode && (
        <TextField
          label="Code"
          hint="Six digits from your authenticator app, or a recovery code. Each works once."
          autoComplete="one-time-code"
          value={code}
          onChange={setCode}
          isRequired
          isMono
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- The field appears because it is needed now.
          autoFocus
        />
      )}
      {error !== null && emailFault === null && !isOnlyMissingCode && <Failure error={error} needsCode={needsCode} />}
      <Button look="primary" type="submit" isDisabled={signingIn.isPending}>
        Sign in
      </Button>
      <PasskeySignIn onDone={onDone} />
    </form>
  );
}

/** Says why the sign-in failed, and what to do. The server does not tell which of the entries is wrong. */
function Failure({ error, needsCode }: { error: Error; needsCode: boolean }): ReactNode {
  if (!(error instanceof ApiError) || error.code !== 'sign_in_failed') return <ErrorState error={shownError(error)} />;
  return (
    <div className={styles.failure} role="alert">
      <p>
        <strong>The e-mail address{needsCode ? ', the password or the code' : ' or the password'} is wrong.</strong>
      </p>
      <p>
        Check both, and try again. If you have forgotten the password, an owner or admin of your team makes a link for a
        new one.
      </p>
    </div>
  );
}

/** Returns whether the server wants a code beside the password or the link. */
export function isCodeMissing(error: Error | null): boolean {
  // A user without an app has passkeys. The server then wants one of these, and the message says so.
  return error instanceof ApiError && error.code === 'second_factor_required' && error.param !== 'passkey';
}
