import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState, type CSSProperties, type ReactNode } from 'react';
import type { Tenancy, Unit } from 'tenure';
import { Button, classes, ErrorState, Icon, Link, Skeleton, TextField, VirtualList } from '@tenure/ui';
import { shownError } from '../../api/requests.ts';
import { tenancyState, tenantsOf } from '../../office/letting-words.ts';
import { useToday } from '../../office/today.ts';
import { dayText, homeOf, idOf, periodText } from '../../office/words.ts';
import { homeCalendarRoute } from '../../routes.tsx';
import { Page } from '../../shell/page.tsx';
import { useAllPages, type ReadPage } from './all-pages.ts';
import {
  dayIn,
  daysIn,
  emptyDaysIn,
  monthAfter,
  monthIn,
  monthOf,
  spansOf,
  type Span,
  type Use,
} from './calendar-month.ts';
import { HomeLinks } from './home-links.tsx';
import styles from './calendar.module.css';
import homes from './homes.module.css';

/** The height of a row, in rem. On a phone, the name of the home stands above its bar. */
const rowRem = 3.5;

const legend: readonly [use: Use, name: string][] = [
  ['let', 'Let'],
  ['agreed', 'Let agreed'],
  ['notice', 'Notice given'],
  ['ended', 'Ended'],
  ['empty', 'Empty'],
];

const readHomes: ReadPage<Unit> = (tenure, page, options) =>
  tenure.units.list({ archived: 'false', expand: ['data.building'], ...page }, options);

const readTenancies: ReadPage<Tenancy> = (tenure, page, options) =>
  tenure.tenancies.list({ expand: ['data.customers'], ...page }, options);

interface Row {
  id: string;
  home: Unit;
  spans: Span[];
}

/** The homes by month, with the tenants, the first and last days, and the empty days. */
export function HomeCalendarPage(): ReactNode {
  const units = useAllPages('home calendar', readHomes);
  const tenancies = useAllPages('tenancies of the calendar', readTenancies);
  const today = useToday();
  const month = monthIn(homeCalendarRoute.useSearch().month) ?? monthOf(today);
  const [text, setText] = useState('');
  const rows = useRows(units.rows, tenancies.rows, month);
  const wanted = text.trim().toLowerCase();
  const found = wanted === '' ? rows : rows.filter((row) => wordsOf(row).includes(wanted));
  const { error } = units.error === null ? tenancies : units;
  const isComplete = units.isComplete && tenancies.isComplete;
  const isRead = units.count !== null && tenancies.count !== null;
  return (
    <Page title="Properties">
      <HomeLinks />
      <search className={homes.find}>
        <TextField
          label="Find in the calendar"
          placeholder="A home, a building or a tenant"
          value={text}
          onChange={setText}
        />
        <p role="status" className={homes.quiet}>
          {isComplete
            ? `${counted(found.length, 'home')}, ${counted(emptyIn(found), 'empty day')} in ${monthText(month)}`
            : isRead && 'The homes and tenancies are being read …'}
        </p>
      </search>
      <MonthChoice month={month} today={today} />
      {error !== null && (
        <ErrorState
          error={shownError(error)}
          onRetry={() => (units.error === null ? tenancies.retry() : units.retry())}
        />
      )}
      {error === null && !isRead && <Skeleton rows={10} />}
      {isRead && found.length === 0 && <p className={homes.quiet}>No homes match.</p>}
      {isRead && found.length > 0 && (
        <div className={styles.calendar} style={{ '--days': daysIn(month) } as CSSProperties}>
          <DayHeads month={month} today={today} />
          <VirtualList label={`Homes in ${monthText(month)}`} rows={found} rowRem={rowRem} className={styles.rows}>
            {(row) => <HomeRow row={row} month={month} today={today} />}
          </VirtualList>
        </div>
      )}
    </Page>
  );
}

/** Returns the rows of a month, in the order of the homes' names. */
function useRows(units: readonly Unit[], tenancies: readonly Tenancy[], month: string): Row[] {
  return useMemo(() => {
    const byHome = new Map<string, Tenancy[]>();
    for (const tenancy of tenancies) {
      const id = idOf(tenancy.unit);
      byHome.set(id, [...(byHome.get(id) ?? []), tenancy]);
    }
    const order = new Intl.Collator('en-GB', { numeric: true });
    return units
      .map((home) => ({ id: home.id, home, spans: spansOf(byHome.get(home.id) ?? [], month) }))
      .toSorted((one, other) => order.compare(sortedBy(one.home), sortedBy(other.home)));
  }, [units, tenancies, month]);
}

