import { useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { classes } from './classes.ts';
import styles from './data.module.css';

/** Rows that exist beside the visible ones, so that Tab finds the next one, and a quick scroll no gap. */
const spareRows = 8;

/** A list that scrolls within itself. Of its rows, only those near the visible part exist, so that thousands cost no more than dozens. */
export function VirtualList<Row extends { id: string }>(props: {
  label: string;
  rows: readonly Row[];
  /** The height of each row, in rem. What is higher is cut. */
  rowRem: number;
  className?: string | undefined;
  children: (row: Row) => ReactNode;
}): ReactNode {
  const { label, rows, rowRem, className, children } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [visible, setVisible] = useState({ first: 0, last: 0 });
  // A row with the focus stays, also when it is scrolled out of sight.
  const [focused, setFocused] = useState<string | null>(null);
  const measure = (): void => {
    const { scrollTop, clientHeight } = scroller.current!;
    const rowPx = rowRem * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
    const first = Math.floor(scrollTop / rowPx);
    const last = Math.ceil((scrollTop + clientHeight) / rowPx);
    setVisible((known) => (known.first === first && known.last === last ? known : { first, last }));
  };
  // The number of rows changes the height of the list.
  useLayoutEffect(measure, [rows.length, rowRem]);
  const from = Math.max(0, visible.first - spareRows);
  const to = Math.min(rows.length, visible.last + spareRows);
  const shown = rows.slice(from, to).map((row, index) => ({ row, at: from + index }));
  const focusedAt = focused === null ? -1 : rows.findIndex(({ id }) => id === focused);
  if (focusedAt >= 0 && focusedAt < from) shown.unshift({ row: rows[focusedAt]!, at: focusedAt });
  if (focusedAt >= to) shown.push({ row: rows[focusedAt]!, at: focusedAt });
  return (
    // The focus is that of links within the rows.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- See above.
    <div
      ref={scroller}
      className={classes(styles.virtual, className)}
      onScroll={measure}
      onFocus={(event) => setFocused(rowOf(event.target))}
      onBlur={() => setFocused(null)}
    >
      <ul aria-label={label} style={{ height: `${rows.length * rowRem}rem` }}>
        {shown.map(({ row, at }) => (
          <li
            key={row.id}
            data-row={row.id}
            aria-setsize={rows.length}
            aria-posinset={at + 1}
            style={{ top: `${at * rowRem}rem`, height: `${rowRem}rem` }}
          >
            {children(row)}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Returns the id of the row that an element is in, or null if it is in none. */
function rowOf(element: Element): string | null {
  return element.closest<HTMLElement>('li[data-row]')?.dataset.row ?? null;
}
