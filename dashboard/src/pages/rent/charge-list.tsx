import type { ReactNode } from 'react';
import type { Subscription, SubscriptionsListParams } from 'tenure';
import type { ListDefinition } from '../../list/list-definition.ts';
import { ListPage } from '../../list/list-page.tsx';
import { StateMark } from '../../office/letting-parts.tsx';
import { chargeState, chargeTitle, everyText, tenancyRentText, tenantsOf } from '../../office/letting-words.ts';
import { homeOf, numberOf, shortDay } from '../../office/words.ts';
import { chargeListRoute } from '../../routes.tsx';
import { tenancyOf } from './charge-words.ts';
import { RentLinks } from './rent-links.tsx';

const chargeList: ListDefinition<Subscription, 'status' | 'type'> = {
  title: 'Regular charges',
  noun: 'regular charges',
  load: (tenure, params, options) =>
    tenure.subscriptions.list(
      {
        ...(params as SubscriptionsListParams),
        expand: ['data.tenancy.customers', 'data.tenancy.unit.building'],
      },
      options,
    ),
  hrefOf: ({ id }) => `/subscriptions/${id}`,
  columns: [
    { title: 'Tenants', cell: (charge) => tenantsText(charge) },
    { title: 'Status', cell: (charge) => <StateMark state={chargeState(charge)} /> },
    { title: 'Amount', align: 'end', cell: tenancyRentText },
    { title: 'Next bill', cell: ({ next_invoice_on: day }) => (day === null ? '–' : shortDay(day)) },
    { title: 'For', cell: chargeTitle },
    { title: 'Home', cell: (charge) => homeOf(tenancyOf(charge)?.unit ?? null) },
  ],
  sheet: (charge) => ({
    Tenants: tenantsText(charge),
    Status: chargeState(charge).name,
    Amount: numberOf(charge),
    Currency: charge.currency.toUpperCase(),
    Every: everyText(charge),
    For: chargeTitle(charge),
    Home: homeOf(tenancyOf(charge)?.unit ?? null),
    From: charge.start_date,
    Until: charge.end_date,
    'Next bill': charge.next_invoice_on,
  }),
  filters: [
    {
      name: 'status',
      label: 'Status',
      isClosed: true,
      choices: [
        { id: 'scheduled', name: 'Planned' },
        { id: 'active', name: 'Running' },
        { id: 'paused', name: 'Paused' },
        { id: 'ended', name: 'Ended' },
      ],
    },
    {
      name: 'type',
      label: 'For',
      isClosed: true,
      choices: [
        { id: 'rent', name: 'Rent' },
        { id: 'service', name: 'A service' },
      ],
    },
  ],
  empty: {
    title: 'No regular charges yet',
    text: 'Your connected programs set up the rent of a tenancy once. Tenure then bills each period by itself.',
  },
};

function tenantsText(charge: Subscription): string {
  const tenancy = tenancyOf(charge);
  return tenancy === null ? 'Not known' : tenantsOf(tenancy);
}

/** The list of what is billed by itself: rent, and services beside it. */
export function ChargeListPage(): ReactNode {
  return <ListPage list={chargeList} search={chargeListRoute.useSearch()} tabs={<RentLinks />} />;
}
