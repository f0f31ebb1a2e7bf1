import { createContext, use, useEffect, useMemo, useState, type ReactNode } from 'react';
import styles from './data.module.css';

/** How an app shows times. */
export interface TimeSettings {
  zone: 'local' | 'utc';
  /** Seconds that the clock of the deployment is ahead of that of the browser. */
  aheadSeconds: number;
}

export const TimeContext = createContext<TimeSettings>({ zone: 'local', aheadSeconds: 0 });

const daySeconds = 86_400;

interface TimeProps {
  /** Seconds since the Unix epoch. */
  at: number;
  /** Whether it is a time of the world, as those of sessions and links. If the clock of the deployment was moved, the text says so. */
  isReal?: boolean;
}

/** A moment: relative within 24 h, else a date. Its title has all of it. */
export function Time({ at, isReal = false }: TimeProps): ReactNode {
  const { zone, aheadSeconds: movedSeconds } = use(TimeContext);
  const aheadSeconds = isReal ? 0 : movedSeconds;
  const suffix = isReal && movedSeconds > 0 ? realSuffix : '';
  const [nowMs, setNowMs] = useState(() => Date.now());
  const passed = nowMs / 1000 + aheadSeconds - at;
  const isRelative = Math.abs(passed) < daySeconds;
  useEffect(() => {
    if (!isRelative) return undefined;
    const timer = setInterval(() => setNowMs(Date.now()), passed < 90 ? 5_000 : 30_000);
    return () => clearInterval(timer);
  }, [isRelative, passed]);
  const date = new Date(at * 1000);
  const exact = exactTime(at, zone) + suffix;
  return (
    <time className={styles.time} dateTime={date.toISOString()} title={exact}>
      {isRelative ? relativeTime(passed) : exactTime(at, zone, 'short') + suffix}
    </time>
  );
}

/** A moment with its date, its seconds and its zone. */
export function ExactTime({ at, isReal = false }: TimeProps): ReactNode {
  const { zone, aheadSeconds } = use(TimeContext);
  const suffix = isReal && aheadSeconds > 0 ? realSuffix : '';
  const text = useMemo(() => exactTime(at, zone) + suffix, [at, zone, suffix]);
  return (
    <time className={styles.time} dateTime={new Date(at * 1000).toISOString()}>
      {text}
    </time>
  );
}

const realSuffix = ' (real time)';

function exactTime(at: number, zone: TimeSettings['zone'], timeStyle: 'short' | 'medium' = 'medium'): string {
  const text = new Intl.DateTimeFormat(undefined, {
    dateStyle: 'medium',
    timeStyle,
    ...(zone === 'utc' && { timeZone: 'UTC' }),
  }).format(at * 1000);
  return zone === 'utc' ? `${text} UTC` : text;
}

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'always', style: 'narrow' });

/** @param passed seconds since the moment, negative if it is to come. */
function relativeTime(passed: number): string {
  const seconds = Math.round(passed);
  if (Math.abs(seconds) < 5) return 'now';
  if (Math.abs(seconds) < 60) return relative.format(-seconds, 'second');
  if (Math.abs(seconds) < 3600) return relative.format(-Math.round(seconds / 60), 'minute');
  return relative.format(-Math.round(seconds / 3600), 'hour');
}
