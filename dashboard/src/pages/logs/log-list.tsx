import { useMemo, type ReactNode } from 'react';
import { operations, type Log, type LogsListParams, type Operation, type OperationTable } from 'tenure';
import { Time } from '@tenure/ui';
import { curlOf } from '../../curl.ts';
import { withChoices } from '../../list/filter-field.tsx';
import type { ListDefinition } from '../../list/list-definition.ts';
import { ListPage } from '../../list/list-page.tsx';
import type { ListSearch } from '../../list/list-search.ts';
import { timeFilters, withCreated, type TimeFilter } from '../../list/time-filters.ts';
import { logListRoute } from '../../routes.tsx';
import { ViewLinks } from '../../list/view-links.tsx';
import { useKeyChoices } from '../api-keys/key-name.tsx';
import { LogGroups } from './log-groups.tsx';
import { Caller, RequestCell } from './log-parts.tsx';
import { newLogs } from './new-logs.ts';

type LogFilter =
  | TimeFilter
  | 'method'
  | 'path'
  | 'status'
  | 'error_code'
  | 'key'
  | 'user'
  | 'source'
  | 'idempotency_key';

type LogSearch = ListSearch<LogFilter | 'view'>;

/** Suggestions. Any other status can be typed, too. */
const statuses = ['2xx', '4xx', '5xx', '400', '403', '404', '409'];

/** Codes that many people look for. */
const codes = [
  'parameter_missing',
  'parameter_invalid',
  'parameter_unknown',
  'resource_missing',
  'permission_denied',
  'idempotency_key_reused',
];

/** The paths of requests that leave a log and name no record. */
const paths = [...new Set(pathsOf(operations))].sort();

const baseList: ListDefinition<Log, LogFilter | 'view'> = {
  title: 'Logs',
  noun: 'logs',
  load: (tenure, params, options) => tenure.logs.list(paramsOf(params), options),
  hrefOf: ({ id }) => `/logs/${id}`,
  columns: [
    { title: 'Request', cell: (log) => <RequestCell {...log} /> },
    { title: 'Error', cell: ({ error }) => (error === null ? '–' : <code>{error.code}</code>) },
    { title: 'By', cell: (log) => <Caller log={log} /> },
    { title: 'Duration', align: 'end', cell: ({ duration_ms: duration }) => `${duration.toLocaleString()} ms` },
    { title: 'Time', align: 'end', cell: ({ created }) => <Time at={created} /> },
  ],
  filters: [
    { name: 'status', label: 'Status', placeholder: 'e.g. 4xx', choices: named(statuses), form: /^(\d{3}|\dxx)$/ },
    { name: 'error_code', label: 'Error code', placeholder: 'e.g. parameter_invalid', choices: named(codes) },
    { name: 'method', label: 'Method', choices: named(['POST', 'DELETE']), isClosed: true },
    { name: 'path', label: 'Path', placeholder: 'the whole path', choices: named(paths) },
    ...timeFilters,
    { name: 'key', label: 'API key', placeholder: 'e.g. key_…', isRare: true },
    { name: 'user', label: 'Person', placeholder: 'e.g. usr_…', isRare: true },
    { name: 'source', label: 'Source', choices: named(['api', 'dashboard', 'portal']), isClosed: true, isRare: true },
    { name: 'idempotency_key', label: 'Idempotency key', isRare: true },
  ],
  empty: {
    title: 'No requests yet',
    text: 'Every POST and DELETE request leaves a log with both bodies, even if it was refused. Create a customer, and its log appears here.',
    curl: curlOf(operations.customers.create, { body: { name: 'Ada Example', email: 'ada@example.com' } }),
  },
  filterHint: 'A path must be whole, with its ids.',
  live: (search) => (search.until === undefined ? newLogs(paramsOf(search)) : null),
};

/** The list of logs: one by one, or grouped by path and code. */
export function LogListPage(): ReactNode {
  const search = logListRoute.useSearch();
  const isGrouped = search.view === 'groups';
  const list = useLogList();
  return (
    <ListPage
      list={list}
      search={search}
      view={
        <ViewLinks
          path="/logs"
          search={search}
          views={[
            [undefined, 'Newest first'],
            ['groups', 'By path and code'],
          ]}
        />
      }
      contents={isGrouped ? <LogGroups params={paramsOf(search)} search={search} /> : undefined}
    />
  );
}

/** Returns the list with the keys as suggestions. */
function useLogList(): typeof baseList {
  const key = useKeyChoices();
  return useMemo(() => withChoices(baseList, { key }), [key]);
}

/** Returns the parameters of the API: all but the view and the account of the page, which the client names. */
function paramsOf(search: LogSearch & { limit?: number; account?: string }): LogsListParams {
  const { view: _, account: _2, ...params } = search;
  // The API refuses other values of closed filters. A URL may have any.
  return withCreated(params) as LogsListParams;
}

function named(ids: string[]): { id: string; name: string }[] {
  return ids.map((id) => ({ id, name: id }));
}

function* pathsOf(table: OperationTable): Generator<string> {
  for (const part of Object.values(table)) {
    if (!isOperation(part)) yield* pathsOf(part);
    else if (part.method !== 'GET' && !part.path.includes('{')) yield part.path;
  }
}

function isOperation(part: OperationTable[string]): part is Operation {
  return typeof part.method === 'string';
}
