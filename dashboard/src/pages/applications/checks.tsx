import { useRef, useState, type ReactNode } from 'react';
import type { Application, Reference, Tenure } from 'tenure';
import { Actions, Button, Dialog, ErrorState, Link, Skeleton, toast } from '@tenure/ui';
import { ChangedMeanwhile, shownError, useRead, useWrite } from '../../api/requests.ts';
import { useRefusal } from '../../api/session.ts';
import { isByService, serviceOf, standingOf } from '../../office/checks.ts';
import { StandingBadge } from '../../office/parts.tsx';
import { checksRead } from '../../office/reads.ts';
import { automaticOf, ServiceChoice, useUsualService } from '../../office/service-choice.tsx';
import { idOf, listed, nameOf, type Linked } from '../../office/words.ts';
import { Form } from '../../shell/form.tsx';
import { GatedButton } from '../../shell/gated.tsx';
import { Section } from '../../shell/page.tsx';
import styles from '../../office/office.module.css';
import { Moment } from '../../office/account-time.tsx';

/** How often the checks are read again while one is open, in milliseconds. */
const refreshMs = 5_000;

/** The checks of an application by person, with where each stands in words. */
export function Checks({ application }: { application: Application }): ReactNode {
  const [ordered, setOrdered] = useState<Linked[] | null>(null);
  const refusal = useRefusal('references.write');
  const { data, error, refetch } = useRead(
    checksRead,
    { application: application.id },
    {
      refreshMs: (checks) =>
        checks.some(({ completed_at: end, status }) => end === null && status !== 'canceled') ? refreshMs : false,
    },
  );
  const guarantors = application.guarantors.flatMap((each) =>
    typeof each === 'object' && (each.status === 'proposed' || each.status === 'agreed') ? [each.customer] : [],
  );
  const people: [person: Linked, role: string][] = [
    ...application.customers.map((person): [Linked, string] => [person, 'Applicant']),
    ...guarantors.map((person): [Linked, string] => [person, 'Guarantor']),
  ];
  const checksOf = (person: Linked): Reference[] =>
    (data ?? []).filter(({ customer }) => customer !== null && person !== null && idOf(customer) === idOf(person));
  // A closed application needs no more checks.
  const isOver = application.status !== 'open' && application.status !== 'approved';
  const isWithout = (person: Linked): boolean => !isOver && !checksOf(person).some(isNotCanceled);
  const without = people.map(([person]) => person).filter(isWithout);
  return (
    <Section
      title="Checks"
      actions={
        data !== undefined &&
        without.length > 1 && (
          <GatedButton refusal={refusal} isInGroup onPress={() => setOrdered(without)}>
            Order {without.length} checks
          </GatedButton>
        )
      }
    >
      {error !== null && <ErrorState error={shownError(error)} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <Skeleton rows={4} />}
      {data !== undefined && people.length === 0 && <p className={styles.quiet}>Add an applicant first.</p>}
      {data !== undefined && (
        <ul className={styles.cards}>
          {people.map(([person, role]) => (
            <li key={idOf(person!)} className={styles.card} aria-label={nameOf(person)}>
              <h3>
                {nameOf(person)} <span className={styles.quiet}>{role}</span>
              </h3>
              {checksOf(person).map((check) => (
                <CheckLine key={check.id} check={check} />
              ))}
              {checksOf(person).length === 0 && (
                <p className={styles.quiet}>{isOver ? 'No check was ordered.' : 'No check is ordered yet.'}</p>
              )}
              {isWithout(person) && (
                <GatedButton refusal={refusal} isInGroup isSmall onPress={() => setOrdered([person])}>
                  {checksOf(person).length === 0 ? 'Order a check' : 'Order another check'}
                </GatedButton>
              )}
            </li>
          ))}
        </ul>
      )}
      {ordered !== null && <OrderDialog application={application} people={ordered} onClose={() => setOrdered(null)} />}
    </Section>
  );
}

function CheckLine({ check }: { check: Reference }): ReactNode {
  return (
    <div>
      <StandingBadge reference={check} />{' '}
      <Link href={`/references/${check.id}`} aria-label={`Open the check by ${serviceOf(check)}`}>
        Open the check
      </Link>
      <p className={styles.quiet}>
        {standingOf(check).text} {isByService(check) && `Made by ${serviceOf(check)}.`} Ordered on{' '}
        <Moment at={check.created} />.
      </p>
    </div>
  );
}

/** A cancelled check has no outcome, so that the person still needs one. */
function isNotCanceled({ status }: Reference): boolean {
  return status !== 'canceled';
}

/**
 * Looks whether people still lack a check. A page that was left open does not know what a colleague has ordered.
 *
 * @throws {ChangedMeanwhile} if one has a check by now. A second one would be paid, too.
 */
async function expectWithout(tenure: Tenure, application: string, people: readonly Linked[]): Promise<void> {
  const checks = (await checksRead.load(tenure, { application }, {})).filter(isNotCanceled);
  const checked = people.filter((person) =>
    checks.some(({ customer }) => customer !== null && idOf(customer) === idOf(person!)),
  );
  if (checked.length > 0)
    throw new ChangedMeanwhile(
      `A check of ${listed(checked.map(nameOf))} was ordered meanwhile. Nothing was ordered here. Close this form, and look at the check.`,
    );
}

/** Orders a check for each of some people. */
function OrderDialog({
  application,
  people,
  onClose,
}: {
  application: Application;
  people: readonly Linked[];
  onClose: () => void;
}): ReactNode {
  const usual = useUsualService();
  const [chosen, setChosen] = useState<string | null>(null);
  const choice = chosen ?? usual;
  /** The people whose checks a failed attempt has ordered already. */
  const made = useRef(new Set<string>());
  /** The service of the last attempt. A repeated one sends the same again, and finds its own orders. */
  const last = useRef<string>(null);
  const ordering = useWrite<string, void>(
    async (tenure, service, options) => {
      const left = people.filter((person) => !made.current.has(idOf(person!)));
      if (last.current !== service) await expectWithout(tenure, application.id, left);
      last.current = service;
      for (const person of left) {
        const customer = idOf(person!);
        await tenure.references.create(
          { application: application.id, customer, ...automaticOf(service) },
          // Each order has a key of its own, so that a second attempt goes on where the first one ended.
          { ...options, idempotencyKey: `${options.idempotencyKey}-${customer}` },
        );
        made.current.add(customer);
      }
    },
    {
      onDone: () => {
        toast(people.length === 1 ? 'The check is ordered.' : `${people.length} checks are ordered.`);
        onClose();
      },
    },
  );
  return (
    <Dialog title={people.length === 1 ? 'Order a check' : `Order ${people.length} checks`} isOpen onClose={onClose}>
      <Form
        error={ordering.error}
        fields={[]}
        onSubmit={() => ordering.mutate(choice)}
        actions={
          <Actions>
            <Button onPress={onClose}>Cancel</Button>
            <Button look="primary" type="submit" isDisabled={ordering.isPending}>
              Order
            </Button>
          </Actions>
        }
      >
        <p>For {listed(people.map(nameOf))}.</p>
        <ServiceChoice label="Who makes the check" value={choice} onChange={setChosen} />
      </Form>
    </Dialog>
  );
}
