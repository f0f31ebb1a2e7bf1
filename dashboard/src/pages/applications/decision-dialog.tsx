import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { isTenureError, type Application, type RejectionReason, type RequestOptions, type Tenure } from 'tenure';
import { Actions, Button, Checkboxes, CopyButton, Dialog, Radios, TextField, toast } from '@tenure/ui';
import { ChangedMeanwhile, faultOf, useWrite } from '../../api/requests.ts';
import { Form } from '../../shell/form.tsx';
import { Notice } from '../../office/parts.tsx';
import { reasons } from '../../office/reasons.ts';
import { homeOf, idOf, nameOf } from '../../office/words.ts';
import { peopleOf } from './application-words.tsx';
import { DecisionText, standingGuarantors } from './decision-text.tsx';
import { GuarantorChoice, isNamed, noGuarantor, type ChosenGuarantor } from './guarantor-choice.tsx';

type Choice = 'accept' | 'guarantor' | 'refuse';

interface Input {
  choice: Choice;
  reasons: RejectionReason[];
  note: string;
  guarantor: ChosenGuarantor;
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
  const [guarantor, setGuarantor] = useState(noGuarantor);
  // The person that a failed attempt has made already, by what was typed. The next attempt makes no second one.
  const made = useRef(new Map<string, string>());
  const queries = useQueryClient();
  const deciding = useWrite<Input, Application>(
    (tenure, input, options) => decide(tenure, seen, input, options, made.current),
    {
      onDone: () => {
        toast(choice === 'refuse' ? 'The application is refused.' : 'The application is accepted.');
        onClose();
      },
    },
  );
  const { error } = deciding;
  const isLate = error instanceof DecidedMeanwhile;
  useEffect(() => {
    if (isLate) void queries.invalidateQueries({ queryKey: ['api'] });
  }, [isLate, queries]);
  const standing = standingGuarantors(seen);
  const isComplete =
    choice === 'accept' || (choice === 'refuse' ? chosen.length > 0 : standing.length > 0 || isNamed(guarantor));
  return (
    <Dialog title={isApproved ? 'Refuse after all' : 'Decide on the application'} isOpen onClose={onClose}>
      <Form
        error={isLate ? null : error}
        fields={['reasons', 'note', 'name', 'email']}
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
            <GuarantorChoice
              value={guarantor}
              onChange={setGuarantor}
              applicants={seen.customers.map(idOf)}
              error={error}
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

/** Names the guarantor that an attempt has proposed. */
const proposed = 'proposed';

/** The status that a decision leads to. */
const targets: Record<Choice, string> = { accept: 'approved', guarantor: 'approved', refuse: 'rejected' };

/** Names what a person decides about: the people, the home and the terms. */
function subjectOf({ customers, unit, rent, move_in_date: moveIn }: Application): string {
  return JSON.stringify([customers.map(idOf), unit === null ? null : idOf(unit), rent, moveIn]);
}

/**
 * Looks whether an application is still as the person saw it when they opened the form.
 *
 * @throws {ChangedMeanwhile} if it has other people, another home or other terms by now, or lacks a guarantor.
 */
function expectSame(now: Application, seen: Application, choice: Choice): void {
  const standing = new Set(standingGuarantors(now).map(idOf));
  const hasGuarantors = choice !== 'guarantor' || standingGuarantors(seen).every(({ id }) => standing.has(id));
  if (subjectOf(now) !== subjectOf(seen) || !hasGuarantors)
    throw new ChangedMeanwhile(
      'The application has changed since you opened this form, so that nothing is decided. Close the form, and look at the application.',
    );
}

/** Sends the decision, if the application is still as the person saw it. */
async function decide(
  tenure: Tenure,
  seen: Application,
  { choice, reasons: because, note, guarantor }: Input,
  options: RequestOptions,
  made: Map<string, string>,
): Promise<Application> {
  // The API lets an accepted application be refused. A person that saw it open must learn of the acceptance first.
  const now = await tenure.applications.retrieve(seen.id, { expand: ['guarantors'] });
  // An earlier attempt may have lost its response. The same request then finds its own decision, and that of another person is refused.
  const isMaybeOwn = now.status === targets[choice] && (choice !== 'guarantor' || made.has(proposed));
  if (now.status !== seen.status && !isMaybeOwn) throw new DecidedMeanwhile();
  if (now.status === seen.status) expectSame(now, seen, choice);
  const words = note === '' ? {} : { note };
  try {
    if (choice === 'refuse') return await tenure.applications.reject(seen.id, { reasons: because, ...words }, options);
    if (choice === 'guarantor' && isNamed(guarantor)) {
      const customer = await personOf(tenure, guarantor, options, made);
      const proposal = { ...options, idempotencyKey: `${options.idempotencyKey}-guarantor` };
      const { id } = await tenure.guarantors.create({ application: seen.id, customer }, proposal);
      made.set(proposed, id);
    }
    return await tenure.applications.approve(seen.id, words, options);
  } catch (error) {
    if (isTenureError(error, 'status_transition_invalid')) throw new DecidedMeanwhile();
    throw error;
  }
}

/** Returns the id of the guarantor's record. A new person is made first. */
async function personOf(
  tenure: Tenure,
  { isNew, id, name, email }: ChosenGuarantor,
  options: RequestOptions,
  made: Map<string, string>,
): Promise<string> {
  if (!isNew) return id!;
  const person = { name: name.trim(), ...(email.trim() !== '' && { email: email.trim() }) };
  const typed = JSON.stringify(person);
  const own = { ...options, idempotencyKey: `${options.idempotencyKey}-person` };
  const known = made.get(typed) ?? (await tenure.customers.create(person, own)).id;
  made.set(typed, known);
  return known;
}
