import { queryOptions, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { clientFor } from './client.ts';

/** What `GET /auth/session` tells about the deployment and about the person. */
export interface Session {
  mode: 'sandbox' | 'live';
  product: { name: string; version: string };
  clock: { now: number; ahead_seconds: number };
  versions: { newest: string; all: string[] };
  /** For how many days events, logs and deliveries are kept. */
  retention_days: number;
  /** Whether the deployment has a user yet. */
  has_users: boolean;
  /** The company's own identity provider. Null if there is none. */
  identity_provider: { name: string } | null;
  /** Null without a session. */
  user: User | null;
  session?: { id: string; created: number; expires_at: number; confirmed_until: number | null; has_password: boolean };
  second_factor_setup_required?: boolean;
}

export interface User {
  id: string;
  email: string;
  name: string | null;
  role: 'owner' | 'admin' | 'developer' | 'operator' | 'viewer';
  second_factor: 'none' | 'totp' | 'passkey';
  recovery_codes_left: number;
  /** How many passkeys the person has. */
  passkeys: number;
  /** The linked identity at the company's own provider. */
  identity: { issuer: string; linked_at: number } | null;
  permissions: string[];
  account: { id: string; name: string };
}

/** What a one-time link is for. */
export interface OneTimeLink {
  purpose: 'first_owner' | 'invitation' | 'password_reset' | 'sign_in';
  email: string | null;
  role: User['role'] | null;
  account: { name: string | null };
  expires_at: number;
  password_required: boolean;
  /** The user has a second factor, which the link does not pass. */
  code_required: boolean;
  /** The user has passkeys and no authenticator app. A passkey signs them in without the link. */
  passkey_required: boolean;
}

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => clientFor().request<Session>('GET', '/auth/session', undefined, { signal }),
  staleTime: Infinity,
});

export function useSession(): Session {
  return useSuspenseQuery(sessionQuery).data;
}

/** Returns the person. Only pages within the shell may call it: the shell shows them to signed-in people only. */
export function useUser(): User {
  const { user } = useSession();
  if (!user) throw new Error('Bug! A page of the shell was shown without a person.');
  return user;
}

/** The windows of a browser share one session. So the sign-in of another person takes over all of them. */
const otherWindows = new BroadcastChannel('tenure-dashboard');

/**
 * Reads everything again when another person signs in by another window of the browser. Returns a number that grows with each. The page
 * must begin anew then. Otherwise, it would save what the earlier person has typed in the name of the next one.
 */
export function useTakeovers(): number {
  const queries = useQueryClient();
  const id = useSession().user?.id;
  const [count, setCount] = useState(0);
  useEffect(() => {
    if (id === undefined) return undefined;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- A channel has no target.
    otherWindows.postMessage(id);
    const takeOver = ({ data }: MessageEvent): void => {
      if (data === id) return;
      setCount((before) => before + 1);
      void queries.resetQueries();
    };
    otherWindows.addEventListener('message', takeOver);
    return () => otherWindows.removeEventListener('message', takeOver);
  }, [id, queries]);
  return count;
}

/** Returns why the person may not use a permission, in words for a disabled button, or null if they may. */
export function useRefusal(permission: string): string | null {
  const { permissions, role } = useUser();
  return permissions.includes(permission) ? null : `Your role (${role}) may not ${deedOf(permission)}`;
}

/** Paths of the API that people call by another name. */
const officeNames: Readonly<Record<string, string>> = {
  accounts: 'the settings',
  customers: 'people',
  file_contents: 'what files contain',
  references: 'checks',
  units: 'homes',
  users: 'the team',
};

/** Returns what a permission allows, in words: `references.write` is "change checks". */
function deedOf(permission: string): string {
  const [path = '', right] = permission.split('.');
  return `${right === 'read' ? 'see' : 'change'} ${officeNames[path] ?? path.replaceAll('_', ' ').replace('api ', 'API ')}`;
}

/**
 * Returns a function that sends a request of sign-in, and stores the session of its response. The SDK does not repeat such requests: each
 * attempt counts.
 */
export function useSessionChange(): (path: `/auth/${string}`, body: object) => Promise<Session> {
  const queries = useQueryClient();
  return useCallback(
    async (path, body) => {
      const session = await clientFor().request<Session>('POST', path, body, { maxRetries: 0 });
      const before = queries.getQueryData(sessionQuery.queryKey)?.user?.id;
      queries.setQueryData(sessionQuery.queryKey, session);
      if (before !== undefined && before !== session.user?.id) {
        // What another person has seen is not for this one. After sign-out, no page is left that would read again.
        if (session.user) await queries.resetQueries({ queryKey: ['api'] });
        else queries.removeQueries({ queryKey: ['api'] });
      }
      return session;
    },
    [queries],
  );
}
