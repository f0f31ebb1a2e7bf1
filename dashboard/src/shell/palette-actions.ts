import { useRouter } from '@tanstack/react-router';
import type { PaletteEntry } from '@tenure/ui';
import { useSession, useUser } from '../api/session.ts';
import { useSignOut } from './sign-out.ts';

/** Returns what the command palette does besides leading to pages and records. Each opens the dialog or the form of its page. */
export function usePaletteActions({ moveClock }: { moveClock: () => void }): PaletteEntry[] {
  const router = useRouter();
  const { mode } = useSession();
  const { permissions } = useUser();
  const signOut = useSignOut();
  const may = (permission: string): boolean => permissions.includes(permission);
  const go = (to: string, hash?: string) => () => void router.navigate({ to, ...(hash !== undefined && { hash }) });
  const entries: (PaletteEntry | false)[] = [
    may('api_keys.read') && {
      id: 'version',
      name: 'API version: changes, upgrade and roll back',
      icon: 'key',
      onAction: go('/api-keys', 'version'),
    },
    may('api_keys.write') && { id: 'new-key', name: 'Create an API key', icon: 'plus', onAction: go('/api-keys/new') },
    may('webhook_endpoints.write') && {
      id: 'new-endpoint',
      name: 'Create a webhook endpoint',
      icon: 'plus',
      onAction: go('/webhooks', 'create'),
    },
    may('users.write') && {
      id: 'invite',
      name: 'Invite a person to the team',
      icon: 'plus',
      onAction: go('/team', 'invite'),
    },
    mode === 'sandbox' &&
      may('accounts.write') && {
        id: 'clock',
        name: 'Move the clock of the sandbox',
        icon: 'clock',
        onAction: moveClock,
      },
    { id: 'sign-out', name: 'Sign out', icon: 'signOut', onAction: signOut },
  ];
  return entries.filter((entry) => entry !== false);
}
