import { useNavigate } from '@tanstack/react-router';
import { useRef, useState, type ReactNode } from 'react';
import type { Application, RequestOptions, Tenure } from 'tenure';
import { Actions, Button, ButtonLink, Checkbox, Icon, TextField, toast } from '@tenure/ui';
import { faultOf, useRead, useWrite } from '../../api/requests.ts';
import { useRefusal } from '../../api/session.ts';
import { HomePicker, PersonPicker } from '../../office/person-picker.tsx';
import { homesRead } from '../../office/reads.ts';
import { automaticOf, ServiceChoice, useUsualService } from '../../office/service-choice.tsx';
import { Form } from '../../shell/form.tsx';
import { listed } from '../../office/words.ts';
import { GatedButton } from '../../shell/gated.tsx';
import { Page } from '../../shell/page.tsx';
import styles from '../../office/office.module.css';

/** An applicant in the form: a person that is here already, or a new one. */
interface Applicant {
  key: number;
  isNew: boolean;
  id: string | null;
  name: string;
  email: string;
  birthday: string;
}

interface Input {
  applicants: Applicant[];
  unit: string | null;
  rent: string;
  moveIn: string;
  /** The service that makes the checks. Null orders none. */
  service: string | null;
}

/** Takes an application: one or more people, a home, and the checks of all of them in one go. */
export function NewApplicationPage(): ReactNode {
  const navigate = useNavigate();
  const refusal = useRefusal('applications.write');
  const { data: homes } = useRead(homesRead, {});
  const [applicants, setApplicants] = useState([applicantOf(0)]);
  const nextKey = useRef(1);
  const [unit, setUnit] = useState<string | null>(null);
  const [rent, setRent] = useState('');
  const [moveIn, setMoveIn] = useState('');
  const usual = useUsualService();
  const [chosen, setChosen] = useState<string | null>(null);
  const [areChecked, setChecked] = useState(true);
  const service = areChecked ? (chosen ?? usual) : null;
  const [faulty, setFaulty] = useState<number | null>(null);
  // What a failed attempt has made already, by what was typed. The next attempt makes none of it twice.
  const made = useRef(new Map<string, string>());
  const creating = useWrite<Input, Application>(
    (tenure, input, options) => create(tenure, input, options, made.current, setFaulty),
    {
      onDone: ({ id }) => {
        const count = applicants.length;
        toast(
          service === null
            ? 'The application is taken.'
            : `The application is taken, and ${count === 1 ? 'its check is' : `${count} checks are`} ordered.`,
        );
        void navigate({ to: '/applications/$id', params: { id } });
      },
    },
  );
  const { error, isPending } = creating;
  const change = (key: number, changed: Partial<Applicant>): void =>
    setApplicants(applicants.map((each) => (each.key === key ? { ...each, ...changed } : each)));
  const chooseHome = (id: string | null): void => {
    setUnit(id);
    const asked = homes?.find((home) => home.id === id)?.rent;
    if (asked?.interval === 'month') setRent(String(asked.amount / 100));
  };
  const missing = missingText(applicants);
  return (
    <Page title="Take an application" parent={{ href: '/applications', name: 'Applications' }}>
      <Form
        error={error}
        fields={['rent', 'rent[amount]', 'move_in_date', 'name', 'email', 'date_of_birth']}
        onSubmit={() => creating.mutate({ applicants, unit, rent, moveIn, service })}
        actions={
          <Actions>
            <ButtonLink href="/applications">Cancel</ButtonLink>
            <GatedButton look="primary" type="submit" refusal={refusal} isDisabled={missing !== null || isPending}>
              {service === null ? 'Take the application' : 'Take it and order the checks'}
            </GatedButton>
          </Actions>
        }
      >
        {applicants.map((applicant, index) => (
          <ApplicantFields
            key={applicant.key}
            applicant={applicant}
            index={index}
            error={faulty === applicant.key ? error : null}
            without={applicants.flatMap(({ key, id }) => (key !== applicant.key && id !== null ? [id] : []))}
            onChange={(changed) => change(applicant.key, changed)}
            onRemove={
              applicants.length === 1
                ? null
                : () => setApplicants(applicants.filter(({ key }) => key !== applicant.key))
            }
          />
        ))}
        <div>
          <Button
            onPress={() => {
              setApplicants([...applicants, applicantOf(nextKey.current++)]);
            }}
          >
            <Icon name="plus" size={14} />
            Add another applicant
          </Button>
        </div>
        <HomePicker label="Home (optional)" value={unit} onChange={chooseHome} error={faultOf(error, 'unit')} />
        <div className={styles.pair}>
          <TextField
            label="Rent a month (£, optional)"
            value={rent}
            onChange={setRent}
            inputMode="decimal"
            pattern="\s*\d{1,7}([.]\d{1,2})?\s*"
            hint="The whole rent, of all applicants together, such as 1250 or 1250.50."
            error={faultOf(error, 'rent') ?? faultOf(error, 'rent[amount]')}
          />
          <TextField
            label="Move-in (optional)"
            type="date"
            value={moveIn}
            onChange={setMoveIn}
            error={faultOf(error, 'move_in_date')}
          />
        </div>
        <Checkbox isSelected={areChecked} onChange={setChecked}>
          {checksText(applicants.length)}
        </Checkbox>
        {areChecked && <ServiceChoice label="Who makes the checks" value={service} onChange={setChosen} />}
        {missing !== null && <p className={styles.quiet}>{missing}</p>}
      </Form>
    </Page>
  );
}

