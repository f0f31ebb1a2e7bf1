import type { ReactNode } from 'react';
import type { Event, ProviderAData, Reference } from 'tenure';
import type { Tone } from '@tenure/ui';
import { useRead } from '../../api/requests.ts';
import { useSession } from '../../api/session.ts';
import {
  isLong,
  notesOf,
  serviceOf,
  serviceVerdict,
  silentReferee,
  standingAt,
  standingOf,
  waitsForUnnamedReferee,
} from '../../office/checks.ts';
import { Notice } from '../../office/parts.tsx';
import { eventsRead } from '../../office/reads.ts';
import { rentText, shareOf } from '../../office/words.ts';
import { useNow } from '../../shell/now.ts';
import styles from '../../office/office.module.css';
import { Moment } from '../../office/account-time.tsx';
import { applicationOf } from './reference-words.ts';

/** The rent takes at most this share, in percent, if the income is thirty times the monthly rent. */
const rentShareMax = 40;

/** What the service has found, in words: affordability, credit and sanctions. */
export function Findings({ reference }: { reference: Reference }): ReactNode {
  const data = reference.automatic_reference?.provider_data?.provider_a;
  const isEmpty =
    !data || [data.affordability.percentage, data.credit_score, data.sanctions_passed].every((value) => value === null);
  if (isEmpty) {
    return <p className={styles.quiet}>{emptyText(reference)}</p>;
  }
  return (
    <div className={styles.findings}>
      {data && !isEmpty && (
        <>
          <Affordability data={data} reference={reference} />
          <Credit score={data.credit_score} isDone={hasServiceEnded(reference)} />
          <Sanctions passed={data.sanctions_passed} />
        </>
      )}
      {hasServiceEnded(reference) && (
        <Notice tone="neutral" title="Referees">
          <p>What the employer and the former landlord said is in the report. Their names stay with the service.</p>
        </Notice>
      )}
    </div>
  );
}

/** Returns whether the service has come to an end itself. The office can end or cancel a check before. */
function hasServiceEnded(reference: Reference): boolean {
  return reference.status === 'complete' && serviceVerdict(reference) !== null;
}

/** Says why there are no findings. */
function emptyText(reference: Reference): string {
  const { status, reference_pdf: pdf } = reference;
  if (status === 'canceled') return 'No findings had come in when the check was cancelled.';
  if (status === 'complete' && !hasServiceEnded(reference))
    return 'No findings had come in when your office ended the check.';
  if (pdf === null) return 'No findings have come in yet.';
  return 'The findings are in the report below. This service sends them in no other form.';
}

function Affordability({ data, reference }: { data: ProviderAData; reference: Reference }): ReactNode {
  const { percentage, status } = data.affordability;
  const application = applicationOf(reference);
  const share = application && shareOf(application);
  if (percentage === null)
    return (
      <Notice tone="neutral" title="Affordability: not known yet">
        <p>The rent has not been held against a verified income.</p>
      </Notice>
    );
  const tone: Tone = status === 'fail' ? 'bad' : percentage > rentShareMax || status === 'refer' ? 'warning' : 'good';
  return (
    <Notice tone={tone} title={`Affordability: ${affordabilityTexts[status ?? ''] ?? 'judged by the service'}`}>
      <p>
        <strong>{percentage.toLocaleString('en-GB')} %</strong> of the gross income goes on{' '}
        {share === null
          ? 'the rent'
          : application!.customers.length > 1
            ? `this person’s share of the rent, ${rentText(share)}`
            : `the rent of this home, ${rentText(share)}`}
        .
      </p>
      <svg
        className={styles.bar}
        viewBox="0 0 100 8"
        preserveAspectRatio="none"
        role="img"
        aria-label={`${percentage} percent of the income. The usual limit is ${rentShareMax} percent.`}
      >
        <rect className={styles.measure} data-tone={tone} width={Math.min(100, Math.max(0, percentage))} height="8" />
        <rect className={styles.mark} x={rentShareMax} width="0.6" height="8" />
      </svg>
      <p className={styles.quiet}>
        Up to {rentShareMax} % is usual: a year’s income is then thirty times the monthly rent.
      </p>
    </Notice>
  );
}

const affordabilityTexts: Readonly<Record<string, string>> = {
  pass: 'passed',
  refer: 'to be weighed by a person',
  fail: 'failed',
};

/** The best score on the scale of the simulated services. The API does not tell the scale of a real one. */
const sandboxScoreMax = 999;

