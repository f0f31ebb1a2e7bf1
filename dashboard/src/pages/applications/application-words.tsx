import type { ReactNode } from 'react';
import type { Application } from 'tenure';
import { Badge, type Tone } from '@tenure/ui';
import { outcomes } from '../../office/checks.ts';
import type { Step } from '../../office/parts.tsx';
import { homeOf, listed, nameOf } from '../../office/words.ts';
import styles from '../../office/office.module.css';

/** Returns what people call an application: "Ada and Grace for Flat 5, Micklegate House". */
export function titleOf(application: Pick<Application, 'customers' | 'unit'>): string {
  return `${peopleOf(application)} for ${homeOf(application.unit)}`;
}

export function peopleOf({ customers }: Pick<Application, 'customers'>): string {
  return customers.length === 0 ? 'No applicant yet' : listed(customers.map(nameOf));
}

/** Where an application stands, in words. */
interface State {
  tone: Tone;
  name: string;
}

/** Returns where an application stands. */
export function stateOf({ status, references, review }: Pick<Application, 'status' | 'references' | 'review'>): State {
  if (review?.status === 'requested') return { tone: 'warning', name: 'Review asked for' };
  switch (status) {
    case 'open':
      if (references.result !== null) return { tone: 'warning', name: 'To decide' };
      if (references.total === 0) return { tone: 'neutral', name: 'No checks yet' };
      return references.total === references.by_status.canceled
        ? { tone: 'neutral', name: 'Checks cancelled' }
        : { tone: 'waiting', name: 'In checks' };
    case 'approved':
      return { tone: 'good', name: 'Accepted' };
    case 'rejected':
      return { tone: 'bad', name: 'Refused' };
    case 'withdrawn':
      return { tone: 'neutral', name: 'Withdrawn' };
    case 'converted':
      return { tone: 'good', name: 'Let' };
    default:
      return { tone: 'neutral', name: status };
  }
}

export function StateBadge({ application }: { application: Application }): ReactNode {
  const { tone, name } = stateOf(application);
  return <Badge tone={tone}>{name}</Badge>;
}

/** Where the checks of an application stand, as a few words with their numbers. */
export function CheckCounts({ references }: Pick<Application, 'references'>): ReactNode {
  const { by_status: statuses, by_outcome: found, total } = references;
  const counts: [tone: Tone, count: number, name: string][] = [
    ...outcomes.map(({ id, tone, name }): [Tone, number, string] => [tone, found[id], name]),
    ['waiting', statuses.processing, 'Under way'],
    ['waiting', statuses.pending, 'Ordered'],
    ['neutral', statuses.canceled, 'Cancelled'],
  ];
  if (total === 0) return <span className={styles.quiet}>None ordered</span>;
  return (
    <span className={styles.badges}>
      {counts
        .filter(([, count]) => count > 0)
        .map(([tone, count, name]) => (
          <Badge key={name} tone={tone}>
            {`${name} ${count > 1 ? `× ${count}` : ''}`.trim()}
          </Badge>
        ))}
    </span>
  );
}

/** Returns the way of an application from the start to the keys. */
export function stepsOf({ status, references, review }: Application): Step[] {
  const isDecided = status !== 'open';
  const haveChecksEnded = references.result !== null;
  const decisionState =
    status === 'rejected' && review?.status !== 'requested' ? 'stopped' : isDecided ? 'done' : 'now';
  if (status === 'withdrawn')
    return [
      { name: 'Applied', state: 'done' },
      { name: 'Withdrawn', state: 'stopped' },
    ];
  const hasNoChecks = isDecided && references.total === 0;
  const { pending, processing } = references.by_status;
  const areChecksOpen = pending + processing > 0;
  return [
    { name: 'Applied', state: 'done' },
    ...(hasNoChecks
      ? []
      : [{ name: 'Checks', state: areChecksOpen || (!isDecided && !haveChecksEnded) ? 'now' : 'done' } as const]),
    {
      name: status === 'rejected' ? 'Refused' : status === 'open' ? 'Decision' : 'Accepted',
      state: isDecided || haveChecksEnded ? decisionState : 'ahead',
    },
    { name: 'Tenancy signed', state: status === 'converted' ? 'done' : status === 'approved' ? 'now' : 'ahead' },
  ];
}
