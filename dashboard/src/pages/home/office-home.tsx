import { useState, type ReactNode } from 'react';
import { Badge, Button, ButtonLink, ErrorState, Link, Skeleton } from '@tenure/ui';
import { useWaitingApprovals } from '../../api/reads.ts';
import { shownError, useRead } from '../../api/requests.ts';
import { useRefusal, useSession } from '../../api/session.ts';
import { homeRoute } from '../../routes.tsx';
import { GatedLink } from '../../shell/gated.tsx';
import { Page, Section } from '../../shell/page.tsx';
import styles from '../../office/office.module.css';
import { Moment } from '../../office/account-time.tsx';
import { HomeChoice } from './home-choice.tsx';
import { recordsMax, views, workRead, type Task, type Work } from './office-work.ts';

/** How often the work is read again, in milliseconds. */
const refreshMs = 30_000;

/** The start page of the office: the work of the day. Each figure is the length of its list. */
export function OfficeHome(): ReactNode {
  const { clock } = useSession();
  const { view = 'decide' } = homeRoute.useSearch();
  const refusal = useRefusal('applications.write');
  const { data, error, refetch } = useRead(
    workRead,
    { aheadSeconds: clock.ahead_seconds },
    { refreshMs: () => refreshMs },
  );
  const waiting = useWaitingApprovals();
  return (
    <Page
      title="Home"
      actions={
        <>
          <HomeChoice />
          <GatedLink refusal={refusal} href="/applications/new">
            Take an application
          </GatedLink>
        </>
      }
    >
      {error !== null && <ErrorState error={shownError(error)} onRetry={() => void refetch()} />}
      {error === null && (data === undefined || waiting.isLoading) && <Skeleton rows={12} />}
      {error === null && data !== undefined && !waiting.isLoading && (
        <WorkLists work={data} view={view} approvals={waiting.data?.count ?? null} />
      )}
    </Page>
  );
}

function WorkLists(props: {
  work: Work;
  view: string;
  /** How many approval requests wait. Null if the person may not decide them. */
  approvals: number | null;
}): ReactNode {
  const { work, view, approvals } = props;
  const shown = views.find(({ id }) => id === view) ?? views[0];
  const isEmpty = views.every(({ id }) => work[id].length === 0);
  return (
    <>
      <ul className={styles.figures}>
        {views.map(({ id, name }) => (
          <li key={id}>
            <Link href={id === 'decide' ? '/' : `/?view=${id}`} aria-current={id === shown.id ? 'true' : undefined}>
              <strong>{work[id].length.toLocaleString('en-GB')}</strong>
              <span>{name}</span>
            </Link>
          </li>
        ))}
        {approvals !== null && (
          <li>
            <Link href="/approvals?status=pending">
              <strong>{approvals.toLocaleString('en-GB')}</strong>
              <span>To approve</span>
            </Link>
          </li>
        )}
      </ul>
      <Section title={shown.name}>
        {work[shown.id].length === 0 ? (
          <p className={styles.quiet}>{shown.empty}</p>
        ) : (
          // Another list begins at its top.
          <Tasks key={shown.id} name={shown.name} tasks={work[shown.id]} />
        )}
        {isEmpty && (
          <div>
            <ButtonLink href="/applications">See all applications</ButtonLink>
          </div>
        )}
      </Section>
    </>
  );
}

/** The tasks that are shown at once. */
const pageSize = 25;

function Tasks({ name, tasks }: { name: string; tasks: readonly Task[] }): ReactNode {
  const [count, setCount] = useState(pageSize);
  return (
    <>
      <ul className={styles.tasks} aria-label={name}>
        {tasks.slice(0, count).map(({ id, href, title, text, tone, state, event, at }) => (
          <li key={id} className={styles.task}>
            <span className={styles.taskTitle}>
              <Link href={href}>{title}</Link> <Badge tone={tone}>{state}</Badge>
            </span>
            <span className={styles.quiet}>
              {text} {event !== null && `${event} on `}
              <Moment at={at} isShort />
            </span>
          </li>
        ))}
      </ul>
      {tasks.length > count && (
        <div>
          <Button onPress={() => setCount(count + pageSize)}>
            Show {Math.min(pageSize, tasks.length - count)} more
          </Button>
        </div>
      )}
      {tasks.length >= recordsMax && <p className={styles.quiet}>Older ones are not looked at here.</p>}
    </>
  );
}
