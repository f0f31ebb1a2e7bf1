import type { ReactNode } from 'react';
import type { Deposit } from 'tenure';
import { Details, Table } from '@tenure/ui';
import { defineRead, useRead } from '../../api/requests.ts';
import { History } from '../../office/history.tsx';
import { Duties, StateMark } from '../../office/letting-parts.tsx';
import { depositState } from '../../office/letting-words.ts';
import { LinkedName } from '../../office/linked-name.tsx';
import { ForDevelopers, Notice } from '../../office/parts.tsx';
import { RecordPage } from '../../office/record-page.tsx';
import { capital, dayText, homeOf, money, plain } from '../../office/words.ts';
import { depositRoute } from '../../routes.tsx';
import { Section } from '../../shell/page.tsx';
import { kindText, peopleOf, retentionText, schemeText } from './deposit-words.ts';

const depositRead = defineRead<Deposit, { id: string }>((tenure, { id }, options) =>
  tenure.deposits.retrieve(id, { expand: ['unit.building', 'tenancy.customers', 'application.customers'] }, options),
);

/** One deposit: whose it is, where it is protected, and what becomes of it. */
export function DepositPage(): ReactNode {
  const { id } = depositRoute.useParams();
  const query = useRead(depositRead, { id });
  return (
    <RecordPage
      id={id}
      noun="Deposit"
      parent={{ href: '/deposits', name: 'Deposits' }}
      query={query}
      titleOf={(deposit) => `${kindText(deposit)} of ${peopleOf(deposit)}`}
      badge={(deposit) => <StateMark state={depositState(deposit)} />}
    >
      {(deposit) => (
        <>
          <Outcome deposit={deposit} />
          <Duties checks={deposit.checks} />
          <Section title="Money">
            <Details items={moneyOf(deposit)} />
          </Section>
          <Section title="About">
            <Details items={factsOf(deposit)} />
          </Section>
          {deposit.deductions.length > 0 && (
            <Section title="Deductions">
              <Deductions deposit={deposit} />
            </Section>
          )}
          <Section title="History">
            <History filter={{ related_object: id }} />
          </Section>
          <ForDevelopers record={deposit} />
        </>
      )}
    </RecordPage>
  );
}

/** A dispute, or why a holding deposit is kept. */
function Outcome({ deposit: { dispute, retention, currency, status, scheme } }: { deposit: Deposit }): ReactNode {
  return (
    <>
      {dispute !== null && (
        <Notice
          level={2}
          tone={status === 'settled' ? 'neutral' : 'warning'}
          title={`The tenants ${status === 'settled' ? 'disputed' : 'dispute'} ${money({ amount: dispute.amount, currency })}`}
        >
          <p>
            {status === 'settled' ? 'This is settled now.' : scheme === null ? '' : 'The scheme decides about it.'}
            {dispute.reference !== null && ` Its reference is ${dispute.reference}.`}
          </p>
        </Notice>
      )}
      {retention !== null && (
        <Notice level={2} tone="neutral" title={`${money({ amount: retention.amount, currency })} is kept`}>
          <p>{retentionText(retention.reason)}</p>
          <p>{retention.explanation}</p>
        </Notice>
      )}
    </>
  );
}

function moneyOf(deposit: Deposit): [string, ReactNode][] {
  const sum = (amount: number): string => money({ amount, currency: deposit.currency });
  const ifAny = (name: string, amount: number): [string, ReactNode][] => (amount === 0 ? [] : [[name, sum(amount)]]);
  return [
    ['Asked for', sum(deposit.amount)],
    ['Received', sum(deposit.amount_received)],
    ['Held now', sum(deposit.amount_held)],
    ...ifAny('Used for the tenancy', deposit.amount_applied),
    ...ifAny('Deducted', deposit.amount_deducted),
    ...ifAny('Returned', deposit.amount_returned),
  ];
}

function factsOf(deposit: Deposit): [string, ReactNode][] {
  const { tenancy, application, unit, scheme, scheme_reference: reference } = deposit;
  return [
    ['Home', <LinkedName key="home" record={unit} name={homeOf(unit)} />],
    ...(tenancy === null
      ? []
      : [['Tenancy', <LinkedName key="tenancy" record={tenancy} name={peopleOf(deposit)} />] as [string, ReactNode]]),
    ...(application === null
      ? []
      : [
          ['Application', <LinkedName key="application" record={application} name={peopleOf(deposit)} />] as [
            string,
            ReactNode,
          ],
        ]),
    ...dayFact('Received on', deposit.received_on),
    ...dayFact('Decide by', deposit.decide_by),
    ...dayFact('Repay by', deposit.repay_by),
    ...(deposit.type === 'tenancy'
      ? ([['Scheme', scheme === null ? unprotected(deposit) : schemeText(scheme)]] as [string, ReactNode][])
      : []),
    ...(reference === null ? [] : [['Reference of the scheme', reference] as [string, ReactNode]]),
    ...dayFact('Protect by', deposit.protect_by),
    ...dayFact('Protected on', deposit.protected_on),
    ...dayFact('Tenants informed on', deposit.information_given_on),
    ...dayFact('Returned on', deposit.returned_on),
  ];
}

/** A deposit that is over, or goes back, will not be protected any more. */
function unprotected({ status }: Deposit): string {
  return status === 'pending' || status === 'received' ? 'Not protected yet' : 'Not protected';
}

/** Returns a day with its name, if there is one. */
function dayFact(name: string, day: string | null): [string, ReactNode][] {
  return day === null ? [] : [[name, dayText(day)]];
}

function Deductions({ deposit }: { deposit: Deposit }): ReactNode {
  return (
    <Table
      label="Deductions"
      rows={deposit.deductions.map((deduction, index) => ({ id: String(index), ...deduction }))}
      columns={[
        { title: 'For', cell: ({ reason }) => capital(plain(reason)) },
        { title: 'What', cell: ({ description }) => description ?? '–' },
        { title: 'Amount', align: 'end', cell: ({ amount }) => money({ amount, currency: deposit.currency }) },
      ]}
    />
  );
}
