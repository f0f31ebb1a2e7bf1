import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactNode } from 'react';
import { ApiError } from 'tenure';
import { Actions, Button, CodeBlock, Dialog, ErrorState, PasswordField, TextField } from '@tenure/ui';
import { useOpenRequest } from '../api/ask.ts';
import { answerByPasskey, canUsePasskeys } from '../api/passkeys.ts';
import { shownError } from '../api/requests.ts';
import { useSession, useSessionChange, useUser, type Session } from '../api/session.ts';
import { IdentityProviderElsewhere } from '../pages/identity-provider-sign-in.tsx';
import { SignInForm } from '../pages/sign-in-form.tsx';
import styles from './shell.module.css';

/** Asks the person for what a request needs: to sign in again, or to confirm that it is them. The page below stays as it is. */
export function PersonDialogs(): ReactNode {
  const request = useOpenRequest();
  return (
    <>
      <Dialog title="Sign in to continue" isOpen={request?.need === 'sign_in'} onClose={() => request?.settle(false)}>
        {request?.need === 'sign_in' && <SignInAgain settle={(isMet) => request.settle(isMet)} />}
      </Dialog>
      <Dialog
        title="Confirm that it is you"
        isOpen={request?.need === 'confirm'}
        onClose={() => request?.settle(false)}
      >
        {request?.need === 'confirm' && <Confirm settle={(isMet) => request.settle(isMet)} />}
      </Dialog>
    </>
  );
}

function SignInAgain({ settle }: { settle: (isMet: boolean) => void }): ReactNode {
  // The person of the page stays the same while another one signs in.
  const [{ id, email }] = useState(useUser());
  // What one person was about to send is not sent in the name of another.
  const end = ({ user }: Session): void => settle(user?.id === id);
  return (
    <>
      <p>Your session has ended. Nothing on the page is lost.</p>
      <SignInForm email={email} onDone={end} />
      <div className={styles.form}>
        <IdentityProviderElsewhere isMet={({ user }) => user?.id === id} onDone={() => settle(true)} />
      </div>
    </>
  );
}

function Confirm({ settle }: { settle: (isMet: boolean) => void }): ReactNode {
  // Another person may have signed in meanwhile, at the identity provider or in another tab.
  const [{ id }] = useState(useUser());
  const { identity } = useUser();
  const isConfirmed = ({ user, session, clock }: Session): boolean =>
    user?.id === id && (session?.confirmed_until ?? 0) > clock.now - clock.ahead_seconds;
  return (
    <>
      <ConfirmForm onCancel={() => settle(false)} onDone={({ user }) => settle(user?.id === id)} />
      {identity && (
        <div className={styles.form}>
          <IdentityProviderElsewhere isMet={isConfirmed} onDone={() => settle(true)} />
        </div>
      )}
    </>
  );
}

function ConfirmForm({ onCancel, onDone }: { onCancel: () => void; onDone: (session: Session) => void }): ReactNode {
  const { second_factor: factor, passkeys } = useUser();
  const { session } = useSession();
  const hasCode = factor === 'totp';
  const hasText = hasCode || session?.has_password !== false;
  const hasPasskey = passkeys > 0 && canUsePasskeys;
  const change = useSessionChange();
  const [text, setText] = useState('');
  const confirming = useMutation({
    mutationFn: () => change('/auth/confirm', hasCode ? { code: text.trim() } : { password: text }),
    onSuccess: onDone,
  });
  const signing = useMutation({
    mutationFn: async () => change('/auth/confirm', { passkey: await answerByPasskey('/auth/passkeys/confirm/begin') }),
    onSuccess: onDone,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    confirming.mutate();
  };
  if (!hasText && !hasPasskey) return <NothingToConfirmWith onCancel={onCancel} />;
  const { error } = confirming;
  const isBusy = confirming.isPending || signing.isPending;
  const isWrong = error instanceof ApiError && error.code === 'sign_in_failed';
  const field = {
    value: text,
    onChange: setText,
    autoFocus: true,
    isRequired: true,
    error: isWrong ? error.message : null,
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <p>
        This action is sensitive. It needs {wordsOf({ hasCode, hasText, hasPasskey })}, which then counts for 15
        minutes.
      </p>
      {hasCode && (
        <TextField {...field} label="Six-digit code, or a recovery code" autoComplete="one-time-code" isMono />
      )}
      {hasText && !hasCode && <PasswordField {...field} label="Password" autoComplete="current-password" />}
      {error !== null && !isWrong && <ErrorState error={shownError(error)} />}
      {signing.error && <ErrorState error={shownError(signing.error)} />}
      <Actions>
        <Button onPress={onCancel}>Cancel</Button>
        {hasPasskey && (
          <Button look={hasText ? 'default' : 'primary'} onPress={() => signing.mutate()} isDisabled={isBusy}>
            Use a passkey
          </Button>
        )}
        {hasText && (
          <Button look="primary" type="submit" isDisabled={isBusy}>
            Confirm
          </Button>
        )}
      </Actions>
    </form>
  );
}

/** Returns what the confirmation needs, in words. */
function wordsOf(has: { hasCode: boolean; hasText: boolean; hasPasskey: boolean }): string {
  if (!has.hasText) return 'a passkey';
  return `${has.hasCode ? 'a code' : 'your password'}${has.hasPasskey ? ' or a passkey' : ''}`;
}

/** A person without a password signs in by a link. Their sign-in then counts as the confirmation. */
function NothingToConfirmWith({ onCancel }: { onCancel: () => void }): ReactNode {
  const { email, identity } = useUser();
  if (identity) {
    return (
      <div className={styles.form}>
        <p>This action is sensitive. Sign in once more, which then counts for 15 minutes.</p>
        <Actions>
          <Button onPress={onCancel}>Cancel</Button>
        </Actions>
      </div>
    );
  }
  return (
    <div className={styles.form}>
      <p>
        This action is sensitive, and you have no password to confirm it with. Sign in by a new link, then set a
        password in your profile.
      </p>
      <CodeBlock title="Print a link on the server" text={`npm run login-link -- --email ${email}`} />
      <Actions>
        <Button onPress={onCancel}>Close</Button>
      </Actions>
    </div>
  );
}
