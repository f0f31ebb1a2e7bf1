import { useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState, type ReactNode } from 'react';
import type { List, RequestOptions, Tenure } from 'tenure';
import {
  Button,
  CodeBlock,
  ComboBox,
  EmptyState,
  ErrorState,
  Icon,
  Menu,
  Pagination,
  Select,
  Skeleton,
  Table,
  TextField,
  type Choice,
  type Column,
} from '@tenure/ui';
import { liveCountMax, useLiveCount, type LiveSource } from '../api/live.ts';
import { shownError, useRead } from '../api/requests.ts';
import { Page } from '../shell/page.tsx';
import { csvOf, saveFile } from './export.ts';
import { cursors, pick, type ListSearch } from './list-search.ts';
import styles from './list-page.module.css';

/** A filter of a list. Its name is the parameter of the API, and of the URL. */
export interface Filter<Name extends string> {
  name: Name;
  label: string;
  placeholder?: string;
  /** Suggests values. With `isClosed`, no others are allowed. */
  choices?: readonly Choice[];
  isClosed?: boolean;
  /** The filter stands behind "More filters" until it is used. */
  isRare?: boolean;
}

/** Everything that a list of records needs. One file has it for each kind of record. */
export interface ListDefinition<Row extends { id: string }, Name extends string> {
  title: string;
  /** The plural in a sentence: "12 events". */
  noun: string;
  /** The id of the record that the list belongs to, if it is a part of that record's page. */
  parentId?: string;
  /** The rows of a page, if not 25. A list whose rows make requests of their own has fewer. */
  pageSize?: number;
  load(
    tenure: Tenure,
    params: ListSearch<Name> & { limit: number },
    options: RequestOptions,
  ): PromiseLike<List<Row> & { count: number }>;
  /** Left out if the rows are shown in another form than a table. */
  columns?: readonly Column<Row>[];
  /** The page of a record. */
  hrefOf?: (row: Row) => string;
  /** Returns after how many milliseconds the page is read again, for records that change without an event. */
  refreshMs?: (rows: readonly Row[]) => number | false;
  filters: readonly Filter<Name>[];
  /** What the page says while there is no record at all. It has one action, its command, and other ways. */
  empty: { title: string; text: ReactNode; curl: string; action?: ReactNode; others?: ReactNode };
  /** Tells of new records. */
  live?: (search: ListSearch<Name>) => LiveSource;
}

/** The rows of a page. */
const defaultPageSize = 25;

/** Shows a list. Filters and cursor are in the URL. New records wait for a click. The page can be saved as a file. */
export function ListPage<Row extends { id: string }, Name extends string>({
  list,
  search,
  actions,
  view,
  contents,
}: {
  list: ListDefinition<Row, Name>;
  /** The search of the route. */
  search: ListSearch<Name>;
  /** Buttons beside the title, such as "Create". */
  actions?: ReactNode;
  /** Links to other views of the records, below the filters. */
  view?: ReactNode;
  /** Another view of the records that fit the filters. It takes the place of the rows, which are not read then. */
  contents?: ReactNode;
}): ReactNode {
  const rows = useRows(list, search, contents === undefined).data?.data ?? [];
  return (
    <Page
      title={list.title}
      actions={
        <>
          {rows.length > 0 && <ExportMenu noun={list.noun} records={rows} />}
          {actions}
        </>
      }
    >
      <RecordList list={list} search={search} view={view} contents={contents} />
    </Page>
  );
}

/** Reads the page of a list that its search names. */
function useRows<Row extends { id: string }, Name extends string>(
  list: ListDefinition<Row, Name>,
  search: ListSearch<Name>,
  isOn: boolean,
): UseQueryResult<List<Row> & { count: number }> {
  // The search has the parameters of the shell, too, such as the account.
  const own = pick(search, [...list.filters.map(({ name }) => name), ...cursors]);
  const params = { ...own, limit: list.pageSize ?? defaultPageSize };
  return useRead([list.noun, list.parentId, params], (tenure, options) => list.load(tenure, params, options), {
    isOn,
    refreshMs: (page) => list.refreshMs?.(page.data) ?? false,
  });
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
  const liveSource = useMemo(() => list.live?.(search) ?? null, [list, search]);
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
  query: UseQueryResult<List<Row> & { count: number }>;
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
      {children?.(rows) ?? <Table label={list.title} columns={list.columns ?? []} rows={rows} hrefOf={list.hrefOf} />}
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
    const text = value.trim();
    if (text === (search[name] ?? '')) return;
    const next = withoutCursor(search);
    if (text === '') delete next[name];
    else next[name] = text;
    onChange(next);
  };
  return (
    <search className={styles.filters} aria-label={`Filter ${list.noun}`}>
      {shown.map((filter) => (
        <FilterField
          // A filter that another page or the Back button changes begins with the new value.
          key={`${filter.name} ${search[filter.name] ?? ''}`}
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

/** The choice that filters nothing. */
const anyId = 'any';

function FilterField({
  filter: { label, placeholder, choices, isClosed },
  value,
  onCommit,
}: {
  filter: Filter<string>;
  value: string;
  onCommit: (text: string) => void;
}): ReactNode {
  const [text, setText] = useState(value);
  if (choices && isClosed) {
    return (
      <div className={styles.filter}>
        <Select
          label={label}
          choices={[{ id: anyId, name: 'Any' }, ...choices]}
          value={value === '' ? anyId : value}
          onChange={(id) => onCommit(id === anyId ? '' : id)}
        />
      </div>
    );
  }
  const commitByEnter = (event: { key: string }): void => {
    if (event.key === 'Enter') onCommit(text);
  };
  if (choices) {
    return (
      // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- The key bubbles up from the field within.
      <div className={styles.filter} onKeyDown={commitByEnter}>
        <ComboBox
          label={label}
          placeholder={placeholder}
          choices={choices}
          value={text}
          onChange={setText}
          onCommit={onCommit}
          isMono
        />
      </div>
    );
  }
  return (
    <div className={styles.filter}>
      <TextField
        label={label}
        placeholder={placeholder}
        value={text}
        onChange={setText}
        onBlur={() => onCommit(text)}
        onKeyDown={commitByEnter}
        spellCheck="false"
        autoComplete="off"
        isMono
      />
    </div>
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
        text="No record fits these filters. Change one, or clear them all."
        action={<Button onPress={onClear}>Clear filters</Button>}
      />
    );
  }
  const { title, text, curl, action, others } = list.empty;
  return (
    <EmptyState title={title} text={text} action={action}>
      <CodeBlock title="The same with curl" text={curl} />
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
