import { useEffect, type ReactNode } from 'react';
import type { UseQueryResult } from '@tanstack/react-query';
import { ErrorState, Icon, Id, Link, Skeleton } from '@tenure/ui';
import { shownError } from '../api/requests.ts';
import { OldData } from './old-data.tsx';
import styles from './page.module.css';

/** A page: its title, its buttons and its contents. The title is also that of the tab. */
export function Page(props: {
  title: string;
  /** Stands in the place of the title, such as an id with a copy button. */
  heading?: ReactNode;
  /** The page above this one. */
  parent?: { href: string; name: string };
  actions?: ReactNode;
  children: ReactNode;
}): ReactNode {
  const { title, heading, parent, actions, children } = props;
  useEffect(() => {
    document.title = `${title} – Tenure`;
  }, [title]);
  return (
    <div className={styles.page}>
      <header className={styles.header}>
        <div className={styles.titles}>
          {parent && (
            <nav aria-label="Breadcrumb" className={styles.parent}>
              <Link href={parent.href}>
                <Icon name="chevronLeft" size={12} /> {parent.name}
              </Link>
            </nav>
          )}
          <h1>{heading ?? title}</h1>
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** Sections one below the other. */
export function Sections({ children }: { children: ReactNode }): ReactNode {
  return <div className={styles.sections}>{children}</div>;
}

/** A part of a page with its own title. */
export function Section(props: { title: string; actions?: ReactNode; children: ReactNode }): ReactNode {
  return (
    <section className={styles.section} aria-label={props.title}>
      <div className={styles.sectionHead}>
        <h2>{props.title}</h2>
        {props.actions}
      </div>
      {props.children}
    </section>
  );
}

/** The page of one record: its id, and sections beside a narrow column of facts. It also shows that the record is loading or missing. */
export function DetailPage<T>(props: {
  id: string;
  /** What the record is, such as "Event". */
  noun: string;
  parent: { href: string; name: string };
  query: UseQueryResult<T>;
  /** A badge or a name beside the id. */
  subtitle?: (record: T) => ReactNode;
  actions?: (record: T) => ReactNode;
  children: (record: T) => ReactNode;
}): ReactNode {
  const { id, noun, parent, query, subtitle, actions, children } = props;
  const { data } = query;
  return (
    <Page
      title={`${noun} ${id}`}
      heading={
        <span className={styles.heading} data-copy-id={id}>
          {data !== undefined && subtitle?.(data)}
          <Id id={id} />
        </span>
      }
      parent={parent}
      actions={data !== undefined && actions?.(data)}
    >
      <RecordSections query={query}>{children}</RecordSections>
    </Page>
  );
}

/**
 * The sections of one record. After a failure that passes, they stay with a line that says how old they are. Other failures leave no data,
 * so that the error takes their place.
 */
export function RecordSections<T>(props: { query: UseQueryResult<T>; children: (record: T) => ReactNode }): ReactNode {
  const { data, error, refetch } = props.query;
  if (data !== undefined)
    return (
      <>
        <OldData query={props.query} />
        <Sections>{props.children(data)}</Sections>
      </>
    );
  if (error !== null) return <ErrorState error={shownError(error)} onRetry={() => void refetch()} />;
  return <Skeleton rows={12} />;
}
