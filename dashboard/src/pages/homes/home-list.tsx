import type { ReactNode } from 'react';
import type { Unit, UnitsListParams } from 'tenure';
import type { ListDefinition } from '../../list/list-definition.ts';
import { ListPage } from '../../list/list-page.tsx';
import { StateMark } from '../../office/letting-parts.tsx';
import { homeState, tenantsOf } from '../../office/letting-words.ts';
import { addressOf, homeOf, numberOf, rentText, shortDay } from '../../office/words.ts';
import { homeListRoute } from '../../routes.tsx';
import { HomeLinks } from './home-links.tsx';

const homeList: ListDefinition<Unit, 'status' | 'archived'> = {
  title: 'Properties',
  noun: 'properties',
  load: (tenure, params, options) =>
    tenure.units.list({ ...(params as UnitsListParams), expand: ['data.building', 'data.tenancy.customers'] }, options),
  hrefOf: ({ id }) => `/units/${id}`,
  columns: [
    { title: 'Property', cell: (unit) => homeOf(unit) },
    { title: 'Status', cell: (unit) => <StateMark state={homeState(unit)} /> },
    { title: 'Tenants', cell: ({ tenancy }) => tenantsText(tenancy) },
    { title: 'Rent asked', align: 'end', cell: ({ rent }) => rentText(rent) },
    { title: 'Free from', cell: ({ available_on: day }) => (day === null ? '–' : shortDay(day)) },
  ],
  sheet: (unit) => ({
    Property: homeOf(unit),
    Status: homeState(unit).name,
    Tenants: tenantsText(unit.tenancy),
    'Rent asked': unit.rent && numberOf(unit.rent),
    Currency: unit.rent?.currency.toUpperCase(),
    Every: unit.rent?.interval,
    'Free from': unit.available_on,
    Address: addressOf(unit),
  }),
  filters: [
    {
      name: 'status',
      label: 'Status',
      isClosed: true,
      choices: [
        { id: 'available', name: 'Empty or to let' },
        { id: 'reserved', name: 'Reserved' },
        { id: 'let_agreed', name: 'Let agreed' },
        { id: 'occupied', name: 'Let' },
      ],
    },
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
  empty: {
    title: 'No properties yet',
    text: 'Your connected programs add homes and buildings. Applications and tenancies then name them.',
  },
};

function tenantsText(tenancy: Unit['tenancy']): string {
  return tenancy !== null && typeof tenancy === 'object' ? tenantsOf(tenancy) : '–';
}

/** The list of homes. */
export function HomeListPage(): ReactNode {
  return <ListPage list={homeList} search={homeListRoute.useSearch()} tabs={<HomeLinks />} />;
}
