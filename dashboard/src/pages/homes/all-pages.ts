import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { List, RequestOptions, Tenure } from 'tenure';
import { ask } from '../../api/ask.ts';
import { useAccountId, useTenure } from '../../api/client.ts';

/** The most records that are read. A larger office uses the lists with their filters. */
const recordsMax = 5_000;

const pageSize = 50;

/** Milliseconds between two pages, because a session may send 20 requests a second. */
const pauseMs = 100;

/** Reads one page of a list. */
export type ReadPage<Row> = (
  tenure: Tenure,
  page: { limit: number; starting_after?: string },
  options: RequestOptions,
) => Promise<List<Row> & { count: number }>;

/** The records of a list that have been read so far. */
export interface AllPages<Row> {
  rows: Row[];
  /** The number of all records. Null before the first page. */
  count: number | null;
  isComplete: boolean;
  error: Error | null;
  retry: () => void;
}

/**
 * Reads all records of a list page by page. The first ones are shown while the others are on their way.
 *
 * @param name the name of the list in the cache.
 */
export function useAllPages<Row extends { id: string }>(name: string, readPage: ReadPage<Row>): AllPages<Row> {
  const tenure = useTenure();
  const account = useAccountId();
  const { data, error, hasNextPage, isFetching, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['api', account, name],
    queryFn: ({ pageParam, signal }) =>
      ask(() =>
        readPage(tenure, { limit: pageSize, ...(pageParam !== null && { starting_after: pageParam }) }, { signal }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ data: rows, has_more: hasMore }, pages) =>
      hasMore && pages.length * pageSize < recordsMax ? rows.at(-1)!.id : undefined,
    // It takes many requests, so that a look at another window is no reason to read again.
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  });
  const isWaiting = hasNextPage && !isFetching && error === null;
  useEffect(() => {
    if (!isWaiting) return undefined;
    const timer = setTimeout(() => void fetchNextPage(), pauseMs);
    return () => clearTimeout(timer);
  }, [isWaiting, fetchNextPage]);
  return {
    rows: data?.pages.flatMap((page) => page.data) ?? [],
    count: data?.pages.at(-1)?.count ?? null,
    isComplete: data !== undefined && !hasNextPage,
    error,
    retry: () => void (data === undefined ? refetch() : fetchNextPage()),
  };
}
