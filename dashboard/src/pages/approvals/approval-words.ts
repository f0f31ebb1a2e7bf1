import type { ApprovalRequest } from 'tenure';
import type { Tone } from '@tenure/ui';

/** What each status means for the reader. */
const states: Readonly<Record<string, { name: string; tone: Tone }>> = {
  pending: { name: 'Waiting', tone: 'warning' },
  approved: { name: 'Approved', tone: 'good' },
  executed: { name: 'Done', tone: 'good' },
  rejected: { name: 'Rejected', tone: 'bad' },
  canceled: { name: 'Taken back', tone: 'neutral' },
  expired: { name: 'Expired', tone: 'neutral' },
};

/** The statuses as choices of a filter. */
export const stateChoices = Object.entries(states).map(([id, { name }]) => ({ id, name }));

/** Returns the status in words. */
export function stateOf({ status }: Pick<ApprovalRequest, 'status'>): { name: string; tone: Tone } {
  return states[status] ?? { name: status, tone: 'neutral' };
}

/** Returns the id of the record that the request acts on, and the path of that record. Null if the request makes one. */
export function recordOf({ path }: Pick<ApprovalRequest, 'path'>): { id: string; path: string } | null {
  const [found, id] = /^\/v1\/[a-z_]+\/([a-z]+_[0-9A-Za-z]+)(?=\/|$)/.exec(path ?? '') ?? [];
  return found === undefined || id === undefined ? null : { id, path: found };
}

/** Returns what follows from an approval, in a sentence. */
export function consequenceOf({ type }: Pick<ApprovalRequest, 'type'>): string {
  return type === 'workflow_step'
    ? 'The workflow continues at once.'
    : 'The agent can send exactly this request within an hour, once. Your name stays with it.';
}
