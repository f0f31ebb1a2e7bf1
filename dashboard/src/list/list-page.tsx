import { useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState, type ReactNode } from 'react';
import { Button, EmptyState, ErrorState, Icon, Menu, Pagination, Skeleton, Table } from '@tenure/ui';
import { liveCountMax, useLiveCount } from '../api/live.ts';
import { defineRead, shownError, useRead, type Read } from '../api/requests.ts';
import { CurlBlock } from '../shell/curl-block.tsx';
import { Page } from '../shell/page.tsx';
import { csvOf, saveFile } from './export.ts';
import { FilterField, type Filter } from './filter-field.tsx';
import type { ListDefinition, ListOf } from './list-definition.ts';
import { cursors, pick, type ListSearch } from './list-search.ts';
import { PrintView, WholeListActions, type PrintedRows } from './whole-list.tsx';
import styles from './list-page.module.css';

/** The rows of a page. */
const defaultPageSize = 25;

/** Shows a list. Filters and cursor are in the URL. New records wait for a click. They can be saved as a file. */
export function ListPage<Row extends { id: string }, Name extends string>({
  list,
  search,
  actions,
  tabs,
  view,
  contents,
}: {
  list: ListDefinition<Row, Name>;
  /** The search of the route. */
  search: ListSearch<Name>;
  /** Buttons beside the title, such as "Create". */
  actions?: ReactNode;
  /** Links to lists of other kinds that belong together, above the filters. */
  tabs?: ReactNode;
  /** Links to other views of the records, below the filters. */
  view?: ReactNode;
  /** Another view of the records that fit the filters. It takes the place of the rows, which are not read then. */
  contents?: ReactNode;
}): ReactNode {
  const rows = useRows(list, search, contents === undefined).data?.data ?? [];
  const [print, setPrint] = useState<{ search: ListSearch<Name>; printed: PrintedRows<Row> } | null>(null);
  // A link to other filters leaves the print.
  if (print !== null && print.search === search) {
    return (
      <Page title={list.title}>
        <PrintView list={list} search={search} printed={print.printed} onClose={() => setPrint(null)} />
      </Page>
    );
  }
  return (
    <Page
      title={list.title}
      actions={
        <>
          {rows.length > 0 && list.sheet === undefined && <ExportMenu noun={list.noun} records={rows} />}
          {rows.length > 0 && list.sheet !== undefined && (
            <WholeListActions
              list={list}
              search={search}
              sheet={list.sheet}
              onPrint={(printed) => setPrint({ search, printed })}
            />
          )}
          {actions}
        </>
      }
    >
      {tabs}
      <RecordList list={list} search={search} view={view} contents={contents} />
    </Page>
  );
}

/** Reads the page of a list that its search names. */
function useRows<Row extends { id: string }, Name extends string>(
  list: ListDefinition<Row, Name>,
  search: ListSearch<Name>,
  isOn: boolean,
): UseQueryResult<ListOf<Row>> {
  // The search has the parameters of the shell, too, such as the account.
  const own = pick(search, [...list.filters.map(({ name }) => name), ...cursors]);
  const params = { ...own, limit: list.pageSize ?? defaultPageSize };
  return useRead(
    readOf(list.load),
    { parentId: list.parentId, params },
    { isOn, refreshMs: (page) => list.refreshMs?.(page.data) ?? false },
  );
}

type ListInput<Name extends string> = { parentId: string | undefined; params: ListSearch<Name> & { limit: number } };

const reads = new WeakMap<object, unknown>();

/** Returns the one reading by a function that loads pages. */
function readOf<Row extends { id: string }, Name extends string>(
  load: ListDefinition<Row, Name>['load'],
): Read<ListInput<Name>, ListOf<Row>> {
  const known = reads.get(load) as Read<ListInput<Name>, ListOf<Row>> | undefined;
  if (known) return known;
  const read = defineRead((tenure, { parentId, params }: ListInput<Name>, options) =>
    load(tenure, params, options, parentId),
  );
  reads.set(load, read);
  return read;
}

/** A list with its filters and its cursors, as a part of a page. With `children`, its rows are no table. */
export function RecordList<Row extends { id: string }, Name extends string>({
  list,
  search,
  view,
  contents,
  children,
}: {
  list: ListDefinition<Row, Name>;
  search: ListSearch<Name>;
  view?: ReactNode;
  contents?: ReactNode;
  children?: (rows: readonly Row[]) => ReactNode;
}): ReactNode {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const query = useRows(list, search, contents === undefined);
  const { live: sourceOf } = list;
  const liveSource = useMemo(() => sourceOf?.(search) ?? null, [sourceOf, search]);
  const live = useLiveCount(liveSource);
  const setSearch = (next: ListSearch<Name>): void => {
    // The router knows the parameters of each route, but not that this is the route of this list.
    void navigate({ to: '.', search: next as never });
  };
  const isFiltered = list.filters.some(({ name }) => search[name] !== undefined);
  const showNew = (): void => {
    live.reset();
    void queries.invalidateQueries({ queryKey: ['api'] });
    setSearch(withoutCursor(search));
  };
  const clear = (): void => setSearch(withoutFilters(list, search));

  return (
    <>
      {list.filters.length > 0 && (
        <Filters list={list} search={search} onChange={(next) => setSearch(next)} onClear={clear} />
      )}
      {(view !== undefined || liveSource !== null) && (
        <div className={styles.bar}>
          {view}
          <div role="status" className={styles.live}>
            {live.count > 0 && (
              <Button isSmall onPress={showNew}>
                <Icon name="refresh" size={12} />
                {`${live.count.toLocaleString()}${live.count >= liveCountMax ? '+' : ''} new`}
              </Button>
            )}
          </div>
        </div>
      )}
      {contents ?? (
        <Results list={list} search={search} query={query} onSearch={setSearch} isFiltered={isFiltered} onClear={clear}>
          {children}
        </Results>
      )}
    </>
  );
}

