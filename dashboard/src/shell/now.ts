import { TimeContext } from '@tenure/ui';
import { use, useEffect, useState } from 'react';

/**
 * Returns the time of the deployment in seconds since the Unix epoch.
 *
 * @param everyMs how often the component shows it anew, in milliseconds.
 */
export function useNow(everyMs: number): number {
  const { aheadSeconds } = use(TimeContext);
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return Math.floor(nowMs / 1000) + aheadSeconds;
}
