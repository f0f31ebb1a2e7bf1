import { useEffect, useState, type ReactNode } from 'react';
import { Link as AriaLink } from 'react-aria-components';
import { Button, Link } from './button.tsx';
import { classes } from './classes.ts';
import { Icon } from './icons.tsx';
import styles from './data.module.css';

/** What a status means. Each tone has a sign besides its colour. */
export type Tone = 'neutral' | 'good' | 'waiting' | 'warning' | 'bad';

export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }): ReactNode {
  return <span className={classes(styles.badge, styles[tone])}>{children}</span>;
}

/** Copies a text. It says so for two seconds. */
export function CopyButton({ text, label, children }: { text: string; label: string; children?: string }): ReactNode {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <Button
      look={children === undefined ? 'plain' : 'default'}
      isSmall
      isIcon={children === undefined}
      aria-label={isCopied ? 'Copied' : label}
      onPress={() => void copy()}
    >
      <Icon name={isCopied ? 'check' : 'copy'} size={13} />
      {children !== undefined && (isCopied ? 'Copied' : children)}
    </Button>
  );
}

/** An id with a button that copies it. With `href`, the id leads to its record. */
export function Id({ id, href }: { id: string; href?: string }): ReactNode {
  return (
    <span className={styles.withCopy}>
      <code className={styles.id}>{href === undefined ? id : <Link href={href}>{id}</Link>}</code>
      <CopyButton text={id} label={`Copy ${id}`} />
    </span>
  );
}

export interface Column<Row> {
  title: string;
  /** Numbers stand at the end. */
  align?: 'end';
  cell: (row: Row) => ReactNode;
}

/* oxlint-disable jsx-a11y/no-redundant-roles, jsx-a11y/no-interactive-element-to-noninteractive-role -- A block in the place of a cell loses its role in some browsers. */

/** A table of records. The first cell of a row is its link, and covers the row. */
export function Table<Row extends { id: string }>(props: {
  /** What the table has, for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** The page of a row. Without it, rows lead nowhere. */
  hrefOf?: (row: Row) => string;
  /** Shows each row as a block with all its cells where the window is narrow. Long texts wrap. */
  isStacked?: boolean;
}): ReactNode {
  const { columns, rows, hrefOf, isStacked = false } = props;
  // A table that scrolls must be reachable by keyboard. The links of rows are, if there are any.
  const reach = hrefOf ? {} : { tabIndex: 0, role: 'group', 'aria-label': props.label };
  return (
    <div className={styles.scroll} {...reach}>
      <table role="table" className={classes(styles.table, isStacked && styles.stacked)} aria-label={props.label}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ title, align }) => (
              <th key={title} role="columnheader" scope="col" className={align && styles.end}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={row.id} role="row" className={styles.row}>
              {columns.map(({ title, align, cell }, index) => (
                <td key={title} role="cell" data-title={title} className={align && styles.end}>
                  {index === 0 && hrefOf ? (
                    <AriaLink className={styles.rowLink} href={hrefOf(row)}>
                      {cell(row)}
                    </AriaLink>
                  ) : (
                    cell(row)
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/* oxlint-enable jsx-a11y/no-redundant-roles, jsx-a11y/no-interactive-element-to-noninteractive-role */

/** Newer and older pages of a list. */
export function Pagination(props: {
  /** Says what is shown, such as "25 of 1,204 events". */
  summary: ReactNode;
  onNewer: (() => void) | null;
  onOlder: (() => void) | null;
}): ReactNode {
  return (
    <nav className={styles.pagination} aria-label="Pages">
      <span>{props.summary}</span>
      <span className={styles.buttons}>
        <Button isSmall isDisabled={props.onNewer === null} onPress={() => props.onNewer?.()}>
          <Icon name="chevronLeft" size={12} />
          Newer
        </Button>
        <Button isSmall isDisabled={props.onOlder === null} onPress={() => props.onOlder?.()}>
          Older
          <Icon name="chevronRight" size={12} />
        </Button>
      </span>
    </nav>
  );
}

/** Names and values of a record. */
export function Details({ items }: { items: readonly (readonly [name: string, value: ReactNode])[] }): ReactNode {
  return (
    <dl className={styles.details}>
      {items.map(([name, value]) => [<dt key={`${name} name`}>{name}</dt>, <dd key={name}>{value ?? '–'}</dd>])}
    </dl>
  );
}

/** Says that there is nothing yet, and how to change that: by one action, and by its curl. */
export function EmptyState(props: {
  title: string;
  text: ReactNode;
  action?: ReactNode;
  children?: ReactNode;
}): ReactNode {
  return (
    <div className={styles.state}>
      <h2>{props.title}</h2>
      <p>{props.text}</p>
      {props.action}
      {props.children}
    </div>
  );
}

/** An error of the API, as it told it. */
export interface ShownError {
  message: string;
  code?: string | null;
  requestId?: string | null;
  docUrl?: string | null;
}

/** A text of the API, which puts names and codes between backticks. */
export function Prose({ text }: { text: string }): ReactNode {
  // Each second part stood between two backticks.
  // oxlint-disable-next-line react/no-array-index-key -- The parts of a text keep their places.
  return text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));
}

export function ErrorState({ error, onRetry }: { error: ShownError; onRetry?: () => void }): ReactNode {
  return (
    <div className={classes(styles.state, styles.errorState)} role="alert" tabIndex={-1}>
      <p>
        <Prose text={error.message} />
      </p>
      <div className={styles.facts}>
        {error.code && (
          <span>Code: {error.docUrl ? <Link href={error.docUrl}>{error.code}</Link> : <code>{error.code}</code>}</span>
        )}
        {error.requestId && (
          <span>
            Request: <Id id={error.requestId} />
          </span>
        )}
      </div>
      {onRetry && (
        <Button onPress={onRetry}>
          <Icon name="refresh" size={14} />
          Try again
        </Button>
      )}
    </div>
  );
}

/** Stands for contents on their way, in about their height. It appears only after 150 ms, so that quick answers do not flicker. */
export function Skeleton({ rows = 5 }: { rows?: number }): ReactNode {
  return (
    <div className={styles.skeleton} role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} className={styles.bar} />
      ))}
    </div>
  );
}
