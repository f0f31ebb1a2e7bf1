import type { ReactNode } from 'react';
import type { RequestOptions, Tenancy, Tenure } from 'tenure';
import type { ListDefinition, ListOf } from '../../list/list-definition.ts';
import { ListPage } from '../../list/list-page.tsx';
import { StateMark } from '../../office/letting-parts.tsx';
import { inTenancy } from '../../office/letting-reads.ts';
import { phonesOf, tenancyRentText, tenancyState, tenantsOf } from '../../office/letting-words.ts';
import { homeOf, money, numberOf, shortDay } from '../../office/words.ts';
import { arrearsRoute } from '../../routes.tsx';
import { RentLinks } from './rent-links.tsx';

/** The most tenancies that the page shows. An office with more looks at the tenancies by their filter. */
const tenanciesMax = 500;

const arrearsList: ListDefinition<Tenancy, never> = {
  title: 'In arrears',
  noun: 'tenancies in arrears',
  load: readArrears,
  hrefOf: ({ id }) => `/tenancies/${id}`,
  columns: [
    { title: 'Tenants', cell: (tenancy) => tenantsOf(tenancy) },
    { title: 'Owed', align: 'end', cell: (tenancy) => owedText(tenancy) },
    { title: 'Since', cell: ({ arrears: { since } }) => (since === null ? '–' : shortDay(since)) },
    { title: 'Home', cell: ({ unit }) => homeOf(unit) },
    { title: 'Phone', cell: (tenancy) => phonesOf(tenancy) ?? '–' },
    { title: 'Rent', align: 'end', cell: ({ rent }) => tenancyRentText(rent) },
    { title: 'Tenancy', cell: (tenancy) => <StateMark state={tenancyState(tenancy)} /> },
  ],
  sheet: (tenancy) => ({
    Tenants: tenantsOf(tenancy),
    Owed: numberOf({ amount: tenancy.arrears.amount, currency: tenancy.rent.currency }),
    Currency: tenancy.rent.currency.toUpperCase(),
    Since: tenancy.arrears.since,
    Home: homeOf(tenancy.unit),
    Phone: phonesOf(tenancy),
    Rent: numberOf(tenancy.rent),
    Tenancy: tenancyState(tenancy).name,
  }),
  filters: [],
  empty: { title: 'No tenancy is in arrears', text: 'A tenancy stands here while a bill of it is overdue.' },
};

/** Reads the tenancies in arrears, the longest arrears first. All are read, because the API lists by age of the record. */
async function readArrears(tenure: Tenure, _: object, options: RequestOptions): Promise<ListOf<Tenancy>> {
  const first = await tenure.tenancies.list({ in_arrears: 'true', limit: 50, expand: inTenancy }, options);
  const all = first.has_more
    ? await tenure.tenancies.list({ in_arrears: 'true', expand: inTenancy }, options).toArray({ limit: tenanciesMax })
    : first.data;
  const data = all.toSorted((one, other) => (one.arrears.since ?? '').localeCompare(other.arrears.since ?? ''));
  return { object: 'list', data, count: Math.max(first.count, data.length), has_more: false };
}

function owedText({ arrears, rent }: Tenancy): string {
  return money({ amount: arrears.amount, currency: rent.currency });
}

/** The tenancies with bills that are overdue. */
export function ArrearsPage(): ReactNode {
  return <ListPage list={arrearsList} search={arrearsRoute.useSearch()} tabs={<RentLinks />} />;
}