/** The rows of the page, or why there are none. */
function Results<Row extends { id: string }, Name extends string>({
  list,
  search,
  query: { data, error, isPlaceholderData, refetch },
  isFiltered,
  onSearch,
  onClear,
  children,
}: {
  list: ListDefinition<Row, Name>;
  search: ListSearch<Name>;
  query: UseQueryResult<ListOf<Row>>;
  isFiltered: boolean;
  onSearch: (next: ListSearch<Name>) => void;
  onClear: () => void;
  children: ((rows: readonly Row[]) => ReactNode) | undefined;
}): ReactNode {
  if (error !== null) return <ErrorState error={shownError(error)} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={10} />;
  const { data: rows, count } = data;
  if (rows.length === 0) return <Nothing list={list} isFiltered={isFiltered} onClear={onClear} />;
  const first = withoutCursor(search);
  return (
    <div className={styles.results} aria-busy={isPlaceholderData}>
      {children?.(rows) ?? (
        <Table
          label={list.title}
          columns={list.columns ?? []}
          rows={rows}
          hrefOf={list.hrefOf}
          isStacked={list.isStacked}
        />
      )}
      <Pagination
        summary={`${rows.length.toLocaleString()} of ${count.toLocaleString()} ${list.noun}`}
        onNewer={hasNewer(search, data) ? () => onSearch({ ...first, ending_before: rows[0]!.id }) : null}
        onOlder={hasOlder(search, data) ? () => onSearch({ ...first, starting_after: rows.at(-1)!.id }) : null}
      />
    </div>
  );
}

/** `has_more` is about the direction of paging. In the other direction is the page that the reader came from. */
function hasNewer(search: ListSearch<string>, { has_more: hasMore }: { has_more: boolean }): boolean {
  return search.ending_before === undefined ? search.starting_after !== undefined : hasMore;
}

function hasOlder(search: ListSearch<string>, { has_more: hasMore }: { has_more: boolean }): boolean {
  return search.ending_before !== undefined || hasMore;
}

function withoutCursor<Name extends string>(search: ListSearch<Name>): ListSearch<Name> {
  const { starting_after: _, ending_before: _2, ...kept } = search;
  return kept as ListSearch<Name>;
}

/** Returns what is left without filters and cursor, such as the view. */
function withoutFilters<Row extends { id: string }, Name extends string>(
  { filters }: ListDefinition<Row, Name>,
  search: ListSearch<Name>,
): ListSearch<Name> {
  const kept = withoutCursor(search);
  for (const { name } of filters) delete kept[name];
  return kept;
}

function Filters<Row extends { id: string }, Name extends string>({
  list,
  search,
  onChange,
  onClear,
}: {
  list: ListDefinition<Row, Name>;
  search: ListSearch<Name>;
  onChange: (next: ListSearch<Name>) => void;
  onClear: () => void;
}): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const isUsed = ({ name }: Filter<Name>): boolean => search[name] !== undefined;
  const shown = list.filters.filter((filter) => isOpen || !filter.isRare || isUsed(filter));
  const hiddenCount = list.filters.length - shown.length;
  const set = (name: Name, value: string): void => {
    if (value === (search[name] ?? '')) return;
    const next = withoutCursor(search);
    if (value === '') delete next[name];
    else next[name] = value;
    onChange(next);
  };
  return (
    <search className={styles.filters} aria-label={`Filter ${list.noun}`}>
      {shown.map((filter) => (
        <FilterField
          key={filter.name}
          filter={filter}
          value={search[filter.name] ?? ''}
          onCommit={(text) => set(filter.name, text)}
        />
      ))}
      {hiddenCount > 0 && (
        <Button look="plain" onPress={() => setOpen(true)}>
          {hiddenCount} more filters
        </Button>
      )}
      {list.filters.some(isUsed) && (
        <Button look="plain" onPress={onClear}>
          Clear filters
        </Button>
      )}
    </search>
  );
}

function Nothing<Row extends { id: string }, Name extends string>({
  list,
  isFiltered,
  onClear,
}: {
  list: ListDefinition<Row, Name>;
  isFiltered: boolean;
  onClear: () => void;
}): ReactNode {
  if (isFiltered) {
    return (
      <EmptyState
        title={`No ${list.noun} match`}
        text={`No record fits these filters. Change one, or clear them all. ${list.filterHint ?? ''}`}
        action={<Button onPress={onClear}>Clear filters</Button>}
      />
    );
  }
  const { title, text, curl, action, others } = list.empty;
  return (
    <EmptyState title={title} text={text} action={action}>
      {curl !== undefined && <CurlBlock title="The same with curl" text={curl} />}
      {others}
    </EmptyState>
  );
}

function ExportMenu({ noun, records }: { noun: string; records: readonly object[] }): ReactNode {
  const name = noun.replaceAll(' ', '-');
  return (
    <Menu
      trigger={
        <Button>
          <Icon name="download" size={14} />
          Export page
        </Button>
      }
      groups={[
        {
          id: 'formats',
          entries: [
            {
              id: 'json',
              name: 'This page as JSON',
              onAction: () => saveFile(`${name}.json`, 'application/json', JSON.stringify(records, null, 2)),
            },
            {
              id: 'csv',
              name: 'This page as CSV',
              onAction: () => saveFile(`${name}.csv`, 'text/csv', csvOf(records)),
            },
          ],
        },
      ]}
    />
  );
}
