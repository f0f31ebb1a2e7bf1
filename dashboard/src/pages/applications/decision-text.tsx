import type { ReactNode } from 'react';
import type { Application, Guarantor } from 'tenure';

import { actorOf } from '../../office/event-sentences.ts';
import { useRead } from '../../api/requests.ts';
import { eventsRead } from '../../office/reads.ts';
import { nameOf } from '../../office/words.ts';
import { reasonText } from '../../office/reasons.ts';
import { useTeamNames } from '../../office/team-names.ts';
import styles from '../../office/office.module.css';
import { Moment } from '../../office/account-time.tsx';

const verbs: Readonly<Record<string, string>> = {
  approved: 'application.approved',
  rejected: 'application.rejected',
  withdrawn: 'application.withdrawn',
  converted: 'application.approved',
};

/** Returns the guarantors that stand for an application, or are asked to. */
export function standingGuarantors({ guarantors }: Application): Guarantor[] {
  return guarantors.flatMap((each) =>
    typeof each === 'object' && ['proposed', 'agreed'].includes(each.status) ? [each] : [],
  );
}

/** Names the person that decided, with the time and the reasons. */
export function DecisionText({ application }: { application: Application }): ReactNode {
  const { id, status, decision, withdrawn_at: withdrawnAt } = application;
  const { data: events } = useRead(eventsRead, { object_id: id });
  const event = events?.find(({ type }) => type === verbs[status]);
  const names = useTeamNames([event?.request.actor ?? null]);
  const isWithdrawn = status === 'withdrawn';
  // An application can be withdrawn after it was accepted. The line then tells of the withdrawal.
  const at = isWithdrawn ? withdrawnAt : (decision?.decided_at ?? null);
  const by = decision?.automated && !isWithdrawn ? 'a program, without a person' : event && actorOf(event, names);
  return (
    <>
      {at !== null && (
        <p>
          {isWithdrawn ? 'Noted' : decision?.outcome === 'rejected' ? 'Refused' : 'Accepted'}
          {by !== undefined && (
            <>
              {' '}
              by <strong>{by}</strong>
            </>
          )}{' '}
          on <Moment at={at} />
        </p>
      )}
      {status === 'approved' &&
        standingGuarantors(application).map(({ id: guarantor, customer, status: answer }) => (
          <p key={guarantor}>
            The guarantor <strong>{nameOf(customer)}</strong>
            {answer === 'agreed' ? ' has agreed.' : ' has not agreed yet.'}
          </p>
        ))}
      {decision && decision.reasons.length > 0 && (
        <ul>
          {decision.reasons.map((reason) => (
            <li key={reason}>{reasonText(reason)}</li>
          ))}
        </ul>
      )}
      {decision?.note && (
        <p>
          <span className={styles.quiet}>Note for the team:</span> {decision.note}
        </p>
      )}
    </>
  );
}
