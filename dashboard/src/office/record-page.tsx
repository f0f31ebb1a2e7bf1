import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Page, RecordSections } from '../shell/page.tsx';

/** The page of one record of the office. Its title is what people call the record. The key `c` copies its id. */
export function RecordPage<T>(props: {
  id: string;
  /** What the record is, until its title is known. */
  noun: string;
  parent: { href: string; name: string };
  query: UseQueryResult<T>;
  titleOf: (record: T) => string;
  badge?: (record: T) => ReactNode;
  actions?: (record: T) => ReactNode;
  children: (record: T) => ReactNode;
}): ReactNode {
  const { id, noun, parent, query, titleOf, badge, actions, children } = props;
  const { data } = query;
  const title = data === undefined ? noun : titleOf(data);
  return (
    <Page
      title={title}
      heading={
        <span data-copy-id={id}>
          {title} {data !== undefined && badge?.(data)}
        </span>
      }
      parent={parent}
      actions={data !== undefined && actions?.(data)}
    >
      <RecordSections query={query}>{children}</RecordSections>
    </Page>
  );
}
