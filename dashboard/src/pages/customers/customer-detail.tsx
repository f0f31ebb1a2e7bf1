import { useState, type ReactNode } from 'react';
import type { Application, Customer, DeletedCustomer } from 'tenure';
import { Details, EmptyState } from '@tenure/ui';
import { defineRead, useRead } from '../../api/requests.ts';
import { useRefusal } from '../../api/session.ts';
import { serviceOf } from '../../office/checks.ts';
import { History } from '../../office/history.tsx';
import { ForDevelopers, StandingBadge } from '../../office/parts.tsx';
import { checksRead, inApplication, reportsOf } from '../../office/reads.ts';
import { MoreActions } from '../../office/more-actions.tsx';
import { PartTable } from '../../office/part-table.tsx';
import { RecordPage } from '../../office/record-page.tsx';
import { TenancyTable } from '../../office/tenancy-table.tsx';
import { addressLine, dayText, homeOf, rentText } from '../../office/words.ts';
import { customerRoute } from '../../routes.tsx';
import { GatedButton } from '../../shell/gated.tsx';
import { Section } from '../../shell/page.tsx';
import { StateBadge } from '../applications/application-words.tsx';
import { rightToRentText } from './customer-words.ts';
import { EraseDialog } from './erase-dialog.tsx';
import { Holds } from './holds.tsx';
import { PersonDialog } from './person-form.tsx';
import { PortalLinks } from './portal-links.tsx';

const customerRead = defineRead<Customer | DeletedCustomer, { id: string }>((tenure, { id }, options) =>
  tenure.customers.retrieve(id, {}, options),
);

/** The applications of a person, the newest first. */
const applicationsRead = defineRead<Application[], { customer: string }>(async (tenure, { customer }, options) => {
  const { data } = await tenure.applications.list({ customer, limit: 50, expand: inApplication }, options).page();
  return data;
});

/** One person: their details, applications, checks and history. */
export function CustomerPage(): ReactNode {
  const { id } = customerRoute.useParams();
  const query = useRead(customerRead, { id });
  return (
    <RecordPage
      id={id}
      noun="Person"
      parent={{ href: '/customers', name: 'People' }}
      query={query}
      titleOf={(person) => ('name' in person ? person.name : 'Erased person')}
      actions={(person) => 'name' in person && <PersonActions person={person} />}
    >
      {(person) =>
        'name' in person ? (
          <>
            <Section title="Details">
              <Facts person={person} />
            </Section>
            <Section title="Applications">
              <Applications customer={id} />
            </Section>
            <Section title="Checks">
              <Checks customer={id} />
            </Section>
            <Section title="Tenancies">
              <TenancyTable filter={{ customer: id }} />
            </Section>
            <PortalLinks person={person} />
            <Section title="History">
              <PersonHistory customer={id} />
            </Section>
            <ForDevelopers record={person} />
          </>
        ) : (
          <>
            <EmptyState title="This person was erased" text="Their data are gone, and cannot be brought back." />
            <Section title="Kept by law">
              <Holds customer={id} />
            </Section>
          </>
        )
      }
    </RecordPage>
  );
}

/** What happened to a person, and to the reports about them: also when they were sent and opened. */
function PersonHistory({ customer }: { customer: string }): ReactNode {
  const { data: checks } = useRead(checksRead, { customer });
  return <History filter={{ related_object: customer }} files={(checks ?? []).flatMap(reportsOf)} />;
}

function PersonActions({ person }: { person: Customer }): ReactNode {
  const [open, setOpen] = useState<'change' | 'erase' | null>(null);
  const write = useRefusal('customers.write');
  const references = useRefusal('references.write');
  const files = useRefusal('files.write');
  const refusal = write ?? references ?? files;
  return (
    <>
      <GatedButton isInGroup refusal={write} onPress={() => setOpen('change')}>
        Change
      </GatedButton>
      <MoreActions name="Erase this person…" refusal={refusal} onAction={() => setOpen('erase')} />
      {open === 'change' && <PersonDialog person={person} onClose={() => setOpen(null)} />}
      {open === 'erase' && <EraseDialog person={person} onClose={() => setOpen(null)} />}
    </>
  );
}

function Facts({ person }: { person: Customer }): ReactNode {
  const { email, phone, date_of_birth: birthday, addresses } = person;
  const current = addresses.find(({ to }) => to === null);
  const former = addresses.filter((address) => address !== current);
  return (
    <Details
      items={[
        ['E-mail', email],
        ['Phone', phone],
        ['Date of birth', birthday === null ? null : dayText(birthday)],
        ['Address', current ? addressLine(current) : null],
        ...(former.length === 0 ? [] : [['Earlier addresses', former.map(addressLine).join('; ')] as const]),
        ['Right to rent', rightToRentText(person)],
      ]}
    />
  );
}

function Applications({ customer }: { customer: string }): ReactNode {
  const query = useRead(applicationsRead, { customer });
  return (
    <PartTable
      label="Applications"
      query={query}
      hrefOf={({ id }) => `/applications/${id}`}
      columns={[
        { title: 'Home', cell: ({ unit }) => homeOf(unit) },
        { title: 'Rent', cell: ({ rent }) => rentText(rent) },
        { title: 'Move-in', cell: ({ move_in_date: day }) => dayText(day) },
        { title: 'Status', cell: (application) => <StateBadge application={application} /> },
      ]}
    />
  );
}

function Checks({ customer }: { customer: string }): ReactNode {
  const query = useRead(checksRead, { customer });
  return (
    <PartTable
      label="Checks"
      query={query}
      hrefOf={({ id }) => `/references/${id}`}
      columns={[
        {
          title: 'For',
          cell: ({ application }) =>
            typeof application === 'object' ? homeOf(application?.unit ?? null) : 'Kept elsewhere',
        },
        { title: 'Standing', cell: (check) => <StandingBadge reference={check} /> },
        { title: 'Made by', cell: serviceOf },
      ]}
    />
  );
}
