import type { Reference } from 'tenure';
import type { Tone } from '@tenure/ui';
import { capital, plain } from './words.ts';

/**
 * The pair of a check's metadata that keeps the name of a document begins so. The id of the file follows. Only an earlier dashboard wrote
 * such pairs.
 */
export const documentPrefix = 'document ';

/* Where a check stands, in words. */

/** Where a check stands. */
export interface Standing {
  tone: Tone;
  /** In two or three words, for a badge. */
  title: string;
  /** In a sentence. */
  text: string;
  /** Whether a person of the office must do something. */
  isStuck: boolean;
}

/** The verdicts, from good to bad. */
export const outcomes = [
  { id: 'accept', name: 'Accept', tone: 'good', text: 'The checks gave no reason against a tenancy.' },
  { id: 'consider', name: 'Consider', tone: 'warning', text: 'Weigh something in the checks before you agree.' },
  { id: 'high_risk', name: 'High risk', tone: 'bad', text: 'The checks gave strong reasons to be careful.' },
] as const satisfies readonly { id: string; name: string; tone: Tone; text: string }[];

/** Returns a verdict with its name, or null for none. */
export function outcomeOf(outcome: string | null): { id: string; name: string; tone: Tone; text: string } | null {
  if (outcome === null) return null;
  return outcomes.find(({ id }) => id === outcome) ?? { id: outcome, name: outcome, tone: 'neutral', text: '' };
}

/** The referencing services that can be chosen. */
export const services = [
  { id: 'provider_a', name: 'Service A' },
  { id: 'provider_b', name: 'Service B' },
  { id: 'provider_c', name: 'Service C' },
  { id: 'provider_d', name: 'Service D' },
] as const;

/** Returns the name of the party that makes a check. */
export function serviceOf({ automatic_reference: automatic }: Reference): string {
  if (!automatic?.enabled) return 'Your office';
  return services.find(({ id }) => id === automatic.provider)?.name ?? 'A referencing service';
}

/** Returns whether a referencing service makes the check. */
export function isByService({ automatic_reference: automatic }: Reference): boolean {
  return automatic?.enabled === true;
}

const stages: Readonly<Record<string, { title: string; text: string }>> = {
  queued: { title: 'Ordered', text: 'The service has the order and will begin soon.' },
  invited: { title: 'Waiting for the applicant', text: 'The service has invited the applicant to give their details.' },
  in_progress: { title: 'Being checked', text: 'The service is checking the details.' },
  awaiting_referee: { title: 'Waiting for a referee', text: 'The service has asked the referees.' },
  in_review: { title: 'Being assessed', text: 'An assessor of the service is weighing what was found.' },
};

/** Returns where a check stands. */
export function standingOf(reference: Reference): Standing {
  const { status, outcome, automatic_reference: automatic } = reference;
  if (reference.deleted) return ended('Person erased', 'The person was erased, so the findings are gone.');
  if (status === 'canceled') return ended('Cancelled', 'The check was cancelled. It has no outcome.');
  if (status === 'complete') {
    const found = outcomeOf(outcome);
    return {
      tone: found?.tone ?? 'neutral',
      title: found?.name ?? 'Finished',
      text: found?.text ?? '',
      isStuck: false,
    };
  }
  const problem = problemOf(reference);
  if (problem !== null) return { tone: 'bad', title: problem.title, text: problem.text, isStuck: true };
  if (!automatic?.enabled) {
    return status === 'pending'
      ? {
          tone: 'warning',
          title: 'Not begun',
          text: 'Your office does this check by hand, and has not begun.',
          isStuck: true,
        }
      : {
          tone: 'waiting',
          title: 'Under way by hand',
          text: 'Your office is doing this check by hand.',
          isStuck: false,
        };
  }
  const silent = silentReferee(reference);
  if (silent !== null)
    return {
      tone: 'waiting',
      title: `Waiting for ${silent.role}`,
      text: `The service has asked ${silent.role}, and waits for an answer.`,
      isStuck: false,
    };
  const stage = stages[automatic.status ?? ''] ?? { title: 'Under way', text: 'The service is working on it.' };
  return { tone: 'waiting', ...stage, isStuck: false };
}

/**
 * Returns where a check stands at a time, in seconds since the Unix epoch. A referee that is silent for days needs a hand. A check that waits
 * for an unnamed referee needs one, too, some days after the order. That alone tells of no silence.
 *
 * @param askedAt when the service asked the referees that it does not name. Null if the reader does not know.
 */
export function standingAt(reference: Reference, now: number, askedAt: number | null = null): Standing {
  const standing = standingOf(reference);
  const isUnnamedSilent = askedAt !== null && isLong(askedAt, now) && waitsForUnnamedReferee(reference);
  if (isUnnamedSilent || isSilentTooLong(reference, now))
    return { ...standing, tone: 'warning', title: 'Referee silent', isStuck: true };
  const isOld = askedAt === null && daysWithUnnamedReferee(reference, now) !== null;
  return isOld ? { ...standing, tone: 'warning', isStuck: true } : standing;
}

/** Returns a stage of a service in words. */
export function stageText(stage: string): string {
  return (stages[stage]?.title ?? plain(stage)).toLowerCase();
}

function ended(title: string, text: string): Standing {
  return { tone: 'neutral', title, text, isStuck: false };
}

/** Why a check does not go on, and what to do. */
export interface Problem {
  code: string;
  title: string;
  /** What happened and what to do. The words of the API, except for a fault: these are about computers. */
  text: string;
  /** A sentence of the office's own. Null if the text says it all. */
  note: string | null;
  /** Whether another e-mail address of the applicant may help. */
  isAboutAddress: boolean;
  /** Whether the service can be asked again. */
  mayBeAsked: boolean;
}

