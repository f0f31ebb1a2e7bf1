import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Button, Icon, Menu } from '@tenure/ui';
import { ask } from '../api/ask.ts';
import { clientFor, useAccountId } from '../api/client.ts';
import { useUser } from '../api/session.ts';
import styles from './shell.module.css';

/** The accounts that the switcher shows. The page of all accounts has the others. */
const shownMax = 15;

/** Names the account while the person acts as a connected one. */
export function AccountBar(): ReactNode {
  const acting = useActing();
  const { account: own } = useUser();
  const switchTo = useSwitch();
  const { data } = useQuery({
    queryKey: ['api', undefined, 'connected account', acting],
    queryFn: ({ signal }) => ask(() => clientFor().accounts.retrieve(acting!, {}, { signal })),
    enabled: acting !== undefined,
    staleTime: 60_000,
  });
  if (acting === undefined) return null;
  return (
    <div className={styles.acting} role="note">
      <span>
        You act as {data === undefined ? 'the connected account' : <strong>{data.name}</strong>} <code>{acting}</code>.
      </span>
      <Button isSmall onPress={() => switchTo(undefined)}>
        Back to {own.name}
      </Button>
    </div>
  );
}

/** Leads from account to account. Without connected accounts there is nothing to choose, and no switcher. */
export function AccountSwitcher(): ReactNode {
  const acting = useActing();
  const { account: own, permissions } = useUser();
  const router = useRouter();
  const switchTo = useSwitch();
  const { data } = useQuery({
    queryKey: ['api', undefined, 'account switcher'],
    queryFn: ({ signal }) => ask(() => clientFor().accounts.list({ limit: shownMax }, { signal }).page()),
    enabled: permissions.includes('accounts.read'),
    staleTime: 60_000,
  });
  if (data === undefined || data.count === 0) return null;
  const current = data.data.find(({ id }) => id === acting)?.name ?? acting ?? own.name;
  return (
    <Menu
      trigger={
        <Button look="plain" aria-label={`Account: ${current}`}>
          <Icon name="team" />
          <span className={styles.personName}>{current}</span>
          <Icon name="chevronDown" size={12} />
        </Button>
      }
      groups={[
        {
          id: 'own',
          title: 'Your account',
          entries: [{ id: own.id, name: marked(own.name, acting === undefined), onAction: () => switchTo(undefined) }],
        },
        {
          id: 'connected',
          title: 'Connected accounts',
          entries: [
            ...data.data.map(({ id, name }) => ({
              id,
              name: marked(name, id === acting),
              onAction: () => switchTo(id),
            })),
            {
              id: 'all',
              name: `All connected accounts (${data.count.toLocaleString()})`,
              onAction: () => void router.navigate({ to: '/accounts' }),
            },
          ],
        },
      ]}
    />
  );
}

function marked(name: string, isChosen: boolean): string {
  return isChosen ? `${name} ✓` : name;
}

/** Returns the connected account that the person acts as. Undefined is their own. */
export function useActing(): string | undefined {
  const account = useAccountId();
  const { account: own } = useUser();
  return account === own.id ? undefined : account;
}

/** Returns a function that shows the page of the same kind for another account. Records and filters belong to one account. */
function useSwitch(): (account: string | undefined) => void {
  const router = useRouter();
  return (account) => {
    const [, kind = ''] = router.state.location.pathname.split('/');
    void router.navigate({ to: `/${kind}`, search: { account } });
  };
}
