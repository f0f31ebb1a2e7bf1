import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorState, Skeleton, Table, type Column } from '@tenure/ui';
import { shownError } from '../api/requests.ts';
import styles from './office.module.css';

/** The records that belong to a page's record, in a table. It also shows that they are loading, missing or none. */
export function PartTable<Row extends { id: string }>(props: {
  label: string;
  query: UseQueryResult<Row[]>;
  columns: readonly Column<Row>[];
  hrefOf: (row: Row) => string;
}): ReactNode {
  const { label, query, columns, hrefOf } = props;
  const { data, error, refetch } = query;
  if (error !== null) return <ErrorState error={shownError(error)} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={2} />;
  if (data.length === 0) return <p className={styles.quiet}>None.</p>;
  return <Table label={label} rows={data} columns={columns} hrefOf={hrefOf} />;
}
