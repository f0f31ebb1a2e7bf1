import { useState, type ReactNode } from 'react';
import { ApiError, type Application } from 'tenure';
import { Checkbox, ConfirmDialog, Details, Table, toast } from '@tenure/ui';
import { useRead, useWrite } from '../../api/requests.ts';
import { useRefusal } from '../../api/session.ts';
import { History } from '../../office/history.tsx';
import { Duties } from '../../office/letting-parts.tsx';
import { ForDevelopers, PersonLink, Steps } from '../../office/parts.tsx';
import { applicationRead, checksRead } from '../../office/reads.ts';
import { MoreActions } from '../../office/more-actions.tsx';
import { RecordPage } from '../../office/record-page.tsx';
import { addressOf, dayText, homeOf, idOf, rentText, shareOf } from '../../office/words.ts';
import { applicationRoute } from '../../routes.tsx';
import { Section } from '../../shell/page.tsx';
import { LinkedName } from '../../office/linked-name.tsx';
import styles from '../../office/office.module.css';
import { isOpen as isOpenCheck } from '../references/reference-words.ts';
import { StateBadge, stepsOf, titleOf } from './application-words.tsx';
import { Checks } from './checks.tsx';
import { Decision } from './decision.tsx';
import { Guarantors } from './guarantors.tsx';

/** One application: the people, the home, the rent, the checks and the decision. */
export function ApplicationPage(): ReactNode {
  const { id } = applicationRoute.useParams();
  const query = useRead(applicationRead, { id });
  return (
    <RecordPage
      id={id}
      noun="Application"
      parent={{ href: '/applications', name: 'Applications' }}
      query={query}
      titleOf={titleOf}
      badge={(application) => <StateBadge application={application} />}
      actions={(application) => <Withdraw application={application} />}
    >
      {(application) => (
        <>
          <Steps label="The way of the application" steps={stepsOf(application)} />
          <Section title="Decision">
            <Decision application={application} />
          </Section>
          <Section title="People and rent">
            <People application={application} />
          </Section>
          <Section title="Home">
            <Details
              items={[
                ['Home', <LinkedName key="home" record={application.unit} name={homeOf(application.unit)} />],
                ['Address', addressOf(application.unit)],
                ['Rent offered', rentText(application.rent)],
                ['Rent asked', typeof application.unit === 'object' ? rentText(application.unit?.rent ?? null) : null],
                ['Move-in', dayText(application.move_in_date)],
                ...(application.tenancy === null
                  ? []
                  : [
                      [
                        'Tenancy',
                        <LinkedName key="tenancy" record={application.tenancy} name="The signed tenancy" />,
                      ] as const,
                    ]),
              ]}
            />
          </Section>
          <Duties checks={application.checks} />
          <Checks application={application} />
          <Guarantors application={application} />
          <Section title="History">
            <History
              filter={{ related_object: application.id }}
              people={application.customers.length > 1 ? application.customers : []}
            />
          </Section>
          <ForDevelopers record={application} />
        </>
      )}
    </RecordPage>
  );
}

function People({ application }: { application: Application }): ReactNode {
  const { customers, rent } = application;
  const share = shareOf(application);
  if (customers.length === 0) return <p className={styles.quiet}>The application names no person yet.</p>;
  return (
    <>
      <Table
        label="People and rent"
        rows={customers.map((person) => ({ id: idOf(person), person }))}
        columns={[
          { title: 'Applicant', cell: ({ person }) => <PersonLink person={person} /> },
          // A narrow screen shows two columns at once.
          { title: 'Share of the rent', cell: () => (share === null ? '–' : rentText(share)) },
          {
            title: 'E-mail',
            cell: ({ person }) => (typeof person === 'object' && 'email' in person ? (person.email ?? '–') : '–'),
          },
          {
            title: 'Phone',
            cell: ({ person }) => (typeof person === 'object' && 'phone' in person ? (person.phone ?? '–') : '–'),
          },
        ]}
      />
      {rent !== null && customers.length > 1 && (
        <p className={styles.quiet}>
          {rentText(rent)} in all. Each pays the same share{share === null ? '' : `, ${rentText(share)}`}, and each is
          liable for the whole rent.
        </p>
      )}
    </>
  );
}

/** Passes over a check that has ended since the page was read. */
function unlessEnded(error: unknown): void {
  if (!(error instanceof ApiError && error.code === 'status_transition_invalid')) throw error;
}

/** Notes that the applicants gave up, and cancels the checks that are still open. */
function Withdraw({ application }: { application: Application }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const [areCanceled, setCanceled] = useState(true);
  const refusal = useRefusal('applications.write');
  const mayCancel = useRefusal('references.write') === null;
  const { data: checks = [], isLoading } = useRead(checksRead, { application: application.id });
  const open = checks.filter(isOpenCheck);
  const withdrawing = useWrite<{ id: string; canceled: string[] }, Application>(
    async (tenure, { id, canceled }, options) => {
      // Each has a key of its own, so that a second attempt goes on where the first one ended.
      for (const check of canceled)
        await tenure.references
          .cancel(check, {}, { ...options, idempotencyKey: `${options.idempotencyKey}-${check}` })
          .catch(unlessEnded);
      return tenure.applications.withdraw(id, {}, options);
    },
    {
      onDone: () => {
        toast('The application is withdrawn.');
        setOpen(false);
      },
    },
  );
  if (application.status !== 'open' && application.status !== 'approved') return null;
  return (
    <>
      <MoreActions name="The applicants withdrew" refusal={refusal} onAction={() => setOpen(true)} />
      <ConfirmDialog
        title="The applicants withdrew?"
        isOpen={isOpen}
        onCancel={() => setOpen(false)}
        onConfirm={() =>
          withdrawing.mutate({
            id: application.id,
            canceled: mayCancel && areCanceled ? open.map(({ id }) => id) : [],
          })
        }
        confirmText="Withdraw the application"
        isPending={withdrawing.isPending || isLoading}
      >
        <p>The application is closed, and cannot be opened again.</p>
        {open.length > 0 && mayCancel && (
          <Checkbox isSelected={areCanceled} onChange={setCanceled}>
            Cancel the checks that are under way ({open.length})
          </Checkbox>
        )}
        {open.length > 0 && !mayCancel && <p>Its open checks go on until a colleague cancels each of them.</p>}
        {withdrawing.error !== null && <p role="alert">{withdrawing.error.message}</p>}
      </ConfirmDialog>
    </>
  );
}
