import { use, useMemo, type ReactNode } from 'react';
import type { UseQueryResult } from '@tanstack/react-query';
import { Button, Icon, TimeContext, type TimeSettings } from '@tenure/ui';
import styles from './page.module.css';

/** Says that a page shows former data because they could not be read again, and when they were read. Else, it is empty. */
export function OldData({ query }: { query: UseQueryResult }): ReactNode {
  const { data, error, dataUpdatedAt: readAtMs, refetch } = query;
  // Screen readers say what changes within a status, but often not a status that appears.
  return (
    <div role="status" className={styles.oldData}>
      {data !== undefined && error !== null && (
        <>
          <p>
            This page could not be read again. It shows what was there at <ReadAt ms={readAtMs} />.
          </p>
          <Button isSmall onPress={() => void refetch()}>
            <Icon name="refresh" size={12} />
            Try again
          </Button>
        </>
      )}
    </div>
  );
}

/** A time of this day by its hour alone. An earlier one has its day. */
function ReadAt({ ms }: { ms: number }): ReactNode {
  const { zone } = use(TimeContext);
  const text = useMemo(() => readAtText(ms, zone), [ms, zone]);
  return <time dateTime={new Date(ms).toISOString()}>{text}</time>;
}

function readAtText(ms: number, zone: TimeSettings['zone']): string {
  const inZone = zone === 'utc' ? { timeZone: 'UTC' } : {};
  const day = new Intl.DateTimeFormat('en-GB', { ...inZone, dateStyle: 'medium' });
  const isToday = day.format(ms) === day.format(Date.now());
  const format = new Intl.DateTimeFormat('en-GB', {
    ...inZone,
    timeStyle: 'short',
    ...(!isToday && { dateStyle: 'medium' }),
  });
  return format.format(ms) + (zone === 'utc' ? ' UTC' : '');
}