const titles: Readonly<Record<string, string>> = {
  invite_bounced: 'Invitation bounced',
  renter_declined: 'Applicant declined',
  renter_expired: 'No answer',
  invalid_details: 'Details missing',
  unauthorized: 'Service refused us',
  credentials_missing: 'Service not set up',
  credentials_invalid: 'Service not set up',
  provider_unavailable: 'Service not set up',
  provider_unknown: 'Service not set up',
  ended_by_provider: 'Service has stopped',
};

const codesOfFaults = new Set([
  'timeout',
  'unavailable',
  'busy',
  'response_invalid',
  'provider_error',
  'report_failed',
]);

const faultTexts = {
  stopped:
    'The service did not work, although Tenure asked it several times. Ask it again, choose another service, or do the check by hand.',
  asking: 'The service does not work at the moment. Tenure asks it again by itself, so you can wait.',
};

const codesOfAddresses = new Set(['invite_bounced', 'renter_expired']);

/** Only these services send an invitation to a new address. */
const invitingServices = new Set(['provider_a', 'provider_c']);

/** Returns an error of a check in two or three words. */
export function titleOfProblem(error: string): string {
  const [code = ''] = error.split(':');
  return titles[code] ?? (codesOfFaults.has(code) ? 'Service has a fault' : 'Service stopped');
}

/** Returns why an open check does not go on, or null if it does. */
export function problemOf({ status, automatic_reference: automatic }: Reference): Problem | null {
  if (!automatic?.enabled || (status !== 'pending' && status !== 'processing')) return null;
  const { last_error: error, provider } = automatic;
  if (error === null && automatic.status !== 'failed') return null;
  const [, code = '', message = ''] = /^([a-z0-9_]+): ?(.*)$/s.exec(error ?? '') ?? [];
  const isFault = code === '' || codesOfFaults.has(code);
  const hasStopped = automatic.status === 'failed';
  return {
    code,
    title: titles[code] ?? (isFault ? 'Service has a fault' : 'Service stopped'),
    text: isFault ? faultTexts[hasStopped ? 'stopped' : 'asking'] : message,
    note: isFault ? 'This says nothing about the applicant.' : null,
    isAboutAddress: codesOfAddresses.has(code) && provider !== null && invitingServices.has(provider),
    mayBeAsked: !codesOfAddresses.has(code) && code !== 'ended_by_provider',
  };
}

/** Returns the verdict in the service’s own words, or null if there is none. */
export function serviceVerdict({ automatic_reference: automatic }: Reference): string | null {
  return automatic?.outcome ? capital(plain(automatic.outcome)) : null;
}

/** Words of services that leave the decision to a person, but do not say so. */
const undecided = /^(?:refer|review|caution|warning|inconclusive|undetermined|unavailable)$/i;

/** Returns what a verdict in the service’s own words means, or null if the words say it. */
export function meaningOfVerdict(verdict: string): string | null {
  return undecided.test(verdict) ? `“${verdict}” means: weigh something before you agree.` : null;
}

/** A note of the service. */
export interface Note {
  created: number;
  message: string;
}

/** Returns the notes of the service, the oldest first. */
export function notesOf({ automatic_reference: automatic }: Reference): Note[] {
  return automatic?.provider_data?.provider_a?.notes ?? [];
}

/** Returns whether the service waits for referees, but does not say for which. */
export function waitsForUnnamedReferee(reference: Reference): boolean {
  const isWaiting = problemOf(reference) === null && reference.automatic_reference?.status === 'awaiting_referee';
  return isWaiting && silentReferee(reference) === null;
}

/** A referee that has not answered. A role is all that an office learns of them. */
export interface SilentReferee {
  role: string;
  /** When the referee was first asked, in seconds since the Unix epoch. */
  askedAt: number;
  /** How often the service has asked since then. */
  reminders: number;
}

const roles: [words: RegExp, role: string][] = [
  [/\bemployer\b/i, 'the employer'],
  [/\blandlord\b/i, 'the former landlord'],
  [/\baccountant\b/i, 'the accountant'],
  [/\bguarantor\b/i, 'the guarantor'],
];

/** Returns the referee that the service waits for, from its notes. Null if it waits for none, or its notes do not say. */
export function silentReferee(reference: Reference): SilentReferee | null {
  if (reference.automatic_reference?.status !== 'awaiting_referee') return null;
  const asked = notesOf(reference).filter(({ message }) => /\basked\b/i.test(message));
  const [first] = asked;
  if (!first) return null;
  // A reminder names the one that is silent. The first request names all.
  const named = roles.filter(([words]) => words.test(asked.at(-1)!.message)).map(([, role]) => role);
  if (named.length === 0) return null;
  return { role: named.join(' and '), askedAt: first.created, reminders: asked.length - 1 };
}

const daySeconds = 86_400;

/** After so many days, a silent referee needs a hand. */
const silentDaysMax = 3;

/** Returns whether a referee is silent for so long that the check needs a hand. */
export function isSilentTooLong(check: Reference, now: number): boolean {
  const silent = silentReferee(check);
  return problemOf(check) === null && silent !== null && isLong(silent.askedAt, now);
}

/** Returns whether a referee that was asked at a time should have answered by now. */
export function isLong(askedAt: number, now: number): boolean {
  return now - askedAt >= silentDaysMax * daySeconds;
}

/** Returns the age of an old check in days if it waits for unnamed referees, else null. The check does not tell when they were asked. */
export function daysWithUnnamedReferee(check: Reference, now: number): number | null {
  const isOld = isLong(check.created, now) && waitsForUnnamedReferee(check);
  return isOld ? Math.floor((now - check.created) / daySeconds) : null;
}
