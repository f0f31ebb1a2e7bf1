import { useState, type ReactNode } from 'react';
import type { Application } from 'tenure';
import { useRefusal } from '../../api/session.ts';
import { Notice } from '../../office/parts.tsx';
import { plain } from '../../office/words.ts';
import { GatedButton } from '../../shell/gated.tsx';
import { DecisionDialog } from './decision-dialog.tsx';
import { DecisionText, standingGuarantors } from './decision-text.tsx';
import { Review } from './review.tsx';

/** The decision on an application: what was decided, or the button to decide. */
export function Decision({ application }: { application: Application }): ReactNode {
  const [isDeciding, setDeciding] = useState(false);
  const refusal = useRefusal('applications.write');
  const decide = (): void => setDeciding(true);
  return (
    <>
      {application.status === 'open' ? (
        <Undecided application={application} refusal={refusal} onDecide={decide} />
      ) : (
        <Decided application={application} refusal={refusal} onDecide={decide} />
      )}
      {/* It stays the same dialog, with all that was typed, when another person decides meanwhile. */}
      {isDeciding && <DecisionDialog application={application} onClose={() => setDeciding(false)} />}
    </>
  );
}

interface DecisionProps {
  application: Application;
  refusal: string | null;
  onDecide: () => void;
}

function Undecided({ application, refusal, onDecide }: DecisionProps): ReactNode {
  const { references, review } = application;
  const haveChecksEnded = references.result !== null;
  return (
    <Notice
      tone={haveChecksEnded ? 'warning' : 'waiting'}
      title={
        haveChecksEnded
          ? refusal === null
            ? 'All checks have ended. You can decide.'
            : 'All checks have ended'
          : 'No decision yet'
      }
    >
      {!haveChecksEnded && <p>You can decide before all checks have ended. It is better to wait for them.</p>}
      {review?.status === 'changed' && <p>A review has opened the application again: {review.note}</p>}
      <GatedButton look={haveChecksEnded ? 'primary' : 'default'} refusal={refusal} onPress={onDecide}>
        Decide
      </GatedButton>
    </Notice>
  );
}

function Decided({ application, refusal, onDecide }: DecisionProps): ReactNode {
  const { status } = application;
  const tone = status === 'rejected' ? 'bad' : status === 'withdrawn' ? 'warning' : 'good';
  return (
    <>
      <Notice tone={tone} title={withGuarantor(application)}>
        <DecisionText application={application} />
        {status === 'approved' && (
          <GatedButton refusal={refusal} isInGroup onPress={onDecide}>
            Refuse after all
          </GatedButton>
        )}
      </Notice>
      {status === 'rejected' && <Review application={application} refusal={refusal} />}
    </>
  );
}

function withGuarantor(application: Application): string {
  const title = titles[application.status] ?? plain(application.status);
  const standing = standingGuarantors(application);
  if (application.status !== 'approved' || standing.length === 0) return title;
  return standing.some(({ status }) => status === 'agreed')
    ? `${title} with a guarantor`
    : `${title}. A guarantor is proposed`;
}

const titles: Readonly<Record<string, string>> = {
  approved: 'Accepted',
  rejected: 'Refused',
  withdrawn: 'Withdrawn by the applicants',
  converted: 'Let: the tenancy is signed',
};
