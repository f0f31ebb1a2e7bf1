import type { ReactNode } from 'react';
import { accountRead } from '../api/reads.ts';
import { useRead } from '../api/requests.ts';
import styles from './office.module.css';
import { dayOfMoment, momentText } from './words.ts';

/** Returns the time zone of the account, such as `Europe/London`. Undefined until it is known. If it cannot be read, it is that of the browser. */
export function useTimeZone(): string | undefined {
  const { data, error } = useRead(accountRead, {});
  return data?.time_zone ?? (error === null ? undefined : new Intl.DateTimeFormat().resolvedOptions().timeZone);
}

/** A moment in the time zone of the account: "25 November 2026, 17:57". A narrow column has the day alone: "25 Nov 2026". */
export function Moment({
  at,
  isShort = false,
  isDay = false,
}: {
  at: number;
  isShort?: boolean;
  isDay?: boolean;
}): ReactNode {
  const zone = useTimeZone();
  const textIn = (of: string): string =>
    isDay ? dayOfMoment(at, of) : momentText(at, of, isShort ? 'medium' : 'long');
  // A wrong hour that is corrected a moment later would be read. Its room keeps the lines and the buttons below in place.
  if (zone === undefined) return <span className={styles.reserved}>{textIn('UTC')}</span>;
  return (
    <time dateTime={new Date(at * 1000).toISOString()} title={`${momentText(at, zone)}, ${zone}`}>
      {textIn(zone)}
    </time>
  );
}
