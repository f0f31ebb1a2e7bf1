import { useState, type ReactNode } from 'react';
import type { Customer, Reference } from 'tenure';
import { Actions, Button, Dialog, TextField, toast } from '@tenure/ui';
import { faultOf, useWrite } from '../../api/requests.ts';
import { isByService, serviceOf } from '../../office/checks.ts';
import { byHandId, movedTo, ServiceChoice } from '../../office/service-choice.tsx';
import { nameOf } from '../../office/words.ts';
import { Form } from '../../shell/form.tsx';

/** Gives an open check to another service, or to the office. */
export function MoveDialog({
  reference,
  isByHand = false,
  onClose,
}: {
  reference: Reference;
  /** Whether the office is chosen at first. */
  isByHand?: boolean;
  onClose: () => void;
}): ReactNode {
  const { automatic_reference: automatic, customer } = reference;
  const present = isByService(reference) ? (automatic?.provider ?? null) : byHandId;
  const [choice, setChoice] = useState<string | null>(isByHand ? byHandId : null);
  const moving = useWrite<string, Reference>(
    (tenure, chosen, options) => tenure.references.update(reference.id, movedTo(chosen), options),
    {
      onDone: (_, chosen) => {
        toast(chosen === byHandId ? 'Your office makes the check now.' : 'The check is ordered there.');
        onClose();
      },
    },
  );
  const { error } = moving;
  return (
    <Dialog title={`Who makes the check of ${nameOf(customer)}?`} isOpen onClose={onClose}>
      <Form
        error={error}
        fields={['automatic_reference[provider]']}
        onSubmit={() => choice !== null && moving.mutate(choice)}
        actions={
          <Actions>
            <Button onPress={onClose}>Cancel</Button>
            <Button look="primary" type="submit" isDisabled={choice === null || moving.isPending}>
              {choice === byHandId ? 'Do it by hand' : 'Order it there'}
            </Button>
          </Actions>
        }
      >
        <ServiceChoice
          label="Who makes the check"
          value={choice}
          onChange={setChoice}
          present={present}
          error={faultOf(error, 'automatic_reference[provider]')}
        />
        {isByService(reference) && (
          <p>{serviceOf(reference)} is told to stop. What it has found so far stays in the history.</p>
        )}
      </Form>
    </Dialog>
  );
}

/** Corrects the address to which a service sends its invitation. */
export function EmailDialog({
  person,
  onClose,
  onSent,
}: {
  person: Customer;
  onClose: () => void;
  /** Tells the new address. */
  onSent: (email: string) => void;
}): ReactNode {
  const [email, setEmail] = useState(person.email ?? '');
  const saving = useWrite<string, Customer>(
    (tenure, address, options) => tenure.customers.update(person.id, { email: address }, options),
    {
      onDone: (_, sentTo) => {
        toast('The service sends the invitation to the new address.');
        onSent(sentTo);
        onClose();
      },
    },
  );
  const { error } = saving;
  const address = email.trim();
  return (
    <Dialog title={`Correct the e-mail address of ${person.name}`} isOpen onClose={onClose}>
      <Form
        error={error}
        fields={['email']}
        onSubmit={() => saving.mutate(address)}
        actions={
          <Actions>
            <Button onPress={onClose}>Cancel</Button>
            <Button
              look="primary"
              type="submit"
              isDisabled={address === '' || address === person.email || saving.isPending}
            >
              Save and send again
            </Button>
          </Actions>
        }
      >
        <TextField
          label="E-mail of the applicant"
          type="email"
          value={email}
          onChange={setEmail}
          hint="The service sends its invitation there."
          error={faultOf(error, 'email')}
        />
      </Form>
    </Dialog>
  );
}
