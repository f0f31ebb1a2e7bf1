import type { ReactNode } from 'react';
import type { Application, Unit } from 'tenure';
import { Details } from '@tenure/ui';
import { defineRead, useRead } from '../../api/requests.ts';
import { History } from '../../office/history.tsx';
import { StateMark } from '../../office/letting-parts.tsx';
import { homeState } from '../../office/letting-words.ts';
import { LinkedName } from '../../office/linked-name.tsx';
import { ForDevelopers } from '../../office/parts.tsx';
import { inApplication } from '../../office/reads.ts';
import { PartTable } from '../../office/part-table.tsx';
import { RecordPage } from '../../office/record-page.tsx';
import { TenancyTable } from '../../office/tenancy-table.tsx';
import { addressOf, capital, dayText, homeOf, plain, rentText } from '../../office/words.ts';
import { homeDetailRoute } from '../../routes.tsx';
import { Section } from '../../shell/page.tsx';
import { peopleOf, StateBadge } from '../applications/application-words.tsx';

const homeRead = defineRead<Unit, { id: string }>((tenure, { id }, options) =>
  tenure.units.retrieve(id, { expand: ['building', 'holding_deposit'] }, options),
);

/** The applications for a home, the newest first. */
const applicationsRead = defineRead<Application[], { unit: string }>(async (tenure, { unit }, options) => {
  const { data } = await tenure.applications.list({ unit, limit: 24, expand: inApplication }, options);
  return data;
});

/** One home: what it is, its tenancies, and the applications for it. */
export function HomeDetailPage(): ReactNode {
  const { id } = homeDetailRoute.useParams();
  const query = useRead(homeRead, { id });
  return (
    <RecordPage
      id={id}
      noun="Property"
      parent={{ href: '/units', name: 'Properties' }}
      query={query}
      titleOf={homeOf}
      badge={(unit) => <StateMark state={homeState(unit)} />}
    >
      {(unit) => (
        <>
          <Details items={factsOf(unit)} />
          <Section title="Tenancies">
            <TenancyTable filter={{ unit: id }} />
          </Section>
          <Section title="Applications">
            <Applications unit={id} />
          </Section>
          <Section title="History">
            <History filter={{ related_object: id }} />
          </Section>
          <ForDevelopers record={unit} />
        </>
      )}
    </RecordPage>
  );
}

function factsOf(unit: Unit): [string, ReactNode][] {
  const { building, type, bedrooms, max_occupants: occupants, rent, available_on: day, holding_deposit: held } = unit;
  return [
    ['Address', addressOf(unit)],
    ['Building', <LinkedName key="building" record={building} name={nameOfBuilding(building)} />],
    ['Kind', capital(plain(type))],
    ['Bedrooms', bedrooms === null ? 'Not known' : bedrooms === 0 ? 'None' : String(bedrooms)],
    ['Room for', occupants === null ? 'Not known' : `${occupants} ${occupants === 1 ? 'person' : 'people'}`],
    ['Rent asked', rentText(rent)],
    ['Free from', day === null ? null : dayText(day)],
    ...(held === null
      ? []
      : [['Reserved by', <LinkedName key="held" record={held} name="A holding deposit" />] as [string, ReactNode]]),
  ];
}

function nameOfBuilding(building: Unit['building']): string {
  return typeof building === 'string' ? 'The building' : building.name;
}

function Applications({ unit }: { unit: string }): ReactNode {
  const query = useRead(applicationsRead, { unit });
  return (
    <PartTable
      label="Applications"
      query={query}
      hrefOf={({ id }) => `/applications/${id}`}
      columns={[
        { title: 'Applicants', cell: (application) => peopleOf(application) },
        { title: 'Status', cell: (application) => <StateBadge application={application} /> },
        { title: 'Rent', cell: ({ rent }) => rentText(rent) },
        { title: 'Move-in', cell: ({ move_in_date: day }) => dayText(day) },
      ]}
    />
  );
}
