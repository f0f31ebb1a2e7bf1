import { useState, type ReactNode } from 'react';
import type { Unit } from 'tenure';
import { Badge, ErrorState, Link, Skeleton, TextField, VirtualList } from '@tenure/ui';
import { shownError } from '../../api/requests.ts';
import { homeState, tenantsOf } from '../../office/letting-words.ts';
import { homeOf, rentText, shortDay } from '../../office/words.ts';
import { Page } from '../../shell/page.tsx';
import { useAllPages, type ReadPage } from './all-pages.ts';
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

const readHomes: ReadPage<Unit> = (tenure, page, options) =>
  tenure.units.list(
    {
      archived: 'false',
      expand: ['data.building', 'data.tenancy.customers', 'data.next_tenancy.customers'],
      ...page,
    },
    options,
  );

/** All homes by where they stand: empty, reserved, let agreed or let. */
export function HomeBoardPage(): ReactNode {
  const { rows: homes, count, isComplete, error, retry } = useAllPages('home board', readHomes);
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
