import { useMutation } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState, type FormEvent, type ReactNode } from 'react';
import { Button, ErrorState, Skeleton, TextField } from '@tenure/ui';
import { shownError } from '../api/requests.ts';
import { useSession, useSessionChange, type Session } from '../api/session.ts';
import { basePath } from '../base-url.ts';
import { IdentityProviderSignIn } from './identity-provider-sign-in.tsx';
import { isCodeMissing } from './sign-in-form.tsx';
import { Card } from './sign-in.tsx';
import styles from './sign-in.module.css';

/**
 * The parameters with which the identity provider has sent the browser back. They leave the address at once, so that neither the history of
 * the browser nor a screenshot keeps them.
 */
const response = location.search.slice(1);
if (response !== '') history.replaceState(history.state, '', location.pathname);

/** The sign-in ends once, although React may mount the page twice. */
let isSent = false;

/** The page of a window that a dialog has opened shows this path last. */
const donePath = '/identity-provider';

/** Ends a sign-in by the identity provider. Without its parameters, it begins one in a window of its own. */
export function IdentityProviderPage(): ReactNode {
  const { identity_provider: provider, user } = useSession();
  const [isDone, setDone] = useState(false);
  const [code, setCode] = useState('');
  const change = useSessionChange();
  const router = useRouter();
  const finishing = useMutation({
    mutationFn: async (body: object) =>
      (await change('/auth/identity_provider/finish', body)) as Session & { return_to: string },
    onSuccess: ({ return_to: path }) => {
      if (path === donePath) setDone(true);
      else router.history.replace(basePath + path);
    },
  });
  const { mutate } = finishing;
  useEffect(() => {
    if (response === '' || isSent) return;
    isSent = true;
    mutate({ response });
  }, [mutate]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    mutate({ code: code.trim() });
  };
  const [needsCode, setNeedsCode] = useState(false);
  const { error } = finishing;
  if (isCodeMissing(error) && !needsCode) setNeedsCode(true);
  const name = provider?.name ?? 'your identity provider';
  if (isDone) {
    return (
      <Card title="You are signed in">
        <p>Close this window, and go on where you were.</p>
      </Card>
    );
  }
  if (response === '') {
    return (
      <Card title={`Sign in with ${name}`}>
        {user && <p>Sign in once more to confirm that it is you. You are {user.email}.</p>}
        <IdentityProviderSignIn returnTo={donePath} isFresh />
      </Card>
    );
  }
  if (needsCode) {
    return (
      <Card title="Enter your code">
        <form className={styles.form} onSubmit={submit}>
          <p>{name} has signed you in. Your second factor is asked for, too.</p>
          <TextField
            label="Code"
            hint="Six digits from your authenticator app, or a recovery code. Each works once."
            autoComplete="one-time-code"
            value={code}
            onChange={setCode}
            isRequired
            isMono
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- The field is the only thing to do here.
            autoFocus
          />
          {error !== null && !isCodeMissing(error) && <ErrorState error={shownError(error)} />}
          <Button look="primary" type="submit" isDisabled={finishing.isPending}>
            Sign in
          </Button>
        </form>
      </Card>
    );
  }
  if (error) {
    return (
      <Card title="You are not signed in">
        <ErrorState error={shownError(error)} />
        <div className={styles.form}>
          <IdentityProviderSignIn returnTo="/" />
          <Button onPress={() => router.history.replace(basePath)}>Sign in by another way</Button>
        </div>
      </Card>
    );
  }
  return (
    <Card title="One moment">
      <Skeleton />
    </Card>
  );
}
