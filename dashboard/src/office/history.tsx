import type { ReactNode } from 'react';
import type { Event } from 'tenure';
import { ErrorState, Link, Skeleton } from '@tenure/ui';
import { shownError, useRead } from '../api/requests.ts';
import { useSession } from '../api/session.ts';
import { Moment } from './account-time.tsx';
import { officePathOfId } from '../shell/navigation.ts';
import { sentenceOf } from './event-sentences.ts';
import { eventsMax, eventsRead } from './reads.ts';
import { useTeamNames } from './team-names.ts';
import { nameOf, type Linked } from './words.ts';
import styles from './office.module.css';

const noFiles: readonly string[] = [];
const noPeople: readonly Linked[] = [];

/** What happened, in sentences and in the reader’s time, the newest first. */
export function History({
  filter,
  files = noFiles,
  people = noPeople,
  evidenceFor,
}: {
  filter: { object_id?: string; related_object?: string };
  /** The reports whose links belong to the history. */
  files?: readonly string[];
  /** The persons of a record with checks of several. A line about a check then names its person. */
  people?: readonly Linked[];
  /** The check whose evidence belongs to the history. */
  evidenceFor?: string;
}): ReactNode {
  const { retention_days: days } = useSession();
  const { data, error, refetch } = useRead(eventsRead, {
    ...filter,
    ...(files.length > 0 && { files: files.join() }),
    ...(evidenceFor !== undefined && { evidence_for: evidenceFor }),
  });
  const names = useTeamNames((data ?? []).map(({ request }) => request.actor));
  if (error !== null) return <ErrorState error={shownError(error)} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={4} />;
  const own = Object.values(filter);
  const lines = withoutEchoes(data).flatMap((event) => {
    const line = sentenceOf(event, names);
    const id = objectIdOf(event);
    return line === null
      ? []
      : [{ event, line, href: own.includes(id) ? null : officePathOfId(id), name: openNameOf(event, people) }];
  });
  return (
    <>
      {lines.length === 0 && <p className={styles.quiet}>Nothing is recorded.</p>}
      <ol className={styles.lines} aria-label="History">
        {lines.map(({ event, line, href, name }) => (
          <li key={event.id} className={styles.line}>
            <Moment at={event.created} />
            <span>
              {line}
              {href !== null && (
                <>
                  {' '}
                  <Link href={href} aria-label={`${name}: ${line}`}>
                    {name}
                  </Link>
                </>
              )}
            </span>
          </li>
        ))}
      </ol>
      <p className={styles.quiet}>
        The last {days} days are kept{data.length >= eventsMax ? `, and the newest ${eventsMax} entries are shown` : ''}
        . Reading a page of Tenure is not recorded.
      </p>
    </>
  );
}

/** Returns the name of the link to the record of an event. */
function openNameOf({ data }: Event, people: readonly Linked[]): string {
  const { object, customer } = data.object as { object?: string; customer?: string | null };
  const person = people.find((each) => typeof each === 'object' && each !== null && each.id === customer);
  return object === 'reference' && person !== undefined ? `Open the check of ${nameOf(person)}` : 'Open';
}

function objectIdOf({ data }: Event): string {
  const { object } = data;
  return 'id' in object ? object.id : '';
}

/** Leaves out `updated` events of a change that has an event of its own, such as a decision. */
function withoutEchoes(events: readonly Event[]): Event[] {
  const named = new Set(events.filter((event) => !isEcho(event)).map(changeOf));
  return events.filter((event) => !isEcho(event) || !named.has(changeOf(event)));
}

function changeOf(event: Event): string {
  return `${objectIdOf(event)} ${event.request.id} ${event.created}`;
}

function isEcho({ type }: Event): boolean {
  return type.endsWith('.updated');
}
