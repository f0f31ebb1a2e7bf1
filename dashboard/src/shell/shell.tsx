import { useQueryClient } from '@tanstack/react-query';
import { Outlet, useRouterState, type ErrorComponentProps } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState, type ReactNode } from 'react';
import { Button, ErrorState, Icon, Link, Mark, Menu, Skeleton } from '@tenure/ui';
import { useIsConnectionLost } from '../api/connection.ts';
import { useWaitingApprovals } from '../api/reads.ts';
import { clientFor } from '../api/client.ts';
import { sessionQuery, useSession, useTakeovers, useUser } from '../api/session.ts';
import { shownError } from '../api/requests.ts';
import { setPreferences, usePreferences } from '../preferences.ts';
import { ForDevelopersPage } from '../pages/not-found.tsx';
import { SignInPage } from '../pages/sign-in.tsx';
import { AccountBar, AccountSwitcher } from './account-bar.tsx';
import { CommandPalette } from './command-palette.tsx';
import { KeyboardList, useShortcuts } from './keyboard.tsx';
import { isWithin, maySee, navigationFor } from './navigation.ts';
import { PersonDialogs } from './person-dialogs.tsx';
import { SandboxBar } from './sandbox-bar.tsx';
import { useSignOut } from './sign-out.ts';
import pageStyles from './page.module.css';
import styles from './shell.module.css';

const RequiredSetupPage = lazy(async () => ({
  default: (await import('../pages/me/required-setup.tsx')).RequiredSetupPage,
}));

/**
 * The frame of all pages. Without a session, each path shows the sign-in form, and then its own page. If the account requires a second
 * factor that the person lacks, each path shows its set-up.
 */
export function Shell(): ReactNode {
  const { user, second_factor_setup_required: isSetupRequired } = useSession();
  const takeovers = useTakeovers();
  if (!user) return <SignInPage />;
  if (!isSetupRequired) return <SignedInShell key={takeovers} />;
  return (
    <Suspense key={takeovers} fallback={<ShellSkeleton />}>
      <RequiredSetupPage />
      <PersonDialogs />
    </Suspense>
  );
}

function SignedInShell(): ReactNode {
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const [isKeyListOpen, setKeyListOpen] = useState(false);
  const [isClockOpen, setClockOpen] = useState(false);
  const { permissions } = useUser();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // Another page closes the menu.
  const [menuPath, setMenuPath] = useState<string | null>(null);
  const isMenuOpen = menuPath === path;
  useShortcuts({ openPalette: () => setPaletteOpen(true), openKeyList: () => setKeyListOpen(true) });
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#main">
        Skip to the page
      </a>
      <aside className={styles.sidebar} data-open={isMenuOpen} aria-label="Sidebar">
        <div className={styles.brand}>
          <Mark size={22} />
          <strong>Tenure</strong>
          <span className={styles.menuButton}>
            <Button
              look="plain"
              isIcon
              aria-label={isMenuOpen ? 'Close the menu' : 'Open the menu'}
              aria-expanded={isMenuOpen}
              onPress={() => setMenuPath(isMenuOpen ? null : path)}
            >
              <Icon name={isMenuOpen ? 'close' : 'menu'} />
            </Button>
          </span>
        </div>
        <div className={styles.folding}>
          <Sidebar path={path} />
        </div>
      </aside>
      <div className={styles.main}>
        <ConnectionBar />
        <SandboxBar isClockOpen={isClockOpen} onClock={setClockOpen} />
        <AccountBar />
        <div className={styles.topBar}>
          <button type="button" className={styles.search} onClick={() => setPaletteOpen(true)}>
            <Icon name="search" size={14} />
            <span>Find a person or a page</span>
            <kbd>{isApple ? '⌘ K' : 'Ctrl K'}</kbd>
          </button>
          <div className={styles.topEnd}>
            <AccountSwitcher />
            <PersonMenu onKeyList={() => setKeyListOpen(true)} />
          </div>
        </div>
        <main id="main" tabIndex={-1} className={styles.content}>
          {maySee(path, permissions) ? <Outlet /> : <ForDevelopersPage />}
        </main>
      </div>
      <CommandPalette
        isOpen={isPaletteOpen}
        onClose={() => setPaletteOpen(false)}
        moveClock={() => setClockOpen(true)}
      />
      <KeyboardList isOpen={isKeyListOpen} onClose={() => setKeyListOpen(false)} />
      <PersonDialogs />
    </div>
  );
}

/** Whether the keyboard has a Command key. */
const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

