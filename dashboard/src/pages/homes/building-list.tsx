import type { ReactNode } from 'react';
import type { Building, BuildingsListParams } from 'tenure';
import type { ListDefinition } from '../../list/list-definition.ts';
import { ListPage } from '../../list/list-page.tsx';
import { addressLine } from '../../office/words.ts';
import { buildingListRoute } from '../../routes.tsx';
import { HomeLinks } from './home-links.tsx';

const buildingList: ListDefinition<Building, 'archived'> = {
  title: 'Buildings',
  noun: 'buildings',
  load: (tenure, params, options) => tenure.buildings.list(params as BuildingsListParams, options),
  hrefOf: ({ id }) => `/buildings/${id}`,
  columns: [
    { title: 'Building', cell: ({ name }) => name },
    { title: 'Address', cell: ({ address }) => addressLine(address) },
  ],
  sheet: ({ name, address }) => ({ Building: name, Address: addressLine(address) }),
  filters: [
    {
      name: 'archived',
      label: 'No longer let',
      isClosed: true,
      choices: [
        { id: 'false', name: 'Without these' },
        { id: 'true', name: 'Only these' },
      ],
    },
  ],
  empty: { title: 'No buildings yet', text: 'Your connected programs add buildings, and homes within them.' },
};

/** The list of buildings. */
export function BuildingListPage(): ReactNode {
  return <ListPage list={buildingList} search={buildingListRoute.useSearch()} tabs={<HomeLinks />} />;
}