/** The homes of a building stand together. */
function sortedBy({ building, name }: Unit): string {
  return `${typeof building === 'object' ? building.name : ''} ${name}`;
}

function MonthChoice({ month, today }: { month: string; today: string }): ReactNode {
  const navigate = useNavigate();
  const show = (chosen: string): void =>
    void navigate({
      to: '/units/calendar',
      search: (search) => ({ ...search, month: chosen === monthOf(today) ? undefined : chosen }),
    });
  return (
    <div className={styles.choice}>
      <h2 aria-live="polite">{monthText(month)}</h2>
      <div className={styles.buttons}>
        <Button isIcon aria-label="Previous month" onPress={() => show(monthAfter(month, -1))}>
          <Icon name="chevronLeft" />
        </Button>
        <Button onPress={() => show(monthOf(today))}>Today</Button>
        <Button isIcon aria-label="Next month" onPress={() => show(monthAfter(month, 1))}>
          <Icon name="chevronRight" />
        </Button>
      </div>
      <ul className={styles.legend} aria-label="Colours">
        {legend.map(([use, name]) => (
          <li key={use}>
            <span className={classes(styles.sample, styles[use])} />
            {name}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The days above the bars. Each bar has its days in words, so readers of the screen need no heads. */
function DayHeads({ month, today }: { month: string; today: string }): ReactNode {
  const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'narrow', timeZone: 'UTC' });
  return (
    <div className={styles.heads} aria-hidden>
      <div className={styles.row}>
        <span />
        <div className={styles.numbers}>
          {Array.from({ length: daysIn(month) }, (_, index) => dayIn(month, index + 1)).map((day) => (
            <span key={day} className={classes(styles.number, day === today && styles.today)}>
              <span>{weekday.format(Date.parse(day))}</span>
              {Number(day.slice(8))}
            </span>
          ))}
        </div>
      </div>
    </div>
  );
}

function HomeRow({ row: { home, spans }, month, today }: { row: Row; month: string; today: string }): ReactNode {
  const days = daysIn(month);
  return (
    <div className={styles.row}>
      <span className={styles.home}>
        <Link href={`/units/${home.id}`} aria-label={homeOf(home)}>
          {home.name}
        </Link>
        <span className={styles.building}>{typeof home.building === 'object' ? home.building.name : null}</span>
      </span>
      <div className={styles.days}>
        <ul aria-label={`${home.name} in ${monthText(month)}`}>
          {spans.map((span) => (
            <li
              key={span.from}
              style={{
                insetInlineStart: `${((span.from - 1) / days) * 100}%`,
                insetInlineEnd: `${((days - span.to) / days) * 100}%`,
              }}
            >
              <Bar span={span} month={month} />
            </li>
          ))}
        </ul>
        {monthOf(today) === month && (
          <span
            aria-hidden
            className={styles.line}
            style={{ insetInlineStart: `${((Number(today.slice(8)) - 0.5) / days) * 100}%` }}
          />
        )}
      </div>
    </div>
  );
}

function Bar({ span, month }: { span: Span; month: string }): ReactNode {
  const { use, from, to, isStart, isEnd, tenancy } = span;
  const look = classes(styles.bar, styles[use], isStart && styles.start, isEnd && styles.end);
  const period =
    from === to ? dayText(dayIn(month, from)) : periodText({ start: dayIn(month, from), end: dayIn(month, to) });
  if (tenancy === null) {
    return (
      <span className={look} title={`Empty, ${period}`}>
        Empty, {period}
      </span>
    );
  }
  const end = tenancy.end_date;
  const name = [
    tenantsOf(tenancy),
    tenancyState(tenancy).name,
    `from ${dayText(tenancy.start_date)}`,
    end === null ? 'without an end' : `until ${dayText(end)}`,
  ].join(', ');
  return (
    <span className={look} title={name}>
      <Link href={`/tenancies/${tenancy.id}`} aria-label={name}>
        {tenantsOf(tenancy)}
      </Link>
    </span>
  );
}

function wordsOf({ home, spans }: Row): string {
  const people = spans.flatMap(({ tenancy }) => (tenancy === null ? [] : tenantsOf(tenancy)));
  return `${homeOf(home)} ${people.join(' ')}`.toLowerCase();
}

function emptyIn(rows: readonly Row[]): number {
  return rows.reduce((sum, { spans }) => sum + emptyDaysIn(spans), 0);
}

function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en-GB')} ${noun}${count === 1 ? '' : 's'}`;
}

/** Returns a month as people write it: "June 2027". */
function monthText(month: string): string {
  const format = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });
  return format.format(Date.parse(`${month}-01`));
}
