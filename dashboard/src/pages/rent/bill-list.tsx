import type { ReactNode } from 'react';
import type { Invoice, InvoicesListParams } from 'tenure';
import type { ListDefinition } from '../../list/list-definition.ts';
import { ListPage } from '../../list/list-page.tsx';
import { StateMark } from '../../office/letting-parts.tsx';
import { billState, billTitle, tenantsOf } from '../../office/letting-words.ts';
import { homeOf, money, numberOf, shortDay } from '../../office/words.ts';
import { billListRoute } from '../../routes.tsx';
import { unitOfBill } from './bill-words.ts';
import { RentLinks } from './rent-links.tsx';

const billList: ListDefinition<Invoice, 'status' | 'overdue'> = {
  title: 'Bills',
  noun: 'bills',
  load: (tenure, params, options) =>
    tenure.invoices.list(
      { ...(params as InvoicesListParams), expand: ['data.customers', 'data.tenancy.unit.building'] },
      options,
    ),
  hrefOf: ({ id }) => `/invoices/${id}`,
  columns: [
    { title: 'Tenants', cell: (bill) => tenantsOf(bill) },
    { title: 'Status', cell: (bill) => <StateMark state={billState(bill)} /> },
    {
      title: 'Still to pay',
      align: 'end',
      cell: ({ amount_due: amount, currency }) => money({ amount, currency }),
    },
    { title: 'Due', cell: ({ due_on: day }) => shortDay(day) },
    { title: 'For', cell: billTitle },
    { title: 'Home', cell: (bill) => homeOf(unitOfBill(bill)) },
  ],
  sheet: (bill) => ({
    Number: bill.number,
    Tenants: tenantsOf(bill),
    Status: billState(bill).name,
    Amount: numberOf({ amount: bill.total, currency: bill.currency }),
    'Still to pay': numberOf({ amount: bill.amount_due, currency: bill.currency }),
    Currency: bill.currency.toUpperCase(),
    Due: bill.due_on,
    For: billTitle(bill),
    Home: homeOf(unitOfBill(bill)),
  }),
  filters: [
    {
      name: 'overdue',
      label: 'Overdue',
      isClosed: true,
      choices: [
        { id: 'true', name: 'Only overdue' },
        { id: 'false', name: 'Not overdue' },
      ],
    },
    {
      name: 'status',
      label: 'Status',
      isClosed: true,
      choices: [
        { id: 'draft', name: 'Draft' },
        { id: 'open', name: 'To pay or overdue' },
        { id: 'paid', name: 'Paid' },
        { id: 'void', name: 'Cancelled' },
        { id: 'uncollectible', name: 'Given up' },
      ],
    },
  ],
  empty: {
    title: 'No rent yet',
    text: 'Tenure bills the rent of each tenancy that your connected programs set up for it.',
  },
};

/** The list of bills, most of which are for rent. */
export function BillListPage(): ReactNode {
  return <ListPage list={billList} search={billListRoute.useSearch()} tabs={<RentLinks />} />;
}
