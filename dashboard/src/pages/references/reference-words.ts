import type { Application, Customer, Reference } from 'tenure';
import { documentPrefix, isByService, problemOf, serviceVerdict } from '../../office/checks.ts';
import type { Step } from '../../office/parts.tsx';
import { nameOf } from '../../office/words.ts';

/** Returns what people call a check. */
export function titleOf({ customer }: Reference): string {
  return `Check of ${nameOf(customer)}`;
}

/** Returns the application of a check, if it is kept here. */
export function applicationOf({ application }: Reference): Application | null {
  return typeof application === 'object' ? application : null;
}

/** Returns the person of a check, if they are kept here. */
export function personOf({ customer }: Reference): Customer | null {
  return customer !== null && typeof customer === 'object' && 'email' in customer ? customer : null;
}

/** Returns the documents that the metadata of a check names. An earlier dashboard added documents so. */
export function documentsInMetadata({ metadata }: Reference): { id: string; filename: string }[] {
  return Object.entries(metadata).flatMap(([key, filename]) => {
    const id = key.slice(documentPrefix.length);
    return key.startsWith(documentPrefix) && /^file_\w+$/.test(id) ? [{ id, filename }] : [];
  });
}

export function isOpen({ status, deleted }: Reference): boolean {
  return (status === 'pending' || status === 'processing') && deleted !== true;
}

/** Seconds after a decision in which its report is expected. */
const issueSeconds = 60;

/**
 * Returns whether the report about the last decision is still being made. A file that the office has attached itself stays. A report of the
 * second of the decision is the new one. Only the first report of a service can be older.
 */
export function isReportComing(reference: Reference, now: number): boolean {
  const { id, status, decision, deleted, reference_pdf: pdf, earlier_reports: earlier } = reference;
  if (decision === null || status !== 'complete' || deleted || now > decision.decided_at + issueSeconds) return false;
  if (pdf === null) return true;
  if (typeof pdf !== 'object' || !pdf.filename.startsWith(id)) return false;
  const isFirst = isByService(reference) && earlier.length === 0;
  return pdf.created < decision.decided_at || (isFirst && pdf.created === decision.decided_at);
}

/** For so many seconds, a corrected address counts for more than the old error. */
const sentSeconds = 60;

/** The words for a check whose invitation goes to a corrected address. */
export const sentAgain = 'Invitation sent again';

/** An address that a person of the office has corrected. */
export interface SentInvitation {
  to: string;
  /** In seconds since the Unix epoch. */
  at: number;
}

/**
 * Returns the address that gets the invitation again, or null. The service takes a moment to tell that the invitation went. Its old error
 * would say the contrary until then.
 */
export function sentToOf(reference: Reference, sent: SentInvitation | null, now: number): string | null {
  const isRecent = sent !== null && now - sent.at < sentSeconds;
  return isRecent && problemOf(reference)?.isAboutAddress ? sent.to : null;
}

const stages = [
  ['queued', 'Ordered'],
  ['invited', 'Applicant invited'],
  ['in_progress', 'Details checked'],
  ['awaiting_referee', 'Referees asked'],
  ['in_review', 'Assessed'],
] as const;

/**
 * Returns the way of a check to its outcome. A service may leave stages out.
 *
 * @param isSentAgain whether the obstacle is removed, although the service has not told yet.
 */
export function stepsOf(reference: Reference, { isSentAgain }: { isSentAgain: boolean }): Step[] {
  const { status, automatic_reference: automatic } = reference;
  const isDone = status === 'complete';
  const end: Step = isDone
    ? { name: 'Outcome', state: 'done' }
    : { name: 'Outcome', state: status === 'canceled' ? 'stopped' : 'ahead' };
  if (status === 'canceled')
    return [
      { name: 'Ordered', state: 'done' },
      { ...end, name: 'Cancelled' },
    ];
  if (!isByService(reference)) {
    const begun = status === 'processing' ? 'now' : isDone ? 'done' : 'ahead';
    return [
      { name: 'Ordered', state: status === 'pending' ? 'now' : 'done' },
      { name: 'Under way by hand', state: begun },
      end,
    ];
  }
  // The office has entered the outcome before the service had one.
  if (isDone && serviceVerdict(reference) === null)
    return [{ name: 'Ordered', state: 'done' }, { name: 'Ended by your office', state: 'done' }, end];
  const isStopped = problemOf(reference) !== null && !isSentAgain;
  const at = stages.findIndex(([stage]) => stage === automatic?.status);
  const current = at < 0 ? 0 : at;
  const steps = stages.map(([, name], index): Step => {
    if (isDone || index < current) return { name, state: 'done' };
    if (index > current) return { name, state: 'ahead' };
    return { name, state: isStopped ? 'stopped' : 'now' };
  });
  return [...steps, end];
}
