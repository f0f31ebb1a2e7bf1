import type { ReactNode } from 'react';
import type { Log, LogsListParams } from 'tenure';
import { EmptyState, ErrorState, Skeleton, Table, Time } from '@tenure/ui';
import { defineRead, shownError, useRead } from '../../api/requests.ts';
import { stringifySearch, type ListSearch } from '../../list/list-search.ts';
import { RequestCell } from './log-parts.tsx';
import styles from './logs.module.css';

/** How many logs are grouped. They come in pages of 50, at most 20 a second. */
const groupedMax = 250;

const newestRead = defineRead((tenure, { filters }: { filters: LogsListParams }, options) =>
  tenure.logs.list({ ...filters, limit: 50 }, options).toArray({ limit: groupedMax }),
);

interface Group {
  id: string;
  method: string;
  /** The path of all its requests, with `ref_…` in place of ids. */
  path: string;
  status: number;
  code: string | null;
  count: number;
  newest: Log;
  /** The paths as they were sent. */
  paths: Set<string>;
}

/** The newest logs that fit the filters, grouped by path and code. The largest group stands first. */
export function LogGroups({ params, search }: { params: LogsListParams; search: ListSearch<'view'> }): ReactNode {
  const { starting_after: _, ending_before: _2, ...filters } = params;
  const { data, error, refetch } = useRead(newestRead, { filters });
  if (error !== null) return <ErrorState error={shownError(error)} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={10} />;
  if (data.length === 0) return <EmptyState title="No logs match" text="There is nothing to group." />;
  return (
    <div className={styles.groups}>
      <Table
        label="Logs by path and code"
        rows={groupsOf(data)}
        hrefOf={(group) => hrefOf(group, search)}
        columns={[
          { title: 'Request', cell: (group) => <RequestCell {...group} /> },
          { title: 'Error', cell: ({ code }) => (code === null ? '–' : <code>{code}</code>) },
          { title: 'Requests', align: 'end', cell: ({ count }) => count.toLocaleString() },
          { title: 'Latest', align: 'end', cell: ({ newest }) => <Time at={newest.created} /> },
        ]}
      />
      <p className={styles.note}>
        {data.length < groupedMax
          ? `All ${data.length.toLocaleString()} logs that fit are grouped.`
          : `The newest ${groupedMax} logs that fit are grouped.`}
      </p>
    </div>
  );
}

function groupsOf(logs: readonly Log[]): Group[] {
  const groups = new Map<string, Group>();
  for (const log of logs) {
    const { method, status, error } = log;
    const path = patternOf(log.path);
    const code = error?.code ?? null;
    const id = [method, path, status, code].join(' ');
    const group = groups.get(id);
    if (group) {
      group.count++;
      group.paths.add(log.path);
    } else {
      groups.set(id, { id, method, path, status, code, count: 1, newest: log, paths: new Set([log.path]) });
    }
  }
  return [...groups.values()].sort((a, b) => b.count - a.count);
}

/** Returns a path with `ref_…` in place of each id, so that requests about different records are one group. */
function patternOf(path: string): string {
  return path.replaceAll(/(?<=\/)([a-z]+)_[0-9A-Za-z]{22}(?=\/|$)/g, '$1_…');
}

/** Returns the list of a group's logs. A filter can name one path only. */
function hrefOf({ method, status, code, paths }: Group, search: ListSearch<'view'>): string {
  const { view: _, starting_after: _2, ending_before: _3, ...filters } = search;
  const [path] = paths;
  return `/logs${stringifySearch({
    ...filters,
    method,
    status: String(status),
    ...(code !== null && { error_code: code }),
    ...(paths.size === 1 && { path }),
  })}`;
}
