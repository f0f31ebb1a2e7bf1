import type { ReactNode } from 'react';
import type { Reference } from 'tenure';

import { actorAtStart } from '../../office/happened.ts';
import { outcomeOf, serviceOf, serviceVerdict } from '../../office/checks.ts';
import { Notice } from '../../office/parts.tsx';
import { useRead } from '../../api/requests.ts';
import { eventsRead } from '../../office/reads.ts';
import styles from '../../office/office.module.css';
import { Moment } from '../../office/moment.tsx';

/** The metadata that keeps why a person has overruled the service. */
export const overruleReasonKey = 'overrule_reason';

/** The outcome of a finished check. If a person has overruled the service, both verdicts stand side by side. */
export function Outcome({ reference }: { reference: Reference }): ReactNode {
  const { id, outcome, completed_at: at, metadata, automatic_reference: automatic } = reference;
  const { data: events } = useRead(eventsRead, { object_id: id });
  const found = outcomeOf(outcome);
  if (found === null) return null;
  const verdict = serviceVerdict(reference);
  const byPerson = events?.find(
    (event) =>
      event.request.actor !== null &&
      event.request.actor.type !== 'system' &&
      event.type === 'reference.updated' &&
      hasOutcome(event.data.previous_attributes),
  );
  const isOverruled = automatic?.enabled === true && byPerson !== undefined;
  const why = metadata[overruleReasonKey];
  return (
    <div className={styles.findings}>
      <Notice tone={found.tone} title={`${isOverruled ? 'Your office: ' : ''}${found.name}`}>
        <p>{found.text}</p>
        {isOverruled && (
          <p>
            {actorAtStart(byPerson)} set this outcome on <Moment at={byPerson.created} />.
          </p>
        )}
        {why !== undefined && <p>Because: {why}</p>}
        {at !== null && (
          <p className={styles.quiet}>
            Finished on <Moment at={at} />
          </p>
        )}
      </Notice>
      {verdict !== null && (
        <Notice tone="neutral" title={`${serviceOf(reference)}: ${verdict}`}>
          <p>The verdict in the words of the service. It stays, also if your office decides otherwise.</p>
          {isOverruled && <p className={styles.quiet}>The PDF is that of the service, and still has this verdict.</p>}
        </Notice>
      )}
      {automatic?.enabled && verdict === null && (
        <Notice tone="neutral" title={`${serviceOf(reference)}: no verdict`}>
          <p>Your office has ended the check before the service did.</p>
        </Notice>
      )}
    </div>
  );
}

function hasOutcome(before: Record<string, unknown> | null): boolean {
  return before !== null && Object.hasOwn(before, 'outcome');
}
