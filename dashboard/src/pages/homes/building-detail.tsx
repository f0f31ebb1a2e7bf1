import type { ReactNode } from 'react';
import type { Building, Unit } from 'tenure';
import { Details } from '@tenure/ui';
import { defineRead, useRead } from '../../api/requests.ts';
import { StateMark } from '../../office/letting-parts.tsx';
import { homeState } from '../../office/letting-words.ts';
import { ForDevelopers } from '../../office/parts.tsx';
import { PartTable } from '../../office/part-table.tsx';
import { RecordPage } from '../../office/record-page.tsx';
import { addressLine, rentText } from '../../office/words.ts';
import { buildingRoute } from '../../routes.tsx';
import { Section } from '../../shell/page.tsx';

/** The most homes of a building that its page shows. */
const homesMax = 200;

const buildingRead = defineRead<Building, { id: string }>((tenure, { id }, options) =>
  tenure.buildings.retrieve(id, {}, options),
);

const homesRead = defineRead<Unit[], { building: string }>((tenure, { building }, options) =>
  tenure.units.list({ building }, options).toArray({ limit: homesMax }),
);

/** One building with its homes. */
export function BuildingPage(): ReactNode {
  const { id } = buildingRoute.useParams();
  const query = useRead(buildingRead, { id });
  return (
    <RecordPage
      id={id}
      noun="Building"
      parent={{ href: '/buildings', name: 'Buildings' }}
      query={query}
      titleOf={({ name }) => name}
    >
      {(building) => (
        <>
          <Details items={[['Address', addressLine(building.address)]]} />
          <Section title="Homes">
            <Homes building={id} />
          </Section>
          <ForDevelopers record={building} />
        </>
      )}
    </RecordPage>
  );
}

function Homes({ building }: { building: string }): ReactNode {
  const query = useRead(homesRead, { building });
  return (
    <PartTable
      label="Homes"
      query={query}
      hrefOf={({ id }) => `/units/${id}`}
      columns={[
        { title: 'Home', cell: ({ name }) => name },
        { title: 'Status', cell: (unit) => <StateMark state={homeState(unit)} /> },
        { title: 'Rent asked', align: 'end', cell: ({ rent }) => rentText(rent) },
      ]}
    />
  );
}
