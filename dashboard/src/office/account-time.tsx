import type { ReactNode } from 'react';
import { accountRead } from '../api/reads.ts';
import { useRead } from '../api/requests.ts';
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
  // A wrong hour that is corrected a moment later would be read.
  if (zone === undefined) return '…';
  return (
    <time dateTime={new Date(at * 1000).toISOString()} title={`${momentText(at, zone)}, ${zone}`}>
      {isDay ? dayOfMoment(at, zone) : momentText(at, zone, isShort ? 'medium' : 'long')}
    </time>
  );
}