function checksText(count: number): string {
  if (count === 1) return 'Order the check now';
  return count === 2 ? 'Order both checks now' : `Order all ${count} checks now`;
}

/** Says which applicants the form still needs, or returns null. A button that is off does not say why. */
function missingText(applicants: readonly Applicant[]): string | null {
  const missing = applicants.flatMap(({ isNew, id, name }, index) =>
    (isNew ? name.trim() === '' : id === null) ? [index + 1] : [],
  );
  if (missing.length === 0) return null;
  return `Still needed: the name of ${listed(missing.map((number) => `applicant ${number}`))}.`;
}

function applicantOf(key: number): Applicant {
  return { key, isNew: false, id: null, name: '', email: '', birthday: '' };
}

function ApplicantFields({
  applicant,
  index,
  error,
  without,
  onChange,
  onRemove,
}: {
  applicant: Applicant;
  index: number;
  error: Error | null;
  without: readonly string[];
  onChange: (changed: Partial<Applicant>) => void;
  onRemove: (() => void) | null;
}): ReactNode {
  const { isNew, id, name, email, birthday } = applicant;
  return (
    <fieldset className={styles.fieldset}>
      <legend>Applicant {index + 1}</legend>
      {!isNew && (
        <PersonPicker label="Person" value={id} onChange={(person) => onChange({ id: person })} without={without} />
      )}
      {isNew && (
        <>
          <TextField
            label="Full name"
            value={name}
            onChange={(text) => onChange({ name: text })}
            isRequired
            maxLength={500}
            autoComplete="off"
            error={faultOf(error, 'name')}
          />
          <div className={styles.pair}>
            <TextField
              label="E-mail"
              type="email"
              value={email}
              onChange={(text) => onChange({ email: text })}
              autoComplete="off"
              hint="A referencing service writes to it."
              error={faultOf(error, 'email')}
            />
            <TextField
              label="Date of birth (optional)"
              type="date"
              value={birthday}
              onChange={(day) => onChange({ birthday: day })}
              error={faultOf(error, 'date_of_birth')}
            />
          </div>
        </>
      )}
      <div className={styles.buttons}>
        <Button look="plain" isSmall onPress={() => onChange({ isNew: !isNew, id: null })}>
          {isNew ? 'Choose a person who is here already' : 'Enter a new person'}
        </Button>
        {onRemove && (
          <Button look="plain" isSmall onPress={onRemove} aria-label={`Remove applicant ${index + 1}`}>
            Remove
          </Button>
        )}
      </div>
    </fieldset>
  );
}

/** Makes new people, the application and its checks, in this order. */
async function create(
  tenure: Tenure,
  { applicants, unit, rent, moveIn, service }: Input,
  options: RequestOptions,
  made: Map<string, string>,
  setFaulty: (key: number | null) => void,
): Promise<Application> {
  const optionsOf = (part: string): RequestOptions => ({
    ...options,
    idempotencyKey: `${options.idempotencyKey}-${part}`,
  });
  const customers: string[] = [];
  for (const { key, isNew, id, name, email, birthday } of applicants) {
    if (!isNew) {
      customers.push(id!);
      continue;
    }
    const person = {
      name: name.trim(),
      ...(email.trim() !== '' && { email: email.trim() }),
      ...(birthday !== '' && { date_of_birth: birthday }),
    };
    const typed = `${key} ${JSON.stringify(person)}`;
    setFaulty(key);
    const known = made.get(typed) ?? (await tenure.customers.create(person, optionsOf(`person-${key}`))).id;
    made.set(typed, known);
    customers.push(known);
  }
  setFaulty(null);
  const amount = Math.round(Number(rent) * 100);
  const body = {
    customers,
    ...(unit !== null && { unit }),
    ...(rent.trim() !== '' && { rent: { amount, currency: 'gbp', interval: 'month' as const } }),
    ...(moveIn !== '' && { move_in_date: moveIn }),
  };
  const typed = JSON.stringify(body);
  const id = made.get(typed) ?? (await tenure.applications.create(body, optionsOf('application'))).id;
  made.set(typed, id);
  if (service !== null) {
    for (const customer of customers) {
      const order = { application: id, customer, ...automaticOf(service) };
      const ordered = JSON.stringify([id, customer]);
      const check = made.get(ordered) ?? (await tenure.references.create(order, optionsOf(`check-${customer}`))).id;
      made.set(ordered, check);
    }
  }
  return tenure.applications.retrieve(id);
}
