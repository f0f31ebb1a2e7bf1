import { useEffect, useState } from 'react';
import type { Tenure } from 'tenure';
import { useTenure } from './client.ts';

/**
 * Yields once for each new record. The events of the SDK's stream are such a source, and so is a loop that asks each second.
 *
 * @param signal is aborted when the page is left, or its tab is hidden.
 */
export type LiveSource = (tenure: Tenure, signal: AbortSignal) => AsyncIterable<unknown>;

/** More new records are not counted. A larger number would tell the reader nothing, and cost the server. */
export const liveCountMax = 1_000;

/**
 * Counts new records while a tab is visible. Hidden tabs follow nothing: a browser has only six connections to a server.
 *
 * @param source null counts nothing. Another source begins at 0, so that the same one must be given at each rendering.
 */
export function useLiveCount(source: LiveSource | null): { count: number; reset: () => void } {
  const tenure = useTenure();
  const isVisible = useIsVisible();
  const [counted, setCounted] = useState({ source, count: 0 });
  useEffect(() => {
    if (source === null || !isVisible) return undefined;
    const ending = new AbortController();
    const records = source(tenure, ending.signal);
    const follow = async (): Promise<void> => {
      let count = 0;
      for await (const _ of records) {
        setCounted((known) => ({ source, count: known.source === source ? known.count + 1 : 1 }));
        if (++count === liveCountMax) break;
      }
    };
    // The next request of the page says what is wrong, such as an ended session. Live numbers just stop.
    follow().catch(() => {});
    return () => ending.abort();
  }, [isVisible, source, tenure]);
  return {
    count: counted.source === source ? counted.count : 0,
    reset: () => setCounted({ source, count: 0 }),
  };
}

function useIsVisible(): boolean {
  const [isVisible, setVisible] = useState(!document.hidden);
  useEffect(() => {
    const change = (): void => setVisible(!document.hidden);
    document.addEventListener('visibilitychange', change);
    return () => document.removeEventListener('visibilitychange', change);
  }, []);
  return isVisible;
}
