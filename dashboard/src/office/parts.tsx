import type { ReactNode } from 'react';
import { Badge, Icon, Id, JsonViewer, Link, type Tone } from '@tenure/ui';
import type { Reference } from 'tenure';
import { useNow } from '../shell/now.ts';
import { standingAt } from './checks.ts';
import { nameOf, personHref, type Linked } from './words.ts';
import styles from './office.module.css';

/** One step on the way of a record. */
export interface Step {
  name: string;
  state: 'done' | 'now' | 'stopped' | 'ahead';
}

const stateTexts = { done: 'done', now: 'now', stopped: 'stopped here', ahead: 'not yet' };
const stateSigns = { done: 'check', now: 'clock', stopped: 'close', ahead: null } as const;

/** Draws where a record is on its way. The state of each step is also a word. */
export function Steps({ label, steps }: { label: string; steps: readonly Step[] }): ReactNode {
  return (
    <ol className={styles.steps} aria-label={label}>
      {steps.map(({ name, state }) => {
        const sign = stateSigns[state];
        return (
          <li
            key={name}
            className={styles.step}
            data-state={state}
            aria-current={state === 'now' || state === 'stopped' ? 'step' : undefined}
          >
            <span className={styles.station}>
              <span className={styles.dot}>{sign !== null && <Icon name={sign} size={12} />}</span>
            </span>
            <span>
              {name}
              <span className={styles.hidden}>, {stateTexts[state]}</span>
            </span>
          </li>
        );
      })}
    </ol>
  );
}

/**
 * A box that says what is, and what to do.
 *
 * @param props.level of its heading: 2 if it stands in no section of the page.
 */
export function Notice(props: { tone: Tone; title: ReactNode; level?: 2 | 3; children?: ReactNode }): ReactNode {
  const Heading = props.level === 2 ? 'h2' : 'h3';
  return (
    <div className={styles.notice} data-tone={props.tone}>
      <Heading>{props.title}</Heading>
      {props.children}
    </div>
  );
}

/** The name of a person, which leads to their page. */
export function PersonLink({ person }: { person: Linked }): ReactNode {
  const href = personHref(person);
  return href === null ? <span>{nameOf(person)}</span> : <Link href={href}>{nameOf(person)}</Link>;
}

/** Where a check stands, in a badge. `askedAt` is as in `standingAt`. */
export function StandingBadge({
  reference,
  askedAt = null,
}: {
  reference: Reference;
  askedAt?: number | null;
}): ReactNode {
  const { tone, title } = standingAt(reference, useNow(60_000), askedAt);
  return <Badge tone={tone}>{title}</Badge>;
}

/** What only a developer wants to see: the id and the record as JSON, folded. */
export function ForDevelopers({ record }: { record: { id: string } }): ReactNode {
  return (
    <details className={styles.fold}>
      <summary>For developers</summary>
      <p>
        <Id id={record.id} />
      </p>
      <JsonViewer title="Record" value={record} />
    </details>
  );
}
