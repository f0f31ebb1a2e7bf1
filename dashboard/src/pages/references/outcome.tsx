import type { ReactNode } from 'react';
import type { Reference, ReferenceDecision } from 'tenure';

import { deciderAtStart } from '../../office/event-sentences.ts';
import { meaningOfVerdict, outcomeOf, serviceOf, serviceVerdict } from '../../office/checks.ts';
import { Notice } from '../../office/parts.tsx';
import { useTeamNames } from '../../office/team-names.ts';
import styles from '../../office/office.module.css';
import { Moment } from '../../office/account-time.tsx';

/** The outcome of a finished check. What was decided and what was found stand side by side. */
export function Outcome({ reference }: { reference: Reference }): ReactNode {
  const { outcome, decision, completed_at: at, automatic_reference: automatic } = reference;
  const present = outcomeOf(outcome);
  if (present === null) return null;
  const verdict = serviceVerdict(reference);
  const isByBoth = automatic?.enabled === true && decision !== null;
  const meaning = verdict === null ? null : meaningOfVerdict(verdict);
  // With two verdicts, this is the time of the service. The office has one of its own.
  const finished = at !== null && (
    <p className={styles.quiet}>
      Finished on <Moment at={at} />
    </p>
  );
  return (
    <div className={styles.findings}>
      <Notice level={2} tone={present.tone} title={`${isByBoth ? 'Your office: ' : ''}${present.name}`}>
        <p>{isByBoth ? 'Your office has decided. What the service found stands beside it.' : present.text}</p>
        {decision !== null && <Decided decision={decision} />}
        {!isByBoth && finished}
      </Notice>
      {verdict !== null && (
        <Notice level={2} tone="neutral" title={`${serviceOf(reference)}: ${verdict}`}>
          <p>The verdict in the words of the service. It stays, also if your office decides otherwise.</p>
          {meaning !== null && <p>{meaning}</p>}
          {decision !== null && <p className={styles.quiet}>The report below has both.</p>}
          {isByBoth && finished}
        </Notice>
      )}
      {automatic?.enabled && verdict === null && (
        <Notice level={2} tone="neutral" title={`${serviceOf(reference)}: no verdict`}>
          <p>Your office has ended the check before the service did.</p>
        </Notice>
      )}
    </div>
  );
}

function Decided({ decision }: { decision: ReferenceDecision }): ReactNode {
  const { decided_by: decider, decided_at: at, reason } = decision;
  const names = useTeamNames([decider]);
  return (
    <>
      <p>
        {deciderAtStart(decider, names)}
        {decider.role === null ? '' : ` (${decider.role})`} set this outcome on <Moment at={at} />.
      </p>
      {reason !== null && <p className={styles.prose}>Because: {reason}</p>}
    </>
  );
}
