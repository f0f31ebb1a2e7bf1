import { useState, type ReactNode } from 'react';
import type { Reference } from 'tenure';
import { toast } from '@tenure/ui';
import { shownError, useWrite } from '../../api/requests.ts';
import { useRefusal } from '../../api/session.ts';
import { problemOf } from '../../office/checks.ts';
import { Notice } from '../../office/parts.tsx';
import { GatedButton } from '../../shell/gated.tsx';
import styles from '../../office/office.module.css';
import { EmailDialog, MoveDialog } from './moves.tsx';
import { personOf, sentAgain } from './reference-words.ts';

/** Why a check does not go on, in words without blame, and what can be done. */
export function ProblemNotice(props: {
  reference: Reference;
  /** The address that gets the invitation again. Null if none does. */
  sentTo: string | null;
  onSent: (to: string) => void;
}): ReactNode {
  const { reference, sentTo, onSent } = props;
  const [open, setOpen] = useState<'email' | 'move' | 'hand' | null>(null);
  const refusal = useRefusal('references.write');
  const emailRefusal = useRefusal('customers.write');
  const problem = problemOf(reference);
  const asking = useWrite((tenure, id: string, options) => tenure.references.retry(id, {}, options), {
    onDone: () => toast('The service is asked again.'),
  });
  if (problem === null) return null;
  const person = personOf(reference);
  const isCorrectable = problem.isAboutAddress && person !== null;
  const close = (): void => setOpen(null);
  if (sentTo !== null)
    return (
      <Notice level={2} tone="waiting" title={sentAgain}>
        <p>The service sends the invitation to {sentTo}. This page shows when it has arrived or failed.</p>
      </Notice>
    );
  return (
    <Notice level={2} tone="bad" title={problem.title}>
      {problem.note !== null && <p>{problem.note}</p>}
      <p>{problem.text}</p>
      {asking.error && <p role="alert">{shownError(asking.error).message}</p>}
      <div className={styles.buttons}>
        {isCorrectable && (
          <GatedButton look="primary" refusal={emailRefusal} onPress={() => setOpen('email')}>
            Correct the e-mail address
          </GatedButton>
        )}
        {problem.mayBeAsked && (
          <GatedButton refusal={refusal} isDisabled={asking.isPending} onPress={() => asking.mutate(reference.id)}>
            Ask the service again
          </GatedButton>
        )}
        <GatedButton look={isCorrectable ? 'default' : 'primary'} refusal={refusal} onPress={() => setOpen('move')}>
          Choose another service
        </GatedButton>
        <GatedButton refusal={refusal} onPress={() => setOpen('hand')}>
          Do it by hand
        </GatedButton>
      </div>
      {open === 'email' && person !== null && <EmailDialog person={person} onClose={close} onSent={onSent} />}
      {open === 'move' && <MoveDialog reference={reference} onClose={close} />}
      {open === 'hand' && <MoveDialog reference={reference} isByHand onClose={close} />}
    </Notice>
  );
}
