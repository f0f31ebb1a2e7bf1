import type { ReactNode, Ref } from 'react';
import { classes } from '@tenure/ui/classes';
import styles from './kit.module.css';

/** What a text means. Each tone has a sign besides its colour. */
export type Tone = 'neutral' | 'good' | 'waiting' | 'warning' | 'bad';

const tags: Readonly<Record<Tone, string | undefined>> = {
  neutral: undefined,
  good: styles.tagGood,
  waiting: styles.tagWaiting,
  warning: styles.tagWarning,
  bad: styles.tagBad,
};

/** A short status. */
export function Tag({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }): ReactNode {
  return <span className={classes(styles.tag, tags[tone])}>{children}</span>;
}

/** A message in a box. A screen reader says it at once if it appears after an action. */
export function Notice({
  tone = 'neutral',
  role,
  children,
}: {
  tone?: Tone;
  role?: 'status' | 'alert';
  children: ReactNode;
}): ReactNode {
  return (
    <div
      role={role}
      className={classes(
        styles.notice,
        tone === 'good' && styles.good,
        tone === 'warning' && styles.warning,
        tone === 'bad' && styles.bad,
      )}
    >
      {children}
    </div>
  );
}

/** A part of a page with its own title. The title can get the focus, if it has a `titleRef`. */
export function Card({
  title,
  titleRef,
  children,
}: {
  title: string;
  titleRef?: Ref<HTMLHeadingElement>;
  children: ReactNode;
}): ReactNode {
  return (
    <section className={styles.card} aria-label={title}>
      <h2 ref={titleRef} tabIndex={titleRef ? -1 : undefined}>
        {title}
      </h2>
      {children}
    </section>
  );
}

/** Names with their values. What is null is left out. */
export function Facts({ items }: { items: readonly (readonly [name: string, value: ReactNode])[] }): ReactNode {
  return (
    <dl className={styles.facts}>
      {items.map(
        ([name, value]) =>
          value !== null && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** Rows of a list. Each has a main part, and a part at the end. */
export function Rows({
  label,
  rows,
}: {
  label: string;
  rows: readonly { id: string; main: ReactNode; end?: ReactNode }[];
}): ReactNode {
  return (
    <ul className={styles.list} aria-label={label}>
      {rows.map(({ id, main, end }) => (
        <li key={id}>
          <div>{main}</div>
          {end !== undefined && <div>{end}</div>}
        </li>
      ))}
    </ul>
  );
}

/** Parts one below the other. */
export function Stack({ children }: { children: ReactNode }): ReactNode {
  return <div className={styles.stack}>{children}</div>;
}

/** A region whose text a screen reader says when it comes. */
export function Live({ children }: { children: ReactNode }): ReactNode {
  return (
    <div role="status" className={styles.live}>
      {children}
    </div>
  );
}

/** A text that only screen readers say. */
export function Unseen({ children }: { children: ReactNode }): ReactNode {
  return <span className={styles.hidden}>{children}</span>;
}

/** A text of less weight. */
export function Quiet({ children }: { children: ReactNode }): ReactNode {
  return <span className={styles.quiet}>{children}</span>;
}

/** A figure that people come for. */
export function Big({ children }: { children: ReactNode }): ReactNode {
  return <p className={styles.big}>{children}</p>;
}

/** Stands where a page will be. */
export function Skeleton(): ReactNode {
  return (
    <div className={styles.skeleton} role="status">
      <span className={styles.hidden}>Loading…</span>
      {[1, 2, 3, 4, 5].map((bar) => (
        <div key={bar} className={styles.bar} />
      ))}
    </div>
  );
}
