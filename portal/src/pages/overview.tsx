import type { ReactNode } from 'react';
import { Icon } from '@tenure/ui/icons';
import { dayText, money } from '@tenure/ui/words';
import { areSettled, useRead } from '../api/reads.ts';
import type { Application, Feature, Guarantee, Page as ListOf, Tenancy } from '../api/shapes.ts';
import { Card, Facts, Notice, Skeleton } from '../kit/parts.tsx';
import { Link } from '../router.tsx';
import { useMe } from '../shell/context.ts';
import { Page } from '../shell/page.tsx';
import { pagesFor } from '../shell/pages.ts';
import styles from '../shell/shell.module.css';
import {
  agentName,
  amountText,
  applicationStatus,
  byUrgency,
  firstName,
  homeText,
  noticeEffect,
  noticeOfLandlord,
  tenancyStatus,
} from '../words.ts';
import { guaranteeTexts } from './application.tsx';
import { applicationsPath, tenancyFeatures, tenanciesPath } from './paths.ts';

/** The first page: what the person has to do, and all pages. */
export function OverviewPage(): ReactNode {
  const me = useMe();
  const { features } = me.session;
  const applications = useRead<ListOf<Application>>(has(features, 'applications') ? applicationsPath : null);
  const tenancies = useRead<ListOf<Tenancy>>(has(features, ...tenancyFeatures) ? tenanciesPath : null);
  const isReady =
    (areSettled(applications) || !has(features, 'applications')) &&
    (areSettled(tenancies) || !has(features, ...tenancyFeatures));
  return (
    <Page title={`Hello, ${firstName(me.name)}`} lead={`Your page at ${agentName(me.account)}.`} parent={null}>
      {isReady ? (
        <>
          {/* A person that has a home cares for that first. */}
          <TenancyTasks tenancies={tenancies.data?.data ?? []} />
          <ApplicationTasks applications={applications.data?.data ?? []} />
          <GuaranteeTasks guarantees={me.guarantees} />
          <AllPages tenancies={tenancies.data?.data ?? []} />
        </>
      ) : (
        <Skeleton />
      )}
    </Page>
  );
}

/** The pages that only a tenant needs, and whether a tenancy has something on them. */
const tenantPages: Readonly<Record<string, (tenancy: Tenancy) => boolean>> = {
  '/home': () => true,
  '/pets': ({ actions, pet_requests: requests }) => actions.includes('request_pet') || requests.length > 0,
  '/notice': ({ status }) => status !== 'ended' && status !== 'canceled',
};

function AllPages({ tenancies }: { tenancies: readonly Tenancy[] }): ReactNode {
  const entries = pagesFor(useMe().session.features).filter(
    ({ path }) => tenantPages[path] === undefined || tenancies.some(tenantPages[path]),
  );
  if (entries.length === 0)
    return (
      <Notice>
        <p>There is nothing here yet. Your agent will tell you when there is.</p>
      </Notice>
    );
  return (
    <nav aria-label="All pages">
      <ul className={styles.menu}>
        {entries.map((entry) => (
          <li key={entry.path}>
            <Link to={entry.path}>
              <Icon name={entry.icon} size={22} />
              <span>
                <strong>{entry.name}</strong>
                <small>{entry.text}</small>
              </span>
              <Icon name="chevronRight" />
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function ApplicationTasks({ applications }: { applications: readonly Application[] }): ReactNode {
  return currentOf(applications).map((application) => {
    const { id, home, asked } = application;
    const { text, tone } = applicationStatus(application);
    return (
      <Notice key={id} tone={tone}>
        <p>
          <strong>
            Your application{home && ` for ${homeText(home)}`}: {text.toLowerCase()}.
          </strong>{' '}
          {asked.length === 0 && <Link to="/application">See more</Link>}
        </p>
        {asked.length > 0 && (
          <p>
            {asked.length === 1 ? 'One thing is' : `${asked.length} things are`} missing.{' '}
            <Link to="/application">See what to do</Link>
          </p>
        )}
      </Notice>
    );
  });
}

/** What a guarantor is in for. */
function GuaranteeTasks({ guarantees }: { guarantees: readonly Guarantee[] }): ReactNode {
  return guarantees
    .filter(({ status }) => status === 'proposed' || status === 'agreed')
    .map(({ id, status, limit, agreed_on: agreedOn }) => (
      <Card key={id} title="You as a guarantor">
        <p>{guaranteeTexts[status]}</p>
        <Facts
          items={[
            ['You pay at most', limit && money(limit)],
            ['Agreed on', agreedOn && dayText(agreedOn)],
          ]}
        />
      </Card>
    ));
}

/** Returns the applications that are not over, and those whose refusal can still be reviewed. Their order is that of their page. */
function currentOf(applications: readonly Application[]): readonly Application[] {
  return byUrgency(applications).filter(
    ({ status, review, actions }) =>
      ['open', 'approved'].includes(status) ||
      (status === 'rejected' && (actions.includes('request_review') || review?.status === 'requested')),
  );
}

function TenancyTasks({ tenancies }: { tenancies: readonly Tenancy[] }): ReactNode {
  const { features } = useMe().session;
  return tenancies
    .filter(({ status }) => status !== 'ended' && status !== 'canceled')
    .map((tenancy) => {
      const { id, home, rent, arrears, notice, pet_requests: pets, start_date: start } = tenancy;
      const isAsked = pets.some(({ status }) => status === 'information_asked') && has(features, 'pets');
      return (
        <Card key={id} title={homeText(home)}>
          <p>
            {notice?.by === 'landlord' ? (
              <>
                <strong>{noticeEffect(tenancy)}</strong> {noticeOfLandlord}
              </>
            ) : notice !== null ? (
              <strong>Your last day is {dayText(notice.ends_on)}.</strong>
            ) : tenancy.status === 'signed' ? (
              `You move in on ${dayText(start)}.`
            ) : (
              `${tenancyStatus(tenancy).text}.`
            )}
          </p>
          {arrears !== null && arrears.amount > 0 && (
            <Notice tone="bad">
              <p>
                {amountText(arrears.amount, rent.currency)} is overdue. <Link to="/rent">See what to do</Link>
              </p>
            </Notice>
          )}
          {isAsked && (
            <Notice tone="warning">
              <p>
                Your agent has a question about your pet. <Link to="/pets">Answer it</Link>
              </p>
            </Notice>
          )}
        </Card>
      );
    });
}

function has(features: readonly Feature[], ...wanted: readonly Feature[]): boolean {
  return wanted.some((feature) => features.includes(feature));
}
