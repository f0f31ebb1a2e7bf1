import { useEffect, type ReactNode } from 'react';
import { classes } from '@tenure/ui/classes';
import { Icon } from '@tenure/ui/icons';
import { end } from '../api/client.ts';
import { useIsOffline } from '../api/connection.ts';
import { refresh, useShowsOldData } from '../api/reads.ts';
import { endSession } from '../api/session.ts';
import type { Agent } from '../api/shapes.ts';
import { Button } from '../kit/button.tsx';
import { Link, usePath } from '../router.tsx';
import { agentName } from '../words.ts';
import { useMe } from './context.ts';
import { Contact } from './page.tsx';
import { pagesFor } from './pages.ts';
import styles from './shell.module.css';

/** The frame of all pages of a session: the agent, the pages, and how to reach the agent. */
export function Shell({ children }: { children: ReactNode }): ReactNode {
  const me = useMe();
  const path = usePath();
  const { account, session, mode } = me;
  const entries = pagesFor(session.features);
  const returnUrl = webUrl(session.return_url);
  return (
    <div className={styles.app}>
      <a className={styles.skip} href="#main" onClick={skip}>
        Skip to the page
      </a>
      <Head agent={account} isLink isSandbox={mode === 'sandbox'}>
        <Button onPress={() => void leave()}>Sign out</Button>
      </Head>
      <OldDataBar />
      <div className={styles.body}>
        <nav className={styles.nav} aria-label="Pages">
          <ul>
            <li>
              <Link to="/" isCurrent={path === '/'}>
                <Icon name="log" size={18} /> All pages
              </Link>
            </li>
            {entries.map((entry) => (
              <li key={entry.path}>
                <Link to={entry.path} isCurrent={path === entry.path || path.startsWith(`${entry.path}/`)}>
                  <Icon name={entry.icon} size={18} /> {entry.name}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <main id="main" tabIndex={-1}>
          {children}
        </main>
      </div>
      <footer className={styles.foot}>
        <div className={styles.footInner}>
          <p>
            Questions? Ask <Contact agent={account} />.
          </p>
          {returnUrl !== null && (
            <p>
              <a href={returnUrl} rel="noreferrer">
                Back to {agentName(account)}
              </a>
            </p>
          )}
        </div>
      </footer>
    </div>
  );
}

/** A page without a session, such as that of a link. */
export function Alone({ agent, children }: { agent: Agent | null; children: ReactNode }): ReactNode {
  return (
    <div className={styles.app}>
      <div>{agent && <Head agent={agent} />}</div>
      <OldDataBar />
      <div className={classes(styles.body, styles.alone)}>
        <main className={styles.page}>{children}</main>
      </div>
    </div>
  );
}

function Head(props: { agent: Agent; isLink?: boolean; isSandbox?: boolean; children?: ReactNode }): ReactNode {
  const { agent, isLink = false, isSandbox = false, children } = props;
  const { logo } = agent;
  const name = (
    <>
      {logo && <img className={styles.logo} alt="" src={`data:${logo.content_type};base64,${logo.data}`} />}
      <span className={styles.agentName}>{agentName(agent)}</span>
    </>
  );
  return (
    <header className={styles.head}>
      <div className={styles.headInner}>
        {isLink ? (
          <Link to="/" className={styles.agent}>
            {name}
          </Link>
        ) : (
          <div className={styles.agent}>{name}</div>
        )}
        {children}
      </div>
      {isSandbox && <p className={styles.sandbox}>This is a test. Nothing here is real.</p>}
    </header>
  );
}

/** Says that the connection was lost, or that the page shows former data. It looks from time to time whether that is over. */
function OldDataBar(): ReactNode {
  const isOffline = useIsOffline();
  const isOld = useShowsOldData();
  const isWaiting = isOffline || isOld;
  useEffect(() => {
    if (!isWaiting) return undefined;
    const timer = setInterval(() => void refresh(), 5_000);
    return () => clearInterval(timer);
  }, [isWaiting]);
  return (
    <div role="status">
      {isWaiting && (
        <p className={styles.offline}>
          {isOffline ? 'You are offline.' : 'We cannot read what is new at the moment.'} This page shows the last that
          we know, and tries again by itself.
        </p>
      )}
    </div>
  );
}

/** Returns an address if it leads to a page, and runs no script. */
function webUrl(address: string | null): string | null {
  if (address === null || !URL.canParse(address)) return null;
  return /^https?:$/.test(new URL(address).protocol) ? address : null;
}

/** Moves the focus without a change of the address. */
function skip(event: { preventDefault: () => void }): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

async function leave(): Promise<void> {
  try {
    await end();
  } finally {
    // Even if the request fails, this window shows nothing more. The session ends by itself within an hour.
    endSession('signed_out');
  }
}
