import type { ReactNode } from 'react';
import type { List, RequestOptions, Tenure } from 'tenure';
import type { Column } from '@tenure/ui';
import type { LiveSource } from '../api/live.ts';
import type { Filter } from './filter-field.tsx';
import type { ListSearch } from './list-search.ts';

/** A page of a list, with the number of records that fit. */
export type ListOf<Row> = List<Row> & { count: number };

/** Everything that a list of records needs. One file has it for each kind of record. */
export interface ListDefinition<Row extends { id: string }, Name extends string> {
  title: string;
  /** The plural in a sentence: "12 events". */
  noun: string;
  /** The id of the record that the list belongs to, if it is a part of that record's page. */
  parentId?: string;
  /** The rows of a page, if not 25. A list whose rows make requests of their own has fewer. */
  pageSize?: number;
  /** Loads a page. The cache keeps pages while this function is the same one. So a part of a page names its record by id. */
  load: (
    tenure: Tenure,
    params: ListSearch<Name> & { limit: number },
    options: RequestOptions,
    parentId: string | undefined,
  ) => PromiseLike<ListOf<Row>>;
  /** Left out if the rows are shown in another form than a table. */
  columns?: readonly Column<Row>[];
  /** Whether the rows are sentences: they wrap, and a narrow window shows all columns below each other. */
  isStacked?: boolean;
  /** The page of a record. */
  hrefOf?: (row: Row) => string;
  /** Returns after how many milliseconds the page is read again, for records that change without an event. */
  refreshMs?: (rows: readonly Row[]) => number | false;
  filters: readonly Filter<Name>[];
  /** What the page says while there is no record at all. It has one action, its command, and other ways. */
  empty: { title: string; text: ReactNode; curl?: string; action?: ReactNode; others?: ReactNode };
  /**
   * Returns what a row has in the CSV, by the titles of columns. With it, the CSV and the print have all records that fit the filters.
   * Without it, a page can be saved as the records of the API.
   */
  sheet?: (row: Row) => Record<string, unknown>;
  /** Says how the filters match, on the page without matches. */
  filterHint?: string;
  /** Tells of new records. Null if none can fit the filters. */
  live?: (search: ListSearch<Name>) => LiveSource | null;
}