function Credit({ score, isDone }: { score: number | null; isDone: boolean }): ReactNode {
  const { mode } = useSession();
  if (score === null) {
    return (
      <Notice tone="neutral" title={isDone ? 'Credit: no file found' : 'Credit: not known yet'}>
        {isDone && <p>This is no bad sign. Many people who are young or new to the country have no credit file.</p>}
      </Notice>
    );
  }
  return (
    <Notice tone="neutral" title={`Credit: ${score}${mode === 'sandbox' ? ` of ${sandboxScoreMax}` : ''}`}>
      <p>
        {mode === 'sandbox' ? `The scale goes from 0 to ${sandboxScoreMax}.` : 'The report below has the scale.'} Higher
        is better. What the credit file says is in the report.
      </p>
    </Notice>
  );
}

function Sanctions({ passed }: { passed: boolean | null }): ReactNode {
  if (passed === null) return <Notice tone="neutral" title="Sanctions: not known yet" />;
  if (passed)
    return (
      <Notice tone="good" title="Sanctions: passed">
        <p>The person was found on no list of sanctions.</p>
      </Notice>
    );
  return (
    <Notice tone="bad" title="Sanctions: not passed">
      <p>The person may be on a list of sanctions. Agree to nothing until that is settled.</p>
    </Notice>
  );
}

/** The referee that the check waits for, by the role, and what can be done. Names and addresses stay with the service. */
export function Waiting({ reference }: { reference: Reference }): ReactNode {
  const now = useNow(60_000);
  const silent = silentReferee(reference);
  if (waitsForUnnamedReferee(reference)) return <WaitingForUnnamed reference={reference} />;
  if (silent === null) return <p>{standingOf(reference).text}</p>;
  const days = Math.floor((now - silent.askedAt) / 86_400);
  return (
    <Notice level={2} tone={isLong(silent.askedAt, now) ? 'warning' : 'waiting'} title={`Waiting for ${silent.role}`}>
      <p>
        {days < 1 ? 'Asked less than a day ago' : `Silent for ${days} ${days === 1 ? 'day' : 'days'}`}
        {silent.reminders > 0 && `, reminded ${silent.reminders === 1 ? 'once' : `${silent.reminders} times`}`}. First
        asked on <Moment at={silent.askedAt} />.
      </p>
      <p>
        You can ask the applicant to remind {silent.role}, wait, or enter the outcome yourself. The service ends the
        check without an answer after some days.
      </p>
    </Notice>
  );
}

/** A referee that the service does not name, not even by the role. The time of the request is in the history. */
function WaitingForUnnamed({ reference }: { reference: Reference }): ReactNode {
  const now = useNow(60_000);
  const askedAt = useAskedAt(reference);
  const days = askedAt === null ? 0 : Math.floor((now - askedAt) / 86_400);
  return (
    <Notice level={2} tone={standingAt(reference, now, askedAt).tone} title="Waiting for a referee">
      <p>
        {askedAt === null ? (
          'The service has asked the referees.'
        ) : (
          <>
            Asked on <Moment at={askedAt} />
            {days < 1 ? '' : `, ${days} ${days === 1 ? 'day' : 'days'} ago`}.{' '}
          </>
        )}{' '}
        {serviceOf(reference)} does not say which referee has not answered.
      </p>
      <p>
        You can ask the applicant to remind the employer and the former landlord, wait, choose another service, or enter
        the outcome yourself.
      </p>
    </Notice>
  );
}

/** Returns when the service asked the referees that it does not name, by the history of the check. Null if it asked none, or is not known. */
export function useAskedAt(reference: Reference): number | null {
  const isOn = waitsForUnnamedReferee(reference);
  const { data: events = [] } = useRead(eventsRead, { object_id: reference.id }, { isOn });
  return isOn ? (events.find(isRequestToReferees)?.created ?? null) : null;
}

/** Returns whether an event tells that the service began to wait for referees. */
function isRequestToReferees({ type, data }: Event): boolean {
  if (type !== 'reference.updated') return false;
  const { automatic_reference: is } = data.object as Partial<Reference>;
  const { automatic_reference: was } = (data.previous_attributes ?? {}) as Partial<Reference>;
  return is?.status === 'awaiting_referee' && was?.status !== undefined;
}

/** The notes of the service with their times, the newest first. */
export function Notes({ reference }: { reference: Reference }): ReactNode {
  const notes = notesOf(reference).toReversed();
  if (notes.length === 0) return <p className={styles.quiet}>The service has sent no notes.</p>;
  return (
    <ol className={styles.lines} aria-label="Notes of the service">
      {notes.map(({ created, message }, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- Two notes can be equal, and none moves.
        <li key={`${created} ${index}`} className={styles.line}>
          <Moment at={created} />
          <span>{message}</span>
        </li>
      ))}
    </ol>
  );
}
