import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Actions, Button, ErrorState } from '@tenure/ui';
import { canUsePasskeys } from '../../api/passkeys.ts';
import { shownError } from '../../api/requests.ts';
import { sessionQuery, useSessionChange, useUser } from '../../api/session.ts';
import { PasskeysElsewhere } from '../passkey-sign-in.tsx';
import { Card } from '../sign-in.tsx';
import { browserName } from './browser-name.ts';
import { useNewPasskey } from './passkeys.tsx';
import { beginTotp, SecondFactorSetup } from './second-factor-setup.tsx';
import styles from './me.module.css';

/** All that a person sees whose account requires a second factor that they lack. */
export function RequiredSetupPage(): ReactNode {
  const user = useUser();
  const queries = useQueryClient();
  const change = useSessionChange();
  const beginning = useMutation({ mutationFn: beginTotp });
  const leaving = useMutation({ mutationFn: () => change('/auth/sign_out', {}) });
  const adding = useNewPasskey();
  const error = beginning.error ?? leaving.error ?? adding.error;
  return (
    <Card title="Set up a second factor">
      {beginning.data ? (
        <SecondFactorSetup
          totp={beginning.data}
          onDone={() => void queries.invalidateQueries({ queryKey: sessionQuery.queryKey })}
        />
      ) : (
        <>
          <p>
            {user.account.name} requires a second factor. Set one up to go on: a passkey, or an authenticator app on
            your phone.
          </p>
          <PasskeysElsewhere isSignedIn />
          <p className={styles.quiet}>Signed in as {user.email}.</p>
          {error && <ErrorState error={shownError(error)} />}
          <Actions>
            <Button onPress={() => leaving.mutate()} isDisabled={leaving.isPending}>
              Sign out
            </Button>
            {canUsePasskeys && (
              <Button onPress={() => adding.mutate(browserName(navigator.userAgent))} isDisabled={adding.isPending}>
                Add a passkey
              </Button>
            )}
            <Button look="primary" onPress={() => beginning.mutate()} isDisabled={beginning.isPending}>
              Set up an app
            </Button>
          </Actions>
        </>
      )}
    </Card>
  );
}
