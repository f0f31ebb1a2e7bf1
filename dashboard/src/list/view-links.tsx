import type { ReactNode } from 'react';
import { Link } from '@tenure/ui';
import { stringifySearch } from './list-search.ts';
import styles from './list-page.module.css';

/** Links to the views of a list. The view is the parameter `view` of the URL, and the filters stay. */
export function ViewLinks(props: {
  path: string;
  search: Record<string, string | undefined>;
  /** Each view with its name. The usual one is undefined. */
  views: readonly (readonly [view: string | undefined, name: string])[];
}): ReactNode {
  const { starting_after: _, ending_before: _2, ...search } = props.search;
  return (
    <nav className={styles.views} aria-label="Views">
      {props.views.map(([view, name]) => (
        <Link
          key={name}
          href={props.path + stringifySearch({ ...search, view })}
          aria-current={search.view === view ? 'page' : undefined}
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}