function Sidebar({ path }: { path: string }): ReactNode {
  const user = useUser();
  const { mode } = useSession();
  return (
    <nav className={styles.nav} aria-label="Pages">
      {navigationFor(user.permissions, mode).map(({ title, entries }) => (
        <div key={title} className={styles.navGroup}>
          {title !== null && <div className={styles.navTitle}>{title}</div>}
          <ul>
            {entries.map(({ href, name, icon, others = [] }) => {
              const isCurrent = [href, ...others].some((each) => isWithin(path, each));
              return (
                <li key={href} data-current={isCurrent}>
                  <Link href={href} aria-current={isCurrent ? 'page' : undefined}>
                    <Icon name={icon} />
                    {name}
                    {href === '/approvals' && <WaitingApprovals />}
                  </Link>
                </li>
              );
            })}
          </ul>
        </div>
      ))}
    </nav>
  );
}

/** How many approval requests wait, for a person that may decide them. */
function WaitingApprovals(): ReactNode {
  const count = useWaitingApprovals().data?.count ?? 0;
  if (count === 0) return null;
  return (
    <span className={styles.count}>
      {count.toLocaleString('en-GB')}
      <span className={pageStyles.hidden}> waiting</span>
    </span>
  );
}

function PersonMenu({ onKeyList }: { onKeyList: () => void }): ReactNode {
  const user = useUser();
  const { theme, density, zone } = usePreferences();
  const signOut = useSignOut();
  return (
    <Menu
      trigger={
        <Button
          look="plain"
          aria-label={user.name === null ? `Menu of ${user.email}` : `${user.name}, menu of ${user.email}`}
        >
          <Icon name="account" />
          <span className={styles.personName}>{user.name ?? user.email}</span>
          <Icon name="chevronDown" size={12} />
        </Button>
      }
      groups={[
        {
          id: 'theme',
          title: 'Appearance',
          entries: (['system', 'light', 'dark'] as const).map((each) => ({
            id: `theme-${each}`,
            name: `${{ system: 'System theme', light: 'Light theme', dark: 'Dark theme' }[each]}${each === theme ? ' ✓' : ''}`,
            onAction: () => setPreferences({ theme: each }),
          })),
        },
        {
          id: 'view',
          title: 'View',
          entries: [
            {
              id: 'density',
              name: density === 'compact' ? 'Comfortable rows' : 'Compact rows',
              onAction: () => setPreferences({ density: density === 'compact' ? 'normal' : 'compact' }),
            },
            {
              id: 'zone',
              name: zone === 'utc' ? 'Times in my time zone' : 'Times in UTC',
              onAction: () => setPreferences({ zone: zone === 'utc' ? 'local' : 'utc' }),
            },
            { id: 'keys', name: 'Keyboard shortcuts', onAction: onKeyList },
          ],
        },
        {
          id: 'session',
          entries: [
            { id: 'me', name: 'Your profile', href: '/settings/me' },
            { id: 'sign-out', name: 'Sign out', onAction: signOut },
          ],
        },
      ]}
    />
  );
}

/** The pauses before attempts to reach the server again, in milliseconds. The last one repeats. */
const pausesMs = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000];

/** Says that the server cannot be reached. */
function ConnectionBar(): ReactNode {
  const isLost = useIsConnectionLost();
  return <div role="status">{isLost && <Reconnection />}</div>;
}

/** Tries until the server can be reached. Then the page is read again. */
function Reconnection(): ReactNode {
  const queries = useQueryClient();
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const connect = (): void => {
      clientFor()
        .request('GET', '/auth/session', undefined, { maxRetries: 0 })
        .then(
          () => queries.invalidateQueries(),
          () => setAttempt(attempt + 1),
        );
    };
    const timer = setTimeout(connect, pausesMs[Math.min(attempt, pausesMs.length - 1)]);
    return () => clearTimeout(timer);
  }, [attempt, queries]);
  return (
    <div className={styles.lost}>
      <Icon name="warning" size={14} />
      The server cannot be reached. Trying again…
    </div>
  );
}

/** Stands for the whole page until the session is known. */
export function ShellSkeleton(): ReactNode {
  return (
    <div className={styles.waiting}>
      <Skeleton rows={6} />
    </div>
  );
}

/** Says that the session could not be read, or that a page failed. */
export function ShellError({ error, reset }: ErrorComponentProps): ReactNode {
  const queries = useQueryClient();
  return (
    <div className={styles.waiting}>
      <ErrorState
        error={shownError(error instanceof Error ? error : new Error(String(error)))}
        onRetry={() => {
          void queries.resetQueries({ queryKey: sessionQuery.queryKey });
          reset();
        }}
      />
    </div>
  );
}
