import type { ReactNode } from 'react';
import type { Reference, ReferencesListParams } from 'tenure';
import { ButtonLink } from '@tenure/ui';
import type { ListDefinition } from '../../list/list-definition.ts';
import { ListPage } from '../../list/list-page.tsx';
import { outcomes, serviceOf, standingOf } from '../../office/checks.ts';
import { StandingBadge } from '../../office/parts.tsx';
import { inReference } from '../../office/reads.ts';
import { homeOf, nameOf } from '../../office/words.ts';
import { Moment } from '../../office/account-time.tsx';
import { referenceListRoute } from '../../routes.tsx';
import { applicationOf } from './reference-words.ts';

const referenceList: ListDefinition<Reference, 'status' | 'outcome'> = {
  title: 'Checks',
  noun: 'checks',
  load: (tenure, params, options) =>
    tenure.references.list({ ...(params as ReferencesListParams), expand: inReference }, options),
  hrefOf: ({ id }) => `/references/${id}`,
  columns: [
    { title: 'Person', cell: ({ customer }) => nameOf(customer) },
    { title: 'Standing', cell: (reference) => <StandingBadge reference={reference} /> },
    { title: 'Home', cell: (reference) => homeOf(applicationOf(reference)?.unit ?? null) },
    { title: 'Made by', cell: (reference) => serviceOf(reference) },
    { title: 'Ordered', align: 'end', cell: ({ created }) => <Moment at={created} isShort /> },
  ],
  sheet: (reference) => ({
    Person: nameOf(reference.customer),
    Home: homeOf(applicationOf(reference)?.unit ?? null),
    Standing: standingOf(reference).title,
    'Made by': serviceOf(reference),
  }),
  refreshMs: (rows) => (rows.some(({ status }) => status === 'pending' || status === 'processing') ? 10_000 : false),
  filters: [
    {
      name: 'status',
      label: 'Status',
      isClosed: true,
      choices: [
        { id: 'pending', name: 'Not begun' },
        { id: 'processing', name: 'Under way' },
        { id: 'complete', name: 'Finished' },
        { id: 'canceled', name: 'Cancelled' },
      ],
    },
    { name: 'outcome', label: 'Outcome', isClosed: true, choices: outcomes },
  ],
  empty: {
    title: 'No checks yet',
    text: 'A check finds out whether a person can be relied on as a tenant. Order it with an application.',
    action: (
      <ButtonLink look="primary" href="/applications/new">
        Take an application
      </ButtonLink>
    ),
  },
};

/** The list of checks. */
export function ReferenceListPage(): ReactNode {
  return <ListPage list={referenceList} search={referenceListRoute.useSearch()} />;
}
