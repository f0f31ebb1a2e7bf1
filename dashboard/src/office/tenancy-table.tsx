import type { ReactNode } from 'react';
import { useRead } from '../api/requests.ts';
import { StateMark } from './letting-parts.tsx';
import { tenanciesRead } from './letting-reads.ts';
import { tenancyRentText, tenancyState, tenantsOf } from './letting-words.ts';
import { PartTable } from './part-table.tsx';
import { dayText, homeOf } from './words.ts';

/** The tenancies of a home or of a person, as a part of their pages. */
export function TenancyTable({ filter }: { filter: { unit: string } | { customer: string } }): ReactNode {
  const query = useRead(tenanciesRead, filter);
  return (
    <PartTable
      label="Tenancies"
      query={query}
      hrefOf={({ id }) => `/tenancies/${id}`}
      columns={[
        'unit' in filter ? { title: 'Tenants', cell: tenantsOf } : { title: 'Home', cell: ({ unit }) => homeOf(unit) },
        { title: 'Status', cell: (tenancy) => <StateMark state={tenancyState(tenancy)} /> },
        { title: 'Rent', cell: ({ rent }) => tenancyRentText(rent) },
        { title: 'From', cell: ({ start_date: day }) => dayText(day) },
        { title: 'Until', cell: ({ end_date: day }) => (day === null ? 'Open end' : dayText(day)) },
      ]}
    />
  );
}
