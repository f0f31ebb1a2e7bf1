import { useState, type ReactNode } from 'react';
import { read } from '../api/client.ts';
import { useRead, type Read } from '../api/reads.ts';
import type { Page as ListOf } from '../api/shapes.ts';
import { Button } from '../kit/button.tsx';
import { Notice } from '../kit/parts.tsx';

/** A list whose older part is read by a button. */
export interface LongList<T> extends Read<ListOf<T>> {
  hasMore: boolean;
  isBusy: boolean;
  hasFailed: boolean;
  readMore: () => void;
}

/**
 * Reads a list of the portal, newest first.
 *
 * @param path may have parameters, such as `invoices?tenancy=ten_…`.
 */
export function useList<T extends { id: string }>(path: string): LongList<T> {
  const first = `${path}${path.includes('?') ? '&' : '?'}limit=20`;
  const { data, error, retry } = useRead<ListOf<T>>(first);
  const [older, setOlder] = useState<ListOf<T> | null>(null);
  const [state, setState] = useState<'idle' | 'busy' | 'failed'>('idle');
  // What the first part may not show any more, the older part may not show either.
  if (data === undefined && older !== null) setOlder(null);
  // A record that is new can push another one from the first part into the older part.
  const known = new Set(data?.data.map(({ id }) => id));
  const all = data && [...data.data, ...(older?.data.filter(({ id }) => !known.has(id)) ?? [])];
  const readMore = async (): Promise<void> => {
    setState('busy');
    try {
      const next = await read<ListOf<T>>(`${first}&starting_after=${all!.at(-1)!.id}`);
      setOlder({ ...next, data: [...(older?.data ?? []), ...next.data] });
      setState('idle');
    } catch {
      setState('failed');
    }
  };
  return {
    data: data && all ? { ...data, data: all } : undefined,
    error,
    retry,
    hasMore: (older ?? data)?.has_more ?? false,
    isBusy: state === 'busy',
    hasFailed: state === 'failed',
    readMore: () => void readMore(),
  };
}

/** Shows the older part of a list, if there is one. */
export function More<T>({ list }: { list: LongList<T> }): ReactNode {
  if (!list.hasMore) return null;
  return (
    <>
      {list.hasFailed && (
        <Notice tone="bad" role="alert">
          <p>The older part could not be loaded. Try again.</p>
        </Notice>
      )}
      <div>
        <Button isBusy={list.isBusy} onPress={list.readMore}>
          {list.isBusy ? 'Loading…' : 'Show older'}
        </Button>
      </div>
    </>
  );
}
