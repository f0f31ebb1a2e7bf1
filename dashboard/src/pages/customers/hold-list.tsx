import type { ReactNode } from 'react';
import type { RetentionHold, RetentionHoldsListParams } from 'tenure';
import { Moment } from '../../office/account-time.tsx';
import { dayText, idOf } from '../../office/words.ts';
import type { ListDefinition } from '../../list/list-definition.ts';
import { ListPage } from '../../list/list-page.tsx';
import { holdListRoute } from '../../routes.tsx';
import { dutyText, duties } from './hold-words.ts';
import { HoldBadge } from './holds.tsx';

const statuses = [
  { id: 'held', name: 'Kept' },
  { id: 'expired', name: 'Erased' },
];

const holdList: ListDefinition<RetentionHold, 'kind' | 'status'> = {
  title: 'Kept by law',
  noun: 'entries',
  load: (tenure, params, options) => tenure.retentionHolds.list(params as RetentionHoldsListParams, options),
  // The page of the erased person has the button that reveals the data.
  hrefOf: ({ customer }) => `/customers/${idOf(customer)}`,
  columns: [
    { title: 'Duty', cell: ({ kind }) => dutyText(kind) },
    { title: 'Status', cell: (hold) => <HoldBadge hold={hold} /> },
    { title: 'Until', cell: ({ until }) => dayText(until) },
    { title: 'Law', cell: ({ basis }) => basis },
    { title: 'Person erased', align: 'end', cell: ({ created }) => <Moment at={created} isShort /> },
  ],
  filters: [
    { name: 'status', label: 'Status', isClosed: true, choices: statuses },
    { name: 'kind', label: 'Duty', isClosed: true, choices: duties },
  ],
  empty: {
    title: 'Nothing is kept',
    text: 'When you erase a person, the law can require that some data stays for a time. It then stands here, locked away.',
  },
};

/** What legal duties keep of erased persons. */
export function HoldListPage(): ReactNode {
  return <ListPage list={holdList} search={holdListRoute.useSearch()} />;
}
