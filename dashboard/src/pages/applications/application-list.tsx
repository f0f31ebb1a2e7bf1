import type { ReactNode } from 'react';
import type { Application, ApplicationsListParams } from 'tenure';
import { ButtonLink } from '@tenure/ui';
import { useRefusal } from '../../api/session.ts';
import type { ListDefinition } from '../../list/list-definition.ts';
import { ListPage } from '../../list/list-page.tsx';
import { inApplication } from '../../office/reads.ts';
import { homeOf, numberOf, rentText } from '../../office/words.ts';
import { Moment } from '../../office/account-time.tsx';
import { applicationListRoute } from '../../routes.tsx';
import { GatedLink } from '../../shell/gated.tsx';
import { CheckCounts, peopleOf, StateBadge, stateOf } from './application-words.tsx';

const applicationList: ListDefinition<Application, 'status'> = {
  title: 'Applications',
  noun: 'applications',
  load: (tenure, { status, ...params }, options) =>
    tenure.applications.list(
      {
        ...params,
        ...(status !== undefined && { status: status as NonNullable<ApplicationsListParams['status']> }),
        expand: inApplication,
      },
      options,
    ),
  hrefOf: ({ id }) => `/applications/${id}`,
  columns: [
    { title: 'Applicants', cell: (application) => peopleOf(application) },
    { title: 'Status', cell: (application) => <StateBadge application={application} /> },
    { title: 'Checks', cell: ({ references }) => <CheckCounts references={references} /> },
    { title: 'Home', cell: ({ unit }) => homeOf(unit) },
    { title: 'Rent', align: 'end', cell: ({ rent }) => rentText(rent) },
    { title: 'Taken', align: 'end', cell: ({ created }) => <Moment at={created} isDay /> },
  ],
  sheet: (application) => ({
    Applicants: peopleOf(application),
    Home: homeOf(application.unit),
    Rent: application.rent && numberOf(application.rent),
    Currency: application.rent?.currency.toUpperCase(),
    Every: application.rent?.interval,
    Status: stateOf(application).name,
    'Move in': application.move_in_date,
  }),
  filters: [
    {
      name: 'status',
      label: 'Status',
      isClosed: true,
      choices: [
        { id: 'open', name: 'Open' },
        { id: 'approved', name: 'Accepted' },
        { id: 'rejected', name: 'Refused' },
        { id: 'withdrawn', name: 'Withdrawn' },
        { id: 'converted', name: 'Let' },
      ],
    },
  ],
  empty: {
    title: 'No applications yet',
    text: 'An application names the people who want to rent a home together. Take one, and order the checks of all applicants with it.',
    action: (
      <ButtonLink look="primary" href="/applications/new">
        Take an application
      </ButtonLink>
    ),
  },
};

/** The list of applications. */
export function ApplicationListPage(): ReactNode {
  const refusal = useRefusal('applications.write');
  return (
    <ListPage
      list={applicationList}
      search={applicationListRoute.useSearch()}
      actions={
        <GatedLink refusal={refusal} href="/applications/new">
          Take an application
        </GatedLink>
      }
    />
  );
}
