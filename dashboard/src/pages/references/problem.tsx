import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { Reference } from 'tenure';
import { Actions, Button, Dialog, TextField, toast } from '@tenure/ui';
import { faultOf, shownError, useWrite } from '../../api/requests.ts';
import { useRefusal } from '../../api/session.ts';
import { problemOf, serviceOf } from '../../office/checks.ts';
import { Notice } from '../../office/parts.tsx';
import { automaticOf, ServiceChoice } from '../../office/service-choice.tsx';
import { idOf, nameOf } from '../../office/words.ts';
import { Form } from '../../shell/form.tsx';
import { GatedButton } from '../../shell/gated.tsx';
import styles from '../../office/office.module.css';

/** Why a check does not go on, in words without blame, and what can be done. */
export function ProblemNotice({ reference }: { reference: Reference }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const refusal = useRefusal('references.write');
  const problem = problemOf(reference);
  const asking = useWrite((tenure, id: string, options) => tenure.references.retry(id, {}, options), {
    onDone: () => toast('The service is asked again.'),
  });
  if (problem === null) return null;
  const mayBeAsked = problem.code !== 'invite_bounced' && problem.code !== 'ended_by_provider';
  return (
    <Notice tone="bad" title={problem.title}>
      <p>{problem.text}</p>
      <p>{problem.advice}</p>
      {asking.error && <p role="alert">{shownError(asking.error).message}</p>}
      <div className={styles.buttons}>
        {mayBeAsked && (
          <GatedButton refusal={refusal} isDisabled={asking.isPending} onPress={() => asking.mutate(reference.id)}>
            Ask the service again
          </GatedButton>
        )}
        <GatedButton look="primary" refusal={refusal} onPress={() => setOpen(true)}>
          {problem.code === 'invite_bounced' ? 'Correct the e-mail and send again' : 'Order again'}
        </GatedButton>
      </div>
      {isOpen && <AgainDialog reference={reference} onClose={() => setOpen(false)} />}
    </Notice>
  );
}

/** Orders a check anew, by the same service, another one or by hand. The former check is cancelled. */
function AgainDialog({ reference, onClose }: { reference: Reference; onClose: () => void }): ReactNode {
  const navigate = useNavigate();
  const { customer, application, automatic_reference: automatic } = reference;
  const person = customer !== null && typeof customer === 'object' && 'email' in customer ? customer : null;
  const [service, setService] = useState<string>(automatic?.provider ?? 'by_hand');
  const [email, setEmail] = useState(person?.email ?? '');
  const ordering = useWrite<{ service: string; email: string }, Reference>(
    async (tenure, input, options) => {
      const optionsOf = (part: string): typeof options => ({
        ...options,
        idempotencyKey: `${options.idempotencyKey}-${part}`,
      });
      if (person && input.email !== '' && input.email !== person.email)
        await tenure.customers.update(person.id, { email: input.email }, optionsOf('email'));
      const ordered = await tenure.references.create(
        {
          application: idOf(application!),
          ...(customer !== null && { customer: idOf(customer) }),
          ...automaticOf(input.service),
        },
        optionsOf('order'),
      );
      await tenure.references.cancel(reference.id, {}, optionsOf('cancel'));
      return ordered;
    },
    {
      onDone: ({ id }) => {
        toast('The check is ordered again.');
        onClose();
        void navigate({ to: '/references/$id', params: { id } });
      },
    },
  );
  const { error } = ordering;
  return (
    <Dialog title={`Order the check of ${nameOf(customer)} again`} isOpen onClose={onClose}>
      <Form
        error={error}
        fields={['email']}
        onSubmit={() => ordering.mutate({ service, email: email.trim() })}
        actions={
          <Actions>
            <Button onPress={onClose}>Cancel</Button>
            <Button look="primary" type="submit" isDisabled={ordering.isPending}>
              Order again
            </Button>
          </Actions>
        }
      >
        {person && (
          <TextField
            label="E-mail of the applicant"
            type="email"
            value={email}
            onChange={setEmail}
            hint="The service sends its invitation there."
            error={faultOf(error, 'email')}
          />
        )}
        <ServiceChoice label="Who makes the check" value={service} onChange={setService} />
        <p>The present check by {serviceOf(reference)} is cancelled, and stays in the history.</p>
      </Form>
    </Dialog>
  );
}
