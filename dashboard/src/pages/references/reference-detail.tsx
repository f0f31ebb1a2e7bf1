import { useState, type ReactNode } from 'react';
import type { Reference } from 'tenure';
import { Badge, Details, Link } from '@tenure/ui';
import { useSession } from '../../api/session.ts';
import { isByService, problemOf, serviceOf } from '../../office/checks.ts';
import { History } from '../../office/history.tsx';
import { LinkedName } from '../../office/linked-name.tsx';
import { ForDevelopers, PersonLink, StandingBadge, Steps } from '../../office/parts.tsx';
import { useRead } from '../../api/requests.ts';
import { referenceRead, reportsOf } from '../../office/reads.ts';
import { RecordPage } from '../../office/record-page.tsx';
import { DownloadButton, FileFrame } from '../../office/report-file.tsx';
import { homeOf, idOf, nameOf, rentText, reportName, shareOf } from '../../office/words.ts';
import { referenceRoute } from '../../routes.tsx';
import { useNow } from '../../shell/now.ts';
import { Section } from '../../shell/page.tsx';
import styles from '../../office/office.module.css';
import { Moment } from '../../office/account-time.tsx';
import { FileLinks } from '../files/file-links.tsx';
import { ReferenceActions } from './actions.tsx';
import { Documents } from './documents.tsx';
import { Findings, Notes, useAskedAt, Waiting } from './findings.tsx';
import { Outcome } from './outcome.tsx';
import { ProblemNotice } from './problem.tsx';
import {
  applicationOf,
  isOpen,
  isReportComing,
  personOf,
  sentAgain,
  sentToOf,
  stepsOf,
  titleOf,
  type SentInvitation,
} from './reference-words.ts';
import { SandboxTools } from './sandbox-tools.tsx';

/** How often an open check is read again, in milliseconds. */
const refreshMs = 3_000;

/** One check: where it stands, what was found, the report, and what can be done. */
export function ReferencePage(): ReactNode {
  const { id } = referenceRoute.useParams();
  // What the page remembers, such as a corrected address, is of one check alone.
  return <OneReference key={id} id={id} />;
}

function OneReference({ id }: { id: string }): ReactNode {
  const { mode } = useSession();
  const now = useNow(1_000);
  const [sent, setSent] = useState<SentInvitation | null>(null);
  const query = useRead(
    referenceRead,
    { id },
    { refreshMs: (reference) => (isOpen(reference) || isReportComing(reference, now) ? refreshMs : false) },
  );
  return (
    <RecordPage
      id={id}
      noun="Check"
      parent={{ href: '/references', name: 'Checks' }}
      query={query}
      titleOf={titleOf}
      badge={(reference) =>
        sentToOf(reference, sent, now) === null ? (
          <PageBadge reference={reference} />
        ) : (
          <Badge tone="waiting">{sentAgain}</Badge>
        )
      }
      actions={(reference) => <ReferenceActions reference={reference} />}
    >
      {(reference) => (
        <>
          <Steps
            label="The way of the check"
            steps={stepsOf(reference, { isSentAgain: sentToOf(reference, sent, now) !== null })}
          />
          <ProblemNotice
            reference={reference}
            sentTo={sentToOf(reference, sent, now)}
            onSent={(to) => setSent({ to, at: now })}
          />
          {reference.outcome !== null && <Outcome reference={reference} />}
          {reference.outcome === null && problemOf(reference) === null && <Waiting reference={reference} />}
          <Section title="About">
            <About reference={reference} />
          </Section>
          {isByService(reference) && !reference.deleted && (
            <Section title="Findings">
              <Findings reference={reference} />
            </Section>
          )}
          <ForLandlord reference={reference} />
          <Report reference={reference} isComing={isReportComing(reference, now)} />
          {/* Documents come late, and would move the buttons above. An open check by hand has no report yet. */}
          {!isByService(reference) && !reference.deleted && <Documents reference={reference} />}
          {isByService(reference) && !reference.deleted && (
            <Section title="Notes of the service">
              <Notes reference={reference} />
            </Section>
          )}
          {mode === 'sandbox' && isByService(reference) && isOpen(reference) && <SandboxTools reference={reference} />}
          <Section title="History">
            <History filter={{ object_id: reference.id }} files={reportsOf(reference)} evidenceFor={reference.id} />
          </Section>
          <ForDevelopers record={reference} />
        </>
      )}
    </RecordPage>
  );
}

/** Where a check stands. Its history tells when a referee was asked, which lists of checks do not read. */
function PageBadge({ reference }: { reference: Reference }): ReactNode {
  return <StandingBadge reference={reference} askedAt={useAskedAt(reference)} />;
}

function About({ reference }: { reference: Reference }): ReactNode {
  const application = applicationOf(reference);
  const share = application && shareOf(application);
  const person = personOf(reference);
  return (
    <Details
      items={[
        ['Person', <PersonLink key="person" person={reference.customer} />],
        ...(person?.email ? [['E-mail', person.email] as const] : []),
        [
          'Application',
          application === null ? (
            'Kept in another system'
          ) : (
            <LinkedName key="application" record={application} name={homeOf(application.unit)} />
          ),
        ],
        ['Rent', application && rentText(application.rent)],
        ...(share !== null && application!.customers.length > 1
          ? [['Share of this person', rentText(share)] as const]
          : []),
        ['Made by', serviceOf(reference)],
        ['Ordered', <Moment key="created" at={reference.created} />],
      ]}
    />
  );
}

/** The PDF in the page, and the earlier ones. */
function Report({ reference, isComing }: { reference: Reference; isComing: boolean }): ReactNode {
  const { reference_pdf: pdf, earlier_reports: earlier, customer } = reference;
  if (reference.deleted || (pdf === null && !isComing)) return null;
  const isMissing = typeof pdf === 'string';
  const isThere = pdf !== null && !isMissing;
  return (
    <Section
      title="Report"
      actions={isThere && <DownloadButton id={idOf(pdf)} name={reportName(customer, applicationOf(reference)?.unit)} />}
    >
      {isComing && <p className={styles.quiet}>The report about the decision is being made.</p>}
      {isMissing && <p className={styles.quiet}>The file of the report is not kept here, or was deleted.</p>}
      {isThere && <FileFrame id={idOf(pdf)} title={`Report about ${nameOf(customer)}`} />}
      {earlier.length > 0 && <EarlierReports reference={reference} />}
    </Section>
  );
}

/** The links with which the landlord reads the report. */
function ForLandlord({ reference: { reference_pdf: pdf, deleted } }: { reference: Reference }): ReactNode {
  if (deleted || pdf === null || typeof pdf === 'string') return null;
  return <FileLinks file={pdf.id} isReport />;
}

/** The reports that later ones have replaced, the newest first. */
function EarlierReports({ reference }: { reference: Reference }): ReactNode {
  const files = reference.earlier_reports.toReversed();
  return (
    <>
      <h3>Earlier reports</h3>
      <ul className={styles.lines} aria-label="Earlier reports">
        {files.map((file) => (
          <li key={idOf(file)} className={styles.line}>
            {typeof file === 'string' ? (
              <span className={styles.quiet}>A file that is not kept here, or was deleted</span>
            ) : (
              <>
                <Moment at={file.created} />
                <Link href={`/files/${file.id}`}>Report about {nameOf(reference.customer)}, replaced</Link>
              </>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
