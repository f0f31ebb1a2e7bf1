import type { ReactNode } from 'react';
import type { Tenancy, TenanciesListParams } from 'tenure';
import type { ListDefinition } from '../../list/list-definition.ts';
import { ListPage } from '../../list/list-page.tsx';
import { StateMark } from '../../office/letting-parts.tsx';
import { inTenancy } from '../../office/letting-reads.ts';
import { arrearsText, everyText, tenancyRentText, tenancyState, tenantsOf } from '../../office/letting-words.ts';
import { homeOf, numberOf } from '../../office/words.ts';
import { tenancyListRoute } from '../../routes.tsx';

const tenancyList: ListDefinition<Tenancy, 'status' | 'in_arrears'> = {
  title: 'Tenancies',
  noun: 'tenancies',
  load: (tenure, params, options) =>
    tenure.tenancies.list({ ...(params as TenanciesListParams), expand: inTenancy }, options),
  hrefOf: ({ id }) => `/tenancies/${id}`,
  columns: [
    { title: 'Tenants', cell: (tenancy) => tenantsOf(tenancy) },
    { title: 'Status', cell: (tenancy) => <StateMark state={tenancyState(tenancy)} /> },
    { title: 'Arrears', cell: (tenancy) => <Arrears tenancy={tenancy} /> },
    { title: 'Home', cell: ({ unit }) => homeOf(unit) },
    { title: 'Rent', align: 'end', cell: ({ rent }) => tenancyRentText(rent) },
  ],
  sheet: (tenancy) => ({
    Tenants: tenantsOf(tenancy),
    Status: tenancyState(tenancy).name,
    Arrears: numberOf({ amount: tenancy.arrears.amount, currency: tenancy.rent.currency }),
    'In arrears since': tenancy.arrears.since,
    Home: homeOf(tenancy.unit),
    Rent: numberOf(tenancy.rent),
    Currency: tenancy.rent.currency.toUpperCase(),
    Every: everyText(tenancy.rent),
    From: tenancy.start_date,
    Until: tenancy.end_date,
  }),
  filters: [
    {
      name: 'status',
      label: 'Status',
      isClosed: true,
      choices: [
        { id: 'draft', name: 'Draft' },
        { id: 'signed', name: 'Signed' },
        { id: 'active', name: 'Running' },
        { id: 'notice', name: 'Notice given' },
        { id: 'ended', name: 'Ended' },
        { id: 'canceled', name: 'Cancelled' },
      ],
    },
    {
      name: 'in_arrears',
      label: 'Arrears',
      isClosed: true,
      choices: [
        { id: 'true', name: 'Only in arrears' },
        { id: 'false', name: 'Not in arrears' },
      ],
    },
  ],
  empty: {
    title: 'No tenancies yet',
    text: 'Your connected programs draft a tenancy when an application is accepted.',
  },
};

function Arrears({ tenancy }: { tenancy: Tenancy }): ReactNode {
  const text = arrearsText(tenancy);
  return text === null ? '–' : <StateMark state={{ tone: 'bad', name: text }} />;
}

/** The list of tenancies. */
export function TenancyListPage(): ReactNode {
  return <ListPage list={tenancyList} search={tenancyListRoute.useSearch()} />;
}
