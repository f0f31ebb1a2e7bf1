import { useRouterState } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Link } from '@tenure/ui';
import { useUser } from '../api/session.ts';
import styles from './list-page.module.css';

/** Links between lists that belong together. Those that the person may not read are left out. */
export function PageTabs(props: {
  label: string;
  tabs: readonly { href: string; name: string; permission: string }[];
}): ReactNode {
  const { permissions } = useUser();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  return (
    <nav className={styles.tabs} aria-label={props.label}>
      {props.tabs
        .filter(({ permission }) => permissions.includes(permission))
        .map(({ href, name }) => (
          <Link key={href} href={href} aria-current={path === href ? 'page' : undefined}>
            {name}
          </Link>
        ))}
    </nav>
  );
}
