import type { ReactNode } from 'react';
import type { Tenancy } from 'tenure';
import { Details, Table } from '@tenure/ui';
import { defineRead, useRead } from '../../api/requests.ts';
import { BillTable } from '../../office/bill-table.tsx';
import { History } from '../../office/history.tsx';
import { Duties, StateMark } from '../../office/letting-parts.tsx';
import { arrearsText, tenancyRentText, tenancyState, tenantsOf } from '../../office/letting-words.ts';
import { LinkedName } from '../../office/linked-name.tsx';
import { ChargeTable, PaymentTable } from '../../office/money-tables.tsx';
import { ForDevelopers, Notice, PersonLink } from '../../office/parts.tsx';
import { RecordPage } from '../../office/record-page.tsx';
import { addressOf, capital, dayText, homeOf, idOf, listed, money, nameOf, plain } from '../../office/words.ts';
import { tenancyRoute } from '../../routes.tsx';
import { Section } from '../../shell/page.tsx';

const tenancyRead = defineRead<Tenancy, { id: string }>((tenure, { id }, options) =>
  tenure.tenancies.retrieve(
    id,
    { expand: ['customers', 'unit.building', 'guarantors.customer', 'deposit', 'application', 'replaces'] },
    options,
  ),
);

/** One tenancy: people, home, rent, arrears and bills. */
export function TenancyPage(): ReactNode {
  const { id } = tenancyRoute.useParams();
  const query = useRead(tenancyRead, { id });
  return (
    <RecordPage
      id={id}
      noun="Tenancy"
      parent={{ href: '/tenancies', name: 'Tenancies' }}
      query={query}
      titleOf={(tenancy) => `${tenantsOf(tenancy)} in ${homeOf(tenancy.unit)}`}
      badge={(tenancy) => <StateMark state={tenancyState(tenancy)} />}
    >
      {(tenancy) => (
        <>
          <Standing tenancy={tenancy} />
          <Section title="Terms">
            <Details items={termsOf(tenancy)} />
          </Section>
          <Section title="Tenants">
            <Tenants tenancy={tenancy} />
          </Section>
          <Duties checks={tenancy.checks} />
          <Section title="Rent and other bills">
            <BillTable filter={{ tenancy: id }} />
          </Section>
          <Section title="Payments">
            <PaymentTable tenancy={id} />
          </Section>
          <Section title="Regular charges">
            <ChargeTable tenancy={id} />
          </Section>
          <Section title="History">
            <History filter={{ related_object: id }} />
          </Section>
          <ForDevelopers record={tenancy} />
        </>
      )}
    </RecordPage>
  );
}

/** What stands out: arrears, a notice, or why it ended. */
function Standing({ tenancy }: { tenancy: Tenancy }): ReactNode {
  const { notice, cancel_reason: cancelReason, end_reason: endReason, end_date: endDate } = tenancy;
  const arrears = arrearsText(tenancy);
  return (
    <>
      {arrears !== null && (
        <Notice level={2} tone="bad" title="In arrears">
          <p>{arrears}</p>
        </Notice>
      )}
      {notice !== null && (
        <Notice level={2} tone="warning" title={`Notice ${givers[notice.by] ?? ''}`.trim()}>
          <p>
            Served on {dayText(notice.served_on)}. {noticeEffect(tenancy, notice)}
          </p>
          {notice.grounds.length > 0 && (
            <p>
              {notice.grounds.length === 1 ? 'Ground' : 'Grounds'} for possession: {listed(notice.grounds)}
            </p>
          )}
        </Notice>
      )}
      {endReason !== null && (
        <Notice level={2} tone="neutral" title="Ended">
          <p>
            {capital(plain(endReason))}
            {endDate !== null && `, on ${dayText(endDate)}`}
          </p>
        </Notice>
      )}
      {cancelReason !== null && (
        <Notice level={2} tone="neutral" title="Cancelled">
          <p>{cancelReason}</p>
        </Notice>
      )}
    </>
  );
}

/** Says what a notice does. That of a landlord ends no tenancy, and one that has ended may have ended on another day. */
function noticeEffect({ status }: Tenancy, { by, ends_on: day }: NonNullable<Tenancy['notice']>): string {
  if (status === 'ended') return `It named ${dayText(day)}.`;
  if (by === 'landlord')
    return `It asks for the home by ${dayText(day)}. It does not end the tenancy: the tenants must leave, or a court must decide.`;
  return `It ends the tenancy on ${dayText(day)}.`;
}

const givers: Readonly<Record<string, string>> = {
  tenant: 'by the tenants',
  landlord: 'by the landlord',
  mutual: 'by agreement',
};

function termsOf(tenancy: Tenancy): [string, ReactNode][] {
  const { unit, rent, deposit, application, replaces, balance } = tenancy;
  return [
    ['Home', <LinkedName key="home" record={unit} name={homeOf(unit)} />],
    ['Address', addressOf(unit)],
    ['Kind', kinds[tenancy.type] ?? capital(plain(tenancy.type))],
    ['Rent', tenancyRentText(rent)],
    balance < 0
      ? ['In credit', money({ amount: -balance, currency: rent.currency })]
      : ['To pay at present', money({ amount: balance, currency: rent.currency })],
    ['From', dayText(tenancy.start_date)],
    ['Until', tenancy.end_date === null ? 'Open end' : dayText(tenancy.end_date)],
    ['Signed', tenancy.signed_on === null ? 'Not yet' : dayText(tenancy.signed_on)],
    [
      'Deposit',
      deposit === null ? (
        'None'
      ) : (
        <LinkedName
          key="deposit"
          record={deposit}
          name={typeof deposit === 'string' ? 'The deposit' : money({ ...deposit })}
        />
      ),
    ],
    ...linked('Application', application, 'The application'),
    ...linked('Follows', replaces, 'The tenancy before'),
  ];
}

function linked(name: string, record: Tenancy['replaces' | 'application'], text: string): [string, ReactNode][] {
  return record === null ? [] : [[name, <LinkedName key={name} record={record} name={text} />]];
}

const kinds: Readonly<Record<string, string>> = {
  assured: 'Assured tenancy',
  licence: 'Licence',
  student: 'Student let',
  company: 'Company let',
  social: 'Social tenancy',
};

function Tenants({ tenancy }: { tenancy: Tenancy }): ReactNode {
  const guarantors = tenancy.guarantors.flatMap((each) => (typeof each === 'object' ? [each.customer] : []));
  const rows = [
    ...tenancy.customers.map((person) => ({ id: idOf(person), person, role: 'Tenant' })),
    ...guarantors.map((person) => ({ id: nameOf(person), person, role: 'Guarantor' })),
  ];
  return (
    <Table
      label="Tenants"
      rows={rows}
      columns={[
        { title: 'Person', cell: ({ person }) => <PersonLink person={person} /> },
        { title: 'Role', cell: ({ role }) => role },
        {
          title: 'Phone',
          cell: ({ person }) =>
            (person !== null && typeof person === 'object' && 'phone' in person && person.phone) || '–',
        },
      ]}
    />
  );
}
