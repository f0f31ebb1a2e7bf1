import { useState, type ReactNode } from 'react';
import type { Application, Guarantor } from 'tenure';
import { Actions, Badge, Button, Dialog, TextField, toast, type Tone } from '@tenure/ui';
import { faultOf, useWrite } from '../../api/requests.ts';
import { useRefusal } from '../../api/session.ts';
import { PersonPicker } from '../../office/person-picker.tsx';
import { PersonLink } from '../../office/parts.tsx';
import { dayText, idOf, listed, money, nameOf } from '../../office/words.ts';
import { useToday } from '../../office/today.ts';
import { Form } from '../../shell/form.tsx';
import { GatedButton } from '../../shell/gated.tsx';
import { Section } from '../../shell/page.tsx';
import styles from '../../office/office.module.css';

const states: Readonly<Record<string, { tone: Tone; name: string }>> = {
  proposed: { tone: 'waiting', name: 'Proposed' },
  agreed: { tone: 'good', name: 'Agreed' },
  declined: { tone: 'bad', name: 'Declined' },
  released: { tone: 'neutral', name: 'Released' },
};

/** The guarantors of an application, and what can be done with each. */
export function Guarantors({ application }: { application: Application }): ReactNode {
  const [isAdding, setAdding] = useState(false);
  const refusal = useRefusal('guarantors.write');
  const guarantors = application.guarantors.filter((each): each is Guarantor => typeof each === 'object');
  return (
    <Section
      title="Guarantors"
      actions={
        application.status === 'open' || application.status === 'approved' ? (
          <GatedButton refusal={refusal} isInGroup onPress={() => setAdding(true)}>
            Propose a guarantor
          </GatedButton>
        ) : undefined
      }
    >
      {guarantors.length === 0 && <p className={styles.quiet}>None. A guarantor pays if the tenants do not.</p>}
      <ul className={styles.cards}>
        {guarantors.map((guarantor) => (
          <GuarantorCard key={guarantor.id} guarantor={guarantor} application={application} refusal={refusal} />
        ))}
      </ul>
      {isAdding && <ProposeDialog application={application} onClose={() => setAdding(false)} />}
    </Section>
  );
}

/** What a guarantor does for the applicants, at the start of a sentence. */
const standing: Readonly<Record<string, string>> = {
  proposed: 'Is asked to stand for',
  declined: 'Was asked to stand for',
  released: 'Stood for',
};

type Move = 'agree' | 'release';

function GuarantorCard({
  guarantor,
  application,
  refusal,
}: {
  guarantor: Guarantor;
  application: Application;
  refusal: string | null;
}): ReactNode {
  const { id, customer, guarantees, limit, status, agreed_on: agreedOn, released_on: releasedOn } = guarantor;
  const [move, setMove] = useState<Move | null>(null);
  const declining = useWrite<string, Guarantor>((tenure, one, options) => tenure.guarantors.decline(one, {}, options));
  const { tone, name } = states[status] ?? { tone: 'neutral' as const, name: status };
  const covered = application.customers.filter((person) => guarantees?.some((each) => idOf(each) === idOf(person)));
  return (
    <li className={styles.card}>
      <h3>
        <PersonLink person={customer} /> <Badge tone={tone}>{name}</Badge>
      </h3>
      <p className={styles.quiet}>
        {standing[status] ?? 'Stands for'} {guarantees === null ? 'all applicants' : listed(covered.map(nameOf))}
        {limit === null ? ', without a limit' : `, up to ${money(limit)}`}.
        {agreedOn !== null && ` Agreed on ${dayText(agreedOn)}.`}
        {releasedOn !== null && ` Released on ${dayText(releasedOn)}.`}
      </p>
      <div className={styles.buttons}>
        {status === 'proposed' && (
          <>
            <GatedButton isInGroup isSmall refusal={refusal} onPress={() => setMove('agree')}>
              Has agreed
            </GatedButton>
            <GatedButton
              isInGroup
              isSmall
              refusal={refusal}
              isDisabled={declining.isPending}
              onPress={() => declining.mutate(id)}
            >
              Has declined
            </GatedButton>
          </>
        )}
        {status === 'agreed' && (
          <GatedButton isInGroup isSmall refusal={refusal} onPress={() => setMove('release')}>
            Release
          </GatedButton>
        )}
      </div>
      {declining.error !== null && <p role="alert">{declining.error.message}</p>}
      {move !== null && <MoveDialog id={id} move={move} onClose={() => setMove(null)} />}
    </li>
  );
}

/** Asks for the day on which a guarantor agreed or was released. */
function MoveDialog({ id, move, onClose }: { id: string; move: Move; onClose: () => void }): ReactNode {
  const today = useToday();
  // Today follows the clock and the zone of the account until the person chooses a day.
  const [chosen, setDay] = useState<string | null>(null);
  const day = chosen ?? today;
  const param = move === 'agree' ? 'agreed_on' : 'released_on';
  const moving = useWrite<string, Guarantor>(
    (tenure, on, options) =>
      move === 'agree'
        ? tenure.guarantors.agree(id, { agreed_on: on }, options)
        : tenure.guarantors.release(id, { released_on: on }, options),
    { onDone: onClose },
  );
  return (
    <Dialog title={move === 'agree' ? 'The guarantor has agreed' : 'Release the guarantor'} isOpen onClose={onClose}>
      <Form
        error={moving.error}
        fields={[param]}
        onSubmit={() => moving.mutate(day)}
        actions={
          <Actions>
            <Button onPress={onClose}>Cancel</Button>
            <Button look="primary" type="submit" isDisabled={moving.isPending}>
              Save
            </Button>
          </Actions>
        }
      >
        <TextField
          label={move === 'agree' ? 'Agreed on' : 'Released on'}
          type="date"
          value={day}
          onChange={setDay}
          isRequired
          error={faultOf(moving.error, param)}
        />
      </Form>
    </Dialog>
  );
}

function ProposeDialog({ application, onClose }: { application: Application; onClose: () => void }): ReactNode {
  const [customer, setCustomer] = useState<string | null>(null);
  const proposing = useWrite<string, Guarantor>(
    (tenure, person, options) => tenure.guarantors.create({ application: application.id, customer: person }, options),
    {
      onDone: () => {
        toast('The guarantor is proposed. Order a check of them next.');
        onClose();
      },
    },
  );
  return (
    <Dialog title="Propose a guarantor" isOpen onClose={onClose}>
      <Form
        error={proposing.error}
        fields={[]}
        onSubmit={() => customer !== null && proposing.mutate(customer)}
        actions={
          <Actions>
            <Button onPress={onClose}>Cancel</Button>
            <Button look="primary" type="submit" isDisabled={customer === null || proposing.isPending}>
              Propose
            </Button>
          </Actions>
        }
      >
        <PersonPicker
          label="Person"
          value={customer}
          onChange={setCustomer}
          without={application.customers.map(idOf)}
          hint="The applicants cannot be guarantors. Add a new person in People first."
        />
      </Form>
    </Dialog>
  );
}
