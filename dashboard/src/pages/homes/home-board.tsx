import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import type { List, Unit } from 'tenure';
import { Badge, ErrorState, Link, Skeleton, TextField, VirtualList } from '@tenure/ui';
import { ask } from '../../api/ask.ts';
import { useAccountId, useTenure } from '../../api/client.ts';
import { shownError } from '../../api/requests.ts';
import { homeState, tenantsOf } from '../../office/letting-words.ts';
import { homeOf, rentText, shortDay } from '../../office/words.ts';
import { Page } from '../../shell/page.tsx';
import { HomeLinks } from './home-links.tsx';
import styles from './homes.module.css';

/** The columns of the board, in the order of a let. */
const columns = [
  { status: 'available', title: 'Empty' },
  { status: 'reserved', title: 'Reserved' },
  { status: 'let_agreed', title: 'Let agreed' },
  { status: 'occupied', title: 'Let' },
] as const;

/** The height of a card with its gap, in rem. */
const cardRem = 5.5;

/** The most homes on the board. A larger office uses the list with its filters. */
const homesMax = 5_000;

/** Milliseconds between two pages, because a session may send 20 requests a second. */
const pauseMs = 100;

/** Reads all homes page by page. The first ones are shown while the others are on their way. */
function useHomes(): {
  homes: Unit[];
  count: number | null;
  isComplete: boolean;
  error: Error | null;
  retry: () => void;
} {
  const tenure = useTenure();
  const account = useAccountId();
  const { data, error, hasNextPage, isFetching, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['api', account, 'home board'],
    queryFn: ({ pageParam, signal }): Promise<List<Unit> & { count: number }> =>
      ask(() =>
        tenure.units.list(
          {
            archived: 'false',
            limit: 50,
            expand: ['data.building', 'data.tenancy.customers', 'data.next_tenancy.customers'],
            ...(pageParam !== null && { starting_after: pageParam }),
          },
          { signal },
        ),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ data: homes, has_more: hasMore }, pages) =>
      hasMore && pages.length * 50 < homesMax ? homes.at(-1)!.id : undefined,
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
    homes: data?.pages.flatMap((page) => page.data) ?? [],
    count: data?.pages.at(-1)?.count ?? null,
    isComplete: data !== undefined && !hasNextPage,
    error,
    retry: () => void (data === undefined ? refetch() : fetchNextPage()),
  };
}

/** All homes by where they stand: empty, reserved, let agreed or let. */
export function HomeBoardPage(): ReactNode {
  const { homes, count, isComplete, error, retry } = useHomes();
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const found = wanted === '' ? homes : homes.filter((home) => wordsOf(home).includes(wanted));
  return (
    <Page title="Properties">
      <HomeLinks />
      <search className={styles.find}>
        <TextField
          label="Find on the board"
          placeholder="A home, a building or a tenant"
          value={text}
          onChange={setText}
        />
        <p role="status" className={styles.quiet}>
          {isComplete
            ? `${number(found.length)} of ${number(count ?? 0)} homes`
            : count !== null && `${number(homes.length)} of ${number(count)} homes are read …`}
        </p>
      </search>
      {error !== null && <ErrorState error={shownError(error)} onRetry={retry} />}
      {error === null && count === null && <Skeleton rows={10} />}
      {count !== null && (
        <div className={styles.board}>
          {columns.map(({ status, title }) => (
            <Column key={status} title={title} homes={found.filter((home) => home.status === status)} />
          ))}
        </div>
      )}
    </Page>
  );
}

function Column({ title, homes }: { title: string; homes: Unit[] }): ReactNode {
  return (
    <section className={styles.column} aria-label={title}>
      <h2>
        {title} <span className={styles.quiet}>{number(homes.length)}</span>
      </h2>
      {homes.length === 0 ? (
        <p className={styles.quiet}>None.</p>
      ) : (
        <VirtualList label={title} rows={homes} rowRem={cardRem} className={styles.cards}>
          {(home) => <Card home={home} />}
        </VirtualList>
      )}
    </section>
  );
}

function Card({ home }: { home: Unit }): ReactNode {
  const { rent, name, building, available_on: day, on_market: isOnMarket, status } = home;
  const people = peopleIn(home);
  const facts = [
    typeof building === 'object' ? building.name : null,
    people === null && day !== null ? `free from ${shortDay(day)}` : null,
  ];
  return (
    <div className={styles.card}>
      <span className={styles.line}>
        <Link href={`/units/${home.id}`} aria-label={homeOf(home)}>
          {name}
        </Link>
        {isOnMarket && status === 'available' && <Badge tone="warning">{homeState(home).name}</Badge>}
      </span>
      <span className={styles.people}>{people ?? rentText(rent)}</span>
      <span className={styles.facts}>{facts.filter((fact) => fact !== null).join(', ')}</span>
    </div>
  );
}

/** Returns the tenants of a home, or those that move in next. Null if there are none. */
function peopleIn({ tenancy, next_tenancy: next }: Unit): string | null {
  if (tenancy !== null && typeof tenancy === 'object') return tenantsOf(tenancy);
  return next !== null && typeof next === 'object' ? `Next: ${tenantsOf(next)}` : null;
}

function wordsOf(home: Unit): string {
  return `${homeOf(home)} ${peopleIn(home) ?? ''}`.toLowerCase();
}

function number(value: number): string {
  return value.toLocaleString('en-GB');
}
