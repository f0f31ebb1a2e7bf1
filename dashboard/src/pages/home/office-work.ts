import type { Application, Reference, RequestOptions, Tenure } from 'tenure';
import {
  daysWithUnnamedReferee,
  isByService,
  isSilentTooLong,
  serviceOf,
  silentReferee,
  standingAt,
} from '../../office/checks.ts';
import { defineRead } from '../../api/requests.ts';
import { inApplication, inReference } from '../../office/reads.ts';
import { homeOf, nameOf } from '../../office/words.ts';
import { peopleOf, stateOf } from '../applications/application-words.tsx';

/** Something that waits for a person, or that is done. */
export interface Task {
  id: string;
  href: string;
  /** The people and the home. */
  title: string;
  text: string;
  tone: 'good' | 'warning' | 'waiting' | 'bad' | 'neutral';
  /** In a word or two. */
  state: string;
  /** What happened at the time, in a word. Null if the text tells it. */
  event: 'Taken' | 'Ordered' | null;
  /** In seconds since the Unix epoch. */
  at: number;
}

/** The lists of the home page. */
export const views = [
  { id: 'decide', name: 'To decide', empty: 'Nothing is waiting for your decision.' },
  { id: 'stuck', name: 'Stuck', empty: 'Nothing is stuck.' },
  { id: 'waiting', name: 'Under way', empty: 'No check is under way.' },
  { id: 'done', name: 'Done this week', empty: 'Nothing was finished in the last seven days.' },
] as const;

export type View = (typeof views)[number]['id'];

export type Work = Record<View, Task[]>;

/** The most records of each kind that the page looks through. */
export const recordsMax = 300;

const daySeconds = 86_400;
const weekSeconds = 7 * daySeconds;

/** Reads the work of the day, into lists that the counts are taken from. */
export const workRead = defineRead<Work, { aheadSeconds: number }>(async (tenure, { aheadSeconds }, options) => {
  const now = Math.floor(Date.now() / 1000) + aheadSeconds;
  const [open, rejected, approved, converted, pending, processing, complete] = await Promise.all([
    applicationsOf(tenure, 'open', options),
    applicationsOf(tenure, 'rejected', options),
    applicationsOf(tenure, 'approved', options),
    applicationsOf(tenure, 'converted', options),
    checksOf(tenure, 'pending', options),
    checksOf(tenure, 'processing', options),
    checksOf(tenure, 'complete', options),
  ]);
  const since = now - weekSeconds;
  const running = [...pending, ...processing];
  const isStuck = (check: Reference): boolean => standingAt(check, now).isStuck;
  return {
    decide: [
      ...rejected.filter(({ review }) => review?.status === 'requested'),
      ...open.filter(({ references }) => references.result !== null),
    ].map(taskOfApplication),
    stuck: [
      ...running.filter(isStuck).map((check) => taskOfCheck(check, now)),
      ...open.filter(hasNoCheck).map(taskOfApplication),
    ],
    waiting: running.filter((check) => !isStuck(check)).map((check) => taskOfCheck(check, now)),
    done: [
      ...complete.filter(({ completed_at: at }) => at !== null && at >= since).map((check) => taskOfCheck(check, now)),
      ...[...approved, ...rejected, ...converted]
        .filter(
          ({ decision, review }) => decision !== null && decision.decided_at >= since && review?.status !== 'requested',
        )
        .map(taskOfApplication),
    ].sort((one, other) => other.at - one.at),
  };
});

/** Returns whether an open application has no check that can still end, or has ended, with an outcome. */
function hasNoCheck({ references: { total, by_status: statuses } }: Application): boolean {
  return total - statuses.canceled === 0;
}

function applicationsOf(
  tenure: Tenure,
  status: 'open' | 'rejected' | 'approved' | 'converted',
  options: RequestOptions,
): Promise<Application[]> {
  return tenure.applications.list({ status, expand: inApplication }, options).toArray({ limit: recordsMax });
}

function checksOf(
  tenure: Tenure,
  status: 'pending' | 'processing' | 'complete',
  options: RequestOptions,
): Promise<Reference[]> {
  return tenure.references.list({ status, expand: inReference }, options).toArray({ limit: recordsMax });
}

function taskOfApplication(application: Application): Task {
  const { id, unit, created, decision, references, review } = application;
  const { tone, name } = stateOf(application);
  const text =
    review?.status === 'requested'
      ? 'The applicants ask that a person looks at the refusal again.'
      : decision !== null
        ? 'The application is decided.'
        : references.result !== null
          ? 'All checks have ended.'
          : references.total === 0
            ? 'No check is ordered yet.'
            : 'All checks were cancelled.';
  return {
    id,
    href: `/applications/${id}`,
    title: `${peopleOf(application)}, ${homeOf(unit)}`,
    text,
    tone,
    state: name,
    event: review?.requested_at || decision ? null : 'Taken',
    at: review?.requested_at ?? decision?.decided_at ?? created,
  };
}

function taskOfCheck(check: Reference, now: number): Task {
  const { id, customer, application, created, completed_at: completedAt } = check;
  const { tone, title, text } = standingAt(check, now);
  const home = application !== null && typeof application === 'object' ? `, ${homeOf(application.unit)}` : '';
  const silent = silentReferee(check);
  const days = silent === null ? 0 : Math.floor((now - silent.askedAt) / daySeconds);
  const isLate = silent !== null && isSilentTooLong(check, now);
  const unnamedDays = daysWithUnnamedReferee(check, now);
  return {
    id,
    href: `/references/${id}`,
    title: `${nameOf(customer)}${home}`,
    text: isLate
      ? `No answer from ${silent.role} for ${days} days.`
      : unnamedDays !== null
        ? `Still waits for a referee, ${unnamedDays} days after the order. ${serviceOf(check)}.`
        : isByService(check)
          ? `${silent === null || days < 1 ? text : `No answer from ${silent.role} for ${days === 1 ? 'a day' : `${days} days`}.`} ${serviceOf(check)}.`
          : text,
    tone,
    state: title,
    event: completedAt === null ? 'Ordered' : null,
    at: completedAt ?? created,
  };
}
