import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, type ReactNode } from 'react';
import { Button, ErrorState } from '@tenure/ui';
import { clientFor } from '../api/client.ts';
import { shownError } from '../api/requests.ts';
import { sessionQuery, useSession, type Session } from '../api/session.ts';
import { basePath } from '../base-url.ts';

/**
 * A button that leads to the company's own identity provider. It is left out if there is none. The provider sends the browser back to
 * `/identity-provider`, and then this page opens again.
 *
 * @param isFresh asks the provider for a new proof, although the person may still be signed in there.
 */
export function IdentityProviderSignIn({
  returnTo,
  isFresh = false,
}: {
  returnTo?: string;
  isFresh?: boolean;
}): ReactNode {
  const { identity_provider: provider } = useSession();
  const beginning = useMutation({
    mutationFn: async () => {
      const body = { return_to: returnTo ?? ownPath(), ...(isFresh && { fresh: true }) };
      const path = '/auth/identity_provider/begin';
      const { url } = await clientFor().request<{ url: string }>('POST', path, body, { maxRetries: 0 });
      location.assign(url);
    },
  });
  if (!provider) return null;
  return (
    <>
      {beginning.error && <ErrorState error={shownError(beginning.error)} />}
      <Button onPress={() => beginning.mutate()} isDisabled={beginning.isPending}>
        Sign in with {provider.name}
      </Button>
    </>
  );
}

/**
 * A button that signs in by the identity provider in a window of its own. The page below stays as it is. When the person comes back, the
 * session is read again.
 *
 * @param isMet judges the session of the person that has come back.
 */
export function IdentityProviderElsewhere({
  isMet,
  onDone,
}: {
  isMet: (session: Session) => boolean;
  onDone: () => void;
}): ReactNode {
  const { identity_provider: provider } = useSession();
  const queries = useQueryClient();
  useEffect(() => {
    if (!provider) return;
    const look = async (): Promise<void> => {
      const session = await queries.fetchQuery({ ...sessionQuery, staleTime: 0 }).catch(() => null);
      if (session && isMet(session)) onDone();
    };
    const listener = (): void => void look();
    globalThis.addEventListener('focus', listener);
    return () => globalThis.removeEventListener('focus', listener);
  });
  if (!provider) return null;
  return (
    <Button onPress={() => void window.open(`${basePath}/identity-provider`, '_blank', 'noopener')}>
      Sign in with {provider.name}
    </Button>
  );
}

/** Returns the path of this page within the dashboard. */
function ownPath(): string {
  const path = location.pathname.slice(basePath.length) + location.search;
  return path.startsWith('/') && path.length <= 500 ? path : '/';
}
