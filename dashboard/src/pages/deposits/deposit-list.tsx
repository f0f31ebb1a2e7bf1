import type { ReactNode } from 'react';
import type { Deposit, DepositsListParams } from 'tenure';
import type { ListDefinition } from '../../list/list-definition.ts';
import { ListPage } from '../../list/list-page.tsx';
import { StateMark } from '../../office/letting-parts.tsx';
import { depositState } from '../../office/letting-words.ts';
import { homeOf, money, numberOf } from '../../office/words.ts';
import { depositListRoute } from '../../routes.tsx';
import { kindText, peopleOf } from './deposit-words.ts';

const depositList: ListDefinition<Deposit, 'status' | 'type'> = {
  title: 'Deposits',
  noun: 'deposits',
  load: (tenure, params, options) =>
    tenure.deposits.list(
      {
        ...(params as DepositsListParams),
        expand: ['data.unit.building', 'data.tenancy.customers', 'data.application.customers'],
      },
      options,
    ),
  hrefOf: ({ id }) => `/deposits/${id}`,
  columns: [
    { title: 'People', cell: peopleOf },
    { title: 'Status', cell: (deposit) => <StateMark state={depositState(deposit)} /> },
    { title: 'Held', align: 'end', cell: ({ amount_held: amount, currency }) => money({ amount, currency }) },
    { title: 'Asked for', align: 'end', cell: money },
    { title: 'Kind', cell: kindText },
    { title: 'Home', cell: ({ unit }) => homeOf(unit) },
  ],
  sheet: (deposit) => ({
    People: peopleOf(deposit),
    Status: depositState(deposit).name,
    Held: numberOf({ amount: deposit.amount_held, currency: deposit.currency }),
    'Asked for': numberOf(deposit),
    Currency: deposit.currency.toUpperCase(),
    Kind: kindText(deposit),
    'Received on': deposit.received_on,
    'Protected on': deposit.protected_on,
    Home: homeOf(deposit.unit),
  }),
  filters: [
    {
      name: 'status',
      label: 'Status',
      isClosed: true,
      choices: [
        { id: 'pending', name: 'Asked for' },
        { id: 'received', name: 'Received' },
        { id: 'protected', name: 'Protected' },
        { id: 'releasing', name: 'Being returned' },
        { id: 'disputed', name: 'Disputed' },
        { id: 'settled', name: 'Settled' },
        { id: 'canceled', name: 'Cancelled' },
      ],
    },
    {
      name: 'type',
      label: 'Kind',
      isClosed: true,
      choices: [
        { id: 'holding', name: 'Holding deposit' },
        { id: 'tenancy', name: 'Tenancy deposit' },
      ],
    },
  ],
  empty: {
    title: 'No deposits yet',
    text: 'Your connected programs ask for holding deposits and for the deposits of tenancies.',
  },
};

/** The list of deposits. */
export function DepositListPage(): ReactNode {
  return <ListPage list={depositList} search={depositListRoute.useSearch()} />;
}
