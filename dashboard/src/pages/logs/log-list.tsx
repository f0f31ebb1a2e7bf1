import type { ReactNode } from 'react';
import { operations, type Log, type LogsListParams } from 'tenure';
import { Time } from '@tenure/ui';
import { curlOf } from '../../curl.ts';
import { ListPage, type ListDefinition } from '../../list/list-page.tsx';
import type { ListSearch } from '../../list/list-search.ts';
import { logListRoute } from '../../routes.tsx';
import { ViewLinks } from '../../list/view-links.tsx';
import { LogGroups } from './log-groups.tsx';
import { callerOf, RequestLine } from './log-parts.tsx';
import { newLogs } from './new-logs.ts';

type LogFilter = 'method' | 'path' | 'status' | 'error_code' | 'key' | 'user' | 'source' | 'idempotency_key';

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

const logList: ListDefinition<Log, LogFilter | 'view'> = {
  title: 'Logs',
  noun: 'logs',
  load: (tenure, params, options) => tenure.logs.list(paramsOf(params), options),
  hrefOf: ({ id }) => `/logs/${id}`,
  columns: [
    { title: 'Request', cell: (log) => <RequestLine {...log} /> },
    { title: 'Error', cell: ({ error }) => (error === null ? '–' : <code>{error.code}</code>) },
    { title: 'By', cell: (log) => callerOf(log) },
    { title: 'Duration', align: 'end', cell: ({ duration_ms: duration }) => `${duration.toLocaleString()} ms` },
    { title: 'Time', align: 'end', cell: ({ created }) => <Time at={created} /> },
  ],
  filters: [
    { name: 'status', label: 'Status', placeholder: '4xx', choices: named(statuses) },
    { name: 'error_code', label: 'Error code', placeholder: 'parameter_invalid', choices: named(codes) },
    { name: 'method', label: 'Method', choices: named(['POST', 'DELETE']), isClosed: true },
    { name: 'path', label: 'Path', placeholder: '/…' },
    { name: 'key', label: 'API key', placeholder: 'key_…', isRare: true },
    { name: 'user', label: 'Person', placeholder: 'usr_…', isRare: true },
    { name: 'source', label: 'Source', choices: named(['api', 'dashboard', 'portal']), isClosed: true, isRare: true },
    { name: 'idempotency_key', label: 'Idempotency key', isRare: true },
  ],
  empty: {
    title: 'No requests yet',
    text: 'Every POST and DELETE request leaves a log with both bodies, even if it was refused. Create a customer, and its log appears here.',
    curl: curlOf(operations.customers.create, { body: { name: 'Ada Example', email: 'ada@example.com' } }),
  },
  live: (search) => newLogs(paramsOf(search)),
};

/** The list of logs: one by one, or grouped by path and code. */
export function LogListPage(): ReactNode {
  const search = logListRoute.useSearch();
  const isGrouped = search.view === 'groups';
  return (
    <ListPage
      list={logList}
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
      contents={isGrouped ? <LogGroups params={paramsOf(search)} /> : undefined}
    />
  );
}

/** Returns the parameters of the API: all but the view and the account of the page, which the client names. */
function paramsOf(search: LogSearch & { limit?: number; account?: string }): LogsListParams {
  const { view: _, account: _2, ...params } = search;
  // The API refuses other values of closed filters. A URL may have any.
  return params as LogsListParams;
}

function named(ids: string[]): { id: string; name: string }[] {
  return ids.map((id) => ({ id, name: id }));
}
