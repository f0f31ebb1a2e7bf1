import type { ReactNode } from 'react';
import { useRead } from '../api/requests.ts';
import { StateMark } from './letting-parts.tsx';
import { billsRead } from './letting-reads.ts';
import { billState, billTitle } from './letting-words.ts';
import { PartTable } from './part-table.tsx';
import { dayText, money } from './words.ts';

/** The bills of a tenancy or of a regular charge, as a part of its page. */
export function BillTable({ filter }: { filter: { tenancy: string } | { subscription: string } }): ReactNode {
  const query = useRead(billsRead, filter);
  return (
    <PartTable
      label="Bills"
      query={query}
      hrefOf={({ id }) => `/invoices/${id}`}
      columns={[
        { title: 'For', cell: billTitle },
        { title: 'Status', cell: (bill) => <StateMark state={billState(bill)} /> },
        { title: 'Due', cell: ({ due_on: day }) => dayText(day) },
        { title: 'Amount', align: 'end', cell: ({ total, currency }) => money({ amount: total, currency }) },
        {
          title: 'Still to pay',
          align: 'end',
          cell: ({ amount_due: amount, currency }) => money({ amount, currency }),
        },
      ]}
    />
  );
}
