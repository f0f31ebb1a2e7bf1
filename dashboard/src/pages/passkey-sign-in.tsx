import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button, ErrorState, Link } from '@tenure/ui';
import { answerByPasskey, canUsePasskeys, pageWithPasskeys } from '../api/passkeys.ts';
import { shownError } from '../api/requests.ts';
import { useSessionChange, type Session } from '../api/session.ts';
import styles from './sign-in.module.css';

/** A button that signs a person in with a passkey. It is left out where the browser has no passkeys. */
export function PasskeySignIn({ onDone }: { onDone?: ((session: Session) => void) | undefined }): ReactNode {
  const change = useSessionChange();
  const signingIn = useMutation({
    mutationFn: async () =>
      change('/auth/passkeys/sign_in/finish', { passkey: await answerByPasskey('/auth/passkeys/sign_in/begin') }),
    onSuccess: (session) => onDone?.(session),
  });
  if (!canUsePasskeys) return null;
  return (
    <>
      {signingIn.error && <ErrorState error={shownError(signingIn.error)} />}
      <Button onPress={() => signingIn.mutate()} isDisabled={signingIn.isPending}>
        Sign in with a passkey
      </Button>
    </>
  );
}

/** Leads from an IP address to the same page at `localhost`. It is left out where passkeys work, or would not work there either. */
export function PasskeysElsewhere({ isSignedIn = false }: { isSignedIn?: boolean }): ReactNode {
  const href = pageWithPasskeys();
  if (href === null) return null;
  return (
    <p className={styles.quiet}>
      Passkeys need a host name, not an IP address. Open <Link href={href}>{new URL(href).origin}</Link> to use them.
      {isSignedIn && ' You sign in there once more, because each address has its own session.'}
    </p>
  );
}
