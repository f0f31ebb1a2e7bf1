import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import { isTenureError, type Application, type RejectionReason, type RequestOptions, type Tenure } from 'tenure';
import { Actions, Button, Checkboxes, CopyButton, Dialog, Radios, TextField, toast } from '@tenure/ui';
import { faultOf, useWrite } from '../../api/requests.ts';
import { Form } from '../../shell/form.tsx';
import { PersonPicker } from '../../office/person-picker.tsx';
import { Notice } from '../../office/parts.tsx';
import { reasons } from '../../office/reasons.ts';
import { homeOf, idOf, nameOf } from '../../office/words.ts';
import { peopleOf } from './application-words.tsx';
import { DecisionText, standingGuarantors } from './decision-text.tsx';

type Choice = 'accept' | 'guarantor' | 'refuse';

interface Input {
  choice: Choice;
  reasons: RejectionReason[];
  note: string;
  guarantor: string | null;
}

/** Another person has decided since the dialog was opened. */
class DecidedMeanwhile extends Error {}

const reasonOptions = Object.entries(reasons).map(([id, name]) => ({ id, name }));

const buttons: Record<Choice, string> = {
  accept: 'Accept the application',
  guarantor: 'Accept with a guarantor',
  refuse: 'Refuse the application',
};

/**
 * Asks for the decision on an application. If another person decides first, the dialog shows that decision, and keeps what was typed.
 *
 * @param application as the page shows it now.
 */
export function DecisionDialog({ application, onClose }: { application: Application; onClose: () => void }): ReactNode {
  // The decision is about what the person saw when they began.
  const [seen] = useState(application);
  const isApproved = seen.status === 'approved';
  const [choice, setChoice] = useState<Choice>(isApproved ? 'refuse' : 'accept');
  const [chosen, setChosen] = useState<string[]>([]);
  const [note, setNote] = useState('');
  const [guarantor, setGuarantor] = useState<string | null>(null);
  const queries = useQueryClient();
  const deciding = useWrite<Input, Application>((tenure, input, options) => decide(tenure, seen, input, options), {
    onDone: () => {
      toast(choice === 'refuse' ? 'The application is refused.' : 'The application is accepted.');
      onClose();
    },
  });
  const { error } = deciding;
  const isLate = error instanceof DecidedMeanwhile;
  useEffect(() => {
    if (isLate) void queries.invalidateQueries({ queryKey: ['api'] });
  }, [isLate, queries]);
  const standing = standingGuarantors(seen);
  const isComplete =
    choice === 'accept' || (choice === 'refuse' ? chosen.length > 0 : standing.length > 0 || guarantor !== null);
  return (
    <Dialog title={isApproved ? 'Refuse after all' : 'Decide on the application'} isOpen onClose={onClose}>
      <Form
        error={isLate ? null : error}
        fields={['reasons', 'note']}
        onSubmit={() => deciding.mutate({ choice, reasons: chosen as RejectionReason[], note: note.trim(), guarantor })}
        actions={
          <Actions>
            <Button onPress={onClose}>{isLate ? 'Close' : 'Cancel'}</Button>
            {!isLate && (
              <Button
                look={choice === 'refuse' ? 'danger' : 'primary'}
                type="submit"
                isDisabled={!isComplete || deciding.isPending}
              >
                {buttons[choice]}
              </Button>
            )}
          </Actions>
        }
      >
        <p>
          <strong>{peopleOf(seen)}</strong> for {homeOf(seen.unit)}
        </p>
        {isLate && <Late application={application} seen={seen} note={note} />}
        {!isApproved && (
          <Radios
            label="Decision"
            value={choice}
            onChange={(id) => setChoice(id as Choice)}
            isDisabled={isLate}
            options={[
              { id: 'accept', name: 'Accept' },
              { id: 'guarantor', name: 'Accept with a guarantor', text: 'Another person pays if the tenants do not.' },
              { id: 'refuse', name: 'Refuse' },
            ]}
          />
        )}
        {choice === 'guarantor' &&
          (standing.length > 0 ? (
            <p>The guarantor is {standing.map(({ customer }) => nameOf(customer)).join(', ')}.</p>
          ) : (
            <PersonPicker
              label="Guarantor"
              value={guarantor}
              onChange={setGuarantor}
              without={seen.customers.map(idOf)}
              hint="The applicants cannot be guarantors. Add a new person in People first."
            />
          ))}
        {choice === 'refuse' && (
          <Checkboxes
            label="Reasons"
            hint="The applicants may ask for these sentences. The most important reason comes first: tick it first."
            options={reasonOptions}
            value={chosen}
            onChange={setChosen}
            error={faultOf(error, 'reasons')}
          />
        )}
        <TextField
          label="Note for the team (optional)"
          hint="The applicants do not see it."
          value={note}
          onChange={setNote}
          isMultiline
          maxLength={500}
          error={faultOf(error, 'note')}
        />
        {!isLate && <NextSteps choice={choice} />}
      </Form>
    </Dialog>
  );
}

/** Shows the decision of another person, and what the reader has typed. */
function Late({ application, seen, note }: { application: Application; seen: Application; note: string }): ReactNode {
  const isKnown = application.status !== seen.status || application.decision?.decided_at !== seen.decision?.decided_at;
  return (
    <Notice tone="warning" title="Another person has decided meanwhile">
      {isKnown && <DecisionText application={application} />}
      <p>Your decision was not sent. What you have typed is still here.</p>
      {note !== '' && (
        <CopyButton text={note} label="Copy my note">
          Copy my note
        </CopyButton>
      )}
    </Notice>
  );
}

/** What follows from the decision, so that nothing comes as a surprise. */
function NextSteps({ choice }: { choice: Choice }): ReactNode {
  return (
    <Notice tone={choice === 'refuse' ? 'warning' : 'good'} title="What happens next">
      <ul>
        {choice === 'refuse' ? (
          <>
            <li>The application is closed, with your name, the time and the reasons.</li>
            <li>The applicants can ask for a review by a person, once.</li>
          </>
        ) : (
          <>
            <li>Your name and the time stay with the decision.</li>
            <li>The home is held only when the tenancy is signed.</li>
            {choice === 'guarantor' && <li>The guarantor still has to agree, and needs a check of their own.</li>}
          </>
        )}
        <li>Tenure sends no letter. Tell the applicants yourself. Your connected programs hear of it at once.</li>
      </ul>
    </Notice>
  );
}

/** Sends the decision, if the application is still as the person saw it. */
async function decide(
  tenure: Tenure,
  seen: Application,
  { choice, reasons: because, note, guarantor }: Input,
  options: RequestOptions,
): Promise<Application> {
  // The API lets an accepted application be refused. A person that saw it open must learn of the acceptance first.
  const now = await tenure.applications.retrieve(seen.id);
  if (now.status !== seen.status) throw new DecidedMeanwhile();
  const words = note === '' ? {} : { note };
  try {
    if (choice === 'refuse') return await tenure.applications.reject(seen.id, { reasons: because, ...words }, options);
    if (choice === 'guarantor' && guarantor !== null) {
      const proposal = { ...options, idempotencyKey: `${options.idempotencyKey}-guarantor` };
      await tenure.guarantors.create({ application: seen.id, customer: guarantor }, proposal);
    }
    return await tenure.applications.approve(seen.id, words, options);
  } catch (error) {
    if (isTenureError(error, 'status_transition_invalid')) throw new DecidedMeanwhile();
    throw error;
  }
}
